#include "cuda/launch_config.h"

#include <algorithm>

#include "base/text.h"
#include "cuda/body.h"

namespace ungate::cuda {
namespace {

using Is = Setting::Is;

constexpr std::string_view kConfigTypes[] = {"cudaLaunchConfig_t", "CUlaunchConfig",
                                             "cudaLaunchConfig_st"};

bool is_config_type(std::string_view word) {
  return std::ranges::find(kConfigTypes, word) != std::end(kConfigTypes);
}

Setting both(const Setting& a, const Setting& b) {
  if (a.is == Is::no || b.is == Is::no) return a.is == Is::no ? a : b;
  if (a.is == Is::unknown || b.is == Is::unknown) return a.is == Is::unknown ? a : b;
  if (a.is == Is::yes) return {b.is, b.condition, b.where.empty() ? a.where : b.where};
  if (b.is == Is::yes || a.condition == b.condition)
    return {a.is, a.condition, a.where.empty() ? b.where : a.where};
  return {Is::conditional, a.condition + " && " + b.condition, a.where};
}

}  // namespace

Setting either(const Setting& a, const Setting& b) {
  if (a == b) return a;
  if (a.is == Is::unknown || b.is == Is::unknown) return a.is == Is::unknown ? a : b;
  if (a.is == b.is && a.is != Is::conditional) return a;
  Setting out = a.is == Is::no ? b : a;
  out.is = Is::conditional;
  if (a.is == Is::conditional && b.is == Is::conditional && a.condition != b.condition) {
    out.condition = a.condition + " || " + b.condition;
  } else if (out.condition.empty()) {
    out.condition = "some launches only";
  }
  return out;
}

std::optional<std::size_t> ConfigReader::declaration(std::string_view name, std::size_t at) const {
  for (std::size_t k : names_.before(name, at)) {
    if (k == 0) break;
    const Lexeme& before = l_[k - 1];
    bool typed = before.is_identifier()
                     ? !is_keyword(before.text) || before.is("auto") || before.is("const")
                     : before.is(">") || before.is("&") || before.is("*");
    // `a & name` and `f(&name)` are uses.
    if (before.is("&") || before.is("*")) {
      typed = k > 1 &&
              (is_config_type(l_[k - 2].text) || l_[k - 2].is("auto") || l_[k - 2].is("const"));
    }
    if (typed && blocks_.encloses(blocks_.of(k), blocks_.of(std::min(at, l_.size() - 1)))) return k;
  }
  return std::nullopt;
}

bool ConfigReader::is_config(std::string_view name, std::size_t at) const {
  auto declared = declaration(name, at);
  if (!declared) return false;
  for (std::size_t i = *declared; i > 0 && *declared - i < 4; --i) {
    if (is_config_type(l_[i - 1].text)) return true;
  }
  return false;
}

std::size_t ConfigReader::statement_end(std::size_t i) const {
  while (i < l_.size() && !l_[i].is(";") && !l_[i].is("}")) {
    i = l_[i].is("(") || l_[i].is("{") || l_[i].is("[") ? after_brackets(l_, i, l_.size()) : i + 1;
  }
  return i;
}

// The variable of `a[0].val.b`, where `member_dot` is the last dot.
std::string_view ConfigReader::base_of(std::size_t dot) const {
  std::size_t i = dot;
  while (i > 0) {
    if (l_[i - 1].is("]")) {
      int depth = 0;
      for (; i > 0; --i) {
        if (l_[i - 1].is("]")) ++depth;
        if (l_[i - 1].is("[") && --depth == 0) break;
      }
      if (i > 0) --i;
    } else if (l_[i - 1].is_identifier()) {
      if (i < 2 || !(l_[i - 2].is(".") || l_[i - 2].is("->"))) return l_[i - 1].text;
      i -= 2;
    } else {
      return {};  // `{.id = …`: the variable is not named here
    }
  }
  return {};
}

// The function in `= helper(…)` or `(helper(…))` after a declared name.
Symbol ConfigReader::helper_of(std::size_t declared) const {
  std::size_t i = declared + 1;
  if (i < l_.size() && (l_[i].is("=") || l_[i].is("(") || l_[i].is("{"))) ++i;
  std::size_t end = statement_end(i);
  Symbol name;
  for (; i + 1 < end; ++i) {
    if (l_[i].is_identifier() && l_[i + 1].is("(") && !is_config_type(l_[i].text))
      return Symbol(l_[i].text);
    if (!l_[i].is_identifier() && !l_[i].is("::")) break;
  }
  return name;
}

// `cudaLaunchConfig_t c{grid, block, smem, stream, &attribute, 1}` or `{…, .attrs = attribute, …}`.
std::string_view ConfigReader::initializer_attributes(std::size_t declared) const {
  std::size_t open = declared + 1;
  if (open < l_.size() && l_[open].is("=")) ++open;
  if (open >= l_.size() || !l_[open].is("{")) return {};
  std::size_t close = after_brackets(l_, open, l_.size()) - 1;
  auto args = split_arguments(l_, open + 1, close);
  for (auto [from, to] : args) {
    if (to - from >= 4 && l_[from].is(".") && l_[from + 1].is("attrs")) {
      return l_[l_[from + 3].is("&") ? from + 4 : from + 3].text;
    }
  }
  if (args.size() < 5 || l_[args[4].first].is(".")) return {};
  return l_[l_[args[4].first].is("&") ? args[4].first + 1 : args[4].first].text;
}

std::string_view ConfigReader::attributes_of(std::string_view config, std::size_t from,
                                             std::size_t at) const {
  for (std::size_t k : names_.before("attrs", at)) {
    // config.attrs = a
    if (k <= from + 1) break;
    if (k + 1 >= l_.size() || !l_[k + 1].is("=") || base_of(k - 1) != config) continue;
    if (!l_[k - 1].is(".") && !l_[k - 1].is("->")) continue;
    std::size_t value = k + 2;
    while (value < at && (l_[value].is("&") || l_[value].is("("))) ++value;
    return value < l_.size() ? l_[value].text : std::string_view();
  }
  return initializer_attributes(from);
}

Setting ConfigReader::under(std::size_t statement, std::size_t at, Setting value) const {
  std::uint32_t here = blocks_.of(std::min(at, l_.size() - 1));
  std::string condition = blocks_.condition(blocks_.of(statement), here);
  value.where = l_[statement].range();
  if (condition.empty()) return value;
  return both({Is::conditional, condition, value.where}, value);
}

// An expression as a switch: a number is compared with `more_than`, anything else is a condition.
Setting ConfigReader::literal_or_condition(std::size_t begin, std::size_t end,
                                           std::int64_t more_than) const {
  while (end - begin > 2 && l_[begin].is("(") && after_brackets(l_, begin, end) == end) {
    ++begin;
    --end;
  }
  source::Range where = begin < end ? l_[begin].range() : source::Range{};
  auto number = [&](std::size_t i) -> std::optional<std::int64_t> {
    std::int64_t n = 0;
    if (l_[i].is("true") || l_[i].is("false")) return l_[i].is("true") ? 1 : 0;
    if (text::parse_int(l_[i].text, n)) return n;
    return std::nullopt;
  };
  if (end - begin == 1) {
    if (auto n = number(begin)) return {*n > more_than ? Is::yes : Is::no, {}, where};
  }
  // x ? 1 : 0
  if (end - begin > 4 && l_[end - 2].is(":") && l_[end - 4].is("?")) {
    auto a = number(end - 3), b = number(end - 1);
    if (a && b) {
      if ((*a > more_than) == (*b > more_than))
        return {*a > more_than ? Is::yes : Is::no, {}, where};
      std::string condition = spell(l_, begin, end - 4);
      return {Is::conditional, *a > more_than ? condition : "!(" + condition + ")", where};
    }
  }
  return {Is::conditional, text::one_line(spell(l_, begin, end), 120), where};
}

Setting ConfigReader::value_of(std::string_view member, std::string_view attributes,
                               std::size_t at) const {
  for (std::size_t k : names_.before(member, at)) {
    if (k == 0 || k + 1 >= l_.size() || !l_[k + 1].is("=")) continue;
    std::string_view base = base_of(k - 1);
    if (!base.empty() && !attributes.empty() && base != attributes) continue;
    std::size_t end = k + 2;
    while (end < l_.size() && !l_[end].is(";") && !l_[end].is("}") &&
           !(base.empty() && l_[end].is(","))) {
      end = l_[end].is("(") ? after_brackets(l_, end, l_.size()) : end + 1;
    }
    return under(k, at, literal_or_condition(k + 2, end, 0));
  }
  return {Is::unknown, "no value is set", {}};
}

Setting ConfigReader::count(std::string_view config, std::int64_t index, std::size_t at) const {
  std::optional<Setting> more;
  for (std::size_t k : names_.before("numAttrs", at)) {
    if (k == 0 || k + 1 >= l_.size()) continue;
    std::string_view base = base_of(k - 1);
    if (!base.empty() && base != config) continue;
    if (l_[k + 1].is("++") || l_[k + 1].is("+=")) {
      if (!more) more = under(k, at, {Is::yes, {}, {}});
      continue;
    }
    if (!l_[k + 1].is("=")) continue;
    std::size_t end = k + 2;
    while (end < l_.size() && !l_[end].is(";") && !l_[end].is(",") && !l_[end].is("}")) ++end;
    Setting value = under(k, at, literal_or_condition(k + 2, end, index));
    return value.is == Is::no && more ? *more : value;
  }
  if (more) return *more;
  return {Is::yes, {}, {}};  // counted where it is not seen
}

Setting ConfigReader::setting(std::string_view id, std::string_view attributes,
                              std::string_view config, std::size_t at) const {
  for (std::size_t k : names_.before(id, at)) {
    // attributes[0].id = …
    if (k < 2 || !l_[k - 1].is("=")) continue;
    std::string_view base = k > 3 ? base_of(k - 3) : std::string_view();
    if (!base.empty() && !attributes.empty() && base != attributes) continue;
    // A variable of that name in another block is another variable.
    auto declared = base.empty() ? std::nullopt : declaration(base, at);
    if (declared && k < *declared) continue;
    if (!declared && !base.empty() && declaration(base, k)) continue;
    std::int64_t index = 0;
    if (k > 5 && l_[k - 4].is("]")) text::parse_int(l_[k - 5].text, index);
    Setting set = under(k, at, {Is::yes, {}, {}});
    if (id == kProgrammatic) set = both(set, value_of(kProgrammaticValue, base, at));
    return both(set, count(config, index, at));
  }
  return {};
}

std::string ConfigReader::cluster_size(std::string_view attributes, std::size_t at) const {
  for (std::size_t k : names_.before("x", at)) {
    // attributes[0].val.clusterDim.x = …
    if (k < 3 || !l_[k - 2].is("clusterDim") || k + 1 >= l_.size() || !l_[k + 1].is("=")) continue;
    std::string_view base = base_of(k - 1);
    if (!base.empty() && !attributes.empty() && base != attributes) continue;
    return text::one_line(spell(l_, k + 2, statement_end(k + 2)), 80);
  }
  return {};
}

std::string ConfigReader::dynamic_shared(std::string_view config, std::size_t declared, std::size_t at) const {
  for (std::size_t k : names_.before("dynamicSmemBytes", at)) {
    // config.dynamicSmemBytes = …
    if (k < declared || k < 2 || k + 1 >= l_.size() || !l_[k + 1].is("=")) continue;
    if (std::string_view base = base_of(k - 1); !base.empty() && base != config) continue;
    return text::one_line(spell(l_, k + 2, statement_end(k + 2)), 80);
  }
  return {};
}

ConfigAt ConfigReader::at(std::size_t begin, std::size_t end, std::size_t at) const {
  ConfigAt out;
  while (begin < end && !l_[begin].is_identifier()) ++begin;
  std::string_view config = begin < end ? l_[begin].text : std::string_view();
  auto declared = declaration(config, at);
  if (!declared) {
    auto p = std::ranges::find_if(parameters_, [&](Symbol s) { return s.text() == config; });
    if (p != parameters_.end() && !config.empty())
      out.parameter = static_cast<std::uint32_t>(p - parameters_.begin());
    out.programmatic =
        out.cluster = {Is::unknown, "configuration '" + std::string(config) + "'", {}};
    return out;
  }
  out.helper = helper_of(*declared);
  out.dynamic_shared = dynamic_shared(config, *declared, at);
  std::string_view attributes = attributes_of(config, *declared, at);
  if (attributes.empty() && out.helper.empty()) return out;  // no attributes
  // The attributes may be set before the configuration is declared.
  out.programmatic = setting(kProgrammatic, attributes, config, at);
  out.cluster = setting(kCluster, attributes, config, at);
  out.cluster_size = cluster_size(attributes, at);
  if (!out.helper.empty() && attributes.empty()) {
    out.programmatic =
        out.cluster = {Is::unknown, "configuration from " + std::string(out.helper.text()), {}};
  }
  return out;
}

ConfigAt ConfigReader::anywhere() const {
  ConfigAt out;
  std::size_t end = l_.size() - 1;
  out.programmatic = setting(kProgrammatic, {}, {}, end);
  out.cluster = setting(kCluster, {}, {}, end);
  return out;
}

}  // namespace ungate::cuda

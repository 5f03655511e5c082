#include "cuda/launches.h"

#include <algorithm>

#include "base/text.h"
#include "cuda/blocks.h"
#include "cuda/body.h"
#include "cuda/launch_config.h"

namespace ungate::cuda {
namespace {

class Reader {
 public:
  Reader(const Lexemes& body, std::uint32_t function, const MacroBodies& macros,
         const Vocabulary& vocabulary, Structure& out)
      : l_(body),
        function_(function),
        macros_(macros),
        vocabulary_(vocabulary),
        out_(out),
        blocks_(body),
        names_(body),
        parameters_(out.functions[function].parameter_names),
        configs_(body, blocks_, names_, parameters_) {}

  void run() {
    bool launched = false, sets = false;
    for (std::size_t i = 0; i < l_.size(); ++i) {
      const Lexeme& l = l_[i];
      sets |= l.is(kProgrammatic) || l.is(kCluster);
      if (l.is("<<<")) {
        chevron(i);
        launched = true;
      } else if (l.is_identifier() && i + 1 < l_.size()) {
        launched |= call(i);
      }
    }
    if (!sets || launched) return;
    ConfigAt made = configs_.anywhere();
    out_.makers.push_back({function_, made.programmatic, made.cluster});
  }

 private:
  using Arguments = std::vector<std::pair<std::size_t, std::size_t>>;

  Arguments arguments(std::size_t open) const {
    return split_arguments(l_, open + 1, after_brackets(l_, open, l_.size()) - 1);
  }

  // kernel<T><<<grid, block>>>(…): no attributes can be set.
  void chevron(std::size_t i) {
    std::size_t begin = i;
    if (begin > 0 && l_[begin - 1].is(">")) begin = angles_before(l_, 0, begin);
    while (begin > 0 && l_[begin - 1].is_identifier()) {
      --begin;
      if (begin < 2 || !l_[begin - 1].is("::")) break;
      --begin;
      if (l_[begin - 1].is(">")) begin = angles_before(l_, 0, begin);
    }
    Launch launch = make(i);
    kernels(begin, i, i, 0, launch);
    std::size_t close = i + 1;
    while (close < l_.size() && !l_[close].is(">>>") && !l_[close].is(";")) ++close;
    Arguments configuration = split_arguments(l_, i + 1, close);
    if (configuration.size() > 2)
      launch.dynamic_shared = text::one_line(spell(l_, configuration[2].first, configuration[2].second), 80);
    add(std::move(launch), begin, i);
  }

  // A call of a launch function, or one that passes a configuration on.
  bool call(std::size_t i) {
    std::size_t open = i + 1;
    if (l_[open].is("<")) open = std::max(after_angles(l_, open, l_.size()), open);
    if (open >= l_.size() || !l_[open].is("(")) return false;
    for (const Vocabulary::LaunchFunction& f : vocabulary_.launch_functions) {
      if (f.name != l_[i].text) continue;
      launch_call(i, open, f);
      return true;
    }
    if (!is_keyword(l_[i].text) && !l_[i].text.starts_with("cuda")) pass_on(i, open);
    return false;
  }

  void launch_call(std::size_t i, std::size_t open, const Vocabulary::LaunchFunction& f) {
    Arguments args = arguments(open);
    Launch launch = make(i);
    auto kernel = static_cast<std::size_t>(f.kernel), config = static_cast<std::size_t>(f.config);
    if (kernel < args.size()) kernels(args[kernel].first, args[kernel].second, i, 0, launch);
    if (f.config >= 0 && config < args.size()) {
      ConfigAt c = configs_.at(args[config].first, args[config].second, i);
      launch.programmatic = c.programmatic;
      launch.cluster = c.cluster;
      launch.cluster_size = c.cluster_size;
      launch.dynamic_shared = c.dynamic_shared;
      launch.config_parameter = c.parameter;
      launch.config_helper = c.helper;
    }
    add(std::move(launch), i, after_brackets(l_, open, l_.size()) - 1);
  }

  Launch make(std::size_t i) const {
    Launch launch;
    launch.function = function_;
    if (l_[i].from_macro) launch.macro = macros_.name(l_[i].index);
    return launch;
  }

  void add(Launch launch, std::size_t first, std::size_t last) {
    launch.range = {l_[first].begin, l_[last].end};
    // A macro that launches in each of many arms shows the same launch many times.
    if (std::ranges::find(out_.launches, launch) == out_.launches.end())
      out_.launches.push_back(std::move(launch));
  }

  // The kernels that an expression can name, at lexeme `at`; variables are looked up.
  void kernels(std::size_t begin, std::size_t end, std::size_t at, int depth, Launch& out) const {
    if (depth > 4 || begin >= end) return;
    if (l_[begin].is("[")) return addresses(begin, end, out);
    // cond ? a : b
    for (std::size_t i = begin; i < end;) {
      if (l_[i].is("?")) {
        std::size_t colon = i;
        while (colon < end && !l_[colon].is(":")) ++colon;
        kernels(i + 1, colon, at, depth + 1, out);
        kernels(colon + 1, end, at, depth + 1, out);
        return;
      }
      i = l_[i].is("(") || l_[i].is("{") ? after_brackets(l_, i, end) : i + 1;
    }
    std::string_view name = named_function(l_, begin, end);
    if (name.empty()) return;
    if (variable(name, at, depth, out)) return;
    auto p = std::ranges::find_if(parameters_, [&](Symbol s) { return s.text() == name; });
    if (p != parameters_.end()) {
      out.kernel_parameter = static_cast<std::uint32_t>(p - parameters_.begin());
    } else {
      add_kernel(name, out);
    }
  }

  static void add_kernel(std::string_view name, Launch& out) {
    if (std::ranges::find(out.kernels, Symbol(name)) == out.kernels.end())
      out.kernels.emplace_back(name);
  }

  // A lambda that chooses: whatever it takes the address of.
  void addresses(std::size_t begin, std::size_t end, Launch& out) const {
    for (std::size_t i = begin + 1; i + 1 < end; ++i) {
      bool operand =
          l_[i].is("&") && !l_[i - 1].is_identifier() && !l_[i - 1].is(")") && !l_[i - 1].is("]");
      if (!operand || !l_[i + 1].is_identifier() || l_[i - 1].is("[")) continue;
      std::size_t to = i + 2;
      while (to + 1 < end && l_[to].is("::") && l_[to + 1].is_identifier()) to += 2;
      add_kernel(l_[to - 1].text, out);
    }
  }

  // Follows `auto k = a;`, `k = b;` back from `at` to the declaration that is visible there.
  bool variable(std::string_view name, std::size_t at, int depth, Launch& out) const {
    bool found = false;
    for (std::size_t k : names_.before(name, at)) {
      std::size_t i = k + 1;
      // void (*kernel)(int) = …
      bool pointer =
          k > 1 && l_[k - 1].is("*") && i + 1 < l_.size() && l_[i].is(")") && l_[i + 1].is("(");
      if (pointer) i = after_brackets(l_, i + 1, l_.size());
      if (i >= l_.size() || !l_[i].is("=")) continue;
      const Lexeme* before = k > 0 ? &l_[k - 1] : nullptr;
      if (before != nullptr && (before->is(".") || before->is("->") || before->is("::"))) continue;
      bool declares = before != nullptr && (before->is_identifier() || before->is("*") ||
                                            before->is("&") || before->is(">"));
      bool visible = blocks_.encloses(blocks_.of(k), blocks_.of(at));
      if (declares && !visible) continue;
      std::size_t end = i + 1;
      while (end < l_.size() && !l_[end].is(";") && !l_[end].is("}")) {
        end = l_[end].is("(") || l_[end].is("{") ? after_brackets(l_, end, l_.size()) : end + 1;
      }
      kernels(i + 1, end, k, depth + 1, out);
      found = true;
      if (declares) break;
    }
    return found;
  }

  void pass_on(std::size_t i, std::size_t open) {
    Arguments args = arguments(open);
    for (std::size_t k = 0; k < args.size(); ++k) {
      auto [from, to] = args[k];
      if (l_[from].is("&")) ++from;
      if (to != from + 1 || !l_[from].is_identifier() || !configs_.is_config(l_[from].text, i))
        continue;
      ConfigAt c = configs_.at(from, to, i);
      out_.configs.push_back(
          {Symbol(l_[i].text), static_cast<std::uint32_t>(k), c.programmatic, c.cluster});
    }
  }

  const Lexemes& l_;
  std::uint32_t function_;
  const MacroBodies& macros_;
  const Vocabulary& vocabulary_;
  Structure& out_;
  Blocks blocks_;
  NameIndex names_;
  const std::vector<Symbol> parameters_;
  ConfigReader configs_;
};

}  // namespace

void read_launches(const Lexemes& body, std::uint32_t function, const MacroBodies& macros,
                   const Vocabulary& vocabulary, Structure& out) {
  if (body.empty()) return;
  Reader(body, function, macros, vocabulary, out).run();
}

}  // namespace ungate::cuda

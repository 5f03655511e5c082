#include "prove/ptx.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/hash.h"
#include "base/text.h"
#include "cuda/mnemonic.h"
#include "prove/ptx_text.h"

namespace ungate::prove {
namespace {

// A function or entry: header (up to the brace) and body.
struct Function {
  std::string_view name, header, body;
  bool entry = false;
};

// The symbols of a module.
class Reader {
 public:
  Reader(std::string_view text, const std::vector<FeatureWords>& features)
      : text_(without_comments(text)), features_(features) {}

  PtxModule read() {
    split();
    PtxModule out;
    out.version = word_after(".version");
    out.target = word_after(".target");
    for (const Function& f : functions_) {
      if (f.entry) out.kernels.push_back(facts(f));
    }
    std::ranges::sort(out.kernels, {}, &KernelFacts::name);
    return out;
  }

 private:
  struct Body {
    std::string normal;                  // normalised text
    std::vector<std::string> mnemonics;  // each once
    std::vector<std::string_view> calls;
    std::uint32_t instructions = 0;
    bool effects = false, traps = false, wait = false, trigger = false;
  };

  std::string word_after(std::string_view directive) const {
    std::size_t at = text_.find(directive);
    if (at == text_.npos) return {};
    at += directive.size();
    while (at < text_.size() && is_space(text_[at])) ++at;
    std::size_t end = at;
    while (end < text_.size() && !is_space(text_[end]) && text_[end] != ',') ++end;
    return text_.substr(at, end - at);
  }

  // Cuts the text into functions and the definitions of variables.
  void split() {
    std::string_view s = text_;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i] == ';') {
        variable(s.substr(begin, i - begin));
        begin = i + 1;
      } else if (s[i] == '{') {
        std::size_t end = i, depth = 0;
        for (; end < s.size(); ++end) {
          if (s[end] == '{') ++depth;
          if (s[end] == '}' && --depth == 0) break;
        }
        std::string_view header = s.substr(begin, i - begin);
        if (std::size_t at = keyword(header); at != header.npos) {
          function(header.substr(at), s.substr(i + 1, end - i - 1));
          begin = end + 1;
        }  // else the value of a variable, which a ';' ends
        i = end;
      }
    }
  }

  static std::size_t keyword(std::string_view header) {
    for (std::string_view word : {".entry", ".func"}) {
      std::size_t at = header.rfind(word);
      if (at != header.npos) return at;
    }
    return header.npos;
  }

  void function(std::string_view header, std::string_view body) {
    Function f;
    f.entry = header.starts_with(".entry");
    std::size_t at = f.entry ? 6 : 5;
    while (at < header.size() && is_space(header[at])) ++at;
    if (at < header.size() && header[at] == '(') {  // the return value
      at = header.find(')', at);
      if (at == header.npos) return;
      ++at;
      while (at < header.size() && is_space(header[at])) ++at;
    }
    std::size_t end = at;
    while (end < header.size() && is_name_part(header[end])) ++end;
    f.name = header.substr(at, end - at);
    f.header = header.substr(end);
    f.body = body;
    by_name_[f.name] = functions_.size();
    functions_.push_back(f);
  }

  // ".global .align 1 .b8 $str[6] = {…}": names that only number things are known by what they hold.
  void variable(std::string_view s) {
    std::size_t at = s.rfind(".global");
    if (at == s.npos) at = s.rfind(".const");
    if (at == s.npos) return;
    s = s.substr(at);
    std::size_t i = 0;
    while (i < s.size()) {
      while (i < s.size() && is_space(s[i])) ++i;
      std::size_t end = i;
      while (end < s.size() && !is_space(s[end]) && s[end] != '[' && s[end] != '=') ++end;
      std::string_view word = s.substr(i, end - i);
      std::int64_t number = 0;
      if (!word.empty() && word.front() != '.' && !text::parse_int(word, number)) {
        std::string what(s.substr(0, i));
        what += s.substr(end);
        variables_[word] = "data_" + hex(hash64(text::one_line(without_module_ids(what), what.size())));
        return;
      }
      if (end == i) return;
      i = end;
    }
  }

  // Names that are counted within a module do not tell what a kernel does.
  std::string normal_name(std::string_view name) const {
    if (name.starts_with("$L__BB")) {
      std::size_t second = name.find('_', 6);
      return second == name.npos ? std::string(name) : "$L__BB" + std::string(name.substr(second));
    }
    if (name.starts_with("__local_depot")) return "__local_depot";
    if (name.starts_with("__unnamed_") || name.starts_with("$str")) {
      auto known = variables_.find(name);
      if (known != variables_.end()) return known->second;
    }
    return name.find("_INTERNAL_") == name.npos ? std::string(name) : without_module_ids(name);
  }

  std::string normal(std::string_view s) const {
    std::string out;
    for (std::size_t i = 0; i < s.size();) {
      if (is_space(s[i])) {
        while (i < s.size() && is_space(s[i])) ++i;
        out += ' ';
      } else if (is_name_start(s[i])) {
        std::size_t end = i + 1;
        while (end < s.size() && is_name_part(s[end])) ++end;
        out += normal_name(s.substr(i, end - i));
        i = end;
      } else {
        out += s[i++];
      }
    }
    return out;
  }

  void statement(std::string_view s, Body& body, std::set<std::string_view>& seen) const {
    std::string_view op = opcode_of(s);
    body.normal += normal(s);
    body.normal += ';';
    if (op.empty() || op.front() == '.') return;
    ++body.instructions;
    seen.insert(op);
    if (op == "trap" || op == "brkpt") body.traps = true;
    if (op == "griddepcontrol.wait") body.wait = true;
    if (op == "griddepcontrol.launch_dependents") body.trigger = true;
    if (has_effect(op)) body.effects = true;
    if (op.starts_with("call")) call(s, op, body);
  }

  void call(std::string_view s, std::string_view op, Body& body) const {
    bool known = false;
    for (std::size_t i = op.data() - s.data() + op.size(); i < s.size();) {
      if (!is_name_start(s[i])) {
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < s.size() && is_name_part(s[end])) ++end;
      std::string_view name = s.substr(i, end - i);
      if (name == "__assertfail" || name == "vprintf") body.traps = known = true;
      if (auto f = by_name_.find(name); f != by_name_.end()) body.calls.push_back(f->first), known = true;
      i = end;
    }
    if (!known) body.effects = true;
  }

  const Body& body_of(const Function& f) {
    auto [at, fresh] = bodies_.try_emplace(f.name);
    if (!fresh) return at->second;
    Body body;
    std::set<std::string_view> seen;
    each_statement(f.body, [&](std::string_view s) { statement(s, body, seen); });
    for (std::string_view op : seen) body.mnemonics.emplace_back(op);
    return bodies_[f.name] = std::move(body);
  }

  KernelFacts facts(const Function& entry) {
    KernelFacts k;
    k.name = without_module_ids(entry.name);
    std::string header = normal(entry.header);
    std::uint64_t hash = hash64(header);
    k.cluster = cluster_of(header);
    std::set<std::string_view> reached{entry.name};
    std::vector<std::string_view> waiting{entry.name};
    while (!waiting.empty()) {
      const Function& f = functions_[by_name_[waiting.back()]];
      waiting.pop_back();
      const Body& body = body_of(f);
      hash = hash64(body.normal, hash);
      k.instructions += body.instructions;
      k.effects = k.effects || body.effects;
      k.traps = k.traps || body.traps;
      k.wait = k.wait || body.wait;
      k.trigger = k.trigger || body.trigger;
      add_features(body, k);
      for (std::string_view callee : body.calls) {
        if (reached.insert(callee).second) waiting.push_back(callee);
      }
    }
    k.text_hash = hash;
    std::ranges::sort(k.features);
    k.features.erase(std::ranges::unique(k.features).begin(), k.features.end());
    return k;
  }

  void add_features(const Body& body, KernelFacts& k) const {
    for (const FeatureWords& feature : features_) {
      if (std::ranges::any_of(body.mnemonics, [&](const std::string& m) { return has_instruction(feature, m); }))
        k.features.push_back(feature.name);
    }
  }

  static std::array<std::uint32_t, 3> cluster_of(std::string_view header) {
    std::array<std::uint32_t, 3> out{};
    std::size_t at = header.find(".reqnctapercluster");
    if (at == header.npos) return out;
    std::size_t dimension = 0;
    for (std::string_view part : text::split(header.substr(at + 18), ',')) {
      std::string_view digits = text::trim(part);
      std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
      std::int64_t n = 0;
      if (dimension >= 3 || !text::parse_int(digits.substr(0, end), n)) break;
      out[dimension++] = static_cast<std::uint32_t>(n);
      if (end < digits.size()) break;
    }
    for (; dimension > 0 && dimension < 3; ++dimension) out[dimension] = 1;
    return out;
  }

  std::string text_;
  const std::vector<FeatureWords>& features_;
  std::vector<Function> functions_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::unordered_map<std::string_view, std::string> variables_;
  std::unordered_map<std::string_view, Body> bodies_;
};

}  // namespace

PtxModule read_ptx(std::string_view text, const std::vector<FeatureWords>& features) {
  return Reader(text, features).read();
}

bool has_instruction(const FeatureWords& feature, std::string_view mnemonic) {
  return std::ranges::any_of(feature.instructions, [&](const std::string& p) { return cuda::fits_mnemonic(p, mnemonic); });
}

}  // namespace ungate::prove

#include "prove/ptx.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/hash.h"
#include "base/text.h"

namespace ungate::prove {
namespace {

bool is_name_start(char c) {
  return text::is_identifier_start(c) || c == '$' || c == '%';
}
bool is_name_part(char c) {
  return text::is_identifier_part(c) || c == '$' || c == '%';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Comments and lines that say where code comes from (which no ';' ends), replaced by blanks.
std::string without_comments(std::string_view s) {
  std::string out(s);
  bool fresh = true;  // nothing but blanks on this line
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (fresh && (s.substr(i).starts_with(".loc") || s.substr(i).starts_with(".file"))) {
      while (i < out.size() && out[i] != '\n') out[i++] = ' ';
    }
    if (i == out.size()) break;
    if (out[i] == '\n') fresh = true;
    else if (!is_space(out[i])) fresh = false;
    if (out[i] == '"') {
      for (++i; i < out.size() && out[i] != '"'; ++i) i += out[i] == '\\';
    } else if (out[i] == '/' && i + 1 < out.size() && out[i + 1] == '/') {
      while (i < out.size() && out[i] != '\n') out[i++] = ' ';
    } else if (out[i] == '/' && i + 1 < out.size() && out[i + 1] == '*') {
      while (i + 1 < out.size() && !(out[i] == '*' && out[i + 1] == '/')) out[i++] = ' ';
      out[i] = ' ';
      if (i + 1 < out.size()) out[i + 1] = ' ';
    }
  }
  return out;
}

// A function or entry: header (up to the brace) and body.
struct Function {
  std::string_view name, header, body;
  bool entry = false;
};

// What a statement begins with, without predicate and labels.
std::string_view opcode_of(std::string_view s) {
  for (;;) {
    std::size_t i = 0;
    while (i < s.size() && is_space(s[i])) ++i;
    s.remove_prefix(i);
    if (s.starts_with('@')) {
      while (!s.empty() && !is_space(s.front())) s.remove_prefix(1);
      continue;
    }
    std::size_t end = 0;
    while (end < s.size() && !is_space(s[end]) && s[end] != ';' && s[end] != ',') ++end;
    if (end > 0 && s[end - 1] == ':' && (end < 2 || s[end - 2] != ':')) {  // a label
      s.remove_prefix(end);
      continue;
    }
    return s.substr(0, end);
  }
}

// Statements of a body, braces of blocks left out.
template <class Each>
void each_statement(std::string_view body, Each&& each) {
  std::size_t begin = 0;
  bool blank = true;  // nothing of the statement was seen
  for (std::size_t i = 0; i < body.size(); ++i) {
    char c = body[i];
    if (is_space(c)) continue;
    if (blank && (c == '{' || c == '}')) {
      begin = i + 1;
      continue;
    }
    blank = false;
    if (c == ';') {
      each(body.substr(begin, i - begin));
      begin = i + 1;
      blank = true;
    }
  }
}

// Does an instruction leave something behind that another thread, or the host, could see?
bool has_effect(std::string_view op) {
  if (op.starts_with("st.")) return !op.starts_with("st.param") && !op.starts_with("st.local");
  if (op.starts_with("cp.")) return op.find("wait") == op.npos && op.find("commit") == op.npos;
  for (std::string_view prefix :
       {"atom.", "red.", "multimem.", "sust.", "sured.", "tcgen05.", "wgmma.mma", "stmatrix.", "mbarrier.",
        "clusterlaunchcontrol.", "tensormap.replace", "surf."}) {
    if (op.starts_with(prefix)) return true;
  }
  return false;
}

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
    if (op == "trap") body.traps = true;
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

// `pattern` fits a beginning of `s`; '*' stands for any characters.
bool fits(std::string_view pattern, std::string_view s) {
  std::size_t star = pattern.find('*');
  if (star == pattern.npos) return s.starts_with(pattern);
  if (!s.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1);
  for (std::size_t i = star; i <= s.size(); ++i) {
    if (fits(pattern, s.substr(i))) return true;
  }
  return false;
}

// The name in a line ".visible .entry NAME(".
std::string function_in(std::string_view line) {
  for (std::string_view word : {".entry ", ".func "}) {
    std::size_t at = line.find(word);
    if (at == line.npos) continue;
    std::string_view rest = line.substr(at + word.size());
    if (std::size_t close = rest.find(')'); rest.starts_with('(') && close != rest.npos) rest.remove_prefix(close + 1);
    rest = text::trim(rest);
    std::size_t end = 0;
    while (end < rest.size() && is_name_part(rest[end])) ++end;
    return std::string(rest.substr(0, end));
  }
  return {};
}

}  // namespace

PtxModule read_ptx(std::string_view text, const std::vector<FeatureWords>& features) {
  return Reader(text, features).read();
}

bool has_instruction(const FeatureWords& feature, std::string_view mnemonic) {
  return std::ranges::any_of(feature.instructions, [&](const std::string& p) { return fits(p, mnemonic); });
}

PtxPlace place_in_ptx(std::string_view text, std::size_t line) {
  PtxPlace out;
  std::map<std::string, std::string> files;
  std::string file, source_line;
  std::vector<std::string_view> lines = text::lines(text);
  // `.file` lines may stand at the end.
  for (std::string_view l : lines) {
    std::string_view s = text::trim(l);
    if (!s.starts_with(".file")) continue;
    std::size_t open = s.find('"'), close = s.rfind('"');
    if (open != s.npos && close > open)
      files[std::string(text::trim(s.substr(5, open - 5)))] = s.substr(open + 1, close - open - 1);
  }
  for (std::size_t i = 0; i < lines.size() && i < line; ++i) {
    std::string_view s = text::trim(lines[i]);
    if (std::string name = function_in(s); !name.empty()) out.function = name, file.clear();
    if (s.starts_with(".loc")) {
      auto words = text::split(text::one_line(s, 80), ' ');
      if (words.size() >= 3) file = words[1], source_line = words[2];
    }
    if (i + 1 == line) out.instruction = s;
  }
  if (auto known = files.find(file); known != files.end()) out.source = known->second + ':' + source_line;
  return out;
}

}  // namespace ungate::prove

#include "cuda/host_text.h"

#include "cuda/body.h"

namespace ungate::cuda {
namespace {

bool is_name(const Lexeme& l) { return l.is_identifier(); }

// A name, but for words after which a value begins: what can end a type.
bool is_type_word(const Lexeme& l) {
  for (std::string_view word : {"return", "else", "do", "case", "throw", "goto", "new", "delete"}) {
    if (l.is(word)) return false;
  }
  return is_name(l);
}

// `cudaDeviceProp* props`: what the type at i is followed by.
void note_properties(const Lexemes& l, std::size_t i, HostFunction& f) {
  std::size_t next = i + 1;
  while (next < l.size() && (l[next].is("*") || l[next].is("&") || l[next].is("const"))) ++next;
  if (next < l.size() && is_name(l[next])) f.properties.emplace_back(l[next].text);
}

class Writes {
 public:
  Writes(HostFunction& f, const HostVocabulary& v) : f_(f), l_(f.l), v_(v) {}

  void run() {
    for (std::size_t i = 0; i < l_.size(); ++i) {
      if (l_[i].is("=")) assignment(i);
      if (l_[i].is(":") && f_.function != kNone && i < f_.body) constructor(i);
      if (!is_name(l_[i])) continue;
      if (is_one_of(v_.property_types, l_[i].text)) properties(i);
      if (i + 1 >= l_.size()) continue;
      if (l_[i + 1].is("(")) filled(i);
      if (l_[i + 1].is("{") || l_[i + 1].is("(")) initialised(i);
    }
  }

 private:
  using Target = HostWrite::Target;

  void add(std::size_t at, std::size_t begin, std::size_t end, Target target, int item = -1) {
    HostWrite w;
    w.at = static_cast<std::uint32_t>(at);
    w.begin = static_cast<std::uint32_t>(begin);
    w.end = static_cast<std::uint32_t>(end);
    w.item = item;
    w.target = target;
    w.object = at >= 2 && (l_[at - 1].is(".") || l_[at - 1].is("->")) && !l_[at - 2].is("this");
    f_.writes[Symbol(l_[at].text)].push_back(w);
  }

  // The end of the value that begins at i.
  std::size_t value_end(std::size_t i) const {
    while (i < l_.size() && !l_[i].is(";") && !l_[i].is(",") && !l_[i].is(")") && !l_[i].is("}")) {
      bool opens = l_[i].is("(") || l_[i].is("[") || l_[i].is("{");
      std::size_t list = l_[i].is("<") ? after_angles(l_, i, l_.size()) : i;
      i = opens ? after_brackets(l_, i, l_.size()) : list != i ? list : i + 1;
    }
    return i;
  }

  void assignment(std::size_t eq) {
    if (eq == 0) return;
    std::size_t end = value_end(eq + 1);
    if (l_[eq - 1].is("]") || l_[eq - 1].is(")")) return bindings(eq, end);
    if (!is_name(l_[eq - 1])) return;
    bool typed = eq >= 2 && (is_type_word(l_[eq - 2]) || l_[eq - 2].is(">") ||
                             l_[eq - 2].is("*") || l_[eq - 2].is("&"));
    bool listed = eq >= 2 && l_[eq - 2].is(",");  // int a = 1, b = 2
    add(eq - 1, eq + 1, end, typed || listed ? Target::local : Target::assigned);
  }

  // auto [a, b] = …, std::tie(a, b) = …
  void bindings(std::size_t eq, std::size_t end) {
    std::size_t open = eq - 1;
    int depth = 0;
    for (; open > 0; --open) {
      if (l_[open].is("]") || l_[open].is(")")) ++depth;
      if ((l_[open].is("[") || l_[open].is("(")) && --depth == 0) break;
    }
    if (open == 0) return;
    bool binds = l_[open].is("[") ? l_[open - 1].is("auto") || l_[open - 1].is("&")
                                  : l_[open - 1].is("tie");
    if (!binds) return;
    int item = 0;
    for (auto [b, e] : split_arguments(l_, open + 1, eq - 1)) {
      if (e == b + 1 && is_name(l_[b])) add(b, eq + 1, end, Target::local, item);
      ++item;
    }
  }

  // Foo(…) : a_(x), b_{y} { … }
  void constructor(std::size_t colon) {
    for (std::size_t i = colon + 1; i + 1 < f_.body && is_name(l_[i]);) {
      if (!l_[i + 1].is("(") && !l_[i + 1].is("{")) return;
      std::size_t close = after_brackets(l_, i + 1, l_.size());
      add(i, i + 2, close - 1, Target::assigned);
      if (close >= l_.size() || !l_[close].is(",")) return;
      i = close + 1;
    }
  }

  // int x{…}; int x(…);
  void initialised(std::size_t i) {
    if (i == 0 || i < f_.body) return;
    bool typed = is_type_word(l_[i - 1]) || l_[i - 1].is(">");
    std::size_t close = after_brackets(l_, i + 1, l_.size());
    bool ends = close < l_.size() && (l_[close].is(";") || l_[close].is(","));
    if (typed && ends && close > i + 3) add(i, i + 2, close - 1, Target::local);
  }

  void properties(std::size_t i) { note_properties(l_, i, f_); }

  void fill(std::size_t begin, std::size_t end, HostFact fact) {
    if (begin >= end || !l_[begin].is("&") || !is_name(l_[end - 1])) return;
    HostWrite w;
    w.at = static_cast<std::uint32_t>(end - 1);
    w.fact = fact;
    w.target = end == begin + 2 ? Target::local : Target::assigned;
    f_.writes[Symbol(l_[end - 1].text)].push_back(w);
  }

  void filled(std::size_t i) {
    bool attribute = is_one_of(v_.attribute_calls, l_[i].text);
    bool known = attribute;
    for (const auto& f : v_.fills) known = known || l_[i].is(f.call);
    if (!known) return;
    std::size_t close = after_brackets(l_, i + 1, l_.size());
    auto args = split_arguments(l_, i + 2, close - 1);
    if (attribute && args.size() >= 2) {
      std::string_view name = last_name(l_, args[1].first, args[1].second);
      for (const auto& a : v_.attributes) {
        if (a.name == name) fill(args[0].first, args[0].second, a.fact);
      }
    }
    for (const auto& f : v_.fills) {
      auto index = static_cast<std::size_t>(f.index);
      if (l_[i].is(f.call) && index < args.size())
        fill(args[index].first, args[index].second, f.fact);
    }
  }

  HostFunction& f_;
  const Lexemes& l_;
  const HostVocabulary& v_;
};

}  // namespace

bool has_piece(const std::vector<std::string>& pieces, std::string_view name) {
  return std::ranges::any_of(
      pieces, [&](const std::string& p) { return name.find(p) != std::string_view::npos; });
}

bool is_one_of(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view last_name(const Lexemes& l, std::size_t begin, std::size_t end) {
  return end > begin && l[end - 1].is_identifier() ? l[end - 1].text : std::string_view();
}

std::size_t lambda_body(const Lexemes& l, std::size_t i, std::size_t end) {
  if (!l[i].is("[")) return 0;
  if (i > 0 && (l[i - 1].is(")") || l[i - 1].is("]") ||
                (l[i - 1].is_identifier() && !is_keyword(l[i - 1].text)))) {
    return 0;
  }
  std::size_t at = after_brackets(l, i, end);
  if (at < end && l[at].is("(")) at = after_brackets(l, at, end);
  while (at < end && !l[at].is("{")) {
    bool part = l[at].is_identifier() || l[at].is("->") || l[at].is("::") || l[at].is("*") ||
                l[at].is("&");
    std::size_t list = l[at].is("<") ? after_angles(l, at, end) : at;
    if (!part && list == at) return 0;
    at = list != at ? list : at + 1;
  }
  return at < end ? at : 0;
}

std::size_t after_statement(const Lexemes& l, std::size_t i, std::size_t end) {
  while (i < end && l[i].kind == Lexeme::Kind::marker) ++i;
  if (i >= end) return end;
  if (l[i].is("{")) return after_brackets(l, i, end);
  bool header = l[i].is("for") || l[i].is("while") || l[i].is("switch") || l[i].is("catch");
  if (l[i].is("if") || header) {
    bool test = l[i].is("if");
    std::size_t open = i + 1;
    while (open < end && !l[open].is("(") && !l[open].is(";")) ++open;
    if (open >= end || !l[open].is("(")) return std::min(open + 1, end);
    std::size_t after = after_statement(l, after_brackets(l, open, end), end);
    while (after < end && l[after].kind == Lexeme::Kind::marker) ++after;
    if (test && after < end && l[after].is("else")) return after_statement(l, after + 1, end);
    return after;
  }
  if (l[i].is("do") || l[i].is("try") || l[i].is("else")) return after_statement(l, i + 1, end);
  while (i < end && !l[i].is(";") && !l[i].is("}")) {
    i = l[i].is("(") || l[i].is("[") || l[i].is("{") ? after_brackets(l, i, end) : i + 1;
  }
  return std::min(i + 1, end);
}

std::vector<HostFunction> host_functions(std::string_view text, const Directives& directives,
                                         const Structure& structure,
                                         const HostVocabulary& vocabulary) {
  Lexemes all = lex_code(text, directives);
  std::vector<HostFunction> out(structure.functions.size() + 1);
  for (std::uint32_t f = 0; f < structure.functions.size(); ++f) out[f].function = f;
  std::size_t f = 0;
  // Functions are in the order of their text and do not nest.
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Lexeme& l = all[i];
    while (f < structure.functions.size() && l.begin >= structure.functions[f].body.end) ++f;
    bool inside = f < structure.functions.size() && l.begin >= structure.functions[f].declaration.end;
    HostFunction& owner = inside ? out[f] : out.back();
    if (inside && l.begin == structure.functions[f].body.begin)
      owner.body = static_cast<std::uint32_t>(owner.l.size());
    owner.l.push_back(l);
    bool head = !inside && f < structure.functions.size() && l.begin >= structure.functions[f].declaration.begin;
    if (head && is_one_of(vocabulary.property_types, l.text)) note_properties(all, i, out[f]);
  }
  std::erase_if(out, [&](const HostFunction& h) {
    if (h.function == kNone) return false;
    const Function& fn = structure.functions[h.function];
    return fn.is_kernel || fn.is_device || h.l.empty();
  });
  for (HostFunction& h : out) {
    h.blocks = std::make_unique<Blocks>(h.l);
    Writes(h, vocabulary).run();
  }
  return out;
}

}  // namespace ungate::cuda

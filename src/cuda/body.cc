#include "cuda/body.h"

#include <algorithm>
#include <array>

#include "cuda/predefined.h"

namespace ungate::cuda {
namespace {

constexpr std::string_view kKeywords[] = {"if",
                                          "for",
                                          "while",
                                          "switch",
                                          "return",
                                          "sizeof",
                                          "catch",
                                          "alignof",
                                          "decltype",
                                          "noexcept",
                                          "constexpr",
                                          "static_assert",
                                          "alignas",
                                          "typeid",
                                          "else",
                                          "do",
                                          "case",
                                          "throw",
                                          "co_return",
                                          "new",
                                          "delete",
                                          "and",
                                          "or",
                                          "not",
                                          "asm",
                                          "__asm__",
                                          "__asm",
                                          "defined",
                                          "operator",
                                          "requires",
                                          "volatile",
                                          "__volatile__",
                                          "goto",
                                          "auto",
                                          "const",
                                          "typename",
                                          "template",
                                          "explicit",
                                          "using",
                                          "static_cast",
                                          "reinterpret_cast",
                                          "const_cast",
                                          "dynamic_cast",
                                          "__attribute__",
                                          "__launch_bounds__",
                                          "__cluster_dims__",
                                          "__align__"};

// Words after which a name followed by '(' is still a call.
constexpr std::string_view kBeforeCall[] = {"return",    "else", "do", "case", "throw",
                                            "co_return", "and",  "or", "not"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

class Reader {
 public:
  Reader(const Lexemes& l, const std::vector<std::uint32_t>& owner, const Vocabulary& v,
         Structure& out)
      : l_(l), owner_(owner), vocabulary_(v), out_(out) {}

  void run() {
    for (std::size_t i = 0; i < l_.size(); ++i) {
      const Lexeme& l = l_[i];
      if (!l.is_identifier()) continue;
      if (depends_on_target(l.text)) target_macro(i);
      if (l.text == "__shared__") read_shared(l_, i, owner_[i], out_);
      if (l.text == "asm" || l.text == "__asm__" || l.text == "__asm") {
        assembly(i);
      } else if (l.text == "if" && next_is(i + 1, "constexpr")) {
        constexpr_if(i);
      } else {
        read_export(l_, i, vocabulary_, out_);
        call(i);
      }
    }
  }

 private:
  bool next_is(std::size_t i, std::string_view s) const { return i < l_.size() && l_[i].is(s); }

  // The '(' of a call whose name is at `i`, or the end.
  std::size_t call_bracket(std::size_t i) const {
    if (next_is(i + 1, "(")) return i + 1;
    if (!next_is(i + 1, "<")) return l_.size();
    std::size_t after = after_angles(l_, i + 1, l_.size());
    return after != i + 1 && next_is(after, "(") ? after : l_.size();
  }

  void call(std::size_t i) {
    if (owner_[i] == kNone || is_keyword(l_[i].text)) return;
    if (call_bracket(i) == l_.size()) return;
    const Lexeme* before = i > 0 ? &l_[i - 1] : nullptr;
    bool declares =
        before != nullptr && before->is_identifier() && !contains(kBeforeCall, before->text);
    if (before != nullptr && before->is(">")) declares = angles_before(l_, 0, i) != i;
    if (declares) return;
    bool member = before != nullptr && (before->is(".") || before->is("->"));
    out_.calls.push_back({Symbol(l_[i].text), owner_[i], l_[i].range(), member});
  }

  void assembly(std::size_t i) {
    std::size_t open = i + 1;
    while (open < l_.size() && l_[open].is_identifier()) ++open;
    if (!next_is(open, "(")) return;
    std::size_t end = after_brackets(l_, open, l_.size());
    std::string text;
    for (std::size_t k = open + 1; k + 1 < end; ++k) {
      if (l_[k].is(":") || l_[k].is("::")) break;
      if (l_[k].kind == Lexeme::Kind::string) append_string(l_[k].text, text);
    }
    out_.assembly.push_back({{l_[i].begin, l_[end - 1].end}, owner_[i], mnemonics(text)});
  }

  void constexpr_if(std::size_t i) {
    if (owner_[i] == kNone || !next_is(i + 2, "(")) return;
    std::size_t close = after_brackets(l_, i + 2, l_.size());
    if (close == l_.size()) return;
    ConstexprIf c;
    c.function = owner_[i];
    c.condition = {l_[i + 2].end, l_[close - 1].begin};
    std::size_t end = after_statement(close);
    c.then = {l_[close].begin, l_[end - 1].end};
    if (next_is(end, "else") && end + 1 < l_.size()) {
      std::size_t other = after_statement(end + 1);
      c.otherwise = {l_[end + 1].begin, l_[other - 1].end};
    }
    out_.constexpr_ifs.push_back(c);
  }

  // A block, or what goes on to the next ';'.
  std::size_t after_statement(std::size_t i) const {
    if (i < l_.size() && l_[i].is("{")) return after_brackets(l_, i, l_.size());
    while (i < l_.size() && !l_[i].is(";") && !l_[i].is("}")) {
      i = l_[i].is("(") || l_[i].is("{") ? after_brackets(l_, i, l_.size()) : i + 1;
      if (i > 0 && l_[i - 1].is("}")) return i;
    }
    return std::min(i + 1, l_.size());
  }

  void target_macro(std::size_t i) {
    static constexpr std::string_view kBounds[] = {";",      ",",  "{",  "}", "=",
                                                   "return", "&&", "||", "?", ":"};
    std::size_t from = i, to = i + 1;
    for (int depth = 0; from > 0; --from) {
      const Lexeme& l = l_[from - 1];
      if (contains(kBounds, l.text) || l.kind == Lexeme::Kind::marker) break;
      if (l.is(")")) ++depth;
      if (l.is("(") && --depth < 0) break;
    }
    for (int depth = 0; to < l_.size(); ++to) {
      if (contains(kBounds, l_[to].text) || l_[to].kind == Lexeme::Kind::marker) break;
      if (l_[to].is("(")) ++depth;
      if (l_[to].is(")") && --depth < 0) break;
    }
    out_.target_macros.push_back(
        {Symbol(l_[i].text), owner_[i], l_[i].range(), {l_[from].begin, l_[to - 1].end}});
  }

  const Lexemes& l_;
  const std::vector<std::uint32_t>& owner_;
  const Vocabulary& vocabulary_;
  Structure& out_;
};

}  // namespace

bool is_keyword(std::string_view word) { return contains(kKeywords, word); }

void read_code(const Lexemes& lexemes, const std::vector<std::uint32_t>& owner,
               const Vocabulary& vocabulary, Structure& out) {
  Reader(lexemes, owner, vocabulary, out).run();
}

std::string_view named_function(const Lexemes& l, std::size_t begin, std::size_t end) {
  // Casts and brackets around the name.
  for (bool again = true; again && begin < end;) {
    again = false;
    if (l[begin].is("&") || l[begin].is("*")) {
      ++begin;
      again = true;
    } else if (l[begin].is("(")) {
      std::size_t close = after_brackets(l, begin, end);
      if (close == end) {  // (name)
        ++begin;
        --end;
      } else {  // (type)name
        begin = close;
      }
      again = true;
    } else if (l[begin].text.ends_with("_cast") && begin + 1 < end && l[begin + 1].is("<")) {
      std::size_t open = after_angles(l, begin + 1, end);
      if (open == begin + 1 || open >= end || !l[open].is("(")) return {};
      end = after_brackets(l, open, end) - 1;
      begin = open + 1;
      again = true;
    }
  }
  // a::b<T>::c<U>
  std::string_view name;
  while (begin < end) {
    if (l[begin].is("::") || l[begin].is("template")) {
      ++begin;
      continue;
    }
    if (!l[begin].is_identifier() || l[begin].kind != Lexeme::Kind::identifier) return {};
    name = l[begin++].text;
    if (begin < end && l[begin].is("<")) {
      std::size_t after = after_angles(l, begin, end);
      if (after == begin) return {};
      begin = after;
    }
    if (begin < end && !l[begin].is("::")) return {};
  }
  return is_keyword(name) || name == "nullptr" || name == "true" || name == "false"
             ? std::string_view()
             : name;
}

}  // namespace ungate::cuda

#include "cuda/declaration.h"

#include <algorithm>

namespace ungate::cuda {
namespace {

using Kind = Declaration::Kind;

// Words before a parenthesis that is no parameter list.
constexpr std::string_view kNotAName[] = {"__launch_bounds__", "__cluster_dims__",
                                          "__maxnreg__",       "__block_size__",
                                          "__attribute__",     "__declspec",
                                          "alignas",           "__align__",
                                          "noexcept",          "decltype",
                                          "requires",          "throw",
                                          "explicit",          "asm",
                                          "static_assert",     "sizeof",
                                          "alignof",           "__nv_pure__"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::ranges::any_of(list, [&](const auto& x) { return std::string_view(x) == word; });
}

class Classifier {
 public:
  Classifier(const Lexemes& lexemes, const LexemeList& tokens, const Vocabulary& vocabulary)
      : vocabulary_(vocabulary) {
    tokens_.reserve(tokens.size());
    for (std::size_t i : tokens) tokens_.push_back(lexemes[i]);
  }

  Declaration run() {
    Declaration d;
    std::size_t n = tokens_.size();
    if (n == 0) return d;
    skip_template_headers();
    std::size_t space = find("namespace", start_);
    if (space < n) {
      d.name = spell(tokens_, space + 1, n);
      return d;
    }
    if (n == start_ + 2 && tokens_[start_].is("extern")) return d;
    find_groups();
    if (find("enum", start_) < n) return kind(Kind::other);
    if (std::size_t key = type_key(); key < n && (groups_.empty() || groups_.back().open < key)) {
      d.kind = Kind::type;
      d.name = type_name(key);
      return d;
    }
    if (assigns_) return kind(Kind::other);
    if (groups_.empty()) return n > 1 && !only_words() ? kind(Kind::other) : d;
    if (in_initializers_ && (tokens_.back().is_identifier() || tokens_.back().is(">"))) {
      return kind(Kind::member_init);
    }
    return function();
  }

 private:
  // A parenthesised list that could be parameters.
  struct Group {
    std::size_t name_begin, name_end;  // the declarator's last name
    std::size_t open, close;           // its brackets
  };

  static Declaration kind(Kind k) {
    Declaration d;
    d.kind = k;
    return d;
  }

  std::size_t find(std::string_view word, std::size_t from) const {
    int depth = 0;
    for (std::size_t i = from; i < tokens_.size(); ++i) {
      if (tokens_[i].is("(")) ++depth;
      if (tokens_[i].is(")")) --depth;
      if (depth == 0 && tokens_[i].is(word)) return i;
    }
    return tokens_.size();
  }

  bool only_words() const {
    return std::ranges::all_of(tokens_, [](const Lexeme& l) {
      return l.is_identifier() || l.kind == Lexeme::Kind::string || l.is(";");
    });
  }

  void skip_template_headers() {
    while (start_ + 1 < tokens_.size() && tokens_[start_].is("template") &&
           tokens_[start_ + 1].is("<")) {
      is_template_ = true;
      std::size_t after = after_angles(tokens_, start_ + 1, tokens_.size());
      if (after == start_ + 1)
        break;  // not understood; the list is taken as part of the declaration
      start_ = after;
    }
  }

  std::size_t type_key() const {
    for (std::string_view key : {"class", "struct", "union"}) {
      if (std::size_t i = find(key, start_); i < tokens_.size()) return i;
    }
    return tokens_.size();
  }

  // The last name before the base clause, template arguments left out.
  std::string type_name(std::size_t key) const {
    std::size_t name = key;
    for (std::size_t i = key + 1; i < tokens_.size(); ++i) {
      const Lexeme& t = tokens_[i];
      if (t.is(":") || t.is("<") || t.is("final")) break;
      if (t.is("(")) {
        i = after_brackets(tokens_, i, tokens_.size()) - 1;
      } else if (t.is_identifier()) {
        name = i;
      }
    }
    return name == key ? std::string() : std::string(tokens_[name].text);
  }

  void find_groups() {
    for (std::size_t i = start_; i < tokens_.size();) {
      const Lexeme& t = tokens_[i];
      if (t.is("(")) {
        std::size_t close = after_brackets(tokens_, i, tokens_.size());
        if (!ended_) group(i, close - 1);
        i = close;
        continue;
      }
      if (t.is(":") && !groups_.empty()) {
        ended_ = true;
        in_initializers_ = true;
      }
      if (t.is("->") && !groups_.empty()) ended_ = true;
      if (t.is("=") && !(i > start_ && tokens_[i - 1].is("operator"))) assigns_ = true;
      if (t.is("<") && i > start_ && tokens_[i - 1].is_identifier()) {
        i = std::max(after_angles(tokens_, i, tokens_.size()), i + 1);
        continue;
      }
      ++i;
    }
  }

  void group(std::size_t open, std::size_t close) {
    std::size_t end = open;
    if (end == start_) return;
    std::size_t begin = operator_name(end);
    if (begin == end) {
      std::size_t name_end = tokens_[end - 1].is(">") ? angles_before(tokens_, start_, end) : end;
      if (name_end == start_ || !tokens_[name_end - 1].is_identifier()) return;
      if (contains(kNotAName, tokens_[name_end - 1].text)) return;
      begin = name_end - 1;
      end = name_end;
      if (begin > start_ && tokens_[begin - 1].is("~")) --begin;
    }
    groups_.push_back({begin, end, open, close});
  }

  // Where `operator …` begins that ends at `end`; `end` if there is none.
  std::size_t operator_name(std::size_t end) const {
    for (std::size_t i = end; i > start_ && end - i < 4; --i) {
      if (tokens_[i - 1].is("operator")) return i - 1;
    }
    return end;
  }

  // "A::B<T>::" before the name, as written.
  std::size_t qualifier(std::size_t name) const {
    std::size_t at = name;
    while (at >= start_ + 2 && tokens_[at - 1].is("::")) {
      std::size_t before = at - 1;
      if (tokens_[before - 1].is(">")) before = angles_before(tokens_, start_, before);
      if (before == start_ || !tokens_[before - 1].is_identifier()) break;
      at = before - 1;
    }
    return at;
  }

  source::Range arguments_of(std::string_view word) const {
    for (std::size_t i = start_; i + 1 < tokens_.size(); ++i) {
      if (!tokens_[i].is(word) || !tokens_[i + 1].is("(")) continue;
      std::size_t close = after_brackets(tokens_, i + 1, tokens_.size()) - 1;
      return {tokens_[i + 1].end, tokens_[close].begin};
    }
    return {};
  }

  bool has_word(const std::vector<std::string>& words, std::size_t end) const {
    for (std::size_t i = start_; i < end; ++i) {
      if (tokens_[i].is_identifier() && contains(words, tokens_[i].text)) return true;
    }
    return false;
  }

  Declaration function() {
    // MACRO(x) void f(int a) {: the last list is the function's.
    const Group& g = groups_.back();
    Declaration d;
    d.kind = Kind::function;
    std::size_t begin = qualifier(g.name_begin);
    d.name = spell(tokens_, begin, g.name_end);
    Function& f = d.function;
    f.name = Symbol(spell(tokens_, g.name_begin, g.name_end));
    f.is_template = is_template_;
    f.is_kernel = has_word(vocabulary_.kernel_words, g.open);
    f.is_device = has_word(vocabulary_.device_words, g.open);
    f.declaration = {tokens_.front().begin, tokens_[g.close].end};
    f.name_range = {tokens_[g.name_begin].begin, tokens_[g.name_end - 1].end};
    f.parameters = {tokens_[g.open].end, tokens_[g.close].begin};
    f.launch_bounds = arguments_of("__launch_bounds__");
    f.cluster_dims = arguments_of("__cluster_dims__");
    for (auto [from, to] : split_arguments(tokens_, g.open + 1, g.close)) {
      f.parameter_names.push_back(parameter_name(from, to));
    }
    return d;
  }

  // The last word before a default value or array bounds; not the only word, which is a type.
  Symbol parameter_name(std::size_t from, std::size_t to) const {
    std::size_t end = from;
    while (end < to && !tokens_[end].is("=") && !tokens_[end].is("[")) ++end;
    if (end < from + 2 || !tokens_[end - 1].is_identifier()) return {};
    return Symbol(tokens_[end - 1].text);
  }

  const Vocabulary& vocabulary_;
  Lexemes tokens_;
  std::size_t start_ = 0;  // after template headers
  bool is_template_ = false;
  bool assigns_ = false;
  bool ended_ = false;  // past the parameter list
  bool in_initializers_ = false;
  std::vector<Group> groups_;
};

}  // namespace

Declaration classify(const Lexemes& lexemes, const LexemeList& tokens,
                     const Vocabulary& vocabulary) {
  return Classifier(lexemes, tokens, vocabulary).run();
}

}  // namespace ungate::cuda

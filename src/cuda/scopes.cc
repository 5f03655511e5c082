#include "cuda/scopes.h"

#include <algorithm>

#include "base/text.h"

namespace ungate::cuda {
namespace {

struct Scope {
  enum class Kind : std::uint8_t { transparent, type, function, other } kind;
  std::string name;
  std::uint32_t function = kNone;
};

// Everything that the arms of a conditional can leave in different states.
struct State {
  std::vector<Scope> scopes;
  LexemeList declaration;          // lexemes since the last one ended
  int parentheses = 0;             // open ones in it
  std::uint32_t function = kNone;  // the one whose body we are in …
  int braces = 0;                  // … and how deep
};

class Finder {
 public:
  Finder(std::string_view text, const Lexemes& lexemes, const Directives& directives,
         const Vocabulary& vocabulary)
      : text_(text), lexemes_(lexemes), directives_(directives), vocabulary_(vocabulary) {}

  ScopedFunctions take() {
    for (at_ = 0; at_ < lexemes_.size(); ++at_) {
      const Lexeme& l = lexemes_[at_];
      if (l.kind == Lexeme::Kind::marker) {
        marker(directives_.list[l.index]);
      } else if (now_.function != kNone) {
        in_function(l);
      } else {
        outside(l);
      }
    }
    if (now_.function != kNone) close_function(lexemes_.size());
    for (std::size_t i = 0; i < out_.functions.size(); ++i) {
      if (out_.functions[i].body.end == 0) finish(static_cast<std::uint32_t>(i), lexemes_.size());
    }
    return std::move(out_);
  }

 private:
  struct Chain {
    State before;  // at the #if
    State first;   // at the end of the first arm
    bool has_first = false;
    bool skip_first = false;  // #if 0
  };

  void marker(const Directive& d) {
    if (opens_chain(d.kind)) {
      std::string_view condition = text_.substr(d.operand.begin, d.operand.size());
      chains_.push_back({now_, {}, false, condition == "0" || condition == "false"});
      return;
    }
    if (chains_.empty()) return;
    Chain& chain = chains_.back();
    end_arm(chain);
    if (d.kind != DirectiveKind::endif) {
      now_ = chain.before;
      return;
    }
    if (chain.has_first) now_ = std::move(chain.first);
    chains_.pop_back();
  }

  // Keeps the state of the first arm; a function that a later arm left open ends where the one at
  // the same place of the first arm does.
  void end_arm(Chain& chain) {
    if (chain.skip_first) {
      chain.skip_first = false;
      return;
    }
    if (!chain.has_first) {
      chain.first = now_;
      chain.has_first = true;
      return;
    }
    bool opened = now_.function != kNone && now_.function != chain.before.function;
    if (!opened) return;
    if (chain.first.function != kNone && chain.first.function != chain.before.function) {
      twins_.emplace_back(chain.first.function, now_.function);
    } else {
      finish(now_.function, at_);
    }
  }

  void in_function(const Lexeme& l) {
    if (l.is("{")) ++now_.braces;
    if (l.is("}") && --now_.braces == 0) return close_function(at_ + 1);
    if (only_outside(l)) {
      out_.recovered.push_back(l.range());
      close_function(at_);
      now_.declaration = {at_};
    }
  }

  // Things that no function body, initializer or argument list can hold.
  bool only_outside(const Lexeme& l) const {
    if (!l.is_identifier()) return false;
    if (l.text == "__global__") return true;
    bool first_column = l.begin == 0 || text_[l.begin - 1] == '\n';
    if (!first_column || (l.text != "template" && l.text != "namespace")) return false;
    const Lexeme* before = at_ > 0 ? &lexemes_[at_ - 1] : nullptr;
    return before == nullptr || !(before->is("::") || before->is(".") || before->is("->"));
  }

  void outside(const Lexeme& l) {
    if ((now_.parentheses > 0 || inside_other()) && only_outside(l)) {
      out_.recovered.push_back(l.range());
      while (inside_other()) now_.scopes.pop_back();
      end_declaration();
    }
    if (l.is("{")) return open_brace();
    if (l.is("}")) return close_brace();
    if (l.is("(") || l.is("[")) ++now_.parentheses;
    if ((l.is(")") || l.is("]")) && now_.parentheses > 0) --now_.parentheses;
    if (l.is(";") && now_.parentheses == 0) return end_declaration();
    if (l.is(":") && now_.declaration.size() == 1 &&
        is_access(lexemes_[now_.declaration[0]].text)) {
      return end_declaration();
    }
    now_.declaration.push_back(at_);
  }

  static bool is_access(std::string_view word) {
    return word == "public" || word == "private" || word == "protected";
  }

  void end_declaration() {
    now_.declaration.clear();
    now_.parentheses = 0;
  }

  bool inside_other() const {
    return !now_.scopes.empty() && now_.scopes.back().kind == Scope::Kind::other;
  }

  void open_brace() {
    if (now_.parentheses > 0 || inside_other()) return push(Scope::Kind::other, {});
    Declaration d = classify(lexemes_, now_.declaration, vocabulary_);
    switch (d.kind) {
      case Declaration::Kind::transparent: push(Scope::Kind::transparent, std::move(d.name)); break;
      case Declaration::Kind::type: push(Scope::Kind::type, std::move(d.name)); break;
      case Declaration::Kind::function: return open_function(std::move(d));
      case Declaration::Kind::member_init:
      case Declaration::Kind::other: return push(Scope::Kind::other, {});
    }
    end_declaration();
  }

  void push(Scope::Kind kind, std::string name) {
    now_.scopes.push_back({kind, std::move(name), kNone});
  }

  void open_function(Declaration d) {
    std::string qualified;
    for (const Scope& scope : now_.scopes) {
      if (!scope.name.empty()) qualified += scope.name + "::";
    }
    d.function.qualified = Symbol(qualified + d.name);
    d.function.body.begin = lexemes_[at_].begin;
    now_.function = static_cast<std::uint32_t>(out_.functions.size());
    now_.braces = 1;
    out_.functions.push_back(std::move(d.function));
    out_.body_lexemes.emplace_back(at_, at_);
    end_declaration();
  }

  // The function ends before the lexeme `end`.
  void finish(std::uint32_t function, std::size_t end) {
    out_.body_lexemes[function].second = end;
    std::size_t last = end > out_.body_lexemes[function].first ? end - 1 : end;
    out_.functions[function].body.end =
        last < lexemes_.size() ? lexemes_[last].end : static_cast<std::uint32_t>(text_.size());
  }

  void close_function(std::size_t end) {
    std::uint32_t f = now_.function;
    finish(f, end);
    for (const auto& [first, twin] : twins_) {
      if (first == f) finish(twin, end);
    }
    now_.function = kNone;
    now_.braces = 0;
    end_declaration();
  }

  void close_brace() {
    if (now_.scopes.empty()) {
      out_.recovered.push_back(lexemes_[at_].range());
      return end_declaration();
    }
    Scope::Kind kind = now_.scopes.back().kind;
    now_.scopes.pop_back();
    if (kind == Scope::Kind::other) {
      now_.declaration.push_back(at_);  // an initializer: the declaration goes on
    } else {
      end_declaration();
    }
  }

  std::string_view text_;
  const Lexemes& lexemes_;
  const Directives& directives_;
  const Vocabulary& vocabulary_;
  std::size_t at_ = 0;
  State now_;
  std::vector<Chain> chains_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> twins_;
  ScopedFunctions out_;
};

}  // namespace

ScopedFunctions find_functions(std::string_view text, const Lexemes& lexemes,
                               const Directives& directives, const Vocabulary& vocabulary) {
  return Finder(text, lexemes, directives, vocabulary).take();
}

}  // namespace ungate::cuda

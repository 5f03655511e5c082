#include "cuda/code_condition.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "base/text.h"
#include "cuda/evaluate.h"
#include "cuda/lexeme.h"

namespace ungate::cuda {
namespace {

using value::Free;

// Turns a C++ condition into one of the preprocessor: traits are spelled out, everything else that
// is not a number or an operator becomes a macro of its own that nobody defines.
class Translator {
 public:
  Translator(std::string_view condition, const std::vector<ArchTrait>& traits, Pass pass)
      : l_(lex_range(condition, {0, static_cast<std::uint32_t>(condition.size())})),
        traits_(traits),
        pass_(pass) {}

  std::string run() {
    for (std::size_t i = 0; i < l_.size();) {
      bool name = l_[i].is_identifier() || l_[i].is("::");
      if (name && !is_operator(l_[i].text)) {
        i = entity(i);
      } else {
        out_ += l_[i++].text;
      }
      out_ += ' ';
    }
    return out_;
  }

  // The free values behind the made-up macros.
  const std::map<Symbol, Free>& free() const { return free_; }

 private:
  static bool is_operator(std::string_view word) {
    for (std::string_view o :
         {"and", "or", "not", "true", "false", "bitand", "bitor", "xor", "compl", "not_eq"}) {
      if (word == o) return true;
    }
    return false;
  }

  // a::b<T>::c(…): gives what follows it.
  std::size_t entity(std::size_t begin) {
    std::size_t i = begin, last = begin, list = l_.size();
    bool called = false;
    while (i < l_.size()) {
      if (l_[i].is_identifier()) {
        if (!l_[i].is("value")) last = i;
        ++i;
      } else if (l_[i].is("<") && i > begin && after_angles(l_, i, l_.size()) != i &&
                 l_[i - 1].is_identifier()) {
        list = i;
        i = after_angles(l_, i, l_.size());
      } else if (l_[i].is("(") || l_[i].is("[")) {
        called = true;
        i = after_brackets(l_, i, l_.size());
      } else if (l_[i].is("{")) {  // is_major<10>{}
        i = after_brackets(l_, i, l_.size());
      } else if (l_[i].is("::") || l_[i].is(".") || l_[i].is("->")) {
        ++i;
        continue;
      } else {
        break;
      }
      if (i >= l_.size() || !(l_[i].is("::") || l_[i].is(".") || l_[i].is("->") || l_[i].is("(") ||
                              l_[i].is("[") || l_[i].is("{") || (l_[i].is("<") && list != i))) {
        break;
      }
    }
    i = std::max(i, begin + 1);
    translate(begin, std::min(i, l_.size()), last, list, called);
    return i;
  }

  void translate(std::size_t begin, std::size_t end, std::size_t last, std::size_t list,
                 bool called) {
    std::string_view name = l_[last].text;
    if (end == begin + 1 && depends_on_target(name)) {
      out_ += name;
      return;
    }
    auto trait = std::ranges::find(traits_, name, &ArchTrait::name);
    std::int64_t n = 0;
    if (trait != traits_.end() && list + 1 < end && text::parse_int(l_[list + 1].text, n)) {
      out_ += pass_ == Pass::device ? spelled(trait->means, n) : "0";
      return;
    }
    std::string made = fmt::format("ungate_name_{}", free_.size());
    free_[Symbol(made)] = {called ? Free::Kind::call : Free::Kind::name,
                           Symbol(text::one_line(spell(l_, begin, end), 60))};
    out_ += made;
  }

  static std::string spelled(ArchTrait::Means means, std::int64_t n) {
    switch (means) {
      case ArchTrait::Means::major: return fmt::format("(__CUDA_ARCH__ / 100 == {})", n);
      case ArchTrait::Means::arch: return fmt::format("(__CUDA_ARCH__ / 10 == {})", n);
      case ArchTrait::Means::at_least: return fmt::format("(__CUDA_ARCH__ / 10 >= {})", n);
      case ArchTrait::Means::compatible:
        return fmt::format("(__CUDA_ARCH__ / 100 == {} && __CUDA_ARCH__ / 10 >= {})", n / 10, n);
    }
    return "0";
  }

  Lexemes l_;
  const std::vector<ArchTrait>& traits_;
  Pass pass_;
  std::string out_;
  std::map<Symbol, Free> free_;
};

}  // namespace

Outcomes evaluate_code_condition(std::string_view condition, const std::vector<ArchTrait>& traits,
                                 const value::World& world, Pass pass) {
  Translator translator(condition, traits, pass);
  std::string translated = translator.run();
  Environment environment(world, pass);
  Tokens tokens = tokenize(translated);
  environment.bind(tokens);
  bool malformed = false;
  Outcomes out = evaluate_condition(environment, tokens, nullptr, malformed);
  FreeSet whole =
      value::Free{Free::Kind::unread, Symbol("condition '" + text::one_line(condition, 60) + "'")};
  return out.map([&](Outcome o) {
    if (malformed && o.is(value::kUnknown)) return unknown(whole);
    FreeSet why;
    for (const Free& f : o.why.items()) {
      auto made = translator.free().find(f.name);
      why = why | FreeSet(made == translator.free().end() ? f : made->second);
    }
    return Outcome{o.bits, why};
  });
}

}  // namespace ungate::cuda

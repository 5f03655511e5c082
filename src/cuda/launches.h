// Kernel launches and how they are configured.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuda/lexeme.h"
#include "cuda/structure.h"

namespace ungate::cuda {

// Macros that launch kernels or set up launches, to be put in place of their uses.
class MacroBodies {
 public:
  // Of the file itself, and of `others`, which must outlive this.
  MacroBodies(std::string_view text, const Directives& directives, const Vocabulary& vocabulary,
              const std::vector<LaunchMacro>& others);

  // The lexemes [begin, end) with every use replaced by the body, also inside bodies. A replaced
  // lexeme has the range of the outermost use, and `index` is that macro's number.
  Lexemes expand(const Lexemes& lexemes, std::size_t begin, std::size_t end) const;
  Symbol name(std::uint32_t index) const { return macros_[index].name; }
  std::vector<LaunchMacro> own() const;  // those of the file itself

 private:
  struct Macro {
    Symbol name;
    std::vector<std::string_view> parameters;
    bool variadic = false;
    bool function_like = true;
    bool own = false;
    std::uint32_t at = 0;  // where it is defined in the file itself
    std::string_view text;
    Lexemes body;
  };
  struct Budget {
    std::size_t lexemes;
    int depth;
  };
  void keep_launching(const Vocabulary& vocabulary);
  const Macro* find(std::string_view name, std::uint32_t use) const;
  void expand(const Lexemes& in, std::size_t begin, std::size_t end, Budget& budget,
              Lexemes& out) const;
  Lexemes substitute(const Macro& macro, const Lexemes& in, std::size_t open,
                     std::size_t close) const;

  void index();

  std::vector<Macro> macros_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_name_;
};

// The launches of one function, whose body is `body`; fills in launches, configs and makers.
void read_launches(const Lexemes& body, std::uint32_t function, const MacroBodies& macros,
                   const Vocabulary& vocabulary, Structure& out);

}  // namespace ungate::cuda

// The outline of a Python file: its logical lines and the statements they make, without parsing.
//
// A scanner that knows strings, brackets, comments and continuations cuts a file into statements at any
// level of indentation, so that only the pieces that matter are parsed (a file is a few percent of them).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/symbol.h"
#include "source/source_file.h"

namespace ungate::python {

enum class LineKind : std::uint8_t {
  simple, import, decorator, function, klass,
  compound,      // if, for, while, try, with, match
  clause         // elif, else, except, finally, case: belongs to the statement before
};

struct LogicalLine {
  std::uint32_t begin;  // the first character that is not white space
  std::uint32_t end;    // after the last character of the last physical line
  std::uint16_t indent;  // tabs count to the next multiple of 8
  LineKind kind;
};

// A statement with everything below it.
struct Statement {
  source::Range range;         // from the first decorator or keyword to the end of the last line
  std::uint32_t first, last;   // logical lines [first, last)
  std::uint32_t head;          // the line of `def` or `class`; else first
  LineKind kind;
  Symbol name;                 // of a function or class
};

class Outline {
 public:
  // Scans a whole file. A byte order mark is skipped. Never fails: a broken file gives odd statements.
  explicit Outline(std::string_view text);

  const std::vector<LogicalLine>& lines() const { return lines_; }
  const std::vector<Statement>& statements() const { return top_; }  // the module's
  // The statements of a compound statement's or class's or function's body.
  std::vector<Statement> body(std::string_view text, const Statement& of) const;

  // An unclosed string or bracket reaches the end of the file: what follows it was not understood.
  bool broken() const { return broken_; }

 private:
  std::vector<Statement> group(std::string_view text, std::uint32_t first, std::uint32_t last) const;

  std::vector<LogicalLine> lines_;
  std::vector<Statement> top_;
  bool broken_ = false;
};

// The names that a statement binds in its scope, including those bound in its branches; functions and
// classes below it bind their own name only. Calls of mutating methods and item assignments
// (`TABLE["x"] = …`, `names.append(…)`) count as binding. `star_imports` collects the modules of
// `from m import *`.
struct Bindings {
  std::vector<Symbol> names;
  std::vector<Symbol> star_imports;
};
// Methods that change their receiver.
bool is_mutator(std::string_view method);

Bindings bindings_of(std::string_view text, const Outline& outline, const Statement& statement);

}  // namespace ungate::python

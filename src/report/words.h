// The words of reports for people: sentences for effects and verdicts, places, colours.
#pragma once

#include <string>
#include <string_view>

#include "gate/gate.h"

namespace ungate::report {

// "a wait that the launch relies on is compiled out"
std::string_view sentence_of(gate::Effect effect);
// "nothing but the gate is in the way"
std::string_view sentence_of(gate::Verdict verdict);
// True for effects that give wrong results or stop the program.
bool is_dangerous(gate::Effect effect);

// 1234567 -> "1,234,567".
std::string grouped(std::size_t n);

// Text broken at blanks into lines of at most `width` columns, each behind `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

// Columns that a text takes on a terminal (code points, for what reports print).
std::size_t columns(std::string_view text);
// Filled with blanks up to `width` columns.
std::string padded(std::string text, std::size_t width);

// Cut to `width` columns, with "…" where something is missing.
std::string cut(std::string_view text, std::size_t width);

// Colours of a terminal, or nothing. Colours add, they never carry a meaning alone.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string bold(std::string_view s) const { return put("1", s); }
  std::string dim(std::string_view s) const { return put("2", s); }
  std::string red(std::string_view s) const { return put("31", s); }
  std::string yellow(std::string_view s) const { return put("33", s); }
  std::string green(std::string_view s) const { return put("32", s); }
  std::string effect(gate::Effect effect, std::string_view s) const {
    return is_dangerous(effect) ? red(s) : yellow(s);
  }

 private:
  std::string put(std::string_view code, std::string_view s) const {
    if (!on_ || s.empty()) return std::string(s);
    return "\033[" + std::string(code) + 'm' + std::string(s) + "\033[0m";
  }
  bool on_;
};

}  // namespace ungate::report

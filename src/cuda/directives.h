// The preprocessor structure of one file: its directives, and the tree of arms that conditionals
// make.
//
// Reading needs no macro values and no other file; it is meant to be run over every header of a
// tree (hundreds of MB/s). What comes out holds byte ranges and indices, no pointers, so it can be
// kept by content. Any text is read: what is broken (an #endif too many, an #if without end)
// becomes a problem with a range, and the rest of the file is read as a compiler would after its
// error message.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "source/source_file.h"

namespace ungate::cuda {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

enum class DirectiveKind : std::uint8_t {
  if_,
  ifdef,
  ifndef,
  elif,
  elifdef,
  elifndef,
  else_,
  endif,
  include,
  include_next,
  import,
  define,
  undef,
  error,
  warning,
  pragma_once,
  pragma,
  other
};

constexpr bool opens_chain(DirectiveKind k) { return k <= DirectiveKind::ifndef; }
constexpr bool opens_arm(DirectiveKind k) { return k <= DirectiveKind::else_; }
constexpr bool is_include(DirectiveKind k) {
  return k >= DirectiveKind::include && k <= DirectiveKind::import;
}

// One directive, in source order.
struct Directive {
  DirectiveKind kind = DirectiveKind::other;
  std::uint32_t arm =
      kNone;  // the arm whose text holds it (for #elif … #endif: that holds the chain)
  std::uint32_t index = kNone;  // into arms (#if … #else), chains (#endif), defines; else kNone
  source::Range range;          // from '#' to the end of the logical line, without the line end
  source::Range operand;        // what follows the keyword, without comments and blanks at its ends
};

// One arm of a chain: the text between an #if, #elif or #else and the next of them.
struct Arm {
  DirectiveKind kind = DirectiveKind::if_;
  std::uint32_t chain = 0;
  std::uint32_t parent = kNone;  // the arm around the chain
  std::uint32_t next = kNone;    // the next arm of the chain
  std::uint32_t directive = 0;   // index of the directive that opens it
  source::Range condition;       // the operand; empty for #else
  source::Range text;            // whole lines between this directive and the next of the chain
};

struct Chain {
  std::uint32_t parent = kNone;  // the arm around it
  std::uint32_t first = 0;       // its first and last arm
  std::uint32_t last = 0;
  std::uint32_t endif = kNone;  // index of the #endif directive; kNone: the file ends before it
};

struct Define {
  std::uint32_t directive = 0;
  source::Range name;
  source::Range body;                     // empty: defined as nothing
  std::vector<source::Range> parameters;  // without the final ellipsis
  bool function_like = false;
  bool variadic = false;
};

struct Problem {
  enum class Kind : std::uint8_t {
    unterminated_conditional,  // #if without #endif; range: the #if
    unmatched,                 // #endif, #else, #elif without #if
    after_else,                // #elif or #else after #else
    unterminated_comment,
    unterminated_string,  // a raw string
    malformed,            // a #define, #include or #if that lacks its operand
    condition             // a condition that is no expression (found when it is evaluated)
  };
  Kind kind;
  source::Range range;
  bool operator==(const Problem&) const = default;
};

std::string_view describe(Problem::Kind kind);

struct Directives {
  std::vector<Directive> list;
  std::vector<Arm> arms;
  std::vector<Chain> chains;
  std::vector<Define> defines;
  std::vector<Problem> problems;
  // The arm of the file's include guard (its only arm; everything of the file stands in it), or
  // kNone.
  std::uint32_t guard_arm = kNone;
  bool pragma_once = false;  // outside of any conditional but the guard
};

Directives read_directives(std::string_view text);

// The innermost arm whose text contains `offset`; kNone at file level.
std::uint32_t arm_at(const Directives& directives, std::uint32_t offset);

// The spelled name of an #include's operand and whether it stands in <>; empty for a computed
// include.
struct IncludeName {
  std::string_view name;
  bool angled = false;
};
IncludeName include_name(std::string_view operand);

}  // namespace ungate::cuda

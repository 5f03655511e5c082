// Python's operators on plain values. Each gives `absent` (a raise) where Python raises, and `unknown`
// where the outcome depends on something that is not a plain value. Operands are single values: callers
// lift over alternatives (Store::lift) and over devices (Guarded::zip).
#pragma once

#include <cstdint>
#include <optional>

#include "value/value.h"

namespace ungate::value {

enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge, in, not_in, is, is_not };
enum class Binary : std::uint8_t {
  add, sub, mul, div, floordiv, mod, pow, shl, shr, bit_or, bit_and, bit_xor, matmul
};
enum class Unary : std::uint8_t { minus, plus, invert };

std::string_view spelling(Comparison op);

ValueId compare(Store& s, Comparison op, ValueId a, ValueId b);
ValueId binary(Store& s, Binary op, ValueId a, ValueId b);
ValueId unary(Store& s, Unary op, ValueId a);

// container[key] with Python's rules for negative indices; absent with KeyError or IndexError when the
// container is closed and has no such item.
ValueId subscript(Store& s, ValueId container, ValueId key);
// container[a:b]; absent bounds are `none`.
ValueId slice(Store& s, ValueId container, ValueId from, ValueId to, ValueId step);

// str(v), if it is known.
std::optional<std::string> str(const Store& s, ValueId v);

// Equality as True, False or unknown (no value).
std::optional<bool> equal(const Store& s, ValueId a, ValueId b);

// True for values whose items can be listed: tuple, list, set, record (and dict: its keys).
bool is_container(Kind kind);

}  // namespace ungate::value

// Interned strings: a Symbol is a small number that stands for a text for the life of the program.
// Equal texts have equal symbols, so names hash and compare for equality as integers. Interning is thread safe;
// reading a symbol's text takes no lock.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string_view>

namespace ungate {

class Symbol {
 public:
  constexpr Symbol() = default;  // the empty text
  explicit Symbol(std::string_view text);

  std::string_view text() const;
  constexpr std::uint32_t id() const { return id_; }
  constexpr bool empty() const { return id_ == 0; }
  constexpr bool operator==(const Symbol&) const = default;
  // The order of the texts: numbers depend on which thread met a name first.
  std::strong_ordering operator<=>(Symbol other) const {
    return id_ == other.id_ ? std::strong_ordering::equal : text() <=> other.text();
  }

  static constexpr Symbol from_id(std::uint32_t id) {
    Symbol s;
    s.id_ = id;
    return s;
  }

 private:
  std::uint32_t id_ = 0;
};

}  // namespace ungate

template <>
struct std::hash<ungate::Symbol> {
  std::size_t operator()(ungate::Symbol s) const { return s.id() * 0x9e3779b97f4a7c15u; }
};

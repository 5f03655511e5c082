// Whether a text holds one of a few literals, without looking at most of its bytes (Wu and Manber's search).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ungate {

class LiteralSet {
 public:
  // Literals of one byte are not searched for quickly: the shortest one decides how far a step leads.
  explicit LiteralSet(std::vector<std::string> literals);

  // True if one of the literals stands somewhere in the text; false of no literals.
  bool any_in(std::string_view text) const;

 private:
  static constexpr std::size_t kSlots = 1u << 12;
  static std::size_t slot(const char* pair) {
    return (static_cast<unsigned char>(pair[0]) * 31u ^ static_cast<unsigned char>(pair[1])) & (kSlots - 1);
  }

  std::vector<std::string> literals_;
  std::size_t shortest_ = 0;
  // By the last two bytes of a window as long as the shortest literal: how far on the next window is that can
  // be the beginning of one.
  std::array<std::uint8_t, kSlots> step_{};
};

}  // namespace ungate

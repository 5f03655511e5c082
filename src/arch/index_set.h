// A set of small indices (at most 64), as one word. The tag keeps sets over different tables apart.
#pragma once

#include <bit>
#include <cstdint>

namespace ungate::arch {

template <class Tag>
class IndexSet {
 public:
  constexpr IndexSet() = default;
  constexpr explicit IndexSet(std::uint64_t bits) : bits_(bits) {}
  static constexpr IndexSet of(unsigned index) { return IndexSet(std::uint64_t{1} << index); }
  // The indices 0 … count-1.
  static constexpr IndexSet first(unsigned count) {
    return IndexSet(count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
  }

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr unsigned size() const { return static_cast<unsigned>(std::popcount(bits_)); }
  constexpr bool has(unsigned index) const { return bits_ >> index & 1; }
  constexpr bool contains(IndexSet other) const { return (other.bits_ & ~bits_) == 0; }
  // The lowest index; the set must not be empty.
  constexpr unsigned front() const { return static_cast<unsigned>(std::countr_zero(bits_)); }

  constexpr IndexSet operator|(IndexSet o) const { return IndexSet(bits_ | o.bits_); }
  constexpr IndexSet operator&(IndexSet o) const { return IndexSet(bits_ & o.bits_); }
  constexpr IndexSet operator-(IndexSet o) const { return IndexSet(bits_ & ~o.bits_); }
  constexpr IndexSet& operator|=(IndexSet o) { bits_ |= o.bits_; return *this; }
  constexpr IndexSet& operator&=(IndexSet o) { bits_ &= o.bits_; return *this; }
  constexpr IndexSet& operator-=(IndexSet o) { bits_ &= ~o.bits_; return *this; }
  constexpr bool operator==(const IndexSet&) const = default;
  constexpr auto operator<=>(const IndexSet&) const = default;

  // Iterates over the indices, lowest first.
  class Iterator {
   public:
    constexpr explicit Iterator(std::uint64_t bits) : bits_(bits) {}
    constexpr unsigned operator*() const { return static_cast<unsigned>(std::countr_zero(bits_)); }
    constexpr Iterator& operator++() { bits_ &= bits_ - 1; return *this; }
    constexpr bool operator!=(const Iterator& o) const { return bits_ != o.bits_; }

   private:
    std::uint64_t bits_;
  };
  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(0); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace ungate::arch

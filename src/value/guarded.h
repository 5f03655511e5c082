// Guarded<T>: one T for every device (or code target) of the table, as a partition.
//
// A value that is the same everywhere has one cell; a capability has one a device. Every operator
// works on all devices at once and gives a partition again. Invariant, kept by every member: the cells
// are disjoint and not empty, together they are the whole table, no two hold equal values, and they
// are ordered by their lowest index; so equal functions compare equal.
//
// What does not follow from the device is not modelled by more cells: T itself holds the alternatives
// and the names of what decides between them (see value.h, Unknown).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "arch/device.h"

namespace ungate::value {

// The whole table for a set type.
inline arch::DeviceSet universe(arch::DeviceSet*) { return arch::all_devices(); }
inline arch::CodeTargetSet universe(arch::CodeTargetSet*) { return arch::all_code_targets(); }

template <class T, class Set = arch::DeviceSet>
class Guarded {
 public:
  struct Cell {
    Set where;
    T value;
    bool operator==(const Cell&) const = default;
  };

  // The same value everywhere.
  Guarded() : Guarded(T{}) {}
  // A constant is a function: the same value everywhere.
  Guarded(T everywhere) : first_{all(), std::move(everywhere)} {}

  // f(index) for every row of the table.
  template <class F>
  static Guarded tabulate(F&& f) {
    Builder builder;
    for (unsigned i : all()) builder.add(Set::of(i), f(i));
    return builder.take();
  }

  static Set all() { return universe(static_cast<Set*>(nullptr)); }

  std::size_t size() const { return 1 + rest_.size(); }
  bool uniform() const { return rest_.empty(); }
  const Cell& cell(std::size_t i) const { return i == 0 ? first_ : rest_[i - 1]; }

  const T& at(unsigned index) const {
    if (first_.where.has(index)) return first_.value;
    for (const Cell& c : rest_) {
      if (c.where.has(index)) return c.value;
    }
    return first_.value;  // not reached: the cells are complete
  }

  // Where a predicate on the value holds.
  template <class F>
  Set where(F&& holds) const {
    Set set;
    for (std::size_t i = 0; i < size(); ++i) {
      if (holds(cell(i).value)) set |= cell(i).where;
    }
    return set;
  }

  // f(value), pointwise.
  template <class F>
  auto map(F&& f) const {
    using U = std::decay_t<decltype(f(first_.value))>;
    if (uniform()) return Guarded<U, Set>(f(first_.value));
    typename Guarded<U, Set>::Builder builder;
    for (std::size_t i = 0; i < size(); ++i) builder.add(cell(i).where, f(cell(i).value));
    return builder.take();
  }

  // f(a, b), pointwise.
  template <class U, class F>
  auto zip(const Guarded<U, Set>& other, F&& f) const {
    using V = std::decay_t<decltype(f(first_.value, other.cell(0).value))>;
    if (uniform() && other.uniform()) return Guarded<V, Set>(f(first_.value, other.cell(0).value));
    typename Guarded<V, Set>::Builder builder;
    for (std::size_t i = 0; i < size(); ++i) {
      Set left = cell(i).where;
      for (std::size_t j = 0; j < other.size() && !left.empty(); ++j) {
        Set both = left & other.cell(j).where;
        if (both.empty()) continue;
        builder.add(both, f(cell(i).value, other.cell(j).value));
        left -= both;
      }
    }
    return builder.take();
  }

  // `other` on `where`, this elsewhere.
  Guarded overlay(Set where, const Guarded& other) const {
    if (where.empty()) return *this;
    if (where == all()) return other;
    Builder builder;
    for (std::size_t i = 0; i < size(); ++i) builder.add(cell(i).where - where, cell(i).value);
    for (std::size_t i = 0; i < other.size(); ++i) {
      builder.add(other.cell(i).where & where, other.cell(i).value);
    }
    return builder.take();
  }

  bool operator==(const Guarded&) const = default;

  // Collects pieces that together are the whole table, and puts them into the normal form.
  class Builder {
   public:
    void add(Set where, const T& value) {
      if (where.empty()) return;
      for (Cell& c : cells_) {
        if (c.value == value) {
          c.where |= where;
          return;
        }
      }
      cells_.push_back({where, value});
    }

    Guarded take() {
      // Few cells: insertion sort by lowest index.
      for (std::size_t i = 1; i < cells_.size(); ++i) {
        for (std::size_t j = i; j > 0 && cells_[j].where.front() < cells_[j - 1].where.front(); --j) {
          std::swap(cells_[j], cells_[j - 1]);
        }
      }
      Guarded out(std::move(cells_.front().value));
      out.first_.where = cells_.front().where;
      out.rest_.assign(std::make_move_iterator(cells_.begin() + 1),
                       std::make_move_iterator(cells_.end()));
      return out;
    }

   private:
    std::vector<Cell> cells_;
  };

 private:
  Cell first_;              // most values are uniform: one cell, no allocation
  std::vector<Cell> rest_;
};

}  // namespace ungate::value

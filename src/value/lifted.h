// Values on all devices at once, interned: equal functions of the device have equal ids.
//
// Most values do not depend on the device; they cost nothing more than a plain value. An evaluator keeps
// Lifted ids in its variables, compares them as integers and memoises calls by them.
#pragma once

#include <unordered_map>

#include "value/value.h"

namespace ungate::value {

struct Lifted {
  std::uint32_t id = 0;  // default: absent everywhere
  constexpr bool operator==(const Lifted&) const = default;
  constexpr auto operator<=>(const Lifted&) const = default;
};

// Where a condition may come out true, false or open. The sets may overlap.
struct Outcome {
  arch::DeviceSet may_true, may_false, may_unknown;

  arch::DeviceSet may_pass() const { return may_true | may_unknown; }
  arch::DeviceSet may_fail() const { return may_false | may_unknown; }
  Outcome negated() const { return {may_false, may_true, may_unknown}; }
  Outcome on(arch::DeviceSet set) const { return {may_true & set, may_false & set, may_unknown & set}; }
  Outcome& operator|=(const Outcome& o) {
    may_true |= o.may_true, may_false |= o.may_false, may_unknown |= o.may_unknown;
    return *this;
  }
  bool operator==(const Outcome&) const = default;
  // True if two devices of `among` have different outcomes.
  bool differs(arch::DeviceSet among) const {
    auto split = [&](arch::DeviceSet s) { return !(s & among).empty() && (s & among) != among; };
    return split(may_true) || split(may_false) || split(may_unknown);
  }
};

class LiftedStore {
 public:
  using DeviceSet = arch::DeviceSet;

  explicit LiftedStore(Store& store) : store_(store) {}
  Store& store() { return store_; }
  const Store& store() const { return store_; }

  static Lifted of(ValueId everywhere) { return {everywhere.id}; }
  Lifted of(const Values& values);
  bool uniform(Lifted v) const { return v.id < kFirst; }
  // The value of a uniform one.
  ValueId value(Lifted v) const { return {v.id}; }
  ValueId at(Lifted v, unsigned device) const {
    return uniform(v) ? ValueId{v.id} : values_[v.id - kFirst].at(device);
  }

  // f(set, value) for each cell.
  template <class F>
  void each(Lifted v, F&& f) const {
    if (uniform(v)) return f(Values::all(), ValueId{v.id});
    const Values& values = values_[v.id - kFirst];
    for (std::size_t i = 0; i < values.size(); ++i) f(values.cell(i).where, values.cell(i).value);
  }
  template <class F>
  DeviceSet where(Lifted v, F&& holds) const {
    DeviceSet set;
    each(v, [&](DeviceSet cell, ValueId value) {
      if (holds(value)) set |= cell;
    });
    return set;
  }

  // f(value), pointwise; not lifted over alternatives.
  template <class F>
  Lifted map(Lifted v, F&& f) {
    if (uniform(v)) return of(f(ValueId{v.id}));
    return of(Values(values_[v.id - kFirst]).map(f));
  }
  template <class F>
  Lifted zip(Lifted a, Lifted b, F&& f) {
    if (uniform(a) && uniform(b)) return of(f(ValueId{a.id}, ValueId{b.id}));
    return of(full(a).zip(full(b), f));
  }
  Lifted overlay(Lifted base, DeviceSet where, Lifted other);
  Lifted join(Lifted a, Lifted b) {
    if (a == b) return a;
    return zip(a, b, [&](ValueId x, ValueId y) { return store_.join(x, y); });
  }
  // a on `only_a`, b on `only_b`, their join on both.
  Lifted merge(Lifted a, DeviceSet on_a, Lifted b, DeviceSet on_b);

  DeviceSet absent(Lifted v) const {
    return where(v, [&](ValueId x) { return store_.is_absent(x); });
  }
  Outcome truth(Lifted v) const;
  std::string to_text(Lifted v) const;

 private:
  static constexpr std::uint32_t kFirst = 1u << 30;
  Values full(Lifted v) const { return uniform(v) ? Values(ValueId{v.id}) : values_[v.id - kFirst]; }

  Store& store_;
  StableVector<Values> values_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
};

}  // namespace ungate::value

#include "value/lifted.h"

namespace ungate::value {

Lifted LiftedStore::of(const Values& values) {
  if (values.uniform()) return {values.cell(0).value.id};
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    hash = (hash ^ values.cell(i).where.bits() ^ values.cell(i).value.id) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 31;
  }
  auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (values_[it->second] == values) return {kFirst + it->second};
  }
  auto at = static_cast<std::uint32_t>(values_.size());
  values_.push_back(values);
  index_.emplace(hash, at);
  return {kFirst + at};
}

Lifted LiftedStore::overlay(Lifted base, DeviceSet where, Lifted other) {
  if (base == other || where.empty()) return base;
  if (where == Values::all()) return other;
  return of(full(base).overlay(where, full(other)));
}

Lifted LiftedStore::merge(Lifted a, DeviceSet on_a, Lifted b, DeviceSet on_b) {
  if (a == b) return a;
  DeviceSet both = on_a & on_b;
  Lifted out = overlay(a, on_b - on_a, b);
  return both.empty() ? out : overlay(out, both, join(a, b));
}

Outcome LiftedStore::truth(Lifted v) const {
  Outcome out;
  each(v, [&](DeviceSet cell, ValueId value) {
    Truth truth = store_.truth(value);
    if (truth & kTrue) out.may_true |= cell;
    if (truth & kFalse) out.may_false |= cell;
    if (truth & kUnknown) out.may_unknown |= cell;
  });
  return out;
}

std::string LiftedStore::to_text(Lifted v) const {
  std::string out;
  each(v, [&](DeviceSet cell, ValueId value) {
    if (!out.empty()) out += "; ";
    if (!uniform(v)) out += arch::to_text(cell) + ": ";
    out += store_.to_text(value);
  });
  return out;
}

}  // namespace ungate::value

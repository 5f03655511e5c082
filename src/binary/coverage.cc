#include "binary/coverage.h"

#include <algorithm>
#include <set>

namespace ungate::binary {
namespace {

// Of two code objects that load, the one that the driver takes: machine code before PTX, then the
// newer one, then the one for exactly this device.
bool is_better(const CodeObject& a, const CodeObject& b, arch::Device device) {
  Loads x = loads_on(a.kind, a.built, device), y = loads_on(b.kind, b.built, device);
  if (x != y) return x > y;
  if (a.built.cc != b.built.cc) return a.built.cc > b.built.cc;
  auto rank = [](arch::Suffix s) {
    return s == arch::Suffix::exact ? 2 : s == arch::Suffix::family ? 1 : 0;
  };
  return rank(a.built.suffix) > rank(b.built.suffix);
}

// Whether anything is in a unit at all, by unit.
std::vector<char> units_with_code(const Listing& listing) {
  std::vector<char> out(listing.units.size(), 0);
  for (const CodeObject& o : listing.objects) out[o.unit] = 1;
  return out;
}

}  // namespace

std::vector<std::optional<std::uint32_t>> chosen_objects(const Listing& listing,
                                                         arch::Device device) {
  std::vector<std::optional<std::uint32_t>> out(listing.units.size());
  for (std::uint32_t i = 0; i < listing.objects.size(); ++i) {
    const CodeObject& o = listing.objects[i];
    if (loads_on(o.kind, o.built, device) == Loads::no) continue;
    auto& chosen = out[o.unit];
    if (!chosen || is_better(o, listing.objects[*chosen], device)) chosen = i;
  }
  return out;
}

std::string_view name_of(State state) {
  switch (state) {
    case State::covered:
      return "covered";
    case State::jit_only:
      return "jit-only";
    case State::partly:
      return "partly";
    case State::no_code:
      return "no-code";
    case State::no_device_code:
      break;
  }
  return "no-device-code";
}

bool counts(const Listing& listing, const Unit& unit) {
  return unit.place == Place::fatbin || listing.kind != FileKind::shared_object;
}

Coverage coverage_of(const Listing& listing, arch::Device device) {
  Coverage out;
  auto chosen = chosen_objects(listing, device);
  std::vector<char> holds_code = units_with_code(listing), lost(listing.units.size(), 0);
  // Where there are no kernels at all, the code objects are judged as if there were.
  bool all_empty = std::ranges::all_of(listing.units, &Unit::empty);
  std::set<Built> ptx, left;
  for (std::size_t i = 0; i < listing.units.size(); ++i) {
    const Unit& unit = listing.units[i];
    if ((unit.empty && !all_empty) || !counts(listing, unit) || !holds_code[i]) continue;
    ++out.units;
    if (!chosen[i]) {
      ++out.none, lost[i] = 1;
    } else if (const CodeObject& o = listing.objects[*chosen[i]]; o.kind == CodeKind::ptx) {
      ++out.jit, ptx.insert(o.built);
    } else {
      ++out.loaded;
    }
  }
  for (const CodeObject& o : listing.objects) {
    if (lost[o.unit]) left.insert(o.built);
  }
  out.ptx.assign(ptx.begin(), ptx.end());
  out.lost.assign(left.begin(), left.end());
  if (out.units == 0) {
    out.state = State::no_device_code;
  } else if (out.loaded == out.units) {
    out.state = State::covered;
  } else if (out.jit == out.units) {
    out.state = State::jit_only;
  } else {
    out.state = out.none == out.units ? State::no_code : State::partly;
  }
  return out;
}

}  // namespace ungate::binary

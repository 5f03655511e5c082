#include "cuda/outcome.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::cuda {
namespace {

using value::Free;
using value::kFalse;
using value::kTrue;
using value::kUnknown;

// A packed set is a text of five bytes a free value (kind, symbol), after one byte that says
// whether some were left out. Interning it makes sets comparable as numbers and readable from any
// thread.
constexpr std::size_t kItem = 5;
constexpr std::size_t kHead = 1;

// By name, not by symbol: symbols are numbered in the order of interning, which threads may vary.
bool before(const Free& a, const Free& b) {
  return a.kind != b.kind ? a.kind < b.kind : a.name.text() < b.name.text();
}

}  // namespace

FreeSet FreeSet::pack(std::span<const Free> items, bool truncated) {
  FreeSet set;
  if (items.empty()) return set;
  std::string packed(kHead + kItem * items.size(), '\0');
  packed[0] = truncated ? 'T' : 'A';
  for (std::size_t i = 0; i < items.size(); ++i) {
    char* at = packed.data() + kHead + kItem * i;
    std::uint32_t id = items[i].name.id();
    at[0] = static_cast<char>(items[i].kind);
    std::memcpy(at + 1, &id, sizeof id);
  }
  set.packed_ = Symbol(packed);
  return set;
}

FreeSet::FreeSet(Free one) { *this = pack(std::span(&one, 1), false); }

bool FreeSet::truncated() const { return !empty() && packed_.text()[0] == 'T'; }

std::vector<Free> FreeSet::items() const {
  std::vector<Free> out;
  std::string_view packed = packed_.text();
  for (std::size_t at = kHead; at < packed.size(); at += kItem) {
    std::uint32_t id = 0;
    std::memcpy(&id, packed.data() + at + 1, sizeof id);
    out.push_back({static_cast<Free::Kind>(packed[at]), Symbol::from_id(id)});
  }
  return out;
}

FreeSet FreeSet::operator|(FreeSet other) const {
  if (other.empty() || *this == other) return *this;
  if (empty()) return other;
  std::vector<Free> all = items(), more = other.items();
  all.insert(all.end(), more.begin(), more.end());
  std::ranges::sort(all, before);
  auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  bool over = all.size() > kMostNamed;
  if (over) all.resize(kMostNamed);
  return pack(all, over || truncated() || other.truncated());
}

Outcome operator&(Outcome a, Outcome b) {
  if (a.bits == value::kNever || b.bits == value::kNever) return {};
  std::uint8_t bits = (a.bits | b.bits) & kFalse;
  if ((a.bits & kTrue) != 0 && (b.bits & kTrue) != 0) bits |= kTrue;
  bool open = a.may_be_true() && b.may_be_true() && ((a.bits | b.bits) & kUnknown) != 0;
  if (!open) return {bits, {}};
  return {static_cast<std::uint8_t>(bits | kUnknown), a.why | b.why};
}

Outcome operator!(Outcome a) {
  std::uint8_t bits = a.bits & kUnknown;
  if ((a.bits & kTrue) != 0) bits |= kFalse;
  if ((a.bits & kFalse) != 0) bits |= kTrue;
  return {bits, a.why};
}

Outcome join(Outcome a, Outcome b) {
  return {static_cast<std::uint8_t>(a.bits | b.bits), a.why | b.why};
}

Outcomes operator&(const Outcomes& a, const Outcomes& b) {
  return a.zip(b, [](Outcome x, Outcome y) { return x & y; });
}
Outcomes operator!(const Outcomes& a) {
  return a.map([](Outcome x) { return !x; });
}
Outcomes join(const Outcomes& a, const Outcomes& b) {
  return a.zip(b, [](Outcome x, Outcome y) { return join(x, y); });
}

arch::CodeTargetSet targets_with(const Outcomes& outcomes, std::uint8_t bits) {
  return outcomes.where([&](Outcome o) { return (o.bits & bits) != 0; });
}

bool differs(const Outcomes& outcomes, arch::CodeTargetSet among) {
  int seen = -1;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if ((outcomes.cell(i).where & among).empty()) continue;
    int bits = outcomes.cell(i).value.bits;
    if (seen >= 0 && bits != seen) return true;
    seen = bits;
  }
  return false;
}

value::Free suffix_decides() {
  static const value::Free free{Free::Kind::config, Symbol("code target suffix")};
  return free;
}

DeviceOutcomes per_device(const Outcomes& outcomes, arch::CodeTargetSet built) {
  return DeviceOutcomes::tabulate([&](unsigned d) {
    arch::CodeTargetSet targets = arch::code_targets_of(arch::Device(d));
    if (!(targets & built).empty()) targets = targets & built;
    Outcome all = outcomes.at(targets.front());
    bool same = true;
    for (unsigned t : targets) {
      same &= outcomes.at(t).bits == all.bits;
      all = join(all, outcomes.at(t));
    }
    return same ? all : unknown(all.why | FreeSet(suffix_decides()));
  });
}

std::string to_text(const Outcomes& outcomes) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto& [where, outcome] = outcomes.cell(i);
    std::vector<std::string> bits, why;
    if ((outcome.bits & kTrue) != 0) bits.push_back("yes");
    if ((outcome.bits & kFalse) != 0) bits.push_back("no");
    if ((outcome.bits & kUnknown) != 0) bits.push_back("unknown");
    if (bits.empty()) bits.push_back("not asked");
    for (const Free& f : outcome.why.items()) why.push_back(value::to_text(f));
    std::string reason = why.empty() ? "" : fmt::format(" ({})", text::join(why, ", "));
    parts.push_back(fmt::format("{}: {}{}", text::join(bits, "/"), arch::to_text(where), reason));
  }
  return text::join(parts, "; ");
}

}  // namespace ungate::cuda

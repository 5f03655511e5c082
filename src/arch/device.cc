#include "arch/device.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"

namespace ungate::arch {
namespace {

// Written by the build from rules/archs.yaml.
constexpr DeviceFacts kKnown[] = {
#include "archs.inc"
};
constexpr unsigned kKnownCount = std::size(kKnown);

// Newer than every row: numbers above any that a condition compares with.
constexpr DeviceFacts kFuture = {99, 0, "", "", false, false, 0, 0, 0, 0, 0, ""};

struct CodeRow {
  std::uint8_t device;
  Suffix suffix;
};

constexpr auto kCode = [] {
  struct {
    std::array<CodeRow, 64> rows{};
    unsigned count = 0;
    std::array<CodeTargetSet, kKnownCount + 1> of_device{};
  } t;
  auto add = [&](unsigned device, Suffix suffix) {
    t.of_device[device] |= CodeTargetSet::of(t.count);
    t.rows[t.count++] = {static_cast<std::uint8_t>(device), suffix};
  };
  for (unsigned d = 0; d < kKnownCount; ++d) {
    add(d, Suffix::plain);
    if (kKnown[d].exact_code) add(d, Suffix::exact);
    if (kKnown[d].family_code) add(d, Suffix::family);
  }
  add(kKnownCount, Suffix::plain);
  return t;
}();

constexpr char kSuffixLetter[] = {'\0', 'a', 'f'};

// Parses "sm_120a" and its other spellings into numbers and a suffix.
bool parse_spelling(std::string_view s, int& major, int& minor, Suffix& suffix) {
  s = text::trim(s);
  for (std::string_view prefix : {"sm_", "compute_", "SM_", "sm", "SM"}) {
    if (s.starts_with(prefix)) {
      s.remove_prefix(prefix.size());
      break;
    }
  }
  suffix = Suffix::plain;
  if (!s.empty() && (s.back() == 'a' || s.back() == 'f')) {
    suffix = s.back() == 'a' ? Suffix::exact : Suffix::family;
    s.remove_suffix(1);
  }
  std::int64_t a = 0, b = 0;
  if (std::size_t dot = s.find('.'); dot != std::string_view::npos) {
    if (!text::parse_int(s.substr(0, dot), a) || !text::parse_int(s.substr(dot + 1), b)) return false;
  } else {
    std::int64_t n = 0;
    if (!text::parse_int(s, n) || n < 10) return false;
    a = n / 10;
    b = n % 10;
  }
  if (a < 0 || b < 0 || a > 99 || b > 9) return false;
  major = static_cast<int>(a);
  minor = static_cast<int>(b);
  return true;
}

template <class Set, class Name>
std::string fold(Set set, unsigned known, bool open_upward, Name name) {
  std::vector<std::string> parts;
  for (unsigned i = 0; i < known; ++i) {
    if (!set.has(i)) continue;
    unsigned j = i;
    while (j + 1 < known && set.has(j + 1)) ++j;
    if (j + 1 == known && open_upward) {
      parts.push_back(name(i) + "+");
    } else {
      parts.push_back(j == i ? name(i) : name(i) + ".." + name(j));
    }
    i = j;
  }
  // Only devices that do not exist yet.
  if (open_upward && !set.has(known - 1)) parts.push_back("future");
  return parts.empty() ? "none" : text::join(parts, ", ");
}

}  // namespace

bool Device::is_future() const { return index_ == kKnownCount; }
const DeviceFacts& Device::facts() const { return is_future() ? kFuture : kKnown[index_]; }
std::string Device::name() const { return is_future() ? "future" : "sm_" + std::to_string(cc()); }
std::string Device::dotted() const {
  return std::to_string(major()) + '.' + std::to_string(minor());
}

Device CodeTarget::device() const { return Device(kCode.rows[index_].device); }
Suffix CodeTarget::suffix() const { return kCode.rows[index_].suffix; }
std::string CodeTarget::name() const {
  std::string name = device().name();
  if (suffix() != Suffix::plain) name += kSuffixLetter[static_cast<int>(suffix())];
  return name;
}

unsigned device_count() { return kKnownCount + 1; }
unsigned code_target_count() { return kCode.count; }
DeviceSet all_devices() { return DeviceSet::first(kKnownCount + 1); }
DeviceSet known_devices() { return DeviceSet::first(kKnownCount); }
CodeTargetSet all_code_targets() { return CodeTargetSet::first(kCode.count); }
Device future() { return Device(kKnownCount); }
CodeTargetSet code_targets_of(Device device) { return kCode.of_device[device.index()]; }

CodeTargetSet code_targets_of(DeviceSet devices) {
  CodeTargetSet set;
  for (unsigned d : devices) set |= kCode.of_device[d];
  return set;
}

DeviceSet devices_of(CodeTargetSet targets) {
  DeviceSet set;
  for (unsigned t : targets) set |= DeviceSet::of(kCode.rows[t].device);
  return set;
}

bool is_product_name(std::string_view text) {
  auto plain = [](char c) { return c == '_' || c == '-' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::ranges::any_of(kKnown, [&](const DeviceFacts& row) {
    return std::ranges::any_of(text::split(row.names, '|'), [&](std::string_view name) {
      return !name.empty() && std::ranges::equal(name, text, {}, plain, plain);
    });
  });
}

std::optional<Device> find_device(int major, int minor) {
  for (unsigned d = 0; d < kKnownCount; ++d) {
    const DeviceFacts& row = kKnown[d];
    if (row.major == major && row.minor == minor) return Device(d);
    if (row.old_major != 0 && row.old_major == major && row.old_minor == minor) return Device(d);
  }
  return std::nullopt;
}

std::optional<CodeTarget> find_code_target(Device device, Suffix suffix) {
  for (unsigned t : code_targets_of(device)) {
    if (kCode.rows[t].suffix == suffix) return CodeTarget(t);
  }
  return std::nullopt;
}

std::optional<Device> parse_device(std::string_view text) {
  int major = 0, minor = 0;
  Suffix suffix{};
  if (!parse_spelling(text, major, minor, suffix)) return std::nullopt;
  return find_device(major, minor);
}

std::optional<CodeTarget> parse_code_target(std::string_view text) {
  int major = 0, minor = 0;
  Suffix suffix{};
  if (!parse_spelling(text, major, minor, suffix)) return std::nullopt;
  auto device = find_device(major, minor);
  return device ? find_code_target(*device, suffix) : std::nullopt;
}

Result<DeviceSet> parse_targets(std::string_view text) {
  DeviceSet set;
  for (std::string_view part : text::split(text, ',')) {
    part = text::trim(part);
    if (part == "all") {
      set |= known_devices();
    } else if (auto device = parse_device(part)) {
      set |= DeviceSet::of(device->index());
    } else {
      return fail(ErrorCode::unknown_target, "no such device: '" + std::string(part) + "'", "--target");
    }
  }
  return set;
}

std::string to_text(DeviceSet set) {
  if (set == all_devices()) return "all";
  return fold(set, kKnownCount, set.has(kKnownCount), [](unsigned d) { return Device(d).name(); });
}

std::string to_text(CodeTargetSet set) {
  if (set == all_code_targets()) return "all";
  unsigned known = kCode.count - 1;
  return fold(set, known, set.has(known), [](unsigned t) { return CodeTarget(t).name(); });
}

Result<DeviceSet> parse_device_set(std::string_view text) {
  auto bad = [&](std::string_view part) {
    return fail(ErrorCode::unknown_target, "not a set of devices: '" + std::string(part) + "'");
  };
  text = text::trim(text);
  if (text == "all") return all_devices();
  if (text == "none") return DeviceSet();
  DeviceSet set;
  for (std::string_view part : text::split(text, ',')) {
    part = text::trim(part);
    if (part == "future") {
      set |= DeviceSet::of(kKnownCount);
      continue;
    }
    bool open = part.ends_with('+');
    if (open) part.remove_suffix(1);
    std::size_t dots = part.find("..");
    auto first = parse_device(part.substr(0, dots));
    auto last = dots == std::string_view::npos ? first : parse_device(part.substr(dots + 2));
    if (!first || !last || *last < *first || (open && dots != std::string_view::npos)) return bad(part);
    unsigned end = open ? kKnownCount : last->index();
    for (unsigned d = first->index(); d <= end; ++d) set |= DeviceSet::of(d);
  }
  return set;
}

}  // namespace ungate::arch

// Devices and code targets: the finite tables over which everything is evaluated.
//
// A *device* is a compute capability as the driver reports it. A *code target* is what code is
// compiled for: a device plus a suffix (plain, `a` = exactly this device, `f` = this device and later
// ones of its family). Both tables come from rules/archs.yaml at build time. One row more, `future`,
// stands for every device newer than the table: conditions that open upward admit it, lists do not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/index_set.h"
#include "base/error.h"

namespace ungate::arch {

struct DeviceTag {};
struct CodeTargetTag {};
using DeviceSet = IndexSet<DeviceTag>;
using CodeTargetSet = IndexSet<CodeTargetTag>;

// One row of rules/archs.yaml.
struct DeviceFacts {
  int major, minor;
  const char* generation;
  const char* products;       // comma separated, may be empty
  bool exact_code;            // sm_NNa exists
  bool family_code;           // sm_NNf exists
  int smem_block_kb;          // shared memory a block can have after opt-in; 0: not known
  int smem_sm_kb;             // shared memory a multiprocessor has; 0: not known
  int max_cluster;            // largest portable cluster; 0: no clusters, or not known
  int old_major, old_minor;   // an older name of the same device; 0, 0: none
  const char* names;          // what drivers call its products, separated by '|'; empty: not known
};

class Device {
 public:
  constexpr explicit Device(unsigned index) : index_(static_cast<std::uint8_t>(index)) {}
  constexpr unsigned index() const { return index_; }
  constexpr bool operator==(const Device&) const = default;
  constexpr auto operator<=>(const Device&) const = default;

  bool is_future() const;
  const DeviceFacts& facts() const;
  int major() const { return facts().major; }
  int minor() const { return facts().minor; }
  int cc() const { return major() * 10 + minor(); }          // 12.0 -> 120
  int cuda_arch() const { return cc() * 10; }                // __CUDA_ARCH__: 12.0 -> 1200
  std::string name() const;                                  // "sm_120"; "future"
  std::string dotted() const;                                // "12.0"

 private:
  std::uint8_t index_;
};

enum class Suffix : std::uint8_t { plain, exact, family };

class CodeTarget {
 public:
  constexpr explicit CodeTarget(unsigned index) : index_(static_cast<std::uint8_t>(index)) {}
  constexpr unsigned index() const { return index_; }
  constexpr bool operator==(const CodeTarget&) const = default;
  Device device() const;
  Suffix suffix() const;
  std::string name() const;  // "sm_120a"

 private:
  std::uint8_t index_;
};

// The tables. `future` is the last device and has one (plain) code target.
unsigned device_count();                   // with future
unsigned code_target_count();
DeviceSet all_devices();                   // with future
DeviceSet known_devices();                 // without
CodeTargetSet all_code_targets();
Device future();
CodeTargetSet code_targets_of(Device device);
CodeTargetSet code_targets_of(DeviceSet devices);
DeviceSet devices_of(CodeTargetSet targets);

// By compute capability; 10.1 finds 11.0. Nothing for one that does not exist.
std::optional<Device> find_device(int major, int minor);
std::optional<CodeTarget> find_code_target(Device device, Suffix suffix);
// "sm_120", "120", "12.0", "compute_120", each with or without a suffix, which is ignored.
std::optional<Device> parse_device(std::string_view text);
// "sm_120a", "compute_90", "120f", "12.0a".
std::optional<CodeTarget> parse_code_target(std::string_view text);
// One or more devices, comma separated; "all" is every known one. unknown_target otherwise.
Result<DeviceSet> parse_targets(std::string_view text);

// Whether drivers call a product so, as far as known: "NVIDIA H20", also as "nvidia_h20".
bool is_product_name(std::string_view text);

// Folded text: "sm_80, sm_90..sm_103", with "sm_90+" for "this and everything newer", "all", "none".
// Runs follow the table's order, so sm_90..sm_103 is 9.0, 10.0 and 10.3.
std::string to_text(DeviceSet set);
std::string to_text(CodeTargetSet set);
// The inverse of to_text(DeviceSet).
Result<DeviceSet> parse_device_set(std::string_view text);

}  // namespace ungate::arch

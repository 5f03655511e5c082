#include "binary/code_object.h"

#include "arch/load.h"

namespace ungate::binary {
namespace {

// The rules of arch/load.h for a number that its table does not have.
bool sass_loads(Built built, arch::Device device) {
  auto cc = static_cast<std::uint32_t>(device.cc());
  if (built.suffix == arch::Suffix::exact) return cc == built.cc;
  return cc / 10 == built.cc / 10 && cc >= built.cc;
}

bool ptx_loads(Built built, arch::Device device) {
  return built.suffix == arch::Suffix::plain ? static_cast<std::uint32_t>(device.cc()) >= built.cc
                                             : sass_loads(built, device);
}

}  // namespace

std::string_view name_of(CodeKind kind) {
  switch (kind) {
    case CodeKind::ptx:
      return "ptx";
    case CodeKind::elf:
      return "elf";
    case CodeKind::ltoir:
      return "ltoir";
    case CodeKind::other:
      break;
  }
  return "other";
}

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "none";
    case Compression::lz4:
      return "lz4";
    case Compression::zstd:
      break;
  }
  return "zstd";
}

std::string_view name_of(Loads loads) {
  switch (loads) {
    case Loads::no:
      return "no";
    case Loads::jit:
      return "jit";
    case Loads::yes:
      break;
  }
  return "yes";
}

std::string Built::name() const {
  std::string name = "sm_" + std::to_string(cc);
  if (suffix == arch::Suffix::exact) name += 'a';
  if (suffix == arch::Suffix::family) name += 'f';
  return name;
}

Loads loads_on(CodeKind kind, Built built, arch::Device device) {
  if (kind != CodeKind::elf && kind != CodeKind::ptx) return Loads::no;
  auto known = arch::find_device(static_cast<int>(built.cc / 10), static_cast<int>(built.cc % 10));
  auto target = known ? arch::find_code_target(*known, built.suffix) : std::nullopt;
  if (kind == CodeKind::elf) {
    bool loads = target ? arch::sass_loads(*target, device) : sass_loads(built, device);
    return loads ? Loads::yes : Loads::no;
  }
  bool loads = target ? arch::ptx_loads(*target, device) : ptx_loads(built, device);
  return loads ? Loads::jit : Loads::no;
}

}  // namespace ungate::binary

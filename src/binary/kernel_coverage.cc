#include "binary/kernel_coverage.h"

#include <algorithm>
#include <map>

namespace ungate::binary {
namespace {

// Kernels that do something somewhere; others are empty by intention.
std::vector<char> with_bodies(const Kernels& kernels) {
  std::vector<char> out(kernels.names.size(), 0);
  for (const KernelImage& k : kernels.images) {
    if (k.code != 0 && !k.empty) out[k.name] = 1;
  }
  return out;
}

}  // namespace

std::string_view name_of(Use use) {
  switch (use) {
    case Use::none:
      return "none";
    case Use::trap:
      return "trap";
    case Use::empty:
      return "empty";
    case Use::jit:
      return "jit";
    case Use::code:
      break;
  }
  return "code";
}

std::vector<KernelUse> kernel_uses(const Listing& listing, const Kernels& kernels,
                                   arch::Device device) {
  std::vector<KernelUse> uses(kernels.names.size());
  std::vector<char> has_body = with_bodies(kernels);
  auto chosen = chosen_objects(listing, device);
  for (std::uint32_t i = 0; i < kernels.images.size(); ++i) {
    const KernelImage& k = kernels.images[i];
    const CodeObject& o = listing.objects[k.object];
    KernelUse mine{Use::none, i};
    if (counts(listing, listing.units[o.unit]) && chosen[o.unit] == k.object) {
      mine.use = o.kind == CodeKind::ptx            ? Use::jit
                 : k.trap                           ? Use::trap
                 : k.empty && has_body[k.name] != 0 ? Use::empty
                                                    : Use::code;
    }
    KernelUse& best = uses[k.name];
    if (best.image == UINT32_MAX || mine.use > best.use) best = mine;
  }
  return uses;
}

KernelCounts count(const std::vector<KernelUse>& uses) {
  KernelCounts out;
  for (const KernelUse& u : uses) {
    ++out.names;
    switch (u.use) {
      case Use::none:
        ++out.none;
        break;
      case Use::trap:
        ++out.trap;
        break;
      case Use::empty:
        ++out.empty;
        break;
      case Use::jit:
        ++out.jit;
        break;
      case Use::code:
        ++out.code;
        break;
    }
  }
  return out;
}

std::vector<BuiltCounts> count_by_target(const Listing& listing, const Kernels& kernels,
                                         const std::vector<KernelUse>& uses) {
  std::map<Built, std::vector<std::uint32_t>> names;
  for (const KernelImage& k : kernels.images) {
    const CodeObject& o = listing.objects[k.object];
    if (o.kind == CodeKind::elf) names[o.built].push_back(k.name);
  }
  std::vector<BuiltCounts> out;
  for (auto& [built, list] : names) {
    std::ranges::sort(list);
    auto repeated = std::ranges::unique(list);
    list.erase(repeated.begin(), repeated.end());
    BuiltCounts counts{built, list.size(), 0, 0};
    for (std::uint32_t name : list) {
      if (uses[name].use == Use::code) ++counts.code;
      if (uses[name].use == Use::jit) ++counts.jit;
    }
    out.push_back(counts);
  }
  return out;
}

State state_of(const KernelCounts& c) {
  if (c.names == 0) return State::no_device_code;
  if (c.code == c.names) return State::covered;
  if (c.jit == c.names) return State::jit_only;
  return c.code == 0 && c.jit == 0 ? State::no_code : State::partly;
}

State state_of(const Listing& listing, const std::optional<Kernels>& kernels, arch::Device device) {
  if (!kernels || kernels->names.empty()) return coverage_of(listing, device).state;
  return state_of(count(kernel_uses(listing, *kernels, device)));
}

}  // namespace ungate::binary

#include "cuda/arch_terms.h"

#include <set>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::cuda {
namespace {

using arch::CodeTarget;
using arch::CodeTargetSet;
using arch::Device;
using arch::Suffix;

template <class Spell>
std::string for_devices(CodeTargetSet targets, std::string_view separator, Spell spell) {
  std::vector<std::string> terms;
  for (unsigned d : arch::devices_of(targets)) terms.push_back(spell(Device(d)));
  return text::join(terms, separator);
}

}  // namespace

std::string equal_terms(CodeTargetSet targets) {
  return for_devices(targets, " || ",
                     [](Device d) { return fmt::format("__CUDA_ARCH__ == {}", d.cuda_arch()); });
}

std::string unequal_terms(CodeTargetSet targets) {
  return for_devices(targets, " && ",
                     [](Device d) { return fmt::format("__CUDA_ARCH__ != {}", d.cuda_arch()); });
}

std::string family_terms(CodeTargetSet targets) {
  std::set<int> majors;
  for (unsigned d : arch::devices_of(targets)) majors.insert(Device(d).major());
  std::vector<std::string> terms;
  for (int major : majors) terms.push_back(fmt::format("__CUDA_ARCH__ / 100 == {}", major));
  return text::join(terms, " || ");
}

std::string feature_terms(CodeTargetSet targets) {
  return for_devices(targets, " || ", [&](Device d) {
    bool plain = false, family = false;
    for (unsigned t : arch::code_targets_of(d) & targets) {
      plain |= CodeTarget(t).suffix() == Suffix::plain;
      family |= CodeTarget(t).suffix() == Suffix::family;
    }
    if (plain) return fmt::format("__CUDA_ARCH__ == {}", d.cuda_arch());  // no feature macro there
    if (family) return fmt::format("__CUDA_ARCH_FAMILY_SPECIFIC__ == {}", d.cuda_arch());
    return fmt::format("defined(__CUDA_ARCH_FEAT_SM{}_ALL)", d.cc());
  });
}

CodeTargetSet family_of(CodeTargetSet targets) {
  CodeTargetSet out;
  for (unsigned d : arch::devices_of(targets)) {
    for (unsigned other : arch::all_devices()) {
      if (Device(other).major() == Device(d).major()) out |= arch::code_targets_of(Device(other));
    }
  }
  return out;
}

}  // namespace ungate::cuda

#include "cuda/predefined.h"

#include <fmt/core.h>

#include "base/text.h"

namespace ungate::cuda {
namespace {

using arch::CodeTarget;
using arch::Suffix;

constexpr std::string_view kFeaturePrefix = "__CUDA_ARCH_FEAT_SM";
constexpr std::string_view kFeatureSuffix = "_ALL";

Predefined defined_as(std::string body) { return {true, false, std::move(body)}; }
Predefined defined_if(bool defined, int value) {
  return defined ? defined_as(std::to_string(value)) : Predefined{};
}

bool is_feature(std::string_view macro) {
  return macro.starts_with(kFeaturePrefix) && macro.ends_with(kFeatureSuffix);
}

std::optional<Predefined> of_target(std::string_view macro, CodeTarget target) {
  int arch = target.device().cuda_arch();
  bool exact = target.suffix() == Suffix::exact;
  bool family = exact || target.suffix() == Suffix::family;
  if (macro == "__CUDA_ARCH__") return defined_as(std::to_string(arch));
  if (macro == "__CUDA_ARCH_SPECIFIC__") return defined_if(exact, arch);
  if (macro == "__CUDA_ARCH_FAMILY_SPECIFIC__") return defined_if(family, arch);
  if (is_feature(macro)) {
    std::string mine = fmt::format("{}{}{}", kFeaturePrefix, target.device().cc(), kFeatureSuffix);
    return defined_if(exact && macro == mine, 1);
  }
  if (macro == "__CUDA_HAS_ARCH_SPECIFIC") {
    return Predefined{exact, true, "(__CUDA_ARCH_SPECIFIC__ == N##0)"};
  }
  if (macro == "__CUDA_HAS_ARCH_FAMILY_SPECIFIC") {
    // True for N and older members of the family: 120 holds on sm_121f, 121 does not hold on
    // sm_120f.
    return Predefined{
        family, true,
        "(__CUDA_ARCH_FAMILY_SPECIFIC__ >= N##0 && __CUDA_ARCH_FAMILY_SPECIFIC__ < N##0 + 100)"};
  }
  return std::nullopt;
}

}  // namespace

bool depends_on_target(std::string_view macro) {
  return macro == "__CUDA_ARCH__" || macro == "__CUDA_ARCH_SPECIFIC__" ||
         macro == "__CUDA_ARCH_FAMILY_SPECIFIC__" || macro == "__CUDA_HAS_ARCH_SPECIFIC" ||
         macro == "__CUDA_HAS_ARCH_FAMILY_SPECIFIC" || is_feature(macro);
}

std::optional<Predefined> predefined(std::string_view macro, CodeTarget target, Pass pass) {
  if (depends_on_target(macro)) {
    return pass == Pass::device ? of_target(macro, target) : Predefined{};
  }
  if (macro == "__CUDACC__" || macro == "__NVCC__") return defined_if(pass != Pass::plain, 1);
  return std::nullopt;
}

void assume_toolkit(value::World& world, int major, int minor, const std::string& origin) {
  auto set = [&](std::string_view name, std::int64_t n) {
    world.assume({value::Free::Kind::macro, Symbol(name)}, n, origin);
  };
  set("CUDA_VERSION", major * 1000 + minor * 10);
  set("CUDART_VERSION", major * 1000 + minor * 10);
  set("__CUDACC_VER_MAJOR__", major);
  set("__CUDACC_VER_MINOR__", minor);
  set("__CUDA_API_VER_MAJOR__", major);
  set("__CUDA_API_VER_MINOR__", minor);
}

void assume_linux_gcc(value::World& world, const std::string& origin) {
  for (std::string_view absent : {"_MSC_VER",
                                  "_MSVC_LANG",
                                  "_WIN32",
                                  "_WIN64",
                                  "__MINGW32__",
                                  "__APPLE__",
                                  "__clang__",
                                  "__CLANGD__",
                                  "__ICC",
                                  "__INTEL_COMPILER",
                                  "__PGI",
                                  "_NVHPC_CUDA",
                                  "__NVCOMPILER",
                                  "__CUDACC_RTC__",
                                  "__HIPCC__",
                                  "__HIP__",
                                  "__HIP_PLATFORM_AMD__",
                                  "__HIP_PLATFORM_HCC__",
                                  "__HIP_DEVICE_COMPILE__",
                                  "USE_ROCM",
                                  "__INTELLISENSE__",
                                  "__CLION_IDE__",
                                  "__DOXYGEN__",
                                  "DOXYGEN_SHOULD_SKIP_THIS"}) {
    world.assume({value::Free::Kind::macro, Symbol(absent)}, std::monostate{}, origin);
  }
  world.assume({value::Free::Kind::macro, Symbol("__linux__")}, std::int64_t{1}, origin);
}

}  // namespace ungate::cuda

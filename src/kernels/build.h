// Compiles the bundled kernels for one code target: the library, its test suite and its benchmark.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "base/error.h"
#include "kernels/sources.h"
#include "prove/compiler.h"

namespace ungate::kernels {

struct BuildRequest {
  Sources sources;
  prove::Compiler compiler;
  arch::CodeTarget target;
  std::string cache;      // folder; a build is found there again as long as nothing has changed
  bool programs = false;  // the test suite and the benchmark, too
  int jobs = 1;
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(std::size_t done, std::size_t of)> progress;
};

// What the compiler says of one kernel.
struct KernelUse {
  std::string name;  // "oneshot bf16, 4 ranks, 1 pack, norm"
  std::uint32_t registers = 0;
  std::uint64_t shared_bytes = 0, spill_bytes = 0;
};

struct Build {
  std::string folder;   // with libarf.so and, if they were asked for, arf_verify and arf_bench
  std::string library;  // path of libarf.so
  std::vector<KernelUse> kernels;
  bool compiled = false;  // false: it was in the cache
  double seconds = 0;
};

// `proof_failed` with the compiler's first error if a source does not compile.
Result<Build> build(const BuildRequest& request);

// "$XDG_CACHE_HOME/ungate/kernels"; empty if there is no home.
std::string default_cache();

// What code for a device is compiled as: exactly this device where there is such code.
arch::CodeTarget target_for(arch::Device device);

// Writes a file anew.
Status write_text(const std::string& path, std::string_view text);

// A kernel's mangled name in words; the name itself if it is not one of ours.
std::string in_words(const std::string& mangled);

}  // namespace ungate::kernels

// Code for other devices behind a preprocessor condition: instructions that a device lacks, and names of parts that
// stand in kernels (internal).
#pragma once

#include <map>
#include <memory>

#include "gate/knowledge.h"
#include "gate/modules.h"

namespace ungate::gate {

// A condition is true for the device's exact code target, and false for another.
bool lets_in(const cuda::Outcomes& condition, arch::Device device);
// The other way round: `#if __CUDA_ARCH__ < 1000` in front of an #error.
bool spares(const cuda::Outcomes& condition, arch::Device device);

class ForeignCode {
 public:
  ForeignCode(const Knowledge& knowledge, CudaFiles& files);
  ~ForeignCode();

  // A quick look: false if no word of such code stands in the text.
  bool may_hold(std::string_view text, arch::Device device);
  // What stands in a range in any case and is not there on the device: not in arms within it that are not surely
  // compiled for its exact code target, not in what `if constexpr` may leave out. The range is an arm's text or part
  // of one. Empty: nothing was found.
  std::vector<Evidence> find(const std::string& path, const cuda::FileResult& result, source::Range range, arch::Device device);

 private:
  struct Words;   // of one device
  const Words& words_for(arch::Device device);

  const Knowledge& knowledge_;
  CudaFiles& files_;
  std::map<unsigned, std::unique_ptr<Words>> words_;
};

}  // namespace ungate::gate

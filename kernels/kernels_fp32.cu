#include "kernels_of.cuh"

namespace arf {

const void* find_kernel_fp32(const KernelKey& key) {
  return kernel_of<Fp32>(key);
}

}  // namespace arf

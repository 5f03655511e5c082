#include "kernels_of.cuh"

namespace arf {

const void* find_kernel_fp16(const KernelKey& key) {
  return kernel_of<Fp16>(key);
}

}  // namespace arf

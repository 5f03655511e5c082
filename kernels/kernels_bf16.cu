#include "kernels_of.cuh"

namespace arf {

const void* find_kernel_bf16(const KernelKey& key) {
  return kernel_of<Bf16>(key);
}

}  // namespace arf

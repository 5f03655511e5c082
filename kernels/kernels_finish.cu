#include "finish.cuh"

namespace arf {
namespace {

template <class T, int E>
const void* finish_of(int packs) {
  return packs == 1 ? reinterpret_cast<const void*>(&finish_rows<T, 1, E>)
                    : reinterpret_cast<const void*>(&finish_rows<T, 2, E>);
}

}  // namespace

const void* find_finish(int dtype, int packs, int epilogue) {
  const bool plain = epilogue == kNorm;
  if (dtype == ARF_BF16)
    return plain ? finish_of<Bf16, kNorm>(packs) : finish_of<Bf16, kQuantised>(packs);
#ifndef ARF_FEW_KERNELS
  if (dtype == ARF_FP16)
    return plain ? finish_of<Fp16, kNorm>(packs) : finish_of<Fp16, kQuantised>(packs);
  if (dtype == ARF_FP32 && plain) return finish_of<Fp32, kNorm>(packs);
#endif
  return nullptr;
}

}  // namespace arf

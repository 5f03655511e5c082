#include <flashinfer/comm/small.cuh>

void small(float* out) { small_kernel<<<1, 32>>>(out); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(small, small);

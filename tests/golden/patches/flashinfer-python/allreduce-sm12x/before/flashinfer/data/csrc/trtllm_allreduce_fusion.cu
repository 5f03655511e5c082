#include <flashinfer/comm/trtllm_allreduce_fusion.cuh>
#include <flashinfer/comm/trtllm_moe_allreduce_fusion.cuh>

void trtllm_allreduce_fusion(float* out, float const* in, bool oneshot) {
  cudaLaunchConfig_t cfg = {0};
  flashinfer::trtllm_allreduce_fusion::launch<1, float, 8, false>({true}, out, in, oneshot, cfg);
  flashinfer::trtllm_moe_allreduce_fusion::launch_reduction<float, 8, true, true, true, false>(out, 512, cfg);
  flashinfer::trtllm_moe_allreduce_fusion::launch_finalize<float, 8, true, true, false, float>(out, 512, cfg);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(trtllm_allreduce_fusion, trtllm_allreduce_fusion);

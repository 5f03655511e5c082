#include <flashinfer/comm/trtllm_allreduce.cuh>

#include <cstdint>

using namespace flashinfer::trtllm_allreduce;

struct Fused {
  AllReduceParams<float> fusion_params;
};

void trtllm_custom_all_reduce(int64_t* first, int64_t* second, int64_t* third, int tp_size) {
  Fused params;
  for (int i = 0; i < tp_size; ++i) {
    params.fusion_params.lamport_peer_comm_buffer_ptrs[i] = reinterpret_cast<void*>(
        first[i]);
    params.fusion_params.lamport_peer_comm_buffer_ptrs[MAX_RANKS_PER_NODE + i] = reinterpret_cast<void*>(
        second[i]);
    params.fusion_params.lamport_peer_comm_buffer_ptrs[2 * MAX_RANKS_PER_NODE + i] =
        reinterpret_cast<void*>(third[i]);
  }
  launch_one_shot<float, 8, false, false>(params.fusion_params, true, 0);
  launch_norm<float>(params.fusion_params, 0);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(trtllm_custom_all_reduce, trtllm_custom_all_reduce);

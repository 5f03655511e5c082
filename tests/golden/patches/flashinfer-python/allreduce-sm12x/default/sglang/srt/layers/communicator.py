from sglang.srt.server_args import get_global_server_args
from sglang.srt.utils import (
    is_cuda,
    is_flashinfer_available,
    is_sm90_supported,
    is_sm100_supported, is_sm120_supported,
)

_is_cuda = is_cuda()
_is_flashinfer_available = is_flashinfer_available()
_is_sm90_supported = _is_cuda and is_sm90_supported()
_is_sm100_supported = _is_cuda and is_sm100_supported()
_is_sm120_supported = _is_cuda and is_sm120_supported()


def apply_flashinfer_allreduce_fusion(batch_size: int):
    return (
        (_is_sm90_supported or _is_sm100_supported or _is_sm120_supported)
        and _is_flashinfer_available
        and batch_size > 0
        and get_global_server_args().enable_flashinfer_allreduce_fusion
    )


def gather(hidden_states, residual, layernorm):
    if apply_flashinfer_allreduce_fusion(hidden_states.shape[0]):
        return layernorm.forward_with_allreduce_fusion(hidden_states, residual)
    return layernorm(hidden_states, residual)

import torch

from sglang.srt.utils import is_sm100_supported

USE_DEEPGEMM = torch.cuda.get_device_capability()[0] >= 9

SIZES = {9: 64, 10: 128}


class Experts:
    def __init__(self):
        self.runner = "triton"
        if USE_DEEPGEMM:
            self.runner = "grouped"

    def size(self, world_size):
        capability = torch.cuda.get_device_capability()[0]
        if capability < 9:
            return None
        if world_size not in SIZES[capability]:
            return None
        return SIZES[capability]


def shared_down_projection(hidden):
    if is_sm100_supported():
        return torch.ops.sgl_kernel.dsv3_fused_a_gemm(hidden)
    return hidden

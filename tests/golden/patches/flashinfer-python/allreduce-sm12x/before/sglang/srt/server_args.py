import dataclasses

import torch

from sglang.srt.utils import is_sm90_supported, is_sm100_supported, is_sm120_supported


@dataclasses.dataclass
class ServerArgs:
    model_arch: str
    nnodes: int = 1
    enable_flashinfer_allreduce_fusion: bool = False

    def _handle_model_specific_adjustments(self):
        if (
            not self.enable_flashinfer_allreduce_fusion
            and self.model_arch in ["GptOssForCausalLM"]
            and (is_sm90_supported() or is_sm100_supported())
            and self.nnodes == 1
        ):
            self.enable_flashinfer_allreduce_fusion = True

    def backend(self):
        major, _ = torch.cuda.get_device_capability()
        if is_sm120_supported() or is_sm100_supported():
            return "blackwell"
        return "hopper" if is_sm90_supported() and major == 9 else "any"


_global_server_args = None


def set_global_server_args(server_args):
    global _global_server_args
    _global_server_args = server_args


def get_global_server_args():
    return _global_server_args

import logging

import torch

from sglang.srt.layers.linear import scaled_linear
from sglang.srt.utils import is_sm100_supported

logger = logging.getLogger(__name__)


class ServerArgs:
    def __init__(self, attention_backend):
        self.attention_backend = attention_backend

    # The arm that takes the target cannot serve it (sgl-project/sglang#34827 is of this kind).
    def choose_attention(self):
        if is_sm100_supported():
            self.attention_backend = "trtllm_mha"
        elif torch.cuda.get_device_capability()[0] >= 8:
            self.attention_backend = "fa3"
        else:
            self.attention_backend = "triton"

    # What is refused stands in the test around it.
    def check_attention(self):
        if self.attention_backend == "trtllm_mla":
            if not is_sm100_supported():
                raise ValueError("trtllm_mla needs sm_100")

    # What a function does in any case, and nothing that is only logged.
    def linear(self):
        if torch.cuda.get_device_capability()[0] >= 10:
            logger.info("not trtllm, not fa3")
            return scaled_linear
        return None

    def choose_linear_attention(self):
        if is_sm100_supported() and self.mamba_dtype == "bfloat16":  # another choice by the same word: not known
            self.linear_attn_decode_backend = "flashinfer"

import torch


def linear(a, b):
    if torch.cuda.get_device_capability()[0] in (9, 10):  # kernels for sm_120 are installed: not known
        return deep_gemm_nt(a, b)
    return a @ b


def logits(q, k):
    if torch.cuda.get_device_capability()[0] in (9, 10):  # none for this
        return fp8_mqa_logits(q, k)
    return q @ k

import torch


def is_sm90():
    return torch.cuda.get_device_capability()[0] == 9


def attention(q):
    if is_sm90():
        from flash_attn_3 import flash_attn_3_cuda
        return flash_attn_3_cuda(q)
    return q


def decode(q):
    major = torch.cuda.get_device_capability()[0]
    if major in (9, 10):
        return torch.ops.flash_mla_fwd(q)
    return q


def project(x):
    if torch.cuda.get_device_capability()[0] >= 9:
        return torch.ops.dsv3_fused_a_gemm(x)
    return x


def forward(x):
    major = torch.cuda.get_device_capability()[0]
    if major == 9:
        kernel = FlashAttentionForwardSm90(x)
    elif major == 10:
        kernel = FlashAttentionForwardSm100(x)
    else:
        raise NotImplementedError(f"compute capability {major}")
    return kernel


def plain(x):
    # Nothing here says what it is made of.
    if torch.cuda.get_device_capability()[0] == 10:
        return is_sm100_fast(x)
    return x


def is_sm100_fast(x):
    return x + 1


def _flash_attn_fwd(q, k, v, qv=None):
    arch = torch.cuda.get_device_capability()[0]
    if qv is not None:
        assert arch in [10, 11], "qv is in the kernels for the sm_100 family"
    return q


def round_cache(cache, enable_stochastic_rounding):
    if enable_stochastic_rounding:
        if torch.cuda.get_device_capability()[0] != 10:
            raise ValueError("it has no instruction for it")
    return cache

import functools

import torch


@functools.lru_cache
def capability():
    return torch.cuda.get_device_capability()


def has_tensor_memory():
    major, _ = capability()
    return major == 10 or major == 11

import torch


def is_blackwell():
    return torch.cuda.get_device_capability()[0] >= 10


def attention_backend(asked):
    if asked is not None:
        backend = asked
    elif torch.cuda.get_device_capability()[0] == 9:
        backend = "fa3"
    else:
        backend = "triton_attn"
    if backend == "fa3" and is_blackwell():
        raise ValueError("fa3 has no code for Blackwell")
    return backend

import torch


def is_sm100_supported():
    return torch.cuda.get_device_capability()[0] == 10


def is_blackwell_supported():
    return torch.cuda.get_device_capability()[0] in (10, 11, 12)


def is_cuda():
    return True

import torch


def is_sm100_supported():
    return torch.cuda.get_device_capability()[0] == 10

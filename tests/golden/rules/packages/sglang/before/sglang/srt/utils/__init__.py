import torch


def is_sm100_supported(device=None):
    return torch.cuda.get_device_capability(device)[0] == 10

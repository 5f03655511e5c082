import torch


def is_datacenter():
    return torch.cuda.get_device_capability()[0] == 10

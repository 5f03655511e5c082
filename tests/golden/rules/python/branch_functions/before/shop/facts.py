import torch


def _capability():
    return torch.cuda.get_device_capability()


def _is_hopper():
    return _capability() == (9, 0)


def supports_fused(device):
    if not _is_hopper():
        return False
    return device.index is not None

import torch

_ARCH = None


def init_arch():
    global _ARCH
    major, minor = torch.cuda.get_device_capability()
    _ARCH = (major, minor)


def current_arch():
    if _ARCH is None:
        init_arch()
    return _ARCH


def supports_pdl():
    return current_arch()[0] >= 9  # open

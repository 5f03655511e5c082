import torch


def pick(backend):
    supports_wide = False
    if torch.cuda.get_device_capability()[0] == 9:
        supports_wide = True
    if backend in ("wide", "auto") and supports_wide:
        return "wide"
    return "narrow"

import torch


def cute_available(device):
    return torch.cuda.get_device_capability(device) in ((10, 0), (10, 3))


def norm_backend(backend, device):
    if backend != "cake" and cute_available(device):
        return "cute"
    return None


def norm(x, backend="auto"):
    chosen = norm_backend(backend, x.device)
    if chosen is None:  # closed
        raise ValueError("no backend for this device")
    return chosen


def attention_backend(device):
    return "cute" if cute_available(device) else "triton"


def attention(x):
    chosen = attention_backend(x.device)
    if chosen is None:  # every device gets one
        raise ValueError("no backend")
    if chosen == "cute":  # what was chosen is told where it was
        return 1
    return 2

import torch

from shop import tuning


def device_major():
    return torch.cuda.get_device_capability()[0]


def choose(kind):
    if device_major() == 12:
        kind = "plain"
    elif device_major() == 10:
        tuning.set_version(4)
        kind = "fast"
    else:
        kind = "fast"
    return kind


def own_code_for_each():
    if device_major() == 12:
        kind = "twelve"
    elif device_major() == 10:
        kind = "ten"
    else:
        kind = "nine"
    return kind

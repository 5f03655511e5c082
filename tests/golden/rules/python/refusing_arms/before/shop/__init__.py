import torch

from .utils import unavailable

_ORIGINAL = {}


def is_loadable(strict=False):
    major, minor = torch.cuda.get_device_capability()
    if major not in (9, 10):  # closed
        return unavailable(f"DeepGEMM requires Hopper or Blackwell, not {major}.{minor}", strict=strict)
    return True


def load():
    is_loadable(strict=True)  # closed: raises
    return True


def pick(selected, capability=None):
    if torch.cuda.get_device_capability() not in ((8, 9), (9, 0)):  # closed: as it was
        return selected
    return "flash"


def init(layer, rank):
    if rank > 4 or torch.cuda.get_device_capability() != (9, 0):  # closed
        return _ORIGINAL["init"](layer, rank)
    layer.weight = torch.linalg.eigh(layer.weight)
    return layer.weight


def overrides(args):
    if torch.cuda.get_device_capability() != (9, 0):  # closed: nothing is overridden
        return {}
    return {"backend": "hopper"}


def scales(layer):
    if torch.cuda.get_device_capability() != (9, 0):  # closed
        return None, None
    return layer.scale, layer.zero

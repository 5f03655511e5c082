import torch

from .kernels import missing

_supported = None
_capability = None
_forced = None

fast_mm = missing
if torch.cuda.get_device_capability()[0] == 10:  # closed
    from elsewhere import fast_mm


def supported(x):
    global _supported
    if _supported is None:
        _supported = torch.cuda.get_device_capability() == (9, 0)  # closed
    return _supported and x.is_contiguous()  # closed


def device_capability():
    global _capability
    if _capability is None:
        _capability = torch.cuda.get_device_capability()
    return _capability


def force(value):
    global _forced
    _forced = value


def plan(x):
    if device_capability()[0] != 9:  # closed
        return None
    if _forced is not None:  # a caller's wish
        return _forced
    return x


def matmul(x):
    if fast_mm is not missing:  # closed
        return fast_mm(x)
    return None


def what_is_wrong(x, rows):
    if rows > 1024:
        return "there are too many rows"
    if torch.cuda.get_device_capability()[0] != 10:  # closed
        return "it needs sm_100"
    return None


def fuse(x, rows):
    wrong = what_is_wrong(x, rows)
    if wrong is not None:  # closed
        raise RuntimeError(wrong)
    return x

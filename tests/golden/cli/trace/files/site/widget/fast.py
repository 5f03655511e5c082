import torch


def make_fast_path():
    major, minor = torch.cuda.get_device_capability()
    if major not in (9, 10):
        raise RuntimeError(f"The fast path of widgets wants Hopper or newer, this is {major}.{minor}")
    return True


def make_other_path():
    capability = torch.cuda.get_device_capability()
    if capability[0] != 10:
        raise ValueError("other widgets are made for Blackwell servers alone")
    return False

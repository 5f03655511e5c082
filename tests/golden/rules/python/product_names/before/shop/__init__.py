import torch


def name():
    if hasattr(torch, "cuda") and torch.cuda.is_available():
        return torch.cuda.get_device_name(0)


def swap_operands():
    product = name()
    small = product and "H20" in product and "H200" not in product
    return small and torch.cuda.get_device_capability()[0] == 9


def batch():
    label = torch.cuda.get_device_name(0).replace(" ", "_")
    if "GB10" in label:
        return 8
    return 64


def is_consumer():
    return "GeForce" in torch.cuda.get_device_name(0)


def other_vendor():
    return "ZW" in torch.cuda.get_device_name()

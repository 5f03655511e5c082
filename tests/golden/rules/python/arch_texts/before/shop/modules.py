import torch

ARCHES = ("sm_100a", "sm_103a")
WIDE = ("sm_90a", "sm_100f", "sm_120a")


def compiled_for(arch, capability=torch.cuda.get_device_capability()):
    if arch not in ARCHES:
        raise ValueError(f"unknown architecture {arch!r}")
    return arch


def spread(arch, capability=torch.cuda.get_device_capability()):
    if arch in WIDE:
        return 8
    return 1


def vendor(arch):
    if arch in ("gfx942", "gfx950"):
        return 4
    return compiled_for(arch)


def bits(width, arch, capability=torch.cuda.get_device_capability()):
    return 32 if arch == "sm_103a" else width

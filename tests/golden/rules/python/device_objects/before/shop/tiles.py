from cuda.core.experimental import Device
from numba import cuda


def wide_tiles():
    return Device().compute_capability.major == 10


def clusters():
    if cuda.get_current_device().compute_capability < (9, 0):
        raise RuntimeError("needs clusters")
    major, minor = Device(0).compute_capability
    if major not in (9, 10):
        raise RuntimeError("no kernel")
    return 8 if wide_tiles() else 4

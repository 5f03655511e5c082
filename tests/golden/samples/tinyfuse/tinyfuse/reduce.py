from .build import SOURCES, architectures, module


def reduce_module():
    flags = architectures.flags(supported_major_versions=[9, 10])
    return module("reduce", [SOURCES / "reduce.cu"], cuda_flags=flags)


def all_reduce(values):
    return reduce_module().all_reduce(values)

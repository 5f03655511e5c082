import functools

import torch

from sglang.kernels.jit.utils.compile.loader import load_jit


@functools.cache
def tensor_module(width):
    major, _ = torch.cuda.get_device_capability()
    if major != 10:
        raise RuntimeError("needs tensor memory")
    return load_jit("tensor", str(width), cuda_files=["math/tensor.cuh"],
                    cuda_wrappers=[("run", f"math::TensorKernel<{width}>::run"), ("mix", f"TensorKernel<{width}>::mix")])


@functools.cache
def held_module(width):
    return load_jit("held", cuda_files=["math/tensor.cuh"], cuda_wrappers=[("run", f"HeldKernel<{width}>::run")])


@functools.cache
def portable_module(width):
    return load_jit("portable", cuda_files=["math/tensor.cuh"], cuda_wrappers=[("run", f"PortableKernel<{width}>::run")])


@functools.cache
def chosen_module(width):
    return load_jit("chosen", cuda_files=["math/tensor.cuh"], cuda_wrappers=[("run", f"choose<{width}>")])


def multiply_tensor(a):
    return tensor_module(a.shape[0]).run(a)


def multiply_held(a):
    return held_module(a.shape[0]).run(a)


def multiply_portable(a):
    return portable_module(a.shape[0]).run(a)


def multiply_chosen(a):
    return chosen_module(a.shape[0]).run(a)

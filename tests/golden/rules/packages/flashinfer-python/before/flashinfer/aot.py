from .jit.comm import gen_small_module
from .jit.core import current_compilation_context


def has_sm100():
    return any("compute_100" in flag for flag in current_compilation_context.get_nvcc_flags_list())


def gen_all_modules():
    return [gen_small_module()] if has_sm100() else []

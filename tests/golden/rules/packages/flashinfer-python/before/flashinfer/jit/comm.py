from . import env as jit_env
from .core import current_compilation_context, gen_jit_spec


# Its module has a kernel that is empty on sm_120: a policy, but not to be lifted alone.
def gen_small_module():
    return gen_jit_spec(
        "small",
        [jit_env.FLASHINFER_CSRC_DIR / "small.cu"],
        extra_cuda_cflags=current_compilation_context.get_nvcc_flags_list(supported_major_versions=[9, 10]),
    )


# A note says that this one cannot run on sm_120.
def gen_trtllm_mnnvl_comm_module():
    return gen_jit_spec(
        "trtllm_mnnvl_comm",
        [jit_env.FLASHINFER_CSRC_DIR / "mnnvl.cu"],
        extra_cuda_cflags=current_compilation_context.get_nvcc_flags_list(supported_major_versions=[9, 10]),
    )

from . import env as jit_env
from .core import gen_jit_spec

sm90a_nvcc_flags = ["-gencode=arch=compute_90a,code=sm_90a", "-DWIDE"]


# The flags fix the device in one arm; the sources of that arm are written from a template with wgmma.
def gen_attention_module(backend, uri):
    flags = []
    if backend == "fa3":
        flags += sm90a_nvcc_flags
        with open(jit_env.FLASHINFER_CSRC_DIR / "attention_sm90.jinja") as f:
            text = f.read()
    else:
        with open(jit_env.FLASHINFER_CSRC_DIR / "small.cu") as f:
            text = f.read()
    return gen_jit_spec(uri, [write(uri, text)], extra_cuda_cflags=flags)


# Flags of several places admit what any of them builds for: nothing is shut out here.
def gen_both_module(uri):
    return gen_jit_spec(
        uri, [write(uri, "")], extra_cuda_cflags=sm90a_nvcc_flags + ["-gencode=arch=compute_120a,code=sm_120a"]
    )

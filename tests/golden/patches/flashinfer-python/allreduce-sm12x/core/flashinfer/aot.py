from .jit.comm import gen_trtllm_comm_module, gen_trtllm_mnnvl_comm_module
from .jit.core import current_compilation_context


def gen_all_modules(add_comm: bool, sm_capabilities: dict):
    jit_specs = []
    has_sm100 = sm_capabilities.get("sm100", False)
    has_sm120 = sm_capabilities.get("sm120", False)
    has_sm121 = sm_capabilities.get("sm121", False)
    if add_comm:
        if has_sm100 or has_sm120 or has_sm121:
            jit_specs.append(gen_trtllm_comm_module())
        if has_sm100:
            jit_specs.append(gen_trtllm_mnnvl_comm_module())
    if has_sm120 or has_sm121:
        jit_specs.append("sm12x")
    return jit_specs


def detect_sm_capabilities():
    flags = current_compilation_context.get_nvcc_flags_list()

    def has_sm(compute: str) -> bool:
        return any(compute in flag for flag in flags)

    return {
        "sm100": has_sm("compute_100"),
        "sm120": has_sm("compute_120"),
        "sm121": has_sm("compute_121"),
    }


def main():
    return gen_all_modules(True, detect_sm_capabilities())

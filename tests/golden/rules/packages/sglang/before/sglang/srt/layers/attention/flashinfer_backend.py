from sglang.srt.utils import is_sm100_supported


# A note says that what is behind it is tcgen05 code.
def prefill_backend():
    if is_sm100_supported():
        return "cutlass"
    return "auto"

from vllm.platforms import current_platform


def backend():
    if current_platform.has_tensor_memory():
        return "trtllm"
    return "flash"

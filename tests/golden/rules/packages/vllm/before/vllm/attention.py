from vllm.platforms import current_platform


def backend():
    if current_platform.is_device_capability(100):
        return "trtllm"
    return "flash"

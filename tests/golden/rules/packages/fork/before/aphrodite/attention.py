from aphrodite.platforms import current_platform


def use_trtllm_attention():
    return current_platform.is_family(100)


def choose():
    if current_platform.is_family(90):
        return "machete"
    return None

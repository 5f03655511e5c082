from vllm_omni.platforms import current_omni_platform

FUSED = (80, 90)


def pick():
    if current_omni_platform.capability() not in FUSED:
        return None
    return "fused"

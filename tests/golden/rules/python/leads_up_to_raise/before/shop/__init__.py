import torch


def is_hopper():
    return torch.cuda.get_device_capability()[0] == 9


def load_prefill():
    if not is_hopper():
        major = torch.cuda.get_device_capability()[0]
        raise RuntimeError(f"prefill needs sm_90, this is sm_{major}x")
    return "prefill"


def load_decode():
    if not is_hopper():
        why = "decode needs sm_90"
        return why
    return None


def pick_batch():
    if not is_hopper():
        batch = 64
        return batch
    return 128


def load_either(fallback):
    if not is_hopper():
        if fallback:
            return "fallback"
        raise RuntimeError("needs sm_90 or a fallback")
    return "wide"

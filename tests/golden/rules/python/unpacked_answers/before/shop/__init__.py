import torch


def supports_wide_tiles():
    major, minor = torch.cuda.get_device_capability()
    if major not in (9, 10):
        return False, f"no wide tiles on {major}.{minor}"
    return True, None


def load():
    supported, reason = supports_wide_tiles()
    if not supported:
        raise ValueError(reason)
    return "wide"


def pick():
    supported, reason = supports_wide_tiles()
    if supported:
        return "wide"
    return "narrow"

import torch
from packaging.version import Version


def is_sm100_supported():
    return torch.cuda.get_device_capability() >= (10, 0)


def is_sm100_or_newer():
    return torch.cuda.get_device_capability() >= (10, 0)


def has_twelve():
    if torch.cuda.get_device_capability()[0] != 12:
        return False
    return Version(torch.version.cuda) >= Version("12.8")


LIMITS = {90: {2: 64, 4: 32}, 100: {2: 64}}


class Limits:
    def largest_message(self, ranks):
        major, minor = torch.cuda.get_device_capability()
        return LIMITS.get(major * 10 + minor, {}).get(ranks)

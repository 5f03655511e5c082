from enum import Enum

import torch
import triton


class Backend(Enum):
    ADA = 101376
    HOPPER = 232448
    DEFAULT = 102400

    @classmethod
    def shared_memory(cls, arch: str) -> int:
        try:
            return cls[arch.upper()].value
        except KeyError:
            return cls.DEFAULT.value


def largest_shared_memory():
    try:
        return [
            triton.runtime.driver.active.utils.get_device_properties(i)["max_shared_mem"]
            for i in range(torch.cuda.device_count())
        ]
    except BaseException:
        return [-1]


def fits_in_block(arch="none", index=0):
    try:
        return largest_shared_memory()[index] >= Backend.shared_memory(arch)
    except Exception:
        return False



def tiles():
    if fits_in_block():
        return [32, 64]
    return [16, 32] if fits_in_block("ada") else [16]


def widest():
    return 128 if largest_shared_memory()[0] >= Backend.shared_memory("hopper") else 64

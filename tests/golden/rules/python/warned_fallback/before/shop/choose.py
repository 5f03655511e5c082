import logging

import torch

logger = logging.getLogger(__name__)


def is_wide():
    return torch.cuda.get_device_capability()[0] == 10


def backend(wanted):
    if wanted == "fast" and not is_wide():
        logger.warning("fast is for wide devices, taking the simple one")
        return "simple"
    return wanted


def pick_quietly(wanted):
    if wanted == "latency" and not (torch.cuda.get_device_capability()[0] == 10):
        logger.info("latency kernels are only supported on sm_100, throughput kernels are used instead")
        return "throughput"
    return wanted

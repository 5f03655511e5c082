import lib
import torch


def scaled(x, fast=False):
    if fast:  # closed: its own package hands it over
        return x * 2
    return x


def run(x):
    datacenter = torch.cuda.get_device_capability()[0] == 10  # closed
    lib.reduce(x, oneshot=datacenter)
    return scaled(x, fast=datacenter)

import torch


class Old:
    @classmethod
    def can_run(cls, shape):
        return torch.cuda.get_device_capability()[0] == 8


class Any:
    @classmethod
    def can_run(cls, shape):
        return shape % 64 == 0


def choose(shape):
    for kernel in (Old, Any):
        if kernel.can_run(shape):
            return kernel
    raise ValueError("no kernel")

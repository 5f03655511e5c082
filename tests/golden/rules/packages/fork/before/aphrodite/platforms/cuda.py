import torch

from .interface import Platform


class CudaPlatform(Platform):
    @classmethod
    def get_device_capability(cls, device_id=0):
        return torch.cuda.get_device_capability(device_id)

import torch


class CudaPlatform:
    @classmethod
    def get_device_capability(cls):
        return torch.cuda.get_device_capability()

    @classmethod
    def has_tensor_memory(cls):
        return cls.get_device_capability()[0] == 10

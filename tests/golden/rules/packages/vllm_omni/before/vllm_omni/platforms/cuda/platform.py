import torch


class CudaOmniPlatform:
    @classmethod
    def capability(cls):
        major, minor = torch.cuda.get_device_capability()
        return major * 10 + minor

import torch


class CudaPlatform:
    def get_device_capability(self):
        return torch.cuda.get_device_capability()

    def is_device_capability(self, capability):
        major, minor = self.get_device_capability()
        return major * 10 + minor == capability

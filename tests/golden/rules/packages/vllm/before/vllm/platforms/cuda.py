import torch


class CudaPlatformBase:
    @classmethod
    def get_device_capability(cls):
        raise NotImplementedError

    @classmethod
    def has_tensor_memory(cls):
        return cls.get_device_capability()[0] == 10

    # What the class that is made answers decides here, not the one that this stands in.
    @classmethod
    def check_config(cls, config):
        if cls.has_tensor_memory() and config.block_size is None:
            config.block_size = 128

    @classmethod
    def priorities(cls):
        if cls.get_device_capability()[0] == 10:
            return ["FLASHINFER", "FLASH_ATTN", "TRITON_ATTN"]
        else:
            return ["FLASH_ATTN", "FLASHINFER", "TRITON_ATTN"]


class CudaPlatform(CudaPlatformBase):
    @classmethod
    def get_device_capability(cls):
        return torch.cuda.get_device_capability()

import torch


class Operator:
    OLDEST = (5, 0)
    NEWEST = None

    @classmethod
    def reasons_against(cls, device):
        reasons = []
        capability = torch.cuda.get_device_capability(device)
        if capability < cls.OLDEST:
            reasons.append("the device is too old")
        elif cls.NEWEST is not None and capability > cls.NEWEST:
            reasons.append("the device is too new")
        return reasons


class Runner:
    served_archs: tuple

    def __init__(self):
        major, minor = torch.cuda.get_device_capability()
        self.device_arch = major * 10 + minor

    def check(self):
        if self.device_arch not in self.served_archs:
            raise RuntimeError(f"not for sm_{self.device_arch}")

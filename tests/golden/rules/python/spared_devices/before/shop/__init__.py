import torch


class Attention:
    def __init__(self, version):
        capability = torch.cuda.get_device_capability()
        self.pads = version is None or not (version == 3 and capability[0] == 9)

    def output(self, values):
        if self.pads:
            return values + [0]
        return values

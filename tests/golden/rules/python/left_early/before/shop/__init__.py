import torch

LARGEST = {9: 64, 10: 128}


class Communicator:
    def __init__(self):
        self.disabled = True
        major = torch.cuda.get_device_capability()[0]
        if major not in LARGEST:
            return
        self.largest = LARGEST[major]
        self.disabled = False

    def serves(self, size):
        if self.disabled:
            return False
        return size < self.largest

    def reduce(self, tensor):
        if not self.serves(tensor.numel()):
            return None
        return tensor

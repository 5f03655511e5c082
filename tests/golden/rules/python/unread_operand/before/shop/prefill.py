import torch
from elsewhere import settings


def use_wide_prefill():
    return settings.fast and torch.cuda.get_device_capability()[0] == 10 and settings.licensed()


class Builder:
    def __init__(self):
        self.wide_prefill = use_wide_prefill()

    def build(self, rows):
        if self.wide_prefill and rows > 0:
            return wide(rows)
        return plain(rows)

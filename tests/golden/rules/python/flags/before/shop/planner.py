import torch

from shop import settings


def is_hopper():
    return torch.cuda.get_device_capability() == (9, 0)


class Planner:
    def __init__(self):
        self.ahead = is_hopper()

    def build(self, fast):
        ahead = self.ahead and not fast
        if ahead:
            return "ahead"
        return "later"


def opted_in():
    return settings.SHOP_PLAN_AHEAD and is_hopper()


def size():
    large = False
    if is_hopper():
        large = True
    if large:
        return 64
    return 32


def not_for_ten(wanted):
    if wanted and not torch.cuda.get_device_capability()[0] in (10, 12):
        kind = "hopper"
    else:
        kind = "other"
    return kind

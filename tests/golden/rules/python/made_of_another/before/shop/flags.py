from elsewhere import settings

import torch


def may_compile():
    if torch.cuda.get_device_capability()[0] < 9:
        return False
    return settings.compile()


COMPILE = may_compile()
WIDE = COMPILE and torch.cuda.get_device_capability()[0] in (10, 12)

import os

import torch

use_fa3 = False
try:
    if torch.cuda.get_device_capability()[0] == 9:
        import flash_attn_interface
        use_fa3 = True
except Exception:
    pass

limit = 90
has_wide = torch.cuda.get_device_capability()[0] * 10 >= limit
limit = 200


def attention():
    if use_fa3:
        return "fa3"
    return "fa2"


# The default of a variable is only one of its values.
def is_supported():
    if int(os.environ.get("PKG_FUSED_MLP", "0")) <= 0:
        return False
    if torch.cuda.get_device_capability()[0] != 10:
        return False
    return True


class Op:
    def run(self, x):
        if has_wide and is_supported():
            return x + 1
        return x

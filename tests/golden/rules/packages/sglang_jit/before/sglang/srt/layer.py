import torch


def is_wide():
    return torch.cuda.get_device_capability()[0] == 10


class Layer:
    def forward(self, a):
        from sglang.kernels.ops import multiply_tensor

        if is_wide():
            return multiply_tensor(a)
        return a * 2

    def held(self, a):
        from sglang.kernels.ops import multiply_held

        if is_wide():
            return multiply_held(a)
        return a * 2

    def portable(self, a):
        from sglang.kernels.ops import multiply_portable

        if is_wide():
            return multiply_portable(a)
        return a * 2

    def chosen(self, a):
        from sglang.kernels.ops import multiply_chosen

        if is_wide():
            return multiply_chosen(a)
        return a * 2

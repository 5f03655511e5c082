from shop import kernels
from shop.compiled import matmul
from shop.device import is_datacenter


def refused(a, b):
    if not is_datacenter():
        raise RuntimeError("no kernel for this device")
    for part in a.chunks():
        out = matmul(part, b)
    return out


def stored(x, y):
    if is_datacenter():
        kernels.rounded[(1,)](x, y)
        return y
    return x.half()


def in_every_arm(a, b, small):
    if not is_datacenter():
        raise RuntimeError("no kernel for this device")
    if small:
        out = kernels.Blockwise()(a, b)
    else:
        out = matmul(a, b)
    return out


def in_one_arm(a, b, small):
    if not is_datacenter():
        raise RuntimeError("no kernel for this device")
    if small:
        kernels.copied[(1,)](a, b)
    else:
        matmul(a, b)
    return b


def on_request(a):
    if is_datacenter():
        return kernels.Portable().kernel(a, False)
    return a.clone()


def with_plans(a, b):
    if is_datacenter():
        def plan():
            return build(a)

        def build(x):
            return kernels.Blockwise()

        return plan()(a, b)
    return a @ b

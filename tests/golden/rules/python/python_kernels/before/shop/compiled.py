import functools

_compiled = {}


@functools.cache
def _compile(tile):
    from shop.kernels import Blockwise

    kernel = Blockwise()
    return kernel


def matmul(a, b):
    key = (a.shape, b.shape)
    if key not in _compiled:
        _compiled[key] = _compile(128)
    return _compiled[key](a, b)

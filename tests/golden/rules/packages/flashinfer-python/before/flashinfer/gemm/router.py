import functools

from ..jit import env
from ..jit.core import gen_jit_spec
from ..utils import backend_requirement, supported_compute_capability


def gen_router_module():
    return gen_jit_spec("router", [env.FLASHINFER_CSRC_DIR / "router.cu"])


@functools.cache
def get_router_module():
    module = gen_router_module().build_and_load()

    def route(x, out):
        module.route(x, out)

    return route


@supported_compute_capability([100, 103])
def _check_route(x, out):
    return x.shape[0] <= 16


@backend_requirement({}, common_check=_check_route)
def route(x, out):
    """Choose experts."""
    get_router_module()(x, out)

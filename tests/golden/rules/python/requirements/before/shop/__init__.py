from dataclasses import dataclass

from .registry import Needs, register


@dataclass(frozen=True)
class Version:
    major: int
    minor: int


NVIDIA = frozenset({"nvidia"})


@register("add", capability=Needs(min_arch_version=Version(10, 0), max_arch_version=Version(10, 3), vendors=NVIDIA))  # closed
def add(x):
    return x


@register("sub", capability=Needs(min_arch_version=Version(9, 0), vendors=NVIDIA))  # open
def sub(x):
    return x


@register("mul", capability=Needs(min_arch_version=Version(12, 5), vendors=frozenset({"amd"})))  # of others
def mul(x):
    return x


@register("div", capability=Needs.hip(min_sm=(12, 5)))  # of others
def div(x):
    return x


try:
    import fast

    @register("mod", capability=Needs.cuda(max_sm=(9, 0)))  # closed
    def mod(x):
        return fast.mod(x)
except ImportError:
    pass

SPECS = [Needs(min_sm=90), Needs(max_sm=103)]  # open, closed


def build():
    from .registry import override_jit_cuda_arch

    with override_jit_cuda_arch(9, 0, "a"):  # closed: built for one architecture
        return fast.load("sparse")


def quantize(x):
    from flashinfer.utils import get_compute_capability

    major, minor = get_compute_capability(x.device)
    if major != 10:  # closed
        raise ValueError("needs sm_100")
    return fast.quantize(x)

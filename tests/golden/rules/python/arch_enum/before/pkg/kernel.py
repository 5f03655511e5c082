from cutlass import BaseDSL
from cutlass.base_dsl.arch import Arch


class Forward:
    def __init__(self):
        self.arch = BaseDSL._get_dsl().get_arch_enum()
        assert (
            Arch.sm_100 <= self.arch <= Arch.sm_100f
            or Arch.sm_103 <= self.arch <= Arch.sm_103f
        ), "needs tensor memory"
        self.use_bulk_copies = self.arch >= Arch.sm_90


def check():
    arch = BaseDSL._get_dsl().get_arch_enum()
    if not arch.is_family_of(Arch.sm_120f):
        raise ValueError("needs sm_120f")
    if arch == Arch.sm_90a:
        return "wgmma"
    return "mma"

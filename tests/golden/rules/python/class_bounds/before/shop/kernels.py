from shop import Operator, Runner

HOPPER = (90,)


class Cutlass(Operator):
    OLDEST = (8, 0)
    NEWEST = (9, 0)


class Triton(Operator):
    OLDEST = (8, 0)


class Mixed(Runner):
    served_archs = HOPPER


class Wide(Runner):
    served_archs = (90, 100, 120)


class Annotated(Runner):
    served_archs: tuple = HOPPER

from .platform import Platform, Version, current, ordered

_KNOWN = frozenset({Version(10, 0), Version(10, 3)})


def a():
    if not current().is_blackwell:  # closed
        raise RuntimeError("Blackwell only")


def b(x):
    if Version(10, 0) <= current().version <= Version(10, 3) and x:  # closed
        return 1
    return None


def c():
    if current().version in _KNOWN:  # closed
        return 1
    return None


def d():
    if Platform.get().is_hopper_plus:  # open
        return 1
    return None


def e():
    if ordered() >= 9 and ordered() < 10:  # not an object: closed
        return 1
    return None

_PROBES = {"is_cuda": "is_cuda", "is_datacenter": "is_sm100_supported", "is_blackwell_like": "is_blackwell_supported"}


class Platform:
    __slots__ = ("_overrides",)

    def __init__(self):
        object.__setattr__(self, "_overrides", {})

    def __getattr__(self, name):
        probe = _PROBES.get(name)
        if probe is None:
            raise AttributeError(name)
        overrides = object.__getattribute__(self, "_overrides")
        if name in overrides:
            return overrides[name]
        from shop.utils import common as _common

        return getattr(_common, probe)()


_PLATFORM = Platform()


def get_platform():
    return _PLATFORM

_current_platform = None


def resolve_obj_by_qualname(name):
    import importlib
    module, _, cls = name.rpartition(".")
    return getattr(importlib.import_module(module), cls)


def __getattr__(name):
    if name == "current_platform":
        global _current_platform
        if _current_platform is None:
            _current_platform = resolve_obj_by_qualname("aphrodite.platforms.cuda.CudaPlatform")()
        return _current_platform
    raise AttributeError(name)

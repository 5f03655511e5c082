# The platform is made when it is first asked for; the rule says which class it is.
_current_platform = None


def __getattr__(name):
    global _current_platform
    if name == "current_platform":
        if _current_platform is None:
            _current_platform = object()
        return _current_platform
    raise AttributeError(name)

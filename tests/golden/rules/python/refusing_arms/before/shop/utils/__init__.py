def unavailable(message, strict=False):
    if strict:
        raise ImportError(message)
    return False

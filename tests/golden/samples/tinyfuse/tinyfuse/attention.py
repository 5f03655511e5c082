from .devices import capability, has_tensor_memory


def backend():
    if has_tensor_memory():
        return "tcgen05"
    return "mma"


def attend(query):
    major, minor = capability()
    if major not in (9, 10):
        raise NotImplementedError("attention needs Hopper or Blackwell")
    return backend()

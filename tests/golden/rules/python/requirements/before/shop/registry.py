class Needs:
    def __init__(self, **bounds):
        self.bounds = bounds


def register(name, capability):
    return lambda function: function


def override_jit_cuda_arch(major, minor, suffix=""):
    return (major, minor, suffix)

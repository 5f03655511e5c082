class Needs:
    def __init__(self, **bounds):
        self.bounds = bounds


def register(name, capability):
    return lambda function: function

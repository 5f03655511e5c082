import torch


def is_hopper():
    return torch.cuda.get_device_capability()[0] == 9


class Context:
    def __init__(self):
        self.settings = None
        self.major = torch.cuda.get_device_capability()[0]


class Flags:
    def __init__(self):
        self.runner = None


CONTEXT = Context()
FLAGS = Flags()


def get_runner():
    if FLAGS.runner is None:
        FLAGS.runner = "auto"
    return FLAGS.runner


def load():
    if get_runner() == "wide":
        if not is_hopper():
            raise ValueError("the wide runner needs sm_90")
    return "narrow"

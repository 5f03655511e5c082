import torch

SHORT = {"half": "f16", "bfloat": "bf16"}


def device_arch():
    major, minor = torch.cuda.get_device_capability()
    return f"{major}{minor}a"


def recipe():
    return {"90a": (1, 128), "100a": (1, 1, 128)}[device_arch()]


def multiply(a, b):
    shape = recipe()
    run = {
        "100a": lambda x, y: x @ y,
        "103a": lambda x, y: y @ x,
    }[device_arch()]
    return run(a, b), shape


def kind():
    return "half" if torch.cuda.get_device_capability()[0] < 9 else None


def name_of(kind):
    return "kernel_" + SHORT[kind]


def build():
    return name_of(kind())

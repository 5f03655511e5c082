"""A world without torch and without a device, in which the code of a package can be run.

A Stub is anything: a module, a function, a decorator, a value. A truth that hangs on one is drawn anew each
time, so that repeated calls of a function take different ways through it.
"""
import builtins
import inspect
import random
import re
import types


class StubBase:
    """What a class that derives from a stub derives from."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(name)


class Stub(types.ModuleType):
    """`asked` counts how often a stub had to answer for itself; `draw` answers (None: always yes)."""

    asked = 0
    draw = None

    def __init__(self, name="stub"):
        super().__init__(name)
        self.__dict__["__path__"] = []
        self.__dict__["__file__"] = "stub"
        self.__dict__["__all__"] = []
        self.__dict__["__version__"] = "99.0"

    @staticmethod
    def answer(if_undrawn):
        Stub.asked += 1
        return if_undrawn if Stub.draw is None else Stub.draw.random() < 0.5

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = Stub(self.__name__ + "." + name)
        self.__dict__[name] = value
        return value

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and (inspect.isfunction(args[0]) or inspect.isclass(args[0])):
            return args[0]  # a decorator
        return Stub(self.__name__ + "()")

    def __mro_entries__(self, bases):
        return (StubBase,)

    def __instancecheck__(self, other):
        return Stub.answer(False)

    def __subclasscheck__(self, other):
        return Stub.answer(False)

    def __iter__(self):
        return iter((Stub("item"),) if Stub.answer(False) else ())

    def __int__(self):
        Stub.asked += 1
        return 1

    __index__ = __int__

    def __float__(self):
        return float(self.__int__())

    def __next__(self):
        raise StopIteration

    def __len__(self):
        return int(Stub.answer(False))

    def __bool__(self):
        return Stub.answer(True)

    def __contains__(self, item):
        return Stub.answer(False)

    def __getitem__(self, key):
        return Stub(self.__name__ + "[]")

    def __setitem__(self, key, value):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False

    def __hash__(self):
        return id(self)

    def __format__(self, spec):
        Stub.asked += 1
        return "stub"

    def __str__(self):
        Stub.asked += 1
        return "stub"

    def __fspath__(self):
        return "/nonexistent/stub"


def _operator(self, *others):
    return Stub("value")


for _name in ("eq ne lt le gt ge add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow and "
              "rand or ror xor rxor lshift rshift neg pos abs invert matmul").split():
    setattr(Stub, f"__{_name}__", _operator)


def has_stub(value, depth=0):
    if isinstance(value, (Stub, StubBase)):
        return True
    if depth < 3 and isinstance(value, (tuple, list, set, frozenset)):
        return any(has_stub(v, depth + 1) for v in value)
    return False


class Names(dict):
    """The builtins of stubbed code: a name that nothing defines is a stub, so that a module whose import of it failed
    still runs."""

    def __init__(self):
        super().__init__(builtins.__dict__)

    def __missing__(self, name):
        if name.startswith("__"):
            raise KeyError(name)
        return Stub(name)


def draw(seed):
    """Truths of stubs from here on: those of a seed; None: always yes."""
    Stub.draw = None if seed is None else random.Random(seed)


class World:
    """torch, triton and NVML as the evaluator assumes them, and the device. `facts`: the first line of `known choices`."""

    def __init__(self, device, facts):
        self.capability = major, minor = tuple(map(int, device.split(".")))
        block, multiprocessor = facts["smem"][device]
        self.facts = facts
        torch = self.torch = Stub("torch")
        props = types.SimpleNamespace(
            major=major, minor=minor, name=Stub("name"), multi_processor_count=Stub("n"), total_memory=Stub("n"),
            shared_memory_per_block_optin=block, shared_memory_per_multiprocessor=multiprocessor)
        torch.cuda.get_device_capability = lambda *a, **k: (major, minor)
        torch.cuda.get_device_properties = lambda *a, **k: props
        torch.cuda.is_available = lambda: True
        torch.cuda.device_count = lambda: 1
        torch.cuda.current_device = lambda: 0
        for entry in facts["world"]:
            name, value = entry["name"], entry["value"]
            if name.startswith("torch."):
                setattr(self._holder(name), name.rsplit(".", 1)[1],
                        (lambda v: lambda *a, **k: v)(value) if entry["call"] else value)
        for name in facts["missing"]:
            if name.startswith("torch."):
                none = types.SimpleNamespace(is_available=lambda: False, device_count=lambda: 0)
                self._holder(name).__dict__[name.rsplit(".", 1)[1]] = none
        self.nvml = Stub("pynvml")
        self.nvml.NVMLError = type("NVMLError", (Exception,), {})
        self.nvml.nvmlDeviceGetCudaComputeCapability = lambda *a: self.capability
        self.nvml.nvmlDeviceGetCount = lambda: 1
        self.nvml.nvmlInit = self.nvml.nvmlShutdown = lambda *a: None

    def _holder(self, name):
        holder = self.torch
        for part in name.split(".")[1:-1]:
            holder = getattr(holder, part)
        return holder

    def module(self, name):
        """What stands for a foreign module."""
        if name.split(".")[0] == "torch":
            stub = self.torch
            for part in name.split(".")[1:]:
                stub = getattr(stub, part)
            return stub
        if name.rsplit(".", 1)[-1] == "pynvml":
            return self.nvml
        stub = Stub(name)
        if name == "triton":
            target = types.SimpleNamespace(backend="cuda", arch=10 * self.capability[0] + self.capability[1],
                                           warp_size=32)
            stub.runtime.driver.active.get_current_target = lambda: target
        if name in ("packaging", "packaging.version"):
            stub.Version = stub.parse = lambda text: tuple(int(p) for p in re.findall(r"\d+", str(text))[:3])
            stub.version = stub
        return stub

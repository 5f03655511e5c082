"""CPython as the oracle of the Python evaluator, on real packages.

usage: choices.py KNOWN ENV PACKAGE… [--devices 9.0,12.0] [-j N] [--limit N] [--show N]

KNOWN (built from known.cc) says of each expression whose outcome depends on the device where it may be true,
false, or open. Here the packages are imported under CPython, once a device, with each such expression wrapped so
that its value is taken down; torch and everything else that is not part of them or of the standard library is a
stub that accepts anything. Every function that holds such an expression is called with stubs for its parameters.
A value that CPython saw and the evaluator excludes is a disagreement. Values that hang on a stub are not compared.
Prints what was compared, the share that the evaluator leaves open, expressions that ast does not know at their place,
and each disagreement. Exit status 1 if there is one, 77 if there is nothing to ask.
"""
import argparse
import ast
import atexit
import collections
import concurrent.futures
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import inspect
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import types

from releases import release


# Packages for other devices, and those that would bring prebuilt code.
ABSENT = {"torch_npu", "torch_musa", "habana_frameworks", "flashinfer_cubin", "flashinfer_jit_cache", "libtpu", "tpu_inference",
          "amdsmi", "aiter", "intel_extension_for_pytorch"}


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
    """Anything: a module, a function, a decorator, a value. `asked` counts how often one had to answer for itself."""

    asked = 0

    def __init__(self, name="stub"):
        super().__init__(name)
        self.__dict__["__path__"] = []
        self.__dict__["__file__"] = "stub"
        self.__dict__["__all__"] = []
        self.__dict__["__version__"] = "99.0"

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
        Stub.asked += 1
        return False

    def __subclasscheck__(self, other):
        Stub.asked += 1
        return False

    def __iter__(self):
        Stub.asked += 1
        return iter(())

    def __int__(self):
        Stub.asked += 1
        return 1

    __index__ = __int__

    def __float__(self):
        return float(self.__int__())

    def __next__(self):
        raise StopIteration

    def __len__(self):
        Stub.asked += 1
        return 0

    def __bool__(self):
        Stub.asked += 1
        return True

    def __contains__(self, item):
        Stub.asked += 1
        return False

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
        return "stub"

    def __str__(self):
        return "stub"

    def __fspath__(self):
        return "/nonexistent/stub"


def _operator(self, *others):
    return Stub("value")


for _name in ("eq ne lt le gt ge add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow and rand or ror "
              "xor rxor lshift rshift neg pos abs invert matmul").split():
    setattr(Stub, f"__{_name}__", _operator)


def has_stub(value, depth=0):
    if isinstance(value, (Stub, StubBase)):
        return True
    if depth < 3 and isinstance(value, (tuple, list, set, frozenset)):
        return any(has_stub(v, depth + 1) for v in value)
    return False


class World:
    """torch as the evaluator assumes it, and the device."""

    def __init__(self, major, minor, facts):
        self.capability = (major, minor)
        torch = self.torch = Stub("torch")
        props = types.SimpleNamespace(major=major, minor=minor, name=Stub("name"), multi_processor_count=Stub("n"),
                                      total_memory=Stub("n"), shared_memory_per_block_optin=facts["smem_block"],
                                      shared_memory_per_multiprocessor=facts["smem_sm"])
        torch.cuda.get_device_capability = lambda *a, **k: (major, minor)
        torch.cuda.get_device_properties = lambda *a, **k: props
        torch.cuda.is_available = lambda: True
        torch.cuda.device_count = lambda: 1
        torch.cuda.current_device = lambda: 0
        for entry in facts["world"]:
            name, value, call = entry["name"], entry["value"], entry["call"]
            parts = name.split(".")
            if parts[0] != "torch":
                continue
            target = torch
            for part in parts[1:-1]:
                target = getattr(target, part)
            setattr(target, parts[-1], (lambda v: lambda *a, **k: v)(value) if call else value)
        for name in facts["missing"]:
            parts = name.split(".")
            target = torch
            if parts[0] == "torch":
                for part in parts[1:-1]:
                    target = getattr(target, part)
                target.__dict__[parts[-1]] = types.SimpleNamespace(is_available=lambda: False, device_count=lambda: 0)


class Wrapper(ast.NodeTransformer):
    def __init__(self, places):
        self.places, self.found = places, set()

    def visit(self, node):
        self.generic_visit(node)
        if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            return node
        key = (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)
        if key not in self.places:
            return node
        self.found.add(key)
        call = ast.Call(ast.Name("__ungate_saw__", ast.Load()), [ast.Constant(self.places[key]), ast.Call(ast.Name("__ungate_asked__", ast.Load()), [], []), node], [])
        return ast.copy_location(call, node)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, env, packages, world, choices, facts):
        self.env, self.packages, self.world, self.facts = env, packages, world, facts
        self.choices, self.spans = choices, set()
        self.saw = {}

    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top in sys.stdlib_module_names or top in ABSENT or top in self.facts["missing"]:
            return None
        if top in self.packages:
            base = os.path.join(self.env, *name.split("."))
            for file, package in ((os.path.join(base, "__init__.py"), True), (base + ".py", False)):
                if os.path.isfile(file):
                    spec = importlib.machinery.ModuleSpec(name, self, origin=file, is_package=package)
                    spec.has_location = True
                    if package:
                        spec.submodule_search_locations = [base]
                    return spec
            if os.path.isdir(base):
                spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = [base]
                return spec
        return importlib.machinery.ModuleSpec(name, self, origin="stub", is_package=True)

    def create_module(self, spec):
        if spec.origin != "stub":
            return None
        stub = Stub(spec.name)
        if spec.name == "triton":
            target = types.SimpleNamespace(backend="cuda", arch=10 * self.world.capability[0] + self.world.capability[1], warp_size=32)
            stub.runtime.driver.active.get_current_target = lambda: target
        if spec.name in ("packaging", "packaging.version"):
            stub.Version = stub.parse = lambda text: tuple(int(p) for p in re.findall(r"\d+", str(text))[:3])
            stub.version = stub
        if spec.name.split(".")[0] == "torch":
            stub = self.world.torch
            for part in spec.name.split(".")[1:]:
                stub = getattr(stub, part)
        return stub

    def exec_module(self, module):
        file = module.__spec__.origin
        if file == "stub":
            return
        with open(file, "rb") as f:
            source = f.read()
        relative = os.path.relpath(file, self.env)
        places = {tuple(c["begin"] + c["end"]): c["id"] for c in self.choices.get(relative, [])}
        tree = ast.parse(source, file)
        if places:
            wrapper = Wrapper(places)
            tree = ast.fix_missing_locations(wrapper.visit(tree))
            self.spans |= {places[k] for k in wrapper.found}
        module.__dict__["__ungate_saw__"] = self.record
        module.__dict__["__ungate_asked__"] = lambda: Stub.asked
        # Other devices' parts of torch say that there is none, and are not found by name.
        absent = {n.split(".", 1)[1] for n in self.facts["missing"]}
        module.__dict__["hasattr"] = lambda o, n: hasattr(o, n) and not (o is self.world.torch and n in absent)
        exec(compile(tree, file, "exec"), module.__dict__)
        if "nvmlDeviceGetCudaComputeCapability" in module.__dict__:
            module.nvmlDeviceGetCudaComputeCapability = lambda *a: self.world.capability
        for name, klass in self.facts["objects"].items():
            holder, attribute = name.rsplit(".", 1)
            if holder != module.__name__:
                continue
            try:
                made = getattr(importlib.import_module(klass.rsplit(".", 1)[0]), klass.rsplit(".", 1)[1])()
                module.__dict__[attribute] = made
            except BaseException:
                pass

    def record(self, index, asked, value):
        if asked == Stub.asked and not has_stub(value) and (value is None or isinstance(value, (bool, int, str))):
            self.saw.setdefault(index, set()).add(bool(value))
        return value


class Late(BaseException):
    pass


def _late(*_):
    raise Late


def arguments_of(function, finder, with_defaults):
    args, kwargs = [], {}
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or (with_defaults and p.default is not p.empty):
            continue
        value = Stub(p.name)
        text = p.annotation if isinstance(p.annotation, str) else getattr(p.annotation, "__name__", "")
        if "DeviceCapability" in str(text):
            with contextlib.suppress(Exception):
                interface = importlib.import_module("vllm.platforms.interface")
                value = interface.DeviceCapability(*finder.world.capability)
        if p.kind is p.KEYWORD_ONLY:
            kwargs[p.name] = value
        elif not with_defaults or p.default is p.empty:
            args.append(value)
    return args, kwargs


def call(function, finder, first=()):
    for with_defaults in (True, False):
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        try:
            target = getattr(function, "__wrapped__", function)
            args, kwargs = arguments_of(target, finder, with_defaults)
            if first:
                args = list(first) + args[1:]
            target(*args, **kwargs)
        except (Exception, Late, SystemExit):
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def call_all(module, finder):
    for name, value in list(vars(module).items()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(inspect.unwrap(value) if callable(value) else value):
            call(inspect.unwrap(value), finder)
        elif inspect.isclass(value):
            for method in list(vars(value).values()):
                if isinstance(method, staticmethod):
                    call(method.__func__, finder)
                elif isinstance(method, classmethod):
                    call(inspect.unwrap(method.__func__), finder, (value,))
                elif isinstance(method, property) and method.fget:
                    call(method.fget, finder, (Stub("self"),))
                elif inspect.isfunction(method):
                    call(inspect.unwrap(method), finder, (Stub("self"),))


SCRATCH = tempfile.mkdtemp(prefix="ungate-choices-")
atexit.register(shutil.rmtree, SCRATCH, True)


def _harmless(event, arguments):
    """The packages are to be run, not to do anything: no process, no network, no change of a file but in a folder of our own."""
    if arguments and isinstance(arguments[0], (str, os.PathLike)) and os.fspath(arguments[0]).startswith(SCRATCH):
        return
    if event == "open":
        path, mode, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        if not writes or path in ("/dev/null", os.devnull):
            return
    elif event.split(".")[0] not in ("subprocess", "shutil", "socket") and event not in (
            "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.remove", "os.rename", "os.link",
            "os.symlink", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.chdir", "os.kill", "os.killpg",
            "os.utime"):
        return
    raise PermissionError(event)


def run_device(job):
    """In a process of its own: what CPython saw for one device."""
    env, packages, device, facts, choices, limit = job
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(400)
    signal.signal(signal.SIGALRM, _late)
    for name in list(os.environ):
        if name.endswith(("ARCH_LIST", "ARCHS")) or name.startswith(("VLLM_", "SGLANG_", "FLASHINFER_")):
            del os.environ[name]
    os.environ["HOME"] = SCRATCH
    os.environ["FLASHINFER_DISABLE_VERSION_CHECK"] = "1"
    major, minor = map(int, device.split("."))
    memory = facts["smem"][device]
    world = World(major, minor, dict(facts, smem_block=memory[0], smem_sm=memory[1]))
    finder = Finder(env, packages, world, choices, facts)
    sys.meta_path.insert(0, finder)
    os.chdir("/")
    sys.addaudithook(_harmless)
    modules = sorted({c["module"] for rows in choices.values() for c in rows if c["module"].split(".")[0] in packages})
    imported = failed = 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for name in modules[: limit or None]:
            signal.setitimer(signal.ITIMER_REAL, 20.0)
            try:
                module = importlib.import_module(name)
                imported += 1
            except (Exception, Late, SystemExit):
                failed += 1
                continue
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            call_all(module, finder)
    return device, {k: sorted(v) for k, v in finder.saw.items()}, sorted(finder.spans), imported, failed


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("known")
    ap.add_argument("env")
    ap.add_argument("packages", nargs="+")
    ap.add_argument("--devices", default="")
    ap.add_argument("-j", type=int, default=2)
    ap.add_argument("--limit", type=int, default=0)
    ap.add_argument("--show", type=int, default=60)
    a = ap.parse_args()
    a.env = release(a.env)
    lines = subprocess.run([a.known, "choices", a.env], check=True, capture_output=True, text=True).stdout.splitlines()
    facts, rows = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]
    choices = {}
    for i, row in enumerate(rows):
        row["id"] = i
        choices.setdefault(row["path"], []).append(row)
    devices = a.devices.split(",") if a.devices else facts["devices"]
    jobs = [(a.env, set(a.packages), d, facts, choices, a.limit) for d in devices]
    compared = unknown = outside = 0
    wrong, spans, places = {}, set(), set()
    open_by = collections.Counter()
    imported = failed = 0
    with concurrent.futures.ProcessPoolExecutor(a.j, max_tasks_per_child=1) as pool:
        for device, saw, found, good, bad in pool.map(run_device, jobs):
            spans |= set(found)
            imported, failed = max(imported, good), max(failed, bad)
            bit = 1 << facts["devices"].index(device)
            for index, values in saw.items():
                row = rows[index]
                for value in values:
                    if row["unknown"] & bit:
                        unknown += 1
                        open_by[row["path"]] += 1
                    elif not (row["true"] | row["false"]) & bit:
                        outside += 1
                    else:
                        compared += 1
                        places.add(index)
                        if not row["true" if value else "false"] & bit:
                            wrong.setdefault(index, []).append((device, value))
    mine = [r for r in rows if r["path"].split("/")[0] in a.packages]
    missed = [r for r in mine if r["id"] not in spans]
    print(f"{len(mine)} expressions in {', '.join(a.packages)}; {len(devices)} devices; modules imported {imported}, not {failed}")
    print(f"values compared {compared} (of {len(places)} expressions), disagree {sum(len(w) for w in wrong.values())}")
    total = compared + unknown
    print(f"left open by the evaluator {unknown} ({100.0 * unknown / max(1, total):.1f} %); at places it says are not reached {outside}")
    print(f"at a place that ast knows {len(mine) - len(missed)} of those in imported modules and others {len(mine)}")
    for path, n in open_by.most_common(8):
        print(f"  open {n}  {path}")
    for index, where in list(wrong.items())[: a.show]:
        row = rows[index]
        print(f"DISAGREE {row['path']}:{row['begin'][0]}:{row['begin'][1]} in {row['function']}: CPython says {where[0][1]} on {where[0][0]} ({len(where)} times)")
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

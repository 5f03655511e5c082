"""CPython as the oracle of the Python evaluator, on real packages.

usage: choices.py KNOWN ENV PACKAGE… [--devices 9.0,12.0] [--turns N] [-j N] [--limit N] [--show N]

KNOWN (built from known.cc) says of each expression whose outcome depends on the device where it may be true,
false, or open. Here the packages are imported under CPython, once a device, with each such expression wrapped so
that its value is taken down; torch and everything else that is not part of them or of the standard library is a
stub that accepts anything (stubs.py). A statement of a module that cannot be run is left out. Every function that
holds such an expression is called several times with stubs for its parameters; each turn draws other truths for
what hangs on a stub. A value that CPython saw and the evaluator excludes is a disagreement; values that hang on
a stub are not compared. Prints what was compared, the share that the evaluator leaves open, and each
disagreement. Exit status 1 if there is one, 77 if there is nothing to ask.
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
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from releases import release
from stubs import Names, Stub, World, draw, has_stub

# Packages for other devices, and those that would bring prebuilt code.
ABSENT = {"torch_npu", "torch_musa", "habana_frameworks", "flashinfer_cubin", "flashinfer_jit_cache", "libtpu",
          "tpu_inference", "amdsmi", "aiter", "intel_extension_for_pytorch"}


class Wrapper(ast.NodeTransformer):
    def __init__(self, places):
        self.places, self.found = places, set()

    def visit(self, node):
        names = names_in(node.value) if isinstance(node, ast.Assign) else None
        self.generic_visit(node)
        if names is not None:
            return self.bound(node, names)
        if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            return node
        return self.wrapped(node, self.with_identity(node))

    @staticmethod
    def with_identity(node):
        """`is` asks nobody; here a stub is asked."""
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Is, ast.IsNot)) or node.ops[1:]:
            return node
        same = ast.Call(ast.Name("__ungate_is__", ast.Load()), [node.left, node.comparators[0]], [])
        return same if isinstance(node.ops[0], ast.Is) else ast.UnaryOp(ast.Not(), same)

    def wrapped(self, node, value):
        key = (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)
        if key not in self.places:
            return ast.copy_location(value, node)
        self.found.add(key)
        asked = ast.Call(ast.Name("__ungate_asked__", ast.Load()), [], [])
        saw = ast.Name("__ungate_saw__", ast.Load())
        return ast.copy_location(ast.Call(saw, [ast.Constant(self.places[key]), names_in(node), asked, value], []), node)

    @staticmethod
    def bound(node, names):
        """A variable whose value hung on a stub when it was bound hangs on it where it is asked for."""
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            asked = ast.Call(ast.Name("__ungate_asked__", ast.Load()), [], [])
            bound = ast.Name("__ungate_bound__", ast.Load())
            arguments = [ast.Constant(node.targets[0].id), names, asked, node.value]
            node.value = ast.copy_location(ast.Call(bound, arguments, []), node.value)
        return node


def names_in(node):
    return ast.Constant(tuple(sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)})))


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the packages with their expressions wrapped, and stubs for everything else."""

    def __init__(self, env, packages, world, choices):
        self.env, self.packages, self.world, self.choices = env, packages, world, choices
        self.spans, self.saw, self.left_out = set(), {}, 0
        self.hanging = set()  # frames and variables whose value hung on a stub
        self.called = None  # code of the function that is called from here
        self.names = Names()

    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top in sys.stdlib_module_names or top in ABSENT or top in self.world.facts["missing"]:
            return None
        if top in self.packages and not name.endswith(".pynvml"):
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
        return self.world.module(spec.name) if spec.origin == "stub" else None

    def exec_module(self, module):
        file = module.__spec__.origin
        if file == "stub":
            return
        with open(file, "rb") as f:
            source = f.read()
        places = {tuple(c["begin"] + c["end"]): c["id"]
                  for c in self.choices.get(os.path.relpath(file, self.env), [])}
        tree = ast.parse(source, file)
        if places:
            wrapper = Wrapper(places)
            tree = ast.fix_missing_locations(wrapper.visit(tree))
            self.spans |= {places[k] for k in wrapper.found}
        space = module.__dict__
        space["__builtins__"] = self.names
        space["__ungate_saw__"] = self.record
        space["__ungate_bound__"] = self.bind
        space["__ungate_asked__"] = lambda: Stub.asked
        space["__ungate_is__"] = lambda a, b: Stub.answer(False) if isinstance(a, Stub) else a is b
        # Other devices' parts of torch say that there is none, and are not found by name.
        torch, missing = self.world.torch, self.world.facts["missing"]
        absent = {n.split(".", 1)[1] for n in missing if n.startswith("torch.")}
        space["hasattr"] = lambda o, n: hasattr(o, n) and not (o is torch and n in absent)
        # Annotations of `from __future__` must stay with every statement.
        future = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
        for statement in tree.body:
            body = [statement] if statement in future else future + [statement]
            try:
                exec(compile(ast.Module(body, []), file, "exec"), space)
            except Exception:
                self.left_out += 1
        if "nvmlDeviceGetCudaComputeCapability" in space:
            space["nvmlDeviceGetCudaComputeCapability"] = lambda *a: self.world.capability
        self.install_objects(module)

    def install_objects(self, module):
        """Objects made at run time, as the evaluator assumes them."""
        for name, klass in self.world.facts["objects"].items():
            holder, attribute = name.rsplit(".", 1)
            if holder.startswith("*.") and module.__name__.endswith(holder[1:]):
                # "*.platforms.current_platform": of any package
                package = module.__name__[: -len(holder[1:])]
                holder, klass = module.__name__, package + klass[1:]
            if holder == module.__name__:
                with contextlib.suppress(Exception):
                    where, what = klass.rsplit(".", 1)
                    module.__dict__[attribute] = getattr(importlib.import_module(where), what)()

    def hangs(self, frame, names):
        return any((id(frame), name) in self.hanging for name in names)

    def bind(self, name, names, asked, value):
        frame = sys._getframe(1)
        if asked != Stub.asked or self.hangs(frame, names):
            self.hanging.add((id(frame), name))
        else:
            self.hanging.discard((id(frame), name))
        return value

    def record(self, index, names, asked, value):
        frame = sys._getframe(1)
        known = value is None or isinstance(value, (bool, int, str))
        if asked == Stub.asked and not has_stub(value) and known and self.trusts(frame) and not self.hangs(frame, names):
            self.saw.setdefault(index, set()).add(bool(value))
        return value

    def trusts(self, frame):
        """Arguments that others of the package pass are theirs: the evaluator joins the calls in which the outcome
        depends on the device, so only the function called from here, with stubs, is compared."""
        while frame.f_code.co_name.startswith("<") and frame.f_code.co_name != "<module>":
            frame = frame.f_back  # a lambda or a comprehension
        return self.called in (None, frame.f_code)


class Late(BaseException):
    pass


def _late(*_):
    raise Late


@contextlib.contextmanager
def limited(seconds):
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except (Exception, Late, SystemExit):
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def arguments_of(function, capability):
    """Stubs, for a default is what one caller passes and not what all do."""
    args, kwargs = [], {}
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        value = Stub(p.name)
        if "DeviceCapability" in str(p.annotation):
            interface = importlib.import_module("vllm.platforms.interface")
            value = interface.DeviceCapability(*capability)
        if p.kind is p.KEYWORD_ONLY:
            kwargs[p.name] = value
        else:
            args.append(value)
    return args, kwargs


def call(function, finder, turns, first=()):
    target = inspect.unwrap(function)
    for turn in range(turns):
        draw(None if turn == 0 else turn)
        with limited(1.0):
            finder.called = target.__code__
            args, kwargs = arguments_of(target, finder.world.capability)
            result = target(*(list(first) + args[len(first):]), **kwargs)
            if inspect.isgenerator(result):
                collections.deque(itertools.islice(result, 20), 0)
            elif inspect.iscoroutine(result):
                result.send(None)
    finder.called = None
    draw(None)


def instance_of(klass, finder):
    """An object of the class, made with stubs; attributes that stay unset are stubs."""
    try:
        made = object.__new__(type(klass.__name__, (klass,), {"__getattr__": lambda self, name: Stub(name)}))
    except Exception:
        return Stub("self")
    finder.called = klass  # nothing of it is compared: it runs here for what it sets
    with limited(1.0):
        args, kwargs = arguments_of(klass.__init__, finder.world.capability)
        klass.__init__(made, *args[1:], **kwargs)
    finder.called = None
    return made


def call_all(module, finder, turns):
    holding = {c["function"].rsplit(".", 1)[-1] for c in finder.choices.get(
        os.path.relpath(module.__spec__.origin, finder.env), []) if c["function"]}
    for name, value in list(vars(module).items()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            for name, method in list(vars(value).items()):
                if name not in holding:
                    continue
                if isinstance(method, staticmethod):
                    call(method.__func__, finder, turns)
                elif isinstance(method, classmethod):
                    call(method.__func__, finder, turns, (value,))
                elif isinstance(method, property) and method.fget:
                    call(method.fget, finder, turns, (instance_of(value, finder),))
                elif inspect.isfunction(method) or hasattr(method, "__wrapped__"):
                    call(method, finder, turns, (instance_of(value, finder),))
        elif callable(value) and name in holding and inspect.isfunction(inspect.unwrap(value)):
            call(value, finder, turns)


SCRATCH = tempfile.mkdtemp(prefix="ungate-choices-")
atexit.register(shutil.rmtree, SCRATCH, True)


def _harmless(event, arguments):
    """The packages are to be run, not to do anything: no process, no network, no change of a file but in a folder of
    our own."""
    if arguments and isinstance(arguments[0], (str, os.PathLike)) and os.fspath(arguments[0]).startswith(SCRATCH):
        return
    if event == "open":
        path, mode, flags = arguments
        changes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        if not (isinstance(flags, int) and flags & changes) or path in ("/dev/null", os.devnull):
            return
    elif event.split(".")[0] not in ("subprocess", "shutil", "socket") and event not in (
            "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.remove", "os.rename",
            "os.link", "os.symlink", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.chdir",
            "os.kill", "os.killpg", "os.utime"):
        return
    raise PermissionError(event)


def run_device(job):
    """In a process of its own: what CPython saw for one device."""
    env, packages, device, facts, choices, turns, limit = job
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(400)
    signal.signal(signal.SIGALRM, _late)
    for name in list(os.environ):
        if name.endswith(("ARCH_LIST", "ARCHS")) or name.startswith(("VLLM_", "SGLANG_", "FLASHINFER_")):
            del os.environ[name]
    os.environ["HOME"] = SCRATCH
    os.environ["FLASHINFER_DISABLE_VERSION_CHECK"] = "1"
    finder = Finder(env, packages, World(device, facts), choices)
    sys.meta_path.insert(0, finder)
    os.chdir("/")
    sys.addaudithook(_harmless)
    modules = sorted({c["module"] for rows in choices.values() for c in rows
                      if c["module"].split(".")[0] in packages})
    imported = 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for name in modules[: limit or None]:
            module = None
            with limited(20.0):
                module = importlib.import_module(name)
            if module is not None and module.__spec__.origin != "stub":
                imported += 1
                call_all(module, finder, turns)
    saw = {k: sorted(v) for k, v in finder.saw.items()}
    return device, saw, sorted(finder.spans), (imported, len(modules), finder.left_out)


class Tally:
    """Both sides' answers, compared."""

    def __init__(self, rows, devices):
        self.rows, self.devices = rows, devices
        self.compared = self.unknown = self.settings = self.outside = 0
        self.places, self.open_by, self.wrong = set(), collections.Counter(), {}

    def add(self, device, saw):
        bit = 1 << self.devices.index(device)
        for index, values in saw.items():
            row = self.rows[index]
            for value in values:
                if row["unknown"] & bit:
                    self.unknown += 1
                    self.settings += 1 if row["settings"] & bit else 0
                    self.open_by[f"{row['path']}:{row['begin'][0]}"] += 1
                elif not (row["true"] | row["false"]) & bit:
                    self.outside += 1
                else:
                    self.compared += 1
                    self.places.add(index)
                    if not row["true" if value else "false"] & bit:
                        self.wrong.setdefault(index, []).append((device, value))

    def show(self, limit):
        def share(n):
            return 100.0 * n / max(1, self.compared + self.unknown)

        print(f"values compared {self.compared} (of {len(self.places)} expressions), "
              f"disagree {sum(len(w) for w in self.wrong.values())} (of {len(self.wrong)})")
        print(f"left open by the evaluator {self.unknown} ({share(self.unknown):.1f} %), of these {self.settings} where a "
              f"setting or argument decides that it names; without a name {share(self.unknown - self.settings):.1f} %; at places that it says are not reached {self.outside}")
        for place, n in self.open_by.most_common(limit):
            print(f"  open {n}  {place}")
        for index, where in list(self.wrong.items())[:limit]:
            row, (device, value) = self.rows[index], where[0]
            print(f"DISAGREE {row['path']}:{row['begin'][0]}:{row['begin'][1]} in {row['function']}: "
                  f"CPython says {value} on {device} ({len(where)} times)")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("known")
    ap.add_argument("env")
    ap.add_argument("packages", nargs="+")
    ap.add_argument("--devices", default="")
    ap.add_argument("--turns", type=int, default=12)
    ap.add_argument("-j", type=int, default=2)
    ap.add_argument("--limit", type=int, default=0)
    ap.add_argument("--show", type=int, default=60)
    ap.add_argument("--explained", action="append", default=[], metavar="PATH:LINE",
                    help="a place whose disagreement README.md explains: shown, and no failure")
    a = ap.parse_args()
    env = release(a.env)
    answer = subprocess.run([a.known, "choices", env], check=True, capture_output=True, text=True)
    lines = answer.stdout.splitlines()
    facts, rows = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]
    choices = {}
    for i, row in enumerate(rows):
        row["id"] = i
        choices.setdefault(row["path"], []).append(row)
    devices = a.devices.split(",") if a.devices else facts["devices"]
    tally, spans, sizes = Tally(rows, facts["devices"]), set(), (0, 0, 0)
    jobs = [(env, set(a.packages), d, facts, choices, a.turns, a.limit) for d in devices]
    with concurrent.futures.ProcessPoolExecutor(a.j, max_tasks_per_child=1) as pool:
        for device, saw, found, size in pool.map(run_device, jobs):
            spans |= set(found)
            sizes = max(sizes, size)
            tally.add(device, saw)
    mine = [r for r in rows if r["path"].split("/")[0] in a.packages]
    print(f"{len(mine)} expressions in {', '.join(a.packages)}, of which ast has {len(spans & {r['id'] for r in mine})} "
          f"where they are said to be; {len(devices)} devices, {a.turns} turns")
    print(f"modules imported {sizes[0]} of {sizes[1]}; statements left out {sizes[2]}")
    tally.show(a.show)
    unexplained = [i for i in tally.wrong if f"{rows[i]['path']}:{rows[i]['begin'][0]}" not in a.explained]
    return 1 if unexplained or tally.compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

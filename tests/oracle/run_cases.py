"""Runs the `case_*` functions of a file under CPython, once for every compute capability.

usage: run_cases.py FILE MAJOR.MINOR...      prints one JSON object: {"9.0": {"case_x": "repr"}, ...}

torch is a stub that reports the capability. A case that raises gives "raise TypeName".
"""
import importlib
import json
import os
import sys
import types


def stub_torch(major, minor):
    torch = types.ModuleType("torch")
    torch.cuda = types.ModuleType("torch.cuda")
    torch.cuda.get_device_capability = lambda device=None: (major, minor)
    torch.cuda.get_device_properties = lambda device=None: types.SimpleNamespace(major=major, minor=minor)
    torch.cuda.is_available = lambda: True
    torch.cuda.device_count = lambda: 1
    torch.version = types.SimpleNamespace(cuda="13.0", hip=None)
    packaging = types.ModuleType("packaging")
    packaging.version = types.ModuleType("packaging.version")
    packaging.version.Version = lambda text: tuple(int(part) for part in text.split("."))
    return {"torch": torch, "torch.cuda": torch.cuda, "packaging": packaging, "packaging.version": packaging.version}


def run(path, major, minor):
    for name in [n for n in sys.modules if n.split(".")[0] in ("torch", "packaging", "cases")]:
        del sys.modules[name]
    sys.modules.update(stub_torch(major, minor))
    name = "cases." + os.path.splitext(os.path.basename(path))[0]
    parent = types.ModuleType("cases")
    parent.__path__ = [os.path.dirname(path)]
    sys.modules["cases"] = parent
    module = importlib.import_module(name)
    out = {}
    for case in sorted(n for n in dir(module) if n.startswith("case_")):
        try:
            out[case] = repr(getattr(module, case)())
        except Exception as e:
            out[case] = "raise " + type(e).__name__
    return out


def main():
    path, capabilities = os.path.abspath(sys.argv[1]), sys.argv[2:]
    sys.dont_write_bytecode = True
    result = {}
    for capability in capabilities:
        major, minor = map(int, capability.split("."))
        result[capability] = run(path, major, minor)
    print(json.dumps(result))


main()

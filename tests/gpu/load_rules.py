#!/usr/bin/env python3
"""Asks the CUDA driver what it loads, and compares with what `ungate objects` says.

  load_rules.py make UNGATE FOLDER   compiles small modules with nvcc for every code target that it knows,
                                     and writes what ungate says of each for every device
  load_rules.py load FOLDER          on a machine with a GPU: loads each with the driver, compares

The two may run on different machines. Ends with 1 if anything differs.
"""
import ctypes
import json
import pathlib
import subprocess
import sys

SOURCE = r"""
extern "C" __global__ void which(int* out) {
#if !defined(__CUDA_ARCH__)
#elif defined(__CUDA_ARCH_FEAT_SM90_ALL)
  *out = 1;
#elif defined(FROM_PTX)
  *out = 3;
#else
  *out = 2;
#endif
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800
extern "C" __global__ void only_in_ptx(int* out) { *out = 4; }
#endif
"""
# Fatbins with several code objects, for what the driver chooses: name -> (targets, the value that kernel
# `which` writes on 9.0 or None where nothing loads, whether `only_in_ptx` is found).
CHOICES = {
    "exact-and-plain": (["sm_90", "sm_90a"], 1, False),
    "plain-and-exact": (["sm_90a", "sm_90"], 1, False),
    "older-machine-code": (["sm_80", "sm_90"], 2, False),
    "machine-code-hides-ptx": (["sm_90", "compute_80"], 2, False),
    "ptx-alone": (["sm_80", "compute_80"], 2, True),
    "other-generations": (["sm_80", "sm_100f", "sm_120a"], None, False),
}


def gencode(target):
    number = target.split("_")[1]
    return f"-gencode=arch=compute_{number},code={target}"


def make(ungate, folder):
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "which.cu"
    source.write_text(SOURCE)
    known = subprocess.run(["nvcc", "--list-gpu-code"], check=True, capture_output=True, text=True).stdout.split()
    for target in known:
        for suffix in ("", "a", "f"):
            name = target + suffix
            for flag, code, ext in (("-cubin", name, "cubin"), ("-ptx", None, "ptx")):
                out = folder / f"{name}.{ext}"
                arch = gencode(code) if code else f"-arch={name.replace('sm_', 'compute_')}"
                subprocess.run(["nvcc", flag, arch, "-o", out, source], capture_output=True)
    for name, (targets, _, _) in CHOICES.items():
        subprocess.run(["nvcc", "-fatbin", *map(gencode, targets), "-o", folder / f"{name}.fatbin", source],
                       check=True)
    out = subprocess.run([ungate, "objects", *sorted(folder.glob("*.cubin")), *sorted(folder.glob("*.ptx")),
                          *sorted(folder.glob("*.fatbin")), "--target", "all", "--format", "jsonl", "-q"],
                         check=True, capture_output=True, text=True).stdout
    said = {}
    for record in map(json.loads, out.splitlines()):
        if "state" in record:
            said.setdefault(pathlib.Path(record["path"]).name, {})[record["target"]] = record["state"]
    (folder / "said.json").write_text(json.dumps(said, indent=1))
    print(f"{len(said)} modules made")


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check(self.cuda.cuInit(0))
        device = ctypes.c_int()
        self.check(self.cuda.cuDeviceGet(ctypes.byref(device), 0))
        context = ctypes.c_void_p()
        self.check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self.check(self.cuda.cuCtxSetCurrent(context))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check(self.cuda.cuDeviceGetAttribute(ctypes.byref(major), 75, device))
        self.check(self.cuda.cuDeviceGetAttribute(ctypes.byref(minor), 76, device))
        self.device = f"sm_{major.value}{minor.value}"
        version = ctypes.c_int()
        self.check(self.cuda.cuDriverGetVersion(ctypes.byref(version)))
        self.version = version.value

    @staticmethod
    def check(status):
        if status != 0:
            raise RuntimeError(f"CUDA error {status}")

    def load(self, path):
        """The module, or the driver's error number."""
        module = ctypes.c_void_p()
        status = self.cuda.cuModuleLoad(ctypes.byref(module), str(path).encode())
        return module if status == 0 else status

    def function(self, module, name):
        function = ctypes.c_void_p()
        status = self.cuda.cuModuleGetFunction(ctypes.byref(function), module, name.encode())
        return function if status == 0 else None

    def value_of(self, function):
        memory = ctypes.c_uint64()
        self.check(self.cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4)))
        arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(memory), ctypes.c_void_p))
        self.check(self.cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None))
        value = ctypes.c_int()
        self.check(self.cuda.cuMemcpyDtoH_v2(ctypes.byref(value), memory, ctypes.c_size_t(4)))
        return value.value


def load(folder):
    driver = Driver()
    said = json.loads((folder / "said.json").read_text())
    differences = []
    for name, states in sorted(said.items()):
        expected = states[driver.device] in ("covered", "jit-only")
        module = driver.load(folder / name)
        loaded = isinstance(module, ctypes.c_void_p)
        print(f"{name:32} {states[driver.device]:10} {'loads' if loaded else f'error {module}'}")
        # PTX of a newer toolkit than the driver (222) is refused whatever it is for.
        if loaded != expected and module != 222:
            differences.append(name)
        choice = CHOICES.get(pathlib.Path(name).stem) if name.endswith(".fatbin") else None
        if not loaded or not choice or driver.device != "sm_90":
            continue
        value = driver.value_of(driver.function(module, "which"))
        found = driver.function(module, "only_in_ptx") is not None
        print(f"{'':32} writes {value}, only_in_ptx {'found' if found else 'not found'}")
        if (value, found) != choice[1:]:
            differences.append(f"{name}: {value}, {found}; expected {choice[1:]}")
    print(f"{driver.device}, driver {driver.version}: {len(said)} modules, {len(differences)} differences")
    for d in differences:
        print("  " + d)
    return 1 if differences else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], pathlib.Path(sys.argv[3]))
    else:
        sys.exit(load(pathlib.Path(sys.argv[2])))

#!/usr/bin/env python3
"""Compares `ungate objects` with NVIDIA's cuobjdump on every binary of released wheels.

  tests/corpus/binaries.py PATH-OF-UNGATE [WHEEL ...]

Fetches pinned wheels and cuobjdump from PyPI into $UNGATE_TEST_CACHE (default ~/.cache/ungate-tests;
about 4 GB with all wheels unpacked). Ends with 1 if anything differs.

The wheels themselves, unopened, must give what their unpacked files give.

What is compared: the code objects of each file by kind and target; of files of one code object, their
target; of a few files, each kernel's name, registers and shared memory. Plain `cuobjdump FILE` is the
oracle: its --list-elf drops the suffix `f`. It does not list __nv_relfatbin of shared objects.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

WHEELS = {
    "sgl-kernel": "0.3.21",
    "vllm": "0.15.0",
    "flashinfer-cubin": "0.6.3",
    "nvidia-nccl-cu12": "2.29.3",
}
CUOBJDUMP = ("nvidia-cuda-cuobjdump", "13.5.37")
# Files whose kernels are compared, and the device that they are listed for.
KERNELS = {
    "vllm/_flashmla_C.abi3.so": "sm_90",
    "vllm/_C.abi3.so": "sm_120",
    "vllm/vllm_flash_attn/_vllm_fa3_C.abi3.so": "sm_90",
    "vllm/_moe_C.abi3.so": "sm_120",
    "sgl_kernel/flashmla_ops.abi3.so": "sm_100",
}
# Right answers, by hand, for these packages.
ANSWERS = {"sgl-kernel": "sgl-kernel-0.3.21.tsv"}
SINGLE_SAMPLE = 60  # of thousands of cubins, evenly spread

CACHE = pathlib.Path(
    os.environ.get("UNGATE_TEST_CACHE")
    or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ungate-tests")


def fetch(name, version):
    """The folder with the unpacked wheel."""
    folder = CACHE / f"{name}-{version}"
    if folder.exists():
        return folder
    wheels = CACHE / "wheels"
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
         "--only-binary", ":all:", "--python-version", "3.12", "--platform", "manylinux_2_31_x86_64",
         "--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_17_x86_64",
         "--platform", "manylinux_2_18_x86_64", "-d", wheels, f"{name}=={version}"], check=True)
    wheel, = wheels.glob(f"{name.replace('-', '_')}-{version}-*.whl")
    part = folder.with_suffix(".part")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(part)
    part.rename(folder)
    return folder


def objects(ungate, path, *flags):
    out = subprocess.run([ungate, "objects", path, "--format", "jsonl", "-q", *flags], check=True,
                         capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def listed_by_cuobjdump(tool, path):
    """(kind, target) -> count."""
    run = subprocess.run([tool, path], capture_output=True, text=True)
    if "does not contain device code" in run.stdout + run.stderr:
        return collections.Counter()
    kinds = {"elf": "elf", "ptx": "ptx", "nvvm": "ltoir"}
    return collections.Counter(
        (kinds.get(kind, kind), arch)
        for kind, arch in re.findall(r"Fatbin (\w+) code:\n=+\narch = (\w+)", run.stdout))


def cubin_target(tool, path):
    out = subprocess.run([tool, "-elf", path], capture_output=True, text=True).stdout
    target = re.search(r"\bsm=(\w+)", out)
    # The suffix `f` is in the command line only.
    line = re.search(r"-arch (sm_\w+)", out)
    if line and line.group(1).removesuffix("f") == f"sm_{target.group(1)}":
        return line.group(1)
    return f"sm_{target.group(1)}"


def kernels_by_cuobjdump(tool, path):
    """(target, name) -> (registers, shared memory)."""
    out, arch, name, seen = subprocess.run([tool, "-res-usage", path], capture_output=True, text=True).stdout, "", "", {}
    for line in out.splitlines():
        if match := re.match(r"arch = (\w+)", line):
            arch = match.group(1)
        elif match := re.match(r"\s*Function (\S+):", line):
            name = match.group(1)
        elif match := re.match(r"\s*REG:(\d+) .*?SHARED:(\d+)", line):
            seen[arch, name] = (int(match.group(1)), int(match.group(2)))
    return seen


class Comparison:
    def __init__(self, ungate, tool):
        self.ungate, self.tool = ungate, tool
        self.failures, self.files, self.kernels = [], 0, 0

    def differ(self, path, what, ours, theirs):
        self.failures.append(f"{path}: {what}: ungate {ours}, cuobjdump {theirs}")

    def package(self, folder):
        records = objects(self.ungate, folder)
        ours = collections.defaultdict(collections.Counter)
        files = {}
        for r in records:
            if "error" in r:
                self.failures.append(f"{r['path']}: {r['error']}")
            elif "arch" not in r:
                files[r["path"]] = r["file"]
            elif not (r["place"] == "relfatbin" and r["path"].find(".so") > 0):
                ours[r["path"]][r["kind"], r["arch"]] += r["count"]
        single = sorted(p for p, kind in files.items() if kind == "cubin")
        for path in single[::max(1, len(single) // SINGLE_SAMPLE)]:
            self.files += 1
            target = cubin_target(self.tool, folder / path)
            if ours[path] != {("elf", target): 1}:
                self.differ(path, "target", dict(ours[path]), target)
        for path, kind in files.items():
            if kind == "cubin":
                continue
            self.files += 1
            theirs = listed_by_cuobjdump(self.tool, folder / path)
            if ours[path] != theirs:
                self.differ(path, "code objects", dict(ours[path]), dict(theirs))
        for path, target in KERNELS.items():
            if path in files:
                self.compare_kernels(folder, path, target)

    def answers(self, folder, table):
        """What loads on sm_120, against a table made by hand."""
        lines = (pathlib.Path(__file__).parent / "binaries" / table).read_text().splitlines()
        wanted = {tuple(line.split("\t")) for line in lines if not line.startswith("#")}
        found = set()
        for r in objects(self.ungate, folder, "--target", "sm_120"):
            if "arch" in r:
                found.add((r["path"], r["arch"], r["kind"], str(r["count"]), r["loads"]))
            elif "state" in r:
                found.add((r["path"], "*", "*", "*", r["state"]))
        self.files += 1
        for row in sorted(wanted ^ found):
            self.failures.append(f"{table}: {'missing' if row in wanted else 'wrong'}: {' '.join(row)}")

    def wheel(self, folder, wheel):
        """The wheel, unopened, against its unpacked files."""
        def without_place(records):
            keys = ("path", "place", "arch", "kind", "count", "loads", "file", "state", "units", "error")
            return sorted(json.dumps({k: r[k] for k in keys if k in r}) for r in records)

        ours = without_place(objects(self.ungate, wheel, "--target", "sm_120"))
        theirs = without_place(objects(self.ungate, folder, "--target", "sm_120"))
        self.files += 1
        if ours != theirs:
            self.failures.append(f"{wheel.name}: {len(set(ours) ^ set(theirs))} records differ from the unpacked files")

    def compare_kernels(self, folder, path, target):
        theirs = kernels_by_cuobjdump(self.tool, folder / path)
        ours = [r for r in objects(self.ungate, folder / path, "--kernels", "--target", target)
                if "kernel" in r]
        if {r["kernel"] for r in ours} != {name for _, name in theirs}:
            self.differ(path, "names of kernels", len(ours), len({n for _, n in theirs}))
        for r in ours:
            if r["use"] not in ("code", "empty", "trap"):
                continue
            self.kernels += 1
            if theirs.get((r["arch"], r["kernel"])) != (r["registers"], r["shared"]):
                self.differ(path, r["kernel"], (r["arch"], r["registers"], r["shared"]),
                            theirs.get((r["arch"], r["kernel"])))


def main():
    ungate = sys.argv[1]
    tool = fetch(*CUOBJDUMP) / "nvidia/cu13/bin/cuobjdump"
    tool.chmod(0o755)
    compare = Comparison(ungate, tool)
    for name in sys.argv[2:] or WHEELS:
        folder = fetch(name, WHEELS[name])
        compare.package(folder)
        if name in ANSWERS:
            compare.answers(folder, ANSWERS[name])
        for wheel in (CACHE / "wheels").glob(f"{name.replace('-', '_')}-{WHEELS[name]}-*.whl"):
            compare.wheel(folder, wheel)
    large = CACHE / "sgl-kernel-0.3.21/sgl_kernel/flash_ops.abi3.so"
    if large.exists():
        times = []
        for command in ([ungate, "objects", large, "--target", "sm_120", "-q"], [tool, large]):
            runs = []
            for _ in range(5):
                begin = time.perf_counter()
                subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
                runs.append(time.perf_counter() - begin)
            times.append(min(runs))
        print(f"{large.name}: ungate {times[0] * 1e3:.1f} ms, cuobjdump {times[1] * 1e3:.0f} ms")
    print(f"{compare.files} files and {compare.kernels} kernels compared, "
          f"{len(compare.failures)} differences")
    for failure in compare.failures[:50]:
        print("  " + failure)
    return 1 if compare.failures else 0


if __name__ == "__main__":
    sys.exit(main())

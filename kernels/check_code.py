"""Checks the machine code of the kernels for every architecture.

    check_code.py [--jobs N] [--archs a,b] [--few]

Compiles the shipped kernels for each architecture (no GPU needed) and fails if one
  - spills registers or uses a stack frame,
  - needs more registers or shared memory than its launch bounds leave on that architecture,
  - is empty (few instructions: a body left out for an architecture),
  - holds an atomic on anything but the rank's own poison word (CAS), or a multicast instruction.
Prints a table; exits 1 if anything is wrong, 2 if it cannot be checked. Needs nvcc, and cuobjdump or
nvdisasm.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHS = "120a 120f 121a 110a 103a 100a 90a 89 80".split()
SHARED_PER_BLOCK = {"80": 163 << 10, "89": 99 << 10, "90": 227 << 10, "100": 227 << 10,
                    "103": 227 << 10, "110": 227 << 10, "120": 99 << 10, "121": 99 << 10}
LEAST_INSTRUCTIONS = 200
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
OPCODE = re.compile(r"\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def tool(name):
    return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")


def compile_one(arch, source, few, folder):
    out = os.path.join(folder, f"{os.path.basename(source)}.{arch}.cubin")
    command = [tool("nvcc"), "-cubin", f"-arch=sm_{arch}", "-std=c++20", "-O3", "-Xptxas=-v",
               f"-I{HERE}", f"-I{HERE}/include", source, "-o", out]
    command += ["-DARF_FEW_KERNELS"] if few else []
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        fail(f"sm_{arch}: {r.stderr}")
    return arch, out, r.stderr


def resources(text):
    """Kernel name -> (registers, shared bytes, stack bytes, spill bytes), from ptxas -v."""
    found, name, stack, spill = {}, None, 0, 0
    for line in text.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name = m[1]
        elif m := SPILLS.search(line):
            stack, spill = int(m[1]), int(m[2]) + int(m[3])
        elif (m := re.search(r"Used (\d+) registers", line)) and name:
            shared = re.search(r"(\d+) bytes smem", line)
            found[name] = (int(m[1]), int(shared[1]) if shared else 0, stack, spill)
            name = None
    return found


def instructions(cubin):
    """Kernel name -> opcodes, from the disassembly."""
    command = [tool("nvdisasm"), "-c", cubin]
    if tool("cuobjdump"):
        command = [tool("cuobjdump"), "-sass", cubin]
    elif not tool("nvdisasm"):
        fail("neither cuobjdump nor nvdisasm was found (pip: nvidia-cuda-cuobjdump)")
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        if m := re.search(r"Function : (\w+)|^\.text\.(\w+):", line):
            name = m[1] or m[2]
            found[name] = []
        elif name and (m := OPCODE.match(line)):
            found[name].append(m[1])
    return found


def problems(arch, name, used, opcodes):
    registers, shared, stack, spill = used
    number = arch.rstrip("af")
    bad = []
    if spill or stack:
        bad.append(f"{spill} bytes spilled, {stack} bytes of stack")
    if registers > 128:
        bad.append(f"{registers} registers: 512 threads do not fit")
    if shared > SHARED_PER_BLOCK[number]:
        bad.append(f"{shared} bytes of shared memory")
    if len(opcodes) < LEAST_INSTRUCTIONS:
        bad.append(f"only {len(opcodes)} instructions")
    for op in sorted(set(opcodes)):
        if re.match(r"(RED|ATOM)(G|\.|$)", op) and ".CAS" not in op and "CAST" not in op:
            bad.append(f"atomic {op}")
        if "MULTIMEM" in op or op.startswith("UREDG"):
            bad.append(f"multicast {op}")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--archs", default=",".join(ARCHS))
    parser.add_argument("--few", action="store_true", help="bf16 and 2 or 4 ranks only")
    options = parser.parse_args()
    if not tool("nvcc"):
        fail("nvcc was not found")
    formats = ["bf16"] if options.few else ["bf16", "fp16", "fp32"]
    sources = [f"kernels_{name}.cu" for name in formats + ["finish", "moe"]]
    wrong = 0
    print("arch  kernels  registers  shared  spills  instructions  atomics")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        work = [(a, os.path.join(HERE, s)) for a in options.archs.split(",") for s in sources]
        merged = {}
        for arch, cubin, log in pool.map(lambda w: compile_one(*w, options.few, folder), work):
            merged.setdefault(arch, ({}, {}))
            merged[arch][0].update(resources(log))
            merged[arch][1].update(instructions(cubin))
        for arch, (used, code) in merged.items():
            if not used or set(used) != set(code):
                print(f"sm_{arch}: {len(used)} kernels compiled, {len(code)} disassembled")
                wrong += 1
                continue
            registers, shared, _, spills = zip(*used.values())
            lengths = [len(ops) for ops in code.values()]
            atomics = {op for ops in code.values() for op in ops if re.match(r"(RED|ATOM)", op)}
            print(f"{arch:5} {len(used):7}  {min(registers):4}-{max(registers):<4} {max(shared):7}  "
                  f"{sum(spills):6}  {min(lengths):6}-{max(lengths):<6} {' '.join(sorted(atomics))}")
            for name in sorted(used):
                for p in problems(arch, name, used[name], code[name]):
                    print(f"sm_{arch} {name}: {p}")
                    wrong += 1
    print("all right" if wrong == 0 else f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""nvcc's preprocessor as the oracle of the macro evaluator.

usage: conditions.py KNOWN ENV [--nvcc NVCC] [--sites DIR] [--out DIR] [--units N] [--targets sm_90a,…] [--turns N] [--minutes N] [-j N] [--wide] [--skip-known]

KNOWN is the program built from known.cc. It mirrors the CUDA files of each JIT module with a mark in every arm of
every conditional and says for each mark on which code targets the text there is certainly compiled, and
certainly not. Each unit is preprocessed for each code target (nvcc -E -gencode, one target a call: -arch leaves
the macros of a and f targets undefined); a mark in the output is an arm that survived. Prints how many were
compared, how many not and why, and each disagreement. Exit status 1 if there is one, 77 if there is nothing to ask.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from releases import release

MARK = re.compile(rb"ungate_mark_(\d+)_")


def targets_of(nvcc):
    """The code targets that the compiler knows."""
    out = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True).stdout.split()
    known = set(out)
    # It lists plain ones only; of the suffixed ones, those that it takes.
    for name in out:
        for suffix in "af":
            number = name[3:] + suffix
            r = subprocess.run([nvcc, "--dryrun", "-E", "-gencode", f"arch=compute_{number},code=sm_{number}", "-x", "cu", "/dev/null"],
                               capture_output=True)
            if r.returncode == 0:
                known.add("sm_" + number)
    return known


def preprocess(nvcc, unit, target, tree, sites):
    number = target[3:]
    command = [nvcc, "-E", f"-gencode=arch=compute_{number},code=sm_{number}", "-w", *unit["flags"]]
    for folder in unit["folders"]:
        command += ["-I" + os.path.join(root, folder) for root in (tree, sites) if os.path.isdir(os.path.join(root, folder))]
    r = subprocess.run(command + [os.path.join(tree, unit["source"])], capture_output=True)
    if r.returncode != 0:
        return None, (r.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[0]
    return {int(m) for m in MARK.findall(r.stdout)}, ""


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("known")
    ap.add_argument("env")
    ap.add_argument("--nvcc", default="nvcc")
    ap.add_argument("--sites", help="the folder that holds the packages; default ENV")
    ap.add_argument("--out")
    ap.add_argument("--units", type=int, default=0, help="every unit if 0, else about so many, spread evenly")
    ap.add_argument("--targets", default="")
    ap.add_argument("--turns", type=int, default=0, help="each unit for only so many of the code targets, taking turns")
    ap.add_argument("--minutes", type=float, default=0, help="stop then and say what was compared")
    ap.add_argument("-j", type=int, default=2)
    ap.add_argument("--wide", action="store_true", help="macros that no text defines are absent (see known.cc)")
    ap.add_argument("--skip-known", action="store_true", help="OUT was made before")
    a = ap.parse_args()
    a.env = release(a.env)
    if shutil.which(a.nvcc) is None:
        print("skipped: there is no nvcc")
        sys.exit(77)
    out = a.out or tempfile.mkdtemp(prefix="ungate-conditions-")
    if not a.skip_known:
        subprocess.run([a.known, "conditions", a.env, out] + ["wide"] * a.wide, check=True, stdout=subprocess.DEVNULL)
    sites, tree = a.sites or a.env, os.path.join(out, "tree")
    with open(os.path.join(out, "units.jsonl")) as f:
        rows = json.loads(f.readline())["targets"]
        units = [json.loads(line) for line in f]
    with open(os.path.join(out, "places.txt"), errors="replace") as f:
        places = f.read().splitlines()
    known = targets_of(a.nvcc)
    targets = [(i, t) for i, t in enumerate(rows) if t in known and (not a.targets or t in a.targets.split(","))]
    if a.units and a.units < len(units):
        units = [units[i * len(units) // a.units] for i in range(a.units)]

    compared = agreed = 0
    reasons, failed, wrong, conditions = collections.Counter(), collections.Counter(), {}, set()
    ran = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(a.j) as pool:
        jobs = {}
        for n, u in enumerate(units):
            mine = targets if not a.turns else [targets[(n * a.turns + k) % len(targets)] for k in range(a.turns)]
            for i, t in mine:
                jobs[pool.submit(preprocess, a.nvcc, u, t, tree, sites)] = (u, i, t)
        stop = time.monotonic() + 60 * a.minutes if a.minutes else None
        for job in concurrent.futures.as_completed(jobs):
            if stop and time.monotonic() > stop:
                for other in jobs:
                    skipped += other.cancel()
                stop = None
            if job.cancelled():
                continue
            unit, i, target = jobs[job]
            seen, why = job.result()
            if seen is None:
                failed[re.sub(r"^.*?(error|fatal)", r"\1", why)[:110]] += 1
                continue
            ran += 1
            for mark, yes, no, reason in unit["marks"]:
                if not (yes >> i | no >> i) & 1:
                    reasons[reason or "several"] += 1
                    continue
                compared += 1
                conditions.add(mark)
                if (yes >> i & 1) == (mark in seen):
                    agreed += 1
                else:
                    wrong.setdefault(places[mark], []).append((unit["source"], target, "compiled" if mark in seen else "not compiled"))
    unknown = sum(reasons.values())
    print(f"{len(units)} units, {len(targets)} code targets ({', '.join(t for _, t in targets)})")
    print(f"preprocessed {ran}, not {sum(failed.values())}, left out for time {skipped}")
    for why, n in failed.most_common(8):
        print(f"  {n}  {why}")
    print(f"arms compared {compared} ({len(conditions)} different ones), agree {agreed}, disagree {compared - agreed}")
    print(f"not compared {unknown} ({100.0 * unknown / max(1, unknown + compared):.1f} %), since these decide:")
    for why, n in reasons.most_common(12):
        print(f"  {n}  {why}")
    for place, where in sorted(wrong.items())[:60]:
        source, target, what = where[0]
        print(f"DISAGREE {place}: {what} for {target} in {source} ({len(where)} times)")
    return 1 if compared != agreed or compared == 0 else 0


sys.exit(main())

"""Prints the rows of arf_bench (and of other harnesses with the same first columns) by size.

Columns read: ranks, hidden, tokens, variant, p50, …, verdict anywhere in the row. Of a variant
that comes several times the fastest counts.
"""
import collections
import csv
import sys

rows = collections.defaultdict(dict)
bad = []
for name in sys.argv[1:]:
    try:
        lines = list(csv.reader(open(name)))
    except OSError:
        continue
    for r in lines:
        if len(r) < 5 or not r[1].isdigit():
            continue
        key = (int(r[0]), int(r[1]), int(r[2]))
        if any(w in " ".join(r) for w in ("WRONG", "NAN", "cannot")):
            bad.append(r)
            continue
        rows[key][r[3]] = min(float(r[4]), rows[key].get(r[3], float("inf")))


def best(variants, *prefixes):
    some = {k: v for k, v in variants.items() if k.startswith(prefixes)}
    if not some:
        return "-"
    k = min(some, key=some.get)
    return f"{some[k]:7.2f} {k}"


for key in sorted(rows):
    v = rows[key]
    if key[1] == 0:
        print(key, {k: t for k, t in v.items()})
        continue
    peers = [t for k, t in v.items() if k.startswith(("fi_", "vllm", "nccl"))]
    auto = v.get("arf_pattern1")
    ratio = f"{auto / min(peers):.2f}" if auto and peers else "-"
    print(f"tp{key[0]} h{key[1]} t{key[2]:4d} | auto {best(v, 'arf_pattern1'):20s} | {ratio:5s} | "
          f"{best(v, 'oneshot'):22s} | {best(v, 'twoshot'):22s} | {best(v, 'fi_'):26s} | "
          f"{best(v, 'vllm'):18s} | {best(v, 'nccl')}")
    if auto:
        own = sorted((k, t) for k, t in v.items() if k.startswith("arf_pattern"))
        print("      " + "  ".join(f"{k[11:]}={t:.2f} ({t / auto:.2f})" for k, t in own))
    ours = sorted((t, k) for k, t in v.items() if k.startswith(("oneshot", "twoshot")))
    short = [f"{k.replace('oneshot', '1').replace('twoshot', '2')}={t:.2f}" for t, k in ours[:14]]
    if short:
        print("      " + "  ".join(short))
print("bad rows:", len(bad))
for r in bad[:10]:
    print("  ", ",".join(r))

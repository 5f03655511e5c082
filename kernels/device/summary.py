"""Prints the rows of arf_bench (and of other harnesses with the same first columns) by size.

Columns read: ranks, hidden, tokens, variant, p50, …, verdict anywhere in the row.
"""
import collections
import csv
import sys

rows = collections.defaultdict(dict)
bad = []
for name in sys.argv[1:]:
    for r in csv.reader(open(name)):
        if len(r) < 5 or not r[1].isdigit():
            continue
        key = (int(r[0]), int(r[1]), int(r[2]))
        try:
            rows[key][r[3]] = float(r[4])
        except ValueError:
            continue
        if any(w in " ".join(r) for w in ("WRONG", "NAN", "cannot")):
            bad.append(r)


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
    print(f"tp{key[0]} h{key[1]} t{key[2]:4d} | {best(v, 'oneshot', 'arf'):26s} | "
          f"{best(v, 'twoshot'):26s} | {best(v, 'fi_'):30s} | {best(v, 'vllm'):22s} | "
          f"{best(v, 'nccl')}")
    ours = sorted((t, k) for k, t in v.items() if k.startswith(("oneshot", "twoshot")))
    short = [f"{k.replace('oneshot', '1').replace('twoshot', '2')}={t:.2f}" for t, k in ours[:14]]
    print("      " + "  ".join(short))
print("bad rows:", len(bad))
for r in bad[:10]:
    print("  ", ",".join(r))

"""Turns the rows of `arf_bench --sweep` into the table of measured choices.

    choose.py FILE… > host/choices.inc

A measured size stands for its neighbours up to the geometric middle between it and the next one.
"""
import collections
import csv
import math
import re
import sys

KNOWN = re.compile(r"(oneshot|twoshot)_c(\d+)_p(\d+)(?:_u(\d+))?(?:_w(\d+))?$")
times = collections.defaultdict(dict)
for name in sys.argv[1:]:
    for r in csv.reader(open(name)):
        m = KNOWN.match(r[3]) if len(r) > 7 and r[7] == "ok" else None
        if m:
            times[int(r[0]), int(r[1]), int(r[2])][m.groups()] = float(r[4])


def middle(values, v):
    later = [w for w in values if w > v]
    return int(math.sqrt(v * later[0])) if later else None


print("// Written by device/choose.py from a device run's sweep (RESULTS.md); bf16, pattern 1.")
print("// world, packs of a row, tokens; algorithm, cluster, packs a thread, units (0: all), pause")
for world in sorted({k[0] for k in times}):
    hiddens = sorted({k[1] for k in times if k[0] == world})
    for hidden in hiddens:
        tokens = sorted(k[2] for k in times if k[:2] == (world, hidden))
        packs = middle([h // 8 for h in hiddens], hidden // 8)
        for t in tokens:
            variants = times[world, hidden, t]
            # Within half a per cent, the simplest: fewest knobs.
            least = min(variants.values())
            v = min((k for k in variants if variants[k] <= 1.005 * least),
                    key=lambda k: (sum(n is not None for n in k[3:]), variants[k]))
            up_to = middle(tokens, t)
            print("{%d, %s, %s, %s, %s, %s, %s, %s},  // %d tokens of %d: %.2f us" % (
                world, packs or "INT_MAX", up_to or "INT_MAX",
                "ARF_ONESHOT" if v[0] == "oneshot" else "ARF_TWOSHOT",
                v[1], v[2], v[3] or 0, v[4] or 0, t, hidden, variants[v]))

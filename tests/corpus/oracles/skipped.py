"""libclang's skipped ranges as the oracle of the macro evaluator, each file read alone.

usage: skipped.py KNOWN ENV

Of `known skipped ENV` (known.cc), for an environment or `release:NAME`.
"""
import subprocess
import sys

from releases import release

if len(sys.argv) != 3:
    sys.exit(__doc__)
sys.exit(subprocess.run([sys.argv[1], "skipped", release(sys.argv[2])]).returncode)

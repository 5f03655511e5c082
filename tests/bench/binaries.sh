#!/usr/bin/env bash
# Times `ungate objects` beside the tools that read the same bytes, each pair in one hyperfine call.
#
#   tests/bench/binaries.sh [ENVIRONMENT]
#   UNGATE=build/release/ungate     the program
#   UNGATE_TEST_CACHE=DIR           what tests/corpus/binaries.py fetched
#
# With an ENVIRONMENT, also the listing of all its shared objects. Needs hyperfine and unzip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

ungate=$(realpath "${UNGATE:-build/release/ungate}")
cache=${UNGATE_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ungate-tests}
large=$cache/sgl-kernel-0.3.21/sgl_kernel/flash_ops.abi3.so
cuobjdump=$(echo "$cache"/nvidia-cuda-cuobjdump-*/nvidia/cu13/bin/cuobjdump)
wheel=$(echo "$cache"/wheels/sgl_kernel-0.3.21-*.whl)
for file in "$large" "$cuobjdump" "$wheel"; do
  [ -e "$file" ] || { echo "$file is not there: run tests/corpus/binaries.py first" >&2; exit 2; }
done

# Output goes to a file: some tools stop early when they see /dev/null.
out=$(mktemp)
trap 'rm -f "$out"' EXIT
echo "== one shared object of $(stat -c %s "$large") bytes"
hyperfine --shell none --warmup 1 --runs "${RUNS:-5}" --output "$out" \
  "$ungate objects $large --target sm_120 -q" "$cuobjdump $large"
command -v /usr/bin/time >/dev/null &&
  /usr/bin/time -f "ungate: %M KB of memory at most" "$ungate" objects "$large" --target sm_120 -q -o "$out"
echo "== a wheel of $(stat -L -c %s "$wheel") bytes, unopened"
hyperfine --shell none --warmup 1 --runs "${WHEEL_RUNS:-3}" --output "$out" \
  "$ungate objects $wheel --target sm_120 -q" "unzip -p $wheel"
if [ $# -gt 0 ]; then
  echo "== all binaries of an environment"
  hyperfine --shell none --warmup 1 --runs "${RUNS:-5}" --output "$out" \
    "$ungate objects $1 --target sm_120 -q --format jsonl"
fi

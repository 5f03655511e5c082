#!/usr/bin/env bash
# One run on a machine with one GPU that all ranks share: correctness only (a rank's peers are in the
# same memory, so times say nothing). Offline; the programs lie beside this script.
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
step() {
  echo "== $*"
  local start=$SECONDS
  timeout "$limit" "$@" 2>&1 | tail -n 25
  echo "-- $((SECONDS - start)) s, exit ${PIPESTATUS[0]}"
}
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1
types=${TYPES:-bf16,fp16}
limit=15 step ./arf_example 0 0
limit=15 step python3 ./allreduce.py ./libarf.so 0 0
limit=15 step ./arf_example 0 0 0 0
limit=60 step ./arf_verify --devices 0,0 --dtypes "$types" --only quantised,experts,finish
limit=30 step ./arf_verify --devices 0,0,0,0 --quick --dtypes "$types" --only quantised,experts,finish
limit=30 step ./arf_verify --devices 0,0 --quick --transport host --dtypes "$types" --only quantised,soak
limit=15 step ./arf_verify --devices 0,0 --quick --only processes
limit=60 step ./arf_verify --devices 0,0 --quick --dtypes "$types" --only matrix,data,graphs,soak,failures
limit=30 step ./arf_bench --devices 0,0 --tokens 1,64 --hidden 7168 --patterns 1,2,3,8,10 --replays 5

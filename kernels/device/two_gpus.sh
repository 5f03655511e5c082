#!/usr/bin/env bash
# One run on a machine with two GPUs: correctness first, then times beside the peers. Offline; the
# programs lie beside this script. $OUT takes the full figures.
cd "$(dirname "${BASH_SOURCE[0]}")"
out=${OUT:-/tmp/arf-out}
mkdir -p "$out"
nccl=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib")' 2>/dev/null)
export LD_LIBRARY_PATH=$nccl NCCL_NVLS_ENABLE=0
devices=${DEVICES:-0,1}
tp=$(echo "$devices" | tr , '\n' | wc -l)
step() {
  echo "== $*"
  local start=$SECONDS
  timeout "$limit" "$@" 2>&1 | tail -n "${lines:-25}"
  echo "-- $((SECONDS - start)) s, exit ${PIPESTATUS[0]}"
}
nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader | head -2
suites=matrix,data,quantised,finish,graphs,soak,failures
limit=80 step ./arf_verify --devices "$devices" --quick --dtypes bf16,fp16,fp32 --only $suites
limit=30 step ./arf_verify_faults --devices "$devices" --quick --only delays,controls
limit=40 step ./arf_verify --devices 0,0 --quick --only $suites
limit=40 step ./arf_verify --devices 0,0,0,0 --quick --only matrix,quantised,soak,failures
limit=40 step ./arf_verify --devices 0,0,0,0,0,0,0,0 --quick --only matrix,soak,failures
limit=15 step ./arf_example ${devices//,/ }
limit=15 step python3 ./allreduce.py ./libarf.so ${devices//,/ }
limit=150 lines=8 step ./arf_bench --devices "$devices" --sweep --patterns 1,2,3,8,10 \
  --nccl "$nccl/libnccl.so.2" --csv "$out/arf.csv"
[ -x ./study_fi ] && limit=90 lines=8 step ./study_fi --tp "$tp" --hidden 7168,4096 \
  --csv "$out/peers.csv" --only empty_pdl,flag_pdl,fi_oneshot_pdl_early,vllm+
python3 ./summary.py "$out/arf.csv" "$out/peers.csv" | tee "$out/summary.txt"
# Host memory in place of peer access.
limit=30 step ./arf_verify --devices "$devices" --quick --transport host \
  --only matrix,quantised,soak,failures
limit=40 lines=8 step ./arf_bench --devices "$devices" --transport host --tokens 1,8,32,128 \
  --hidden 7168 --sweep --csv "$out/host.csv"
NCCL_P2P_DISABLE=1 limit=25 lines=8 step ./arf_bench --devices "$devices" --patterns "" \
  --tokens 1,8,32,128 --hidden 7168 --nccl "$nccl/libnccl.so.2" --csv "$out/nccl_shm.csv"
python3 ./summary.py "$out/host.csv" "$out/nccl_shm.csv" | tee "$out/summary_host.txt"
# Last, since it kills processes that others are talking to.
limit=60 step ./arf_verify --devices "$devices" --quick --only processes

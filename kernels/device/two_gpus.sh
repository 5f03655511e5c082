#!/usr/bin/env bash
# One run on a machine with two GPUs: correctness first, then times beside the peers. Offline; the
# programs lie beside this script. $OUT takes the full figures.
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
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
limit=50 step ./arf_verify --devices "$devices" --quick --only processes
suites=matrix,data,quantised,finish,graphs,soak,failures
limit=60 step ./arf_verify --devices "$devices" --quick --dtypes bf16,fp16,fp32 --only $suites
limit=20 step ./arf_verify_faults --devices "$devices" --quick --only delays,controls
limit=10 step ./arf_example ${devices//,/ }
limit=15 step python3 ./allreduce.py ./libarf.so ${devices//,/ }
# The automatic choice, as a user gets it.
limit=70 lines=8 step ./arf_bench --devices "$devices" --patterns 1,2,3,8,10 \
  --nccl "$nccl/libnccl.so.2" --csv "$out/auto.csv"
[ -x ./study_fi ] && limit=90 lines=8 step ./study_fi --tp "$tp" --hidden 7168,4096 \
  --csv "$out/peers.csv" --only empty_pdl,flag_pdl,fi_oneshot_pdl_early,vllm+
# What an expert could get of NCCL.
for kernel in AllReduce_AGxLL_R AllReduce_RSxLD_AGxST; do
  NCCL_SYM_KERNEL=$kernel NCCL_SYM_CTAS=32 limit=25 lines=2 step ./arf_bench --devices "$devices" \
    --patterns "" --nccl "$nccl/libnccl.so.2" --csv "$out/tuned.csv"
done
python3 ./summary.py "$out/auto.csv" "$out/peers.csv" "$out/tuned.csv" | tee "$out/summary.txt"
# Host memory in place of peer access.
limit=25 step ./arf_verify --devices "$devices" --quick --transport host \
  --only matrix,quantised,soak,failures
limit=20 lines=4 step ./arf_bench --devices "$devices" --transport host --tokens 1,8,32,128,256 \
  --hidden 7168 --csv "$out/host.csv"
NCCL_P2P_DISABLE=1 limit=25 lines=4 step ./arf_bench --devices "$devices" --patterns "" \
  --tokens 1,8,32,128,256 --hidden 7168 --nccl "$nccl/libnccl.so.2" --csv "$out/nccl_shm.csv"
python3 ./summary.py "$out/host.csv" "$out/nccl_shm.csv" | tee "$out/summary_host.txt"
# Every launch shape: what device/choose.py makes the table of choices of.
limit=${SWEEP:-150} lines=8 step ./arf_bench --devices "$devices" --sweep --csv "$out/sweep.csv"
limit=20 lines=4 step ./arf_bench --devices "$devices" --transport host --tokens 1,8,32,128,256 \
  --hidden 7168 --sweep --csv "$out/host_sweep.csv"
python3 ./summary.py "$out/sweep.csv" "$out/host_sweep.csv" | tee "$out/summary_sweep.txt"

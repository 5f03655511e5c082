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
step() { echo "== $*"; local s=$SECONDS; timeout "$limit" "$@" 2>&1 | tail -n "${lines:-25}"; echo "-- $((SECONDS - s)) s, exit ${PIPESTATUS[0]}"; }
nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader | head -2
limit=60 step ./arf_verify --devices 0,0 --quick --only matrix,data,graphs,soak,failures
limit=60 step ./arf_verify --devices 0,0,0,0 --quick --only matrix,failures
limit=100 step ./arf_verify --devices "$devices" --quick --dtypes bf16,fp16,fp32
limit=60 step ./arf_verify_faults --devices "$devices" --quick --only delays,controls
limit=150 lines=8 step ./arf_bench --devices "$devices" --sweep --nccl "$nccl/libnccl.so.2" --csv "$out/arf.csv"
[ -x ./study_fi ] && limit=150 lines=8 step ./study_fi --tp "$tp" --hidden 7168,4096 --csv "$out/peers.csv" \
  --only empty_pdl,flag_pdl,fi_oneshot_pdl_early,fi_twoshot_pdl,study2_pdl,vllm+,ncclsym+,nccl+
python3 ./summary.py "$out"/*.csv | tee "$out/summary.txt"

#!/usr/bin/env bash
# One run on a machine with two GPUs: launch shapes, then times beside the peers with what was chosen,
# then correctness. Offline; the programs lie beside this script. $OUT takes the full figures. Five
# minutes.
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
out=${OUT:-/tmp/arf-out}
mkdir -p "$out"
nccl=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib")' 2>/dev/null)
export LD_LIBRARY_PATH=$nccl NCCL_NVLS_ENABLE=0 XDG_CACHE_HOME=$out/cache
library=$nccl/libnccl.so.2
devices=${DEVICES:-0,1}
ranks=$(echo "$devices" | tr , '\n' | wc -l)
step() {
  echo "== $*"
  local start=$SECONDS
  timeout "$limit" "$@" 2>&1 | tail -n "${lines:-14}"
  echo "-- $((SECONDS - start)) s, exit ${PIPESTATUS[0]}"
}
bench() {
  limit=$1 lines=4 step ./arf_bench --devices "$devices" "${@:2}"
}
nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader
# The table of choices; what device/choose.py makes host/choices.inc of is in sweep.csv.
bench 45 --tune --csv "$out/sweep.csv"
cp "$XDG_CACHE_HOME"/ungate/* "$out/choices.txt"
# The automatic choice, as a user gets it after that; up to 8 MB.
bench 25 --patterns 1,2,3,8,10 --csv "$out/auto.csv"
bench 10 --hidden 7168 --tokens 585 --csv "$out/auto.csv"
bench 10 --hidden 4096 --tokens 1024 --csv "$out/auto.csv"
[ -x ./study_fi ] && limit=20 lines=2 step ./study_fi --tp "$ranks" --hidden 7168,4096 \
  --csv "$out/peers.csv" --only empty_pdl,flag_pdl,fi_oneshot_pdl_early,vllm+
limit=40 step ./arf_verify --devices "$devices" --quick
limit=45 step ./arf_verify --devices "$devices" --quick --dtypes fp16,fp32 \
  --only matrix,data,quantised,experts,finish
limit=10 step ./arf_verify_faults --devices "$devices" --quick --only graphs,delays,controls
bench 55 --patterns "" --nccl "$library" --csv "$out/nccl.csv"
# What an expert could get of NCCL.
for kernel in AllReduce_AGxLL_R AllReduce_RSxLD_AGxST; do
  NCCL_SYM_KERNEL=$kernel NCCL_SYM_CTAS=32 bench 18 --patterns "" --nccl "$library" \
    --hidden 7168 --tokens 1,8,32,128,512 --csv "$out/tuned.csv"
done
python3 ./summary.py "$out"/{sweep,auto,peers,nccl,tuned}.csv | tee "$out/summary.txt" | cut -c1-330
# Host memory in place of peer access; NCCL without peer access (its default kernels: symmetric ones do
# not heed the setting).
bench 10 --transport host --tokens 1,8,32,128,256 --hidden 7168 --csv "$out/host.csv"
NCCL_P2P_DISABLE=1 bench 15 --patterns "" --tokens 1,8,32,128 --hidden 7168 --nccl "$library" \
  --csv "$out/nccl_shm.csv"
cut -d, -f2-5 "$out/host.csv" "$out/nccl_shm.csv"
# As long as there is time: 10,000 mixed calls, graphs of 1, 2, 3 and 7 calls.
limit=$((300 - SECONDS)) && [ $limit -gt 15 ] &&
  step ./arf_verify --devices "$devices" --only soak
limit=$((300 - SECONDS)) && [ $limit -gt 15 ] &&
  step ./arf_verify_faults --devices "$devices" --only graphs
exit 0

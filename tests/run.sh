#!/usr/bin/env bash
# Builds everything and runs every test that needs no GPU.
#
#   tests/run.sh                all of them
#   tests/run.sh -R REGEX …     arguments go to ctest
#   UNGATE_LONG=1               the long ones, too: proofs of whole patch sets (nvcc, 12 minutes of CPU)
#   UNGATE_PRESET=asan          another preset (default dev)
#   UNGATE_TEST_CACHE=DIR       where the corpus tests keep the releases that they get from PyPI
#                               (default ${XDG_CACHE_HOME:-$HOME/.cache}/ungate-tests)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${UNGATE_PRESET:-dev}
jobs=${UNGATE_JOBS:-$(nproc)}

./setup.sh
options=()
! command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
! command -v mold >/dev/null || options+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold)
cmake --preset "$preset" "${options[@]}"
cmake --build --preset "$preset" --parallel "$jobs"
leave_out='gpu|long'
[ -z "${UNGATE_LONG:-}" ] || leave_out=gpu
ctest --preset "$preset" --parallel "$jobs" --label-exclude "$leave_out" "$@"

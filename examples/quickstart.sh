#!/usr/bin/env bash
# The whole of ungate in a few minutes, on real packages: FlashInfer 0.6.3 and SGLang 0.5.8, whose
# fused allreduce is shut to the RTX PRO 6000 (sm_120). No GPU and no CUDA are needed.
#
#   examples/quickstart.sh
#
# It installs what a build needs (setup.sh), builds the program, makes a virtual environment of its
# own and runs: audit, explain, plan, apply, status, revert. Everything it writes lies in one folder,
# and the environment is made anew each time, so it can be interrupted and run again at any point.
#
#   UNGATE_QUICKSTART=DIR   that folder (default build/quickstart)
#   UNGATE_BIN=FILE         this program, instead of building one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${UNGATE_QUICKSTART:-build/quickstart}
target=sm_120
packages=(flashinfer-python==0.6.3 sglang==0.5.8 apache-tvm-ffi==0.1.15.post2)

say() { printf '\n== %s\n' "$*"; }

# show STATUS COMMAND…: shows a command and what it says; ends the script if it does not exit so.
show() {
  local expected=$1 status=0
  shift
  printf '\n$ ungate %s\n\n' "$*"
  "$ungate" "$@" || status=$?
  if [ "$status" -ne "$expected" ]; then
    echo "quickstart: ungate $1 ended with status $status, not $expected" >&2
    exit 1
  fi
}

say "Build"
./setup.sh
ungate=${UNGATE_BIN:-}
if [ -z "$ungate" ]; then
  options=(-DUNGATE_TESTS=OFF)
  ! command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  ! command -v mold >/dev/null || options+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold)
  cmake --preset release "${options[@]}" >/dev/null
  cmake --build --preset release --target ungate
  ungate=$PWD/build/release/ungate
fi
"$ungate" version

say "An environment with the packages"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
env=$folder/env
# JIT caches of this environment lie here, not in the caches of whoever runs this.
export FLASHINFER_WORKSPACE_BASE=$folder/jit
wheels=$folder/wheels
if [ ! -e "$wheels/complete" ]; then
  rm -rf "$wheels"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps -d "$wheels" "${packages[@]}"
  touch "$wheels/complete"
fi
rm -rf "$env"
python3 -m venv "$env"
"$env/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps \
  --find-links "$wheels" "${packages[@]}"
echo "${packages[*]} in $env"
cd "$folder" # so that commands and paths stay short

say "What shuts $target out?"
show 1 audit env --target $target

say "One of these gates: FlashInfer compiles its allreduce for 9.x and 10.x only"
show 0 explain flashinfer/jit/comm.py:61 --target $target --prefix env

say "What would be written, and why? (nothing is)"
show 1 plan env --target $target

say "Write it"
show 0 apply env --target $target
show 0 status env

say "It is not there twice"
show 0 apply env --target $target

say "Take it back: the bytes are those of the wheels again"
show 0 revert --all --prefix env
show 0 status env
say "Done. The environment is $env; the program is $ungate"

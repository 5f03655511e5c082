#!/usr/bin/env bash
# Installs what a build needs: Debian packages (with apt-get, as root or through sudo) and the sources
# of the Python grammar (from PyPI, pinned and verified). Does nothing that is done already.
#
#   setup.sh            everything
#   UNGATE_DEPS=DIR     where the grammar goes (default build/deps)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(
  g++ cmake ninja-build pkg-config patch git ca-certificates python3 python3-pip python3-venv
  libcli11-dev libre2-dev libyaml-cpp-dev libfmt-dev nlohmann-json3-dev libssl-dev libxxhash-dev
  libarchive-dev libzstd-dev liblz4-dev libgoogle-perftools-dev libtree-sitter-dev libclang-19-dev libgtest-dev libgmock-dev
)
missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "setup: installing ${missing[*]}" >&2
  root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: needs root or sudo to install: ${missing[*]}" >&2; exit 2; }
    root=(sudo)
  fi
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

deps=${UNGATE_DEPS:-build/deps}
mkdir -p "$deps"

# fetch NAME VERSION SHA256: the source archive of a PyPI package.
fetch() {
  local file="$deps/$1-$2.tar.gz"
  if ! echo "$3  $file" | sha256sum --check --status 2>/dev/null; then
    echo "setup: fetching $1 $2" >&2
    local folder
    folder=$(mktemp -d)
    python3 -m pip download --quiet --no-deps --no-binary :all: --disable-pip-version-check \
      -d "$folder" "$1==$2" 2>"$folder/log" || { cat "$folder/log" >&2; exit 2; }
    mv "$folder"/*.tar.gz "$file"
    rm -rf "$folder"
    echo "$3  $file" | sha256sum --check --status || { echo "setup: $1 $2 does not have the expected checksum" >&2; exit 2; }
  fi
}

# The grammar's sources, and the headers they need, which its archive lacks.
if [ ! -e "$deps/tree-sitter-python/complete" ]; then
  fetch tree-sitter-python 0.23.6 354bfa0a2f9217431764a631516f85173e9711af2c13dbd796a8815acfe505d9
  fetch tree-sitter 0.24.0 abd95af65ca2f4f7eca356343391ed669e764f37748b5352946f00f7fc78e734
  out="$deps/tree-sitter-python"
  rm -rf "$out"
  mkdir -p "$out/tree_sitter"
  tar -xzf "$deps/tree-sitter-python-0.23.6.tar.gz" -C "$out" --strip-components=2 --wildcards \
    '*/src/parser.c' '*/src/scanner.c'
  for header in parser.h array.h alloc.h; do
    tar -xzf "$deps/tree-sitter-0.24.0.tar.gz" -O --wildcards "*/core/lib/src/$header" >"$out/tree_sitter/$header"
  done
  tar -xzf "$deps/tree-sitter-0.24.0.tar.gz" -O --wildcards "*/core/lib/src/ts_assert.h" >"$out/tree_sitter/ts_assert.h"
  touch "$out/complete"
fi

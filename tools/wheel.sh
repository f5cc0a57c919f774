#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds a wheel of the Python package with the library of a build inside. The sources are copied, since
# setuptools leaves files beside them, which the next wheel would hold even if their module is gone.
#
#   tools/wheel.sh BUILD_DIR OUTPUT_DIR
set -eu

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$(realpath "$1/src/libtacho.so")
mkdir -p "$2"
output=$(cd "$2" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r "$here/../python" "$work/python"
rm -rf "$work/python/build" "$work/python"/*.egg-info
cd "$work"
TACHO_LIBRARY=$library /usr/bin/python3 -m build --wheel --no-isolation --outdir "$work/dist" python \
    >build.log 2>&1 || { cat build.log; exit 1; }
mv "$work"/dist/*.whl "$output"

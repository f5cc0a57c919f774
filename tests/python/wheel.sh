#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds a wheel with the library of a build inside, installs it in an empty virtual environment without a
# network, and runs the tests of the Python package there.
#
#   tests/python/wheel.sh BUILD_DIR
set -eu
export PYTHONDONTWRITEBYTECODE=1 TACHO_HOST_CPU=built-in PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
python=/usr/bin/python3
if grep -q '^TACHO_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt"; then
    echo "skip: Python does not load a library with sanitizers"
    exit 77
fi
"$python" -c 'import build, ensurepip, setuptools, venv, wheel, numpy, pandas, pytest' 2>/dev/null || {
    echo "skip: no python3-build, python3-wheel, python3-venv, python3-pandas and python3-pytest"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/tacho-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT
bash "$here/../../tools/wheel.sh" "$build" "$work/dist" # what 'make wheel' does
cd "$work"
wheels=(dist/tacho-*-py3-none-linux_*.whl)
[[ ${#wheels[@]} == 1 && -f ${wheels[0]} ]] || { ls dist; exit 1; }
"$python" -m zipfile -l "${wheels[0]}" >listed
for name in qaic/__init__.py tacho/py.typed 'tacho/libtacho.so.[0-9.]*' 'tacho/tacho/board-[a-z0-9_]*' \
    perfetto_logger.py; do
    grep -q "^$name " listed || { echo "no $name in the wheel"; cat listed; exit 1; }
done

"$python" -m venv --system-site-packages venv # numpy and pandas are Debian's
venv/bin/python -m pip install -q --no-deps "${wheels[0]}"
unset TACHO_LIBRARY PYTHONPATH
export PATH=$build/bin:$PATH
venv/bin/python - "$work/venv" <<'CHECK'
import sys
import tacho
from tacho import _library
assert tacho.__file__.startswith(sys.argv[1]), tacho.__file__
assert _library.library()._name.startswith(sys.argv[1]), _library.library()._name
CHECK
cd "$here"
PYTHONPATH=$here "$work/venv/bin/python" -m unittest discover -s "$here" -p 'test_*.py'

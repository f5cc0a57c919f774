#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests of the Python package with the library of a build: as it is, and as if numpy and pandas were not
# installed. With a name, only the tests of that file.
#
#   tests/python/run.sh BUILD_DIR [plain|full] [TEST_FILE...]
set -eu
export PYTHONDONTWRITEBYTECODE=1 TACHO_HOST_CPU=built-in

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
kind=${2:-full}
shift $(($# < 2 ? $# : 2))
if grep -q '^TACHO_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt"; then
    echo "skip: Python does not load a library with sanitizers"
    exit 77
fi
export TACHO_LIBRARY=$build/src/libtacho.so PATH=$build/bin:$PATH
export PYTHONPATH=$here/../../python:$here
python=python3
[[ $kind != plain ]] || export TACHO_TEST_PLAIN=1
if [[ $kind == full ]] && ! python3 -c 'import numpy, pandas' 2>/dev/null; then
    python=/usr/bin/python3
    "$python" -c 'import numpy, pandas' 2>/dev/null || {
        echo "skip: no python3-numpy and python3-pandas"
        exit 77
    }
fi
# Debian's packages are for Debian's interpreter, which need not be the first on PATH.
if ! "$python" -c 'import pytest' 2>/dev/null && /usr/bin/python3 -c 'import pytest' 2>/dev/null; then
    python=/usr/bin/python3
fi
cd "$here"
(($# > 0)) || set -- discover -s "$here" -p 'test_*.py'
exec "$python" "$here/../skips.py" "$@"

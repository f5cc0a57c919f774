#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The types of the Python package, by mypy.
#
#   tests/python/types.sh CACHE_DIR
set -eu
cache=$(realpath -m "$1")
command -v mypy >/dev/null || { echo "skip: mypy is not installed"; exit 77; }
cd "$(dirname "${BASH_SOURCE[0]}")/../../python"
exec mypy --no-incremental --cache-dir="$cache" --ignore-missing-imports --disallow-untyped-defs tacho qaic

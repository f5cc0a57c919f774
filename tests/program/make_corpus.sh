#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the seeds of fuzz_qpc, fuzz_networkdesc and fuzz_sim anew, which the layout of programs asks for when
# it changes.
#
#   tests/program/make_corpus.sh TESTS_DIR [CORPUS_DIR]
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
corpus=${2:-$here/../fuzz/corpus}
extract() { python3 "$here/inspect_qpc.py" extract "$@"; }

mkdir -p "$corpus/fuzz_qpc" "$corpus/fuzz_networkdesc" "$corpus/fuzz_sim"
"$1/make_program" "$corpus/fuzz_qpc/program"
extract "$corpus/fuzz_qpc/program" network.elf >"$corpus/fuzz_qpc/image"
extract "$corpus/fuzz_qpc/program" networkdesc.bin >"$corpus/fuzz_networkdesc/own"
"$1/make_program" "$corpus/fuzz_qpc/sliced" 70 sliced
extract "$corpus/fuzz_qpc/sliced" network.elf >"$corpus/fuzz_sim/image"
for kind in heap file bare counted; do
    python3 "$here/../data/qaic/make_qpc.py" "$kind" "$corpus/fuzz_qpc/$kind"
done
for kind in heap counted; do
    extract "$corpus/fuzz_qpc/$kind" networkdesc.bin >"$corpus/fuzz_networkdesc/$kind"
done

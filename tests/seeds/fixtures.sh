# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Input files of the seeds' command lines. Each function writes into the current folder the file
# that a line expects to find there; records name the functions in `setup:`. All content is composed
# by us: the models and profiles of the seeds are not public.

# ---- Torq: profiles ---------------------------------------------------------------------------

# Compile timeline of the first generation (T1), as seed 002 describes it. Rows are not in time
# order, and the fused location holds a comma although nothing is quoted: the vendor's reader loses
# that row, a reader that splits from both ends keeps it.
torq_compile_csv() {
    cat >compile_profile.csv <<'CSV'
DI0,0,9408,loc("/w/m/conv.mlir":4:10),DMA_IN
DI1,9408,10584,loc("/w/m/conv.mlir":5:10),DMA_IN
DO2,15288,24696,loc("/w/m/conv.mlir":8:5),DMA_OUT
S0,9408,12936,loc("/w/m/conv.mlir":4:10),conv2d
S1,12936,15288,loc(fused["/w/m/conv.mlir":6:10, "/w/m/conv.mlir":7:10]),add
CSV
}

# Runtime job log (R0), one row per finished job; the last one has no location.
torq_runtime_csv() {
    cat >runtime_profile.csv <<'CSV'
id;time_since_open;time_since_start;location
0;1520;310;loc("/w/m/conv.mlir":4:10)
1;1905;301;loc(callsite("/w/m/conv.mlir":6:10 at "/w/m/conv.mlir":2:3))
2;2298;344;
CSV
}

# Seed 000 and 001 mention this folder in --torq-dump-profiling=path/to/trace.csv.
path_to_dir() {
    mkdir -p path/to
}

# The models lie in the repository under the names that the seeds give them.
copy_model() {
    mkdir -p "$(dirname "$1")"
    cp "$REPOSITORY/$1" "$1"
}

# ---- Torq: models -----------------------------------------------------------------------------

# One 1x1280 i8 vector through a fully connected layer (a 1x1 convolution, as TOSA 1.0 has it).
tosa_fc_mlir() {
    copy_model samples/tosa/fc.mlir
}

# Adds its only input to itself: seed 001 gives the model one --input.
tosa_add_mlir() {
    copy_model tests/testdata/tosa_ops/add.mlir
}

# A stride-1 convolution of the 1x224x224x3 i8 image that seed 002 makes.
tosa_conv_mlir() {
    copy_model tests/testdata/tosa_ops/conv-stride1-notile.mlir
}

# What seed 002's numpy snippet makes, without numpy: same name, shape and type, other values.
input_npy() {
    python3 - <<'PY'
header = "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 224, 224, 3), }"
header = header.ljust(128 - 10 - 1) + "\n"  # the array starts at a multiple of 64
with open("in_rnd_0.npy", "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    out.write(bytes(i * 37 % 256 for i in range(224 * 224 * 3)))
PY
}

# The test that seed 001 runs on a board; the plugin is that of this repository. Python loads no library
# with sanitizers; then it is that of the release build, which runs the same program on the board.
onnx_model_test_py() {
    local library
    library=$(dirname "$(command -v tacho)")/../src/libtacho.so
    if grep -q '^TACHO_SANITIZE:[A-Z]*=.' "$(dirname "$library")/../CMakeCache.txt"; then
        library=$REPOSITORY/build/src/libtacho.so
    fi
    model_onnx
    mkdir -p tests
    mv model.onnx tests/matmul_layer.onnx
    cat >tests/conftest.py <<PY
import os
import sys

sys.path.insert(0, "$REPOSITORY/python")
os.environ["TACHO_LIBRARY"] = "$(realpath "$library")"
pytest_plugins = ["tacho.pytest_plugin"]
PY
    cat >tests/test_onnx_model.py <<'PY'
import pathlib

import pytest


@pytest.mark.parametrize("name", ["matmul_layer", "conv_layer"], ids="example-{}".format)
def test_onnx_model(tacho_run, name):
    run = tacho_run(pathlib.Path(__file__).with_name(f"{name}.onnx"))
    assert run.board.host == "root@10.46.130.17"
PY
}

# The board that it runs on, with a root directory of its own.
board() {
    # shellcheck disable=SC1091
    . "$REPOSITORY/tests/remote/board.sh"
    board_write_pipe board
}

# ---- Tenstorrent ------------------------------------------------------------------------------

# The test that seed 003 profiles. tacho needs no more of it than that pytest can run it.
mnist_test_py() {
    mkdir -p tests/models/mnist
    model_onnx
    cat >tests/models/mnist/test_mnist.py <<'PY'
import subprocess

import pytest


@pytest.mark.parametrize("mode", ["eval"])
@pytest.mark.parametrize("depth", ["full"])
@pytest.mark.parametrize("devices", ["single_device"])
def test_mnist_train(devices, depth, mode):
    run = subprocess.run(["tacho", "run", "model.onnx", "--device", "sim:wormhole-n150"], check=True, capture_output=True)
    assert b"output 0" in run.stdout
PY
}

# A program that runs a model through tacho, in a process of its own, and prints a number.
model_workload_py() {
    model_onnx
    cat >workload.py <<'PY'
import subprocess

subprocess.run(["tacho", "run", "model.onnx", "--device", "sim:wormhole-n150", "-q"], check=True, stdout=subprocess.DEVNULL)
print(sum(i * i for i in range(1000)))
PY
}

# "pytest or other command": a program that needs nothing but Python.
workload_py() {
    echo 'print(sum(i * i for i in range(1000)))' >workload.py
}

# ---- Qualcomm ---------------------------------------------------------------------------------

# Two float MatMuls and a Relu over 256 x 256, work for many cores, with their weight inside, and a Softmax, which is HVX's. Written field by field (number,
# wire type, value) because the fixtures must not need the onnx package.
model_onnx() {
    python3 - <<'PY'
import struct

FLOAT = 1


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def blob(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def node(op, name, inputs, output):
    return b"".join(blob(1, i) for i in inputs) + blob(2, output) + blob(3, name) + blob(4, op)


def value_info(name, dims):
    shape = b"".join(blob(1, number(1, d)) for d in dims)
    return blob(1, name) + blob(2, blob(1, number(1, FLOAT) + blob(2, shape)))


weight = struct.pack("<65536f", *((i % 13 - 6) / 8 for i in range(65536)))
tensor = number(1, 256) + number(1, 256) + number(2, FLOAT) + blob(8, "w") + blob(9, weight)
graph = (
    blob(1, node("MatMul", "fc", ["x", "w"], "h"))
    + blob(1, node("Relu", "act", ["h"], "r"))
    + blob(1, node("MatMul", "last", ["r", "w"], "s"))
    + blob(1, node("Softmax", "classes", ["s"], "y"))
    + blob(2, "QAicGraph")
    + blob(5, tensor)
    + blob(11, value_info("x", [256, 256]))
    + blob(12, value_info("y", [256, 256]))
)
model = number(1, 8) + blob(2, "tacho seeds") + blob(7, graph) + blob(8, blob(1, "") + number(2, 13))
with open("model.onnx", "wb") as out:
    out.write(model)
PY
}

# A program whose operators are spread over two devices, and raw stats of both: what an MDP partition
# makes of a network.
two_devices() {
    model_onnx
    mkdir -p binaries stats
    tacho compile model.onnx -m aic100 --devices 2 --cores 2 --stats-level 70 -q \
        -o binaries/programqpc.bin
    qaic-runner --test-data=./binaries --aic-profiling-type=raw_device_stats \
        --aic-profiling-out-dir=./stats
}

# qaic-runner's --aic-profiling-out-dir "must exist and be writable", and seed 004 never makes it.
stats_dir() {
    mkdir -p stats
}

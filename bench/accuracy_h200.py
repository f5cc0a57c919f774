#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near estimates of an NVIDIA H200 come to kernel times measured with CUPTI.

    bench/accuracy_h200.py build/bin/tacho TRUTH_FOLDER [MODELS_FOLDER]

Each row of h200_ops.csv and h200_ops2.csv becomes an ONNX model of one operator, each row of h200_models.csv a model
of MODELS_FOLDER, which `tacho compile --machine h200` estimates. Prints one line per set and fails
(exit code 1) when a bar is missed; 77 when the folder is absent. --rows prints every row.
"""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

from accuracy import field, read, tensor

CLOCK = 1980.0  # cycles in a microsecond
# Rows with channels last, which a model of one operator cannot express.
SETS = {"global_avgpool": "channels last", "maxpool3s2": "channels last", "matmul": "matmul",
        "batch_matmul": "matmul", "conv2d": "convolution",
        "attention": "attention"}
MORE = {"sum0", "sum1", "sumall", "amax", "amax0", "max_last", "argmax", "argmax0", "cumsum", "cumsum0", "cat",
        "cat_last", "bias", "maxpool", "maxpool2", "avgpool", "gap", "up2", "up2_linear"}
BARS = {"matmul": 12.0, "convolution": 15.0, "memory-bound": 15.0, "models": 15.0}
DTYPES = {"float32": 1, "float16": 10, "bfloat16": 16, "float8_e4m3fn": 1}
OPTIONS = {"float8_e4m3fn": ["--dtype", "f8e4m3"]}


def ints(name, values):
    return field(1, name) + b"".join(field(8, value & (1 << 64) - 1) for value in values) + field(20, 7)


def word(name, value):
    return field(1, name) + field(4, value) + field(20, 3)


def number(name, value):
    return field(1, name) + field(3, value & (1 << 64) - 1) + field(20, 2)


def node(op, inputs, outputs, attributes=()):
    return (b"".join(field(1, name) for name in inputs) +
            b"".join(field(2, name) for name in outputs) + field(3, op + "_0") + field(4, op) +
            b"".join(field(5, attribute) for attribute in attributes))


def absent(name, dtype, dims):
    """A weight whose values are elsewhere."""
    place = field(13, field(1, "location") + field(2, "absent.bin"))
    return b"".join(field(1, dim) for dim in dims) + field(2, dtype) + field(8, name) + place + \
        field(14, 1)


def model(nodes, inputs, outputs, weights=()):
    graph = b"".join(field(1, one) for one in nodes) + field(2, "one")
    graph += b"".join(field(5, weight) for weight in weights)
    graph += b"".join(field(11, one) for one in inputs)
    graph += b"".join(field(12, one) for one in outputs)
    return field(1, 10) + field(7, graph) + field(8, field(1, "") + field(2, 23))


def sizes(shape):
    return [int(size) for size in shape.split("x")]


def convolution(shape, dtype):
    image, rest = shape.split(":")
    n, c, h, w = sizes(image)
    k, r, s, p, g = map(int, re.match(r"k(\d+)r(\d+)s(\d+)p(\d+)g(\d+)", rest).groups())
    result = [n, k, (h + 2 * p - r) // s + 1, (w + 2 * p - r) // s + 1]
    attributes = [ints("kernel_shape", [r, r]), ints("strides", [s, s]), ints("pads", [p] * 4),
                  number("group", g)]
    return model([node("Conv", ["x", "w"], ["y"], attributes)], [tensor("x", dtype, [n, c, h, w])],
                 [tensor("y", dtype, result)], [absent("w", dtype, [k, c // g, r, r])])


def attention(dims, dtype, is_causal=False):
    causal = [number("is_causal", 1)] if is_causal else []
    return model([node("Attention", ["q", "k", "v"], ["y"], causal)],
                 [tensor(name, dtype, dims) for name in "qkv"], [tensor("y", dtype, dims)])


def axes_input(*axes):
    values = b"".join(field(7, axis & (1 << 64) - 1) for axis in axes)
    return field(1, len(axes)) + field(2, 7) + field(8, "axes") + values


def scales_input(*scales):
    values = struct.pack("<%df" % len(scales), *scales)
    return field(1, len(scales)) + field(2, 1) + field(8, "scales") + field(9, values)


def reduced(op, dims, axis):
    """ReduceSum and such over an axis; None: over all."""
    left = [] if axis is None else [size for i, size in enumerate(dims) if i != axis % len(dims)]
    name = {"s": "ReduceSum", "a": "ReduceMax", "m": "ReduceMax"}[op[0]]
    axes = list(range(len(dims))) if axis is None else [axis]
    if name == "ReduceSum":
        return name, ["x", "axes"], [number("keepdims", 0)], left, [axes_input(*axes)]
    return name, ["x"], [number("keepdims", 0), ints("axes", axes)], left, []


def picture(op, dims):
    side = [(size - 1) // 2 + 1 for size in dims[2:]]
    window = [ints("kernel_shape", [3, 3]), ints("strides", [2, 2]), ints("pads", [1] * 4)]
    return {
        "maxpool": ("MaxPool", ["x"], window, dims[:2] + side, []),
        "avgpool": ("AveragePool", ["x"], window + [number("count_include_pad", 1)], dims[:2] + side, []),
        "maxpool2": ("MaxPool", ["x"], [ints("kernel_shape", [2, 2]), ints("strides", [2, 2])],
                     dims[:2] + [size // 2 for size in dims[2:]], []),
        "gap": ("GlobalAveragePool", ["x"], [], dims[:2] + [1, 1], []),
        "up2": ("Resize", ["x", "", "scales"], [word("mode", "nearest")],
                dims[:2] + [2 * size for size in dims[2:]], [scales_input(1, 1, 2, 2)]),
        "up2_linear": ("Resize", ["x", "", "scales"], [word("mode", "linear")],
                       dims[:2] + [2 * size for size in dims[2:]], [scales_input(1, 1, 2, 2)]),
    }[op]


def along_axes(op, dims, dtype):
    """Operators of h200_ops2.csv and bench/gpu_operators.py: name, inputs, attributes, result, weights."""
    if op in ("sum0", "sum1", "sumall", "amax", "amax0", "max_last"):
        return reduced(op, dims, {"sum0": 0, "amax0": 0, "sum1": 1, "sumall": None}.get(op, -1))
    if op in ("argmax", "argmax0"):
        axis = -1 if op == "argmax" else 0
        left = dims[:-1] if op == "argmax" else dims[1:]
        return "ArgMax", ["x"], [number("axis", axis), number("keepdims", 0)], left, []
    if op in ("cumsum", "cumsum0"):
        axis = len(dims) - 1 if op == "cumsum" else 0
        return "CumSum", ["x", "axes"], [], dims, [field(2, 7) + field(8, "axes") + field(7, axis)]
    if op in ("cat", "cat_last"):
        axis = len(dims) - 1 if op == "cat_last" else 0
        joined = [2 * size if i == axis else size for i, size in enumerate(dims)]
        return "Concat", ["x", "z"], [number("axis", axis)], joined, []
    if op == "bias":
        return "Add", ["x", "w"], [], dims, [absent("w", dtype, dims[-1:])]
    return picture(op, dims)


def operator(row):
    op, dtype = row["op"], DTYPES[row["dtype"]]
    if op == "conv2d":
        return convolution(row["shape"], dtype)
    dims = sizes(row["shape"])
    if op in ("matmul", "batch_matmul"):
        *batch, m, k, n = dims
        return model([node("MatMul", ["a", "b"], ["y"])],
                     [tensor("a", dtype, batch + [m, k]), tensor("b", dtype, batch + [k, n])],
                     [tensor("y", dtype, batch + [m, n])])
    if op == "attention":
        return attention(dims, dtype)
    if op == "attention_causal":
        return attention(dims, dtype, True)
    if op == "gather":
        rows, width, count = dims
        return model([node("Gather", ["w", "x"], ["y"])], [tensor("x", 7, [count])],
                     [tensor("y", dtype, [count, width])], [absent("w", dtype, [rows, width])])
    if op in MORE:
        name, inputs, attributes, result, weights = along_axes(op, dims, dtype)
        read = [tensor(one, dtype, dims) for one in inputs if one in ("x", "z")]
        made = 7 if op.startswith("argmax") else dtype
        return model([node(name, inputs, ["y"], attributes)], read, [tensor("y", made, result)], weights)
    inputs, weights, attributes, result = ["x"], [], [], list(dims)
    name = {"softmax": "Softmax", "layernorm": "LayerNormalization", "gelu": "Gelu",
            "relu": "Relu", "add": "Add", "transpose": "Transpose", "reduce_sum": "ReduceSum",
            "global_avgpool": "GlobalAveragePool", "maxpool3s2": "MaxPool", "exp": "Exp",
            "sigmoid": "Sigmoid"}[op]
    if op == "softmax":
        attributes = [number("axis", -1)]
    elif op == "layernorm":
        attributes = [number("axis", -1)]
        inputs += ["w", "b"]
        weights = [absent("w", dtype, dims[-1:]), absent("b", dtype, dims[-1:])]
    elif op == "add":
        inputs += ["z"]
    elif op == "transpose":
        order = list(range(len(dims)))
        order[-2:] = order[:-3:-1]
        attributes = [ints("perm", order)]
        result = [dims[axis] for axis in order]
    elif op == "reduce_sum":
        inputs += ["axes"]
        weights = [field(1, 1) + field(2, 7) + field(8, "axes") + field(7, (1 << 64) - 1)]
        attributes = [number("keepdims", 0)]
        result = dims[:-1]
    elif op == "global_avgpool":
        result = dims[:2] + [1, 1]
    elif op == "maxpool3s2":
        attributes = [ints("kernel_shape", [3, 3]), ints("strides", [2, 2]), ints("pads", [1] * 4)]
        result = dims[:2] + [(size - 1) // 2 + 1 for size in dims[2:]]
    read = [tensor(one, dtype, dims) for one in inputs if one in ("x", "z")]
    return model([node(name, inputs, ["y"], attributes)], read, [tensor("y", dtype, result)],
                 weights)


def estimate(program, path, options):
    command = [program, "compile", path, "--machine", "h200", "--quiet", "--format", "json"]
    run = subprocess.run(command + options, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, check=False)
    if run.returncode not in (0, 3):
        sys.exit("accuracy: %s: %s" % (" ".join(command + options), run.stderr))
    tables = [json.loads(line) for line in run.stdout.splitlines()]
    return sum(t["cycles"] for t in tables if t.get("table") == "operators") / CLOCK


def own_batch(program, path):
    """Inferences of a run of the model: the first dimension of its first input."""
    run = subprocess.run([program, "info", path, "--format", "json"], stdout=subprocess.PIPE, text=True, check=True)
    tensors = [json.loads(line) for line in run.stdout.splitlines()]
    shapes = [one["shape"] for one in tensors if one.get("direction") == "in"]
    first = shapes[0].split("x")[0] if shapes else "1"
    return int(first) if first.isdigit() and int(first) > 0 else 1


def tables(folder):
    """Rows of both tables; the second has another name for its times."""
    rows = read(folder, "h200_ops.csv")
    for row in rows:
        row["truth"] = float(row["median_us"])
    if os.path.isfile(os.path.join(folder, "h200_ops2.csv")):
        more = read(folder, "h200_ops2.csv")
        for row in more:
            row["truth"] = float(row["us"])
        rows += more
    return rows


def operators(program, folder):
    rows = tables(folder)
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "one.onnx")
        for row in rows:
            with open(path, "wb") as file:
                file.write(operator(row))
            row["set"] = SETS.get(row["op"], "memory-bound")
            row["estimate"] = estimate(program, path, OPTIONS.get(row["dtype"], []))
    return rows


def models(program, folder, exported):
    rows = read(folder, "h200_models.csv")
    for row in rows:
        dtype = {"float16": "f16", "float32": "f32"}[row["dtype"]]
        row["set"], row["op"], row["shape"] = "models", row["model"], "batch " + row["batch"]
        row["truth"] = float(row["kernel_us"])
        path = os.path.join(exported, row["model"] + ".onnx")
        own = own_batch(program, path)
        if int(row["batch"]) % own:
            sys.exit("accuracy: %s has a batch of %d, which %s is no multiple of" % (path, own, row["batch"]))
        row["estimate"] = estimate(program, path,
                                   ["--dtype", dtype, "--batch", str(int(row["batch"]) // own)])
    return rows


def print_families(rows):
    for op, dtype in sorted({(row["op"], row["dtype"]) for row in rows}):
        errors = [row["error"] for row in rows if (row["op"], row["dtype"]) == (op, dtype)]
        print("%-14s %-13s %3d rows, mean %5.1f %%, bias %+5.1f %%" %
              (op, dtype, len(errors), sum(map(abs, errors)) / len(errors), sum(errors) / len(errors)))
    for row in sorted(rows, key=lambda row: -abs(row["error"]))[:10]:
        print("worst: %-14s %-9s %-20s %9.2f us, estimated %9.2f (%+.0f %%)" %
              (row["op"], row["dtype"], row["shape"], row["truth"], row["estimate"], row["error"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tacho", help="the program")
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--families", action="store_true", help="print each operator's mean, and the worst ten rows")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="?")
    arguments = parser.parse_args()
    if not os.path.isfile(os.path.join(arguments.folder, "h200_ops.csv")):
        print("accuracy: no measurements at hand, nothing compared")
        return 77
    rows = operators(arguments.tacho, arguments.folder)
    if arguments.models is not None and os.path.isdir(arguments.models):
        rows += models(arguments.tacho, arguments.folder, arguments.models)
    for row in rows:
        row["error"] = 100 * (row["estimate"] / row["truth"] - 1)
        if arguments.rows:
            print("%-13s %-14s %-13s %-28s %9.2f %9.2f us %+7.1f %%" %
                  (row["set"], row["op"], row["dtype"], row["shape"], row["truth"],
                   row["estimate"], row["error"]))
    if arguments.families:
        print_families(rows)
    missed = 0
    print("%-14s %5s %8s %8s %8s" % ("set", "rows", "mean", "p90", "max"))
    for name in sorted({row["set"] for row in rows}):
        found = sorted(abs(row["error"]) for row in rows if row["set"] == name)
        mean, p90 = sum(found) / len(found), found[-(-9 * len(found) // 10) - 1]
        checked = found[-1] if name == "models" else mean
        missed += checked > BARS.get(name, 1e9)
        print("%-14s %5d %6.2f %% %6.2f %% %6.2f %%%s" %
              (name, len(found), mean, p90, found[-1],
               "   over the bar" if checked > BARS.get(name, 1e9) else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near estimates come to published measurements and RTL cycles.

    bench/accuracy.py build/bin/tacho TRUTH_FOLDER

Each row becomes an ONNX model of one product or convolution that `tacho compile` estimates.
Prints one line per set and fails (exit code 1) when a bar is missed; 77 when the folder is absent.
--rows prints every row. The shapes of the n150 table are put in order of M*K*N, then M, K, N; every
second one, from the first, is the fit half, on which the constants of machines/wormhole-n150.json
were fitted. Bars are kept by the other half, which was not. Constants of p150 were fitted to all its
rows; `tacho machine calibrate blackhole-p150 --from p150_gemm.csv` says what shapes that are held
out come to.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

DTYPES = {"BFLOAT16": "bf16", "BFLOAT8_B": "bfp8", "BFLOAT4_B": "bfp4"}
PASSES = {"LoFi": 1, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}
# set: (largest mean error, largest 90th percentile, largest error), in percent
BARS = {
    "gemmini": (None, None, 2.0),
    "gemmini convolutions": (3.0, None, 3.0),
    "gemmini convolutions, C = 3": (None, None, 15.0),
    "p150 tuned": (10.0, 20.0, None),
    "p150 out of box": (10.0, 20.0, None),
    "n150 tuned, hold-out": (10.0, 20.0, None),
    "n150 out of box, hold-out": (10.0, 20.0, None),
}


def read(folder, name):
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tenstorrent_rows(folder, name, machine):
    """Products of a card: where they lie, what they took in cycles, and what a roofline says."""
    rows = []
    clock, dram_rate = {"wormhole-n150": (1.0, 288), "blackhole-p150": (1.35, 379.26)}[machine]
    for row in read(folder, name):
        m, k, n = int(row["M"]), int(row["K"]), int(row["N"])
        dtype, fidelity = DTYPES[row["dtype"]], row["fidelity"]
        ideal = m * k * n * PASSES[fidelity] / (2048 * int(row["grid_x"]) * int(row["grid_y"]))
        element_bytes = {"bf16": 2, "bfp8": 1088 / 1024, "bfp4": 576 / 1024}[dtype]
        moved = (m * k * (row["in0_mem"] == "DRAM") + k * n + m * n * (row["out_mem"] == "DRAM"))
        rows.append({
            "machine": machine, "m": m, "k": k, "n": n, "dtype": dtype,
            "fidelity": fidelity, "grid": (int(row["grid_x"]), int(row["grid_y"])),
            "place": [place.lower() for place in (row["in0_mem"], row["in1_mem"], row["out_mem"])],
            "tuned": "Tuned" in row["table"],
            "truth": float(row["device_ns_derived"]) * clock,
            "roofline": max(ideal, moved * element_bytes / dram_rate),
        })
    return rows


def n150_rows(folder):
    rows = tenstorrent_rows(folder, "n150_gemm.csv", "wormhole-n150")
    shapes = sorted({(r["m"] * r["k"] * r["n"], r["m"], r["k"], r["n"]) for r in rows})
    fit = {shape[1:] for shape in shapes[::2]}
    for row in rows:
        row["set"] = "n150 %s, %s" % ("tuned" if row["tuned"] else "out of box",
                                      "fit" if (row["m"], row["k"], row["n"]) in fit
                                      else "hold-out")
    return rows


def p150_rows(folder):
    rows = tenstorrent_rows(folder, "p150_gemm.csv", "blackhole-p150")
    for row in rows:
        row["set"] = "p150 %s" % ("tuned" if row["tuned"] else "out of box")
    return rows


def conv_rows(folder):
    """Convolutions by the sizes of their loops; ResNet's have padding that keeps the size."""
    rows = []
    for row in read(folder, "gemmini_conv.csv"):
        size = {word[0]: int(word[1:]) for word in row["loops"].split()}
        m, n = size["N"] * size["P"] * size["Q"], size["M"]
        k = size["C"] * size["S"] * size["R"]
        rows.append({
            "machine": "gemmini-8x8", "m": m, "k": k, "n": n, "dtype": "i8", "fidelity": "-",
            "grid": (0, 0), "place": ["dram"] * 3, "tuned": False, "conv": size,
            "set": "gemmini convolutions" + (", C = 3" if size["C"] == 3 else ""),
            "truth": float(row["rtl_cycles"]), "roofline": m * k * n / 64,
        })
    return rows


def gemmini_rows(folder):
    rows = []
    for row in read(folder, "gemmini_gemm.csv"):
        m, k, n = int(row["M"]), int(row["K"]), int(row["N"])
        rows.append({
            "machine": "gemmini-8x8", "m": m, "k": k, "n": n, "dtype": "i8", "fidelity": "-",
            "grid": (0, 0), "place": ["dram"] * 3, "tuned": False, "set": "gemmini",
            "truth": float(row["rtl_cycles"]), "roofline": max(m * k * n / 64,
                                                               (m * k + k * n + m * n) / 8),
        })
    return rows


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, dtype, dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, shape)))


def gemm_model(m, k, n, is_integer):
    """An ONNX model of one product of two inputs."""
    op, dtype, result = ("MatMulInteger", 3, 6) if is_integer else ("MatMul", 1, 1)
    node = field(1, "a") + field(1, "b") + field(2, "c") + field(3, "gemm") + field(4, op)
    graph = (field(1, node) + field(2, "gemm") + field(11, tensor("a", dtype, [m, k])) +
             field(11, tensor("b", dtype, [k, n])) + field(12, tensor("c", result, [m, n])))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def conv_model(size, is_integer):
    """An ONNX model of one convolution in steps of one."""
    op, dtype, result = ("ConvInteger", 3, 6) if is_integer else ("Conv", 1, 1)
    pad_rows, pad_columns = (size["R"] - 1) // 2, (size["S"] - 1) // 2
    pads = [pad_rows, pad_columns, size["R"] - 1 - pad_rows, size["S"] - 1 - pad_columns]
    node = (field(1, "x") + field(1, "w") + field(2, "y") + field(3, "conv") + field(4, op) +
            field(5, field(1, "pads") + b"".join(field(8, pad) for pad in pads) + field(20, 7)))
    out = [size["N"], size["M"], size["P"], size["Q"]]
    graph = (field(1, node) + field(2, "conv") +
             field(11, tensor("x", dtype, [size["N"], size["C"], size["P"], size["Q"]])) +
             field(11, tensor("w", dtype, [size["M"], size["C"], size["R"], size["S"]])) +
             field(12, tensor("y", result, out)))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def estimate(program, rows):
    cycles = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "gemm.onnx")
        for row in rows:
            with open(path, "wb") as file:
                is_integer = row["dtype"] == "i8"
                file.write(conv_model(row["conv"], is_integer) if "conv" in row else
                           gemm_model(row["m"], row["k"], row["n"], is_integer))
            command = [program, "compile", path, "--machine", row["machine"], "--quiet",
                       "--format", "json", "--place", "in0=%s,in1=%s,out=%s" % tuple(row["place"])]
            if row["dtype"] != "i8":
                command += ["--dtype", row["dtype"], "--fidelity", row["fidelity"],
                            "--grid", "%dx%d" % row["grid"]]
            if row["tuned"]:
                command.append("--tuned")
            run = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
            tables = [json.loads(line) for line in run.stdout.splitlines()]
            cycles.append(sum(t["cycles"] for t in tables if t.get("table") == "operators"))
    return cycles


def errors(rows, key):
    found = sorted(100 * abs(row[key] / row["truth"] - 1) for row in rows)
    return (sum(found) / len(found), found[math.ceil(0.9 * len(found)) - 1], found[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tacho", help="the program")
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.folder):
        print("accuracy: no measurements at hand, nothing compared")
        return 77
    rows = (gemmini_rows(arguments.folder) + conv_rows(arguments.folder) +
            n150_rows(arguments.folder) + p150_rows(arguments.folder))
    for row, estimated in zip(rows, estimate(arguments.tacho, rows)):
        row["estimate"] = estimated
        if arguments.rows:
            print("%-26s %5d x %5d x %5d %-4s %-5s %-14s %12d %12d %+6.1f %%" %
                  (row["set"], row["m"], row["k"], row["n"], row["dtype"], row["fidelity"],
                   "/".join(row["place"]), row["truth"], estimated,
                   100 * (estimated / row["truth"] - 1)))
    missed = 0
    print("%-28s %5s %8s %8s %8s   %s" % ("set", "rows", "MAPE", "p90", "max", "plain roofline"))
    for name in sorted({row["set"] for row in rows}):
        chosen = [row for row in rows if row["set"] == name]
        ours = errors(chosen, "estimate")
        plain = errors(chosen, "roofline")
        bars = BARS.get(name, (None,) * 3)
        bad = any(bar is not None and value > bar for value, bar in zip(ours, bars))
        missed += bad
        print("%-28s %5d %7.2f%% %7.2f%% %7.2f%%   %.1f%% / %.1f%% / %.1f%%%s" %
              (name, len(chosen), *ours, *plain, "   MISSED" if bad else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

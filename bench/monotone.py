#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether more work is ever estimated to take less time.

    bench/monotone.py build/bin/tacho [MACHINE ...]

Products of growing height, width, depth and number, with and without a bias, one ONNX model each. Fails (exit code 1)
when one takes less than a smaller one by more than the table below allows. On n150 and p150 the vendor's automatic
choice of blocks is not monotone, and neither are its published times: 512x1024x1024 takes 2.3 times as long as
1024x1024x1024 on n150.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from accuracy import tensor
from accuracy_h200 import absent, model, node

# How much less the larger may take, in percent: automatic choice, tuned.
ALLOWED = {"h200": (0, None), "h100": (0, None), "aic100": (0, None), "wormhole-n150": (75, 25),
           "blackhole-p150": (75, 25)}
SIZES = [8, 24, 32, 64, 96, 128, 160, 256, 320, 384, 512, 576, 768, 1024, 1536, 2048, 4096]
BATCHES = [1, 2, 3, 8, 12, 63, 64, 65, 131, 132, 133, 264, 265]
LINES = [("m", {"k": 768, "n": 768}, SIZES), ("n", {"m": 128, "k": 1024}, SIZES), ("n", {"m": 512, "k": 512}, SIZES),
         ("k", {"m": 256, "n": 1024}, SIZES), ("k", {"m": 16, "n": 4096}, SIZES),
         ("batch", {"m": 128, "k": 64, "n": 128}, BATCHES)]
DTYPES = {"f32": 1, "f16": 10}


def product(size, dtype, has_bias):
    batch = [size["batch"]] if "batch" in size else []
    a, b, y = [size["m"], size["k"]], [size["k"], size["n"]], [size["m"], size["n"]]
    if not has_bias:
        return model([node("MatMul", ["a", "b"], ["y"])],
                     [tensor("a", dtype, batch + a), tensor("b", dtype, batch + b)], [tensor("y", dtype, batch + y)])
    return model([node("MatMul", ["a", "b"], ["c"]), node("Add", ["c", "d"], ["y"])], [tensor("a", dtype, a)],
                 [tensor("y", dtype, y)], [absent("b", dtype, b), absent("d", dtype, y[1:])])


def cycles(program, path, machine, options):
    run = subprocess.run([program, "compile", path, "--machine", machine, "--quiet", "--format", "json", *options],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode not in (0, 3):
        sys.exit("monotone: %s on %s: %s" % (path, machine, run.stderr))
    tables = [json.loads(line) for line in run.stdout.splitlines()]
    return sum(t["cycles"] for t in tables if t.get("table") == "operators")


def falls(program, path, machine, options):
    """Each product that takes less than a smaller one: by how much in percent, and which."""
    for name, dtype in DTYPES.items():
        for has_bias in (False, True):
            for axis, others, values in LINES:
                most, at = 0, None
                for value in values if axis != "batch" or not has_bias else ():
                    with open(path, "wb") as file:
                        file.write(product(dict(others, **{axis: value}), dtype, has_bias))
                    took = cycles(program, path, machine, options)
                    if took < most:
                        yield (100 * (1 - took / most), "%s%s, %s of %s: %d cycles at %d, %d at %d" %
                               (name, " with a bias" if has_bias else "", axis, others, most, at, took, value))
                    else:
                        most, at = took, value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tacho", help="the program")
    parser.add_argument("machines", nargs="*", default=list(ALLOWED))
    arguments = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "one.onnx")
        for machine in arguments.machines:
            for allowed, options in zip(ALLOWED[machine], ([], ["--tuned"])):
                if allowed is None:
                    continue
                found = sorted(falls(arguments.tacho, path, machine, options), reverse=True)
                worst = found[0][0] if found else 0
                missed += worst > allowed
                print("%-15s %-8s %3d of less, at most %4.1f %% %s" %
                      (machine, " ".join(options), len(found), worst, "(%s)" % found[0][1] if found else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

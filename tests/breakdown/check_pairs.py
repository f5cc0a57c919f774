#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of real programs before one change each: the advice names the change first or second, and
its gain is near that of the change.

    check_pairs.py TACHO PAIRS

The profiler makes the host slower, so a gain counts as a part of the step, or in milliseconds.
"""

import csv
import json
import os
import subprocess
import sys

# Pair: rule, a word of its advice, how many times as much work a step of the changed program does.
# No advice can name a smaller model. 0: too little is gained to compare it with.
CHANGES = {
    "resnet50_dtype": ("K-04", "bf16", 1),
    "resnet50_batch": ("L-01", "larger batches", 4),
    "resnet50_copy_pinned": ("M-03", "pin_memory", 1),
    "resnet50_loader": ("L-02", "DataLoader", 1),
    "gpt_optimizer": ("L-06", "fused=True", 1),
    "gpt_item": ("L-05", ".item()", 0),
    "gpt_seq": ("L-01", "sequences", 4),
    "gpt_compile": ("L-01", "torch.compile", 0),
    "gpt_accum": ("L-07", "accumulation", 1),
    "infer_graph": ("L-01", "CUDA graphs", 1),
    "infer_batch": ("L-01", "larger batches", 32),
}
FACTOR = 1.5


def rows_of(tacho, path):
    lines = subprocess.run([tacho, "breakdown", path, "--json"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def ratio(a, b):
    return max(a / b, b / a)


def check(tacho, path, name, times):
    rule, word, more = CHANGES[name]
    rows = rows_of(tacho, path)
    advice = [row for row in rows if row["table"] == "advice"][:2]
    found = [row for row in advice if row["rule"] == rule and word in row["advice"]]
    if not found:
        sys.exit(f"{name}: {rule} is not among {[row['rule'] for row in advice]}")
    if more == 0:
        return f"{name}: {rule}"
    step = next(row["p50_ns"] for row in rows if row["table"] == "step_statistics") / 1e6
    before, after = float(times["before_median_ms"]), float(times["after_median_ms"])
    true, said = before - after / more, found[0]["gain_ns"] / 1e6
    best = min(ratio(said, true), ratio(said / step, true / before))
    if best > FACTOR:
        sys.exit(f"{name}: {rule} gains {said:.2f} of {step:.2f} ms, measured {true:.2f} of "
                 f"{before:.2f} ms")
    return f"{name}: {rule} {best:.2f}"


def main():
    tacho, folder = sys.argv[1:]
    if not os.path.isdir(folder):
        print("the traces are not here: skipped")
        sys.exit(77)
    with open(os.path.join(folder, "times.csv"), encoding="utf-8") as file:
        times = {row["name"]: row for row in csv.DictReader(file)}
    for name in CHANGES:
        print(check(tacho, os.path.join(folder, f"{name}.before.json.zst"), name, times[name]))


if __name__ == "__main__":
    main()

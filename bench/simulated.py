#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far simulated runs are from the estimates.

    bench/simulated.py build/bin/tacho FOLDER... [--machine M]... [--rows]

Every model of the folders, and one of each kind that tools/make_models.py makes, is compiled and run
on the simulated device, without values, on every machine. Prints a line per machine with
|simulated - estimated| / estimated, and fails (exit code 1) when a median is above 5 %. A model that
a machine cannot take (its memory is too small, an operator without shapes) is counted, not compared.
77: there are no models at hand.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

MEDIAN_MAX = 5.0
HERE = os.path.dirname(os.path.abspath(__file__))


def models_of(folders):
    found = []
    for folder in folders:
        found += glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True)
    return sorted(found)


def compare(program, model, machine):
    """Cycles that were estimated and simulated, or None."""
    command = [program, "run", model, "--machine", machine, "--device", "sim", "--no-values", "-n",
               "1", "--quiet", "--format", "json"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                         env={**os.environ, "TACHO_HOST_CPU": "built-in"}, text=True)
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row.get("table") == "run" and row["estimated_cycles"]:
            return row["estimated_cycles"], row["cycles"]
    return None


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def machines_of(program):
    run = subprocess.run([program, "machine", "list", "--quiet", "--format", "json"],
                         stdout=subprocess.PIPE, check=True, text=True)
    return [json.loads(line)["machine"] for line in run.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tacho", help="the program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--machine", action="append", help="this machine only; repeatable")
    parser.add_argument("--rows", action="store_true", help="print every model")
    arguments = parser.parse_args()
    given = models_of(arguments.folders)
    if not given:
        print("simulated: no models at hand, nothing compared")
        return 77
    missed = 0
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([sys.executable, os.path.join(HERE, "..", "tools", "make_models.py"), "all",
                        made], check=True, stdout=subprocess.DEVNULL)
        models = given + models_of([made])
        print("%-16s %7s %9s %9s %9s" % ("machine", "models", "median", "largest", "not taken"))
        for machine in arguments.machine or machines_of(arguments.tacho):
            apart = {}
            for model in models:
                both = compare(arguments.tacho, model, machine)
                if both is not None:
                    apart[model] = 100 * (both[1] - both[0]) / both[0]
                    if arguments.rows:
                        print("  %-60s %12d %12d %+7.1f %%" % (model[-60:], *both, apart[model]))
            sizes = [abs(value) for value in apart.values()] or [0.0]
            bad = median(sizes) > MEDIAN_MAX
            missed += bad
            print("%-16s %7d %7.2f %% %7.2f %% %9d%s" %
                  (machine, len(apart), median(sizes), max(sizes), len(models) - len(apart),
                   "   MISSED" if bad else ""), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares 'tacho ops --compat tt-perf-report' with reports that the vendor's tool wrote.

    compare_reports.py TACHO FOLDER

Each folder below FOLDER holds an op table (ops_perf_results*.csv) and the tool's report of it, perf.csv,
of the rows between the first and the last signpost. Texts are equal, numbers to 1e-12 of their size.
Exits with 77 where there are none."""

import csv
import glob
import math
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def is_same(left, right):
    if left == right:
        return True
    try:
        a, b = float(left), float(right)
    except ValueError:
        return False
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-12 * max(1, abs(a), abs(b))


def signposts(table):
    rows = read(table)
    kind = rows[0].index("OP TYPE")
    return [row[0] for row in rows[1:] if row[kind] == "signpost"]


def make_report(tacho, table, path):
    command = [tacho, "ops", "--compat", "tt-perf-report", table, "-q", "-o", path]
    names = signposts(table)
    if names:
        command += ["--start-signpost", names[0], "--end-signpost", names[-1]]
    subprocess.run(command, check=True)
    return read(path)


def compare(expected, found):
    """The first difference, as text; empty where there is none."""
    if len(expected) != len(found):
        return f"{len(found)} lines, not {len(expected)}"
    for number, (left, right) in enumerate(zip(expected, found), 1):
        if len(left) != len(right):
            return f"line {number}: {len(right)} fields, not {len(left)}"
        for column, (a, b) in enumerate(zip(left, right)):
            if not is_same(a, b):
                return f"line {number}, {expected[0][column]}: '{b}', not '{a}'"
    return ""


def main():
    tacho, folder = sys.argv[1:]
    reports = sorted(glob.glob(os.path.join(folder, "*", "perf.csv")))
    if not reports:
        print(f"{folder}: no reports to compare with; skipped")
        return SKIPPED
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for report in reports:
            table = glob.glob(os.path.join(os.path.dirname(report), "ops_perf_results*.csv"))[0]
            expected = read(report)
            problem = compare(expected, make_report(tacho, table, os.path.join(scratch, "m.csv")))
            print(f"{os.path.dirname(report)}: {problem or f'{len(expected) - 1} rows are the same'}")
            bad += problem != ""
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

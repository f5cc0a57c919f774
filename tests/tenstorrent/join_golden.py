#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins log sets of which the vendor's own op table is known, and compares cell by cell.

    join_golden.py TACHO FOLDER

FOLDER holds a folder per set with tracy_ops_data.csv, cpp_device_perf_report.csv and the vendor's
ops_perf_results*.csv. The sets have no tracy_ops_times.csv: it is rebuilt from the host columns of
the vendor's table. Without FOLDER the test is skipped (77).
"""
import csv
import glob
import os
import shutil
import subprocess
import sys
import tempfile

# Summed from zones that the rebuilt file does not have.
LEFT_OUT = "TT_DNN_DEVICE_OP_TT_HOST_FUNC [ns]"
TIMES = "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text\n"


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], [dict(zip(rows[0], row)) for row in rows[1:]]


def rebuild_times(rows, path):
    with open(path, "w") as file:
        file.write(TIMES)
        for row in rows:
            if row["OP TYPE"] != "signpost":
                file.write('TT_DNN_DEVICE_OP,/w/op.hpp,1,,"id:%s",%s,%s,1,\n' % (
                    row["GLOBAL CALL COUNT"], row["HOST START TS"], row["HOST DURATION [ns]"]))


def differences(made, wanted):
    columns, rows = made
    wanted_columns, wanted_rows = wanted
    wanted_columns = [name for name in wanted_columns if name != LEFT_OUT]
    if columns != wanted_columns:
        yield "columns differ: %s" % sorted(set(columns) ^ set(wanted_columns))
    if len(rows) != len(wanted_rows):
        yield "%d rows, not %d" % (len(rows), len(wanted_rows))
    for number, (row, wanted_row) in enumerate(zip(rows, wanted_rows), 2):
        for name in wanted_columns:
            if row.get(name) != wanted_row[name]:
                yield "row %d, %s: %r, not %r" % (number, name, row.get(name), wanted_row[name])


def check(tacho, folder):
    wanted = table(glob.glob(os.path.join(folder, "ops_perf_results*.csv"))[0])
    with tempfile.TemporaryDirectory() as work:
        logs = os.path.join(work, ".logs")
        os.mkdir(logs)
        for name in ("tracy_ops_data.csv", "cpp_device_perf_report.csv"):
            shutil.copy(os.path.join(folder, name), logs)
        rebuild_times(wanted[1], os.path.join(logs, "tracy_ops_times.csv"))
        out = os.path.join(work, "ops.csv")
        done = subprocess.run([tacho, "ops", "--join", logs, "-o", out, "-q"], stderr=subprocess.PIPE)
        if done.returncode not in (0, 3):
            return ["exit %d: %s" % (done.returncode, done.stderr.decode())]
        with open(out, "rb") as file:
            lines = file.read().split(b"\n")
        found = list(differences(table(out), wanted))
        if not all(line.endswith(b"\r") for line in lines[:-1]):
            found.append("lines do not end with CR LF")
        return found


def main():
    tacho, root = sys.argv[1:]
    folders = sorted(os.path.dirname(path) for path in glob.glob(os.path.join(root, "*/ops_perf_results*.csv")))
    if not folders:
        print("skipped: no sets in %s" % root)
        return 77
    failed = False
    for folder in folders:
        found = check(tacho, folder)
        failed = failed or bool(found)
        print("%s: %s" % (os.path.basename(folder), "%d differences" % len(found) if found else "equal"))
        for line in found[:20]:
            print("    " + line[:300])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

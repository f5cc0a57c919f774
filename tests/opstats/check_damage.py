#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts a file of raw stats, and damages it, at many places: each number of its summary is that of
the whole file, or is not there. At each place something must be missing, and be said:

    check_damage.py TACHO PROGRAM FILE"""
import json
import os
import subprocess
import sys
import tempfile

PLACES = 24
KEYS = ("core", "thread", "engine", "opdetails", "event", "name", "port", "op", "direction")


def decode(tool, program, name, data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        done = subprocess.run([tool, "opstats", "-p", program, "-i", path, "-o", folder, "--summary",
                               "--format", "json", "--quiet"], stderr=subprocess.PIPE, check=False)
        written = [entry for entry in os.listdir(folder) if entry.endswith(".json")]
        if not written:
            return done.returncode, None
        with open(os.path.join(folder, written[0]), encoding="utf-8") as file:
            return done.returncode, [json.loads(line) for line in file]


def key(row):
    return (row["table"],) + tuple(str(row.get(name)) for name in KEYS)


def compare(whole, rows, what):
    lost = 0
    for row in rows:
        if row["table"] == "missing":
            continue
        if key(row) not in whole:  # N/A alone may be shown of what the whole file has no row for
            lost += 1
            if row["table"] != "ops" or row["ucycles"] is not None:
                sys.exit(f"check_damage: {what}: {row} is not of the whole file")
            continue
        for name, value in whole[key(row)].items():
            lost += row[name] is None and value is not None
            if row[name] is not None and row[name] != value and name != "op_records":
                sys.exit(f"check_damage: {what}: {name} of {row} was {value}")
    return lost + len(whole) - len(rows)


def main():
    tool, program, path = sys.argv[1:]
    with open(path, "rb") as file:
        data = file.read()
    code, rows = decode(tool, program, os.path.basename(path), data)
    if code != 0:
        sys.exit(f"check_damage: {path}: status {code}")
    whole = {key(row): row for row in rows}
    if len(whole) != len(rows):
        sys.exit("check_damage: rows have one key")
    places = [len(data) * i // PLACES for i in range(1, PLACES)]
    for at in places + list(range(300, min(len(data), 2400), 100)):  # threads and counters are first
        for what, bad in ((f"cut at {at}", data[:at]),
                          (f"damaged at {at}", data[:at] + b"damage" + data[at + 6:])):
            code, rows = decode(tool, program, os.path.basename(path), bad)
            if code != 3:
                sys.exit(f"check_damage: {what}: status {code}")
            if rows is not None and compare(whole, rows, what) == 0:
                sys.exit(f"check_damage: {what}: nothing is lost")


if __name__ == "__main__":
    main()

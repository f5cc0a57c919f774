#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which branches of rooms the tests have taken, by gcov: after tests of a build of the preset 'coverage'.

    coverage.py BUILD_DIR ROOM... [--missing FILE] [--least PERCENT]

Prints for each room the lines and branches of its sources (not of its tests), the branches without those of
assertions, whose other side never is, and the statements that make a failure: error paths. --missing writes
every branch that was not taken to FILE. --least fails if a room has taken a smaller share of its branches.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

FAILURE = re.compile(r"\b(tacho_fail\w*|tacho_no_memory|no_decoder_memory|io_failure)\(")
ASSERTION = re.compile(r"^\s*(assert|_Static_assert)\(")


def read_notes(notes):
    """What gcov has about one object file: (path of the source, its lines)."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", notes.name], cwd=notes.parent,
                          capture_output=True, check=False)
    found = []
    for line in done.stdout.splitlines():
        whole = json.loads(line)
        for file in whole["files"]:
            path = pathlib.Path(whole["current_working_directory"], file["file"])
            found.append((os.path.normpath(path), file["lines"]))
    return found


def gather(build, room):
    """{source: {line: (count, [branch counts])}}, of all objects that have the line."""
    notes = list((build / "src" / room).rglob("*.gcno"))
    sources = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(read_notes, notes):
            for path, lines in found:
                if f"/src/{room}/" not in path or not path.endswith(".c") or path.endswith("_test.c"):
                    continue
                known = sources.setdefault(path, {})
                for line in lines:
                    number, taken = line["line_number"], [branch["count"] for branch in line["branches"]]
                    before = known.get(number, (0, [0] * len(taken)))
                    if len(before[1]) == len(taken):
                        taken = [a + b for a, b in zip(before[1], taken)]
                    known[number] = (before[0] + line["count"], taken)
    return sources


class Sums:
    def __init__(self):
        self.counts = {"lines": [0, 0], "branches": [0, 0], "unasserted": [0, 0], "errors": [0, 0]}
        self.missing = []

    def add(self, what, done, of):
        self.counts[what][0] += done
        self.counts[what][1] += of

    def add_source(self, path, lines):
        text = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        for number, (count, taken) in sorted(lines.items()):
            source = text[number - 1] if number <= len(text) else ""
            self.add("lines", count > 0, 1)
            some = sum(branch > 0 for branch in taken)
            self.add("branches", some, len(taken))
            if not ASSERTION.match(source):
                self.add("unasserted", some, len(taken))
                if some < len(taken):
                    self.missing.append(f"{path}:{number}: {some} of {len(taken)}: {source.strip()}")
            if FAILURE.search(source):
                self.add("errors", count > 0, 1)
                if count == 0:
                    self.missing.append(f"{path}:{number}: error path: {source.strip()}")

    def percent(self, what):
        done, of = self.counts[what]
        return 100 * done / of if of > 0 else 100.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("--missing", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=0)
    chosen = parser.parse_args()
    missing, is_low = [], False
    print("| room | lines | branches | without assertions | error paths |\n|---|---|---|---|---|")
    for room in chosen.rooms:
        sums = Sums()
        for path, lines in sorted(gather(chosen.build, room).items()):
            sums.add_source(path, lines)
        if sums.counts["lines"][1] == 0:
            sys.exit(f"coverage.py: {chosen.build} has no notes of gcov for {room}")
        done, of = sums.counts["errors"]
        print(f"| {room} | {sums.percent('lines'):.1f} % | {sums.percent('branches'):.1f} % of "
              f"{sums.counts['branches'][1]:,} | {sums.percent('unasserted'):.1f} % | {done} of {of} |")
        missing += sums.missing
        is_low = is_low or sums.percent("unasserted") < chosen.least
    if chosen.missing is not None:
        chosen.missing.write_text("".join(line + "\n" for line in missing), encoding="utf-8")
    sys.exit(1 if is_low else 0)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""10,000 hostile names of operations, categories and arguments through every output: no control character
reaches a terminal, no script a page, no formula a table, and JSON stays JSON.

    check_names.py TACHO
"""
import csv
import io
import json
import os
import pty
import random
import re
import subprocess
import sys
import tempfile

TACHO = os.path.abspath(sys.argv[1])
COUNT = 10000
PIECES = ["\x1b[31m", "\x1b]0;x\x07", "\u202e", "\u2066", "\x9b31m", "</script><script>alert(1)</script>", "=1+1",
          "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '"', "'", "\\", ",", "\n", "\x00", "\x7f", "\ud800", "é",
          "<img src=x onerror=alert(1)>", "%s%n", "../../x", "${x}", "`id`", "\x08", "\u2028", "NaN", "a"]
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# What tacho itself sends: the end of a line as a terminal has it, and a line of progress that is cleared.
OWN = re.compile("\r\x1b\\[K|\x1b\\[\\?25[lh]|\r")
failures = []


def require(condition, message):
    if not condition:
        failures.append(message)
        print(f"FAIL {message}", file=sys.stderr)


def write_trace(path):
    draw = random.Random(5)
    events = []
    for i in range(COUNT):
        name = "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 6)))
        events.append({"ph": "X", "name": name if i % 3 == 0 else f"{name}{i}", "cat": draw.choice(PIECES), "pid": 1,
                       "tid": 1, "ts": 2 * i, "dur": 1, "args": {draw.choice(PIECES): name}})
    with open(path, "w", encoding="ascii") as file:
        json.dump({"traceEvents": events}, file)


def on_terminal(*words):
    """What a terminal gets: standard output and standard error."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(TACHO, [TACHO, *words])
    pieces = []
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    require(os.waitstatus_to_exitcode(status) in (0, 3), f"{words[0]} on a terminal: status {status}")
    return b"".join(pieces).decode("utf-8", "replace")


def output(*words):
    done = subprocess.run([TACHO, *words, "-q"], capture_output=True, check=False)
    require(done.returncode in (0, 3), f"{words}: exit status {done.returncode}: {done.stderr[:300]}")
    return done.stdout.decode("utf-8")


def is_formula(cell):
    if not cell or cell[0] not in "=+-@\t\r" or cell == "-":
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


def check_terminal():
    for words in (["ops", "--top", "0"], ["info"], ["overview"], ["breakdown"],
                  ["query", "SELECT name, category FROM spans"], ["query", "SELECT key, value FROM args"]):
        text = OWN.sub("", on_terminal(words[0], "names.json", *words[1:], "--color", "never"))
        found = CONTROLS.findall(text)
        require(text and not found, f"{words[0]}: {len(found)} control characters, {found[:3]}")


def check_tables():
    rows = list(csv.reader(io.StringIO(output("ops", "names.json", "--csv", "--top", "0"), newline="")))
    require(len(rows) > COUNT / 2, f"{len(rows)} rows of CSV")
    bad = [cell for row in rows for cell in row if is_formula(cell)]
    require(not bad, f"{len(bad)} formulas in CSV, {bad[:3]}")
    lines = output("ops", "names.json", "--format", "json", "--top", "0").splitlines()
    require(len(lines) >= len(rows) - 1, f"{len(lines)} rows of JSON, {len(rows)} of CSV")
    for line in lines:
        json.loads(line)


def check_files():
    for suffix in ("json", "jsonl", "pb", "tacho", "db", "parquet", "tracy", "csv"):
        output("convert", "names.json", "-o", f"made.{suffix}")
    with open("made.json", encoding="utf-8") as file:
        require(len(json.load(file)["traceEvents"]) >= COUNT, "events are missing in made.json")
    output("report", "names.json", "-o", "made.html")
    with open("made.html", encoding="utf-8") as file:
        page = file.read()
    for script in ("<script>alert", "<img src=x"):
        require(script not in page, f"{script} in the page")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_trace("names.json")
        check_terminal()
        check_tables()
        check_files()
        os.chdir("/")
    print(f"{COUNT} names: {len(failures)} problems")
    sys.exit(1 if failures else 0)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decodes a folder of ten files and one of a thousand on a terminal: both take the same memory, and
progress is one line that is written over:

    check_many.py QAIC_OPSTATS PROGRAM TEN THOUSAND

Exits with 77, and says why, where there are no terminals to be had (a container without /dev/pts)."""
import os
import pty
import re
import shutil
import sys


def run(tool, program, folder):
    """What it wrote to the terminal, and its largest memory in KiB."""
    output = folder + "-out"
    try:
        child, terminal = pty.fork()
    except OSError as error:
        print(f"no terminal can be opened here: {error}")
        sys.exit(77)
    if child == 0:
        os.environ["ASAN_OPTIONS"] = "quarantine_size_mb=1"  # what is free counts as free
        os.execv(tool, [tool, "--qpc", program, "--input-dir", folder, "--output-dir", output,
                        "--summary", "--trace"])
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    _, status, usage = os.wait4(child, 0)
    written = len(os.listdir(output)) if os.path.isdir(output) else 0
    shutil.rmtree(output, ignore_errors=True)
    if status != 0 or written != 2 * len(os.listdir(folder)):
        sys.exit(f"check_many: {folder}: status {status}, {written} files: {text[-400:]}")
    return text.decode(), usage.ru_maxrss


def main():
    tool, program, ten, thousand = sys.argv[1:]
    _, few = run(tool, program, ten)
    text, many = run(tool, program, thousand)
    if many > few + 8192:
        sys.exit(f"check_many: {few} KiB for ten files, {many} KiB for a thousand")
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text))
    steps = [line for line in lines if line.startswith("decoding")]
    print(f"{len(steps)} steps, {few} and {many} KiB: {steps[:1]} ... {lines[-2:]}")
    shown = []
    for line in steps:
        match = re.fullmatch(r"decoding \[(#*)\.*\] +(\d+) %  (\d+) of 1000 files", line)
        if not match or int(match[2]) != int(match[3]) // 10:
            sys.exit(f"check_many: progress {line!r}")
        shown.append(int(match[3]))
    if not shown or shown != sorted(shown) or shown[-1] > 1000:
        sys.exit(f"check_many: progress {shown} in {text[:400]!r}")
    if not re.search(r"1000 summaries and 1000 traces of 1000 files", text):
        sys.exit(f"check_many: {lines[-3:]}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges every trace of tacho below the given folders or files, whatever they are called:

    judge_all.py [--at-least N] [--except NAME,...] PATH...

Perfetto traces go through trace_judge.py, Chrome JSON through json_judge.py; both may be compressed.
Files whose names start with "cut" are damaged on purpose; problems NAME are those of the input. Prints each problem with its file, then how
many traces there were."""
import argparse
import gzip
import hashlib
import os
import sys

import json_judge
import trace_judge

JSON_HEAD = b'{"displayTimeUnit":"ns","traceEvents":['
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def unpacked(data):
    if data[:2] == GZIP:
        return gzip.decompress(data)
    return trace_judge.unzstd(data) if data[:4] == ZSTD else data


def kind_of(data):
    """json or pb of a trace of tacho, None of anything else."""
    if data.startswith(JSON_HEAD):
        return "json"
    return "pb" if data[:1] == b"\x0a" and b"tacho.about" in data[:64] else None


def problems_of(data):
    """What is wrong with a trace; None where the bytes are none of ours."""
    data = unpacked(data)
    kind = kind_of(data)
    if kind is None:
        return None
    judge = json_judge.JsonJudge(data.decode()) if kind == "json" else trace_judge.Judge(data, True)
    return {name: f"{name}: {count} (first: {judge.first[name]})"
            for name, count in sorted(judge.problems.items())}


def files(paths):
    for path in paths:
        if not os.path.isdir(path):
            yield path
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                if not name.startswith("cut") and os.path.isfile(os.path.join(folder, name)):
                    yield os.path.join(folder, name)


def copy_traces(folder, to):
    """Puts an unpacked copy of each whole trace below a folder into another."""
    for number, path in enumerate(files([str(folder)])):
        try:
            with open(path, "rb") as file:
                data = unpacked(file.read())
            is_whole = problems_of(data) is not None
        except (OSError, EOFError, ValueError, KeyError, trace_judge.Unreadable):
            continue
        if is_whole:
            os.makedirs(to, exist_ok=True)
            with open(os.path.join(to, f"{number}.{kind_of(data)}"), "wb") as file:
                file.write(data)


def judge_all(paths, report=print, excepted=()):
    """The number of traces, and of those with a problem. Traces of the same bytes are read once."""
    count = bad = 0
    known = {}
    for path in files(paths):
        try:
            with open(path, "rb") as file:
                data = file.read()
            digest = hashlib.sha256(data).digest()
            if digest not in known:
                known[digest] = problems_of(data)
            found = known[digest]
        except (OSError, EOFError, ValueError, KeyError, RecursionError, trace_judge.Unreadable) as error:
            found = {"unreadable": f"unreadable: {error!r}"}
            if not path.endswith((".pb", ".json")):
                continue
        if found is not None:
            found = [text for name, text in found.items() if name not in excepted]
            count += 1
            bad += bool(found)
            for text in found:
                report(f"{path}: {text}")
    return count, bad


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at-least", type=int, default=0, help="fail where fewer traces are found")
    parser.add_argument("--except", dest="excepted", default="", help="problems that are meant")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args(argv)
    count, bad = judge_all(options.paths, lambda text: print(text, file=sys.stderr),
                           options.excepted.split(","))
    print(f"{count} traces judged, {bad} of them with problems")
    if count < options.at_least:
        print(f"judge_all: expected {options.at_least} traces at least", file=sys.stderr)
    return 1 if bad or count < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())

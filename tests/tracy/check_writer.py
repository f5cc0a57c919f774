# SPDX-License-Identifier: Apache-2.0
"""check_writer.py TACHO DATA [RECORDINGS]: .tracy files that tacho writes.

tracy_file.py reads them by the layout of Tracy 0.10; zones, messages and plots must be those that
`tacho convert -o x.csv` lists of the same input. tacho itself must read the same back.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

from tracy_file import File

csv.field_size_limit(1 << 24)


class Tool:
    def __init__(self, path, folder):
        self.path, self.folder, self.number = path, folder, 0

    def convert(self, source, suffix, *options, code=(0, 3)):
        self.number += 1
        out = os.path.join(self.folder, "out%d%s" % (self.number, suffix))
        done = subprocess.run([self.path, "convert", "-q", *options, source, "-o", out],
                              capture_output=True, text=True, check=False)
        assert done.returncode in code, (source, done.returncode, done.stderr)
        return done.stderr if done.returncode not in (0, 3) else out

    def rows(self, source, *options):
        with open(self.convert(source, ".csv", *options), newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))


def unguarded(text):
    """Names as they are: the table puts a quote before what a spreadsheet would compute."""
    return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@") else text


def span_key(row):
    start = int(row["start_ns"])
    return unguarded(row["name"]), start, start + int(row["duration_ns"])


def check_contents(rows, file, shift):
    """Zones, messages and plots of |file| are the rows; |shift|: where the first of those is."""
    spans = [row for row in rows if row["kind"] in ("span", "unended")]
    frames = sum(row["category"] == "frame" and row["name"] == "frame" for row in spans)
    devices = [(file.places[place][0], start, file.last_time if end < 0 else end)
               for _, place, start, end, _ in file.device_zones]
    found = Counter((name, start - shift, end - shift)
                    for name, start, end in
                    [(z[1], z[4], z[5]) for z in file.zone_rows()] + devices)
    wanted = Counter(span_key(row) for row in spans
                     if not (row["category"] == "frame" and row["name"] == "frame"))
    assert found == wanted, (list((found - wanted).items())[:3], list((wanted - found).items())[:3])
    marks = sum(len(set_[2]) - set_[1] - (2 if i == 0 and len(set_[2]) > 2 else 0)
                for i, set_ in enumerate(file.sets)) - (len(file.sets[0][2]) == 2)
    assert marks == frames, (marks, frames)
    instants = [row for row in rows if row["kind"] == "instant"]
    crashes = file.crash[1] > 0
    assert len(file.messages) + crashes == len(instants)
    assert (Counter(m[1] - shift for m in file.messages) + Counter([file.crash[1] - shift] * crashes)
            == Counter(int(row["start_ns"]) for row in instants))
    samples = Counter((int(row["start_ns"]), float(row["value"]))
                      for row in rows if row["kind"] == "sample")
    assert samples == Counter((time - shift, value) for plots in file.plots.values()
                              for _, values in plots for time, value in values)


def first_time(file):
    times = [z[2] for z in file.zones + file.device_zones] + [m[1] for m in file.messages]
    times += [v[0] for plots in file.plots.values() for _, values in plots for v in values]
    times += [mark[0] for i, set_ in enumerate(file.sets) for mark in set_[2][2 * (i == 0):]]
    return min(times)


def check_input(tool, source):
    rows = tool.rows(source)
    out = tool.convert(source, ".tracy")
    file = File(out)
    is_tracy = any(row.startswith("tacho.part.1.format: tracy") for row in file.infos)
    check_contents(rows, file, first_time(file) if is_tracy else 0)
    origins = {row["origin"] for row in rows if row["kind"] == "span"}
    again = tool.rows(out)
    key = lambda row: (row["kind"], unguarded(row["name"]), row["start_ns"], row["duration_ns"],
                       row["value"])
    # Moments come back as messages; flows do not come back.
    kinds = ("span", "unended", "sample")
    assert (Counter(key(row) for row in rows if row["kind"] in kinds) ==
            Counter(key(row) for row in again if row["kind"] in kinds)), source
    if len(origins) == 1:
        assert origins == {row["origin"] for row in again if row["kind"] == "span"}, source
    with open(out, "rb") as one, open(tool.convert(source, ".tracy"), "rb") as two:
        assert one.read() == two.read(), "not the same twice: " + source
    return file


def check_tracy(tool, source):
    """What Tracy recorded comes back whole, but for locks, which become zones."""
    def whole(rows):
        return Counter(tuple(sorted((k, v) for k, v in row.items() if k != "file"))
                       for row in rows if row["class"] != "sync")
    check_input(tool, source)
    before = whole(tool.rows(source))
    after = whole(row for row in tool.rows(tool.convert(source, ".tracy"))
                  if not row["track"].startswith("lock "))
    assert before == after, (source, list((before - after).items())[:2],
                             list((after - before).items())[:2])


def trace(folder, name, events):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"traceEvents": events}, stream)
    return path


def check_arguments(tool):
    events = [{"ph": "X", "pid": 1, "tid": 7, "ts": 1, "dur": 5, "name": "a",
               "args": {"bytes": 12, "shape": [1, 2], "color": "red"}},
              {"ph": "X", "pid": 1, "tid": 7, "ts": 2, "dur": 1, "name": "b", "args": {"text": "hi"}},
              {"ph": "i", "pid": 1, "tid": 7, "ts": 3, "s": "t", "name": "mark", "args": {"n": 1}}]
    file = File(tool.convert(trace(tool.folder, "args.json", events), ".tracy"))
    texts = {row[1]: row[6] for row in file.zone_rows()}
    assert texts == {"a": "bytes: 12\nshape[0]: 1\nshape[1]: 2\ncolor: red", "b": "hi"}, texts
    assert [m[2] for m in file.messages] == ["mark\nn: 1"], file.messages
    assert file.tids == [0, 7]
    file = File(tool.convert(trace(tool.folder, "args.json", events), ".tracy", "--args", "none"))
    assert {row[6] for row in file.zone_rows()} == {None}


def check_many_names(tool):
    """More names than there are numbers for places, on one thread, two deep."""
    events = []
    for i in range(34000):
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 4 * i, "dur": 3, "name": "n%d" % i})
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 4 * i + 1, "dur": 1, "name": "m%d" % i})
    file = check_input(tool, trace(tool.folder, "names.json", events))
    assert len(file.zones) == 68000 and len(file.places) == 65533


def check_depth(tool):
    """A zone that holds another, and so on, over many chunks of the spool."""
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": i, "dur": 6000 - 2 * i, "name": "z%d" % (i % 9)}
              for i in range(3000)]
    events += [{"ph": "X", "pid": 1, "tid": 1, "ts": 7000 + i, "dur": 1, "name": "flat"}
               for i in range(3000)]
    check_input(tool, trace(tool.folder, "deep.json", events))


def check_origins(tool, data):
    """An estimate and a measurement in one file: each track says which it is, the file neither."""
    out = os.path.join(tool.folder, "two.tracy")
    subprocess.run([tool.path, "convert", "-q", os.path.join(data, "torq/t1.csv"),
                    os.path.join(data, "chrome/kineto.json"), "-o", out], check=True)
    file = File(out)
    assert file.host.startswith("Written by tacho\nOrigin: unknown\n"), file.host
    names = set(file.thread_names.values())
    assert "t1.csv (estimated): Slice 0" in names, names
    assert all("(estimated): " in name or "(measured): " in name for name in names), names


def check_limit(tool):
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": t, "dur": 1, "name": "z"}
              for t in (0, 40 * 3600 * 1000000)]
    said = tool.convert(trace(tool.folder, "long.json", events), ".tracy", code=(1,))
    assert "39 hours" in said, said
    assert not [name for name in os.listdir(tool.folder) if name == "out%d.tracy" % tool.number]


def main():
    data = sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(sys.argv[1], folder)
        for name in ("torq/r0.csv", "torq/r2.csv", "torq/t1.csv", "torq/t4.csv", "chrome/kineto.json",
                     "chrome/overlap.json", "chrome/phases.json", "chrome/ties.json",
                     "chrome/bad_events.json", "tenstorrent/run"):
            check_input(tool, os.path.join(data, name))
        for name in ("v0_14.tracy", "v0_14_lz4.tracy", "cut.tracy"):
            check_tracy(tool, os.path.join(data, "tracy", name))
        check_arguments(tool)
        check_many_names(tool)
        check_depth(tool)
        check_limit(tool)
        check_origins(tool, data)
        recordings = sys.argv[3] if len(sys.argv) > 3 and os.path.isdir(sys.argv[3]) else None
        for name in sorted(os.listdir(recordings)) if recordings else ():
            if name.endswith(".tracy"):
                check_tracy(tool, os.path.join(recordings, name))
        print("read %d conversions" % tool.number)


main()

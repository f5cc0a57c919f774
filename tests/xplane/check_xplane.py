#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what tacho reads from XPlane files with a reader that shares nothing with it: every span by plane, line,
name and time, to the nanosecond, every sample and every arrow; and with the JSON that JAX wrote of the same run.

    tests/xplane/check_xplane.py TACHO COMPOSE_SCRIPT [DIRECTORY]
"""
import collections
import csv
import gzip
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = struct.unpack("<d", data[at:at + 8])[0], at + 8
        else:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        yield tag >> 3, value


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def message(data):
    found = collections.defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def first(found, field, default):
    return found[field][-1] if found[field] else default


def kind_name(kind):
    name, shown = first(kind, 2, b"").decode(), first(kind, 4, b"").decode()
    if not shown and name.startswith("%") and " = " in name:
        shown = name[1:name.index(" ")]
    return shown or name or "(no name)"


def start_of_session(planes):
    for plane in planes:
        if first(plane, 2, b"") == b"Task Environment":
            names = {first(message(entry), 1, 0): message(first(message(entry), 2, b"")) for entry in plane[5]}
            for stat in map(message, plane[6]):
                if first(names.get(first(stat, 1, 0), {2: [b""]}), 2, b"") == b"profile_start_time":
                    return first(stat, 3, 0) or first(stat, 4, 0)
    return 0


def read(data):
    """Counter of (plane, line, name, start_ps, end_ps, is_instant) and the number of samples."""
    planes = [message(plane) for field, plane in fields(data) if field == 1]
    session, spans, samples, lines = start_of_session(planes), collections.Counter(), 0, []
    for plane in planes:
        for line in map(message, plane[3]):
            time = signed(first(line, 3, 0))
            lines.append((plane, line, time - session if time > 10**18 else time))
    shift = -min([0] + [time for _, _, time in lines])
    for plane, line, time in lines:
        kinds = {first(message(entry), 1, 0): message(first(message(entry), 2, b"")) for entry in plane[4]}
        stats = {first(message(entry), 1, 0): first(message(first(message(entry), 2, b"")), 2, b"").decode()
                 for entry in plane[5]}
        line_name = (first(line, 11, b"") or first(line, 2, b"")).decode()
        for event in map(message, line[4]):
            if event[5] or first(event, 1, 0) not in kinds:
                continue
            if line_name == "_counters_":
                samples += 1
                continue
            name = kind_name(kinds[first(event, 1, 0)])
            number = [first(stat, 3, first(stat, 4, 0)) for stat in map(message, event[4])
                      if stats.get(first(stat, 1, 0)) == "step_num"]
            if line_name == "Steps" and name.isdigit():
                name = "step " + name
            elif number and not first(plane, 2, b"").startswith(b"/device:"):
                name = f"{name} {'' if 'step' in name else 'step '}{number[-1]}"
            start = (time + shift) * 1000 + first(event, 2, 0)
            length = first(event, 3, 0)
            spans[first(plane, 2, b"").decode(), line_name or f"line {first(line, 1, 0)}", name, start, start + length,
                  length == 0] += 1
    return spans, samples


class Failed(Exception):
    pass


def ask(tacho, path, sql):
    done = subprocess.run([tacho, "query", str(path), sql, "--format", "csv", "-q"], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise Failed(f"{path}: exit status {done.returncode}: {done.stderr}")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    return [row[1:] for row in rows[1:]]  # after the name of the table


def check_file(tacho, path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        spans, samples = read(file.read())
    zero = min([start // 1000 for _, _, _, start, _, _ in spans], default=0)
    expected = collections.Counter()
    for (plane, line, name, start, end, is_instant), count in spans.items():
        expected[plane, line, name, start // 1000 - zero, end // 1000 - zero, is_instant] += count
    found = collections.Counter(
        (process, track, name, int(start), int(start) + int(length), kind == "instant") for process, track, name, start,
        length, kind in ask(tacho, path, "SELECT process, track, name, start_ns, duration_ns, kind FROM spans"))
    found_samples = int(ask(tacho, path, "SELECT count(*) FROM counters")[0][0])
    missing, extra = expected - found, found - expected
    if missing or extra or samples != found_samples:
        raise Failed(f"{path.name}: missing {list(missing.items())[:3]}, extra {list(extra.items())[:3]}, "
                     f"samples {found_samples} of {samples}")
    print(f"{path.name}: {sum(found.values())} spans and {samples} samples equal")


def check_against_json(tacho, path, trace):
    """Names and lengths of what the viewer's JSON, which is limited to a number of events, has."""
    with gzip.open(trace) as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
    found = collections.Counter(
        (name, int(length)) for name, length in ask(tacho, path, "SELECT name, duration_ns FROM spans"))
    for event in events:
        name, length = event["name"], int(event.get("dur", 0) * 1000 + 0.5)
        near = [key for key in ((name, length + by) for by in (0, -1, 1)) if found[key] > 0]
        if not near:
            near = [key for key in found if found[key] > 0 and key[0].startswith(name + " step ") and
                    abs(key[1] - length) <= 1]
        if not near:
            raise Failed(f"{trace.name}: not found: {name}, {length} ns")
        found[near[0]] -= 1
    print(f"{trace.name}: {len(events)} events found")


def main():
    tacho, compose = sys.argv[1:3]
    folder = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        checks = []
        for kind in ("tpu", "gpu"):
            path = pathlib.Path(work, kind + ".xplane.pb")
            path.write_bytes(subprocess.run([sys.executable, compose, kind], capture_output=True, check=True).stdout)
            checks.append((check_file, tacho, path))
        if folder and folder.is_dir():
            checks += [(check_file, tacho, path) for path in sorted(folder.glob("*/*.xplane.pb*"))]
            jax = folder / "h200/jax_mlp.xplane.pb.gz"
            if jax.exists():
                checks.append((check_against_json, tacho, jax, folder / "h200/jax_mlp.trace.json.gz"))
        else:
            print(f"skip: no directory {folder}: composed files alone")
        for check, *arguments in checks:
            try:
                check(*arguments)
                passed += 1
            except Failed as failure:
                print("FAIL", failure)
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

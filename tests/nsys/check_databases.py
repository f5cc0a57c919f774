#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Databases of Nsight Systems: what tacho reads of each table against sums by SQLite, arrows against a join by
process and number, and the device time of layers against a projection with a stack per thread.

  check_databases.py TACHO SOURCE_DIR SAMPLES_DIR
"""
import collections
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

CATEGORIES = {"kernel": ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"],
              "gpu_memcpy": ["CUPTI_ACTIVITY_KIND_MEMCPY"], "gpu_memset": ["CUPTI_ACTIVITY_KIND_MEMSET"],
              "cuda_sync": ["CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"], "osrt": ["OSRT_API"],
              "overhead": ["PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"]}
WORK = ["KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"]
LOSSY = 3  # exit status: some rows were not read
LAUNCHES = ("Launch", "emcpy", "emset", "Prefetch")


def open_database(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def rows(database, table, columns, where="1"):
    names = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
    if not names:
        return []
    chosen = ", ".join([f'"{name}"' if name in names else "NULL" for name in columns] + ["1"])
    times = '"start"' + (', "end"' if "end" in names else ', "start"')
    return database.execute(f'SELECT {times}, {chosen} FROM "{table}" WHERE typeof("start") = \'integer\' AND {where}')


def expected_sums(database):
    sums = collections.Counter()
    for category, tables in CATEGORIES.items():
        for table in tables:
            for start, end, *_ in rows(database, table, []):
                if end is not None and 0 <= start <= end:
                    sums[category, "count"] += 1
                    sums[category, "ns"] += end - start
    for start, end, kind, _ in rows(database, "CUPTI_ACTIVITY_KIND_RUNTIME", ["eventClass"]):
        category = "cuda_driver" if kind == 1 else "cuda_runtime"
        sums[category, "count"] += 1
        sums[category, "ns"] += end - start
    for start, end, kind, _ in rows(database, "NVTX_EVENTS", ["eventType"]):
        if kind in (34, 59, 60, 70, 71):
            sums["ranges", "count"] += 1
            sums["ranges", "ns"] += end - start if kind != 34 else 0
    return sums


def read_events(tacho, path):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "events.jsonl"
        done = subprocess.run([tacho, "convert", path, "-o", out, "-q"], stderr=subprocess.PIPE, text=True)
        assert done.returncode in (0, LOSSY), done.stderr
        return [json.loads(line) for line in out.read_text().splitlines()]


def found_sums(events):
    sums = collections.Counter()
    for event in events:
        if event["kind"] in ("span", "instant"):
            category = event.get("category", "")
            is_range = category == "nvtx" or (category == "cuda_library" and "domain" in event["args"])
            if category in ("mpi", "cuda_library") and not is_range:
                continue
            category = "ranges" if is_range else category
            sums[category, "count"] += 1
            sums[category, "ns"] += event.get("duration_ns", 0)
    return sums


def launched_by(database):
    """(process, number) to the thread and start of the call."""
    names = dict(database.execute("SELECT id, value FROM StringIds"))
    return {(thread >> 24, number): (thread, start)
            for start, _, thread, number, name, _ in rows(database, "CUPTI_ACTIVITY_KIND_RUNTIME", ["globalTid", "correlationId", "nameId"])
            if any(word in names.get(name, "") for word in LAUNCHES)}


def check_arrows(database, events):
    """Each arrow leads from the call of its process: equal numbers of two ranks are not mixed up."""
    calls = launched_by(database)
    expected = collections.Counter(
        start - calls[process >> 24, number][1] for table in WORK
        for start, end, process, number, _ in rows(database, "CUPTI_ACTIVITY_KIND_" + table, ["globalPid", "correlationId"])
        if end >= start and number and (process >> 24, number) in calls)
    flows = [event for event in events if event["kind"] == "flow"]
    left = {event["id"]: event["start_ns"] for event in flows if event["direction"] == "leaves"}
    assert len(left) == sum(event["direction"] == "leaves" for event in flows), "two calls share an arrow"
    found = collections.Counter(event["start_ns"] - left[event["id"]] for event in flows if event["direction"] == "arrives")
    assert expected == found, (expected - found, found - expected)
    return sum(expected.values())


def projected_layers(database):
    """The time of kernels by the outermost 'layer.N' around their launch: a stack per thread, in one sweep."""
    names = dict(database.execute("SELECT id, value FROM StringIds"))
    times = collections.Counter()
    kernels = collections.defaultdict(int)
    for start, end, process, number, _ in rows(database, "CUPTI_ACTIVITY_KIND_KERNEL", ["globalPid", "correlationId"]):
        kernels[process >> 24, number] += max(end - start, 0)
    marks = collections.defaultdict(list)
    for start, end, thread, text, text_id, _ in rows(database, "NVTX_EVENTS", ["globalTid", "text", "textId"], "eventType = 59"):
        marks[thread].append((start, -end, text or names[text_id], None))
    for key, (thread, start) in launched_by(database).items():
        marks[thread].append((start, 0, None, key))
    for of_thread in marks.values():
        stack = []
        for start, end, name, key in sorted(of_thread, key=lambda mark: mark[:2]):
            while stack and stack[-1][0] <= start:
                stack.pop()
            if key is None:
                stack.append((-end, name))
            layers = [name for _, name in stack if name.startswith("layer.")]
            if key is not None and layers:
                times[layers[0]] += kernels.get(key, 0)
    return times


def check_layers(tacho, path):
    out = subprocess.run([tacho, "ops", path, "--by", "layer", "--top", "0", "--format", "json", "-q"],
                         capture_output=True, text=True).stdout
    found = {row["layer"]: row["device_total_ns"] for row in map(json.loads, out.splitlines())
             if row.get("layer", "").startswith("layer.") and "/" not in row["layer"]}
    expected = {name: time for name, time in projected_layers(open_database(path)).items() if time}
    assert found == expected, sorted(set(found.items()) ^ set(expected.items()))[:6]
    return len(found)


def check(tacho, path):
    database = open_database(path)
    events = read_events(tacho, path)
    expected, found = expected_sums(database), found_sums(events)
    for key in expected.keys() | found.keys():
        assert expected[key] == found[key], (path, key, expected[key], found[key])
    text = json.dumps(events)
    for (value,) in database.execute("SELECT value FROM META_DATA_CAPTURE"):
        assert not value or len(value) < 12 or value not in text, "a fact of the environment got out"
    return sum(expected[key] for key in expected if key[1] == "count"), check_arrows(database, events)


def main():
    tacho, source, samples = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    small = source / "tests/data/nsys/small.sqlite"
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "made.sqlite"
        subprocess.run([sys.executable, source / "bench/gen_nsys.py", "3000", made], check=True)
        for path in [small, made, *sorted(samples.glob("*.sqlite"))]:
            count, arrows = check(tacho, path)
            print(f"{path.name}: {count} rows and {arrows} launches agree")
        assert check_layers(tacho, made) == 48
        assert check_layers(tacho, small) == 2
    if not samples.is_dir():
        print("skip: no recordings of Nsight Systems in ../shared")
        sys.exit(77)


if __name__ == "__main__":
    main()

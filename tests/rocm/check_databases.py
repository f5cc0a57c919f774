#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles of ROCm and Ascend: what tacho reads against sums and joins by SQLite, csv and json.

  check_databases.py TACHO SOURCE_DIR SAMPLES_DIR
"""
import collections
import csv
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

LOSSY = 3  # exit status: some rows were not read


def read_events(tacho, path):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "events.jsonl"
        done = subprocess.run([tacho, "convert", path, "-o", out, "-q"], stderr=subprocess.PIPE, text=True)
        assert done.returncode in (0, LOSSY), (path, done.stderr)
        return [json.loads(line) for line in out.read_text().splitlines()]


def found_sums(events):
    """Count and time by category; of kernels also by name."""
    sums = collections.Counter()
    for event in events:
        if event["kind"] in ("span", "instant"):
            keys = [event["category"]] + ([event["name"]] if event["category"] == "kernel" else [])
            for key in keys:
                sums[key, "count"] += 1
                sums[key, "ns"] += event.get("duration_ns", 0)
    return sums


def arrow_count(events):
    """Arrows; each has one call, so equal numbers of two ranks are not mixed up, and work without a call has none."""
    flows = [event for event in events if event["kind"] == "flow"]
    left = collections.Counter(event["id"] for event in flows if event["direction"] == "leaves")
    arrived = [event["id"] for event in flows if event["direction"] == "arrives"]
    assert not left or max(left.values()) == 1, "two calls share an arrow"
    assert all(number in left for number in arrived), "an arrow without a call"
    return len(arrived)


def add(sums, key, start, end):
    sums[key, "count"] += 1
    sums[key, "ns"] += end - start


def word_of(domain):
    words = {"HIP": "hip_runtime", "HSA": "hsa", "MARKER": "roctx", "RCCL": "rccl"}
    return words.get(domain.split("_")[0], "rocm")


def check_rocpd(tacho, path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    sums, joined = collections.Counter(), 0
    for suffix in [name[len("rocpd_metadata"):] for name in tables if name.startswith("rocpd_metadata")]:
        new = "rocpd_timestamp" + suffix in tables
        start, end = ("(SELECT value FROM rocpd_timestamp{0} WHERE id = start_id)", "(SELECT value FROM rocpd_timestamp{0} WHERE id = end_id)") if new else ('t.start', 't."end"')
        domain = "(SELECT name FROM rocpd_info_category{0} WHERE id = e.category_id)" if new else "(SELECT string FROM rocpd_string{0} WHERE id = e.category_id)"
        text = f"SELECT {start}, {end}, {{1}} FROM {{2}}{{0}} t LEFT JOIN rocpd_event{{0}} e ON e.id = t.event_id"
        select = lambda what, table: database.execute(text.format(suffix, what.format(suffix), table)).fetchall()
        name = "(SELECT coalesce(nullif(display_name, ''), kernel_name) FROM rocpd_info_kernel_symbol{0} k WHERE k.id = kernel_id)"
        kernels = select(name + ", e.stack_id", "rocpd_kernel_dispatch")
        copies = select("e.stack_id", "rocpd_memory_copy") if "rocpd_memory_copy" + suffix in tables else []
        calls = select(domain + ", (SELECT string FROM rocpd_string{0} s WHERE s.id = name_id), e.stack_id", "rocpd_region")
        for begin, stop, kernel, _ in kernels:
            add(sums, "kernel", begin, stop)
            add(sums, kernel, begin, stop)
        for begin, stop, _ in copies:
            add(sums, "gpu_memcpy", begin, stop)
        for begin, stop, category, _, _ in calls:
            add(sums, word_of(category), begin, stop)
        launches = {stack for _, _, category, call, stack in calls
                    if category.startswith("HIP") and any(word in call for word in ("Launch", "emcpy", "emset"))}
        joined += sum(row[-1] in launches for row in kernels + copies)
    events = read_events(tacho, path)
    found = found_sums(events)
    assert sums == found, set(sums.items()) ^ set(found.items())
    assert joined == arrow_count(events), (joined, arrow_count(events))
    counters = collections.Counter(event["value"] for event in events if event["kind"] == "sample" and event["track"] in ("SQ_WAVES", "TCC_HIT"))
    assert path.parent.name != "rocm" or set(counters) == {128, 0.5}, counters
    assert "hunter2" not in json.dumps(events), "an environment or a command line got out"
    return sums["kernel", "count"], joined


def check_csv(tacho, path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or "Start_Timestamp" not in rows[0]:
        done = subprocess.run([tacho, "info", path], capture_output=True, text=True)
        assert done.returncode != 0 and "no column Start_Timestamp" in done.stderr, done.stderr
        return 0
    sums, seen = collections.Counter(), set()
    for row in rows:
        start, end = int(row["Start_Timestamp"]), int(row["End_Timestamp"])
        if row.get("Counter_Name"):
            if (row["Process_Id"], row["Dispatch_Id"]) in seen:
                continue
            seen.add((row["Process_Id"], row["Dispatch_Id"]))
        if "Kernel_Name" in row:
            add(sums, row["Kernel_Name"], start, end)
        add(sums, "kernel" if "Kernel_Name" in row else "gpu_memcpy" if "Direction" in row else
            word_of(row["Domain"]) if "Domain" in row else "memory", start, end)
    found = found_sums(read_events(tacho, path))
    assert sums == found, (path, set(sums.items()) ^ set(found.items()))
    return len(rows)


def check_json(tacho, path):
    with open(path, encoding="utf-8") as file:
        processes = json.load(file)["rocprofiler-sdk-tool"]
    sums = collections.Counter()
    for process in processes:
        names = {symbol["kernel_id"]: symbol["formatted_kernel_name"] for symbol in process["kernel_symbols"]}
        for record in process["buffer_records"]["kernel_dispatch"]:
            start, end = record["start_timestamp"], record["end_timestamp"]
            add(sums, "kernel", start, end)
            add(sums, names[record["dispatch_info"]["kernel_id"]], start, end)
    found = found_sums(read_events(tacho, path))
    assert sums == found, set(sums.items()) ^ set(found.items())
    return sums["kernel", "count"]


def check_ascend(tacho, path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    sums = collections.Counter()
    for start, end, kind, name in database.execute(
            "SELECT startNs, endNs, (SELECT value FROM STRING_IDS WHERE id = taskType), (SELECT value FROM STRING_IDS s, "
            "COMPUTE_TASK_INFO c WHERE c.globalTaskId = TASK.globalTaskId AND s.id = c.name) FROM TASK"):
        key = "event" if "EVENT" in kind else "gpu_memcpy" if "MEMCPY" in kind else "kernel"
        add(sums, key, start, end)
        if key == "kernel":
            add(sums, name or kind, start, end)
    for start, end, name in database.execute("SELECT startNs, endNs, (SELECT value FROM STRING_IDS WHERE id = opName) FROM COMMUNICATION_OP"):
        add(sums, "kernel", start, end)
        add(sums, name, start, end)
    for start, end in database.execute("SELECT startNs, endNs FROM CANN_API"):
        add(sums, "cann", start, end)
    events = read_events(tacho, path)
    found = found_sums(events)
    assert sums == found, set(sums.items()) ^ set(found.items())
    assert arrow_count(events) == 3
    return sums["kernel", "count"]


def main():
    tacho, source, samples = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    data = source / "tests/data"
    for path in [data / "rocm/v3.db", data / "rocm/v4.db", *sorted(samples.glob("rocpd/*.db"))]:
        print("{}: {} kernels and {} launches agree".format(path.name, *check_rocpd(tacho, path)))
    for path in sorted(samples.glob("rocprofv3_csv/*.csv")):
        print(f"{path.name}: {check_csv(tacho, path)} rows agree")
    for path in sorted(samples.glob("rocprofv3_json/*.json")):
        print(f"{path.name}: {check_json(tacho, path)} kernels agree")
    print(f"msprof.db: {check_ascend(tacho, data / 'ascend/msprof.db')} kernels agree")
    if not samples.is_dir():
        print("skip: no recordings of ROCm in ../shared")
        sys.exit(77)


if __name__ == "__main__":
    main()

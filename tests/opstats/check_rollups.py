#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Roll-ups against the trace of the same inference, with a track per thread:

    check_rollups.py TRACE.json FOLDER

FOLDER has op.json, layer.json, core.json, device.json, critical.json and info.json, what tacho info
says of the program, as JSON lines."""
import collections
import json
import os
import re
import sys

import trace_events

TICKS_PER_US = 19.2


def check(condition, what):
    if not condition:
        sys.exit(f"check_rollups: {what}")


def load(name):
    with open(os.path.join(sys.argv[2], name + ".json"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def length(event):
    end = round((event["ts"] + event["dur"]) * TICKS_PER_US)
    return end - round(event["ts"] * TICKS_PER_US)


def is_issue(kind, track):
    """Of a transfer, which has a slice of its own from issue to completion."""
    return (kind.startswith(("aiccopy", "aicmulticast")) and not track.endswith("_DMA") and
            "_P2P_Port_" not in track)


def check_cores(events, rows):
    shown, flushes = {}, collections.Counter()
    for track, event in events:
        match = re.fullmatch(r".*?(?:_slice(\d+))?_Core_(\d+)", track)
        key = (int(match[1] or 0), int(match[2])) if match else None
        if event["name"] == "aicendcyclestats" and key:
            flushes[key] = length(event)
        elif event["name"].endswith("-Execution") and key:
            shown[key] = length(event)
    check({(row["device"], row["core"]) for row in rows} == set(shown), f"cores {shown}")
    work = collections.defaultdict(list)
    for row in rows:
        key = row["device"], row["core"]
        check(abs(row["ucycles"] - shown[key]) <= 1, f"{row} took {shown[key]}")
        check(abs(row["flush_ucycles"] - flushes[key]) <= 1, f"{row} flushed {flushes[key]}")
        check(row["work_ucycles"] == row["ucycles"] - row["flush_ucycles"], f"work of {row}")
        spent = row["busiest_ucycles"] + row["sync_ucycles"] + row["barrier_ucycles"]
        check(spent == row["work_ucycles"], f"the busiest thread of {row} spent {spent}")
        work[row["device"]].append(row["work_ucycles"])
    for row in rows:
        mean = sum(work[row["device"]]) / len(work[row["device"]])
        check(abs(row["of_mean_percent"] - 100 * row["work_ucycles"] / mean) < 0.01, f"{row}")


def check_names(events, ops, layers):
    by_type, longest = collections.Counter(), 0
    for track, event in events:
        kind = event.get("args", {}).get("opKind", "wait")
        if kind == "wait" or is_issue(kind, track):
            continue
        by_type[event["args"].get("opType", "")] += event["args"]["opUCycle"]
        longest = max(longest, event["args"]["opUCycle"])
    for row in ops:
        check(row["engine_ucycles"] == by_type[row["name"]], f"{row}: {by_type[row['name']]}")
    for rows in (ops, layers):
        total = sum(row["engine_ucycles"] for row in rows)
        check(total == sum(by_type.values()), f"{total} ucycles of {sum(by_type.values())}")
    return longest


def check_devices(events, rows, info):
    """The matrix has the transfers of the trace, and what the program says that each slice gets."""
    counts, sizes, waits, got = (collections.Counter() for _ in range(4))
    for track, event in events:
        args = event.get("args", {})
        match = re.fullmatch(r"(\d+)<-(\d+)", args.get("PortDescription", ""))
        if match and "opKind" in args:
            counts[int(match[2]), int(match[1])] += 1
            sizes[int(match[2]), int(match[1])] += args["opOutputSize"]
        elif match:
            waits[int(match[2]), int(match[1])] += args["opUCycle"]
    for row in rows:
        ends = row["from_device"], row["to_device"]
        check(row["tensor_count"] == counts.pop(ends), f"{row}: transfers")
        check(row["bytes"] == sizes[ends] > 0, f"{row}: {sizes[ends]} bytes")
        check(row["receive_wait_ucycles"] == waits[ends], f"{row}: waits {waits[ends]}")
        got[row["to_device"]] += row["bytes"]
    check(not counts, f"{counts} are in no row")
    for row in info:
        if row["table"] == "slices":
            check(got[row["device"]] == row["link_bytes"], f"{row}: {got}")


def main():
    trace = trace_events.read(sys.argv[1])
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in trace
             if event["ph"] == "M" and event["name"] == "thread_name"}
    events = [(names[event["pid"], event["tid"]], event) for event in trace if event["ph"] == "X"]
    cores = load("core")
    check_cores(events, cores)
    longest = check_names(events, load("op"), load("layer"))
    check_devices(events, load("device"), load("info"))
    total = sum(row["ucycles"] for row in load("critical"))
    span = max(length(event) for _, event in events if event["name"].startswith("Device_"))
    check(longest <= total <= span, f"critical path of {total}: longest op {longest}, all {span}")
    check(total == max(row["work_ucycles"] for row in cores), f"critical path of {total}: {cores}")


if __name__ == "__main__":
    main()

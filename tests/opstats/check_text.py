#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of a summary of raw stats, from what it prints, and from the trace of the same file:

    check_text.py SUMMARY.txt [TRACE.json]

Every line must be of a known kind."""
import collections
import re
import sys

import trace_events

ROW = re.compile(r"c(\d+) +(\d+) +([\d.]+)% +(N/A|\d+) +(?:N/A|([\d.]+)%) +(\d+) +(N/A|[\d.]+)"
                 r" +(N/A|[\d.]+) +(N/A|[\d.]+) +(N/A|[\d.]+)  (.*)")
TOTAL = re.compile(r"c(\d+) total: +(\d+) ucycles +(\d+) pcycles \(thread max\)")
THREAD = re.compile(r"c(\d+) +t(\d) (\S+) +(\d+) ucycles \[(\d+), (\d+)\] +(\d+) pcycles"
                    r" +([\d.]+)% utilization")
BATCH = re.compile(r"c(\d\d)t(\d) batch ucycles: +(\d+) \[(\d+),(\d+)\] +pcycles: +(\d+) ")
CYCLES = re.compile(r"c(\d+): Total inference pcycle is (\d+)")
MHZ = re.compile(r"c(\d+): Effective frequency is ([\d.]+)MHz")
DEVICE = re.compile(r"total batch ucycles: +(\d+) \[(\d+), (\d+)\]")
RATE = re.compile(r"\[\S+\] Device instance (batch|inf)/s: \((\d+)/(\S+)\): (\S+)")
OTHER = re.compile(r"c\d\dt\dp\d{3} (Host_IO|P2P)_Port ucycles: +\d+|c\d\dp\d{3} doorbell ucycles: .*|"
                   r"c\d\dt\d activate ucycles: +\d+|c\d\d(t\d)? pmu 0x[0-9A-F]+ \S+: \d+|"
                   r"c\d+: (HMX|HVX|DMA)ActivePct is [\d.]+|c\d+: DDR traffic is .*|core .*|"
                   r"max (in|out)put wait ucycles: +\d+|total DDR traffic: .*|note: .*|"
                   r"c\d+ +\d+ +[\d.]+ +\d+ +[\d.]+  0x.*|")


def check(condition, what):
    if not condition:
        sys.exit(f"check_text: {sys.argv[1]}: {what}")


def near(value, shown, by=0.0051):
    return abs(value - float(shown)) <= by


class Core:
    def __init__(self):
        self.rows, self.threads, self.batches = [], [], []
        self.total = self.cycles = self.mhz = None


def take(line, cores, device):
    for pattern in (ROW, TOTAL, THREAD, BATCH, CYCLES, MHZ):
        match = pattern.fullmatch(line)
        if not match:
            continue
        core, values = cores[int(match[1])], match.groups()[1:]
        if pattern is ROW:
            core.rows.append(values)
        elif pattern is TOTAL:
            core.total = tuple(map(int, values))
        elif pattern is THREAD:
            core.threads.append(values)
        elif pattern is BATCH:
            core.batches.append(tuple(map(int, values[1:])))
        elif pattern is CYCLES:
            core.cycles = int(values[0])
        else:
            core.mhz = values[0]
        return
    if DEVICE.fullmatch(line):
        device["span"] = tuple(map(int, DEVICE.fullmatch(line).groups()))
    elif RATE.fullmatch(line):
        device[RATE.fullmatch(line)[1]] = tuple(map(float, RATE.fullmatch(line).groups()[1:]))
    else:
        check(OTHER.fullmatch(line), f"a line of no known kind: {line!r}")


def check_rows(core):
    ucycles = [int(row[0]) for row in core.rows]
    check(ucycles == sorted(ucycles, reverse=True), "rows are sorted by ucycles")
    check(len({row[9] for row in core.rows}) == len(core.rows), "one row for each opdetails")
    for row in core.rows:
        check(near(100 * int(row[0]) / core.total[0], row[1]), f"ucycles(%) of {row}")
        if row[9].startswith(("sync ", "barrier ")):
            check(row[2] == row[5] == row[6] == row[7] == row[8] == "N/A", f"a wait {row}")
            check(int(row[0]) <= core.total[0], f"{row} is longer than {core.total}")
            continue
        check(near(100 * int(row[2]) / core.total[1], row[3]), f"pcycles(%) of {row}")
    for engine in {thread[1] for thread in core.threads}:
        check(sum(row[9] == f"aicendcyclestats {engine} DDR (i8)" for row in core.rows) == 1,
              f"flush of {engine}")
    # A thread's life is sync, op, barrier, back to back, and the flush; one without an op has no more than that.
    hmx = [row for row in core.rows if " HMX" in row[9]]
    has_op = any(row[9].startswith("sync ") for row in hmx)
    lived = sum(int(row[0]) for row in hmx)
    check(lived == core.total[0] if has_op else lived < core.total[0], "HMX is not back to back")
    work = sum(int(row[2]) for row in hmx if row[2] != "N/A" and "endcycle" not in row[9])
    for thread in core.threads:
        if thread[1] == "HMX":
            check(near(100 * work / int(thread[5]), thread[6]), f"utilization of {thread}")


def check_cores(cores, device):
    for core in cores.values():
        slowest = max(batch[0] for batch in core.batches)
        check(all(batch[0] == batch[2] - batch[1] for batch in core.batches), "batch ucycles")
        check(near(core.cycles * 19.2 / slowest, core.mhz), f"frequency {core.mhz}")
        check(core.total is None or core.total[0] == slowest, f"total {core.total}")
        if core.threads:
            check_rows(core)
    batches = [batch for core in cores.values() for batch in core.batches]
    start, end = min(batch[1] for batch in batches), max(batch[2] for batch in batches)
    check(device["span"] == (end - start, start, end), f"span {device['span']}")
    for what in ("batch", "inf"):
        count, seconds, rate = device[what]
        check(abs(count * 19.2e6 / (end - start) / rate - 1) < 1e-4, f"{what}/s")
        check(abs(seconds * 19.2e6 / (end - start) - 1) < 1e-4, f"seconds of {what}/s")


def check_against_trace(cores, path):
    events = trace_events.read(path)
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    shown, wanted = collections.Counter(), collections.Counter()
    for event in events:
        name = names.get((event["pid"], event["tid"]), "") if event["ph"] == "X" else ""
        match = re.fullmatch(r".*_Core_(\d+)_(HVX|HMX|DMAIssue)", name)
        kind = event.get("args", {}).get("opKind", "wait")
        if match and kind != "wait":
            shown[int(match[1]), match[2], kind] += 1
        elif "_P2P_Port_" in name and kind != "wait":
            shown[event["args"]["core"], "DMAIssue", kind] += 1
    for number, core in cores.items():
        for row in core.rows if core.threads else []:
            kind, engine = row[9].split()[:2]
            if kind not in ("sync", "barrier", "aicendcyclestats"):
                wanted[number, engine, kind] += int(row[4])
    check(not wanted or wanted == shown, f"ops: {wanted} in the text, {shown} in the trace")


def main():
    cores, device = collections.defaultdict(Core), {}
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            device["units"] = device.get("units", 0) + line.endswith(
                "; a ucycle is a tick of 19.2 MHz\n")
            take(line.rstrip("\n"), cores, device)
    check(cores, "no cores")
    check(device["units"] == 1, "the length of a ucycle is not said")
    check_cores(cores, device)
    if len(sys.argv) > 2:
        check_against_trace(cores, sys.argv[2])


if __name__ == "__main__":
    main()

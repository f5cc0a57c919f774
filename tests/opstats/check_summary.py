#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of a summary of raw stats, from its tables as JSON lines:

    check_summary.py LEVEL INFO.json SUMMARY.json"""
import json
import sys


def load(path):
    tables = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            tables.setdefault(row["table"], []).append(row)
    return tables


def check(condition, text):
    if not condition:
        sys.exit(f"check_summary: {text}")


def check_threads(tables, level):
    for row in tables["threads"]:
        check(row["ucycles"] == row["end_u"] - row["start_u"], f"span of {row}")
        if level < 70:
            check(row["utilization_percent"] is None, f"utilization of {row}")
            continue
        check(row["utilization_percent"] <= 100, f"utilization of {row}")
        if row["op_ucycles"] > 0:
            spent = sum(row[key] for key in ("op_ucycles", "sync_ucycles", "barrier_ucycles",
                                             "flush_ucycles"))
            check(spent == row["ucycles"], f"times of {row} are {spent}")


def check_cores(tables):
    threads = tables["threads"]
    device = tables["device"][0]
    for core in tables["cores"]:
        own = [row for row in threads if row["core"] == core["core"]]
        check(core["ucycles"] == max(row["ucycles"] for row in own), f"ucycles of {core}")
        mhz = core["inference_pcycles"] * 19.2 / core["ucycles"]
        check(abs(mhz - core["effective_mhz"]) < 0.01, f"frequency of {core}")
    first = min(row["start_u"] for row in threads)
    last = max(row["end_u"] for row in threads)
    check(device["ucycles"] == last - first, f"span of {device}")
    rate = device["stats_batch"] / device["seconds"]
    check(abs(rate - device["inferences_per_s"]) < 1e-6 * rate, f"rate of {device}")


def check_ops(tables, level):
    ops = tables.get("ops", [])
    if level < 50:
        check(not ops, "ops below level 50")
    if level < 70:
        check(all(row["kind"].endswith("semaphoreinc") for row in ops), f"ops {ops}")
        return
    total = {core["core"]: core for core in tables["cores"]}
    for row in ops:
        share = 100 * row["ucycles"] / total[row["core"]]["ucycles"]
        check(abs(share - row["ucycles_percent"]) < 0.01, f"share of {row}")
        is_wait = row["kind"] in ("sync", "barrier")
        check((row["pcycles"] is None) == is_wait, f"pcycles of {row}")
    check_waits(tables, ops, total)
    # One-thread engines: utilization is the sum of their ops.
    for thread in tables["threads"]:
        if thread["engine"] == "HMX":
            cycles = sum(row["pcycles"] for row in ops if row["core"] == thread["core"] and
                         row["engine"] == "HMX" and row["pcycles"] is not None and
                         row["kind"] != "aicendcyclestats")
            share = 100 * cycles / thread["pcycles"]
            check(abs(share - thread["utilization_percent"]) < 0.01, f"utilization of {thread}")


def check_waits(tables, ops, total):
    """A group waited as long as the one of its threads that did so longest: never above its time."""
    for wait in ("sync", "barrier"):
        longest = {}
        for thread in tables["threads"]:
            key = thread["core"], thread["engine"]
            longest[key] = max(longest.get(key, 0), thread[wait + "_ucycles"])
        shown = {(row["core"], row["engine"]): row["ucycles"] for row in ops if row["kind"] == wait}
        # Barriers are shown always, as the vendor does; syncs where somebody waited.
        wanted = {key: value for key, value in longest.items() if value > 0 or wait == "barrier"}
        check(shown == wanted, f"{wait}: {shown} by ops, {longest} by threads")
        check(all(value <= total[key[0]]["ucycles"] for key, value in shown.items()), f"{shown}")


def check_ports(tables, level):
    """Each thread has a line for either port of the host, and each core a doorbell."""
    if level < 50 or "_slice" in tables["device"][0]["network"]:
        return
    threads = {(row["core"], row["thread"]) for row in tables["threads"]}
    shown = [(row["core"], row["thread"], row["port"]) for row in tables["ports"]]
    check(sorted(shown) == sorted((*thread, port) for thread in threads for port in (100, 101)),
          f"ports {shown}")
    bells = [(row["core"], row["port"]) for row in tables["doorbells"]]
    check(bells == [(row["core"], 100) for row in tables["cores"]], f"doorbells {bells}")
    check(all(row["offset_ucycles"] < 0 for row in tables["doorbells"]),
          f"inputs are there before the inference: {tables['doorbells']}")
    signals = [row for row in tables["ops"] if row["kind"].endswith("semaphoreinc")]
    check(signals and all(row["pcycles"] > 0 for row in signals), f"semaphores {signals}")


def check_flush(tables, level, info):
    """Every group has a row for the writing of what its core records: all cores the whole buffer."""
    if level < 70:
        return
    sizes = {}
    for thread in tables["threads"]:
        own = [row for row in tables["ops"] if row["core"] == thread["core"] and
               row["engine"] == thread["engine"] and row["kind"] == "aicendcyclestats"]
        check(len(own) == 1 and own[0]["count"] == 1, f"flush of {thread}: {own}")
        check(own[0]["pcycles"] > 0 and own[0]["ucycles"] == thread["flush_ucycles"], f"{own}")
        sizes.setdefault(thread["core"], set()).add(own[0]["out_kb"])
    check(all(len(size) == 1 for size in sizes.values()), f"sizes {sizes}")
    if "_slice" not in tables["device"][0]["network"]:
        buffer = [row["buffer_bytes"] for row in info if row["table"] == "stats"]
        check(abs(1024 * sum(next(iter(size)) for size in sizes.values()) - buffer[0]) < 1,
              f"{sizes} of a buffer of {buffer} bytes")


def check_traffic(tables, level):
    """What is written is what stores and copies between devices write; what several cores load at
    once is read once. check_identities.py compares the exact numbers."""
    counted = {key: 1024 * sum(core[f"ddr_{key}_kb"] for core in tables["cores"])
               for key in ("read", "write")}
    device = tables["device"][0]
    check(abs(device["ddr_mb"] * 1e6 - sum(counted.values())) < 1, f"DDR of {device}: {counted}")
    if level < 70:
        return
    moved = {"read": 0, "write": 0}
    for row in tables["ops"]:
        if row["engine"] == "DMAIssue" and row["kind"] == "aiccopytovtcm":
            moved["read"] += 1024 * row["out_kb"]
        elif row["engine"] == "DMAIssue" and row["kind"] in ("aiccopyfromvtcm",
                                                             "aicmulticastvtcm_in"):
            moved["write"] += 1024 * row["out_kb"]
    check(abs(moved["write"] - counted["write"]) < 8, f"DDR: {moved} by ops, {counted} counted")
    if "_slice" not in device["network"]:
        check(counted["read"] <= moved["read"] + 8, f"DDR: {moved} by ops, {counted} counted")


def main():
    level = int(sys.argv[1])
    tables = load(sys.argv[3])
    check(tables["device"][0]["level"] == level, "level")
    check(("ports" in tables) == (level >= 50), "ports")
    check(("op_pmu" in tables) == (level >= 100), "op counters")
    check({row["name"] for row in tables["rates"]} == {"HMXActivePct", "HVXActivePct",
                                                       "DMAActivePct"}, "rates")
    check(all(0 <= row["value"] <= 100 for row in tables["rates"]), f"rates {tables['rates']}")
    check_threads(tables, level)
    check_cores(tables)
    check_ops(tables, level)
    check_traffic(tables, level)
    check_ports(tables, level)
    with open(sys.argv[2], encoding="utf-8") as file:
        check_flush(tables, level, [json.loads(line) for line in file])


if __name__ == "__main__":
    main()

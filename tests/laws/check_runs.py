#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws that hold for any model on any built-in machine, estimated or simulated:

- no transfer is faster than its engine, and all transfers together are not faster than the shared memory;
- inputs and outputs of inferences do not cross the link faster than it can carry them;
- no operator computes faster than the engines of the machine;
- the cycles of the operators add up to the total, their shares and those of the limits to 100 %;
- simulated cycles are never fewer than estimated ones, and the parts of an overview fit into the whole;
- a recorded run on this computer is not longer than the time that passed;
- a report of a run has a row for each operator and run, in one process and in several.

    check_runs.py TACHO DROPIN_DIR MODEL|DIR..."""
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

from ask import Asker

TRANSFERS = ("dma_in", "dma_out", "dma_local")
TEMPLATE = "template"
# Checks that a few small models give; fewer mean that a law looks at nothing.
AT_LEAST = {"a transfer is not faster than its engine": 100, "transfers together are not faster than the memory": 20,
            "the link is not faster than it can be": 9, "cycles of operators add up": 36, "contention makes nothing faster": 24,
            "shares of an estimate add up to 100 %": 72, "a report has a row for each operator and run": 4,
            "the last core starts and ends within the kernel": 12, "a recording is not longer than the time that passed": 3}
SLACK_NS = 2  # times are whole nanoseconds: a start and an end are rounded


def value(entry):
    return entry["value"] if isinstance(entry, dict) else entry


class Machine:
    def __init__(self, asker, name):
        self.name = name
        self.facts = json.loads(asker.run("machine", "export", name).stdout)
        clock = self.facts["core_clock_hz"]
        self.hz = value(clock) * {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}[clock["unit"]]
        self.ddr = sum(self.rate(memory) for memory in self.facts["memories"] if memory["kind"] == "ddr")

    def rate(self, entry):
        """Bytes per nanosecond of a memory or an engine that moves data."""
        return value(entry["bytes_per_cycle"]) * self.hz / 1e9

    def engine(self, kind):
        return max((self.rate(entry) for entry in self.facts["dma"] if entry["class"] == kind), default=0)

    def link(self):
        found = self.facts.get("device_link_bytes_per_cycle")
        return value(found) * self.hz / 1e9 if found else None


# ---- transfers ---------------------------------------------------------------------------------

def check_transfers(asker, machine, label, trace):
    asked = asker.tables("query", trace, "SELECT track_id, class, name, start_ns, end_ns, bytes FROM spans WHERE bytes IS NOT NULL "
                         f"AND class IN {TRANSFERS} ORDER BY start_ns")
    spans = asked["query"] if asked else []
    by_track = collections.defaultdict(list)
    for span in spans:
        by_track[span["track_id"], span["class"]].append(span)
    for (_, kind), items in by_track.items():
        limit = machine.engine(kind)
        if limit == 0:
            continue  # between local memories, where the description has no rate for that
        slow = all(item["bytes"] <= limit * (item["end_ns"] - item["start_ns"] + SLACK_NS) for item in items)
        asker.law("a transfer is not faster than its engine", slow, label, kind, limit,
                  max(items, key=lambda item: item["bytes"] / (item["end_ns"] - item["start_ns"] + SLACK_NS)))
        asker.law("an engine is not faster than it can be", within(items, limit, len(items)), label, kind, limit)
    shared = shared_traffic(spans)
    if shared:
        asker.law("transfers together are not faster than the memory", within(shared, machine.ddr, len(by_track)), label,
                  machine.ddr)


def shared_traffic(spans):
    """Transfers from and to shared memory: copies between cores are not, and a load that several cores share is one."""
    found = {}
    for span in spans:
        if span["class"] != "dma_local" and not span["name"].startswith("copy "):
            place = None if span["name"].startswith("load ") else span["track_id"]
            found[span["name"], span["start_ns"], span["end_ns"], span["bytes"], place] = span
    return list(found.values())


def within(spans, limit, slack):
    """Whether all that moves between the start of any span and the end of the last takes the time that it needs."""
    end = max(span["end_ns"] for span in spans)
    left = sum(span["bytes"] for span in spans)
    for span in sorted(spans, key=lambda each: each["start_ns"]):
        if left > limit * (end - span["start_ns"] + SLACK_NS * (1 + slack)):
            return False
        left -= span["bytes"]
    return True


# ---- estimates and runs ------------------------------------------------------------------------

def check_estimate(asker, machine, model, label):
    """The operators of the model; None where the machine cannot have it."""
    tables = asker.tables("compile", model, "-m", machine.name)
    if not tables or not tables["total"]:
        return None
    total, operators = tables["total"][0], tables["operators"]
    asker.law("cycles of operators add up", sum(row["cycles"] for row in operators) == total["cycles"], label)
    for rows in (operators, tables["bounds"]):
        if total["cycles"] > 0:
            shares = sum(row["share_percent"] for row in rows)
            asker.law("shares of an estimate add up to 100 %", abs(shares - 100) <= 0.005 * len(rows) + 0.01, label, shares)
    for row in operators:
        asker.law("no operator is faster than its engines", (row["utilisation_percent"] or 0) <= 100.005, label, row)
        moved = row["ddr_read_bytes"] + row["ddr_write_bytes"]
        asker.law("no operator is faster than the memory", moved <= machine.ddr * (row["time_ns"] + SLACK_NS), label, row)
    for row in tables["memory"]:
        asker.law("memories are large enough", row["size_bytes"] is None or row["bytes"] <= row["size_bytes"], label, row)
    return operators


def check_simulation(asker, machine, model, label, scratch):
    out = os.path.join(scratch, "run.pb")
    tables = asker.tables("run", model, "--device", f"sim:{machine.name}", "--stats-level", "70", "--profile", out, "--force",
                          "--weights", "zeros") or {}
    if not tables.get("run"):
        return
    run = tables["run"][0]
    asker.law("contention makes nothing faster", run["cycles"] >= run["estimated_cycles"], label, run)
    parts = {row["metric"]: row["time_ns"] for row in tables["overview"] if row["time_ns"] is not None}
    whole = parts.get("OVERALL", 0)
    for metric, time in parts.items():
        asker.law("parts of a run fit into it", metric == "WALL_TIME" or 0 <= time <= whole, label, metric, time, whole)
    check_transfers(asker, machine, label, out)


def check_cpu(asker, model, label):
    tables = asker.tables("run", model, "--device", "cpu", "-n", "3", "--samples", "3")
    if not tables or not tables["latency"]:
        return
    latency, wall = tables["latency"][0], tables["run"][0]["wall_ns"]
    asker.law("a recording is not longer than the time that passed", (latency["mean_ns"] - 1) * latency["runs"] <= wall, label,
              latency, wall)
    whole = [row["time_ns"] for row in tables["overview"] if row["metric"] == "OVERALL"]
    asker.law("an overview is not longer than the time that passed", all(time <= wall for time in whole), label, whole, wall)


# ---- the vendors' tools ------------------------------------------------------------------------

class DropIns:
    def __init__(self, tacho, folder, scratch):
        self.folder, self.scratch = os.path.abspath(folder), scratch
        path = ":".join((self.folder, os.path.dirname(os.path.abspath(tacho)), os.environ["PATH"]))
        self.environment = {**os.environ, "PATH": path}

    def run(self, tool, *words):
        return subprocess.run([os.path.join(self.folder, tool), *words], cwd=self.scratch, env=self.environment,
                              capture_output=True, text=True, check=False)


def io_bytes(asker, program):
    """What one inference sends, or fetches, if that is more: the link carries both at a time."""
    moved = collections.Counter()
    for row in asker.tables("info", program)["tensors"]:
        moved[row["direction"]] += row["size_bytes"]
    return max(moved.values(), default=0)


def check_link(asker, drop_ins, model, label):
    """Bytes of inputs or outputs over the total time of qaic-runner."""
    machine = Machine(asker, "aic100")
    folder = os.path.join(drop_ins.scratch, f"{label}.qpc")
    if drop_ins.run("qaic-compile", f"-model={model}", f"-aic-binary-dir={folder}").returncode != 0:
        return
    sent = io_bytes(asker, os.path.join(folder, "programqpc.bin"))
    for count in (1, 2, 10):
        done = drop_ins.run("qaic-runner", f"--test-data={folder}", f"--num-iter={count}")
        words = done.stdout.split("TotalDuration ")
        if done.returncode == 0 and len(words) > 1:
            total = int(words[1].split("us")[0])
            asker.law("the link is not faster than it can be", sent * count <= machine.link() * 1000 * (total + 1), label, count,
                      sent, total)


def check_report(asker, drop_ins, model, operators):
    """Rows of an op report: operators times runs, of one process or of two."""
    run = f"tacho run {model} --device sim:wormhole-n150 -q --stats-level 70 --weights zeros -n 2 --samples 2"
    for command, factor in ((run, 2), (f"{run}; {run}", 4)):
        out = os.path.join(drop_ins.scratch, "report.csv")
        done = drop_ins.run("tt_profile", "-q", "-o", out, command)
        if done.returncode != 0:
            return
        with open(out, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        asker.law("a report has a row for each operator and run", len(rows) == factor * len(operators), model, len(rows), factor,
                  len(operators))
        for row in rows:
            kernel, spread = int(row["DEVICE KERNEL DURATION [ns]"]), int(row["DEVICE KERNEL FIRST TO LAST START [ns]"])
            least = row["DEVICE KERNEL DURATION PER CORE MIN [ns]"]
            asker.law("the last core starts and ends within the kernel", 0 <= spread <= kernel - int(least or 0), model, row)
        os.unlink(out)


def models_of(paths):
    """The models among files, and in folders."""
    for path in map(os.path.abspath, paths):
        found = [os.path.join(path, name) for name in sorted(os.listdir(path))] if os.path.isdir(path) else [path]
        yield from (each for each in found if each.endswith((".onnx", ".mlir")))


def main():
    tacho, dropin, *models = sys.argv[1:]
    asker = Asker(tacho)
    names = [row["machine"] for row in asker.tables("machine", "list")["machines"] if row["machine"] != TEMPLATE]
    machines = [Machine(asker, name) for name in names]
    with tempfile.TemporaryDirectory(prefix="tacho-laws.") as scratch:
        drop_ins = DropIns(tacho, dropin, scratch)
        for model in models_of(models):
            for machine in machines:
                label = f"{os.path.basename(model)} on {machine.name}"
                operators = check_estimate(asker, machine, model, label)
                if operators:
                    check_simulation(asker, machine, model, label, scratch)
                    if machine.name == "wormhole-n150":
                        check_report(asker, drop_ins, model, operators)
            check_cpu(asker, model, os.path.basename(model))
            check_link(asker, drop_ins, model, os.path.basename(model))
    return asker.finish(AT_LEAST)


if __name__ == "__main__":
    sys.exit(main())

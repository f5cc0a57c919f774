#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One number, one value: what the compiler's metrics, the runner's console, summaries, traces and
roll-ups say of the same inference, on five models (and those of ../shared where it is there).

    check_identities.py BUILD_DIR

Laws, not numbers: they hold whatever the schedule is."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
BUILD = os.path.abspath(sys.argv[1])
TACHO = os.path.join(BUILD, "bin", "tacho")
RUNNER = os.path.join(BUILD, "dropin", "qaic-runner")
MODELS = ["cnn", "cnn-qdq", "mobilenet", "transformer --sequence 32",
          "gemm --m 96 --k 512 --n 1000 --constant-b"]
SHARED = ["qdq_block.onnx", "resnet18_shapes.onnx"]
WAYS = [("1", ["--cores", "1"]), ("3", ["--cores", "3"]), ("16", []),
        ("2x2", ["--cores", "2", "--devices", "2"])]
LEVELS = ["--stats-level", "70", "--ddr-stats", "--pmu-events", "3B,3C,3D,3E,A,B,3,100"]
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print(f"FAIL {text}")


def run(*words):
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode != 0:
        sys.exit(f"check_identities: {' '.join(words)}: {result.stderr.decode()}")
    return result.stdout.decode()


def tables_of(text):
    tables = {}
    for line in text.splitlines():
        row = json.loads(line)
        tables.setdefault(row.get("table", ""), []).append(row)
    return tables


def ddr_rate():
    """Bytes per second that the machine's memory gives, from its description."""
    with open(os.path.join(ROOT, "machines", "aic100.json"), encoding="utf-8") as file:
        machine = json.load(file)
    ddr = [memory for memory in machine["memories"] if memory["kind"] == "ddr"][0]
    return ddr["bytes_per_cycle"]["value"] * machine["core_clock_hz"]["value"] * 1e6


class Case:
    """One model compiled one way, run once, and everything that is said of it."""

    def __init__(self, name, model, flags, folder):
        self.name = name
        self.folder = folder
        os.makedirs(folder)
        binary = os.path.join(folder, "programqpc.bin")
        run(TACHO, "compile", model, "-m", "aic100", "-q", "-o", binary, *LEVELS, *flags)
        self.compiled = tables_of(run(TACHO, "compile", model, "-m", "aic100", "-q",
                                      "--perf-metrics", "--format", "json", *flags))
        self.console = run(RUNNER, f"--test-data={folder}", "--num-iter=3",
                           "--aic-profiling-type=raw_device_stats", "--aic-profiling-start-iter=2",
                           f"--aic-profiling-out-dir={folder}")
        opstats = [TACHO, "opstats", "-p", binary, "-i", folder, "--quiet"]
        run(*opstats, "-o", folder, "--summary", "--format", "json")
        run(*opstats, "-o", folder, "--trace", "--merge-mq-traces", "false",
            "--show-barrier-events")
        self.summaries = [self.load(path) for path in
                          sorted(glob.glob(os.path.join(folder, "*.summary.json")))]
        self.traces = []
        for path in sorted(glob.glob(os.path.join(folder, "*.trace.json"))):
            with open(path, encoding="utf-8") as file:
                self.traces.append(json.load(file)["traceEvents"])
        self.rollup = {what: [json.loads(line) for line in run(
            *opstats, "--rollup", what, "--format", "json").splitlines()]
            for what in ("core", "critical")}

        devices = {row["device"] for row in self.compiled["cores"]}
        for what, found in (("summaries", self.summaries), ("traces", self.traces)):
            self.check(len(found) == len(devices),
                       f"{len(found)} {what} of {len(devices)} devices: nothing to compare")
        self.check({row["device"] for row in self.rollup["core"]} == devices,
                   "the roll-up of cores does not have all devices")
        self.check(self.rollup["critical"], "the roll-up of the critical path is empty")

    @staticmethod
    def load(path):
        with open(path, encoding="utf-8") as file:
            return tables_of(file.read())

    def check(self, condition, text):
        check(condition, f"{self.name}: {text}")

    def metric(self, name):
        rows = [row["value"] for row in self.compiled["metrics"] if row["metric"] == name]
        self.check(len(rows) == 1, f"{len(rows)} metrics '{name}'")
        return rows[0]

    def shown(self, name, device):
        """The mean of a metric of the runner's console."""
        many = f"_Dev_{device}" if len(self.summaries) > 1 else ""
        match = re.search(rf"^{name}{many}_Func_0 +([\d.]+)", self.console, re.M)
        self.check(match, f"the console has no {name} of device {device}")
        return float(match[1]) if match else 0.0


def check_traffic(case):
    """DDR bytes of each core, device and of all: the same wherever they are said."""
    cores = {(row["device"], row["core"]): (row["ddr_read_bytes"], row["ddr_write_bytes"])
             for row in case.compiled["cores"]}
    total = [sum(values) for values in zip(*cores.values())]
    case.check(total == [case.metric("bytes read from DDR"), case.metric("bytes written to DDR")],
               f"cores' rows add up to {total}")
    moved = [row["bytes"] for row in case.compiled["memory"] if row["what"] == "read and written"]
    case.check(moved == [sum(total)], f"{moved} moved, {total} by cores")
    ops = [sum(row[key] for row in case.compiled["operators"])
           for key in ("ddr_read_bytes", "ddr_write_bytes")]
    case.check(ops == total, f"operators' rows add up to {ops}, cores' to {total}")
    limit = ddr_rate()
    for device, (summary, trace) in enumerate(zip(case.summaries, case.traces)):
        own = {core: values for (of, core), values in cores.items() if of == device}
        counted = {row["core"]: (round(row["ddr_read_kb"] * 1024), round(row["ddr_write_kb"] * 1024))
                   for row in summary["cores"]}
        case.check(counted == own, f"device {device}: {counted} recorded, {own} compiled")
        traced = {int(event["name"].split("-")[1]): (event["args"]["ddrReadBytes"],
                                                     event["args"]["ddrWriteBytes"])
                  for event in trace if re.fullmatch(r"Core-\d+-Execution", event["name"])}
        case.check(traced == own, f"device {device}: {traced} in the trace, {own} compiled")
        rolled = {row["core"]: row["ddr_bytes"] for row in case.rollup["core"]
                  if row["device"] == device}
        case.check(rolled == {core: sum(values) for core, values in own.items()},
                   f"device {device}: {rolled} in the roll-up, {own} compiled")
        row = summary["device"][0]
        everything = sum(sum(values) for values in own.values())
        case.check(abs(row["ddr_mb"] * 1e6 - everything) < 1, f"{row['ddr_mb']} MB, {everything}")
        case.check(abs(case.shown("DDRTrafficMB", device) - everything / 1e6) <= 0.00051,
                   f"console, device {device}: {everything} bytes of DDR")
        rates = [row["ddr_gb_per_s"], case.shown("DDRBandwidthGBPerSec", device)]
        rates += [core["ddr_gb_per_s"] for core in summary["cores"]]
        case.check(all(rate * 1e9 <= limit * 1.001 for rate in rates),
                   f"device {device}: {rates} GB/s of {limit / 1e9:.1f}")


def check_counters(case):
    """Cycles of a core are counted once, however many of its threads count them."""
    for device, (summary, trace) in enumerate(zip(case.summaries, case.traces)):
        cores = {row["core"]: row["inference_pcycles"] for row in summary["cores"]}
        counts, threads = {}, {}
        for row in summary["pmu"]:
            key = row["core"], row["name"]
            if row["thread"] is None:
                counts[key] = row["value"]
            else:
                threads.setdefault(key, []).append(row["value"])
        for (core, name), value in counts.items():
            own = threads[core, name]
            match = re.match(r"CYCLES_(\d)_THREAD", name)
            if name.endswith("_ACTIVE"):  # cycles in which any of the threads is active
                is_right = max(own) <= value <= sum(own)
            else:
                is_right = value == sum(own) // (int(match[1]) if match else 1)
            case.check(is_right,
                       f"device {device}, core {core}: {name} is {value}, of threads {own}")
            if name != "COMMITTED_PKT_ANY":
                case.check(value <= cores[core], f"{name} is {value} of {cores[core]} cycles")
        for core, cycles in cores.items():
            running = {int(name[7]): value for (of, name), value in counts.items()
                       if of == core and name.endswith("_THREAD_RUNNING")}
            case.check(sum(running.values()) <= cycles, f"core {core}: {running} of {cycles}")
            packets = sum(count * value for count, value in running.items())
            case.check(packets == counts[core, "COMMITTED_PKT_ANY"], f"core {core}: {packets}")
        shown = {int(event["name"].split("-")[1]): event["args"]["PMU_0x3C"] for event in trace
                 if re.fullmatch(r"Core-\d+-Execution", event["name"])}
        case.check(shown == {core: counts[core, "CYCLES_2_THREAD_RUNNING"] for core in cores},
                   f"device {device}: {shown} in the trace")


def check_flush(case):
    """The console leaves out writing the stats, summaries include it, and say how long it took."""
    for device, summary in enumerate(case.summaries):
        row = summary["device"][0]
        work = (row["ucycles"] - row["flush_ucycles"]) / 19.2
        case.check(abs(case.shown("ExecTimeUs", device) - work) < 0.001,
                   f"device {device}: the summary says {work} us without the flush")
        case.check(abs(case.shown("DDRBandwidthGBPerSec", device) - row["ddr_gb_per_s"]) < 0.01,
                   f"device {device}: {row['ddr_gb_per_s']} GB/s in the summary")
        for wait in ("Input", "Output"):
            ticks = row[f"max_{wait.lower()}_wait_ucycles"]
            case.check(abs(case.shown(f"{wait}WaitTimeUs", device) - ticks / 19.2) < 0.001,
                       f"device {device}: {wait} wait of {ticks} ucycles")
    last = max(core["work_ucycles"] for core in case.rollup["core"])
    path = sum(row["ucycles"] for row in case.rollup["critical"])
    case.check(path == last, f"the critical path takes {path} of {last}")


def check_barriers(case):
    """Where several cores share an operator, each that has a part waits for the others."""
    for device, (summary, trace) in enumerate(zip(case.summaries, case.traces)):
        rows = {(row["core"], row["engine"]): row for row in summary["ops"]
                if row["kind"] == "barrier"}
        groups = {(row["core"], row["engine"]) for row in summary["threads"]}
        case.check(set(rows) == groups, f"device {device}: barriers of {set(rows)}, not {groups}")
        if len(summary["cores"]) == 1:
            continue
        for core in summary["cores"]:
            own = [row for row in rows.values() if row["core"] == core["core"]]
            worked = any(row["core"] == core["core"] and row["memory"] == "TCM"
                         for row in summary["ops"])
            case.check(not worked or any(row["count"] > 0 for row in own),
                       f"device {device}: core {core['core']} never met the others")
        case.check(any(event["name"].startswith("barrier ") for event in trace),
                   f"device {device}: no barrier in the trace")


def make_models(folder):
    for words in MODELS:
        path = os.path.join(folder, words.split()[0] + ".onnx")
        run(sys.executable, os.path.join(ROOT, "tools", "make_models.py"), *words.split(), "-o", path)
        yield words.split()[0], path
    for name in SHARED:
        path = os.path.join(ROOT, "..", "shared", "data", "models", name)
        if os.path.exists(path):
            yield name, path


def check_host(folder):
    """What the host does: it sends, the device waits or not, it fetches; all times on one clock."""
    models = {"input": "gemm --m 64 --k 1024 --n 1024", "output": "gemm --m 1024 --k 8 --n 1024",
              "neither": "transformer --sequence 32"}
    for bound, words in models.items():
        model, work = os.path.join(folder, bound + ".onnx"), os.path.join(folder, bound)
        run(sys.executable, os.path.join(ROOT, "tools", "make_models.py"), *words.split(), "-o", model)
        os.makedirs(work)
        run(TACHO, "compile", model, "-m", "aic100", "-q", "-o", os.path.join(work, "programqpc.bin"),
            "--stats-level", "50", "--cores", "16")
        types = [f"--aic-profiling-type={word}" for word in ("stats", "latency")]
        run(RUNNER, f"--test-data={work}", "--num-iter=8", *types, f"--aic-profiling-out-dir={work}",
            "--aic-profiling-num-samples=8")
        with open(glob.glob(os.path.join(work, "*latency.txt"))[0], encoding="utf-8") as file:
            lines = file.read().splitlines()
        names = lines[5].split(",")
        rows = [dict(zip(names, line.split(","))) for line in lines[6:]]
        check(len(rows) == 8, f"{bound}: {len(rows)} rows of latency")
        for row in rows:
            value = {name: float(text) for name, text in row.items() if text != "N/A"}
            stages = [value.get(name, 0) for name in ("enqTimeUs", "preProcTimeUs", "submitTimeUs",
                                                      "execTotalUs", "postProcUs")]
            parts = value["exectoVcUs"] + value["execToCompleteUs"]
            check(abs(value["execTotalUs"] - parts) < 0.0005, f"{bound}: execTotalUs of {row}")
            check(abs(value["totalRoundtripTimeUs"] - sum(stages)) < 0.0005, f"{bound}: {row}")
            check(value["execToCompleteUs"] > value["devExecUs"], f"{bound}: outputs cost nothing")
        waits = [(float(row["devInWaitTimeUs"]), float(row["devOutWaitTimeUs"])) for row in rows]
        check(waits[0][0] > 0, f"{bound}: the first inputs came at no time: {waits}")
        late = [any(wait[i] > 0 for wait in waits[4:]) for i in range(2)]
        check(late == [bound == "input", bound == "output"], f"{bound}-bound: waits {waits}")
        with open(sorted(glob.glob(os.path.join(work, "*-inf-*.txt")))[0], encoding="utf-8") as file:
            shown = re.findall(r"^host (\w+): (\S+)$", file.read(), re.M)
        check(dict(shown) == {name: rows[0][name] for name, _ in shown} and len(shown) == 9,
              f"{bound}: the summary's host stages {shown}, {rows[0]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        count = 0
        for model, path in list(make_models(folder)):
            for way, flags in WAYS:
                name = f"{model} on {way}"
                case = Case(name, path, flags, os.path.join(folder, model + "-" + way))
                for law in (check_traffic, check_counters, check_flush, check_barriers):
                    law(case)
                count += 1
        check_host(folder)
    print(f"identities: {count} programs, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of steps, over every trace at hand and over pipelines made at random. For each device:

- steps do not overlap, and the sum of their times is at most the recording's length;
- a step is busy for at most its time, and its work is within it;
- the work of each step is what its launches started, as 'ops --by step' counts it;
- the typical step of 'diff' is that of 'breakdown', and both leave out the same steps.

    check_steps.py TACHO SCRATCH ROOT        what the tree holds and makes
    check_steps.py TACHO --real FOLDER...    real traces, where there are any"""
import glob
import json
import os
import random
import subprocess
import sys
from collections import defaultdict

ALL = ["--top", "10000"]


def ask(tacho, verb, *arguments):
    """Tables of rows; None where tacho does not answer, such as for a file without work."""
    done = subprocess.run([tacho, verb, *arguments, "-q", "--format", "json"], capture_output=True,
                          check=False)
    if done.returncode not in (0, 3, 5):
        return None
    tables = defaultdict(list)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        tables[row["table"]].append(row)
    return tables


def check(condition, path, law, *evidence):
    if not condition:
        sys.exit(f"{path}: {law}: {evidence}")


def check_times(path, steps, length_ns):
    """Of one device."""
    steps.sort(key=lambda step: step["start_ns"])
    for step, following in zip(steps, steps[1:]):
        check(step["start_ns"] + step["time_ns"] <= following["start_ns"], path, "steps overlap",
              step, following)
    check(sum(step["time_ns"] for step in steps) <= length_ns, path,
          "steps are longer than the recording", length_ns, steps)
    for step in steps:
        check(0 <= step["busy_ns"] <= step["time_ns"] and
              (step["device_time_ns"] or 0) <= step["time_ns"], path, "busy beyond the step", step)
        check(step["launch_count"] <= step["work_count"], path, "launches without work", step)


def check_launches(tacho, path, steps):
    """The work of all devices by step, counted in another way."""
    found = {row["step"]: row["work_count"] or 0
             for row in ask(tacho, "ops", "--by", "step", "--top", "0", path)["groups"]
             if row["step"] != "(no step)"}
    counts = defaultdict(int)
    for step in steps:
        counts[step["step"]] += step["work_count"]
    check({name: count for name, count in found.items() if count > 0} ==
          {name: count for name, count in counts.items() if count > 0}, path,
          "work is not what was launched", found, dict(counts))


def check_diff(tacho, path, statistics):
    """Of a file with one device."""
    tables = ask(tacho, "diff", path, path)
    side = tables["sides"][0] if tables is not None else {"sample_kind": "files"}
    if side["sample_kind"] == "files":
        return 0
    mine = (side["samples"], side["total_ns"])
    check(mine == (statistics["step_count"], statistics["mean_ns"]), path,
          "diff and breakdown see other steps", mine, statistics)
    return 1


def check_file(tacho, path):
    """How many steps were checked, and how many typical ones."""
    tables = ask(tacho, "breakdown", *ALL, path)
    if not tables or not tables["steps"]:
        return 0, 0
    length_ns = sum(row["span_ns"] for row in ask(tacho, "info", path)["inputs"])
    devices = defaultdict(list)
    for step in tables["steps"]:
        devices[step["device"], step["origin"]].append(step)
    kinds = {row["kind"] for row in tables["step_statistics"]}
    is_listed = len(tables["steps"]) == sum(
        row["step_count"] + row["warm_up_count"] for row in tables["step_statistics"]) + sum(
            step["warm_up"] == "stop" for step in tables["steps"])
    for steps in devices.values():
        if kinds != {"run"}:  # inferences of one program may be under way at a time
            check_times(path, steps, length_ns)
    if is_listed and "run" not in kinds:
        check_launches(tacho, path, tables["steps"])
    is_one = len(tables["step_statistics"]) == 1 and kinds != {"run"}
    return len(tables["steps"]), (check_diff(tacho, path, tables["step_statistics"][0])
                                  if is_one else 0)


class Pipeline:
    """A host that runs ahead of streams, each of which runs what it is given in order."""

    def __init__(self, chance):
        self.chance = chance
        self.events, self.now, self.free = [], 1000.0, defaultdict(lambda: 1000.0)
        self.number = 0

    def add(self, category, name, pid, tid, start, length, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
                            "ts": round(start, 3), "dur": round(length, 3), "args": arguments})

    def launch(self, stream, lengths, is_known=True):
        """One call; several kernels are a graph."""
        self.number += 1
        if is_known:
            self.add("cuda_runtime", "cudaLaunchKernel" if len(lengths) == 1 else "cudaGraphLaunch",
                     900, 990, self.now, 1, correlation=self.number)
        for length in lengths:
            start = max(self.free[stream], self.now + 3)
            self.add("kernel", f"kernel{len(lengths)}", 0, stream, start, length,
                     correlation=self.number)
            self.free[stream] = start + length + 0.5
        self.now += 2

    def run(self):
        chance = self.chance
        is_slow = chance.random() < 0.5
        for _ in range(chance.choice([0, 30])):  # from before the recording
            self.launch(7, [20], is_known=False)
        for number in range(chance.randint(2, 8)):
            start = self.now
            for _ in range(chance.randint(5, 30)):
                graph = chance.choice([1, 1, 1, 10])
                self.launch(chance.choice([7, 7, 7, 8]),
                            [chance.uniform(1, 20 if is_slow else 2)] * graph)
            if chance.random() < 0.3:  # the host waits
                self.now = max(self.now, *self.free.values())
            if number == 0 and chance.random() < 0.3:
                self.now += 500
            self.add("user_annotation", f"ProfilerStep#{number}", 900, 990, start, self.now - start)
            self.now += chance.choice([0, 1, 40])
        return self.events


def own_files(scratch, root):
    os.makedirs(scratch, exist_ok=True)
    example = [sys.executable, os.path.join(root, "tools", "example_trace.py"), scratch]
    subprocess.run(example, check=True)
    files = [os.path.join(scratch, name) for name in ("before.json", "after.json")]
    for folder in ("samples", "tests/data/chrome", "tests/data/tenstorrent", "tests/data/torq",
                   "tests/data/perfetto", "tests/data/captures"):
        files += sorted(path for path in glob.glob(os.path.join(root, folder, "**"), recursive=True)
                        if os.path.isfile(path))
    for turn in range(40):
        path = os.path.join(scratch, f"pipeline{turn}.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"traceEvents": Pipeline(random.Random(turn)).run()}, out)
        files.append(path)
    return files


def main():
    tacho, arguments = sys.argv[1], sys.argv[2:]
    if arguments[0] == "--real":
        files = sorted(path for folder in arguments[1:]
                       for path in glob.glob(os.path.join(folder, "*.json*")))
        if not files:
            print("skip: no real traces here")
            sys.exit(77)
    else:
        files = own_files(*arguments)
    sums = [check_file(tacho, path) for path in files]
    step_count, typical_count = (sum(column) for column in zip(*sums))
    check(step_count > 50 and typical_count > 20, "all files", "too few steps", sums)
    print(f"{step_count} steps of {len(files)} files keep their laws; {typical_count} files are "
          f"the same for diff")


if __name__ == "__main__":
    main()

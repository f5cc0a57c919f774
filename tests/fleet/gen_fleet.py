#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the profiles of a job on many hosts, as PyTorch's profiler would.

    gen_fleet.py DIR [--hosts 64] [--devices 8] [--steps 4] [--ops 20] [--damage] [--gzip]

Each rank has a file DIR/run=R/host=nNN/rank=K/trace.json with marked steps, operators and launches
on the host, and kernels and an all-reduce per layer on the device. One rank (the straggler) takes
longer for its kernels, so the others wait for it in every all-reduce. With --damage, the file of
one rank is cut, one appears twice, one has a clock that is an hour ahead, one is missing, and one
was written by another version.

Everything is a function of the arguments. What must come out is written to DIR/.expected.json:
sums by operation, steps and waits, added up here and not by tacho.
"""
import argparse
import gzip
import json
import os
import random
from collections import defaultdict

BASE_NS = 1_700_000_000_000_000_000
KERNELS = ["gemm_128x64", "softmax_warp", "layer_norm", "gelu_forward", "add_bias", "copy_kernel"]


def us(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def event(name, category, pid, tid, start, end, **args):
    text = json.dumps(args)
    return (f'{{"ph":"X","cat":"{category}","name":"{name}","pid":{pid},"tid":{tid},'
            f'"ts":{us(start)},"dur":{us(end - start)},"args":{text}}}')


class Job:
    """Times of all ranks: kernels are drawn at random, collectives end together."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.world = chosen.hosts * chosen.devices
        self.straggler = self.world // 3
        self.clock = [0] * self.world
        self.random = random.Random(chosen.seed)

    def layers(self):
        return range(max(1, self.chosen.ops // len(KERNELS)))

    def step(self, number):
        """For each rank: start, end and the kernels of the step."""
        ranks = []
        for rank in range(self.world):
            ranks.append({"start": self.clock[rank], "work": []})
        for layer in self.layers():
            arrivals = []
            for rank in range(self.world):
                at = self.clock[rank]
                for name in KERNELS:
                    length = 2000 + self.random.randrange(8000)
                    if rank == self.straggler:
                        length += 5000
                    ranks[rank]["work"].append((name, at, at + length, None))
                    at += length + 500
                arrivals.append(at)
            last = max(arrivals) + 4000
            ends = [last + self.random.randrange(300) for _ in arrivals]
            sequence = number * len(self.layers()) + layer
            for rank in range(self.world):
                ranks[rank]["work"].append(("ncclDevKernel_AllReduce_Sum_f32", arrivals[rank],
                                            ends[rank], sequence))
                self.clock[rank] = ends[rank] + 1000
        for rank in range(self.world):
            ranks[rank]["end"] = self.clock[rank]
        return ranks


def head(rank, world, version):
    return (f'{{"schemaVersion":1,"distributedInfo":{{"backend":"nccl","rank":{rank},'
            f'"world_size":{world}}},"cuda_runtime_version":{version},'
            f'"deviceProperties":[{{"id":0,"name":"Test GPU"}}],"traceEvents":[\n')


def write_events(out, rank, steps, base):
    """The events of one rank; |steps| are what Job.step gave for it, with its numbers."""
    correlation = 1
    separator = ""
    for number, step in steps:
        out.write(separator + event(f"ProfilerStep#{number}", "user_annotation", 100, 100,
                                    base + step["start"], base + step["end"]))
        separator = ",\n"
        for name, start, end, sequence in step["work"]:
            launch = base + start - 1500
            out.write(separator + event("cudaLaunchKernel", "cuda_runtime", 100, 100, launch,
                                        launch + 400, correlation=correlation))
            args = {"stream": 7, "correlation": correlation}
            if sequence is not None:
                args.update({"Collective name": "allreduce", "Process Group Name": "0",
                             "Seq": sequence, "Group size": 8})
            out.write(separator + event(name, "kernel", 0, 7, base + start, base + end, **args))
            correlation += 1
    out.write(",\n" + '{"ph":"M","name":"process_labels","pid":0,"args":{"labels":"GPU 0"}}')


def add_up(expected, rank, number, step):
    for name, start, end, _ in step["work"]:
        row = expected["ops"][name]
        row[0] += 1
        row[1] += end - start
        row[2] = min(row[2], end - start)
        row[3] = max(row[3], end - start)
    expected["steps"][number].append((step["end"] - step["start"], rank))


def finish(expected):
    return {"ops": dict(expected["ops"]),
            "steps": {str(number): [max(step)[0], min(step)[0], len(step)]
                      for number, step in expected["steps"].items()},
            "caused": {str(rank): row for rank, row in expected["caused"].items()}}


def blame(expected, calls):
    """Who came last in each collective, and how long the others waited for it."""
    for lengths in calls.values():
        if len(lengths) > 1:
            least, rank = min(lengths)
            row = expected["caused"][rank]
            row[0] += 1
            row[1] += sum(length - least for length, _ in lengths)


def damage_of(chosen, world):
    """What is wrong with which rank."""
    if not chosen.damage:
        return {}
    return {1: "cut", 2: "copy", world // 2: "skewed", world - 2: "missing", world - 1: "version"}


def place_of(chosen, rank):
    host = rank // chosen.devices
    return os.path.join(chosen.folder, f"run={chosen.run}", f"host=n{host:02d}", f"rank={rank}")


def write_rank(chosen, rank, world, steps, problem):
    base = BASE_NS + (3_600_000_000_000 if problem == "skewed" else 0)
    folder = place_of(chosen, rank)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "trace.json" + (".gz" if chosen.gzip else ""))
    opened = gzip.open(path, "wt", compresslevel=1) if chosen.gzip else open(path, "w", encoding="utf-8")
    with opened as out:
        out.write(head(rank, world, 11000 if problem == "version" else 12000))
        write_events(out, rank, steps, base)
        out.write('\n],"baseTimeNanoseconds":0,"traceName":"trace.json"}\n')
    if problem == "copy":
        copy = os.path.join(folder, "copied.json" + (".gz" if chosen.gzip else ""))
        with open(path, "rb") as source, open(copy, "wb") as target:
            target.write(source.read())
    if problem == "cut":
        os.truncate(path, os.path.getsize(path) * 2 // 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--hosts", type=int, default=64)
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--ops", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", default="r1")
    parser.add_argument("--damage", action="store_true")
    parser.add_argument("--gzip", action="store_true")
    chosen = parser.parse_args()
    job = Job(chosen)
    steps = [job.step(number) for number in range(chosen.steps)]
    problems = damage_of(chosen, job.world)
    expected = {"ops": defaultdict(lambda: [0, 0, 1 << 62, 0]), "steps": defaultdict(list),
                "caused": defaultdict(lambda: [0, 0])}
    calls = defaultdict(list)
    for rank in range(job.world):
        if problems.get(rank) == "missing":
            continue
        own = [(number, step[rank]) for number, step in enumerate(steps)]
        write_rank(chosen, rank, job.world, own, problems.get(rank))
        if problems.get(rank) == "cut":
            continue # what is left of it is not known here
        for number, step in own:
            add_up(expected, rank, number, step)
            for _, start, end, sequence in step["work"]:
                if sequence is not None:
                    calls[sequence].append((end - start, rank))
    blame(expected, calls)
    result = finish(expected)
    result["straggler"] = job.straggler
    result["problems"] = {str(rank): problem for rank, problem in problems.items()}
    with open(os.path.join(chosen.folder, ".expected.json"), "w", encoding="utf-8") as out:
        json.dump(result, out)


if __name__ == "__main__":
    main()

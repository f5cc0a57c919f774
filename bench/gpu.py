#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a capture of CUDA sees and costs, on a computer with an NVIDIA GPU, PyTorch, torchvision and transformers:

    bench/gpu.py build/bin/tacho [--counts] [--cost] [--rival] [--facts] [--pairs 20]

Counts: kernels, copies and their time in the measured steps of each program, by torch.profiler in one run and by
'tacho profile' at level 70 in another. Cost: the median step of five processes, one alone, one at level 40, one at
level 70, one under torch.profiler and one with CUPTI alone, which take turns at the GPU: CUPTI times kernels there, and
nobody reads what it writes, so no profiler costs less. Rival: torch.profiler inside a captured program.
Facts: what level 100 adds. Without options: all four, in about five minutes.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

COUNTED = ("layers", "graph", "resnet50", "bert", "gpt2")
RIVAL_PARTS = ("before", "within", "after", "later")
PAUSE_S = 0.01  # on both sides of what is measured: clocks of GPU and host differ by microseconds


# ---- programs, in processes of their own -------------------------------------------------------


def make_layers(torch):
    """Twenty small layers: the GPU waits for launches."""
    layers = [torch.nn.Linear(256, 256) for _ in range(20)]
    model = torch.nn.Sequential(*(part for layer in layers for part in (layer, torch.nn.ReLU()))).cuda()
    data = torch.randn(32, 256, device="cuda")
    return lambda: model(data)


def make_graph(torch):
    step = make_layers(torch)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def make_resnet50(torch):
    import torchvision
    model = torchvision.models.resnet50().half().cuda().eval()
    data = torch.randn(64, 3, 224, 224, device="cuda", dtype=torch.float16)
    return lambda: model(data)


def make_bert(torch):
    import transformers
    model = transformers.BertModel(transformers.BertConfig()).half().cuda().eval()
    data = torch.randint(0, 30000, (8, 128), device="cuda")
    return lambda: model(data)


def make_gpt2(torch):
    """Sixteen tokens, one at a time, with a cache of keys and values."""
    import transformers
    config = transformers.GPT2Config()
    model = transformers.GPT2LMHeadModel(config).half().cuda().eval()
    prompt = torch.randint(0, config.vocab_size, (1, 64), device="cuda")

    def decode():
        past, token = None, prompt
        for _ in range(16):
            out = model(token, past_key_values=past, use_cache=True)
            past, token = out.past_key_values, out.logits[:, -1:].argmax(-1)
    return decode


def make_million(torch):
    data = torch.zeros(32, device="cuda")

    def launch():
        for _ in range(1000):
            data.add_(1)
    return launch


STEPS = {"layers": 500, "graph": 500, "resnet50": 20, "bert": 20, "gpt2": 3, "million": 1000}
TURN_STEPS = {"layers": 200, "resnet50": 30}


def run_steps(torch, step, count):
    """The median step in milliseconds."""
    took = []
    for _ in range(count):
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        took.append(time.perf_counter() - begin)
    return statistics.median(took) * 1e3


def warm(torch, name):
    step = globals()[f"make_{name}"](torch)
    for _ in range(5):
        step()
    torch.cuda.synchronize()
    return step


def run_program(name, is_profiled, trace):
    import torch
    with torch.no_grad():
        step = warm(torch, name)
        profiler = torch.profiler.profile() if is_profiled else None
        if profiler:
            profiler.__enter__()
        torch.cuda.nvtx.range_push("measured")
        time.sleep(PAUSE_S)
        took = run_steps(torch, step, STEPS[name])
        time.sleep(PAUSE_S)
        torch.cuda.nvtx.range_pop()
        if profiler:
            profiler.__exit__(None, None, None)
    if trace:
        profiler.export_chrome_trace(trace)
    print(json.dumps({"step_ms": took}))


def run_turns(name, is_profiled):
    """Some steps for each line that is read, and their median as an answer."""
    import torch
    with torch.no_grad():
        step = warm(torch, name)
        print("{}", flush=True)
        for _ in sys.stdin:
            step()
            torch.cuda.synchronize()
            if is_profiled:
                with torch.profiler.profile():
                    took = run_steps(torch, step, TURN_STEPS[name])
            else:
                took = run_steps(torch, step, TURN_STEPS[name])
            print(json.dumps({"step_ms": took}), flush=True)


def run_rival():
    """Ten steps, ten under torch.profiler, and twice ten again, each with its mark."""
    import torch
    with torch.no_grad():
        step = warm(torch, "layers")
        seen = {}
        for part in RIVAL_PARTS:
            profiler = torch.profiler.profile() if part == "within" else None
            if profiler:
                profiler.__enter__()
            torch.cuda.nvtx.range_push(part)
            time.sleep(PAUSE_S)
            run_steps(torch, step, 10)
            time.sleep(PAUSE_S)
            torch.cuda.nvtx.range_pop()
            if profiler:
                profiler.__exit__(None, None, None)
                kinds = [event.device_type() for event in profiler.profiler.kineto_results.events()]
                seen["kernels"] = sum(1 for kind in kinds if "CUDA" in str(kind))
            time.sleep(1)  # the capture waits until the program leaves CUPTI alone
    print(json.dumps(seen))


def run_facts():
    import torch
    stream = torch.cuda.Stream(priority=-1)
    with torch.cuda.stream(stream):
        for _ in range(2000):
            data = torch.randn(512, 512, device="cuda")
            data = data @ data
    torch.cuda.synchronize()
    del data
    torch.cuda.empty_cache()


# ---- measuring ---------------------------------------------------------------------------------


def words_of(tacho, level, capture):
    return [tacho, "profile", "--stats-level", str(level), "-o", capture, "--"] if level else []


def start(words, name, *more, **environment):
    done = subprocess.run([*words, sys.executable, os.path.abspath(__file__), "--program", name, *more],
                          capture_output=True, text=True, check=False, env=dict(os.environ, **environment))
    if done.returncode != 0:
        sys.exit(f"{name}: exit {done.returncode}: {done.stderr[-2000:]}")
    line = next((line for line in done.stdout.splitlines() if line.startswith("{")), "{}")
    return json.loads(line)


def rows_of(tacho, capture, sql):
    done = subprocess.run([tacho, "query", capture, "--csv", "-q", sql], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"query: {done.stderr}")
    return [row[1:] for row in csv.reader(done.stdout.splitlines()[1:])]  # the first names the table


def count_by_torch(name, folder):
    trace = os.path.join(folder, f"{name}.json")
    start([], name, "--torch", trace)
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    kernels = [e for e in events if e.get("cat") == "kernel"]
    copies = [e for e in events if e.get("cat") in ("gpu_memcpy", "gpu_memset")]
    return len(kernels), len(copies), sum(e["dur"] for e in kernels) / 1e3


def count_by_tacho(tacho, name, folder):
    capture = os.path.join(folder, f"{name}.tacho")
    start(words_of(tacho, 70, capture), name)
    (begin, end), = rows_of(tacho, capture, "select start_ns, end_ns from spans where name = 'measured'")
    inside = ("select category, count(*), sum(duration_ns) from spans where category in ('op', 'transfer')"
              f" and start_ns >= {begin} and start_ns < {end} group by category")
    found = {row[0]: (int(row[1]), int(row[2])) for row in rows_of(tacho, capture, inside)}
    lost = rows_of(tacho, capture, "select coalesce(sum(count), 0) from loss")
    kernels, copies = found.get("op", (0, 0)), found.get("transfer", (0, 0))
    return kernels[0], copies[0], kernels[1] / 1e6, int(lost[0][0]), os.path.getsize(capture)


def show_counts(tacho, folder):
    print("program     kernels, torch  tacho  copies, torch  tacho  kernel ms, torch     tacho  differ    lost")
    for name in COUNTED:
        torch, ours = count_by_torch(name, folder), count_by_tacho(tacho, name, folder)
        print(f"{name:12}{torch[0]:14,}{ours[0]:7,}{torch[1]:15,}{ours[1]:7,}{torch[2]:18.3f}{ours[2]:10.3f}"
              f"{(ours[2] / torch[2] - 1) * 100:7.2f} %{ours[3]:6}", flush=True)
    ours = count_by_tacho(tacho, "million", folder)
    print(f"a million launches: {ours[0]:,} kernels, {ours[3]} lost, {ours[4] / 1e6:.0f} MB", flush=True)
    capture = os.path.join(folder, "two.tacho")
    start(words_of(tacho, 70, capture), "two")
    for row in rows_of(tacho, capture, "select process, count(*) from spans where category = 'op' group by 1"):
        print("two processes:", *row, "kernels", flush=True)


BARE = r"""
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
static void request(uint8_t **buffer, size_t *size, size_t *records)
{
    *size = 4 << 20;
    *records = 0;
    *buffer = aligned_alloc(8, *size);
}
static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    free(buffer);
}
int InitializeInjection(void)
{
    void *library = dlopen("libcupti.so.13", RTLD_NOW);
    library = library ? library : dlopen("libcupti.so.12", RTLD_NOW);
    library = library ? library : dlopen("libcupti.so", RTLD_NOW);
    int (*start)(void *, void *) = dlsym(library, "cuptiActivityRegisterCallbacks");
    int (*enable)(uint32_t) = dlsym(library, "cuptiActivityEnable");
    return start((void *)request, (void *)complete) == 0 && enable(10) == 0;
}
"""


def build_bare(folder):
    """A library that has CUPTI time kernels and does nothing with it."""
    source, library = os.path.join(folder, "bare.c"), os.path.join(folder, "bare.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(BARE)
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-w", source, "-o", library, "-ldl"], check=True)
    return library


class Worker:
    """A process that runs steps when it is told to."""

    def __init__(self, words, name, *more, **environment):
        words = [*words, sys.executable, os.path.abspath(__file__), "--program", name, "--turns", *more]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=dict(os.environ, **environment))

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        sys.exit(f"a process ended: {self.process.wait()}")

    def step_ms(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.answer()["step_ms"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def show_cost(tacho, folder, pairs):
    print(f"\nprogram     mode          median step    smallest   largest    more: median of {pairs} pairs (quartiles)")
    for name in TURN_STEPS:
        modes = {"alone": 0, "level 40": 40, "level 70": 70, "torch.profiler": 0, "bare CUPTI": 0}
        workers = {mode: Worker(words_of(tacho, level, os.path.join(folder, f"{level}.tacho")), name)
                   for mode, level in modes.items() if level > 0 or mode == "alone"}
        workers["torch.profiler"] = Worker([], name, "--torch", "")
        workers["bare CUPTI"] = Worker([], name, CUDA_INJECTION64_PATH=build_bare(folder))
        for worker in workers.values():
            worker.answer()
            worker.step_ms()
        steps = {mode: [] for mode in modes}
        for i in range(pairs):
            for mode in list(modes) if i % 2 else reversed(modes):
                steps[mode].append(workers[mode].step_ms())
        for worker in workers.values():
            worker.end()
        for mode, took in steps.items():
            low, middle, high = statistics.quantiles([(b / a - 1) * 100 for a, b in zip(steps["alone"], took)], n=4)
            print(f"{name:12}{mode:16}{statistics.median(took):10.4f} ms{min(took):12.4f}{max(took):10.4f}"
                  f"{middle:10.2f} % ({low:.2f} to {high:.2f})", flush=True)


def show_rival(tacho, folder):
    capture = os.path.join(folder, "rival.tacho")
    seen = start(words_of(tacho, 70, capture), "rival")
    print(f"\ntorch.profiler in a captured program: it saw {seen['kernels']} kernels and copies; tacho:")
    for part in RIVAL_PARTS:
        for row in rows_of(tacho, capture, "select count(*) from spans s, (select start_ns a, end_ns b from spans where"
                           f" name = '{part}') where category = 'op' and s.start_ns >= a and s.start_ns < b"):
            print("  ", part, *row, "kernels", flush=True)


def show_facts(tacho, folder):
    capture = os.path.join(folder, "facts.tacho")
    start(words_of(tacho, 100, capture), "facts", PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync")
    print("\nlevel 100:")
    for row in rows_of(tacho, capture, "select name, count(*), min(value), max(value), unit from counters"
                       " where name like 'GPU%' group by 1"):
        print("  ", *row)
    for row in rows_of(tacho, capture, "select key, value, count(*) from args where key in ('priority', 'text')"
                       " group by 1, 2 limit 9"):
        print("  ", *row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tacho", nargs="?")
    for part in ("counts", "cost", "rival", "facts"):
        parser.add_argument(f"--{part}", action="store_true")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--torch", help=argparse.SUPPRESS)
    parser.add_argument("--turns", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.program == "two":
        words = [sys.executable, os.path.abspath(__file__), "--program", "layers"]
        for child in [subprocess.Popen(words) for _ in range(2)]:
            child.wait()
    elif options.program == "facts":
        run_facts()
    elif options.program == "rival":
        run_rival()
    elif options.turns:
        run_turns(options.program, options.torch is not None)
    elif options.program:
        run_program(options.program, options.torch is not None, options.torch)
    else:
        is_all = not (options.counts or options.cost or options.rival or options.facts)
        with tempfile.TemporaryDirectory(prefix="tacho-gpu.") as folder:
            if is_all or options.counts:
                show_counts(options.tacho, folder)
            if is_all or options.facts:
                show_facts(options.tacho, folder)
            if is_all or options.rival:
                show_rival(options.tacho, folder)
            if is_all or options.cost:
                show_cost(options.tacho, folder, options.pairs)


main()

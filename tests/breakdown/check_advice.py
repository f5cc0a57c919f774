#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Composed training runs: healthy ones get no advice, and each disease gets its own.

    check_advice.py TACHO SCRATCH [SEED]

A run is steps of operators with one kernel each, launched ahead of the device. A disease changes one
thing in it; the rule that names it has to come first, or second behind the one that contains it.
"""

import json
import os
import random
import subprocess
import sys

HOST, GPU, STREAM = 9, 0, 7
HALF = "nvjet_sm90_tst_128x128_64x5_1x2_h_bz_NNT"
ELEMENT = "void at::native::vectorized_elementwise_kernel<8, at::native::Add<c10::BFloat16> >(int)"
CAST = ("void at::native::vectorized_elementwise_kernel<8, "
        "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}>(int)")
NORM = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<{}, float>(int)"
LAYOUT = "void cudnn::engines_precompiled::nchwToNhwcKernel<__half, __half>(int)"
SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16>(int)"
SGEMM = "ampere_sgemm_128x64_nn"
ADAM = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedAdam<4> >(int)"


class Trace:
    """Events of a host and a GPU; times are in us."""

    def __init__(self, launch_us):
        self.events, self.host, self.gpu, self.number = [], 0.0, 0.0, 0
        self.launch_us = launch_us

    def span(self, cat, name, start, end, **args):
        on_gpu = cat in ("kernel", "gpu_memcpy")
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": GPU if on_gpu else HOST,
                            "tid": STREAM if on_gpu else 1, "ts": round(start, 3),
                            "dur": round(end - start, 3), "args": args})

    def launch(self, operator, name, length, cat="kernel", around=()):
        """An operator, or a range of several names around it, and what it launches."""
        start = self.host
        self.number += 1
        call = "cudaMemcpyAsync" if cat == "gpu_memcpy" else "cudaLaunchKernel"
        self.host += self.launch_us
        for outer in (*around, operator):
            self.span("cpu_op", outer, start, self.host)
        self.span("cuda_runtime", call, self.host - 4, self.host - 0.1, correlation=self.number)
        begin = max(self.gpu + 0.5, self.host)
        self.gpu = begin + length
        self.span(cat, name, begin, self.gpu, correlation=self.number)

    def synchronise(self, around):
        start = self.host
        self.host = max(self.host, self.gpu) + 1
        for outer in around:
            self.span("cpu_op", outer, start, self.host)
        self.span("cuda_runtime", "cudaStreamSynchronize", start + 0.1, self.host - 0.1)


def layer(trace, chance, sick):
    """A forward or backward layer: mostly products, some elementwise work between."""
    trace.launch("aten::mm", SGEMM if sick == "K-04" else HALF, chance.uniform(70, 90))
    trace.launch("aten::add", ELEMENT, chance.uniform(8, 12))
    trace.launch("aten::mm", HALF, chance.uniform(70, 90))
    trace.launch("aten::native_layer_norm",
                 NORM.format("float" if sick == "K-05" else "c10::BFloat16"),
                 40 if sick == "K-05" else 8)
    if sick == "K-01":
        trace.launch("aten::cudnn_convolution", LAYOUT, 15)
    if sick == "K-02":
        trace.launch("aten::copy_", CAST, 15, around=["aten::to", "aten::_to_copy"])
    if sick == "K-03":
        for _ in range(4):
            trace.launch("aten::mul", ELEMENT, 10)
    if sick == "K-08":
        for name, kernel in (("aten::bmm", HALF), ("aten::div", ELEMENT),
                             ("aten::_softmax", SOFTMAX), ("aten::bmm", HALF)):
            trace.launch(name, kernel, 10)
    if sick == "M-04":
        trace.launch("aten::copy_", "Memcpy DtoD (Device -> Device)", 15, "gpu_memcpy")
    if sick == "L-05":
        trace.launch("aten::_local_scalar_dense", "Memcpy DtoH (Device -> Pinned)", 1,
                     "gpu_memcpy", around=["aten::item"])
        trace.synchronise(["aten::item"])


def step(trace, chance, sick, number):
    start = trace.host
    if sick == "L-02":
        trace.host += 15000  # before the batch, nothing is recorded
    where = "Pageable" if sick == "M-03" else "Pinned"
    trace.launch("aten::copy_", f"Memcpy HtoD ({where} -> Device)", 300 if sick == "M-03" else 20,
                 "gpu_memcpy", around=["aten::to"])
    for _ in range(12):
        layer(trace, chance, sick)
    for _ in range(12):
        before = len(trace.events)
        layer(trace, chance, sick)
        for event in trace.events[before:]:
            if event["name"] == "aten::mm":
                event["name"] = "MmBackward0"
    begin = trace.host
    loops = 150 if sick == "L-06" else 4
    for _ in range(loops):
        trace.launch("aten::_fused_adamw_", ELEMENT if sick == "L-06" else ADAM, 5)
    trace.span("user_annotation", "Optimizer.step#AdamW.step", begin, trace.host)
    if number % 4 == 3:  # the loss, now and then
        trace.launch("aten::_local_scalar_dense", "Memcpy DtoH (Device -> Pinned)", 1,
                     "gpu_memcpy", around=["aten::item"])
        trace.synchronise(["aten::item"])
    trace.span("user_annotation", f"ProfilerStep#{number}", start, trace.host)


def compose(chance, sick=None):
    trace = Trace({"L-01": 100, "L-05": 25}.get(sick, 5))
    for number in range(8):
        step(trace, chance, sick, number)
    # Spans around others come first.
    trace.events.sort(key=lambda event: (event["ts"], -event["dur"]))
    return {"deviceProperties": [{"id": 0, "name": "NVIDIA H200", "computeMajor": 9}],
            "traceEvents": [{"ph": "M", "name": "process_labels", "pid": GPU, "tid": 0,
                             "args": {"labels": "GPU 0"}}, *trace.events]}


def rows_of(tacho, *paths):
    lines = subprocess.run([tacho, "breakdown", *paths, "--json"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def write(path, trace):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(trace, out)
    return path


def advice(tacho, path, trace):
    rows = rows_of(tacho, write(path, trace))
    return ([row["verdict"] for row in rows if row["table"] == "verdict"],
            [row["rule"] for row in rows if row["table"] == "advice"])


def check_samples(tacho, scratch, chance):
    """Three samples of one program have one finding, two have two."""
    paths = [write(os.path.join(scratch, f"sample{i}.json"), compose(chance, "M-04"))
             for i in range(3)]
    for count, expected in ((2, 2), (3, 1)):
        found = [row for row in rows_of(tacho, *paths[:count]) if row["table"] == "advice"]
        if len(found) != expected:
            sys.exit(f"{count} samples: {[row['advice'] for row in found]}")
    if "the same in 2 other profiles" not in found[0]["advice"]:
        sys.exit(f"three samples: {found[0]['advice']}")


def check_host(tacho, path, chance):
    """Without the device's events, a verdict about the host from 20 operators on."""
    trace = compose(chance)
    events = [event for event in trace["traceEvents"] if event.get("cat") == "cpu_op"]
    for count in (19, 20):
        verdict, rules = advice(tacho, path, {"traceEvents": events[:count]})
        if rules or (count == 20) != bool(verdict) or not all(
                text.startswith("Host only") and "aten::" in text for text in verdict):
            sys.exit(f"{count} operators of the host: {verdict} {rules}")


def main():
    tacho, scratch = sys.argv[1:3]
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 20)
    os.makedirs(scratch, exist_ok=True)
    path = os.path.join(scratch, "advice.json")
    for _ in range(20):
        verdict, rules = advice(tacho, path, compose(chance))
        if rules or not verdict[0].startswith("Kernel-bound"):
            sys.exit(f"a healthy run: {verdict} {rules}")
    diseases = ["K-01", "K-02", "K-03", "K-04", "K-05", "K-08", "L-01", "L-02", "L-05", "L-06",
                "M-03", "M-04"]
    for sick in diseases:
        verdict, rules = advice(tacho, path, compose(chance, sick))
        if sick not in rules[:2]:
            sys.exit(f"{sick}: {verdict} {rules}")
    check_samples(tacho, scratch, chance)
    check_host(tacho, path, chance)
    print(f"20 healthy runs without advice, {len(diseases)} diseases found")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes two traces of an imaginary training job in the form of PyTorch's profiler: before.json and
after.json, in which a change has made one kernel slower. Used by `make demo`.

A step loads a batch, then launches the kernels of eight layers; the loader takes longer than the GPU has
work for, so the GPU waits. Lengths vary by a few per cent from step to step, by a fixed seed.

    example_trace.py FOLDER"""
import json
import os
import random
import sys

STEPS, LAYERS, PID, STREAM = 12, 8, 100, 7
LOAD_US, LAUNCH_US, RESPONSE_US = 1600, 9, 4
KERNELS = [  # operator, kernel, microseconds
    ("aten::layer_norm", "vectorized_layer_norm_kernel", 11),
    ("aten::mm", "sm90_xmma_gemm_bf16_128x128x64", 62),
    ("aten::scaled_dot_product_attention", "flash_fwd_kernel_hdim64", 38),
    ("aten::mm", "sm90_xmma_gemm_bf16_128x256x64", 55),
    ("aten::gelu", "vectorized_elementwise_gelu_kernel", 16),
    ("aten::add", "vectorized_elementwise_add_kernel", 9),
]


class Trace:
    def __init__(self, seed, slower):
        self.slower, self.random = slower, random.Random(seed)
        self.events, self.host, self.device, self.launches = [], 1000.0, 0.0, 0

    def add(self, category, name, start, length, thread, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 0 if thread == STREAM else PID,
                            "tid": thread, "ts": round(start, 3), "dur": round(length, 3), "args": args})

    def vary(self, length):
        return length * self.random.uniform(0.98, 1.02)

    def launch(self, operator, kernel, length):
        self.launches += 1
        took = self.vary(LAUNCH_US)
        self.add("cpu_op", operator, self.host, took + 2, PID)
        self.add("cuda_runtime", "cudaLaunchKernel", self.host + 1, took, PID, correlation=self.launches)
        start = max(self.device, self.host + took + RESPONSE_US)
        length = self.vary(length * self.slower.get(kernel, 1))
        self.add("kernel", kernel, start, length, STREAM, device=0, stream=STREAM, correlation=self.launches)
        self.device, self.host = start + length + 1, self.host + took + 3

    def step(self, number):
        start, load = self.host, self.vary(LOAD_US)
        self.add("cpu_op", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", self.host, load, PID)
        self.host += load + 5
        for _ in range(LAYERS):
            for kernel in KERNELS:
                self.launch(*kernel)
        wait = self.host
        self.host = max(self.host, self.device) + 5
        self.add("cuda_runtime", "cudaStreamSynchronize", wait, self.host - wait, PID)
        self.add("user_annotation", f"ProfilerStep#{number}", start, self.host - start, PID)
        self.host += 1

    def write(self, path):
        for number in range(STEPS):
            self.step(number)
        head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]}
        for kind, pid, tid, name in (("process_name", PID, PID, "python"), ("process_name", 0, STREAM, "GPU 0"),
                                     ("thread_name", PID, PID, "main"), ("thread_name", 0, STREAM, "stream 7")):
            self.events.append({"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}})
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dict(head, traceEvents=self.events), file)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Trace(1, {}).write(os.path.join(sys.argv[1], "before.json"))
    Trace(2, {"flash_fwd_kernel_hdim64": 1.6}).write(os.path.join(sys.argv[1], "after.json"))


main()

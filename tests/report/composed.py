# SPDX-License-Identifier: Apache-2.0
"""A trace as PyTorch's profiler writes it, composed: two modules, operators, launches, kernels."""
import json

GAPS_US = 40


def span(name, cat, tid, ts, dur, **args):
    return {"ph": "X", "pid": 1, "tid": tid, "name": name, "cat": cat, "ts": ts, "dur": dur,
            "args": args}


def events(layers=("Encoder_0", "Decoder_0"), kernels=("gemm", "relu"), calls=12, lengths=None):
    """Each layer calls each kernel |calls| times; launches come late, so the device is idle."""
    rows, steps, ts, number = [], [], 20, 0
    rows.append({"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "stream 7"}})
    start = ts
    for layer in layers:
        began = ts
        for call in range(calls):
            for i, kernel in enumerate(kernels):
                number += 1
                op = f"aten::{kernel}"
                rows.append(span(op, "cpu_op", 2, ts + 1, 30, **{
                    "External id": number, "Input Dims": [[64, 32 + i], []]}))
                rows.append(span("cudaLaunchKernel", "cuda_runtime", 2, ts + 5, 6,
                                 correlation=number))
                rows.append({"ph": "X", "pid": 0, "tid": 7, "name": kernel, "cat": "kernel",
                             "ts": ts + 14,
                             "dur": (lengths[i] if lengths else 5 + i) + call % 3, "args": {
                                 "correlation": number, "stream": 7, "device": 0,
                                 "External id": number, "grid": [64, 3, 1 + i],
                                 "block": [128, 1, 1], "registers per thread": 32}})
                ts += GAPS_US
        rows.append(span(f"step_{len(steps)}", "user_annotation", 3, began, ts - began))
        steps.append((began, ts))
        rows.append(span(f"nn.Module: {layer}", "python_function", 2, began, ts - began))
        ts += 10
    rows.append(span("nn.Module: Model_0", "python_function", 2, start - 1, ts - start + 2))
    rows.append(span("train.py(12): step", "python_function", 2, start - 2, ts - start + 4))
    for at in range(0, ts, 100):
        rows.append({"ph": "C", "pid": 1, "ts": at, "name": "memory", "args": {"used": at % 700}})
    return rows


def write(path, **how):
    rows = events(**how)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "made up"}],
                   "traceEvents": rows}, file)
    return rows

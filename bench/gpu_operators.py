#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernel times of single operators in PyTorch, on a computer with an NVIDIA GPU:

    bench/gpu_operators.py OUT.csv [--seconds 200] [--like TABLE.csv] [--only OP] [--rotate MIB]

Writes a table for 'tacho machine calibrate h200 --from OUT.csv': operator, type, shape, median and least kernel time of
a call in microseconds, kernels of a call. Shapes are those of common networks and between them, the same in every run,
and those of TABLE.csv first ('--only like': those alone; '--only more': lines along any axis, pictures, odd products and
causal attention). Inputs rotate through so many MiB. float32 does without TF32.
Stops after so many seconds with what there is.
"""
import argparse
import csv
import json
import os
import random
import re
import statistics
import tempfile
import time

import torch
from torch.nn import functional

CALLS = 12
COPIES_MAX = 64
GROUP = 24  # operators of one profile
TYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32,
         "float8_e4m3fn": torch.float8_e4m3fn}
MACS_MAX = {"float32": 3e11}


# ---- operators: inputs and what is called ------------------------------------------------------


def make(shape, dtype):
    data = torch.randn(shape, device="cuda", dtype=torch.float16)
    return data.to(TYPES[dtype])


def matmul(dims, dtype):
    *batch, m, k, n = dims
    if dtype == "float8_e4m3fn":
        one = torch.ones((), device="cuda")
        return ([(m, k), (n, k)], lambda a, b: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16))
    return [(*batch, m, k), (*batch, k, n)], torch.matmul


def linear(dims, _):
    m, k, n = dims
    return [(m, k), (n, k), (n,)], functional.linear


def attention(dims, _):
    return [dims, dims, dims], functional.scaled_dot_product_attention


def attention_causal(dims, _):
    return [dims] * 3, lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def attention_cached(dims, _):
    b, h, q, s, d = dims
    return [(b, h, q, d), (b, h, s, d), (b, h, s, d)], functional.scaled_dot_product_attention


def attention_masked(dims, _):
    b, h, s, d = dims
    return [dims] * 3 + [(b, 1, s, s)], functional.scaled_dot_product_attention


def convolution(shape, layout):
    image, rest = shape.split(":")
    n, c, h, w = map(int, image.split("x"))
    k, r, s, p, g = map(int, re.match(r"k(\d+)r(\d+)s(\d+)p(\d+)g(\d+)", rest).groups())

    def call(x, weights):
        return functional.conv2d(x, weights, stride=s, padding=p, groups=g)
    return [(n, c, h, w), (k, c // g, r, r)], call, layout


def gather(dims, _):
    """Rows of a table, by chance."""
    rows, width, count = dims
    return [(rows, width), (count,)], lambda table, at: functional.embedding(
        (at.abs() * rows / 4).long().clamp(max=rows - 1), table)


def unary(function):
    return lambda dims, _: ([dims], function)


OPERATORS = {
    "matmul": matmul, "batch_matmul": matmul, "linear": linear, "attention": attention,
    "attention_causal": attention_causal, "attention_cached": attention_cached, "attention_masked": attention_masked,
    "relu": unary(torch.relu), "gelu": unary(functional.gelu), "silu": unary(functional.silu),
    "sigmoid": unary(torch.sigmoid), "tanh": unary(torch.tanh),
    "softmax": unary(lambda x: torch.softmax(x, -1)), "reduce_sum": unary(lambda x: x.sum(-1)),
    "transpose": unary(lambda x: x.transpose(-1, -2).contiguous()),
    "global_avgpool": unary(lambda x: functional.adaptive_avg_pool2d(x, 1)),
    "maxpool3s2": unary(lambda x: functional.max_pool2d(x, 3, 2, 1)),
    "add": lambda dims, _: ([dims, dims], torch.add), "mul": lambda dims, _: ([dims, dims], torch.mul),
    "layernorm": lambda dims, _: ([dims, dims[-1:], dims[-1:]],
                                  lambda x, w, b: functional.layer_norm(x, w.shape, w, b)),
    "exp": unary(torch.exp), "sumall": unary(torch.sum), "sum0": unary(lambda x: x.sum(0)),
    "sum1": unary(lambda x: x.sum(1)), "max_last": unary(lambda x: torch.max(x, -1)),
    "amax": unary(lambda x: x.amax(-1)), "amax0": unary(lambda x: x.amax(0)),
    "argmax": unary(lambda x: x.argmax(-1)), "argmax0": unary(lambda x: x.argmax(0)),
    "cumsum": unary(lambda x: x.cumsum(-1)), "cumsum0": unary(lambda x: x.cumsum(0)),
    "cat": lambda dims, _: ([dims, dims], lambda x, y: torch.cat([x, y], 0)),
    "cat_last": lambda dims, _: ([dims, dims], lambda x, y: torch.cat([x, y], -1)),
    "bias": lambda dims, _: ([dims, dims[-1:]], torch.add),
    "maxpool": unary(lambda x: functional.max_pool2d(x, 3, 2, 1)),
    "maxpool2": unary(lambda x: functional.max_pool2d(x, 2)),
    "avgpool": unary(lambda x: functional.avg_pool2d(x, 3, 2, 1)),
    "gap": unary(lambda x: functional.adaptive_avg_pool2d(x, 1)),
    "up2": unary(lambda x: functional.interpolate(x, scale_factor=2)),
    "up2_linear": unary(lambda x: functional.interpolate(x, scale_factor=2, mode="bilinear")),
    "gather": gather,
}


def prepare(op, dtype, shape, rotate):
    """Copies of the inputs, and the function to call with one of them."""
    layout = torch.contiguous_format
    if op.startswith("conv2d"):
        inputs, call, layout = convolution(shape, torch.channels_last if op == "conv2d" else layout)
    else:
        dims = tuple(map(int, shape.split("x")))
        inputs, call = OPERATORS[op](dims, dtype)
        layout = torch.channels_last if op in ("global_avgpool", "maxpool3s2") else layout
    first = [make(one, dtype) for one in inputs]
    first = [one.contiguous(memory_format=layout) if one.dim() == 4 else one for one in first]
    size = sum(one.numel() * one.element_size() for one in first)
    copies = max(1, min(COPIES_MAX, -(-rotate // max(size, 1))))
    return [first] + [[one.clone() for one in first] for _ in range(copies - 1)], call


# ---- shapes ------------------------------------------------------------------------------------


def products(choose):
    sides = [64, 256, 320, 512, 768, 1024, 1280, 2048, 3072, 4096, 5120, 8192, 11008, 14336]
    rows = [1, 4, 8, 16, 24, 32, 48, 64, 96, 128, 160, 197, 256, 320, 384, 512, 640, 784, 1024, 1576, 2048, 4096, 8192]
    for op, dtype, count in (("matmul", "float16", 130), ("matmul", "bfloat16", 40), ("matmul", "float32", 130),
                             ("linear", "float16", 70), ("linear", "float32", 110), ("matmul", "float8_e4m3fn", 40)):
        found = 0
        while found < count:
            m, k, n = choose(rows), choose(sides), choose(sides)
            if m * k * n <= MACS_MAX.get(dtype, 1e12) and (dtype != "float8_e4m3fn" or m >= 16):
                yield op, dtype, f"{m}x{k}x{n}"
                found += 1
    for m in range(32, 545, 32):  # waves, one after the other
        for dtype in ("float32", "float16"):
            yield "linear", dtype, f"{m}x768x768"
            yield "matmul", dtype, f"{m}x1024x1024"
    for dtype in ("float16", "float32"):
        for _ in range(30):
            b, m, k, n = choose([4, 12, 32, 96, 192]), choose([1, 64, 128, 197, 384, 512]), choose([64, 80, 128]), 0
            n = choose([64, 128, 197, 384, 512])
            yield "batch_matmul", dtype, f"{b}x{m}x{k}x{n}"


LAYERS = [  # channels, side, results, window, stride, groups (0: one for each channel)
    (3, 224, 64, 7, 2, 1), (3, 224, 32, 3, 2, 1), (3, 224, 768, 16, 16, 1), (3, 299, 32, 3, 2, 1),
    (3, 320, 16, 3, 2, 1),
    (64, 56, 64, 1, 1, 1), (64, 56, 64, 3, 1, 1), (64, 56, 256, 1, 1, 1), (256, 56, 64, 1, 1, 1),
    (256, 56, 128, 1, 1, 1),
    (128, 56, 128, 3, 2, 1), (256, 56, 512, 1, 2, 1), (128, 28, 512, 1, 1, 1), (512, 28, 128, 1, 1, 1),
    (128, 28, 128, 3, 1, 1), (512, 28, 256, 1, 1, 1), (256, 28, 256, 3, 2, 1), (512, 28, 1024, 1, 2, 1),
    (256, 14, 1024, 1, 1, 1), (1024, 14, 256, 1, 1, 1), (256, 14, 256, 3, 1, 1), (1024, 14, 512, 1, 1, 1),
    (512, 14, 512, 3, 2, 1), (1024, 14, 2048, 1, 2, 1), (512, 7, 2048, 1, 1, 1), (2048, 7, 512, 1, 1, 1),
    (512, 7, 512, 3, 1, 1), (64, 112, 64, 3, 1, 1), (64, 224, 64, 3, 1, 1), (128, 112, 128, 3, 1, 1),
    (256, 56, 256, 3, 1, 1), (512, 28, 512, 3, 1, 1), (320, 64, 320, 3, 1, 1), (640, 32, 640, 3, 1, 1),
    (1280, 16, 1280, 3, 1, 1), (32, 112, 16, 1, 1, 1), (16, 112, 96, 1, 1, 1), (24, 56, 144, 1, 1, 1),
    (96, 14, 576, 1, 1, 1), (320, 7, 1280, 1, 1, 1), (48, 56, 48, 5, 1, 1), (192, 35, 64, 5, 1, 1),
    (96, 27, 256, 5, 1, 1),
    (32, 112, 32, 3, 1, 0), (96, 112, 96, 3, 2, 0), (144, 56, 144, 3, 1, 0), (192, 28, 192, 3, 1, 0),
    (384, 14, 384, 3, 1, 0), (960, 7, 960, 3, 1, 0), (240, 28, 240, 5, 1, 0), (96, 56, 96, 7, 1, 0),
    (384, 14, 384, 7, 1, 0),
    (768, 7, 768, 7, 1, 0), (128, 56, 128, 3, 1, 32), (256, 28, 256, 3, 1, 32), (1024, 7, 1024, 3, 1, 32),
]


def convolutions(choose):
    for c, side, k, r, s, groups in LAYERS:
        groups = groups or c
        for dtype in ("float16", "float32"):
            for n in {1, choose([2, 4, 8]), choose([16, 32, 64])}:
                pad = 0 if r == s else r // 2
                macs = n * (side // s) ** 2 * k * c // groups * r * r
                shape = f"{n}x{c}x{side}x{side}:k{k}r{r}s{s}p{pad}g{groups}"
                if macs <= 1e11:
                    yield "conv2d", dtype, shape
                    if choose([True, False, False]):
                        yield "conv2d_first", dtype, shape


def attentions(choose):
    for dtype, count in (("float16", 30), ("bfloat16", 6), ("float32", 24)):
        for i in range(count):
            b, h, d = choose([1, 2, 8, 16]), choose([8, 12, 16, 32]), choose([64, 64, 64, 80, 96, 128, 128, 256])
            s = choose([77, 128, 197, 256, 384, 512, 1024, 2048, 4096])
            op = ("attention", "attention", "attention_causal", "attention_masked")[i % 4]
            if b * h * s * s * d < 1.5e11:
                yield op, dtype, f"{b}x{h}x{s}x{d}"
            yield "attention_cached", dtype, f"{choose([1, 4, 16])}x{h}x1x{choose([128, 512, 1024, 4096])}x{d}"


def memory_bound(choose):
    lines = [64, 128, 197, 256, 384, 512, 768, 1000, 1024, 2048, 3072, 4096, 8192, 50257]
    for op in ("relu", "gelu", "silu", "sigmoid", "tanh", "add", "mul", "softmax", "layernorm", "reduce_sum",
               "transpose"):
        for dtype in ("float16", "float32"):
            for _ in range(9):
                rows, line = choose([1, 16, 128, 512, 1024, 1576, 4096, 16384, 65536]), choose(lines)
                if rows * line <= 1 << 27:
                    yield op, dtype, f"{rows}x{line}"
    for dtype in ("float16", "float32"):
        for c, side in ((64, 112), (192, 56), (256, 28), (512, 7), (2048, 7), (1280, 7), (960, 14)):
            n = choose([1, 8, 32, 64])
            yield "global_avgpool", dtype, f"{n}x{c}x{side}x{side}"
            if side > 7:
                yield "maxpool3s2", dtype, f"{n}x{c}x{side}x{side}"


def more_lines(choose):
    """Lines along other axes than the last, or all of them; positions of maxima; running sums."""
    lines = [100, 197, 512, 768, 1000, 1024, 2048, 4096, 8192, 32000, 50257]
    rows = [1, 4, 16, 64, 197, 256, 1024, 4096, 8192, 20000]
    for op in ("sumall", "sum0", "max_last", "amax", "amax0", "argmax", "argmax0", "cumsum", "cumsum0", "exp", "bias",
               "cat", "cat_last", "softmax", "layernorm"):
        for dtype in ("float16", "float32"):
            found = 0
            while found < 12:
                row, line = choose(rows), choose(lines)
                if row * line <= 1 << 26:
                    yield op, dtype, f"{row}x{line}"
                    found += 1
            for dims in ("4x64x56x56", "32x128x28x28", "8x256x14x14", "32x197x768", "8x1024x1024"):
                yield op, dtype, dims
    for dtype in ("float16", "float32"):
        for dims in ("4x64x3136", "32x197x768", "8x1024x1024", "64x49x512", "2x4096x4096"):
            yield "sum1", dtype, dims


def more_pictures(choose):
    for op in ("maxpool", "maxpool2", "avgpool", "gap", "up2", "up2_linear"):
        for dtype in ("float16", "float32"):
            for c, side in ((3, 224), (64, 112), (64, 56), (128, 56), (256, 28), (512, 14), (2048, 7), (96, 35)):
                for n in {1, choose([2, 4, 8]), choose([16, 32])}:
                    if n * c * side * side <= 1 << 25:
                        yield op, dtype, f"{n}x{c}x{side}x{side}"
    for dtype in ("float16", "float32"):
        for _ in range(8):
            rows, width = choose([1000, 32000, 50257, 151936]), choose([256, 768, 2048, 5120])
            yield "gather", dtype, f"{rows}x{width}x{choose([1, 32, 300, 4096])}"


def odd_products(choose):
    """Sizes that are no multiples of a tile, few rows by many columns, and the other way round."""
    sides = [10, 30, 63, 100, 197, 300, 384, 511, 768, 1000, 1500, 2047, 4097, 32001, 50257, 128256]
    for dtype, count in (("float16", 90), ("float32", 90)):
        found = 0
        while found < count:
            m = choose([1, 2, 3, 5, 8, 17, 49, 77, 100, 197, 500, 1500, 3137, 33000])
            k, n = choose(sides), choose(sides)
            if m * k * n <= 6e10 and k * n <= 6e8:
                yield "matmul", dtype, f"{m}x{k}x{n}"
                found += 1


def causal(choose):
    for dtype in ("float16", "float32"):
        for s in (64, 77, 128, 197, 256, 512, 1024, 2048, 4096):
            for _ in range(3):
                b, h, d = choose([1, 2, 8]), choose([8, 12, 16, 32]), choose([64, 64, 128])
                if b * h * s * s * d < 1e11:
                    yield "attention_causal", dtype, f"{b}x{h}x{s}x{d}"
                    yield "attention", dtype, f"{b}x{h}x{s}x{d}"


def rows_like(path):
    with open(path, encoding="utf-8") as file:
        return [(row["op"], row["dtype"], row["shape"]) for row in csv.DictReader(file)]


def all_rows(like, only):
    choose = random.Random(27).choice
    sources = [products, convolutions, attentions, memory_bound]
    more = [more_lines, more_pictures, odd_products, causal]
    rows = [row for source in (more if only == "more" else sources + more) for row in source(choose)]
    random.Random(1).shuffle(rows)  # whatever is cut off in the end is of every kind
    first = rows_like(like) if like else []
    rows = first if only == "like" else [row for row in first + rows if only in (None, "more", row[0])]
    return list(dict.fromkeys(rows))


# ---- measuring ---------------------------------------------------------------------------------


def call_often(call, copies, count):
    for i in range(count):
        call(*copies[i % len(copies)])
    torch.cuda.synchronize()


def measure_group(rows, path, rotate):
    """Kernel times of each row: those between the marks of its calls."""
    refused = {}
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU,
                                            torch.profiler.ProfilerActivity.CUDA]) as profile:
        for i, row in enumerate(rows):
            try:
                copies, call = prepare(*row, rotate)
                call_often(call, copies, max(3, len(copies)))
                with torch.profiler.record_function(f"operator {i}"):
                    call_often(call, copies, CALLS)
                del copies
            except RuntimeError as error:
                refused[i] = str(error).splitlines()[0]
                torch.cuda.synchronize()
    profile.export_chrome_trace(path)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    kernels = sorted((e["ts"], e["dur"]) for e in events if e.get("cat") == "kernel")
    marks = {int(e["name"].split()[1]): e for e in events
             if e.get("cat") == "user_annotation" and e["name"].startswith("operator ")}
    for i, row in enumerate(rows):
        mark = marks.get(i)
        took = [dur for ts, dur in kernels if mark and mark["ts"] <= ts < mark["ts"] + mark["dur"]]
        if i in refused or len(took) < CALLS or len(took) % CALLS:
            print("left out:", *row, refused.get(i, f"{len(took)} kernels of {CALLS} calls"))
            continue
        each = len(took) // CALLS
        sums = [sum(took[j * each:(j + 1) * each]) for j in range(CALLS)]
        yield (*row, f"{statistics.median(sums):.3f}", f"{min(sums):.3f}", each)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--like")
    parser.add_argument("--only")
    parser.add_argument("--rotate", type=int, default=100)
    options = parser.parse_args()
    torch.backends.cudnn.allow_tf32 = False
    rows = all_rows(options.like, options.only)
    until = time.monotonic() + options.seconds
    measured = 0
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder, open(options.out, "w", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["op", "dtype", "shape", "median_us", "min_us", "kernels"])
        for first in range(0, len(rows), GROUP):
            if time.monotonic() > until:
                break
            found = list(measure_group(rows[first:first + GROUP], os.path.join(folder, "trace.json"),
                                       options.rotate << 20))
            table.writerows(found)
            file.flush()
            measured += len(found)
    print(f"{measured} of {len(rows)} operators measured")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An estimate of a network on a GPU against traces of PyTorch, operator by operator (diff --by op).

    joined.py TACHO FOLDER

Both are composed here: an ONNX model with the metadata of PyTorch's exporter, and traces of the same network in which
operators, modules and kernels are said in the ways that profilers say them. Sums are computed here, too.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
from accuracy import field, tensor  # noqa: E402
from accuracy_h200 import absent  # noqa: E402

TACHO, FOLDER = sys.argv[1], sys.argv[2]
PROBLEMS = []


def check(what, found, expected):
    if found != expected:
        PROBLEMS.append(what)
        print(f"FAIL {what}\n  found    {found}\n  expected {expected}")


# ---- the model ----------------------------------------------------------------------------------


def node(kind, inputs, output, scopes, operator):
    entries = {"pkg.torch.onnx.name_scopes": str(["", *scopes, operator]),
               "namespace": "/".join([": Net", *(f"{scope}: Module" for scope in scopes),
                                      f"{operator}: aten.{operator}.default"])}
    return (b"".join(field(1, name) for name in inputs) + field(2, output) + field(3, f"node_{output}") +
            field(4, kind) + b"".join(field(9, field(1, key) + field(2, text)) for key, text in entries.items()))


def write_model(path):
    """encoder.fc1, encoder.act, encoder.fc2: linear, relu, linear."""
    size = [512, 512]
    nodes = [node("MatMul", ["x", "w1"], "a", ["encoder", "encoder.fc1"], "linear"),
             node("Relu", ["a"], "b", ["encoder", "encoder.act"], "relu"),
             node("MatMul", ["b", "w2"], "y", ["encoder", "encoder.fc2"], "linear")]
    graph = b"".join(field(1, one) for one in nodes) + field(2, "g")
    graph += b"".join(field(5, absent(name, 1, size)) for name in ("w1", "w2"))
    graph += field(11, tensor("x", 1, size)) + field(12, tensor("y", 1, size))
    with open(path, "wb") as file:
        file.write(field(1, 10) + field(7, graph) + field(8, field(1, "") + field(2, 18)))


# ---- traces -------------------------------------------------------------------------------------

# Module, operators that call each other, kernels with their time in ns.
NETWORK = [("encoder.fc1", ["aten::linear", "aten::addmm"], [("gemm_64x64", 7000), ("splitk_reduce", 1500)]),
           ("encoder.act", ["aten::relu", "aten::clamp_min"], [("vectorized_elementwise", 900)]),
           ("encoder.fc2", ["aten::linear", "aten::addmm"], [("gemm_64x64", 6500)])]


def write_trace(path, operators="cpu_op", modules=None, stray=0):
    """|operators|, |modules|: the category that they are said with; |stray|: ns of a kernel that no operator launched."""
    events, now, gpu, number = [], 0, 1000, 0

    def add(category, name, pid, start, length, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": 1, "ts": start / 1e3,
                       "dur": length / 1e3, "args": args})

    def launch(name, length):
        nonlocal number, gpu
        number += 1
        add("cuda_runtime", "cudaLaunchKernel", 9, now + 100 + 20 * number, 10, correlation=number)
        add("kernel", name, 0, gpu, length, correlation=number)
        gpu += length + 50

    if modules:
        add(modules, "encoder", 9, 1, 10000 * len(NETWORK))
    for module, names, kernels in NETWORK:
        if modules:
            add(modules, module, 9, now + 2, 9000)
        for depth, name in enumerate(names):
            text = f"{name}, op_id = {number}" if operators == "nvtx" else name
            add(operators, text, 9, now + 10 + depth, 8000 - 2 * depth)
        for name, length in kernels:
            launch(name, length)
        now += 10000
    if stray:
        launch("stray", stray)
    events.append({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "GPU 0"}})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)


# ---- what tacho says ------------------------------------------------------------------------------


def run(*words):
    done = subprocess.run([TACHO, *words], capture_output=True, text=True, check=False, cwd=FOLDER)
    if done.returncode != 0:
        sys.exit(f"joined: {' '.join(words)}: {done.stderr}")
    return done


def tables(*words):
    return [json.loads(line) for line in run(*words, "--json").stdout.splitlines()]


def rows(*words):
    """Operator and layer to the time on each side."""
    return {(row["operation"], row.get("layer")): (row["a_ns"], row["b_ns"]) for row in tables(*words)
            if row["table"] == "operations"}


def main():
    os.makedirs(FOLDER, exist_ok=True)
    write_model(f"{FOLDER}/net.onnx")
    run("compile", "net.onnx", "-m", "h200", "--dtype", "f16", "--profile", "estimate.tacho", "-q", "--no-advice")
    write_trace(f"{FOLDER}/plain.json")
    write_trace(f"{FOLDER}/nvtx.json", operators="nvtx")
    write_trace(f"{FOLDER}/modules.json", modules="user_annotation", stray=333)
    write_trace(f"{FOLDER}/ranges.json", operators="nvtx", modules="nvtx")
    alone = {name: sum(length for _, names, kernels in NETWORK for _, length in kernels if names[0] == name)
             for name in ("aten::linear", "aten::relu")}

    for trace in ("plain.json", "nvtx.json"):
        found = rows("diff", "estimate.tacho", trace, "--by", "op", "-q")
        check(f"{trace}: operators", sorted(name for name, _ in found), sorted(alone))
        check(f"{trace}: measured", {name: b for (name, _), (_, b) in found.items()}, alone)
        check(f"{trace}: all are estimated", all(a for a, _ in found.values()), True)
        turned = rows("diff", trace, "estimate.tacho", "--by", "op", "-q")
        check(f"{trace}: the other way round", {key: (b, a) for key, (a, b) in turned.items()}, found)

    expected = {("aten::linear", "encoder/fc1"): 8500, ("aten::relu", "encoder/act"): 900,
                ("aten::linear", "encoder/fc2"): 6500}
    for trace, more in (("modules.json", {("stray", None): 333}), ("ranges.json", {})):
        found = rows("diff", "estimate.tacho", trace, "--by", "op", "-q")
        check(f"{trace}: by layer", {key: b for key, (_, b) in found.items()}, {**expected, **more})
        check(f"{trace}: estimated", {key for key, (a, _) in found.items() if a}, set(expected))

    # Modules that are marked by their whole names lie in one another, in every table.
    layers = {row["layer"] for row in tables("ops", "ranges.json", "--by", "layer", "-q") if row.get("device_self_ns")}
    check("ranges.json: layers", layers, {"encoder/fc1", "encoder/act", "encoder/fc2"})

    # Two traces: kernels of the innermost operators, as by 'ops --by op'.
    found = rows("diff", "plain.json", "plain.json", "--by", "op", "-q")
    check("two traces", {name: a for (name, _), (a, _) in found.items()},
          {"aten::addmm": alone["aten::linear"], "aten::clamp_min": alone["aten::relu"]})

    # Tables beside others, and those of the page, do it by themselves.
    fit = [row for row in tables("ops", "estimate.tacho", "plain.json", "-q") if row["table"] == "agreement"]
    check("ops: agreement", {row["operation"]: row["b_ns"] for row in fit}, alone)
    without = run("diff", "estimate.tacho", "plain.json").stderr
    check("diff: the hint", "--by op" in without, True)
    check("diff --by op: no hint", "share operators" in run("diff", "estimate.tacho", "plain.json", "--by", "op").stderr,
          False)
    print(f"joined: {len(PROBLEMS)} problems")
    sys.exit(1 if PROBLEMS else 0)


main()

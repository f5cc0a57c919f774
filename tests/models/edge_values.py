#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every operator that has a kernel, in every type that the kernel takes, on the edges of the type: 0,
-0, the smallest subnormal, the largest value and some between, against numpy.

Operators and types are those of docs/operators.md, which is made from the kernels. One model for each
operator has a node for each type; it runs by fast and by reference kernels. Arithmetic, comparisons
and moves must give numpy's bits, computed in float64 and rounded once. Functions of reference kernels may
be one unit in the last place off, in f64 1e-13 of the value; those of fast kernels 1e-5 of the value, or
less than the smallest normal number.

Usage: edge_values.py TACHO OPERATORS_PAGE [--save FOLDER] [OPERATOR...]
--save keeps a model for each operator and type there, with inputs and outputs, for tests/oracle/edges.js.
Needs the onnx package; without it the test is skipped (77)."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from onnx import helper as h
    from onnx import numpy_helper
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skip: python3-onnx is not installed")
    sys.exit(77)

from edge_cases import CASES, CLOSE, EXACT
from edge_types import TYPES, Elements, unit

OPSETS = {"AffineGrid": 20, "Col2Im": 18, "DFT": 20, "DeformConv": 19, "MelWeightMatrix": 17, "STFT": 17, "BitwiseAnd": 18, "CastLike": 15, "Upsample": 9, "BitwiseNot": 18, "BitwiseOr": 18, "BitwiseXor": 18, "Gelu": 20,
          "BlackmanWindow": 17, "HammingWindow": 17, "HannWindow": 17, "GroupNormalization": 21, "HardSwish": 14, "LayerNormalization": 17, "Mish": 18,
          "QuantizeLinear": 19, "RMSNormalization": 23, "Scatter": 10, "Swish": 24, "TensorScatter": 24, "Trilu": 14}


def operators(page):
    """Names and types of ONNX's operators."""
    found = {}
    for line in pathlib.Path(page).read_text(encoding="utf-8").splitlines():
        match = re.match(r"\| ([A-Z]\w*) \| \w+ \| ([^|]*) \|", line)
        if match and match[1] != "Operator":
            found[match[1]] = [TYPES[t] for t in match[2].split() if t in TYPES]
    return found


def cases_of(op, types):
    made = []
    for type_ in types:
        one = CASES[op](op, type_)
        made += [(type_, c) for c in (one if isinstance(one, list) else [one]) if c is not None]
    return made


def build(op, cases):
    """A model with a node for each case, and the elements of its inputs."""
    nodes, inits, inputs, outputs, fed = [], [], [], [], []
    for i, (_, case) in enumerate(cases):
        names = []
        for j, given in enumerate(case.inputs):
            name = "" if given is None else f"x{i}_{j}"
            names.append(name)
            if isinstance(given, tuple):
                inits.append(numpy_helper.from_array(given[1].array, name))
            elif given is not None:
                inputs.append(h.make_tensor_value_info(name, given.type.onnx, given.array.shape))
                fed.append(given)
        made = [f"y{i}_{j}" for j in range(len(case.expected))]
        outputs += [h.make_tensor_value_info(n, e.type.onnx, e.array.shape)
                    for n, e in zip(made, case.expected)]
        nodes.append(h.make_node(op, names, made, name=f"n{i}", **case.attrs))
    graph = h.make_graph(nodes, "edges", inputs, outputs, inits)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", OPSETS.get(op, 13))])
    model.ir_version = 8
    return model, fed


def run(tacho, model, fed, kernels, expected, work):
    """Elements of all outputs, or what was said instead."""
    path = os.path.join(work, "m." + getattr(model, "suffix", "onnx"))
    pathlib.Path(path).write_bytes(model.SerializeToString())
    command = [tacho, "run", path, "--device", "cpu", "--kernels", kernels]
    for i, given in enumerate(fed):
        np.save(os.path.join(work, f"x{i}.npy"), given.array)
        command.append(f"--input=@{work}/x{i}.npy")
    command += [f"--output=@{work}/y{i}.npy" for i in range(len(expected))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return next((x for x in done.stderr.splitlines() if "error" in x), done.stderr)
    found = [np.load(os.path.join(work, f"y{i}.npy")) for i in range(len(expected))]
    return [Elements(e.type, f.view(np.uint16) if e.type.name == "bf16" else f)
            for e, f in zip(expected, found)]


def are_right(found, expected, case, kernels):
    """For each element whether it is as numpy has it."""
    if found.array.shape != expected.array.shape:
        return np.zeros(1, bool)
    if expected.type.kind != "real":
        return found.array == expected.array
    f, e = found.reals(), expected.reals()
    right = (f == e) | (np.isnan(f) & np.isnan(e))
    if case.how == EXACT:
        right &= (np.signbit(f) == np.signbit(e)) | np.isnan(e)
    if case.how == CLOSE:
        is_short = expected.type.name != "f64"
        bound = unit(expected.type, e) if is_short else 1e-13 * np.abs(e)
        if kernels == "fast" and is_short:
            bound = np.maximum(bound, 1e-5 * np.abs(e) + 2.0**expected.type.least)
        right |= np.abs(f - e) <= bound
    if kernels == "fast" and case.lost > 0:
        right |= np.abs(f - e) <= case.lost
    if case.or_infinite:
        right |= np.isinf(f)
    return right


def compare(op, cases, found, kernels):
    wrong, at = [], 0
    for type_, case in cases:
        for expected in case.expected:
            right = are_right(found[at], expected, case, kernels)
            for i in np.argwhere(~right)[:2]:
                place = tuple(i)
                wrong.append(f"FAIL {op} of {type_.name}, {kernels}: element {list(place)} is "
                             f"{found[at].reals()[place] if right.shape == expected.array.shape else '?'}, "
                             f"numpy has {expected.reals()[place]}")
            at += 1
    return wrong


def check(tacho, op, cases, work, make=build):
    """How many agree, what is wrong, what was refused."""
    model, fed = make(op, cases)
    expected = [e for _, c in cases for e in c.expected]
    results = {k: run(tacho, model, fed, k, expected, work) for k in ("fast", "reference")}
    refused = [k for k, found in results.items() if isinstance(found, str)]
    if not refused:
        wrong = [w for k, found in results.items() for w in compare(op, cases, found, k)]
        return len(cases) if not wrong else 0, wrong, []
    if len(cases) == 1:
        return 0, [], [f"refused {op} of {cases[0][0].name}: {results[refused[0]]}"]
    parts = [check(tacho, op, [c], work, make) for c in cases]
    return sum(p[0] for p in parts), sum((p[1] for p in parts), []), sum((p[2] for p in parts), [])


def save(tacho, op, cases, folder, work):
    """One model each, with what was fed and what tacho's kernels made of it."""
    for number, (type_, case) in enumerate(cases):
        if type_.name == "bf16":
            continue  # not a type that onnxruntime-node can feed
        model, fed = build(op, [(type_, case)])
        found = run(tacho, model, fed, "reference", case.expected, work)
        if isinstance(found, str):
            continue
        to = pathlib.Path(folder) / f"{op}_{type_.name}_{number}"
        to.mkdir(parents=True, exist_ok=True)
        (to / "model.onnx").write_bytes(model.SerializeToString())
        for kind, tensors in (("input", fed), ("output", found)):
            for i, tensor in enumerate(tensors):
                (to / f"{kind}_{i}.bin").write_bytes(np.ascontiguousarray(tensor.array).tobytes())
        about = {k: [{"type": t.type.name, "dims": list(t.array.shape)} for t in v]
                 for k, v in (("inputs", fed), ("outputs", found))}
        (to / "values.json").write_text(json.dumps(dict(about, how=case.how, infinite=case.or_infinite)))


def main():
    tacho, page, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    folder = names[names.index("--save") + 1] if "--save" in names else None
    names = names[2:] if folder else names
    table = operators(page)
    agreed, wrong, refused, untried = 0, [], [], sorted(op for op in table if op not in CASES)
    with tempfile.TemporaryDirectory() as work, np.errstate(all="ignore"):
        for op in sorted(names or table):
            cases = cases_of(op, table[op]) if op in CASES else []
            if folder:
                save(tacho, op, cases, folder, work)
                continue
            if cases:
                part = check(tacho, op, cases, work)
                agreed, wrong, refused = agreed + part[0], wrong + part[1], refused + part[2]
    print("\n".join(wrong + refused))
    print("no case:", " ".join(untried))
    print(f"{agreed} operators and types agree, {len(wrong)} elements do not, {len(refused)} are refused")
    return 1 if wrong or refused or (untried and not names) or (not names and not folder and agreed < 1500) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators that are built from simpler ones (src/graph/expand.h), each alone in a model, and small networks
(network_cases.py, control_cases.py), against numpy; and operators on signals (signal_cases.py).

Every case runs on cpu with fast and with reference kernels, and on sim. Integers must be
equal, or differ by one where the case says so; reals may be off by the case's share of the largest element.

Usage: composed_values.py TACHO [--write FOLDER] [NAME...]
--write leaves the models, inputs and expected outputs in FOLDER. Skipped (77) without the onnx package."""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skip: python3-onnx is not installed")
    sys.exit(77)

import attention_cases
import composed_cases
import control_cases
import network_cases
import picture_cases  # noqa: F401
import signal_cases

RUNS = (("cpu", "fast"), ("cpu", "reference"), ("sim:aic100", "fast"))


def value_info(name, array):
    return helper.make_tensor_value_info(name, onnx.helper.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape)


def model_of(case):
    """The case's node as a model, and the values of its inputs."""
    names, given, constants = [], {}, []
    for i, value in enumerate(case.inputs):
        name = "" if value is None else f"x{i}"
        names.append(name)
        if value is not None and i in case.constants:
            constants.append(numpy_helper.from_array(np.asarray(value), name))
        elif value is not None:
            given[name] = np.asarray(value)
    while names and names[-1] == "":
        names.pop()
    outputs = ["" if value is None else f"y{i}" for i, value in enumerate(case.outputs)]
    node = helper.make_node(case.op, names, outputs, name="n", domain=case.domain, **case.attrs)
    infos = [value_info(f"y{i}", value) for i, value in enumerate(case.outputs) if value is not None]
    graph = helper.make_graph([node], "g", [value_info(n, v) for n, v in given.items()], infos, constants)
    standard = case.opset if case.domain == "" else 21
    opsets = [helper.make_opsetid("", standard)]
    if case.domain:
        opsets.append(helper.make_opsetid(case.domain, case.opset))
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), given


def off(found, expected, tolerance):
    """What is wrong with a result, or None."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}"
    if found.size == 0:
        return None
    if expected.dtype.kind in "iub":
        away = int(np.abs(found.astype(np.int64) - expected.astype(np.int64)).max())
        return None if away <= (1 if tolerance >= 1 else 0) else f"{away} off"
    finite = np.isfinite(expected)
    if not np.array_equal(finite, np.isfinite(found)) or not np.array_equal(
            found[~finite], expected[~finite], equal_nan=True):
        return "infinities or NaN differ"
    if not finite.any():
        return None
    away = float(np.abs(found[finite].astype(float) - expected[finite].astype(float)).max())
    allowed = tolerance * max(float(np.abs(expected[finite].astype(float)).max()), 1e-3)
    return None if away <= allowed else f"{away:.3g} off, {allowed:.3g} allowed"


def check(tacho, case, folder):
    model, given = (case.model, case.given) if hasattr(case, "model") else model_of(case)
    onnx.save(model, str(folder / "model.onnx"))
    command = [tacho, "run", str(folder / "model.onnx"), "--no-tables"]
    for i, (name, value) in enumerate(given.items()):
        np.save(folder / f"input_{i}.npy", value)
        command.append(f"--input={name}=@{folder / f'input_{i}.npy'}")
    wanted = [value for value in case.outputs if value is not None]
    for i, value in enumerate(wanted):
        np.save(folder / f"output_{i}.npy", np.asarray(value))
        command.append(f"--output=@{folder / f'made_{i}.npy'}")
    problems = []
    runs = [(command + ["--device", device, "--kernels", kernels], f"{device} {kernels}") for device, kernels in RUNS]
    if case.name.startswith("static_"):  # a program for any input
        program = str(folder / "model.vmfb")
        subprocess.run([tacho, "compile", command[2], "-o", program, "--quiet"], check=True, capture_output=True)
        runs += [([tacho, "run", program] + command[3:] + ["--kernels", kernels], f"program {kernels}")
                 for kernels in ("fast", "reference")]
    for line, called in runs:
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            error = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr)
            problems.append(f"{called}: {error.strip()[:300]}")
            continue
        for i, value in enumerate(wanted):
            problem = off(np.load(folder / f"made_{i}.npy"), np.asarray(value), case.tolerance)
            if problem:
                problems.append(f"{called}: output {i}: {problem}")
    return problems


def main():
    arguments = sys.argv[1:]
    tacho, kept = arguments[0], None
    names = arguments[1:]
    if "--write" in names:
        at = names.index("--write")
        kept = pathlib.Path(names[at + 1])
        del names[at:at + 2]
    attention_cases.add_all()
    network_cases.add_all()
    control_cases.add_all()
    signal_cases.add_all()
    failed = 0
    cases = [c for c in composed_cases.CASES + network_cases.NETWORKS if not names or c.name in names]
    with tempfile.TemporaryDirectory() as work:
        for case in cases:
            folder = (kept or pathlib.Path(work)) / case.name
            folder.mkdir(parents=True, exist_ok=True)
            problems = check(tacho, case, folder)
            failed += bool(problems)
            for problem in problems:
                print(f"FAIL {case.name}: {problem}")
    print(f"{len(cases) - failed} operators and networks agree with numpy, {failed} do not")
    return 0 if failed == 0 and cases else 1


sys.exit(main())

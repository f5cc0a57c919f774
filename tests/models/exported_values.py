#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exported models with weights, against the outputs that ONNX Runtime gave for the same inputs.

Each folder has model.onnx, input_0.npy and output_0.npy. Models run on the devices cpu and sim, by
fast and by reference kernels. How far an output may be off follows from the model's type:

  f32, f16    Two results of the same graph differ by the roundings of both. Roundings add up like the
              steps of a random walk: twice the root of their number on the longest way through the
              graph, times half a unit in the last place, of the largest element. A sum of K products
              counts K in f32; in f16 it counts one, since both sum up in wider types.
  quantised   The same: sums of bytes are exact, and what is rounded to bytes is rounded alike. Where the
              output is quantised, fast kernels may be one quantum off, as the last bit of an f32 can
              decide which of two quanta a real between them takes.

Usage: exported_values.py TACHO FOLDER [--at-least N]
Without the onnx package or the folder the test is skipped (77)."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import numpy_helper, shape_inference
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skip: python3-onnx is not installed")
    sys.exit(77)

RUNS = (("cpu", "fast"), ("cpu", "reference"), ("sim:aic100", "fast"), ("sim:aic100", "reference"))
MOVES = {"Reshape", "Transpose", "Concat", "Slice", "Split", "Squeeze", "Unsqueeze", "Gather", "Expand",
         "Identity", "Constant", "Shape", "Cast"}
SUMS = {"MatMul", "Gemm", "Conv", "LSTM", "GRU"}
RECURRENT = {"LSTM", "GRU", "DynamicQuantizeLSTM"}
UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11}  # whole numbers are exact


def known_shapes(model):
    shapes = {i.name: list(i.dims) for i in model.graph.initializer}
    for value in list(model.graph.value_info) + list(model.graph.input):
        shapes[value.name] = [d.dim_value for d in value.type.tensor_type.shape.dim]
    return shapes


def summed(node, shapes):
    """How many products an element of the node's result is the sum of."""
    shape = shapes.get(node.input[1], [])
    if node.op_type == "MatMul":
        return shape[-2] if len(shape) > 1 else 64
    return max(1, math.prod(shape[1:]))


def roundings(model, is_short):
    """On the longest way from the inputs to the outputs."""
    shapes = known_shapes(shape_inference.infer_shapes(model))
    length = {}
    for node in model.graph.node:
        before = max((length.get(i, 0) for i in node.input), default=0)
        own = 0 if node.op_type in MOVES else 4 if "Norm" in node.op_type or node.op_type == "Softmax" else 1
        if node.op_type in SUMS and not is_short:
            own += summed(node, shapes)
        steps = shapes.get(node.input[0], [1])[0] if node.op_type in RECURRENT else 1
        for output in node.output:
            length[output] = before + own * max(1, steps)
    return max(length[o.name] for o in model.graph.output)


def quantum(model):
    """The step between neighbouring values of the output, where it is quantised; otherwise 0."""
    last = next(n for n in model.graph.node if model.graph.output[0].name in n.output)
    scale = [i for i in model.graph.initializer if last.op_type == "DequantizeLinear" and i.name == last.input[1]]
    return float(numpy_helper.to_array(scale[0]).max()) if scale else 0


def allowed(model, expected, kernels):
    """The difference that the model's types explain, and why."""
    largest = float(np.abs(expected).max())
    count = roundings(model, expected.dtype == np.float16)
    by_rounding = 2 * math.sqrt(count) * UNITS.get(expected.dtype.name, 0) * largest
    if kernels == "fast" and quantum(model) > by_rounding:
        return quantum(model), "one quantum"
    return by_rounding, f"{count} roundings"


def run(tacho, folder, device, kernels, to):
    command = [tacho, "run", str(folder / "model.onnx"), "--device", device, "--kernels", kernels,
               f"--input=@{folder / 'input_0.npy'}", f"--output=@{to}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check(tacho, folder, to):
    """Lines to print, and whether all is well."""
    expected = np.load(folder / "output_0.npy")
    model = onnx.load(str(folder / "model.onnx"))
    lines, is_fine = [], True
    for device, kernels in RUNS:
        done = run(tacho, folder, device, kernels, to)
        if done.returncode != 0:
            error = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr)
            return [f"FAIL {folder.name}: {error}"], False
        found = np.load(to)
        bound, why = allowed(model, expected, kernels)
        same = found.shape == expected.shape and found.dtype == expected.dtype
        away = float(np.abs(found.astype(float) - expected.astype(float)).max()) if same else math.inf
        is_good = away <= bound
        is_fine = is_fine and is_good
        lines.append(f"{'agrees' if is_good else 'FAIL'} {folder.name} {device} {kernels}: "
                     f"{away:.3g} off, {bound:.3g} allowed ({why})")
    return lines, is_fine


def main():
    tacho, root = sys.argv[1], pathlib.Path(sys.argv[2])
    at_least = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    if not root.is_dir():
        print(f"skip: no {root}")
        return 77
    agreed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        for folder in sorted(p for p in root.iterdir() if (p / "output_0.npy").exists()):
            lines, is_fine = check(tacho, folder, os.path.join(work, "y.npy"))
            print("\n".join(lines))
            agreed += is_fine
            failed += not is_fine
    print(f"{agreed} models agree, {failed} do not")
    return 0 if failed == 0 and agreed >= at_least else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example models, against an evaluation of their graphs in numpy, operator by operator, in double
precision. Needs nothing from outside the tree, unlike exported_values.py, whose bounds it uses.

Usage: made_values.py TACHO MADE_FOLDER"""
import math
import pathlib
import sys
import tempfile

import exported_values  # skips where numpy or onnx is missing
import numpy as np
import onnx
from onnx import helper, numpy_helper

MODELS = ("batch4", "chain", "cnn", "cnn_qdq_i8", "cnn_qdq_u8", "external", "gemm_f16", "gemm_f32", "gemm_f64",
          "gemm_i8", "gemm_u8", "mobilenet", "seed2", "transformer")
ERF = np.vectorize(math.erf, otypes=[float])


def windows(x, kernel, strides, pads, fill):
    """Every window of the picture, as the last two dimensions."""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(2, 3))
    return view[:, :, ::strides[0], ::strides[1]]


def conv(x, w, bias=None, *, group=1, kernel_shape=None, strides=(1, 1), pads=(0, 0, 0, 0), **_):
    view = windows(x, w.shape[2:], strides, pads, 0)
    size, parts = w.shape[1], []
    for number, filters in enumerate(np.split(w, group)):
        part = view[:, number * size:(number + 1) * size]
        parts.append(np.einsum("nchwij,ocij->nohw", part, filters, optimize=True))
    y = np.concatenate(parts, axis=1)
    return y if bias is None else y + bias[:, None, None]


def batch_norm(x, scale, bias, mean, variance, *, epsilon=1e-5, **_):
    scale, bias, mean, variance = (v[:, None, None] for v in (scale, bias, mean, variance))
    return (x - mean) / np.sqrt(variance + epsilon) * scale + bias


def max_pool(x, *, kernel_shape, strides=(1, 1), pads=(0, 0, 0, 0), **_):
    return windows(x, kernel_shape, strides, pads, -np.inf).max(axis=(-1, -2))


def softmax(x, *, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def gemm(a, b, c=0, *, alpha=1, beta=1, transA=0, transB=0):
    return alpha * (a.T if transA else a) @ (b.T if transB else b) + beta * c


def quantize(x, scale, zero):
    limits = np.iinfo(zero.dtype)
    return np.clip(np.rint(x / scale) + float(zero), limits.min, limits.max).astype(zero.dtype)


def per_channel(values, axis, like):
    return values.reshape([-1 if i == axis else 1 for i in range(like.ndim)]) if values.ndim else values


def dequantize(x, scale, zero=None, *, axis=1):
    offset = 0 if zero is None else per_channel(zero.astype(float), axis, x)
    return (x.astype(float) - offset) * per_channel(scale, axis, x)


def matmul_integer(a, b, a_zero=0, b_zero=0):
    return (a.astype(np.int64) - a_zero) @ (b.astype(np.int64) - b_zero)


def reduce_mean(x, *, axes=None, keepdims=1):
    return x.mean(tuple(axes) if axes else None, keepdims=bool(keepdims))


OPERATORS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "Sqrt": np.sqrt,
    "Relu": lambda x: np.maximum(x, 0), "Clip": lambda x, low=-np.inf, high=np.inf: np.clip(x, low, high),
    "Erf": ERF, "MatMul": np.matmul, "Conv": conv, "BatchNormalization": batch_norm, "MaxPool": max_pool,
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True), "Flatten": lambda x, axis=1: x.reshape(len(x), -1),
    "Gemm": gemm, "Softmax": softmax, "QuantizeLinear": quantize, "DequantizeLinear": dequantize,
    "MatMulInteger": matmul_integer, "ReduceMean": reduce_mean, "Transpose": lambda x, perm=None: x.transpose(perm),
    "Reshape": lambda x, shape: x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(shape.astype(int))]),
}


def exact(values):
    """Reals in double precision; whole numbers as they are."""
    return values.astype(float) if values.dtype.kind == "f" else values


def evaluate(model, feed, folder):
    onnx.external_data_helper.load_external_data_for_model(model, str(folder))
    known = {i.name: exact(numpy_helper.to_array(i)) for i in model.graph.initializer}
    known[model.graph.input[0].name] = exact(feed)
    for node in model.graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        known[node.output[0]] = OPERATORS[node.op_type](*(known[i] for i in node.input if i), **attributes)
    return known[model.graph.output[0].name]


def prepare(name, made, folder):
    """The model, an input and its output, as exported_values.py reads them."""
    model = onnx.load(str(made / f"{name}.onnx"), load_external_data=False)
    entry, result = model.graph.input[0].type.tensor_type, model.graph.output[0].type.tensor_type
    shape = [d.dim_value for d in entry.shape.dim]
    kind = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[entry.elem_type]
    random = np.random.RandomState(sum(name.encode()))
    feed = random.standard_normal(shape) if kind.kind == "f" else random.randint(0, 100, shape)
    feed = feed.astype(kind)
    output = evaluate(model, feed, made).astype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[result.elem_type])
    folder.mkdir()
    onnx.save(model, str(folder / "model.onnx"))
    np.save(folder / "input_0.npy", feed)
    np.save(folder / "output_0.npy", output)


def main():
    tacho, made = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for name in MODELS:
            prepare(name, made, pathlib.Path(work, name))
            lines, is_fine = exported_values.check(tacho, pathlib.Path(work, name), f"{work}/y.npy")
            print("\n".join(lines))
            failed += not is_fine
    print(f"{len(MODELS) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

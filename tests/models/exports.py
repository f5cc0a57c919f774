#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small graphs with what exporters write, compiled for every machine and run, against numpy.

Each case makes a model, its inputs and the outputs that numpy (or the code behind the standard's own
tests) gives. tacho must compile it for all machines and compute the outputs, with fast and with
reference kernels; or refuse it with the words that the case says.

Usage: exports.py TACHO FOLDER [CASE...]
Needs the onnx package; without it the test is skipped (77)."""
import os
import pathlib
import subprocess
import sys

try:
    import numpy as np
    import onnx
    from onnx import TensorProto as T
    from onnx import helper as h
    from onnx import numpy_helper
    from onnx.backend.test.case.node import resize as resizes
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skip: python3-onnx is not installed")
    sys.exit(77)

RNG = np.random.default_rng(20)
CASES = {}
DTYPES = {np.dtype("float32"): T.FLOAT, np.dtype("int64"): T.INT64, np.dtype("float16"): T.FLOAT16,
          np.dtype("bool"): T.BOOL, np.dtype("int32"): T.INT32}


class Case:
    """A model under construction: |ins| and |outs| are arrays by name."""

    def __init__(self, opset):
        self.opset, self.nodes, self.inits = opset, [], []
        self.ins, self.outs, self.options = {}, {}, []
        self.asks = None  # what compiling without values asks for; a run has them
        self.shapes, self.also_inputs, self.tolerance, self.external = {}, [], 1e-5, False
        self.exit = 0  # of compiling: 3 where an operator has no rule of cost

    def input(self, name, array, dims=None):
        self.ins[name] = array
        self.shapes[name] = list(array.shape) if dims is None else dims
        for size, dim in zip(array.shape, dims or []):
            if isinstance(dim, str) and ["--dim", f"{dim}={size}"] != self.options[-2:]:
                if f"{dim}={size}" not in self.options:
                    self.options += ["--dim", f"{dim}={size}"]
        return name

    def const(self, name, values, dtype=np.int64):
        self.inits.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def node(self, op, inputs, outputs, **attrs):
        self.nodes.append(h.make_node(op, inputs, outputs, name=f"/{op}_{len(self.nodes)}", **attrs))
        return outputs[0]

    def output(self, name, array):
        self.outs[name] = array

    def model(self):
        inputs = [h.make_tensor_value_info(n, DTYPES[a.dtype], self.shapes[n])
                  for n, a in self.ins.items()]
        inputs += [h.make_tensor_value_info(i.name, i.data_type, list(i.dims))
                   for i in self.inits if i.name in self.also_inputs]
        outputs = [h.make_tensor_value_info(n, DTYPES[a.dtype], [None] * a.ndim)
                   for n, a in self.outs.items()]
        graph = h.make_graph(self.nodes, "export", inputs, outputs, self.inits)
        made = h.make_model(graph, opset_imports=[h.make_opsetid("", self.opset)])
        made.ir_version = 3 if self.also_inputs else 8
        return made


def case(function):
    CASES[function.__name__] = function
    return function


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# ---- shapes ---------------------------------------------------------------------------------

@case
def reshape_by_shape():
    """Heads split by dimensions that Shape, Gather, Unsqueeze and Concat find."""
    c = Case(13)
    x = normal(2, 5, 8)
    c.input("x", x, ["batch", "seq", 8])
    c.node("Shape", ["x"], ["s"])
    for i, name in enumerate(["b", "t"]):
        c.const(f"i{i}", i)
        c.node("Gather", ["s", f"i{i}"], [name], axis=0)
        c.const(f"a{i}", [0])
        c.node("Unsqueeze", [name, f"a{i}"], [name + "1"])
    c.const("four", [4])
    c.const("minus", [-1])
    c.node("Concat", ["b1", "t1", "four", "minus"], ["to"], axis=0)
    c.node("Reshape", ["x", "to"], ["heads"])
    c.node("Transpose", ["heads"], ["turned"], perm=[0, 2, 1, 3])
    c.const("two", 2)
    c.node("Mul", ["b", "two"], ["twice"])
    c.node("Unsqueeze", ["twice", "a0"], ["twice1"])
    c.node("Concat", ["twice1", "minus"], ["flat"], axis=0)
    c.node("Reshape", ["turned", "flat"], ["y"])
    c.output("y", x.reshape(2, 5, 4, 2).transpose(0, 2, 1, 3).reshape(4, -1))
    return c


@case
def masked_attention():
    """Scores masked through Cast, Expand by a computed shape, and Where."""
    c = Case(14)
    q, k, v = normal(2, 3, 4, 8), normal(2, 3, 4, 8), normal(2, 3, 4, 8)
    mask = np.array([[1, 1, 1, 0], [1, 0, 0, 0]], np.int64)
    for name, array in (("q", q), ("k", k), ("v", v)):
        c.input(name, array, ["batch", 3, "seq", 8])
    c.input("mask", mask, ["batch", "seq"])
    c.const("a12", [1, 2])
    c.node("Unsqueeze", ["mask", "a12"], ["m4"])
    c.node("Shape", ["mask"], ["ms"])
    c.const("first", 0)
    c.const("second", 1)
    c.const("a0", [0])
    c.const("one", [1])
    for at, name in (("first", "b"), ("second", "s")):
        c.node("Gather", ["ms", at], [name])
        c.node("Unsqueeze", [name, "a0"], [name + "1"])
    c.node("Concat", ["b1", "one", "s1", "s1"], ["to"], axis=0)
    c.node("Expand", ["m4", "to"], ["m"])
    c.node("Cast", ["m"], ["keep"], to=T.BOOL)
    c.node("Not", ["keep"], ["drop"])
    c.node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2])
    c.node("MatMul", ["q", "kt"], ["raw"])
    c.const("root", 8 ** 0.5, np.float32)
    c.node("Div", ["raw", "root"], ["scaled"])
    c.const("low", -1e9, np.float32)
    c.node("Where", ["drop", "low", "scaled"], ["scores"])
    c.node("Softmax", ["scores"], ["p"], axis=-1)
    c.node("MatMul", ["p", "v"], ["y"])
    scores = np.where(mask[:, None, None, :] != 0, q @ k.swapaxes(2, 3) / 8 ** 0.5, -1e9)
    c.output("y", (softmax(scores) @ v).astype(np.float32))
    return c


@case
def einsums():
    """Products by equation: attention, a trace, an outer product, dots that broadcast."""
    c = Case(13)
    a, b, d = normal(2, 3, 4), normal(2, 5, 4), normal(3, 3)
    for name, array in (("a", a), ("b", b), ("d", d)):
        c.input(name, array)
    for i, (names, rule) in enumerate([
            ("ab", "bid,bjd->bij"), ("d", "ii->"), ("dd", "ij,kl->ijkl"), ("ad", "bid, ij->bjd"),
            ("ab", "...id,...jd"), ("da", "ij,...jd->...id"), ("aad", "bid,bid,ii->b")]):
        c.node("Einsum", list(names), [f"y{i}"], equation=rule)
        y = np.einsum(rule, *({"a": a, "b": b, "d": d}[n] for n in names))
        c.output(f"y{i}", np.asarray(y, np.float32))
    c.exit = 3  # the one of three operands
    return c


# ---- recurrent ------------------------------------------------------------------------------

def lstm_steps(x, w, r, b, hidden, state, cell):
    out = []
    for step in x:
        gates = step @ w.T + state @ r.T + b[:4 * hidden] + b[4 * hidden:]
        i, o, f, g = np.split(gates, 4, axis=-1)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        state = sigmoid(o) * np.tanh(cell)
        out.append(state)
    return np.stack(out), state, cell


@case
def lstm_both_ways():
    """Without lengths ("") and with first states; of the first layer only Y, of the second Y_h."""
    c = Case(14)
    n, x, h0, c0 = 4, normal(5, 2, 3), normal(2, 2, 4), normal(2, 2, 4)
    c.input("x", x, [5, "batch", 3])
    c.input("h0", h0, [2, "batch", 4])
    c.input("c0", c0, [2, "batch", 4])
    w, r, b = normal(2, 4 * n, 3), normal(2, 4 * n, n), normal(2, 8 * n)
    for name, array in (("w", w), ("r", r), ("b", b)):
        c.const(name, array, np.float32)
    c.node("LSTM", ["x", "w", "r", "b", "", "h0", "c0"], ["all"], hidden_size=n,
           direction="bidirectional")
    c.node("Transpose", ["all"], ["turned"], perm=[0, 2, 1, 3])
    c.const("to", [0, 0, -1])
    c.node("Reshape", ["turned", "to"], ["flat"])
    w2, r2 = normal(1, 4 * n, 2 * n), normal(1, 4 * n, n)
    c.const("w2", w2, np.float32)
    c.const("r2", r2, np.float32)
    c.node("LSTM", ["flat", "w2", "r2"], ["", "last", "cell"], hidden_size=n)
    ahead = lstm_steps(x, w[0], r[0], b[0], n, h0[0], c0[0])[0]
    back = lstm_steps(x[::-1], w[1], r[1], b[1], n, h0[1], c0[1])[0][::-1]
    zero = np.zeros((2, n), np.float32)
    _, last, cell = lstm_steps(np.concatenate([ahead, back], -1), w2[0], r2[0],
                               np.zeros(8 * n, np.float32), n, zero, zero)
    c.output("last", last[None].astype(np.float32))
    c.output("cell", cell[None].astype(np.float32))
    return c


@case
def gru_with_lengths():
    """The reset after the product, as PyTorch writes it; shorter sequences end in zeros."""
    c = Case(14)
    n, x, lengths = 3, normal(4, 2, 2), np.array([4, 2], np.int32)
    c.input("x", x)
    c.input("lengths", lengths)
    w, r, b = normal(2, 3 * n, 2), normal(2, 3 * n, n), normal(2, 6 * n)
    for name, array in (("w", w), ("r", r), ("b", b)):
        c.const(name, array, np.float32)
    c.node("GRU", ["x", "w", "r", "b", "lengths"], ["all", "last"], hidden_size=n,
           direction="bidirectional", linear_before_reset=1)
    every, last = np.zeros((4, 2, 2, n)), np.zeros((2, 2, n))
    for d in range(2):
        for s in range(2):
            state = np.zeros(n)
            steps = range(lengths[s])
            for t in reversed(steps) if d else steps:
                wz, wr, wh = np.split(w[d] @ x[t, s] + b[d][:3 * n], 3)
                rz, rr, rh = np.split(r[d] @ state + b[d][3 * n:], 3)
                z = sigmoid(wz + rz)
                state = (1 - z) * np.tanh(wh + sigmoid(wr + rr) * rh) + z * state
                every[t, d, s] = state
            last[d, s] = state
    c.output("all", every.astype(np.float32))
    c.output("last", last.astype(np.float32))
    return c


@case
def gru_and_rnn():
    """The reset before the product, no bias; an RNN in reverse, with ReLU."""
    c = Case(7)
    n, x = 3, normal(4, 1, 2)
    c.input("x", x)
    w, r = normal(1, 3 * n, 2), normal(1, 3 * n, n)
    v, u, b = normal(1, n, n), normal(1, n, n), normal(1, 2 * n)
    for name, array in (("w", w), ("r", r), ("v", v), ("u", u), ("b", b)):
        c.const(name, array, np.float32)
    c.node("GRU", ["x", "w", "r"], ["all"], hidden_size=n)
    c.node("Squeeze", ["all"], ["flat"], axes=[1])
    c.node("RNN", ["flat", "v", "u", "b"], ["y"], hidden_size=n, direction="reverse",
           activations=["Relu"])
    state, states = np.zeros(n), []
    for t in range(4):
        wz, wr, wh = np.split(w[0] @ x[t, 0], 3)
        rz, rr, _ = np.split(r[0] @ state, 3)
        z, reset = sigmoid(wz + rz), sigmoid(wr + rr)
        state = (1 - z) * np.tanh(wh + r[0][2 * n:] @ (reset * state)) + z * state
        states.append(state)
    out, state = np.zeros((4, 1, 1, n)), np.zeros(n)
    for t in reversed(range(4)):
        state = np.maximum(v[0] @ states[t] + u[0] @ state + b[0][:n] + b[0][n:], 0)
        out[t, 0, 0] = state
    c.output("y", out.astype(np.float32))
    return c


# ---- pictures -------------------------------------------------------------------------------

@case
def resize_variants():
    c = Case(13)
    x = normal(1, 2, 4, 5)
    c.input("x", x)
    c.const("scales", [1, 1, 2, 1.6], np.float32)
    c.const("sizes", [1, 2, 3, 9])
    near, line, cubic = resizes.nearest_coeffs, resizes.linear_coeffs, resizes.cubic_coeffs
    for i, (mode, how, rounding, by) in enumerate([
            ("nearest", "asymmetric", "floor", "scales"),
            ("nearest", "half_pixel", "round_prefer_ceil", "sizes"),
            ("nearest", "align_corners", "round_prefer_floor", "sizes"),
            ("linear", "half_pixel", "", "scales"), ("linear", "align_corners", "", "sizes"),
            ("linear", "pytorch_half_pixel", "", "sizes"), ("cubic", "half_pixel", "", "sizes"),
            ("cubic", "asymmetric", "", "scales")]):
        attrs = {"mode": mode, "coordinate_transformation_mode": how}
        if mode == "nearest":
            attrs["nearest_mode"] = rounding
        operands = ["x", "", "scales"] if by == "scales" else ["x", "", "", "sizes"]
        c.node("Resize", operands, [f"y{i}"], **attrs)
        given = {"scale_factors": np.array([1, 1, 2, 1.6], np.float32)} if by == "scales" else \
            {"output_size": np.array([1, 2, 3, 9])}
        if mode == "nearest":
            def weigh(ratio, *_scale, rounding=rounding):  # newer releases of the package pass the scale, too
                return near(ratio, mode=rounding)
        else:
            weigh = line if mode == "linear" else cubic
        y = resizes.interpolate_nd(x, weigh, coordinate_transformation_mode=how, **given)
        c.output(f"y{i}", y.astype(np.float32))
    return c


@case
def resize_older():
    """Upsample of opset 9, and Resize of opset 10 without a region."""
    c = Case(9)
    x = normal(1, 1, 3, 2)
    c.input("x", x)
    c.const("scales", [1, 1, 2, 3], np.float32)
    c.node("Upsample", ["x", "scales"], ["y"], mode="nearest")
    c.output("y", x.repeat(2, 2).repeat(3, 3))
    return c


def transposed(x, w, strides, pads, padding, group):
    """ConvTranspose, by its definition."""
    n, channels, height, width = x.shape
    _, per, kh, kw = w.shape
    full = np.zeros((n, per * group, (height - 1) * strides[0] + kh + padding[0],
                     (width - 1) * strides[1] + kw + padding[1]))
    size = channels // group
    for b, ch, i, j in np.ndindex(*x.shape):
        to = ch // size * per
        at = full[b, to:to + per, i * strides[0]:i * strides[0] + kh,
                  j * strides[1]:j * strides[1] + kw]
        at += x[b, ch, i, j] * w[ch]
    return full[:, :, pads[0]:full.shape[2] - pads[2], pads[1]:full.shape[3] - pads[3]]


@case
def conv_transpose():
    """output_padding, groups, and output_shape instead of pads."""
    c = Case(11)
    x, w, v, b = normal(1, 4, 3, 4), normal(4, 3, 3, 3), normal(4, 1, 3, 3), normal(2)
    c.input("x", x, ["n", 4, "height", "width"])
    for name, array in (("w", w), ("v", v), ("b", b)):
        c.const(name, array, np.float32)
    c.node("ConvTranspose", ["x", "w"], ["y"], kernel_shape=[3, 3], strides=[2, 2],
           pads=[1, 1, 1, 1], output_padding=[1, 1])
    c.output("y", transposed(x, w, (2, 2), (1, 1, 1, 1), (1, 1), 1).astype(np.float32))
    c.node("ConvTranspose", ["x", "v", "b"], ["z"], strides=[2, 3], group=2,
           output_padding=[0, 1])
    grouped = transposed(x, v, (2, 3), (0, 0, 0, 0), (0, 1), 2) + b[:, None, None]
    c.output("z", grouped.astype(np.float32))
    c.node("ConvTranspose", ["x", "w"], ["o"], strides=[2, 2], output_shape=[6, 8])
    whole = transposed(x, w, (2, 2), (0, 0, 0, 0), (0, 0), 1)
    c.output("o", whole[:, :, 1:, 1:].astype(np.float32))  # one too many: cut in front
    return c


@case
def pad_modes():
    c = Case(13)
    x = normal(2, 3, 4)
    c.input("x", x, ["n", 3, 4])
    c.const("pads", [0, 1, 2, 0, 0, 3])
    c.const("crop", [0, 0, -1, 0, 1, -2])
    c.const("value", 2.5, np.float32)
    widths = [(0, 0), (1, 0), (2, 3)]
    c.node("Pad", ["x", "pads"], ["zero"])
    c.output("zero", np.pad(x, widths))
    c.node("Pad", ["x", "pads", "value"], ["filled"], mode="constant")
    c.output("filled", np.pad(x, widths, constant_values=2.5))
    c.node("Pad", ["x", "pads"], ["mirrored"], mode="reflect")
    c.output("mirrored", np.pad(x, widths, mode="reflect"))
    c.node("Pad", ["x", "pads"], ["edges"], mode="edge")
    c.output("edges", np.pad(x, widths, mode="edge"))
    c.node("Pad", ["x", "crop"], ["cropped"])
    c.output("cropped", np.pad(x[:, :, 1:2], [(0, 0), (0, 1), (0, 0)]))
    return c


@case
def pad_axes():
    """Axes of opset 18, and wrapping of 19."""
    c = Case(19)
    x = normal(2, 3, 4)
    c.input("x", x)
    c.const("pads", [1, 2])
    c.const("axes", [-1])
    c.const("both", [0, 1, 0, 0, 2, 3])
    c.node("Pad", ["x", "pads", "", "axes"], ["y"])
    c.output("y", np.pad(x, [(0, 0), (0, 0), (1, 2)]))
    c.node("Pad", ["x", "both"], ["z"], mode="wrap")
    c.output("z", np.pad(x, [(0, 0), (1, 2), (0, 3)], mode="wrap"))
    return c


# ---- parts ----------------------------------------------------------------------------------

@case
def split_and_slice():
    """Uneven parts, by operand; slices backwards, with ends beyond the tensor."""
    c = Case(13)
    x = normal(3, 7)
    c.input("x", x, ["n", 7])
    c.const("parts", [1, 4, 2])
    c.node("Split", ["x", "parts"], ["a", "b", "c"], axis=1)
    for name, part in zip("abc", np.split(x, [1, 5], 1)):
        c.output(name, part)
    c.const("from", [-1, 6])
    c.const("past", [-2 ** 63, 0])
    c.const("axes", [0, -1])
    c.const("steps", [-1, -2])
    c.node("Slice", ["x", "from", "past", "axes", "steps"], ["back"])
    c.output("back", np.ascontiguousarray(x[::-1, 6:0:-2]))
    c.const("low", [1])
    c.const("high", [2 ** 31 - 1])
    c.const("last", [1])
    c.node("Slice", ["x", "low", "high", "last"], ["rest"])
    c.output("rest", np.ascontiguousarray(x[:, 1:]))
    return c


@case
def split_newer():
    """num_outputs of opset 18, where the last part is smaller; axes of sums as operands."""
    c = Case(18)
    x = normal(7, 4)
    c.input("x", x)
    c.node("Split", ["x"], ["a", "b", "c"], num_outputs=3)
    for name, part in zip("abc", (x[:3], x[3:6], x[6:])):
        c.output(name, part)
    c.const("axes", [1])
    c.node("ReduceMean", ["x", "axes"], ["mean"], keepdims=0)
    c.output("mean", x.mean(1))
    c.node("ReduceMax", ["x"], ["most"])
    c.output("most", x.max().reshape(1, 1))
    return c


@case
def split_older():
    """Attributes of opset 7: parts, axes of Squeeze, bounds of Slice and Clip."""
    c = Case(7)
    x = normal(5, 1, 3)
    c.input("x", x)
    c.node("Split", ["x"], ["a", "b"], axis=0, split=[2, 3])
    c.node("Squeeze", ["a"], ["flat"], axes=[1])
    c.output("flat", x[:2, 0])
    c.node("Slice", ["b"], ["cut"], starts=[1, -2], ends=[100, 3], axes=[0, 2])
    c.node("Clip", ["cut"], ["y"], min=-0.5, max=0.5)
    c.output("y", np.clip(x[3:, :, 1:], -0.5, 0.5))
    return c


# ---- heads ----------------------------------------------------------------------------------

@case
def classifier_heads():
    c = Case(13)
    x = normal(2, 9)
    c.input("x", x, ["batch", 9])
    c.const("k", [3])
    c.node("TopK", ["x", "k"], ["best", "which"], axis=-1)
    order = np.argsort(-x, 1, kind="stable")[:, :3]
    c.output("best", np.take_along_axis(x, order, 1))
    c.output("which", order.astype(np.int64))
    c.node("ArgMax", ["x"], ["first"], axis=1, keepdims=0)
    c.output("first", x.argmax(1).astype(np.int64))
    c.node("ArgMin", ["x"], ["least"], axis=-1, keepdims=1)
    c.output("least", x.argmin(1)[:, None].astype(np.int64))
    c.node("TopK", ["x", "k"], ["", "worst"], axis=1, largest=0)
    c.output("worst", np.argsort(x, 1, kind="stable")[:, :3].astype(np.int64))
    return c


@case
def box_head():
    """Suppression of boxes: as many as there are is known only when it runs."""
    c = Case(11)
    c.input("boxes", np.array([[[5, 5, 6, 6], [0, 0, 2, 2], [0, 0, 2, 2.1], [9, 9, 9.5, 9.5]]], np.float32))
    c.input("scores", np.array([[[0.1, 0.8, 0.9, 0.5]]], np.float32))
    c.const("most", [3])
    c.const("overlap", [0.5], np.float32)
    c.node("NonMaxSuppression", ["boxes", "scores", "most", "overlap"], ["chosen"])
    c.output("chosen", np.array([[0, 0, 2], [0, 0, 3], [0, 0, 0]]))
    c.asks = "the shape of 'chosen' (i64 ?x3) follows from values"
    return c


@case
def box_head_sized():
    """The same with the number of results given: the second box overlaps the first."""
    c = Case(11)
    c.input("boxes", np.array([[[0, 0, 2, 2], [0, 0, 2, 2.1], [5, 5, 6, 6]]], np.float32))
    c.input("scores", np.array([[[0.9, 0.8, 0.7]]], np.float32))
    c.const("most", [3])
    c.const("overlap", [0.5], np.float32)
    c.node("NonMaxSuppression", ["boxes", "scores", "most", "overlap"], ["chosen"])
    c.node("Cast", ["chosen"], ["real"], to=T.FLOAT)
    c.output("real", np.array([[0, 0, 0], [0, 0, 2]], np.float32))
    c.options += ["--dim", "chosen.0=2"]
    return c


# ---- operands -------------------------------------------------------------------------------

@case
def absent_operands():
    """Clip without a lower bound, Dropout with a mask that nobody wants, Identity to an output."""
    c = Case(13)
    x = normal(2, 3)
    c.input("x", x)
    c.const("high", 0.25, np.float32)
    c.node("Clip", ["x", "", "high"], ["y"])
    c.output("y", np.minimum(x, 0.25).astype(np.float32))
    c.const("ratio", 0.5, np.float32)
    c.node("Dropout", ["x", "ratio"], ["kept", "mask"])
    c.node("Identity", ["kept"], ["same"])
    c.output("same", x)
    return c


@case
def constants_as_inputs():
    """Files of IR 3 list their constants as inputs, too."""
    c = Case(9)
    x, w, b = normal(1, 2, 4, 4), normal(3, 2, 1, 1), normal(3)
    scale, shift, mean, var = normal(3), normal(3), normal(3), np.abs(normal(3)) + 1
    c.input("x", x)
    for name, array in (("w", w), ("b", b), ("scale", scale), ("shift", shift), ("mean", mean),
                        ("var", var)):
        c.const(name, array, np.float32)
    c.const("to", [0, -1])
    c.also_inputs = ["w", "b", "scale", "shift", "mean", "var", "to"]
    c.node("Conv", ["x", "w", "b"], ["conv"])
    c.node("BatchNormalization", ["conv", "scale", "shift", "mean", "var"], ["norm"], epsilon=1e-3)
    c.node("Relu", ["norm"], ["relu"])
    c.node("Reshape", ["relu", "to"], ["y"])
    conv = np.einsum("oi,nihw->nohw", w[:, :, 0, 0], x) + b[:, None, None]
    norm = (conv - mean[:, None, None]) / np.sqrt(var + 1e-3)[:, None, None]
    norm = norm * scale[:, None, None] + shift[:, None, None]
    c.output("y", np.maximum(norm, 0).reshape(1, -1).astype(np.float32))
    return c


@case
def weights_in_a_file():
    c = Case(13)
    x, w = normal(2, 64), normal(64, 32)
    c.input("x", x, ["n", 64])
    c.const("w", w, np.float32)
    c.node("MatMul", ["x", "w"], ["y"])
    c.output("y", x @ w)
    c.external = True
    return c


@case
def half_weights():
    """Weights of f16 and bf16 that a Cast widens."""
    c = Case(13)
    x, w = normal(3, 4), normal(4, 5).astype(np.float16)
    bits = normal(5, 2).view(np.uint32) >> 16
    c.input("x", x)
    c.const("w", w, np.float16)
    raw = bits.astype(np.uint16).tobytes()
    c.inits.append(h.make_tensor("v", T.BFLOAT16, [5, 2], raw, raw=True))
    c.node("Cast", ["w"], ["wide"], to=T.FLOAT)
    c.node("Cast", ["v"], ["wider"], to=T.FLOAT)
    c.node("MatMul", ["x", "wide"], ["mid"])
    c.node("MatMul", ["mid", "wider"], ["y"])
    c.output("y", x @ w.astype(np.float32) @ (bits << 16).astype(np.uint32).view(np.float32))
    return c


@case
def half_network():
    c = Case(17)
    x, w = normal(2, 8).astype(np.float16), normal(8, 8).astype(np.float16)
    c.input("x", x)
    c.const("w", w, np.float16)
    c.const("scale", np.ones(8), np.float16)
    c.node("MatMul", ["x", "w"], ["mid"])
    c.node("LayerNormalization", ["mid", "scale"], ["y"], axis=-1)
    mid = (x.astype(np.float64) @ w.astype(np.float64)).astype(np.float16).astype(np.float64)
    away = mid - mid.mean(1, keepdims=True)
    c.output("y", (away / np.sqrt((away ** 2).mean(1, keepdims=True) + 1e-5)).astype(np.float16))
    c.tolerance = 2e-3
    return c


@case
def whole_numbers():
    """Division goes towards zero, the remainder has the divisor's sign; positions by Range."""
    c = Case(13)
    x, y = np.array([[-7, 7, 2 ** 40, -1]]), np.array([[2, -2, 3, 5]])
    c.input("x", x, ["n", 4])
    c.input("d", y, ["n", 4])
    c.node("Div", ["x", "d"], ["q"])
    c.output("q", np.array([[-3, -3, 2 ** 40 // 3, 0]]))
    c.node("Mod", ["x", "d"], ["m"])
    c.output("m", x % y)
    c.node("Shape", ["x"], ["s"])
    c.const("at", 1)
    c.node("Gather", ["s", "at"], ["n1"])
    c.const("none", 0)
    c.const("one", 1)
    c.node("Range", ["none", "n1", "one"], ["r"])
    c.node("Add", ["x", "r"], ["sum"])
    c.output("sum", x + np.arange(4))
    c.const("axis", 1)
    c.node("CumSum", ["x", "axis"], ["running"])
    c.output("running", np.cumsum(x, 1))
    c.node("Less", ["x", "d"], ["less"])
    c.node("Where", ["less", "x", "d"], ["low"])
    c.output("low", np.minimum(x, y))
    return c


@case
def newest_forms():
    """Opset 21: GELU as one node, groups normalised by channel, a size of 0 in a Reshape."""
    c = Case(21)
    x = normal(2, 4, 3)
    c.input("x", x, ["n", 4, 3])
    scale, shift = normal(4), normal(4)
    c.const("scale", scale, np.float32)
    c.const("shift", shift, np.float32)
    c.node("GroupNormalization", ["x", "scale", "shift"], ["norm"], num_groups=2, epsilon=1e-5)
    c.node("Gelu", ["norm"], ["gelu"], approximate="tanh")
    c.const("to", [0, -1])
    c.node("Reshape", ["gelu", "to"], ["y"])
    groups = x.reshape(2, 2, -1).astype(np.float64)
    groups = (groups - groups.mean(2, keepdims=True)) / np.sqrt(groups.var(2, keepdims=True) + 1e-5)
    norm = groups.reshape(x.shape) * scale[:, None] + shift[:, None]
    gelu = norm / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (norm + 0.044715 * norm ** 3)))
    c.output("y", gelu.reshape(2, -1).astype(np.float32))
    return c


# ---- control --------------------------------------------------------------------------------

def branch(name, nodes, outputs, inits=()):
    infos = [h.make_tensor_value_info(o, kind, None) for o, kind in outputs]
    return h.make_graph(nodes, name, [], infos, list(inits))


@case
def if_by_shape():
    """As PyTorch exports squeeze(1): an If that the shape decides, and the outputs of it in use."""
    c = Case(13)
    x = normal(3, 1, 4)
    c.input("x", x, ["n", "one", 4])
    c.node("Shape", ["x"], ["s"])
    c.const("at", 1)
    c.node("Gather", ["s", "at"], ["dim"])
    c.const("one", 1)
    c.node("Equal", ["dim", "one"], ["is_one"])
    axes = numpy_helper.from_array(np.array([1], np.int64), "axes")
    then = branch("then", [h.make_node("Squeeze", ["x", "axes"], ["squeezed"], name="in_then")],
                  [("squeezed", T.FLOAT)], [axes])
    other = branch("else", [h.make_node("Identity", ["x"], ["squeezed"])], [("squeezed", T.FLOAT)])
    c.node("If", ["is_one"], ["picked"], then_branch=then, else_branch=other)
    c.node("Relu", ["picked"], ["y"])
    c.output("y", np.maximum(x[:, 0], 0))
    return c


@case
def if_by_input():
    """The rate decides, and inside it a shape; values from outside, twice, and a constant."""
    c = Case(16)
    x = normal(2, 4)
    c.input("x", x, ["n", 4])
    c.input("rate", np.array(16000, np.int64))
    c.options += ["--bind", "rate=16000"]
    c.const("fast", 16000)
    c.node("Equal", ["rate", "fast"], ["is_fast"])
    c.node("Neg", ["x"], ["minus"])
    factor = numpy_helper.from_array(np.array(3, np.float32), "factor")
    deep = branch("deep", [h.make_node("Add", ["scaled", "minus"], ["joined"])],
                  [("joined", T.FLOAT)])
    never = branch("never", [h.make_node("Exp", ["scaled"], ["joined"])], [("joined", T.FLOAT)])
    size = h.make_node("Constant", [], ["eight"], value=numpy_helper.from_array(np.array(8)))
    then = branch("then", [
        h.make_node("Mul", ["x", "factor"], ["scaled"]), h.make_node("Size", ["x"], ["count"]),
        size, h.make_node("Equal", ["count", "eight"], ["is_eight"]),
        h.make_node("If", ["is_eight"], ["inner"], then_branch=deep, else_branch=never),
    ], [("inner", T.FLOAT), ("scaled", T.FLOAT), ("scaled", T.FLOAT), ("minus", T.FLOAT),
        ("factor", T.FLOAT)], [factor])
    other = branch("else", [h.make_node("Relu", ["x"], [f"o{i}"]) for i in range(5)],
                   [(f"o{i}", T.FLOAT) for i in range(5)])
    c.node("If", ["is_fast"], ["a", "b", "c", "d", "e"], then_branch=then, else_branch=other)
    c.node("Sum", ["a", "b", "c", "d", "e"], ["y"])
    c.output("y", 2 * x + 3 * x + 3 * x - x + 3)
    c.output("c", 3 * x)
    return c


@case
def if_undecided():
    c = if_by_input()
    c.options = ["--dim", "n=2"]
    c.asks = "its condition depends on input 'rate'; fix it with --bind rate=VALUE"
    return c


@case
def if_by_data():
    """A branch that values choose: both are computed, as only a run knows which counts."""
    c = Case(13)
    x = normal(40)
    c.input("x", x)
    c.node("ReduceSum", ["x"], ["sum"], keepdims=0)
    c.const("none", 0, np.float32)
    c.node("Greater", ["sum", "none"], ["some"])
    then = branch("then", [h.make_node("Relu", ["x"], ["a"])], [("a", T.FLOAT)])
    other = branch("else", [h.make_node("Neg", ["x"], ["b"])], [("b", T.FLOAT)])
    c.node("If", ["some"], ["picked"], then_branch=then, else_branch=other)
    c.node("Exp", ["picked"], ["y"])
    c.output("y", np.exp(np.maximum(x, 0) if x.sum() > 0 else -x))
    return c


def loop_body():
    info = h.make_tensor_value_info
    return h.make_graph(
        [h.make_node("Identity", ["go"], ["on"]), h.make_node("Add", ["v", "v"], ["w"])], "body",
        [info("i", T.INT64, []), info("go", T.BOOL, []), info("v", T.FLOAT, [2])],
        [info("on", T.BOOL, []), info("w", T.FLOAT, [2])])


@case
def loop():
    c = Case(13)
    x = normal(2)
    c.input("x", x)
    c.const("times", 3)
    c.const("true", True, np.bool_)
    c.node("Loop", ["times", "true", "x"], ["last"], body=loop_body())
    c.node("Relu", ["last"], ["y"])
    c.output("y", np.maximum(x * 8, 0))
    return c


@case
def loop_by_data():
    """As often as an input says, which only a run knows."""
    c = Case(13)
    x = normal(2)
    c.input("x", x)
    c.input("times", np.array(3))
    c.node("Loop", ["times", "", "x"], ["last"], body=loop_body())
    c.node("Relu", ["last"], ["y"])
    c.output("y", np.maximum(x * 8, 0))
    c.asks = "if an input says it, fix that input"
    return c


@case
def scan():
    c = Case(13)
    x = normal(3, 2)
    info = h.make_tensor_value_info
    body = h.make_graph([h.make_node("Add", ["s", "v"], ["t"]), h.make_node("Neg", ["t"], ["o"])],
                        "body", [info("s", T.FLOAT, [2]), info("v", T.FLOAT, [2])],
                        [info("t", T.FLOAT, [2]), info("o", T.FLOAT, [2])])
    c.input("x", x)
    c.const("zero", [0, 0], np.float32)
    c.node("Scan", ["zero", "x"], ["last", "all"], body=body, num_scan_inputs=1)
    c.node("Relu", ["all"], ["y"])
    c.output("y", np.maximum(-np.cumsum(x, 0), 0))
    return c


# ---- running them ---------------------------------------------------------------------------

def save(made, path):
    if made.external:
        (path.parent / "weights.data").unlink(missing_ok=True)  # it would be appended to
        onnx.save_model(made.model(), str(path), save_as_external_data=True, size_threshold=16,
                        location="weights.data")
    else:
        onnx.save_model(made.model(), str(path))


def fixed(made):
    words = made.options[1::2]
    return {w.split("=")[0] for o, w in zip(made.options[::2], words) if o == "--bind"}


def differs(found, expected, tolerance):
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}"
    if expected.size == 0 or np.array_equal(found, expected):
        return None
    a, b = found.astype(np.float64), expected.astype(np.float64)
    away = np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)
    exact = expected.dtype.kind in "iub"
    return None if away <= tolerance and not exact else f"{away:.2e} of the largest away"


def check_run(tacho, made, path, folder, kernels):
    command = [tacho, "run", path, "--device", "cpu", "--kernels", kernels, "--no-tables", *made.options]
    for name, array in made.ins.items():
        if name not in fixed(made):
            np.save(folder / f"{name}.npy", array)
            command += ["--input", f"{name}=@{folder / name}.npy"]
    for name in made.outs:
        (folder / f"out_{name}.npy").unlink(missing_ok=True)
        command += ["--output", f"@{folder / ('out_' + name)}.npy"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [f"{kernels}: {done.stderr.strip()}"]
    problems = []
    for name, expected in made.outs.items():
        problem = differs(np.load(folder / f"out_{name}.npy"), expected, made.tolerance)
        problems += [f"{kernels}: {name}: {problem}"] if problem else []
    return problems


def check_compile(tacho, made, path, machine):
    command = [tacho, "compile", path, "-m", machine, "-q", *made.options, "-o",
               path.with_suffix(".qpc")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.asks:
        is_fine = done.returncode == 1 and made.asks in done.stderr
    else:
        is_fine = done.returncode == made.exit
    return [] if is_fine else [f"{machine}: {done.returncode} {done.stderr.strip()}"]


def main():
    tacho, root = sys.argv[1], pathlib.Path(sys.argv[2])
    names = sys.argv[3:] or list(CASES)
    listed = subprocess.run([tacho, "machine", "list", "--format", "csv"], capture_output=True,
                            text=True, check=True).stdout
    machines = [line.split(",")[1] for line in listed.splitlines()[1:] if line]
    failed = 0
    for name in names:
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        made = CASES[name]()
        path = folder / f"{name}.onnx"
        save(made, path)
        problems = [p for k in ("fast", "reference")
                    for p in check_run(tacho, made, path, folder, k)]
        problems += [p for m in machines for p in check_compile(tacho, made, path, m)]
        for problem in problems:
            print(f"FAIL {name}: {problem}")
        failed += bool(problems)
    print(f"{len(names) - failed} of {len(names)} cases as expected, on {len(machines)} machines")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

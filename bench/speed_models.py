#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models for bench/speed.py, with seeded weights, which need the onnx package and numpy.

    speed_models.py FOLDER

Each is small enough to make in seconds and has what one kind of network spends its time on."""
import os
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, HALF, INT64 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT64


class Net:
    """A graph under construction: every method adds a node and returns the name of its result."""

    def __init__(self, seed=1, dtype=numpy.float32):
        self.random, self.dtype = numpy.random.default_rng(seed), dtype
        self.nodes, self.weights, self.inputs, self.count = [], [], [], 0

    def name(self):
        self.count += 1
        return "t%d" % self.count

    def constant(self, array):
        name = self.name()
        self.weights.append(numpy_helper.from_array(numpy.ascontiguousarray(array), name))
        return name

    def weight(self, *shape):
        fan = int(numpy.prod(shape[1:])) if len(shape) > 2 else shape[0]
        values = self.random.standard_normal(shape) / numpy.sqrt(fan)
        return self.constant(values.astype(self.dtype))

    def ints(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def number(self, value):
        return self.constant(numpy.array(value, self.dtype))

    def input(self, name, shape, dtype=None):
        kind = dtype or (HALF if self.dtype == numpy.float16 else FLOAT)
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def op(self, kind, *inputs, outputs=1, domain="", **attributes):
        made = [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), made, domain=domain, **attributes))
        return made[0] if outputs == 1 else made

    def save(self, path, results, opset=17):
        outputs = [helper.make_empty_tensor_value_info(result) for result in results]
        graph = helper.make_graph(self.nodes, "net", self.inputs, outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)])
        model.ir_version = 8
        model = onnx.shape_inference.infer_shapes(model)
        onnx.save(model, path)

    # ---- layers ----

    def dense(self, x, rows, columns):
        product = self.op("MatMul", x, self.weight(rows, columns))
        return self.op("Add", product, self.constant(numpy.zeros(columns, self.dtype)))

    def norm(self, x, width):
        return self.op("LayerNormalization", x, self.constant(numpy.ones(width, self.dtype)),
                       self.constant(numpy.zeros(width, self.dtype)), axis=-1)

    def heads(self, x, batch, length, heads, width):
        x = self.op("Reshape", x, self.ints(batch, length, heads, width // heads))
        return self.op("Transpose", x, perm=[0, 2, 1, 3])

    def gelu(self, x):
        inner = self.op("Erf", self.op("Div", x, self.number(1.4142135)))
        return self.op("Mul", self.op("Mul", x, self.op("Add", inner, self.number(1.0))),
                       self.number(0.5))

    def attention(self, x, length, width, heads, past=None):
        parts = []
        for part in range(3):
            made = self.heads(self.dense(x, width, width), 1, length, heads, width)
            if past and part > 0:
                made = self.op("Concat", past[part - 1], made, axis=2)
            parts.append(made)
        turned = self.op("Transpose", parts[1], perm=[0, 1, 3, 2])
        scores = self.op("Mul", self.op("MatMul", parts[0], turned),
                         self.number((heads / width) ** 0.5))
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), parts[2])
        mixed = self.op("Transpose", mixed, perm=[0, 2, 1, 3])
        mixed = self.op("Reshape", mixed, self.ints(1, length, width))
        return self.dense(mixed, width, width), parts[1:]

    def block(self, x, length, width, heads, past=None):
        mixed, kept = self.attention(self.norm(x, width), length, width, heads, past)
        x = self.op("Add", x, mixed)
        inner = self.gelu(self.dense(self.norm(x, width), width, 4 * width))
        return self.op("Add", x, self.dense(inner, 4 * width, width)), kept

    def conv(self, x, inputs, outputs, size, rank=2, **attributes):
        groups = attributes.get("group", 1)
        weight = self.weight(outputs, inputs // groups, *[size] * rank)
        bias = self.constant(numpy.zeros(outputs, self.dtype))
        return self.op("Conv", x, weight, bias, kernel_shape=[size] * rank,
                       pads=[size // 2] * (2 * rank), **attributes)

    def nbits(self, x, depth, columns, **attributes):
        block = 32
        packed = self.random.integers(0, 256, (columns, depth // block, block // 2), numpy.uint8)
        scales = self.random.random((columns, depth // block), numpy.float32) / depth ** 0.5 / 8
        return self.op("MatMulNBits", x, self.constant(packed), self.constant(scales),
                       domain="com.microsoft", K=depth, N=columns, bits=4, block_size=block,
                       **attributes)

    def dynamic(self, x):
        """Bytes, scale and zero point of reals, as models have them that are quantised at run time."""
        return self.op("DynamicQuantizeLinear", x, outputs=3)

    def conv_integer(self, x, inputs, outputs, size, **attributes):
        groups = attributes.get("group", 1)
        data, scale, zero = self.dynamic(x)
        filters = self.random.integers(-127, 128, (outputs, inputs // groups, size, size), numpy.int8)
        sums = self.op("ConvInteger", data, self.constant(filters), zero,
                       self.constant(numpy.array(0, numpy.int8)), kernel_shape=[size, size],
                       pads=[size // 2] * 4, **attributes)
        depth = inputs // groups * size * size
        factor = self.op("Mul", scale, self.number(1 / 70 / depth ** 0.5))
        made = self.op("Mul", self.op("Cast", sums, to=FLOAT), factor)
        return self.op("Add", made, self.constant(numpy.zeros((1, outputs, 1, 1), numpy.float32)))

    def dense_integer(self, x, rows, columns):
        data, scale, zero = self.dynamic(x)
        weights = self.random.integers(-127, 128, (rows, columns), numpy.int8)
        sums = self.op("MatMulInteger", data, self.constant(weights), zero,
                       self.constant(numpy.array(0, numpy.int8)))
        factor = self.op("Mul", scale, self.number(1 / 70 / rows ** 0.5))
        made = self.op("Mul", self.op("Cast", sums, to=FLOAT), factor)
        return self.op("Add", made, self.constant(numpy.zeros(columns, numpy.float32)))


# ---- networks ----

def encoder(net, layers=4, length=128, width=768):
    x = net.input("x", [1, length, width])
    for _ in range(layers):
        x, _ = net.block(x, length, width, width // 64)
    return [x]


def decoder(net, layers=4, past=127, width=768):
    """One token of a generating network, with keys and values of those before."""
    heads = width // 64
    x, kept = net.input("x", [1, 1, width]), []
    for layer in range(layers):
        before = [net.input("%s%d" % (part, layer), [1, heads, past, 64]) for part in "kv"]
        x, after = net.block(x, 1, width, heads, before)
        kept += after
    return [x] + kept


def lstm(net, steps=100, width=256):
    x = net.input("x", [steps, 1, width])
    for _ in range(2):
        made = net.op("LSTM", x, net.weight(1, 4 * width, width), net.weight(1, 4 * width, width),
                      hidden_size=width)
        x = net.op("Reshape", made, net.ints(steps, 1, width))
    return [x]


def conv1d(net, length=4000):
    x = net.conv(net.input("x", [1, 1, length]), 1, 64, 9, rank=1, strides=[2])
    for _ in range(4):
        inner = net.op("Relu", net.conv(x, 64, 64, 5, rank=1))
        x = net.op("Add", x, net.conv(inner, 64, 64, 5, rank=1))
    x = net.op("Relu", net.conv(x, 64, 256, 3, rank=1, strides=[2]))
    for _ in range(3):
        x = net.op("Relu", net.conv(net.conv(x, 256, 256, 7, rank=1, group=256), 256, 256, 1, rank=1))
    return [x]


def unet(net, size=128):
    x, kept, width = net.input("x", [1, 3, size, size]), [], 3
    for wider in (16, 32, 64):
        x = net.op("Relu", net.conv(x, width, wider, 3))
        kept.append((x, wider))
        x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        width = wider
    for side, narrower in reversed(kept):
        scales = net.constant(numpy.array([1, 1, 2, 2], numpy.float32))
        x = net.op("Resize", x, "", scales, mode="linear")
        x = net.op("Relu", net.conv(net.op("Concat", x, side, axis=1), width + narrower, narrower, 3))
        width = narrower
    return [net.op("Sigmoid", net.conv(x, width, 1, 1))]


def llama_nbits(net, width=2048, inner=5632):
    x = net.input("x", [1, 1, width])
    for _ in range(2):
        mixed = net.nbits(net.nbits(net.norm(x, width), width, width), width, width)
        x = net.op("Add", x, mixed)
        y = net.norm(x, width)
        gate = net.nbits(y, width, inner)
        gate = net.op("Mul", gate, net.op("Sigmoid", gate))
        y = net.op("Mul", gate, net.nbits(y, width, inner))
        x = net.op("Add", x, net.nbits(y, inner, width))
    return [x]


def nbits(net, rows=1, width=4096, **attributes):
    return [net.nbits(net.input("x", [rows, width]), width, width, **attributes)]


def qdq_nbits(net, width=2048):
    """Weights of 4 bits as ONNX itself has them."""
    x = net.input("x", [1, width])
    packed = net.random.integers(0, 256, width * width // 2, numpy.uint8)
    name = net.name()
    net.weights.append(helper.make_tensor(name, TensorProto.UINT8, [width, width],
                                          numpy.repeat(packed, 2).tobytes(), raw=True))
    scales = net.constant(net.random.random((width // 32, width), numpy.float32) / width)
    zeros = net.constant(numpy.full((width // 32, width), 128, numpy.uint8))
    weights = net.op("DequantizeLinear", name, scales, zeros, axis=0, block_size=32)
    return [net.op("MatMul", x, weights)]


def ocr(net, size=(48, 160)):
    """A recogniser of text, quantised at run time: depthwise convolutions, then rows of features."""
    x = net.input("x", [1, 3, *size])
    x = net.op("HardSwish", net.conv_integer(x, 3, 16, 3, strides=[2, 2]))
    width = 16
    for wider, stride in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2)):
        x = net.op("HardSwish", net.conv_integer(x, width, width, 3, group=width,
                                                 strides=[stride, 1]))
        x = net.op("HardSwish", net.conv_integer(x, width, wider, 1))
        width = wider
    x = net.op("GlobalAveragePool", x)
    x = net.op("Reshape", x, net.ints(1, width))
    return [net.dense_integer(x, width, 6625)]


def encoder_integer(net, length=64, width=384):
    x = net.input("x", [length, width])
    for _ in range(4):
        inner = net.op("Relu", net.dense_integer(x, width, 4 * width))
        x = net.op("Add", x, net.dense_integer(inner, 4 * width, width))
    return [x]


NETWORKS = {
    "encoder": (encoder, {}, numpy.float32),
    "decoder": (decoder, {}, numpy.float32),
    "decoder_f16": (decoder, {}, numpy.float16),
    "lstm": (lstm, {}, numpy.float32),
    "conv1d": (conv1d, {}, numpy.float32),
    "unet": (unet, {}, numpy.float32),
    "llama_4bit": (llama_nbits, {}, numpy.float32),
    "matmul_4bit": (nbits, {}, numpy.float32),
    "matmul_4bit_a8": (nbits, {"accuracy_level": 4}, numpy.float32),
    "matmul_4bit_64": (nbits, {"rows": 64}, numpy.float32),
    "ocr_dynamic": (ocr, {}, numpy.float32),
    "encoder_dynamic": (encoder_integer, {}, numpy.float32),
}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, (make, options, dtype) in NETWORKS.items():
        net = Net(dtype=dtype)
        net.save(os.path.join(folder, name + ".onnx"), make(net, **options))


if __name__ == "__main__":
    main()

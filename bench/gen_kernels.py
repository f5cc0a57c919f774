# SPDX-License-Identifier: Apache-2.0
"""Writes small ONNX models of operators that need kernels of our own, the same every time:

    gen_kernels.py FOLDER

Inputs and outputs are f32; f16 models convert at both ends.
"""
import array
import pathlib
import random
import struct
import sys

TYPES = {"f32": 1, "i8": 3, "f16": 10}
RANDOM = random.Random(5)
NUMBERS = [RANDOM.gauss(0, 1) for _ in range(4096)]


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def attribute(name, value):
    if isinstance(value, int):
        return block(1, name) + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return block(1, name) + block(4, value) + number(20, 3)
    return block(1, name) + b"".join(number(8, item) for item in value) + number(20, 7)


def raw_numbers(dtype, count, scale):
    if dtype == "i8":
        some = bytes(int(max(-127, min(127, x * 40))) & 255 for x in NUMBERS)
    elif dtype == "f16":
        some = struct.pack(f"<{len(NUMBERS)}e", *(x * scale for x in NUMBERS))
    else:
        some = array.array("f", (x * scale for x in NUMBERS)).tobytes()
    size = len(some) // len(NUMBERS) * count
    return (some * (size // len(some) + 1))[:size]


class Graph:
    """Nodes, constants, inputs and outputs, as the bytes that a model has of them."""

    def __init__(self):
        self.parts, self.made = [], 0

    def name(self):
        self.made += 1
        return f"t{self.made}"

    def ends(self, field, name, shape):
        dims = b"".join(block(1, number(1, size)) for size in shape)
        self.parts.append(block(field, block(1, name) + block(2, block(1, number(1, 1) + block(2, dims)))))
        return name

    def constant(self, dtype, shape, scale=0.05, raw=None):
        name, count = self.name(), 1
        for size in shape:
            count *= size
        raw = raw_numbers(dtype, count, scale) if raw is None else raw
        self.parts.append(block(5, b"".join(number(1, size) for size in shape) + number(2, TYPES[dtype])
                                + block(8, name) + block(9, raw)))
        return name

    def op(self, kind, inputs, outputs=1, **attrs):
        names = [self.name() for _ in range(outputs)]
        self.parts.append(block(1, b"".join(block(1, name) for name in inputs)
                                + b"".join(block(2, name) for name in names) + block(4, kind)
                                + b"".join(block(5, attribute(*item)) for item in attrs.items())))
        return names[0] if outputs == 1 else names

    def write(self, path, result, shape):
        self.ends(12, result, shape)
        graph = b"".join(self.parts) + block(2, "g")
        path.write_bytes(number(1, 8) + block(7, graph) + block(8, number(2, 17)))


def write_einsum(path):
    graph = Graph()
    x, y = graph.ends(11, "x", (2, 128, 8, 64)), graph.ends(11, "y", (2, 128, 8, 64))
    graph.write(path, graph.op("Einsum", [x, y], equation="bqhd,bkhd->bhqk"), (2, 8, 128, 128))


def write_recurrent(path, kind, gates):
    graph, size, steps = Graph(), 256, 64
    weights = [graph.constant("f32", (1, gates * size, size)) for _ in range(2)]
    biases = graph.constant("f32", (1, 2 * gates * size))
    made = graph.op(kind, [graph.ends(11, "x", (steps, 1, size)), *weights, biases], hidden_size=size)
    graph.write(path, made, (steps, 1, 1, size))


def write_half(path):
    graph = Graph()
    x = graph.op("Cast", [graph.ends(11, "x", (1, 32, 32, 32))], to=10)
    for _ in range(3):
        x = graph.op("Conv", [x, graph.constant("f16", (32, 32, 3, 3)), graph.constant("f16", (32,))],
                     pads=[1, 1, 1, 1])
        x = graph.op("Relu", [x])
    graph.write(path, graph.op("Cast", [x], to=1), (1, 32, 32, 32))


def write_dynamic(path):
    graph = Graph()
    one = graph.constant("f32", (), raw=struct.pack("<f", 0.001))
    data, scale, zero = graph.op("DynamicQuantizeLinear", [graph.ends(11, "x", (128, 768))], 3)
    sums = graph.op("MatMulInteger", [data, graph.constant("i8", (768, 768)), zero])
    scaled = graph.op("Mul", [graph.op("Cast", [sums], to=1), graph.op("Mul", [scale, one])])
    graph.write(path, scaled, (128, 768))


def main():
    folder = pathlib.Path(sys.argv[1])
    write_einsum(folder / "einsum.onnx")
    write_recurrent(folder / "lstm.onnx", "LSTM", 4)
    write_recurrent(folder / "gru.onnx", "GRU", 3)
    write_half(folder / "f16.onnx")
    write_dynamic(folder / "dynamic_int8.onnx")


if __name__ == "__main__":
    main()

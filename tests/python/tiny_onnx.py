# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models, written byte by byte: one node whose inputs and output have one type."""

TYPES = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "bool": 9, "f16": 10,
         "f64": 11, "u32": 12, "u64": 13, "complex64": 14, "complex128": 15, "bf16": 16,
         "f8e4m3": 17, "f8e4m3fnuz": 18, "f8e5m2": 19, "f8e5m2fnuz": 20, "u4": 21, "i4": 22,
         "f4e2m1": 23, "f8e8m0": 24, "u2": 25, "i2": 26}


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


def value_info(name, dtype, shape):
    dims = b"".join(block(1, number(1, size)) for size in shape)
    return block(1, name) + block(2, block(1, number(1, TYPES[dtype]) + block(2, dims)))


def model(operator, dtype, shape, inputs=("x",)):
    """The bytes of a model: y = operator(inputs)."""
    node = b"".join(block(1, name) for name in inputs) + block(2, "y") + block(3, "n") + block(4, operator)
    graph = (block(1, node) + block(2, "g")
             + b"".join(block(11, value_info(name, dtype, shape)) for name in inputs)
             + block(12, value_info("y", dtype, shape)))
    return number(1, 10) + block(7, graph) + block(8, block(1, "") + number(2, 21))

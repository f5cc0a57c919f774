# SPDX-License-Identifier: Apache-2.0
"""Element types for edge_values.py: how they lie in memory, their edges, and rounding to them.

A tensor is an Elements: its type and an array in the storage that .npy files have. bf16, which numpy
does not know, is stored as its bits."""
import dataclasses

import numpy as np
from onnx import TensorProto as T


@dataclasses.dataclass(frozen=True)
class Type:
    name: str
    onnx: int
    storage: type
    kind: str  # real, int or bool
    mantissa: int = 0  # bits, without the hidden one
    least: int = 0  # exponent of the smallest normal number
    most: int = 0  # of the largest


TYPES = {t.name: t for t in (
    Type("f32", T.FLOAT, np.float32, "real", 23, -126, 127),
    Type("f64", T.DOUBLE, np.float64, "real", 52, -1022, 1023),
    Type("f16", T.FLOAT16, np.float16, "real", 10, -14, 15),
    Type("bf16", T.BFLOAT16, np.uint16, "real", 7, -126, 127),
    Type("i8", T.INT8, np.int8, "int"), Type("u8", T.UINT8, np.uint8, "int"),
    Type("i16", T.INT16, np.int16, "int"), Type("u16", T.UINT16, np.uint16, "int"),
    Type("i32", T.INT32, np.int32, "int"), Type("u32", T.UINT32, np.uint32, "int"),
    Type("i64", T.INT64, np.int64, "int"), Type("u64", T.UINT64, np.uint64, "int"),
    Type("bool", T.BOOL, np.bool_, "bool"))}


class Elements:
    def __init__(self, type_, array):
        self.type, self.array = type_, np.asarray(array, type_.storage)

    def reals(self):
        """As float64, which holds all of them exactly."""
        if self.type.name == "bf16":
            return (self.array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return self.array.astype(np.float64)

    def reshape(self, *shape):
        return Elements(self.type, self.array.reshape(shape))


def unit(type_, reals):
    """Of the last place of numbers of that size."""
    _, exponent = np.frexp(np.abs(reals))
    exponent = np.where(np.isfinite(reals) & (reals != 0), exponent - 1, type_.least)
    return np.ldexp(1.0, np.maximum(exponent, type_.least) - type_.mantissa)


def rounded(type_, reals):
    """The nearest number of the type, ties to even, rounded once; as float64."""
    reals = np.asarray(reals, np.float64)
    if type_.name == "f64":
        return reals
    step = unit(type_, reals)
    near = np.rint(reals / step) * step
    largest = (2 - 2.0**-type_.mantissa) * 2.0**type_.most
    near = np.where(np.abs(near) > largest, np.copysign(np.inf, reals), near)
    return np.where(near == 0, np.copysign(0.0, reals), near)


def from_reals(type_, reals):
    near = rounded(type_, reals)
    with np.errstate(invalid="ignore"):
        if type_.name == "bf16":
            return Elements(type_, (near.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
        return Elements(type_, near.astype(type_.storage))


def edges(type_):
    """Twelve elements: zeros, the smallest, the largest, and some between."""
    if type_.kind == "bool":
        return Elements(type_, [False, True] * 6)
    if type_.kind == "int":
        info = np.iinfo(type_.storage)
        signed = info.min < 0
        return Elements(type_, [0, 1, info.max, info.min, 2, 3, info.max - 1, info.min + 1, 7,
                                -1 if signed else 5, -2 if signed else 6, 100])
    tiny, normal = 2.0**(type_.least - type_.mantissa), 2.0**type_.least
    largest = (2 - 2.0**-type_.mantissa) * 2.0**type_.most
    return from_reals(type_, [0.0, -0.0, tiny, -tiny, largest, -largest, normal, 1, -1, 0.5, -2.5, 3])

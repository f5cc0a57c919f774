# SPDX-License-Identifier: Apache-2.0
"""Values of tensors: numpy arrays, or any object with a buffer, to and from the library."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from . import _abi
from ._library import c_buffer, text

# Element types -> how the elements of a buffer are written. Types that Python has no word for are
# kept as what holds their bits.
FORMATS = {"f32": "f", "f64": "d", "f16": "e", "i8": "b", "u8": "B", "i16": "h", "u16": "H",
           "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "bool": "?", "complex64": "Zf",
           "complex128": "Zd"}
BITS = {"bf16": "H", "f8e4m3": "B", "f8e5m2": "B", "f8e4m3fnuz": "B", "f8e5m2fnuz": "B",
        "f8e8m0": "B", "i48": "B", "bfp8": "B", "bfp4": "B"}
# Several elements in a byte, the first in its lowest bits; Python has them one by one.
PACKED = {"i4": "b", "u4": "B", "f4e2m1": "B", "i2": "b", "u2": "B"}
PACKED_BITS = {"i4": 4, "u4": 4, "f4e2m1": 4, "i2": 2, "u2": 2}
NUMPY = {"?": "?", "e": "f2", "f": "f4", "d": "f8", "Zf": "c8", "Zd": "c16"}
DTYPES = {format: dtype for dtype, format in FORMATS.items()} | {"l": "i64", "L": "u64"}


@dataclass(frozen=True)
class Tensor:
    """An input or output of a model: what it is called, and what it holds."""
    name: str
    dtype: str
    shape: tuple[int, ...]


def tensor_of(view: _abi.tacho_value_view) -> Tensor:
    return Tensor(text(view.name), text(view.dtype), tuple(view.dims[:view.rank]))


def _dtype_of(view: memoryview, wanted: Tensor) -> str:
    """The library's word for the elements of a buffer."""
    order, kind = view.format[:-1].rstrip("Z"), view.format.lstrip("<>=@!")
    if order in (">", "!") and view.itemsize > 1:
        raise ValueError(f"input '{wanted.name}': its elements are big-endian; convert them first, "
                         "as with x.astype(x.dtype.newbyteorder('='))")
    if BITS.get(wanted.dtype) == kind or wanted.dtype in PACKED and kind in ("b", "B"):
        return wanted.dtype
    if kind not in DTYPES:
        raise TypeError(f"input '{wanted.name}' is of {wanted.dtype}, but an array of another kind "
                        f"is given: {_kind_of(view.obj)}")
    return DTYPES[kind]


def format_of(dtype: str) -> str:
    """How elements of a type are written in a buffer."""
    return {**FORMATS, **PACKED, **BITS}.get(dtype, "B")


def _pack(elements: bytes, wanted: Tensor) -> bytes:
    """Elements of 4 or 2 bits, one in a byte, as several in a byte."""
    bits = PACKED_BITS[wanted.dtype]
    low, in_byte = -(1 << bits - 1) if PACKED[wanted.dtype] == "b" else 0, 8 // bits
    high = low + (1 << bits) - 1
    if elements.translate(None, bytes(i & 255 for i in range(low, high + 1))):
        raise ValueError(f"input '{wanted.name}': an element does not fit {wanted.dtype}, which "
                         f"holds {low} to {high}")
    size, packed = (len(elements) + in_byte - 1) // in_byte, 0
    for lane in range(in_byte):
        shifted = bytes((i & (1 << bits) - 1) << bits * lane for i in range(256))
        packed |= int.from_bytes(elements[lane::in_byte].translate(shifted).ljust(size, b"\0"), "big")
    return packed.to_bytes(size, "big")


def _unpack(packed: bytearray, count: int, dtype: str) -> bytearray:
    """The other way round."""
    bits = PACKED_BITS[dtype]
    sign, in_byte = 1 << bits - 1 if PACKED[dtype] == "b" else 0, 8 // bits
    elements = bytearray(in_byte * len(packed))
    for lane in range(in_byte):
        lowered = (i >> bits * lane & (1 << bits) - 1 for i in range(256))
        elements[lane::in_byte] = packed.translate(bytes((i ^ sign) - sign & 255 for i in lowered))
    return elements[:count]


def _buffer_of(value: Any) -> memoryview:
    name = getattr(getattr(value, "dtype", None), "name", "")
    if name.startswith(("bfloat16", "float8", "float4", "uint4", "uint2")):
        value = value.view(f"uint{8 * value.dtype.itemsize}")  # numpy lends no buffer of these
    elif name.startswith(("int4", "int2")):
        value = value.view("int8")
    return memoryview(value)


def _kind_of(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return type(value).__name__ if dtype is None else f"{type(value).__name__} of {dtype}"


def fill_value(value: Any, wanted: Tensor) -> tuple[_abi.tacho_value_view, Any]:
    """|value| for the library, and what must live as long. Plain bytes are taken as the elements
    of |wanted|; the library says what does not fit."""
    filled = _abi.tacho_value_view()
    try:
        view = _buffer_of(value)
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(f"input '{wanted.name}' needs a numpy array, or an object with a buffer, "
                        f"not {_kind_of(value)}") from error
    if isinstance(value, (bytes, bytearray)):
        dtype, shape = wanted.dtype, wanted.shape
    else:
        dtype, shape = _dtype_of(view, wanted), view.shape or ()
        if dtype == wanted.dtype and view.ndim == 1 and view.format == "B" and (
                BITS.get(dtype) == "B" or dtype in PACKED and view.shape != wanted.shape):
            shape = wanted.shape  # packed elements have no shape of their own
        elif dtype in PACKED:
            if PACKED[dtype] == "b" and view.format == "B":
                raise TypeError(f"input '{wanted.name}' is of {dtype}: give int8 with one element "
                                f"each, or bytes with {8 // PACKED_BITS[dtype]}")
            view = memoryview(_pack(view.tobytes(), wanted))
    if len(shape) > _abi.VALUE_RANK_MAX:
        raise ValueError(f"input '{wanted.name}': {len(shape)} dimensions, at most "
                         f"{_abi.VALUE_RANK_MAX}")
    filled.dtype, filled.rank = dtype.encode(), len(shape)
    filled.dims[:len(shape)] = shape
    # Strides become C order.
    filled.data, filled.byte_count, held = c_buffer(view if view.c_contiguous else view.tobytes())
    return filled, held


def value_of(view: _abi.tacho_value_view) -> Any:
    """A copy of a value: a numpy array, or without numpy a memoryview of that shape."""
    tensor = tensor_of(view)
    storage = bytearray(view.byte_count)
    if view.byte_count:
        ctypes.memmove((ctypes.c_char * view.byte_count).from_buffer(storage), view.data,
                       view.byte_count)
    format = format_of(tensor.dtype)
    count = 1
    for size in tensor.shape:
        count *= size
    if tensor.dtype in PACKED:
        storage = _unpack(storage, count, tensor.dtype)
    try:
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError:
        format = {"e": "H", "Zf": "B", "Zd": "B"}.get(format, format)  # a memoryview has no such
        flat: Any = memoryview(storage)
        elements = flat.cast(format)
        is_shaped = len(elements) == count and count > 0 and tensor.shape
        return flat.cast(format, tensor.shape) if is_shaped else elements
    array = numpy.frombuffer(storage, dtype=NUMPY.get(format, format))
    return array.reshape(tensor.shape) if array.size == count else array

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
        "f8e8m0": "B", "f4e2m1": "B", "i2": "B", "u2": "B", "i48": "B", "bfp8": "B", "bfp4": "B"}
# Two elements in a byte, the first in its lower half; Python has them one by one.
HALVES = {"i4": "b", "u4": "B"}
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
    if BITS.get(wanted.dtype) == kind or wanted.dtype in HALVES and kind in ("b", "B"):
        return wanted.dtype
    if kind not in DTYPES:
        raise TypeError(f"input '{wanted.name}' is of {wanted.dtype}, but an array of another kind "
                        f"is given: {_kind_of(view.obj)}")
    return DTYPES[kind]


def format_of(dtype: str) -> str:
    """How elements of a type are written in a buffer."""
    return {**FORMATS, **HALVES, **BITS}.get(dtype, "B")


def _pack(elements: bytes, wanted: Tensor) -> bytes:
    """Elements of 4 bits, one in a byte, as two in a byte."""
    known = bytes(i & 255 for i in (range(-8, 8) if wanted.dtype == "i4" else range(16)))
    if elements.translate(None, known):
        raise ValueError(f"input '{wanted.name}': an element does not fit {wanted.dtype}, which "
                         f"holds {'-8 to 7' if wanted.dtype == 'i4' else '0 to 15'}")
    size = (len(elements) + 1) // 2
    lower = elements[::2].translate(bytes(i & 15 for i in range(256)))
    upper = elements[1::2].translate(bytes(i << 4 & 255 for i in range(256))).ljust(size, b"\0")
    return (int.from_bytes(lower, "big") | int.from_bytes(upper, "big")).to_bytes(size, "big")


def _unpack(packed: bytearray, count: int, dtype: str) -> bytearray:
    """The other way round."""
    sign = 8 if dtype == "i4" else 0
    both = bytearray(2 * len(packed))
    both[::2] = packed.translate(bytes((i & 15 ^ sign) - sign & 255 for i in range(256)))
    both[1::2] = packed.translate(bytes((i >> 4 ^ sign) - sign & 255 for i in range(256)))
    return both[:count]


def _buffer_of(value: Any) -> memoryview:
    name = getattr(getattr(value, "dtype", None), "name", "")
    if name.startswith(("bfloat16", "float8", "uint4")):
        value = value.view(f"uint{8 * value.dtype.itemsize}")  # numpy lends no buffer of these
    elif name.startswith("int4"):
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
                BITS.get(dtype) == "B" or dtype in HALVES and view.shape != wanted.shape):
            shape = wanted.shape  # packed elements have no shape of their own
        elif dtype in HALVES:
            if dtype == "i4" and view.format == "B":
                raise TypeError(f"input '{wanted.name}' is of i4: give int8 with one element each, "
                                "or bytes with two")
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
    if tensor.dtype in HALVES:
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

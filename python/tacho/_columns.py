# SPDX-License-Identifier: Apache-2.0
"""Columns: one array of numbers for all rows, which the library fills; no Python object per row.

A column is a memoryview. numpy and pandas take it over without a copy, where they are installed.
"""
from __future__ import annotations

import ctypes
import operator
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    import numpy
    import pandas

# Any, since the types of newer Pythons know each format by itself.
FORMATS: dict[Any, Any] = {ctypes.c_int64: "q", ctypes.c_uint64: "Q", ctypes.c_uint32: "I",
                           ctypes.c_uint8: "B", ctypes.c_double: "d"}
ROWS_AT_ONCE = 4096


def make_column(kind: Any, count: int) -> tuple[memoryview, Any]:
    """An array of |count| elements, as a memoryview and as what the library is given."""
    storage = bytearray(count * ctypes.sizeof(kind))
    view = memoryview(storage).cast(FORMATS[kind])
    if count == 0:
        return view, None
    return view, ctypes.cast((kind * count).from_buffer(storage), ctypes.POINTER(kind))


def import_numpy() -> Any:
    try:
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise ImportError("arrays need numpy; install python3-numpy, or use columns(), which gives "
                          "memoryviews") from error
    return numpy


def import_pandas() -> Any:
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise ImportError("data frames need pandas; install python3-pandas, or use columns(), "
                          "which gives memoryviews") from error
    return pandas


def row_number(index: Any, count: int) -> int:
    """The number of a row; negative ones count from the end."""
    at = operator.index(index)
    if not -count <= at < count:
        raise IndexError(f"row {at} of {count}")
    return at + count if at < 0 else at


class Rows:
    """Rows of one kind, such as spans: a sequence of objects that are made as they are asked for,
    and columns of all of them.

    Subclasses say which columns there are and how they are read.
    """

    #: The columns, in order.
    names: tuple[str, ...] = ()
    _kinds: Mapping[str, Any] = {}  # of the elements of each
    _texts: frozenset[str] = frozenset()  # columns whose numbers stand for texts
    _flags: frozenset[str] = frozenset()  # columns of truth values
    _references: frozenset[str] = frozenset()  # numbers of other rows, or none

    def __len__(self) -> int:
        raise NotImplementedError

    def _fill(self, pointers: dict[str, Any], first: int, count: int) -> int:
        """Fills the columns and says how many rows that were."""
        raise NotImplementedError

    def _string(self, number: int) -> Optional[str]:
        """The text of a number of a text column."""
        raise NotImplementedError

    def _string_count(self) -> int:
        raise NotImplementedError

    def _row(self, index: int, values: dict[str, Any]) -> Any:
        """An object for one row."""
        raise NotImplementedError

    def _read(self, names: tuple[str, ...], first: int, count: int) -> dict[str, memoryview]:
        views, pointers = {}, {}
        for name in names:
            views[name], pointers[name] = make_column(self._kinds[name], count)
        filled = self._fill(pointers, first, count) if count else 0
        if filled != count:
            raise RuntimeError(f"libtacho filled {filled} of {count} rows")
        return views

    def columns(self, *names: str) -> dict[str, memoryview]:
        """The named columns, else all, as memoryviews of numbers. Texts are numbers, too: text()
        says what they stand for."""
        wanted = names or self.names
        for name in wanted:
            if name not in self._kinds:
                raise KeyError(f"no column '{name}'; there are {', '.join(self.names)}")
        return self._read(wanted, 0, len(self))

    def text(self, number: int) -> Optional[str]:
        """What a number of a text column stands for; None where nothing is known."""
        return self._string(number)

    # ---- one by one

    def __iter__(self) -> Iterator[Any]:
        known: dict[int, Optional[str]] = {}
        for first in range(0, len(self), ROWS_AT_ONCE):
            yield from self._rows(first, min(ROWS_AT_ONCE, len(self) - first), known)

    def __getitem__(self, index: Any) -> Any:
        """One row, or a list of those of a slice."""
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        return next(self._rows(row_number(index, len(self)), 1, {}))

    def _rows(self, first: int, count: int, known: dict[int, Optional[str]]) -> Iterator[Any]:
        views = self._read(self.names, first, count)
        for i in range(count):
            values: dict[str, Any] = {}
            for name in self.names:
                value: Any = views[name][i]
                if name in self._texts:
                    if value not in known:
                        known[value] = self._string(value)
                    value = known[value]
                elif name in self._flags:
                    value = bool(value)
                elif name in self._references and value == 0xFFFFFFFF:
                    value = None
                values[name] = value
            yield self._row(first + i, values)

    # ---- all at once

    def to_numpy(self, *names: str) -> dict[str, "numpy.ndarray[Any, Any]"]:
        """The named columns, else all, as arrays over the same memory. Texts are numbers."""
        numpy = import_numpy()
        return {name: numpy.frombuffer(view, dtype=view.format).view(
                    bool if name in self._flags else view.format)
                for name, view in self.columns(*names).items()}

    def to_pandas(self, *names: str) -> "pandas.DataFrame":
        """The named columns, else all, as a data frame. Texts are categories."""
        pandas = import_pandas()
        arrays = self.to_numpy(*names)
        for name in arrays:
            if name in self._texts:
                arrays[name] = self._categories(arrays[name])
        return pandas.DataFrame(arrays, copy=False)

    def _categories(self, numbers: Any) -> Any:
        """A text column as categories: a Python object for each text, not for each row."""
        numpy, pandas = import_numpy(), import_pandas()
        count = self._string_count()
        numbers = numpy.minimum(numbers, count)  # what is not known comes last
        is_used = numpy.zeros(count + 1, dtype=bool)
        is_used[numbers] = True
        codes = numpy.full(count + 1, -1, dtype=numpy.int32)
        texts: dict[Optional[str], int] = {}
        for number in numpy.flatnonzero(is_used[:count]).tolist():
            codes[number] = texts.setdefault(self._string(number), len(texts))
        dtype = numpy.int8 if len(texts) < 128 else numpy.int16 if len(texts) < 32768 else numpy.int32
        return pandas.Categorical.from_codes(codes.astype(dtype)[numbers], categories=list(texts))

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()  # pandas cuts long ones

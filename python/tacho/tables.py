# SPDX-License-Identifier: Apache-2.0
"""Tables: what every analysis returns."""
from __future__ import annotations

import ctypes
import html
import operator
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union, overload

from . import _abi
from ._columns import import_numpy, import_pandas, make_column, row_number
from ._library import Handle, StrPath, c_path, c_text, check, counted_text, library, optional_text, text

if TYPE_CHECKING:
    import numpy
    import pandas

Cell = Union[int, float, str, bool, None]
Row = dict[str, Cell]
HTML_ROWS = 100
_TYPES = {_abi.CELL_INT: int, _abi.CELL_REAL: float, _abi.CELL_TEXT: str, _abi.CELL_BOOL: bool}


@dataclass(frozen=True)
class Column:
    """A column of a table. |id| is for programs and ends with the unit, |title| is for people."""
    id: str
    title: str
    type: type
    unit: str


class Table:
    """Rows under named columns. Iterating gives a dictionary for each row."""

    def __init__(self, handle: Handle, number: int) -> None:
        view = _abi.tacho_table_view()
        library().tacho_tables_get(handle.pointer, number, ctypes.byref(view))
        self._handle = handle
        self._number = number
        self._row_count = int(view.row_count)
        self.id = text(view.id)
        self.title = text(view.title)
        #: The file that it is about; None: all of them.
        self.input = optional_text(view.input)
        self.columns = [self._column_view(i) for i in range(view.column_count)]

    def _column_view(self, index: int) -> Column:
        view = _abi.tacho_column_view()
        library().tacho_tables_column(self._handle.pointer, self._number, index,
                                      ctypes.byref(view))
        return Column(text(view.id), text(view.title), _TYPES[view.type], text(view.unit))

    def __len__(self) -> int:
        return self._row_count

    def _find(self, column: str) -> int:
        for index, known in enumerate(self.columns):
            if known.id == column:
                return index
        known_ids = ", ".join(known.id for known in self.columns)
        raise KeyError(f"no column '{column}' in table '{self.id}'; there are {known_ids}")

    # ---- cells

    def cell(self, row: int, column: str) -> Cell:
        """A single cell; None where it is absent."""
        return self._cell(row_number(row, len(self)), self._find(column))

    def _cell(self, row: int, column: int) -> Cell:
        view = _abi.tacho_cell_view()
        library().tacho_tables_cell(self._handle.pointer, self._number, row, column,
                                    ctypes.byref(view))
        if view.type == _abi.CELL_TEXT:
            return counted_text(view.text, view.text_len)
        return {_abi.CELL_INT: view.as_int, _abi.CELL_REAL: view.as_real,
                _abi.CELL_BOOL: view.as_bool, _abi.CELL_ABSENT: None}[view.type]

    @overload
    def __getitem__(self, key: str) -> list[Cell]: ...
    @overload
    def __getitem__(self, key: int) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> list[Row]: ...

    def __getitem__(self, key: Union[str, int, slice]) -> Any:
        """All cells of a column by its id; a row, or rows of a slice, by number."""
        if isinstance(key, slice):
            return [self._row(row) for row in range(len(self))[key]]
        if not isinstance(key, str):
            return self._row(row_number(key, len(self)))
        index = self._find(key)
        return [self._cell(row, index) for row in range(len(self))]

    def _row(self, row: int) -> Row:
        return {column.id: self._cell(row, index) for index, column in enumerate(self.columns)}

    def __iter__(self) -> Iterator[Row]:
        return (self._row(row) for row in range(len(self)))

    def __contains__(self, column: object) -> bool:
        """Whether there is a column of this id."""
        return any(known.id == column for known in self.columns)

    # ---- columns

    def _read(self, index: int) -> tuple[memoryview, memoryview]:
        """Numbers of a column, and which are present."""
        count, lib, cells = len(self), library(), _abi.tacho_column_cells()
        is_real = self.columns[index].type is float
        values, pointer = make_column(ctypes.c_double if is_real else ctypes.c_int64, count)
        present, cells.is_present = make_column(ctypes.c_uint8, count)
        setattr(cells, "as_real" if is_real else "as_int", pointer)
        lib.tacho_tables_read_column(self._handle.pointer, self._number, index, count,
                                     ctypes.byref(cells))
        return values, present

    def to_numpy(self) -> dict[str, "numpy.ndarray[Any, Any]"]:
        """The columns as arrays: integers as int64, or float64 where one is absent (NaN); texts as
        objects."""
        numpy, arrays = import_numpy(), {}
        for index, column in enumerate(self.columns):
            if column.type is str:
                arrays[column.id] = numpy.array(self[column.id], dtype=object)
                continue
            values, present = (numpy.frombuffer(view, view.format) for view in self._read(index))
            is_whole = bool(present.all())
            if column.type is bool:
                arrays[column.id] = values.astype(bool) if is_whole else numpy.where(
                    present, values.astype(bool).astype(object), None)
            else:
                arrays[column.id] = values if is_whole else numpy.where(present, values, numpy.nan)
        return arrays

    def to_pandas(self) -> "pandas.DataFrame":
        """The table as a data frame; absent integers and truth values stay what they are (Int64,
        boolean with NA)."""
        numpy, pandas, series = import_numpy(), import_pandas(), {}
        for index, column in enumerate(self.columns):
            if column.type is str:
                series[column.id] = self[column.id]
                continue
            values, present = (numpy.frombuffer(view, view.format) for view in self._read(index))
            absent = present == 0
            if not absent.any():
                series[column.id] = values.astype(bool) if column.type is bool else values
            elif column.type is float:
                series[column.id] = values
            elif column.type is bool:
                series[column.id] = pandas.arrays.BooleanArray(values.astype(bool), absent)
            else:
                series[column.id] = pandas.arrays.IntegerArray(values, absent)
        return pandas.DataFrame(series, columns=[column.id for column in self.columns])

    # ---- for people

    def cell_text(self, row: int, column: int) -> str:
        """A cell as people read it: "1.234 ms"."""
        arguments = self._handle.pointer, self._number, row, column
        size = library().tacho_tables_cell_text(*arguments, None, 0)
        buffer = ctypes.create_string_buffer(size + 1)
        library().tacho_tables_cell_text(*arguments, buffer, len(buffer))
        return text(buffer.raw[:size])

    def _repr_html_(self) -> str:
        """What a notebook shows: the first rows, cells as people read them."""
        shown = min(len(self), HTML_ROWS)
        rows = [[self.cell_text(row, column) for column in range(len(self.columns))]
                for row in range(shown)]
        used = [index for index in range(len(self.columns)) if any(row[index] for row in rows)]
        style = ["text-align:left" if column.type is str else "text-align:right;white-space:nowrap"
                 for column in self.columns]
        parts = [f"<table><caption>{html.escape(self.title)}</caption><thead><tr>"]
        parts += [f'<th style="{style[i]}">{html.escape(self.columns[i].title)}</th>' for i in used]
        parts.append("</tr></thead><tbody>")
        for row in rows:
            parts.append("<tr>" + "".join(f'<td style="{style[i]}">{html.escape(row[i])}</td>'
                                          for i in used) + "</tr>")
        more = f"<p>{len(self) - shown} more rows</p>" if shown < len(self) else ""
        return "".join(parts) + "</tbody></table>" + more

    def __repr__(self) -> str:
        of = f" of {self.input}" if self.input else ""
        return f"<Table {self.id}{of}: {len(self)} rows, {len(self.columns)} columns>"


class Tables:
    """A result: tables by number, or by id where it is the first of that id."""

    #: Inputs that could not be read, and why.
    skipped: Sequence[str] = ()

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self._handle = Handle(pointer, library().tacho_tables_free)
        count = library().tacho_tables_count(pointer)
        self._tables = [Table(self._handle, i) for i in range(count)]

    def __len__(self) -> int:
        return len(self._tables)

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables)

    def __contains__(self, id: object) -> bool:
        return any(table.id == id for table in self._tables)

    def __getitem__(self, key: Union[int, str]) -> Table:
        if not isinstance(key, str):
            if len(self) == 0:
                raise IndexError(f"table {key} of none")
            return self._tables[operator.index(key)]
        for table in self._tables:
            if table.id == key:
                return table
        known = ", ".join(table.id for table in self._tables)
        raise KeyError(f"no table '{key}'; there are {known or 'none'}")

    @property
    def ids(self) -> list[str]:
        return [table.id for table in self._tables]

    def write(self, path: StrPath, format: Optional[str] = None) -> None:
        """Writes the tables that have rows: text, csv, json, xlsx or parquet (one table only), by the
        suffix of |path| unless |format| says it."""
        check(library().tacho_tables_write(self._handle.pointer, c_path(path), c_text(format)))

    def overview_text(self) -> str:
        """The table "overview" as Torq's test framework prints it."""
        with tempfile.TemporaryDirectory(prefix="tacho.") as folder:
            path = os.path.join(folder, "overview.txt")
            self.write(path, "overview")
            with open(path, encoding="utf-8") as source:
                return source.read()

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self if len(table))

    def __repr__(self) -> str:
        return f"<Tables {', '.join(f'{table.id} ({len(table)})' for table in self)}>"

# SPDX-License-Identifier: Apache-2.0
"""Profiles: any file that tacho reads, in memory."""
from __future__ import annotations

import ctypes
import html
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _abi
from ._columns import Rows, import_numpy, make_column
from ._inputs import Inputs, Source, ViewOptions, is_bytes
from ._library import Guard, Handle, c_text, check, counted_text, library, text

if TYPE_CHECKING:
    import numpy
    import pandas
    from .tables import Table, Tables

__tracebackhide__ = True  # pytest shows the caller
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Part:
    """One input of a profile."""
    name: str
    path: str
    format: str
    generation: str
    origin: str
    clock_name: str
    ns_numerator: int
    ns_denominator: int
    zero_ticks: int
    is_clock_assumed: bool
    is_clock_in_cycles: bool
    root: int
    event_count: int


@dataclass(frozen=True)
class Loss:
    """Records of one part that could not be read, for one reason."""
    part: int
    reason: str
    phrase: str
    count: int
    first_line: int
    example: str


@dataclass(frozen=True)
class Track:
    """A line of the chart: an engine, a thread, a counter, or a group of those."""
    number: int
    name: str
    track_class: str
    unit: str
    parent: Optional[int]
    part: int
    index: int  # among its class


@dataclass(frozen=True)
class Sample:
    """A value of a counter from this time on."""
    time_ns: int
    time_ticks: int
    value: float
    track: int
    part: int


@dataclass(frozen=True)
class Flow:
    """One end of an arrow between spans."""
    time_ns: int
    time_ticks: int
    span_end_ns: int
    id: int
    track: int
    part: int
    role: str
    phase: str


class Span:
    """Something that took time. |args| are read when they are asked for."""
    __slots__ = ("number", "start_ns", "end_ns", "start_ticks", "end_ticks", "track", "part",
                 "name", "category", "origin", "location", "file", "run", "line", "invocation",
                 "is_instant", "is_unended", "_handle")

    number: int
    start_ns: int
    end_ns: int
    start_ticks: int
    end_ticks: int
    track: int
    part: int
    name: str
    category: str
    origin: str
    location: Optional[str]
    file: Optional[str]
    run: Optional[str]
    line: int
    invocation: int
    is_instant: bool
    is_unended: bool

    def __init__(self, number: int, handle: Handle, values: dict[str, Any]) -> None:
        self.number = number
        self._handle = handle
        for name, value in values.items():
            setattr(self, name, value)

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns

    @property
    def args(self) -> dict[str, Any]:
        """The arguments: numbers, truth values, texts, dictionaries and lists."""
        return _read_args(self._handle, self.number)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Span) and self._handle is other._handle
                and self.number == other.number)

    def __hash__(self) -> int:
        return hash((id(self._handle), self.number))

    def __repr__(self) -> str:
        return f"<Span {self.number} '{self.name}' {self.start_ns}..{self.end_ns} ns>"


def _arg_value(arg: _abi.tacho_arg_view) -> Any:
    if arg.type == _abi.VALUE_DICT:
        return {}
    if arg.type == _abi.VALUE_ARRAY:
        return []
    if arg.type in (_abi.VALUE_TEXT, _abi.VALUE_JSON):
        value = counted_text(arg.text, arg.text_len)
        return None if arg.type == _abi.VALUE_JSON and value == "null" else value
    return {_abi.VALUE_INT: arg.as_int, _abi.VALUE_UINT: arg.as_uint, _abi.VALUE_REAL: arg.as_real,
            _abi.VALUE_BOOL: arg.as_bool}[arg.type]


def _read_args(handle: Handle, span: int) -> dict[str, Any]:
    lib, arg = library(), _abi.tacho_arg_view()
    around: list[Any] = [{}]  # the containers that the next argument lies in
    found = lib.tacho_view_first_arg(handle.pointer, span, ctypes.byref(arg))
    while found:
        del around[arg.depth + 1:]
        value = _arg_value(arg)
        if isinstance(around[-1], list):
            around[-1].append(value)
        else:
            around[-1][counted_text(arg.key, arg.key_len)] = value
        if isinstance(value, (dict, list)):
            around.append(value)
        found = lib.tacho_view_next_arg(handle.pointer, ctypes.byref(arg))
    return around[0]


class _ViewRows(Rows):
    """Rows of a profile."""
    _columns: Any = None  # the struct of columns
    _function = ""
    _count = ""

    def __init__(self, handle: Handle, counts: _abi.tacho_view_counts) -> None:
        self._handle = handle
        self._length = int(getattr(counts, self._count))
        self._strings = int(counts.string_count)

    def __len__(self) -> int:
        return self._length

    def _fill(self, pointers: dict[str, Any], first: int, count: int) -> int:
        columns = self._columns(**pointers)
        return getattr(library(), self._function)(self._handle.pointer, first, count,
                                                  ctypes.byref(columns))

    def _string(self, number: int) -> Optional[str]:
        if not 0 <= number < self._strings:
            return None
        size = ctypes.c_size_t()
        found = library().tacho_view_text(self._handle.pointer, number, ctypes.byref(size))
        return None if found is None else counted_text(found, size.value)

    def _string_count(self) -> int:
        return self._strings


def _kinds_of(columns: Any) -> dict[str, Any]:
    return {name: kind._type_ for name, kind in columns._fields_ if name != "reserved"}


class Spans(_ViewRows):
    """The spans of a profile, in order of time on each track."""
    _columns, _function, _count = _abi.tacho_span_columns, "tacho_view_read_spans", "span_count"
    _kinds = _kinds_of(_columns)
    names = tuple(_kinds)
    _texts = frozenset({"name", "category", "origin", "location", "file", "run"})
    _flags = frozenset({"is_instant", "is_unended"})

    def _row(self, index: int, values: dict[str, Any]) -> Span:
        return Span(index, self._handle, values)

    def __iter__(self) -> Iterator[Span]:
        return super().__iter__()

    def arg(self, key: str) -> memoryview:
        """The argument |key| of all spans as numbers; NaN where a span has none."""
        view, pointer = make_column(ctypes.c_double, len(self))
        if len(self):
            library().tacho_view_read_arg(self._handle.pointer, c_text(key), 0, len(self), pointer)
        return view


class Samples(_ViewRows):
    """The samples of counters of a profile."""
    _columns, _function = _abi.tacho_sample_columns, "tacho_view_read_samples"
    _count = "sample_count"
    _kinds = _kinds_of(_columns)
    names = tuple(_kinds)

    def _row(self, index: int, values: dict[str, Any]) -> Sample:
        return Sample(**values)

    def __iter__(self) -> Iterator[Sample]:
        return super().__iter__()


class Flows(_ViewRows):
    """The ends of arrows of a profile."""
    _columns, _function, _count = _abi.tacho_flow_columns, "tacho_view_read_flows", "flow_count"
    _kinds = _kinds_of(_columns)
    names = tuple(_kinds)
    _texts = frozenset({"role", "phase"})

    def _row(self, index: int, values: dict[str, Any]) -> Flow:
        return Flow(**values)

    def __iter__(self) -> Iterator[Flow]:
        return super().__iter__()


class Tracks(_ViewRows):
    """The tracks of a profile, which form a tree under the root of each part."""
    _columns, _function, _count = _abi.tacho_track_columns, "tacho_view_read_tracks", "track_count"
    _kinds = _kinds_of(_columns)
    names = tuple(_kinds)
    _texts = frozenset({"name", "track_class", "unit"})
    _references = frozenset({"parent"})

    def _row(self, index: int, values: dict[str, Any]) -> Track:
        return Track(index, values["name"], values["track_class"], values["unit"],
                     values["parent"], values["part"], values["number"])

    def __iter__(self) -> Iterator[Track]:
        return super().__iter__()


class Profile:
    """One or several profiles of any format that tacho reads, recognised by content.

    |sources| are paths, or bytes in memory. The options are those of every command of tacho:
    |format| is the name of the input format, |clock_mhz| the frequency of cycle counts, |program|
    the compiled program that recorded raw stats; |window_ns| (begin, end), |min_duration_ns| and
    |filter| choose events. |progress| is called with bytes done and bytes in all (0: not known);
    when it returns False, CancelledError is raised.

    Single records that cannot be read are counted: see lost_count and losses.
    """

    def __init__(self, *sources: Source, format: Optional[str] = None,
                 clock_mhz: Union[str, int, float, None] = None, slices: int = 0,
                 program: Optional[Source] = None,
                 window_ns: Optional[tuple[int, int]] = None, min_duration_ns: int = 0,
                 filter: Optional[str] = None, progress: Optional[Progress] = None) -> None:
        self._inputs = Inputs(sources)
        self._options = ViewOptions(format=format, clock_mhz=clock_mhz, slices=slices,
                                    program=program, window_ns=window_ns,
                                    min_duration_ns=min_duration_ns, filter=filter)
        pointer = ctypes.c_void_p()
        with Guard() as guard:
            options = self._options.fill(_abi.tacho_view_options(), guard, progress)
            check(library().tacho_view_open_inputs(self._inputs.views(), len(self._inputs),
                                                   ctypes.byref(options), ctypes.byref(pointer)),
                  guard)
        self._open: Optional[Handle] = Handle(pointer, library().tacho_view_close)
        self._counts = library().tacho_view_count(pointer)

    # ---- lifetime

    @property
    def _handle(self) -> Handle:
        if self._open is None:
            raise ValueError("the profile is closed")
        return self._open

    def close(self) -> None:
        """Lets go of the memory. Columns that were read stay good."""
        self._open = None

    def __enter__(self) -> "Profile":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # ---- what is in it

    @property
    def spans(self) -> Spans:
        return Spans(self._handle, self._counts)

    @property
    def tracks(self) -> Tracks:
        return Tracks(self._handle, self._counts)

    @property
    def counters(self) -> Samples:
        return Samples(self._handle, self._counts)

    @property
    def flows(self) -> Flows:
        return Flows(self._handle, self._counts)

    def _list(self, function: str, struct: Any, count: int) -> Iterator[dict[str, Any]]:
        view = struct()
        for index in range(count):
            getattr(library(), function)(self._handle.pointer, index, ctypes.byref(view))
            values = {}
            for name, _kind in struct._fields_[:-1]:
                value = getattr(view, name)
                values[name] = text(value) if isinstance(value, bytes) else value
            yield values

    @property
    def parts(self) -> list[Part]:
        return [Part(**values) for values in self._list("tacho_view_part", _abi.tacho_part_view,
                                                        self._counts.part_count)]

    @property
    def losses(self) -> list[Loss]:
        return [Loss(**values) for values in self._list("tacho_view_loss", _abi.tacho_loss_view,
                                                        self._counts.loss_count)]

    @property
    def facts(self) -> dict[str, str]:
        view, found = _abi.tacho_fact_view(), {}
        for index in range(self._counts.fact_count):
            library().tacho_view_fact(self._handle.pointer, index, ctypes.byref(view))
            key = counted_text(view.key, view.key_len)
            found[key] = counted_text(view.value, view.value_len)
        return found

    @property
    def lost_count(self) -> int:
        """Records that could not be read."""
        return int(self._counts.lost_count)

    # ---- columns of spans

    def to_numpy(self, *names: str) -> dict[str, "numpy.ndarray[Any, Any]"]:
        """Columns of the spans as arrays."""
        return self.spans.to_numpy(*names)

    def to_pandas(self, *names: str) -> "pandas.DataFrame":
        """Columns of the spans as a data frame."""
        return self.spans.to_pandas(*names)

    # ---- questions about it

    def _sources(self) -> tuple[Source, ...]:
        assert self._handle is not None  # else it is closed, which raises
        return self._inputs.sources

    def overview(self, **options: Any) -> "Tables":
        """As tacho.overview, of the same inputs read in the same way."""
        from .analyse import overview  # pylint: disable=import-outside-toplevel,cyclic-import
        return overview(*self._sources(), **{**self._options.given(), **options})

    def breakdown(self, **options: Any) -> "Tables":
        """As tacho.breakdown, of the same inputs read in the same way."""
        from .analyse import breakdown  # pylint: disable=import-outside-toplevel,cyclic-import
        return breakdown(*self._inputs.sources, **{**self._options.given(), **options})

    def query(self, sql: str, *, timeout: float = 0, max_rows: int = 0) -> "Table":
        """What a SELECT statement gives, of the same inputs read in the same way: the table of
        tacho.query, with its limits."""
        from .analyse import query  # pylint: disable=import-outside-toplevel,cyclic-import
        return query(*self._sources(), sql, timeout=timeout, max_rows=max_rows,
                     **self._options.given())["query"]

    @property
    def ops(self) -> "Table":
        """The operations of the profile: the table of tacho.ops."""
        from .analyse import ops  # pylint: disable=import-outside-toplevel,cyclic-import
        return ops(*self._sources(), **self._options.given())["ops"]

    def _repr_html_(self) -> str:
        """What a notebook shows: the page of `tacho report`, in a frame of its own."""
        from .convert import report  # pylint: disable=import-outside-toplevel,cyclic-import
        with tempfile.TemporaryDirectory(prefix="tacho.") as folder:
            path = os.path.join(folder, "page.html")
            report(*self._sources(), output=path, **self._options.given())
            with open(path, encoding="utf-8") as source:
                page = html.escape(source.read())
        return (f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads allow-popups '
                'allow-popups-to-escape-sandbox" style="width:100%;height:640px;border:0"></iframe>')

    def __repr__(self) -> str:
        if self._open is None:
            return "<Profile closed>"
        names = ", ".join(part.name for part in self.parts)
        lost = f", {self.lost_count} lost" if self.lost_count else ""
        return f"<Profile {names}: {len(self.spans)} spans{lost}>"


def read(sources: Union[Source, Iterable[Source]], **options: Any) -> Profile:
    """A profile of one source or several: Profile(*sources, **options)."""
    single = isinstance(sources, (str, os.PathLike, Profile)) or is_bytes(sources)
    return Profile(*([sources] if single else sources), **options)  # type: ignore[list-item,misc]

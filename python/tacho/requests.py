# SPDX-License-Identifier: Apache-2.0
"""Requests: everything that tacho does, by name, with the options of the command of that name."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from . import _abi
from ._errors import TachoError
from ._inputs import Inputs, Source
from ._library import Guard, Handle, check, library, number_text, text
from .tables import Tables

__tracebackhide__ = True  # pytest shows the caller

#: How a request ended, by its number; other numbers are exit statuses of a program that it ran.
OUTCOMES = {0: "done", 1: "failed", 2: "usage", 3: "lossy", 4: "regression", 5: "inconclusive",
            125: "not started", 130: "interrupted"}


@dataclass(frozen=True)
class Message:
    """What a person should know: |kind| is "note", "warning", "wrote", "skipped", "error" or
    "answer", a line of the answer itself."""
    kind: str
    text: str


@dataclass(frozen=True)
class Option:
    """An option of a request. |value| is the placeholder of its value; None: it is a flag."""
    name: str
    value: Optional[str]
    help: str
    letter: str
    is_repeatable: bool
    #: Its value is an integer.
    is_number: bool
    #: For front ends: the request itself has no use for it.
    is_front: bool


@dataclass
class Results:
    """What a request gave."""
    tables: Tables
    status: int
    #: Whether it failed for an option or input.
    is_misuse: bool = False
    messages: list[Message] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """"done", "lossy", "regression" and so on; of a request that runs a program, its status."""
        return OUTCOMES.get(self.status, str(self.status))

    def __getitem__(self, table: str) -> Any:
        return self.tables[table]


def options(name: str) -> list[Option]:
    """The options of a request."""
    count = ctypes.c_size_t()
    rows = library().tacho_request_options(name.encode(), ctypes.byref(count))
    return [Option(text(row.name), None if row.value is None else text(row.value),
                   _spelled(row.help), row.letter.decode().strip("\0"),
                   row.takes != _abi.TAKES_ONE, row.fill.kind == _abi.FILL_NUMBER, row.is_front)
            for row in rows[:count.value]]


def names() -> list[str]:
    """The names of all requests, those of drop-ins for tools of vendors among them."""
    found: list[str] = []
    while (name := library().tacho_request_name(len(found))) is not None:
        found.append(text(name))
    return found


_SPELLING = _abi.tacho_spelling(option=b"", letter=b"", request=b"", dash=b"_")


def _spelled(words: bytes) -> str:
    size = library().tacho_spelling_apply(ctypes.byref(_SPELLING), words, None, 0)
    room = ctypes.create_string_buffer(size + 1)
    library().tacho_spelling_apply(ctypes.byref(_SPELLING), words, room, size + 1)
    return text(room.value)


def _values(value: Any) -> Iterable[Optional[bytes]]:
    """What an option is set to, each in turn: None sets a flag."""
    if value is None or value is False:
        return []
    if value is True:
        return [None]
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in _values(item)]
    if isinstance(value, bytes):
        return [value]
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return [getattr(value, "__fspath__", lambda: value)().encode("utf-8", "surrogateescape")]
    return [number_text(value).encode()]


class _Asked:
    """A request while it is put together and runs."""

    def __init__(self, name: str, guard: Guard, progress: Optional[Callable[[int, int], object]],
                 spelling: Optional[Any] = None, output: Optional[bytes] = None) -> None:
        pointer = ctypes.c_void_p()
        check(library().tacho_request_create(name.encode(), ctypes.byref(pointer)))
        self.handle = Handle(pointer, library().tacho_request_free)
        self._truths = {row.name: row.value == "[true|false]" for row in options(name)}
        step = guard.progress(progress)
        self._progress = _abi.RequestProgress(
            lambda user, told: step(user, told.contents.done, told.contents.total))
        self._listener = _abi.tacho_listener(
            progress=self._progress, may_stop=True, output=output,
            spelling=spelling if spelling is not None else _SPELLING)
        if spelling is not None:  # a front end, which replaces only files that tacho wrote
            self._may_replace = _abi.MayReplace(lambda user, path: False)
            self._listener.may_replace = self._may_replace
        library().tacho_request_listen(pointer, ctypes.byref(self._listener))

    def set(self, option: str, value: Any) -> None:
        if value is False and self._truths.get(option, False):
            value = b"false"  # such an option may be true without it
        for item in _values(value):
            check(library().tacho_request_set(self.handle.pointer, option.encode(), item))

    def add(self, inputs: Iterable[Optional[bytes]]) -> None:
        for item in inputs:
            check(library().tacho_request_add_input(self.handle.pointer, item))

    def run(self, guard: Guard) -> Results:
        pointer = ctypes.c_void_p()
        status = library().tacho_request_run(self.handle.pointer, ctypes.byref(pointer))
        results = _results_of(pointer)
        try:
            check(status, guard)
        except TachoError as error:
            error.results = results
            raise
        return results


def _results_of(pointer: ctypes.c_void_p) -> Results:
    lib = library()
    found = Results(Tables(ctypes.c_void_p(lib.tacho_results_take_tables(pointer))),
                    lib.tacho_results_outcome(pointer), lib.tacho_results_is_misuse(pointer))
    note = _abi.tacho_result_note()
    while lib.tacho_results_note(pointer, len(found.messages), ctypes.byref(note)):
        found.messages.append(Message(text(note.kind), text(note.text)))
    lib.tacho_results_free(pointer)
    return found


def request(name: str, *inputs: Union[Source, str], progress: Optional[Callable[[int, int], object]] = None,
            sides: Optional[tuple[Any, Any]] = None, **chosen: Any) -> Results:
    """Runs the request |name|, such as "ops" or "fleet", on |inputs|: what the command of that name
    does. Keywords are its options, with underscores: a flag is True, a repeatable option takes a
    list. |sides| are the two lists of inputs of "diff". Tables that no option sends to a file are in
    the results. An error has the attribute |results|: what was known by then."""
    with Guard() as guard, Inputs(inputs).paths() as (paths, count), \
            Inputs(_listed(sides, 0)).paths() as before, Inputs(_listed(sides, 1)).paths() as after:
        asked = _Asked(name, guard, progress)
        for option, value in chosen.items():
            asked.set(option, value)
        asked.add(paths[:count])
        if sides is not None:
            asked.add(before[0][:before[1]])
            library().tacho_request_divide(asked.handle.pointer)
            asked.add(after[0][:after[1]])
        return asked.run(guard)


def spelling(option: bytes, letter: bytes, request: bytes) -> Any:  # pylint: disable=redefined-outer-name
    """How a front end writes names in messages."""
    return _abi.tacho_spelling(option=option, letter=letter, request=request, dash=b"\0")


def run_request(name: str, chosen: Iterable[tuple[str, Optional[str]]], words: Iterable[str],
                divided: Optional[int] = None, how: Optional[Any] = None,
                output: Optional[bytes] = None) -> Results:
    """Runs a request of a front end: options in the order given, words as they are, of which the
    first |divided| are of the first side. |output| is where tables go that no option sends to a
    file: b"-" is standard output, None leaves them in the results."""
    with Guard() as guard:
        asked = _Asked(name, guard, None, how, output)
        for option, value in chosen:
            asked.set(option, True if value is None else value)
        for number, word in enumerate([*words, None]):
            if number == divided:
                library().tacho_request_divide(asked.handle.pointer)
            if word is not None:
                asked.add([word.encode("utf-8", "surrogateescape")])
        return asked.run(guard)


def _listed(sides: Optional[tuple[Any, Any]], index: int) -> list[Any]:
    side = [] if sides is None else sides[index]
    return list(side) if isinstance(side, (list, tuple)) else [side]

# SPDX-License-Identifier: Apache-2.0
"""Finding libtacho and calling it: the library, its failures as exceptions, texts, callbacks."""
from __future__ import annotations

import ctypes
import functools
import operator
import os
import signal
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Optional, Union

from . import _abi
from ._errors import ERRORS, LibraryNotFound, TachoError
from ._version import __version__, abi_of

__tracebackhide__ = True  # pytest shows the caller
StrPath = Union[str, "os.PathLike[str]", bytes]


# ---- the library

def _places() -> list[str]:
    """Where the library may be, best first."""
    name = f"libtacho.so.{abi_of(__version__)}"
    told = os.environ.get("TACHO_LIBRARY")
    if told:
        return [told]
    return [str(Path(__file__).with_name(name)), name]


def _load() -> ctypes.CDLL:
    causes = []
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            causes.append(str(error))
    raise LibraryNotFound(
        "cannot load libtacho; install tacho, or set TACHO_LIBRARY to the path of libtacho.so",
        notes=causes)


def check_version(loaded: ctypes.CDLL, found: str) -> None:
    if abi_of(found) != abi_of(__version__):
        raise LibraryNotFound(
            f"libtacho is version {found}, but this package needs {abi_of(__version__)}.x; "
            "install the package and the library of one version", notes=[loaded._name])


@functools.lru_cache(maxsize=None)
def library() -> Any:
    """libtacho, loaded once and checked to be of this package's version."""
    loaded = _load()
    loaded.tacho_version.restype = ctypes.c_char_p
    check_version(loaded, loaded.tacho_version().decode())
    _abi.declare(loaded)
    return loaded


def library_version() -> str:
    """The version of the library that is used."""
    return text(library().tacho_version())


# ---- failures

def check(status: Optional[int], guard: Optional["Guard"] = None) -> None:
    """Raises what |status| says; an exception of the caller's own callback goes first."""
    if guard is not None and guard.error is not None:
        library().tacho_status_free(status)
        raise guard.error
    if not status:
        return
    lib = library()
    code = lib.tacho_code_name(lib.tacho_status_code(status)).decode()
    message = text(lib.tacho_status_message(status))
    notes = []
    note = lib.tacho_status_note(status, 0)
    while note is not None:
        notes.append(text(note))
        note = lib.tacho_status_note(status, len(notes))
    lib.tacho_status_free(status)
    raise ERRORS.get(code, TachoError)(message, code=code, notes=notes)


class Handle:
    """An object of the library. It is freed when nothing refers to it any more, so that a call that
    another thread has begun ends in peace."""
    __slots__ = ("pointer", "_free")

    def __init__(self, pointer: ctypes.c_void_p, free: Callable[[Any], None]) -> None:
        self.pointer = pointer
        self._free = free

    def __del__(self) -> None:
        self._free(self.pointer)

    def __reduce__(self) -> Any:
        raise TypeError("objects of libtacho cannot be pickled or copied deeply; pass the paths on, "
                        "or what columns(), to_numpy() or to_pandas() give")


# ---- texts

def text(value: Optional[bytes]) -> str:
    """Bytes of the library. Those that are not UTF-8 survive a way back."""
    return "" if value is None else value.decode("utf-8", "surrogateescape")


def optional_text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else text(value)


def counted_text(pointer: Optional[int], size: int) -> str:
    return text(ctypes.string_at(pointer, size)) if pointer else ""


def _without_nul(value: bytes, what: object) -> bytes:
    if b"\0" in value:
        raise ValueError(f"NUL byte in {what!r}")
    return value


def c_text(value: Optional[str]) -> Optional[bytes]:
    """A text for the library; None stays None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"expected a str, not {type(value).__name__}: {value!r}")
    return _without_nul(value.encode("utf-8", "surrogateescape"), value)


def c_name(value: Union[str, "os.PathLike[str]", None]) -> Optional[bytes]:
    """A name, or the path of a file in its place; None stays None."""
    return c_path(value) if isinstance(value, os.PathLike) else c_text(value)


def c_path(path: StrPath) -> bytes:
    return _without_nul(os.fsencode(path), path)


def c_list(values: Iterable[bytes]) -> Any:
    """An array of texts."""
    items = list(values)
    return (ctypes.c_char_p * max(len(items), 1))(*items)


def c_number(value: Union[str, int, float, None]) -> Optional[bytes]:
    """A number that the library reads from text."""
    return c_text(value if value is None or isinstance(value, str) else number_text(value))


def number_text(value: Any) -> str:
    """An int or a float, also one of numpy's, as text that reads back the same."""
    return repr(operator.index(value) if hasattr(value, "__index__") else float(value))


def c_buffer(source: Any) -> tuple[Optional[int], int, Any]:
    """Address and size of an object's bytes, and what must live as long as they are used."""
    whole = memoryview(source)
    if not whole.c_contiguous:
        raise ValueError("the elements of a buffer must lie in a row (C order)")
    size = whole.nbytes
    if size == 0:
        held: Any = ctypes.create_string_buffer(1)  # empty is not missing
        return ctypes.addressof(held), 0, held
    flat = whole.cast("B")
    if flat.readonly:  # ctypes takes the address of what may be written, and of bytes
        held = flat.obj if isinstance(flat.obj, bytes) and len(flat.obj) == size else bytes(flat)
        return ctypes.cast(ctypes.c_char_p(held), ctypes.c_void_p).value, size, held
    held = (ctypes.c_char * size).from_buffer(flat)
    return ctypes.addressof(held), size, held


def set_members(struct: Any, **values: Any) -> Any:
    """Sets members of a struct; integers that do not fit are refused, not cut."""
    kinds = dict(struct._fields_)
    for name, value in values.items():
        kind = kinds[name]
        if value is None:
            continue
        if kind is not ctypes.c_bool and hasattr(value, "__index__"):
            value = operator.index(value)
            if kind(value).value != value:
                raise ValueError(f"{name}: {value} is out of range")
        setattr(struct, name, value)
    return struct


# ---- callbacks

class Guard:
    """Around a call with callbacks. Their exceptions must not pass through the library: the first
    is kept, the library is asked to stop, and check() raises it. Ctrl-C is such an exception."""

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None
        #: Inputs that could not be read, and why.
        self.skipped: list[str] = []
        self._handler: Any = None

    def __enter__(self) -> "Guard":
        if (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
            self._handler = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)

    def _interrupt(self, _number: int, _frame: object) -> None:
        self.error = self.error or KeyboardInterrupt()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The function's result; None once one has failed."""
        if self.error is None:
            try:
                return function(*arguments)
            except BaseException as error:  # pylint: disable=broad-except
                self.error = error
        return None

    def progress(self, function: Optional[Callable[[int, int], object]]) -> Any:
        """A progress callback: it goes on unless |function| returns False. There is always one, so
        that Ctrl-C ends a long call."""
        def step(_user: Any, done: int, total: int) -> bool:
            is_counted = total > 0  # else something is waited for
            goes_on = self.call(function, done, total) if function is not None and is_counted else True
            return self.error is None and goes_on is not False
        return _abi.Progress(step)

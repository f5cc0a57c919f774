# SPDX-License-Identifier: Apache-2.0
"""Failures as exceptions."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class TachoError(Exception):
    """A call has failed. |message| says what went wrong and what to do, |code| is the name of its
    kind, and |notes| are the causes around it, from the innermost on. |results| is what a request
    knew by then; None if it did not run."""

    code = "UNKNOWN"
    results: Any = None

    def __init__(self, message: str, code: str = "", notes: Iterable[str] = ()) -> None:
        self.message = message
        self.code = code or self.code
        self.notes = tuple(notes)
        super().__init__(message)

    def __str__(self) -> str:
        return "\n  ".join((self.message, *self.notes))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.code, self.notes)


class UsageError(TachoError, ValueError):
    """The request itself is wrong."""
    code = "USAGE"


class NotFoundError(TachoError, FileNotFoundError, LookupError):
    """A file, or another named thing, does not exist."""
    code = "NOT_FOUND"


class InputOutputError(TachoError, OSError):
    """The operating system refused a read or write."""
    code = "IO"


class BadDataError(TachoError, ValueError):
    """The input is not what it claims to be."""
    code = "BAD_DATA"


class LimitError(TachoError):
    """The input exceeds a stated limit."""
    code = "LIMIT"


class UnsupportedError(TachoError, NotImplementedError):
    """Valid, but not handled."""
    code = "UNSUPPORTED"


class OutOfOrderError(TachoError):
    """Events go back in time and must be sorted first."""
    code = "OUT_OF_ORDER"


class OutOfMemoryError(TachoError, MemoryError):
    """Memory is exhausted."""
    code = "NO_MEMORY"


class CancelledError(TachoError):
    """A callback returned False."""
    code = "CANCELLED"


class LibraryNotFound(TachoError, ImportError):
    """libtacho cannot be loaded, or is of another version."""
    code = "LIBRARY"


ERRORS = {kind.code: kind for kind in (
    UsageError, NotFoundError, InputOutputError, BadDataError, LimitError, UnsupportedError,
    OutOfOrderError, OutOfMemoryError, CancelledError)}

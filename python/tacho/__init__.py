# SPDX-License-Identifier: Apache-2.0
"""tacho: where the time of a neural network goes on an accelerator.

    import tacho
    profile = tacho.Profile("timeline.csv")
    frame = profile.to_pandas()
    for row in profile.ops:
        print(row["operation"], row["total_ns"])

The package is a thin layer over libtacho. It needs nothing but Python; numpy and pandas are used
where they are installed.
"""
from ._errors import (BadDataError, CancelledError, InputOutputError, LibraryNotFound, LimitError,
                      NotFoundError, OutOfMemoryError, OutOfOrderError, TachoError,
                      UnsupportedError, UsageError)
from ._library import library_version
from ._version import __version__
from .analyse import annotate, info, machine, machines, ops, opstats, overview
from .convert import Converted, Reported, convert, convert_to_bytes, report
from .profile import Flow, Loss, Part, Profile, Sample, Span, Track, read
from .tables import Column, Table, Tables

__all__ = [
    "BadDataError", "CancelledError", "Column", "Converted", "Flow", "InputOutputError",
    "LibraryNotFound", "LimitError", "Loss", "NotFoundError", "OutOfMemoryError",
    "OutOfOrderError", "Part", "Profile", "Reported", "Sample", "Span", "Table", "Tables",
    "TachoError", "Track", "UnsupportedError", "UsageError", "__version__", "annotate", "convert",
    "convert_to_bytes", "info", "library_version", "machine", "machines", "ops", "opstats",
    "overview", "read", "report",
]

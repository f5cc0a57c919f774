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
from .analyse import (Diff, Roofline, annotate, baselines, breakdown, diff, info, machine, machines,
                      ops, opstats, overview, query, roofline, save_baseline, write_opstats)
from ._model import Note
from ._values import Tensor
from .compile import Compiled, compile
from .convert import Converted, Reported, convert, convert_to_bytes, report
from ._columns import Rows
from .profile import (Flow, Flows, Loss, Part, Profile, Sample, Samples, Span, Spans, Track, Tracks,
                      read)
from .requests import Message, Option, Results, request
from .run import Board, Inference, Run, Runner, run
from .tables import Column, Table, Tables
from .timechart import (TimeChartLog, TimeChartView, convert_to_perfetto,
                        csv_to_view_compile_profile, csv_to_view_runtime_profile)

__all__ = [
    "BadDataError", "Board", "CancelledError", "Column", "Compiled", "Converted", "Diff", "Flow", "Inference",
    "InputOutputError", "LibraryNotFound", "LimitError", "Loss", "NotFoundError", "Note",
    "OutOfMemoryError", "OutOfOrderError", "Part", "Profile", "Reported", "Roofline", "Run", "Runner",
    "Sample", "Span", "Table", "Tables", "TachoError", "Tensor", "TimeChartLog",
    "TimeChartView", "Track", "UnsupportedError", "UsageError", "__version__", "annotate",
    "baselines", "breakdown", "compile", "convert", "convert_to_bytes", "convert_to_perfetto",
    "csv_to_view_compile_profile", "csv_to_view_runtime_profile", "info", "diff", "library_version", "Message", "Option", "request", "Results",
    "machine", "machines", "ops", "opstats", "overview", "query", "read", "report", "roofline", "run", "save_baseline",
    "Flows", "Rows", "Samples", "Spans", "Tracks", "write_opstats",
]

# SPDX-License-Identifier: Apache-2.0
"""Cloud AI 100 sessions on tacho's simulated device, by the names of the vendor's Python API.

    import qaic
    session = qaic.Session("model.onnx", enable_profiling=True)
    outputs = session.run({"input": array})
    session.print_metrics()
    session.print_profile_data(n=5)

All times are simulated (tacho's device "sim:aic100"), not those of hardware.
"""
from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Optional, Union

import tacho
from tacho._values import NUMPY, Tensor, format_of
from tacho.run import Inference

__all__ = ["OpStatsFormat", "ProfilingHandle", "QAicOpStatsFormatEnum", "QStatus", "Session",
           "StreamProfilingHandle"]


class QStatus(Enum):
    QS_SUCCESS = 0
    QS_INVAL = 1


class OpStatsFormat(Enum):
    """What a callback is given: the text summary of an inference, or its Chrome trace."""
    ASCII = "summary.txt"
    JSON = "trace.json"


QAicOpStatsFormatEnum = OpStatsFormat
_KINDS = {"stats": OpStatsFormat.ASCII, "trace": OpStatsFormat.JSON, "latency": None}
_SAMPLING = {"full": 1, "half": 2, "fourth": 4, "eighth": 8, "sixteenth": 16}


def _read_options(path: Union[str, "os.PathLike[str]"]) -> dict[str, str]:
    """Lines of "key: value" of a configuration file; dashes of keys are underscores."""
    options = {}
    with open(path, encoding="utf-8") as source:
        for line in source:
            key, mark, value = line.split("#")[0].partition(":")
            if mark and value.strip():
                options[key.strip().lstrip("-").replace("-", "_")] = value.strip().strip("'\"")
    return options


def _kind(tensor: Tensor) -> tuple[tuple[int, ...], Any]:
    """Shape and type, as the vendor's dictionaries have them."""
    kind = format_of(tensor.dtype)
    try:
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError:
        return tensor.shape, tensor.dtype
    return tensor.shape, numpy.dtype(NUMPY.get(kind, kind))


class Session:
    """A model, or a compiled programqpc.bin, on a simulated card. |enable_profiling| records
    operators of every inference (models are compiled with stats level 70 for it). |options_path| is
    a file of "key: value" lines with any of the options."""

    def __init__(self, model_path: Union[str, "os.PathLike[str]"],
                 options_path: Union[str, "os.PathLike[str]", None] = None, *,
                 enable_profiling: bool = False, enable_metrics: bool = False, **options: Any) -> None:
        given = {**(_read_options(options_path) if options_path else {}), **options}
        self._folder = tempfile.mkdtemp(prefix="tacho-qaic.")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._stats = os.path.join(self._folder, "stats")
        self._program = self._compile(os.fspath(model_path), given, enable_profiling)
        self._activations = int(given.pop("num_activations", 0) or 0)
        for name in given:
            if name not in ("set_size", "dev_id", "aic_device_id", "aic_binary_dir"):
                warnings.warn(f"qaic.Session: option '{name}' has no effect on a simulated device",
                              stacklevel=2)
        self.enable_profiling = enable_profiling
        self.enable_metrics = enable_metrics or enable_profiling
        self._runner: Optional[tacho.Runner] = None
        self._latencies_ns: list[int] = []
        self._consumers: list[Any] = []
        self.setup()
        assert self._runner is not None
        self.model_input_shape_dict = {t.name: _kind(t) for t in self._runner.inputs}
        self.model_output_shape_dict = {t.name: _kind(t) for t in self._runner.outputs}

    def _compile(self, model: str, given: dict[str, Any], enable_profiling: bool) -> str:
        level = int(given.pop("stats_level", 0) or (70 if enable_profiling else 0))
        cores = int(given.pop("aic_num_cores", 0) or 0)
        sizes = given.pop("onnx_define_symbol", None)
        if os.path.isdir(model):
            model = os.path.join(model, "programqpc.bin")
        if not model.endswith((".onnx", ".mlir", ".mlirb")):
            return model
        if isinstance(sizes, str):  # "batch_size,4"
            sizes = dict([sizes.split(",", 1)])
        program = os.path.join(self._folder, "programqpc.bin")
        tacho.compile(model, "aic100", stats_level=level, cores=cores,
                      sizes={name: int(size) for name, size in (sizes or {}).items()}
                      ).write_program(program)
        return program

    def setup(self) -> None:
        """Loads the program; run() does it where needed."""
        if self._runner is None:
            self._runner = tacho.Runner(self._program, "sim:aic100", stats_dir=self._stats,
                                        activations=self._activations)

    def reset(self) -> None:
        """Lets go of the device; the next run() loads the program again."""
        if self._runner is not None:
            self._runner.close()
        self._runner = None

    # ---- running

    def run(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """One inference: outputs by name."""
        self.setup()
        assert self._runner is not None
        number = len(self._latencies_ns)
        wanting = [consumer for consumer in self._consumers if consumer.wants(number)]
        outputs = self._runner.run(input_dict, record=bool(wanting) or self.enable_profiling)
        inference = self._runner.inferences[0]
        self._latencies_ns.append(inference.latency_ns)
        try:
            for consumer in wanting:
                consumer.take(self, number, inference)
        finally:
            self._forget_stats()
        return outputs

    def run_benchmark(self, input_dict: Mapping[str, Any],
                      num_inferences: int = 40) -> tuple[int, float, float, int]:
        """Inferences completed, inferences per second, seconds, batch size; all simulated."""
        self.setup()
        assert self._runner is not None
        self._runner.run(input_dict, count=num_inferences, record=False)
        total_ns = sum(inference.latency_ns for inference in self._runner.inferences)
        count = len(self._runner.inferences)
        return count, count * 1e9 / total_ns if total_ns else 0.0, total_ns / 1e9, 1

    def _forget_stats(self) -> None:
        if os.path.isdir(self._stats):
            for name in os.listdir(self._stats):
                os.unlink(os.path.join(self._stats, name))

    def _report(self, format: OpStatsFormat) -> bytes:
        """The last inference as a summary or a trace."""
        folder = tempfile.mkdtemp(dir=self._folder)
        is_text = format is OpStatsFormat.ASCII
        tacho.write_opstats(self._program, self._stats, folder, summary=is_text, trace=not is_text)
        parts = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as source:
                parts.append(source.read())
        return b"".join(parts)

    # ---- profiling

    def enableOpStatsCallback(self, callback: Callable[..., object], initialSampleIndex: int = 0,  # noqa: N802,N803
                              numSamplesPerProgramInstance: int = 1,
                              format: OpStatsFormat = OpStatsFormat.ASCII) -> QStatus:
        """Has |callback| called with (bytes, size, format, index of the inference, Inference) after
        each of the inferences from |initialSampleIndex| on."""
        if not isinstance(format, OpStatsFormat) or initialSampleIndex < 0 or numSamplesPerProgramInstance < 1:
            return QStatus.QS_INVAL
        self._consumers.append(_Callback(callback, initialSampleIndex,
                                         numSamplesPerProgramInstance, format))
        return QStatus.QS_SUCCESS

    def get_metrics(self) -> dict[str, float]:
        """Simulated latencies of all inferences, in seconds."""
        times = sorted(latency / 1e9 for latency in self._latencies_ns)
        if not times:
            return {"count": 0}
        metrics = {"count": len(times), "min": times[0], "max": times[-1],
                   "mean": statistics.fmean(times), "sum": sum(times)}
        for percent in (25, 50, 75, 90, 99):
            metrics[f"p{percent}"] = times[max(-(-len(times) * percent // 100) - 1, 0)]
        return metrics

    def print_metrics(self) -> None:
        metrics = self.get_metrics()
        print(f"Inferences: {metrics['count']} (simulated time, not representative of hardware)")
        for name in ("min", "max", "mean", "p25", "p50", "p75", "p90", "p99", "sum"):
            if name in metrics:
                print(f"{name:<5} {metrics[name]:.9f} s")

    def print_profile_data(self, n: int = 5) -> None:
        """The |n| operators of the last inference that took the most time."""
        if not self.enable_profiling or self._runner is None or not self._latencies_ns:
            print("no profile: use Session(..., enable_profiling=True), and run an inference")
            return
        tables = self._runner.tables
        if "ops" not in tables or not len(tables["ops"]):
            print("no operators were recorded: compile the program with stats level 70")
            return
        print(f"{'operation':<40} {'count':>8} {'total ns':>12}  (simulated)")
        for row in list(tables["ops"])[:n]:
            print(f"{row['operation']!s:<40} {row['count']:>8} {row['total_ns']:>12}")


class _Callback:
    """Tells a callback of a range of inferences."""

    def __init__(self, callback: Callable[..., object], first: int, count: int,
                 format: OpStatsFormat) -> None:
        self._callback, self._first, self._last = callback, first, first + count
        self._format = format

    def wants(self, number: int) -> bool:
        return self._first <= number < self._last

    def take(self, session: Session, number: int, inference: Inference) -> None:
        report = session._report(self._format)
        self._callback(report, len(report), self._format, number, inference)


class ProfilingHandle:
    """Collects |num_samples| inferences of a session from start() on, then calls |callback| once with
    their report: "latency" (CSV lines), "stats" (text summaries) or "trace" (a list of Chrome
    traces). stop() ends it early and reports what there is."""

    def __init__(self, session: Session, num_samples: int, callback: Callable[[Any], object],
                 type: str = "latency") -> None:
        if type not in _KINDS:
            raise ValueError(f"unknown profiling type '{type}'; use {', '.join(_KINDS)}")
        self._session, self._callback, self._format = session, callback, _KINDS[type]
        self._left = self._size = num_samples
        self._samples: list[Any] = []

    def start(self) -> None:
        self._left, self._samples = self._size, []
        if self not in self._session._consumers:
            self._session._consumers.append(self)

    def stop(self) -> None:
        if self in self._session._consumers:
            self._session._consumers.remove(self)
        self._deliver()

    def _deliver(self) -> None:
        samples, self._samples = self._samples, []
        if not samples:
            return
        if self._format is None:
            rows = [f"{number},{inference.latency_ns / 1000:.3f}" for number, inference in samples]
            self._callback("\n".join(["Sample,devExecUs", *rows]) + "\n")
        elif self._format is OpStatsFormat.ASCII:
            self._callback("".join(samples))
        else:
            self._callback(samples)

    def wants(self, number: int) -> bool:
        return self._left > 0

    def take(self, session: Session, number: int, inference: Inference) -> None:
        self._samples.append((number, inference) if self._format is None
                             else session._report(self._format).decode())
        self._left -= 1
        if self._left == 0:
            self.stop()


class StreamProfilingHandle(ProfilingHandle):
    """The same for as long as it runs: every inference, or every "half", "fourth", "eighth" or
    "sixteenth" one, reported each |reporting_rate_ms| of real time."""

    def __init__(self, session: Session, callback: Callable[[Any], object],
                 sampling_rate: str = "full", reporting_rate_ms: int = 500,
                 type: str = "latency") -> None:
        super().__init__(session, 1, callback, type)
        if sampling_rate not in _SAMPLING:
            raise ValueError(f"unknown sampling rate '{sampling_rate}'; use {', '.join(_SAMPLING)}")
        self._step, self._period_s = _SAMPLING[sampling_rate], reporting_rate_ms / 1000
        self._reported_s = 0.0

    def start(self) -> None:
        super().start()
        self._reported_s = time.monotonic()

    def wants(self, number: int) -> bool:
        return number % self._step == 0

    def take(self, session: Session, number: int, inference: Inference) -> None:
        self._left = 2  # never the last one
        super().take(session, number, inference)
        if time.monotonic() - self._reported_s >= self._period_s:
            self._reported_s = time.monotonic()
            self._deliver()

# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: runs models, measures them, keeps their profiles, and fails what became slower.

    def test_matmul(tacho_run):
        run = tacho_run("matmul.onnx", {"a": a, "b": b})
        assert run.outputs["y"].shape == (4, 4)

    pytest --tacho-device sim:aic100 --tacho-profile-dir profiles --tacho-baseline baseline

Options of Torq's test framework are understood, too.
"""
from __future__ import annotations

import hashlib
import logging
import os
import pathlib
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, Optional

import pytest

import tacho
from tacho.run import Run, Runner

LOG = logging.getLogger("tacho")
OVERVIEW = "Host Profile Overview"
GATE = "rel=5%,abs=10us"
NAME_MAX = 160  # of 255 that file systems have; suffixes follow
_HARDWARE = {"sim": "sim:torq-sl2610"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tacho", "models on accelerators")
    for name, options in (
            ("--tacho-device", {"help": "device to run on: sim, sim:aic100, cpu ... (default: sim)"}),
            ("--tacho-addr", {"help": "board to run on, user@host"}),
            ("--tacho-profile-dir", {"help": "keep profile, trace and wall time of each test there"}),
            ("--tacho-baseline", {"help": "fail tests that are slower than their profile in there"}),
            ("--tacho-update-baseline", {"action": "store_true",
                                         "help": "write profiles to the baseline instead"}),
            ("--tacho-gate", {"default": GATE, "help": f"what counts as slower (default: {GATE})"}),
            ("--torq-runtime-hw-type", {"choices": ["sim", "aws_fpga", "astra_machina"],
                                        "help": "as in Torq's test framework"}),
            ("--torq-addr", {"help": "as --tacho-addr"}),
            ("--torq-runtime-profiling-output-dir", {"help": "as --tacho-profile-dir"}),
            ("--update-astra-runtime", {"action": "store_true",
                                        "help": "with a profiling directory: print the overview"}),
            ("--recompute-cache", {"action": "store_true", "help": "compile models again"})):
        try:
            group.addoption(name, **options)  # type: ignore[arg-type]
        except ValueError:  # another plugin has it; its value is read all the same
            continue


def _option(config: pytest.Config, *names: str) -> Any:
    """The first option of these that is given."""
    for name in names:
        value = config.getoption(name, default=None)
        if value:
            return value
    return None


def _device(config: pytest.Config) -> Optional[str]:
    hardware = _option(config, "--torq-runtime-hw-type")
    return _option(config, "--tacho-device") or _HARDWARE.get(hardware)


def _profile_dir(config: pytest.Config) -> Optional[str]:
    return _option(config, "--tacho-profile-dir", "--torq-runtime-profiling-output-dir")


def pytest_configure(config: pytest.Config) -> None:
    address = _option(config, "--tacho-addr", "--torq-addr")
    hardware = _option(config, "--torq-runtime-hw-type")
    if address or hardware in ("aws_fpga", "astra_machina"):
        raise pytest.UsageError(
            f"tacho cannot run tests on a board yet ({address or hardware}); leave --tacho-addr and "
            "--torq-addr away, and use --tacho-device or --torq-runtime-hw-type=sim")
    if _option(config, "--tacho-update-baseline") and not _option(config, "--tacho-baseline"):
        raise pytest.UsageError("--tacho-update-baseline needs --tacho-baseline DIR")


# ---- compiling

def _content_key(model: pathlib.Path, options: dict[str, Any]) -> str:
    """What a compiled program depends on: the files of the model, options and library."""
    digest = hashlib.sha256(repr((tacho.library_version(), sorted(options.items()))).encode())
    beside = sorted(path for path in model.parent.glob(f"{model.stem}*") if path.is_file()
                    and (path == model or "data" in path.name[len(model.stem):]))
    for path in beside:
        digest.update(path.name.encode("utf-8", "surrogateescape"))
        with open(path, "rb") as source:
            for block in iter(lambda: source.read(1 << 20), b""):
                digest.update(block)
    return digest.hexdigest()


def _compile(config: pytest.Config, model: pathlib.Path, device: str, options: dict[str, Any]) -> str:
    """The program of a model for the machine of |device|, compiled once for all sessions."""
    if model.suffix not in (".onnx", ".mlir", ".mlirb"):
        return str(model)  # a program already
    machine = "host-cpu" if device == "cpu" else device.partition(":")[2] or None
    options = {"machine": machine, "stats_level": 70, **options}
    cache = getattr(config, "cache", None)
    folder = cache.mkdir("tacho") if cache else pathlib.Path(tempfile.mkdtemp(prefix="tacho."))
    program = folder / f"{_content_key(model, options)}.bin"
    if not program.exists() or _option(config, "--recompute-cache"):
        tacho.compile(model, **options).write_program(program)
    return str(program)


# ---- running

def safe_name(node_id: str) -> str:
    """A name for files of a test; a long one is cut, and ends with a digest of the whole."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", node_id)
    if len(name) <= NAME_MAX:
        return name
    digest = hashlib.sha256(node_id.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{name[:NAME_MAX - len(digest) - 1]}_{digest}"


class TachoRun(Run):
    """What came of a run in a test: outputs, inferences, tables, profile; wall_time in seconds, and
    the trace where one is kept."""
    wall_time: float = 0.0
    trace: Optional[pathlib.Path] = None


class _Runs:
    """The runs of one test."""

    def __init__(self, request: pytest.FixtureRequest, record: Callable[[str, object], None],
                 scratch: pathlib.Path) -> None:
        self._config, self._record, self._scratch = request.config, record, scratch
        self._name, self._count = safe_name(request.node.nodeid), 0

    def __call__(self, model: Any, inputs: Any = None, *, count: int = 1, recorded: int = 0,
                 device: Optional[str] = None, **options: Any) -> TachoRun:
        chosen = device or _device(self._config) or "sim"
        program = _compile(self._config, pathlib.Path(model), chosen, options)
        self._count += 1
        name = self._name if self._count == 1 else f"{self._name}_{self._count}"
        started = time.monotonic()
        with Runner(program, chosen) as runner:
            outputs = runner.run(inputs, count=count, recorded=recorded)
            wall_time = time.monotonic() - started
            run = TachoRun(outputs, runner.inferences, runner.tables, runner.profile(), runner.notes)
            run.wall_time = wall_time
            LOG.info("Wall time: %.3fs", wall_time)
            self._record("wall_time", f"{wall_time:.3f}")
            self._record("wall_time_ns", round(wall_time * 1e9))
            self._keep(runner, run, name)
        self._compare(run, name)
        return run

    def _keep(self, runner: Runner, run: TachoRun, name: str) -> None:
        chosen = _profile_dir(self._config)
        folder = pathlib.Path(chosen) if chosen else self._scratch
        results = folder / name
        results.mkdir(parents=True, exist_ok=True)
        (results / "wall_time.txt").write_text(f"{run.wall_time:.3f}\n", encoding="utf-8")
        runner.write_profile(results / "profile.tacho")
        run.trace = folder / f"{name}.pb"
        runner.write_profile(run.trace)
        if chosen:
            self._record("tacho_trace", str(run.trace.resolve()))

    def _compare(self, run: TachoRun, name: str) -> None:
        folder = _option(self._config, "--tacho-baseline")
        if not folder or run.trace is None:
            return
        profile = run.trace.parent / name / "profile.tacho"
        baseline = pathlib.Path(folder) / f"{name}.tacho"
        if _option(self._config, "--tacho-update-baseline"):
            baseline.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(profile, baseline)
            return
        if not baseline.exists():
            pytest.fail(f"no baseline {baseline}; write it with --tacho-update-baseline", pytrace=False)
        found = tacho.diff(baseline, profile, gate=_option(self._config, "--tacho-gate"))
        if found.outcome == "regression":
            pytest.fail(_regression_text(found, baseline), pytrace=False)


def _regression_text(found: tacho.Diff, baseline: pathlib.Path) -> str:
    gate = next(iter(found["gate"]))
    lines = [f"slower than {baseline}: {gate['reason']} ({gate['a_ns']} ns before, {gate['b_ns']} ns now)"]
    for row in found["operations"]:
        if row["verdict"] == "regression":
            lines.append(f"  {row['operation']}: {row['a_ns']} ns before, {row['b_ns']} ns now")
    return "\n".join(lines)


@pytest.fixture
def tacho_run(request: pytest.FixtureRequest, record_property: Callable[[str, object], None],
              tmp_path: pathlib.Path) -> Iterator[Callable[..., TachoRun]]:
    """Runs a model or program: tacho_run(model, inputs, count=1, device=None, **compile options)."""
    yield _Runs(request, record_property, tmp_path)


# ---- the summary

def _wall_times_ns(reporter: Any) -> dict[str, int]:
    """Traces that tests of this session kept, also those of xdist's workers, and their wall time."""
    found: dict[str, int] = {}
    for reports in reporter.stats.values():
        for report in reports:
            wall_time_ns = 0
            for name, value in getattr(report, "user_properties", ()):
                if name == "wall_time_ns":
                    wall_time_ns = value
                elif name == "tacho_trace":
                    found[value] = wall_time_ns
    return found


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    is_asked = _option(config, "--tacho-profile-dir") or (
        _profile_dir(config) and _option(config, "--update-astra-runtime"))
    traces = _wall_times_ns(terminalreporter) if is_asked else {}
    if not traces:
        return
    terminalreporter.section(OVERVIEW)
    for trace, wall_time_ns in sorted(traces.items()):
        text = tacho.overview(trace, wall_time_ns=wall_time_ns).overview_text()
        for line in text.splitlines():
            if not line.startswith("="):  # its own title
                terminalreporter.write_line(line)

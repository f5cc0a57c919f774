# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: runs models, measures them, keeps their profiles, and fails what became slower.

    def test_matmul(tacho_run):
        run = tacho_run("matmul.onnx", {"a": a, "b": b})
        assert run.outputs["y"].shape == (4, 4)

    pytest --tacho-device sim:aic100 --tacho-profile-dir profiles --tacho-baseline baseline

Options of Torq's test framework are understood, too.
"""
from __future__ import annotations

import getpass
import logging
import pathlib
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Optional

import pytest

import tacho
from tacho import _pytest_gate
from tacho._pytest_files import Programs, safe_name, shared_names, unique_name
from tacho.run import Board, Run, Runner

__tracebackhide__ = True  # a failure is shown where the test called
LOG = logging.getLogger("tacho")
OVERVIEW = "Profile Overview"  # of a trace that cannot be read any more
BASELINE = "Baseline"
SAMPLES = 5  # of a measured side that the gate needs
_SHARED: "pytest.StashKey[frozenset[str]]" = pytest.StashKey()
_PROGRAMS: "pytest.StashKey[Programs]" = pytest.StashKey()
BOARD_WAIT_S = 3600  # for other tests of the session, and other people
_HARDWARE = {"sim": "sim:torq-sl2610", "aws_fpga": "sim:torq-sl2610",
             "astra_machina": "sim:torq-sl2610"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tacho", "models on accelerators")
    for name, options in (
            ("--tacho-device", {"metavar": "DEVICE", "help": "device to run on: sim, sim:aic100, cpu ... (default: sim)"}),
            ("--tacho-addr", {"metavar": "USER@HOST", "help": "board to run on, with your ssh"}),
            ("--tacho-profile-dir", {"metavar": "DIR", "help": "keep profile, trace and wall time of each test there"}),
            ("--tacho-baseline", {"metavar": "DIR", "help": "fail tests that are slower than their profile in there"}),
            ("--tacho-update-baseline", {"action": "store_true",
                                         "help": "write profiles to the baseline instead"}),
            ("--tacho-gate", {"default": _pytest_gate.LIMITS, "metavar": "LIMITS", "help":
                              "what counts as slower: more than a share and more than a time "
                              "(default: %(default)s)"}),
            ("--tacho-gate-strict", {"action": "store_true",
                                     "help": "fail tests whose comparison is inconclusive"}),
            ("--torq-runtime-hw-type", {"choices": ["sim", "aws_fpga", "astra_machina"],
                                        "help": "as in Torq's test framework"}),
            ("--torq-addr", {"metavar": "USER@HOST", "help": "as --tacho-addr"}),
            ("--torq-runtime-profiling-output-dir", {"metavar": "DIR", "help": "as --tacho-profile-dir"}),
            ("--update-astra-runtime", {"action": "store_true",
                                        "help": "accepted: tacho's runtime on the board is always up to "
                                                "date, Torq's is never replaced; with a profiling "
                                                "directory, print the overview"}),
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


def _address(config: pytest.Config) -> Optional[str]:
    return _option(config, "--tacho-addr", "--torq-addr")


def _board_options(config: pytest.Config) -> dict[str, Any]:
    """Where the device is. tacho's runtime has a path of its own there."""
    address = _address(config)
    return {"host": address, "board_wait": BOARD_WAIT_S} if address else {}


def _vendor_note(config: pytest.Config) -> Optional[str]:
    """Why --update-astra-runtime does not replace the vendor's runtime on the board."""
    if not _address(config) or not _option(config, "--update-astra-runtime"):
        return None
    user = re.sub(r"[^A-Za-z0-9_.-]", "_", getpass.getuser())
    return (f"{_address(config)}:iree-build-soc/{user}/torq-run-module is left as it is: "
            "--update-astra-runtime updates tacho's own runtime on the board")


def pytest_configure(config: pytest.Config) -> None:
    hardware = _option(config, "--torq-runtime-hw-type")
    if hardware in ("aws_fpga", "astra_machina") and not _address(config):
        raise pytest.UsageError(f"--torq-runtime-hw-type={hardware} needs --torq-addr USER@HOST")
    if hardware == "sim" and _address(config):
        raise pytest.UsageError("--torq-runtime-hw-type=sim runs here; leave the address away")
    for name in ("--tacho-update-baseline", "--tacho-gate-strict"):
        if _option(config, name) and not _option(config, "--tacho-baseline"):
            raise pytest.UsageError(f"{name} needs --tacho-baseline DIR")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[_SHARED] = shared_names(item.nodeid for item in items)


def pytest_unconfigure(config: pytest.Config) -> None:
    programs = config.stash.get(_PROGRAMS, None)
    if programs is not None:
        programs.close()


def _programs(config: pytest.Config) -> Programs:
    """The compiled models of this session."""
    if _PROGRAMS not in config.stash:
        config.stash[_PROGRAMS] = Programs(getattr(config, "cache", None),
                                           bool(_option(config, "--recompute-cache")))
    return config.stash[_PROGRAMS]


# ---- running

class TachoRun(Run):
    """What came of a run in a test: outputs, inferences, tables, profile; wall_time in seconds, and
    the trace where one is kept."""
    wall_time: float = 0.0
    board: Optional[Board] = None  # None: it ran here
    trace: Optional[pathlib.Path] = None


class InconclusiveWarning(pytest.PytestWarning):
    """A profile could not be judged against its baseline."""


def _tell(config: pytest.Config, note: tacho.Note) -> None:
    """Logs a note; that a board is in use is also said at once, or a session seems to hang."""
    LOG.info("%s", note.text)
    reporter = config.pluginmanager.get_plugin("terminalreporter")  # None in a worker of xdist
    capture = config.pluginmanager.get_plugin("capturemanager")
    if " is in use by " in note.text and reporter is not None and capture is not None:
        with capture.global_and_fixture_disabled():
            reporter.write_line(f"\n{note.text}")
            reporter.flush()  # a pipe or a file would get it when the session ends


def _waited(runner: Runner) -> float:
    """Seconds until the board was free: what others did then is not time of this test."""
    return runner.board.wait_ns / 1e9 if runner.board is not None else 0.0


class _Runs:
    """The runs of one test."""

    def __init__(self, request: pytest.FixtureRequest, record: Callable[[str, object], None],
                 scratch: pathlib.Path) -> None:
        self._config, self._record, self._scratch = request.config, record, scratch
        self._node_id, self._count = request.node.nodeid, 0
        name = safe_name(self._node_id)
        is_shared = name.casefold() in self._config.stash.get(_SHARED, frozenset())
        self._name = unique_name(self._node_id) if is_shared else name
        self._gate = _pytest_gate.gate_of(_option(self._config, "--tacho-baseline"),
                                          _option(self._config, "--tacho-gate"),
                                          bool(_option(self._config, "--tacho-update-baseline")))

    def __call__(self, model: Any, inputs: Any = None, *, count: int = 1, recorded: int = 0,
                 device: Optional[str] = None, **options: Any) -> TachoRun:
        chosen = device or _device(self._config) or "sim"
        program = _programs(self._config).find(pathlib.Path(model), chosen, options)
        self._count += 1
        is_measured = chosen.partition(":")[0] not in ("sim", "null")
        if is_measured and self._gate is not None:
            recorded = recorded or max(count - 1, 1)  # samples for the gate; the first is slow
        started = time.monotonic()
        with Runner(program, chosen, on_note=lambda note: _tell(self._config, note),
                    **_board_options(self._config)) as runner:
            outputs = runner.run(inputs, count=count, recorded=recorded)
            wall_time = time.monotonic() - started - _waited(runner)
            run = TachoRun(outputs, runner.inferences, runner.tables, runner.profile(), runner.notes)
            run.wall_time, run.board = wall_time, runner.board
            LOG.info("Wall time: %.3fs", wall_time)
            self._tell_origin(run)
            self._record("wall_time", f"{wall_time:.3f}")
            self._record("wall_time_ns", round(wall_time * 1e9))
            if run.board is not None:
                self._record("board_time", f"{run.board.board_ns / 1e9:.3f}")
                if run.board.wait_ns > 0:
                    LOG.info("Waited %.3fs for %s", run.board.wait_ns / 1e9, run.board.host)
                    self._record("board_wait", f"{run.board.wait_ns / 1e9:.3f}")
            profile = self._keep(runner, run)
        if self._gate is not None:
            hint = f"; use count={SAMPLES + 1} or more" if is_measured and recorded < SAMPLES else ""
            self._judge(self._gate.check(profile, self._node_id, self._count), hint)
        return run

    def _tell_origin(self, run: TachoRun) -> None:
        """Whether the times of the device are measured or simulated."""
        parts = run.profile.parts if run.profile is not None else ()
        origin = ", ".join(sorted({part.origin for part in parts}))
        if origin:
            LOG.info("Device times: %s", origin)
            self._record("device_times", origin)

    def _keep(self, runner: Runner, run: TachoRun) -> pathlib.Path:
        """Writes what is kept of a run, and returns its profile."""
        chosen = _profile_dir(self._config)
        folder = pathlib.Path(chosen) if chosen else self._scratch
        name = self._name if self._count == 1 else f"{self._name}.{self._count}"
        results = folder / name
        results.mkdir(parents=True, exist_ok=True)
        (results / "wall_time.txt").write_text(f"{run.wall_time:.3f}\n", encoding="utf-8")
        runner.write_profile(results / "profile.tacho")
        run.trace = folder / f"{name}.pb"
        runner.write_profile(run.trace)
        if chosen:
            self._record("tacho_trace", str(run.trace.resolve()))
        return results / "profile.tacho"

    def _judge(self, verdict: _pytest_gate.Verdict, hint: str) -> None:
        if verdict.outcome == "inconclusive":
            verdict = verdict._replace(text=verdict.text + hint)
        self._record(_pytest_gate.PROPERTY, _pytest_gate.property_of(verdict))
        if verdict.outcome in ("regression", "missing"):
            pytest.fail(verdict.text, pytrace=False)
        if verdict.outcome == "inconclusive":
            words = f"{self._node_id}: the baseline comparison is inconclusive: {verdict.text}"
            if _option(self._config, "--tacho-gate-strict"):
                pytest.fail(words, pytrace=False)
            warnings.warn(InconclusiveWarning(words), stacklevel=3)


@pytest.fixture
def tacho_run(request: pytest.FixtureRequest, record_property: Callable[[str, object], None],
              tmp_path: pathlib.Path) -> Iterator[Callable[..., TachoRun]]:
    """Runs a model or program: tacho_run(model, inputs, count=1, device=None, **compile options)."""
    yield _Runs(request, record_property, tmp_path)


# ---- the summary

class _Kept(NamedTuple):
    """A trace that a test of this session kept."""
    path: str
    node_id: str
    wall_time_ns: int

    @property
    def model(self) -> str:
        """What Torq's test framework calls it: the text in brackets, else the name of the file."""
        inner = re.search(r"\[(.+)\]$", self.node_id)
        return inner[1] if inner else pathlib.Path(self.path).stem


def _test_reports(reporter: Any) -> Iterator[Any]:
    """The reports of all phases of all tests, also those that ran in xdist's workers."""
    for reports in reporter.stats.values():
        yield from (report for report in reports if hasattr(report, "user_properties"))


def _kept_traces(reporter: Any) -> list[_Kept]:
    found: dict[str, _Kept] = {}
    for report in _test_reports(reporter):
        wall_time_ns = 0
        for name, value in report.user_properties:
            if name == "wall_time_ns":
                wall_time_ns = value
            elif name == "tacho_trace":
                found[value] = _Kept(value, report.nodeid, wall_time_ns)
    # By path; several runs of a test, whose paths end with their numbers, in their order.
    return sorted(found.values(), key=lambda kept: re.sub(r"(\.[0-9]+)?\.pb$", "", kept.path))


def _overview_of(kept: _Kept, model: str) -> tuple[str, list[str]]:
    """The title, which says whether times are measured or simulated, and the lines below it."""
    try:
        text = tacho.overview(kept.path, wall_time_ns=kept.wall_time_ns).overview_text()
    except tacho.TachoError as error:  # a test may have removed it
        return OVERVIEW, [f"  Model: {kept.model}: {error}", ""]
    blocks = [block.splitlines() for block in text.split("\n\n") if block.strip()]
    title = OVERVIEW
    lines: list[str] = []
    for line in blocks[0] if blocks else ():
        if line.startswith("="):
            title = line.strip("= ")
        elif line.startswith("  Model: ") and len(blocks) > 1:
            lines.append(f"  Model: {model} ({line[9:]}, first of {len(blocks)})")
        elif line.startswith("  Model: "):
            lines.append(f"  Model: {model}")
        else:
            lines.append(line)
    return title, [*lines, ""]


def _overviews(traces: list[_Kept]) -> dict[str, list[str]]:
    """The lines of all traces by their title."""
    counts = Counter(kept.model for kept in traces)
    found: dict[str, list[str]] = {}
    for kept in traces:
        model = kept.model if counts[kept.model] == 1 else pathlib.Path(kept.path).stem
        title, lines = _overview_of(kept, model)
        found.setdefault(title, []).extend(lines)
    return found


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    is_asked = _option(config, "--tacho-profile-dir") or (
        _profile_dir(config) and _option(config, "--update-astra-runtime"))
    traces = _kept_traces(terminalreporter) if is_asked else []
    for title, lines in _overviews(traces).items():
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.write_line(line)
    note = _vendor_note(config)
    if note is not None:
        terminalreporter.write_line(f"note: {note}")
    folder = _option(config, "--tacho-baseline")
    if folder:
        summary = _pytest_gate.Summary()
        for report in _test_reports(terminalreporter):
            summary.add(report.nodeid, report.user_properties)
        lines = summary.lines(folder, _option(config, "--tacho-gate"))
        if lines:
            terminalreporter.section(BASELINE)
            for line in lines:
                terminalreporter.write_line(line)

# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin's gate: the profile of a test against its baseline, by the analysis of `tacho diff`."""
from __future__ import annotations

import pathlib
import shutil
from typing import Any, NamedTuple, Optional

import tacho

from ._pytest_files import unique_name

__tracebackhide__ = True  # pytest shows the caller
LIMITS = "rel=5%,abs=10us"
PROPERTY = "tacho_gate"  # of a test report: outcome, colon, reason


class Verdict(NamedTuple):
    """What the gate says of a run: "pass", "inconclusive", "regression", "missing" or "updated"."""
    outcome: str
    text: str


class Gate:
    """Baselines are profiles in a directory, each named after its test and the number of the run."""

    def __init__(self, folder: str, limits: str, is_update: bool) -> None:
        self._folder, self._limits, self._is_update = pathlib.Path(folder), limits, is_update

    def path_of(self, node_id: str, number: int) -> pathlib.Path:
        again = "" if number == 1 else f".{number}"
        return self._folder / f"{unique_name(node_id)}{again}.tacho"

    def check(self, profile: pathlib.Path, node_id: str, number: int) -> Verdict:
        baseline = self.path_of(node_id, number)
        if self._is_update:
            baseline.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(profile, baseline)
            return Verdict("updated", str(baseline))
        if not baseline.exists():
            return Verdict("missing", f"no baseline {baseline}; write it with --tacho-update-baseline")
        found = tacho.diff(baseline, profile, gate=self._limits)
        gate = next(iter(found["gate"]))
        times = f"({_ns(gate['a_ns'])} before, {_ns(gate['b_ns'])} now)"
        if found.outcome != "regression":
            return Verdict(found.outcome, f"{gate['reason']} {times}" if gate["reason"] else "")
        lines = [f"slower than {baseline}: {gate['reason']} {times}"]
        lines += [f"  {row['operation']}: {_ns(row['a_ns'])} before, {_ns(row['b_ns'])} now"
                  for row in found["operations"] if row["verdict"] == "regression"]
        return Verdict("regression", "\n".join(lines))


def _ns(value: Any) -> str:
    return "absent" if value is None else f"{value} ns"


class Summary:
    """The verdicts of a session, from the properties of its reports, also those of other processes."""

    def __init__(self) -> None:
        self._verdicts: dict[tuple[str, int], Verdict] = {}

    def add(self, node_id: str, properties: Any) -> None:
        texts = [value for name, value in properties if name == PROPERTY]
        for number, text in enumerate(texts):
            self._verdicts[node_id, number] = Verdict(*text.split(": ", 1))

    def lines(self, folder: str, limits: str) -> list[str]:
        """Counts, and what could not be judged."""
        counts = [(sum(verdict.outcome == outcome for verdict in self._verdicts.values()), words)
                  for outcome, words in (
                      ("updated", "written"), ("pass", f"within {limits}"),
                      ("regression", "slower"), ("inconclusive", "inconclusive"),
                      ("missing", "without a baseline"))]
        shown = ", ".join(f"{count} {words}" for count, words in counts if count)
        lines = [f"  {folder}: {shown}"] if shown else []
        for (node_id, _number), verdict in sorted(self._verdicts.items()):
            if verdict.outcome == "inconclusive":
                lines.append(f"  inconclusive {node_id}: {verdict.text}")
        return lines


def property_of(verdict: Verdict) -> str:
    return f"{verdict.outcome}: {verdict.text.partition(chr(10))[0]}"


def gate_of(folder: Optional[str], limits: str, is_update: bool) -> Optional[Gate]:
    return Gate(folder, limits, is_update) if folder else None

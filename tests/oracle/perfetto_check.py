#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of tacho in Perfetto's own engine (perfetto.mjs) against their sources.

    perfetto_check.py ENGINE_DIR TACHO --golden DIR      traces that golden cases have written
    perfetto_check.py ENGINE_DIR TACHO FILE|DIR...       profiles, converted to .pb and to .json

The engine must report no error. Slices, arguments and arrows of Chrome JSON are compared with a reading of the
source (chrome_expect.py); those of other profiles, of one output with those of the other; those of golden traces
with the judges of tests/judge."""
import collections
import decimal
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "judge"))
import chrome_expect  # noqa: E402
import judge_all  # noqa: E402
import json_judge  # noqa: E402
import trace_judge  # noqa: E402

BRACKETS = str.maketrans(".[]［］", "_____")
OWN_ARGUMENTS = re.compile(r"^(args|debug)_(tacho|facts|oc$)")
JSON_LIMIT = 1 << 53


class Engine:
    def __init__(self, folder):
        self.process = subprocess.Popen(["node", os.path.join(HERE, "perfetto.mjs"), folder], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def load(self, path, scratch):
        """Tables of a trace: name -> rows; 'refused' -> why."""
        out = os.path.join(scratch, "tables")
        self.process.stdin.write(f"{path}\t{out}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        tables = collections.defaultdict(list)
        if answer != "ok":
            tables["refused"].append(answer or "the engine has died")
            return tables
        with open(out, encoding="utf-8") as file:
            for line in file:
                table, *row = json.loads(line)
                tables[table].append(row)
        return tables


class Shown:
    """What the engine shows of a trace."""

    def __init__(self, tables, shift=0):
        self.errors = [f"{name} {value}" for name, _, value in tables["stats"]]
        self.threads = collections.defaultdict(set)
        args = collections.defaultdict(list)
        for arg_set, key, kind, whole, text, real in tables["args"]:
            value = whole if kind in ("int", "uint", "bool") else real if kind == "real" else text
            if kind in ("int", "uint") and value < -JSON_LIMIT:
                value += 1 << 64  # SQL has signed integers only
            args[arg_set].append((key.translate(BRACKETS), value))
        keys = {}
        self.slices, self.args = collections.Counter(), collections.defaultdict(collections.Counter)
        for number, start, length, name, _, arg_set, pid, tid, _ in tables["slices"]:
            key = keys[number] = (name or "", start - shift, length)
            self.slices[key] += 1
            self.threads[key].add((pid, tid))
            for arg in args.get(arg_set, ()):
                if not OWN_ARGUMENTS.match(arg[0]):
                    self.args[key][plain(arg[0]), comparable(arg[1])] += 1
        self.arrows = collections.Counter((keys[source], keys[sink]) for source, sink in tables["flows"])


def plain(key):
    return re.sub("^(args|debug)_", "", key)


def comparable(value):
    """Numbers by value, and texts of numbers that JSON's readers do not hold as those."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float, decimal.Decimal)):
        near = float(value)  # of which the engine's reader of JSON may miss the last bit
        return int(value) if near.is_integer() and abs(near) < JSON_LIMIT else float(f"{near:.13g}")
    try:
        is_large = bool(value) and value.lstrip("-").isdigit() and abs(int(value)) >= JSON_LIMIT
        return comparable(int(value)) if is_large else clean(value)
    except (ValueError, OverflowError):
        return clean(value)


def clean(text):
    return None if text is None else re.sub("[\ud800-\udfff]", "\ufffd", text.split("\0")[0])


class Report:
    def __init__(self):
        self.failures = self.files = self.slices = self.args = self.arrows = self.as_in_source = self.others = 0

    def fail(self, path, what, *evidence):
        self.failures += 1
        print(f"FAIL {path}: {what}: " + "; ".join(str(each)[:300] for each in evidence), flush=True)

    def same(self, path, what, expected, found):
        missing, extra = expected - found, found - expected
        if missing or extra:
            self.fail(path, f"{what}: {missing.total()} missing, {extra.total()} more",
                      *(f"missing {each}" for each in list(missing)[:2]), *(f"more {each}" for each in list(extra)[:2]))


def judged(path, report, shown, data):
    """A golden trace against the judges of tests/judge."""
    if judge_all.kind_of(data) == "pb":
        judge = trace_judge.Judge(data, True)
        slices = collections.Counter((row.name, row.ts, row.dur) for row in judge.rows)
        arrows = collections.Counter((source.name, source.ts, sink.name, sink.ts) for _, source, sink in judge.flows)
    else:
        judge = json_judge.JsonJudge(data.decode())
        rows = [(event["name"], start, end - start) for items in judge.slices.values() for start, end, _, event in items]
        rows += [(event["name"], json_judge.nanoseconds(event["ts"]), 0) for event in judge.events if event["ph"] in "iI"]
        slices = collections.Counter(row for row in rows if row[2] is not None)
        arrows = None
    report.same(path, "slices", slices, collections.Counter({key: count for key, count in shown.slices.items()}))
    if arrows is not None:
        found = collections.Counter()
        for (source, sink), count in shown.arrows.items():
            found[source[0], source[1], sink[0], sink[1]] += count
        report.same(path, "arrows", arrows, found)


def check_golden(engine, folder, report, scratch):
    known = set()
    for path in sorted(judge_all.files([folder])):
        with open(path, "rb") as file:
            data = file.read()
        if hash(data) in known:
            continue
        known.add(hash(data))
        tables = engine.load(path, scratch)
        shown = Shown(tables)
        report.files += 1
        for problem in tables["refused"] + shown.errors:
            report.fail(path, "the engine", problem)
        judged(path, report, shown, data)
        report.slices += shown.slices.total()
        report.arrows += shown.arrows.total()


def expected_args(expected):
    args = collections.defaultdict(collections.Counter)
    for item in expected.slices:
        name, start, length = item.key()
        for key, value in chrome_expect.leaves(item.args):
            args[name, start + expected.shift, length][key.translate(BRACKETS), comparable(value)] += 1
    return args


def shifted(key, shift):
    return key[0], key[1] + shift, key[2]


def check_arrows(path, form, expected, shown, report, load_source):
    """In .pb an arrow has no direction of its own: the engine draws it from the slice that begins first. In .json it
    may begin or end at a slice that is over, as in the source (docs/chrome.md, Output)."""
    arrows = collections.Counter()
    counts, loose = expected.arrows()
    for ends, count in counts.items():
        source, sink = (shifted(end, expected.shift) for end in ends)
        arrows[(sink, source) if form == "pb" and source[1] > sink[1] else (source, sink)] += count
    missing, extra = arrows - shown.arrows, shown.arrows - arrows
    if form == "json" and missing and extra.total() <= missing.total() + loose:
        drawn = extra - load_source().arrows
        report.as_in_source += (extra - drawn).total()
        missing, extra = (missing, extra) if drawn else (collections.Counter(), drawn)
    if missing or extra.total() > loose:
        report.fail(path, f"{form}: arrows: {missing.total()} missing, {extra.total()} more, {loose} may differ",
                    *list(missing)[:2], *list(extra)[:2])


def is_near(arg, other):
    """Numbers that only their rounding to the digits compared keeps apart."""
    return arg[0] == other[0] and isinstance(arg[1], float) and isinstance(other[1], (int, float)) and \
        abs(arg[1] - other[1]) <= 1e-12 * abs(arg[1])


def check_chrome(path, form, expected, shown, report, load_source):
    shift = expected.shift
    slices = collections.Counter(shifted(item.key(), shift) for item in expected.slices)
    missing, extra = slices - shown.slices, shown.slices - slices
    if missing or extra.total() > expected.asynchronous + expected.unsure:
        report.fail(path, f"{form}: slices: {missing.total()} missing, {extra.total()} more", *list(missing)[:2],
                    *list(extra)[:2])
    lacking = collections.Counter()
    for key, args in expected_args(expected).items():
        there = shown.args.get(key, collections.Counter())
        for arg, count in (args - there).items():
            if not any(is_near(arg, other) for other in there):
                lacking[key, arg] += count
    if lacking:
        report.fail(path, f"{form}: {lacking.total()} arguments missing", *list(lacking)[:3],
                    [shown.args.get(each[0][0]) for each in lacking.most_common(1)])
    check_arrows(path, form, expected, shown, report, load_source)
    for thread, items in expected.threads.items():
        homes = {home for item in items if slices[shifted(item.key(), shift)] == 1
                 for home in shown.threads[shifted(item.key(), shift)]}
        if len(homes) > 1 and thread not in expected.overlapping:
            report.fail(path, f"{form}: thread {thread} is spread over {sorted(homes)[:4]}")


def check_profile(engine, tacho, path, report, scratch):
    both = {}
    for form in ("pb", "json"):
        out = os.path.join(scratch, f"trace.{form}")
        done = subprocess.run([tacho, "convert", "-q", path, "-o", out, "--force"], capture_output=True, text=True,
                              check=False)
        if done.returncode not in (0, 3):
            report.others += 1
            return
        tables = engine.load(out, scratch)
        both[form] = Shown(tables, min((row[1] for row in tables["slices"]), default=0))
        for problem in tables["refused"] + both[form].errors:
            report.fail(path, f"{form}: the engine", problem)
    report.files += 1
    events = chrome_expect.events_of(path) if path.split(".")[1:] and re.search(r"\.(json|pfw)(\.|$)", path) else None
    if events and not any(event.get("name") == "tacho_part" for event in events):
        expected = chrome_expect.Expected(events)

        def load_source():
            raw = os.path.join(scratch, "source.json")
            with open(raw, "wb") as file:
                file.write(chrome_expect.read_bytes(path))
            return Shown(engine.load(raw, scratch), -expected.shift)
        for form, shown in both.items():
            check_chrome(path, form, expected, shown, report, load_source)
    else:
        report.same(path, ".pb and .json: slices", both["pb"].slices, both["json"].slices)
        report.same(path, ".pb and .json: arrows", both["pb"].arrows, both["json"].arrows)
        for key, args in both["pb"].args.items():
            if args != both["json"].args[key]:
                report.fail(path, ".pb and .json: arguments", key, args - both["json"].args[key], both["json"].args[key] - args)
                break
    shown = both["pb"]
    report.slices += shown.slices.total()
    report.args += sum(args.total() for args in shown.args.values())
    report.arrows += shown.arrows.total()


def main():
    folder, tacho, *paths = sys.argv[1:]
    engine, report = Engine(folder), Report()
    with tempfile.TemporaryDirectory(prefix="tacho-perfetto.") as scratch:
        if paths[0] == "--golden":
            check_golden(engine, paths[1], report, scratch)
        else:
            for path in judge_all.files(paths):
                check_profile(engine, tacho, path, report, scratch)
    print(f"{report.files} files and {report.others} that are not profiles: {report.slices} slices, {report.args} arguments, {report.arrows} arrows, "
          f"{report.as_in_source} of them in .json where the engine draws the source's; {report.failures} failures")
    return 1 if report.failures or not report.files else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws that hold for any profile, over every sample of the tree and of other folders:

- the operators of 'ops', of SQL, and of a database are the same, and are the sums of the spans;
- their shares add up to 100 % of the time of each device, and of the host;
- the time of a device is the sum of its compute, exposed communication, exposed copies and idle time, and its
  idle time the sum of its causes;
- no part of an overview is longer than the whole; parts that exclude each other add up to it at most;
- percentages of a verdict that names all parts add up to 100;
- a count that no record has is not shown, and is not 0;
- a trace, in any format that tacho reads, has the same answers as its source;
- a profile does not differ from itself.

    check_profiles.py TACHO DATA [--real] [FOLDER...]

With --real it is skipped where none of the folders is there."""
import collections
import contextlib
import os
import re
import sqlite3
import sys
import tempfile

from ask import Asker

SIDES = {**dict.fromkeys(("host", "host_copy", "runtime"), "host"),
         **dict.fromkeys(("control", "dma_in", "dma_out", "dma_local", "compute", "vector"), "device")}
OP_FIELDS = ("count", "total_ns", "self_ns", "bytes")
SINKS = ("pb", "json", "tacho")
SIZE_MAX = 40 << 20
FOLDERS = ("captures", "chrome", "hostile", "odd", "perfetto", "tenstorrent", "torq", "tracy", "bad", "headers")
ANSWERS = ("ops", "overview", "breakdown")
# Checks that the samples of the tree give; fewer mean that a law looks at nothing.
AT_LEAST = {"profiles": 50, "ops are those of SQL": 50, "ops are those of a database": 50, "ops are sums of spans": 50,
            "shares add up to 100 %": 70, "parts of a device add up": 45, "causes of idle time add up": 100,
            "steps fit into the recording": 45, "no part is longer than the whole": 450, "unknown bytes are not 0": 50,
            "0 is shown of what the format covers": 45, "parts of an overview add up at most": 20,
            "a profile does not differ from itself": 400,
            **{f"{verb} of .{sink} is that of its source": 35 for verb in ANSWERS for sink in SINKS}}


def samples(data, folders):
    """Every file that may be a profile."""
    for folder in [os.path.join(data, name) for name in FOLDERS] + folders:
        for at, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(at, name)
                if not name.endswith((".md", ".bin", ".txt")) and 0 < os.path.getsize(path) <= SIZE_MAX:
                    yield path


def key_of(row):
    return row["file"], row["operation"], row["class"], row["origin"]


def by_operation(rows):
    found = {}
    for row in rows:
        found.setdefault(key_of(row), []).append({field: row[field] for field in OP_FIELDS})
    return {key: sorted(values, key=str) for key, values in found.items()}


# ---- operators ---------------------------------------------------------------------------------

def check_doors(asker, path, ops, scratch):
    """'ops', SQL and a written database."""
    mine = by_operation(ops)
    asked = asker.tables("query", path, "SELECT * FROM ops")
    asker.law("ops are those of SQL", asked is not None and by_operation(asked["query"]) == mine, path)
    out = os.path.join(scratch, "x.db")
    done = asker.run("convert", "-q", path, "-o", out, "--force")
    if done.returncode in (0, 3):
        with contextlib.closing(sqlite3.connect(out)) as database:
            database.row_factory = sqlite3.Row
            stored = [dict(row) for row in database.execute("SELECT * FROM ops")]
        asker.law("ops are those of a database", by_operation(stored) == mine, path)


def check_sums(asker, path, ops):
    """Rows of 'ops' are the sums of the spans that count as work."""
    asked = asker.tables("query", path, "SELECT file, operation, class, origin, count(*) AS n, sum(duration_ns) AS total, "
                         "sum(self_ns) AS self, sum(bytes) AS bytes FROM spans WHERE is_work = 1 GROUP BY 1, 2, 3, 4")
    sums, shown = {}, collections.defaultdict(lambda: [0, 0, 0, None])
    for row in asked["query"]:
        sums[key_of(row)] = [row["n"], row["total"], row["self"], row["bytes"]]
    for row in ops:
        entry = shown[key_of(row)]
        for at, field in enumerate(OP_FIELDS):
            entry[at] = row[field] if entry[at] is None else entry[at] + (row[field] or 0)
    differing = [(key, sums.get(key), shown.get(key)) for key in sums.keys() | shown.keys() if sums.get(key) != shown.get(key)]
    asker.law("ops are sums of spans", not differing, path, *differing[:2])


def check_shares(asker, path, ops):
    shares, selves = collections.defaultdict(list), collections.Counter()
    for row in ops:
        group = row["file"], row["origin"], SIDES.get(row["class"])
        selves[group] += row["self_ns"]
        shares[group].append((row["share_percent"], row["self_ns"]))
    for group, rows in shares.items():
        if selves[group] > 0:
            total = sum(share for share, _ in rows)
            asker.law("shares add up to 100 %", abs(total - 100) <= 0.005 * len(rows) + 0.01, path, group, total)
            asker.law("a share is of the whole time",
                      all(abs(share - 100 * self / selves[group]) <= 0.0051 for share, self in rows), path, group, rows[:3])


def check_unknown(asker, path, ops):
    """A number of bytes is shown where a span has one, and nowhere else."""
    asked = asker.tables("query", path, "SELECT operation, class, count(bytes) AS known FROM spans WHERE is_work = 1 GROUP BY 1, 2")
    known = {(row["operation"], row["class"]): row["known"] > 0 for row in asked["query"]}
    wrong = [row for row in ops if (row["bytes"] is not None) != known.get((row["operation"], row["class"]))]
    asker.law("unknown bytes are not 0", not wrong, path, *wrong[:2])


# ---- devices -----------------------------------------------------------------------------------

def check_breakdown(asker, path):
    tables = asker.tables("breakdown", "--top", "10000", path)
    if not tables:
        return
    devices = {}
    for row in tables["devices"]:
        parts = row["compute_ns"] + row["exposed_communication_ns"] + row["exposed_copy_ns"]
        asker.law("parts of a device add up", parts == row["busy_ns"] and parts + row["idle_ns"] == row["span_ns"], path, row)
        devices[row["device"], row["origin"]] = row
    for row in tables["streams"]:
        device = devices.get((row["device"], row["origin"]))
        asker.law("a stream is within its device", device is None or row["busy_ns"] <= device["busy_ns"], path, row, device)
    for row in tables["idle"]:
        causes = sum(row[f"{cause}_ns"] or 0 for cause in ("host_late", "dependency", "queue_empty", "queued", "unknown"))
        asker.law("causes of idle time add up", causes == row["idle_ns"], path, row)
    for device, row in devices.items():
        steps = [step for step in tables["steps"] if (step["device"], step["origin"]) == device]
        recording = sum(each["span_ns"] for each in asker.tables("info", path)["inputs"])
        if {each["kind"] for each in tables["step_statistics"]} != {"run"}:  # inferences may be under way at a time
            asker.law("steps fit into the recording", sum(step["time_ns"] for step in steps) <= recording, path, device)
        asker.law("a device fits into the recording", row["span_ns"] <= recording, path, row, recording)


def covered(asker, path, scratch):
    """Classes that the format of a file can show, as traces of it hold them; None where they do not."""
    out = os.path.join(scratch, "covers.json")
    if asker.run("convert", "-q", path, "-o", out, "--force").returncode not in (0, 3):
        return None
    with open(out, encoding="utf-8") as file:
        found = re.findall(r'"tacho\.part\.\d+\.covers":"([^"]*)"', file.read())
    return {each for text in found for each in text.split(", ")}


CLASSES = {"DMA_IN": "dma_in", "DMA_OUT": "dma_out", "HOST_COPY": "host_copy", "CSS": "vector", "NSS": "control",
           "SLICE": "compute"}


def check_overview(asker, path, scratch):
    tables = asker.tables("overview", path)
    if not tables or not tables["overview"]:
        return
    parts, classes = collections.defaultdict(dict), None
    for row in tables["overview"]:
        time = row["time_ns"] if row["time_ns"] is not None else row["cycles"]
        parts[row["model"], row["origin"]][row["metric"]] = time
        kind = CLASSES.get(row["metric"])
        if time == 0 and kind is not None:
            classes = covered(asker, path, scratch) if classes is None else classes
            asker.law("0 is shown of what the format covers", classes is not None and kind in classes, path, row, classes)
    for name, metrics in parts.items():
        whole = metrics.get("OVERALL")
        for metric, time in metrics.items():
            if None not in (time, whole) and metric != "WALL_TIME":
                asker.law("no part is longer than the whole", 0 <= time <= whole, path, name, metric, time, whole)
        kinds = metrics.get("DMA_COMBINED", metrics.get("DMA")), metrics.get("COMPUTE_COMBINED")
        if None not in (*kinds, whole, metrics.get("DMA_COMPUTE_OVERLAP"), metrics.get("IDLE")):
            total = sum(kinds) - metrics["DMA_COMPUTE_OVERLAP"] + metrics["IDLE"]
            asker.law("parts of an overview add up at most", total <= whole + 1, path, name, metrics)


def check_verdicts(asker, path):
    for verb in ("overview", "breakdown"):
        for row in (asker.tables(verb, path) or {}).get("verdict", ()):
            text = row["verdict"]
            shares = [float(each) for each in re.findall(r"(-?\d+(?:\.\d+)?) %", text)]
            asker.law("no share of a verdict is above 100 %", all(0 <= share <= 100 for share in shares), path, text)
            if text.startswith("No single limit") and "is idle" in text:
                asker.law("parts of a verdict add up to 100 %", abs(sum(shares) - 100) <= 0.05 * len(shares) + 0.01, path, text)


# ---- traces ------------------------------------------------------------------------------------

def answer(asker, verb, path):
    """Rows of the tables without the names of files."""
    tables = asker.tables(verb, path, *(["--top", "10000"] if verb != "overview" else []))
    rows = collections.defaultdict(list)
    for name, items in (tables or {}).items():
        if name not in ("notes", "advice", "loss", "verdict"):
            rows[name] = sorted(str({key: value for key, value in row.items() if key not in ("file", "model")}) for row in items)
    return dict(rows)


def check_sinks(asker, path, scratch):
    answers = {verb: answer(asker, verb, path) for verb in ANSWERS}
    for sink in SINKS:
        out = os.path.join(scratch, f"{os.path.basename(path).split('.')[0]}.{sink}")
        if asker.run("convert", "-q", path, "-o", out, "--force").returncode != 0:
            continue  # what it loses is in its messages
        for verb in ANSWERS:
            found = answer(asker, verb, out)
            differing = [(name, set(answers[verb].get(name, ())) ^ set(found.get(name, ())))
                         for name in answers[verb].keys() | found.keys() if answers[verb].get(name) != found.get(name)]
            asker.law(f"{verb} of .{sink} is that of its source", not differing, path, *differing[:1])
        os.unlink(out)


def check_itself(asker, path):
    tables = asker.tables("diff", path, path, "--top", "0")
    if not tables:
        return
    for row in tables["operations"]:
        asker.law("a profile does not differ from itself", row.get("difference_ns") in (0, None), path, row)


def main():
    tacho, data, *folders = sys.argv[1:]
    there = [folder for folder in folders if os.path.isdir(folder)]
    if "--real" in folders and not there:
        print(f"skip: no directory {folders[-1]}")
        return 77
    asker = Asker(tacho)
    with tempfile.TemporaryDirectory(prefix="tacho-laws.") as scratch:
        for path in samples(data, there):
            tables = asker.tables("ops", path, "--top", "0")
            if tables is None:
                continue
            ops = tables["ops"]
            asker.law("profiles", True)
            check_doors(asker, path, ops, scratch)
            check_sums(asker, path, ops)
            check_shares(asker, path, ops)
            check_unknown(asker, path, ops)
            check_breakdown(asker, path)
            check_overview(asker, path, scratch)
            check_verdicts(asker, path)
            check_sinks(asker, path, scratch)
            check_itself(asker, path)
    return asker.finish(AT_LEAST)


if __name__ == "__main__":
    sys.exit(main())

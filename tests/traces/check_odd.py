#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Composes Chrome traces as PyTorch, TensorFlow and others write them, with all that real ones have,
and compares what tacho makes of them with figures worked out from the JSON here:

    check_odd.py TACHO

Spans with names and categories to the ns, the union of kernels, copies and memsets to the ns, arrows."""
import collections
import decimal
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "judge"))
sys.dont_write_bytecode = True
import judge_all  # noqa: E402 pylint: disable=wrong-import-position
import trace_judge  # noqa: E402 pylint: disable=wrong-import-position

TACHO = os.path.abspath(sys.argv[1])
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
KERNELS = (("kernel", "void gemm<float>"), ("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)"),
           ("gpu_memset", "Memset (Device)"))
failures = []


def ns(value):
    return int(decimal.Decimal(str(value)) * 1000)


def expected_spans(events):
    """(start, duration, name, category) of spans and instants, from the first event on."""
    found = []
    for event in events:
        if event["ph"] == "X":
            end = ns(decimal.Decimal(str(event["ts"])) + decimal.Decimal(str(event["dur"])))
            found.append((ns(event["ts"]), end, event["name"], event.get("cat", "")))
        elif event["ph"] in "iI":
            found.append((ns(event["ts"]), ns(event["ts"]), event["name"], event.get("cat", "")))
    first = min(span[0] for span in found)
    return collections.Counter((start - first, end - start, *rest) for start, end, *rest in found)


def expected_busy(events):
    total, reach = 0, -1
    for start, end in sorted((ns(e["ts"]), ns(decimal.Decimal(str(e["ts"])) + decimal.Decimal(str(e["dur"]))))
                             for e in events if e["ph"] == "X" and e.get("cat") in DEVICE):
        total += max(0, end - max(start, reach))
        reach = max(reach, end)
    return total


def run(*words, codes=(0,)):
    done = subprocess.run([TACHO, *words, "-q"], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        failures.append(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def check(name, events, text, codes=(0,), arrows=0):
    path = name if "." in name else f"{name}.json"
    with (gzip.open if path.endswith(".gz") else open)(path, "wt", encoding="utf-8") as file:
        file.write(text)
    run("convert", path, "-o", "o.pb", codes=codes)
    run("convert", path, "-o", "o.json", codes=codes)
    judge_all.judge_all(["o.pb", "o.json"], lambda problem: failures.append(f"{name}: {problem}"))
    judge = trace_judge.Judge(pathlib.Path("o.pb").read_bytes(), True)
    rows = [line.split("\t") for line in judge.row_lines()]
    found = collections.Counter((int(r[0]), int(r[1]), r[4], r[5]) for r in rows)
    wanted = expected_spans(events)
    if found != wanted:
        failures.append(f"{name}: missing {list(wanted - found)[:3]}, not in the input {list(found - wanted)[:3]}")
    if len(judge.flows) != arrows:
        failures.append(f"{name}: {len(judge.flows)} arrows, not {arrows}")
    metrics = [json.loads(line) for line in run("overview", path, "--format", "json", codes=codes).splitlines()]
    busy = {row["metric"]: row["time_ns"] for row in metrics if "metric" in row}.get("COMPUTE_COMBINED", 0)
    if busy != expected_busy(events):
        failures.append(f"{name}: busy for {busy} ns, not {expected_busy(events)}")
    return rows


def span(cat, name, pid, tid, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kineto(chance, has_names):
    """200 operators of a thread that launch work on three streams of a GPU, and what lies around it."""
    events = []
    if has_names:
        for pid, label in ((7, "CPU"), (0, "GPU 0")):
            events += [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": "python"}},
                       {"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}}]
    now, free = 1000000.0, [0.0] * 3
    for i in range(200):
        length = round(chance.uniform(2, 9), 3)
        cat, name = KERNELS[i % 3]
        stream = 7 + 13 * (i % 3)
        launch = round(now + 0.5, 3)
        start, work = round(max(free[i % 3], now + 1.75 + chance.uniform(0, 3)), 3), round(chance.uniform(0.5, 6), 3)
        free[i % 3] = round(start + work, 3)
        events += [span("cpu_op", f"aten::op{i % 7}", 7, 70, now, length,
                        **{"External id": i, "Python parent id": None, "Input Dims": [[2, 3], []], "nan": None}),
                   span("cuda_runtime", "cudaLaunchKernel", 7, 70, launch, 1.25, correlation=i),
                   span(cat, name, 0, stream, start, work, stream=stream, big=123456789012345678901234567890,
                        many=0.1234567890123456789, nested={"null": None, "list": [None, {}]}),
                   {"ph": "s", "id": i, "pid": 7, "tid": 70, "ts": launch, "cat": "ac2g", "name": "ac2g"},
                   {"ph": "f", "id": i, "pid": 0, "tid": stream, "ts": start, "cat": "ac2g", "name": "ac2g", "bp": "e"}]
        if i % 10 == 0:  # what a device's process holds beside work, and what is none
            events += [span("python_function", "train.py(3): f", 0, 999, now, 4),
                       span("gpu_user_annotation", "step", 0, 1000 + stream, now, length),
                       span("cuda_sync", "Stream Wait Event", 0, 20, now, 1.5, stream=20),
                       {"ph": "i", "s": "t", "name": "[memory]", "pid": 7, "tid": 70, "ts": now, "args": {}}]
        now = round(now + length + chance.uniform(0, 2), 3)
    return events


def check_kineto(chance):
    events = kineto(chance, True)
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H100"}], "distributedInfo": {"rank": 3},
            "displayTimeUnit": "ns"}
    text = json.dumps({**head, "traceEvents": events}, indent=1)
    rows = check("plain", events, json.dumps({"traceEvents": events}), arrows=200)
    big = [row for row in rows if "123456789012345678901234567890" in row[6]]
    if len(big) != 200:
        failures.append(f"large integers are kept in {len(big)} of 200 spans")
    check("head", events, text, arrows=200)
    check("packed.json.gz", events, text, arrows=200)
    check("comma", events, text[:text.rindex("]")] + ",]}", arrows=200)
    check("open", events, "[\n" + ",\n".join(map(json.dumps, events)) + ",\n", arrows=200)
    check("nan", events, text.replace('"nan": null', '"nan": NaN').replace("0.12345678901234568", "-Infinity"),
          arrows=200)
    events = kineto(chance, False)
    check("unnamed", events, json.dumps({"traceEvents": events}), arrows=200)
    as_text = [{**e, **{k: str(e[k]) for k in ("ts", "dur") if k in e}} for e in events]
    check("times_as_text", as_text, json.dumps(as_text), arrows=200)
    no_tid = [{k: v for k, v in e.items() if k != "tid" or e["pid"] != 7} for e in events]
    check("no_tid", no_tid, json.dumps(no_tid), arrows=200)


def check_digits(chance):
    """Times since 1970 with three decimals: more digits than a double has."""
    events, rows = [], []
    for i in range(300):
        ts = decimal.Decimal("1700000000123456.789") + i * decimal.Decimal("3.337")
        dur = decimal.Decimal(chance.randrange(1, 3000)) / 1000
        event = span("kernel", f"p{i}", 0, 7 + i % 2, ts, dur)
        events.append(event)
        rows.append('{"ph":"X","name":"p%d","cat":"kernel","pid":0,"tid":%d,"ts":%s,"dur":%s}' % (i, 7 + i % 2, ts, dur))
    check("digits", events, "[" + ",\n".join(rows) + "]")


def check_others():
    pairs, spans = [], []
    for i in range(50):
        begin = {"ph": "B", "cat": "c", "pid": 1, "tid": 1}
        pairs += [{**begin, "name": f"a{i}", "ts": 2 * i}, {**begin, "name": "b", "ts": 2 * i + 0.25},
                  {"ph": "E", "pid": 1, "tid": 1, "ts": 2 * i + 0.5}, {"ph": "E", "pid": 1, "tid": 1, "ts": 2 * i + 1.125}]
        spans += [span("c", f"a{i}", 1, 1, 2 * i, 1.125), span("c", "b", 1, 1, 2 * i + 0.25, 0.25)]
    check("pairs", spans, json.dumps(pairs))
    instant = {"ph": "i", "ts": 3, "pid": 1, "tid": 1}
    instants = [{**instant, "s": "g", "name": "all"}, {**instant, "s": "p", "name": "process"},
                {**instant, "ph": "I", "name": "thread"}]
    call = {"cat": "net", "id": "0x1", "pid": 1}
    more = [{**call, "ph": "b", "name": "req", "ts": 1.5}, {**call, "ph": "n", "name": "mid", "ts": 2},
            {**call, "ph": "e", "name": "req", "ts": 4.5},
            {"ph": "N", "name": "obj", "id": "0x9", "pid": 1, "tid": 1, "ts": 0},
            {"ph": "D", "name": "obj", "id": "0x9", "pid": 1, "tid": 1, "ts": 2},
            {"ph": "C", "name": "mem", "pid": 1, "ts": 1, "args": {"used": 5, "free": 7}},
            {"ph": "C", "name": "mem", "pid": 1, "ts": 2, "args": {"used": 6, "free": 6.5}}]
    meant = spans + instants + [span("net", "req", 1, 1, 1.5, 3),
                                {**instant, "cat": "net", "name": "mid", "ts": 2}]
    check("mixed", meant, json.dumps(spans + instants + more), codes=(3,))  # objects are named as not read
    counters = [line.split("\t") for line in trace_judge.Judge(pathlib.Path("o.pb").read_bytes()).counter_lines()]
    if sorted(row[3] for row in counters) != ["5", "6", "6.5", "7"]:
        failures.append(f"counters of two series: {counters}")
    # One beginning, three ends, two of them on spans of no length.
    events = [span("c", "from", 1, 1, 0, 5)] + [span("c", f"to{i}", 1, 2, 10 + i, 0 if i else 2) for i in range(3)]
    arrows = [{"ph": "s", "id": 1, "pid": 1, "tid": 1, "ts": 1, "name": "f", "cat": "x"}]
    arrows += [{"ph": "f", "bp": "e", "id": 1, "pid": 1, "tid": 2, "ts": 10 + i, "name": "f", "cat": "x"} for i in (0, 2)]
    check("fan_out", events, json.dumps(events + arrows), arrows=2)


def main():
    chance = random.Random(5)
    with tempfile.TemporaryDirectory(prefix="tacho-odd.") as folder:
        os.chdir(folder)
        check_kineto(chance)
        check_digits(chance)
        check_others()
        os.chdir("/")
    for failure in failures:
        print(f"FAIL {failure}")
    print(f"odd traces: {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()

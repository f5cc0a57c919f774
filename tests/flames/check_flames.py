#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""speedscope and pprof files against SQL over the same profile: the same spans, stacks and self times.

    check_flames.py TACHO DATA_DIR

speedscope files are held to the rules of its schema and importer. pprof files are decoded by protoc, with
a description of the messages that is written here from the format's documentation.
"""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skips  # pylint: disable=wrong-import-position

TACHO, DATA = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SAMPLES = sorted(path for pattern in ("torq/*.csv", "chrome/*.json", "perfetto/*", "hostile/*",
                                      "tenstorrent/*.csv", "tracy/*")
                 for path in glob.glob(f"{DATA}/{pattern}") if os.path.isfile(path))
PROTO = """syntax = "proto3";
message Profile {
  repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Location location = 4;
  repeated Function function = 5; repeated string string_table = 6; int64 duration_nanos = 10;
  repeated int64 comment = 13;
  int64 default_sample_type = 14;
}
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
message Location { uint64 id = 1; repeated Line line = 4; }
message Line { uint64 function_id = 1; int64 line = 2; }
message Function { uint64 id = 1; int64 name = 2; int64 filename = 4; }
"""
WORK = "SELECT name, category, start_ns, end_ns, duration_ns FROM spans WHERE kind <> 'instant'"


def run(*words):
    return subprocess.run([TACHO, *words], capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)


def rows_of(path, sql):
    return [json.loads(line) for line in
            run("query", path, sql, "--format", "json").stdout.decode().splitlines()]


READABLE = [path for path in SAMPLES if run("query", path, "SELECT 1").returncode in (0, 3)]


def spans_of(path):
    """(name, start, end) of every span."""
    return sorted((row["name"] or row["category"] or "", row["start_ns"], row["end_ns"])
                  for row in rows_of(path, WORK))


def facts_of(path):
    """Name and origin of each file, and what flame graphs have no place for."""
    count = lambda sql: rows_of(path, f"SELECT {sql} AS n")[0]["n"]
    files = [(row["file"], row["origin"]) for row in
             rows_of(path, "SELECT file, origin FROM files ORDER BY file_id")]
    return files, {"lost_records": count("(SELECT coalesce(sum(count), 0) FROM loss)"),
                   "instants_left_out": count("(SELECT count(*) FROM spans WHERE kind = 'instant')"),
                   "counter_samples_left_out": count("(SELECT count(*) FROM counters)"),
                   "flow_ends_left_out": count("(SELECT count(*) FROM flows)"),
                   "unended_spans": count("(SELECT count(*) FROM spans WHERE kind = 'unended')")}


def replay(profile, frames):
    """The spans of one profile; the rules of the format hold."""
    assert profile["type"] == "evented" and profile["unit"] == "nanoseconds" and profile["name"]
    stack, at, found = [], profile["startValue"], []
    for event in profile["events"]:
        assert set(event) == {"type", "frame", "at"} and 0 <= event["frame"] < len(frames)
        assert at <= event["at"] <= profile["endValue"], "events go back in time"
        at = event["at"]
        if event["type"] == "O":
            stack.append(event)
        else:
            begun = stack.pop()
            assert event["type"] == "C" and begun["frame"] == event["frame"], "frames cross"
            found.append((frames[event["frame"]]["name"], begun["at"], at))
    assert not stack
    return found


def decode(path, folder):
    """Samples as (stack of names from the root, count, self time)."""
    with open(f"{folder}/p.proto", "w", encoding="utf-8") as target:
        target.write(PROTO)
    with open(path, "rb") as file:
        text = subprocess.run(["protoc", f"-I{folder}", "--decode=Profile", f"{folder}/p.proto"],
                              stdin=file, capture_output=True, check=True).stdout.decode()
    assert not re.search(r"^\s*\d+:", text, re.M), "a field that the format does not have"
    strings = [json.loads(s) if "\\" not in s else
               s[1:-1].encode().decode("unicode_escape").encode("latin-1").decode()
               for s in re.findall(r'^string_table: (".*")$', text, re.M)]
    assert strings[0] == ""
    blocks = re.findall(r"^(\w+) \{\n(.*?)^\}", text, re.M | re.S)
    numbers = lambda body, key: [int(n) for n in re.findall(rf"\b{key}: (-?\d+)", body)]
    functions = {numbers(body, "id")[0]: strings[numbers(body, "name")[0]]
                 for kind, body in blocks if kind == "function"}
    places = {numbers(body, "id")[0]: functions[numbers(body, "function_id")[0]]
              for kind, body in blocks if kind == "location"}
    types = [(strings[numbers(body, "type")[0]], strings[numbers(body, "unit")[0]])
             for kind, body in blocks if kind == "sample_type"]
    assert types == [("spans", "count"), ("time", "nanoseconds")]
    comments = [strings[int(n)] for n in re.findall(r"^comment: (\d+)$", text, re.M)]
    return comments, [([places[n] for n in reversed(numbers(body, "location_id"))], *numbers(body, "value"))
            for kind, body in blocks if kind == "sample"]


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def convert(self, path, suffix):
        target = f"{self.folder.name}/x{suffix}"
        self.assertIn(run("convert", path, "-o", target).returncode, (0, 3))
        return target

    def test_speedscope_has_every_span(self):
        self.assertGreaterEqual(len(READABLE), 20)
        for path in READABLE:
            with self.subTest(path=path):
                with open(self.convert(path, ".speedscope.json"), encoding="utf-8") as file:
                    found = json.load(file)
                self.assertEqual("https://www.speedscope.app/file-format-schema.json",
                                 found["$schema"])
                spans = [span for profile in found["profiles"]
                         for span in replay(profile, found["shared"]["frames"])]
                self.assertEqual(spans_of(path), sorted(spans))
                files, left_out = facts_of(path)
                self.assertEqual({"files": [{"file": name, "origin": origin}
                                            for name, origin in files], **left_out}, found["tacho"])

    @unittest.skipUnless(shutil.which("protoc"), "protobuf-compiler is not installed")
    def test_pprof_has_every_span_once(self):
        for path in READABLE:
            with self.subTest(path=path):
                comments, samples = decode(self.convert(path, ".pprof"), self.folder.name)
                files, left_out = facts_of(path)
                self.assertEqual([f"tacho.origin={origin} ({name})" for name, origin in files] +
                                 [f"tacho.{key}={count}" for key, count in left_out.items()],
                                 comments)
                counts, rows = collections.Counter(), rows_of(path, WORK)
                for stack, count, self_ns in samples:
                    self.assertGreaterEqual(len(stack), 2)
                    self.assertGreaterEqual(self_ns, 0)
                    counts[stack[-1]] += count
                self.assertEqual(collections.Counter(row["name"] or row["category"] or ""
                                                     for row in rows), counts)
                stacks = [tuple(stack) for stack, _, _ in samples]
                self.assertGreaterEqual(len(rows), len(stacks))

    @unittest.skipUnless(shutil.which("protoc"), "protobuf-compiler is not installed")
    def test_pprof_has_self_times(self):
        _, samples = decode(self.convert(f"{DATA}/chrome/kineto.json", ".pprof"), self.folder.name)
        thread = "thread 396 (python3)"
        self.assertIn(([thread, "step_0", "aten::add", "cudaLaunchKernel"], 1, 4000), samples)
        self.assertIn(([thread, "step_0", "aten::add"], 1, 16250), samples)
        self.assertIn(([thread, "step_0"], 1, 80250), samples)


skips.main(sys.argv[:1])

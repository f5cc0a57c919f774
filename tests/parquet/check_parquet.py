#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet files, read by an independent reader, against SQL over the same profile and the tables of ops.

    check_parquet.py TACHO DATA_DIR
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import parquet_read

TACHO, DATA = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SAMPLES = sorted(path for pattern in ("torq/*.csv", "chrome/*.json", "perfetto/*", "hostile/*",
                                      "tenstorrent/*.csv", "tracy/*")
                 for path in glob.glob(f"{DATA}/{pattern}") if os.path.isfile(path))
COLUMNS = ["file", "process", "track", "track_id", "class", "kind", "name", "category", "operation",
           "location", "run", "invocation", "origin", "start_ns", "duration_ns", "cycles"]


def run(*words):
    return subprocess.run([TACHO, *words], capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)


def rows_of(*words):
    rows = [json.loads(line) for line in run(*words, "--format", "json").stdout.decode().splitlines()]
    return [row for row in rows if row["table"] in ("query", "ops")]


READABLE = [path for path in SAMPLES if run("query", path, "SELECT 1").returncode in (0, 3)]


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = f"{self.folder.name}/x.parquet"

    def test_spans_are_those_of_sql(self):
        self.assertGreaterEqual(len(READABLE), 20)
        for path in READABLE:
            with self.subTest(path=path):
                self.assertIn(run("convert", path, "-o", self.path).returncode, (0, 3))
                columns, facts, _ = parquet_read.read(self.path)
                expected = rows_of("query", path, f"SELECT {', '.join(COLUMNS)} FROM spans")
                for name in COLUMNS:
                    self.assertEqual([row[name] for row in expected], columns[name], name)
                lost = rows_of("query", path, "SELECT coalesce(sum(count), 0) AS n FROM loss")
                self.assertEqual(str(lost[0]["n"]), facts["tacho.lost_records"])

    def test_arguments_are_those_of_sql(self):
        for path in READABLE:
            with self.subTest(path=path):
                run("convert", path, "-o", self.path)
                columns, _, _ = parquet_read.read(self.path, ["args"])
                keys = sorted((number, key) for number, text in enumerate(columns["args"])
                              for key, _ in json.loads(text or "{}",
                                                       object_pairs_hook=lambda pairs: pairs))
                expected = rows_of("query", path, "SELECT span_id, key FROM args")
                self.assertEqual(sorted((row["span_id"], row["key"]) for row in expected), keys)

    def test_ops_are_those_of_the_table(self):
        for path in READABLE:
            with self.subTest(path=path):
                expected = rows_of("ops", path, "--top", "0")
                run("ops", path, "--top", "0", "-o", self.path)
                if not expected:
                    continue
                columns, facts, _ = parquet_read.read(self.path)
                self.assertEqual("ops", facts["tacho.table"])
                for name in (name for name in expected[0] if name not in ("schema_version", "table")):
                    found = [round(v, 2) if name == "share_percent" else v for v in columns[name]]
                    self.assertEqual([row[name] for row in expected], found, name)

    def test_several_groups(self):
        """More rows than a group has; numbers of every width, runs of every length."""
        random.seed(5)
        count, events = 300_000, []
        for i in range(count):
            width = random.choice((1, 1, 8, 20, 40))
            events.append({"ph": "X", "pid": 1, "tid": 1 + i // 1000 % 3, "ts": 10 * i,
                           "dur": random.getrandbits(width) % 9 if i % 5000 else 2 ** 42 // 1000,
                           "name": f"n{random.getrandbits(width % 11)}"})
        with open(f"{self.folder.name}/x.json", "w", encoding="utf-8") as target:
            json.dump(events, target)
        run("convert", "-q", f"{self.folder.name}/x.json", "-o", self.path)
        columns, _, groups = parquet_read.read(self.path, ["name", "track_id", "duration_ns"])
        self.assertEqual([262144, count - 262144], groups)
        self.assertEqual(sorted(event["name"] for event in events), sorted(columns["name"]))
        self.assertEqual(sorted(event["dur"] * 1000 for event in events),
                         sorted(columns["duration_ns"]))

    def test_numbers_that_repeat(self):
        """A dictionary where few are different, else differences; places in bits or whole bytes."""
        random.seed(6)
        choices = [random.getrandbits(35) for _ in range(300)]
        pattern = [f"n{random.getrandbits(10)}" for _ in range(777)]
        events = [{"ph": "X", "pid": 1, "tid": i, "ts": 0, "dur": random.choice(choices),
                   "name": pattern[i % 777]} for i in range(20_000)]
        with open(f"{self.folder.name}/x.json", "w", encoding="utf-8") as target:
            json.dump(events, target)
        run("convert", "-q", f"{self.folder.name}/x.json", "-o", self.path)
        columns, _, _ = parquet_read.read(self.path, ["track", "name", "duration_ns"])
        self.assertEqual(sorted((event["name"], event["dur"] * 1000) for event in events),
                         sorted(zip(columns["name"], columns["duration_ns"])))
        run("query", f"{self.folder.name}/x.json", "SELECT duration_ns FROM spans", "-o", self.path)
        self.assertLess(os.path.getsize(self.path), 30_000)  # 9 bits each; differences take 45
        run("query", f"{self.folder.name}/x.json", "SELECT span_id * span_id AS n FROM spans",
            "-o", self.path)
        self.assertEqual([i * i for i in range(20_000)], parquet_read.read(self.path)[0]["n"])

    def test_tables_of_every_type(self):
        sample = f"{DATA}/chrome/kineto.json"
        sql = ("WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 99) SELECT"
               " CASE WHEN x % 7 THEN x * x * x * 1000003 - 5000000000000000000 END AS i, x / 3.0 AS r,"
               " CASE WHEN x % 2 THEN 'r' || x END AS t, NULL AS n FROM n")
        self.assertEqual(0, run("query", sample, sql, "-o", self.path).returncode)
        columns, _, _ = parquet_read.read(self.path)
        expected = rows_of("query", sample, sql)
        for name in "irtn":
            self.assertEqual([row[name] for row in expected], columns[name])

    def test_a_file_holds_one_table(self):
        done = run("info", f"{DATA}/chrome/kineto.json", "-o", self.path)
        self.assertEqual(1, done.returncode)
        self.assertIn("holds one table", done.stderr.decode())
        self.assertFalse(os.path.exists(self.path))

    def test_nothing_to_write(self):
        self.assertEqual(0, run("convert", "-q", f"{DATA}/chrome/kineto.json", "--filter", "nothing",
                                "-o", self.path).returncode)
        columns, _, groups = parquet_read.read(self.path)
        self.assertEqual(([], []), (columns["name"], groups))


if shutil.which("zstd") is None:
    print("skip: zstd is not installed")
    sys.exit(77)
unittest.main(argv=sys.argv[:1])

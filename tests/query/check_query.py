#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SQL against the analyses, the trace formats and sqlite3: all must say the same of every sample.

    check_query.py TACHO DATA_DIR [FILE...]
"""
import csv
import glob
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

TACHO, DATA = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SAMPLES = sys.argv[3:] or sorted(
    glob.glob(f"{DATA}/torq/*.csv") + glob.glob(f"{DATA}/chrome/*.json") +
    glob.glob(f"{DATA}/perfetto/*") + glob.glob(f"{DATA}/hostile/*") +
    glob.glob(f"{DATA}/tenstorrent/*.csv") + glob.glob(f"{DATA}/tracy/*"))
TABLES = ["spans", "ops", "tracks", "counters", "flows", "args", "loss", "steps", "files", "metadata"]


def run(*words):
    return subprocess.run([TACHO, *words], capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)


def rows_of(words):
    """The rows of a command as JSON objects without what is the same in all; None if it fails."""
    done = run(*words, "--format", "json")
    if done.returncode not in (0, 3):
        return None
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return [{k: v for k, v in row.items() if k not in ("schema_version", "table")} for row in rows
            if row["table"] in ("query", "ops")]


READABLE = [path for path in SAMPLES if os.path.isfile(path) and
            run("query", path, "SELECT 1").returncode in (0, 3)]


class Queries(unittest.TestCase):
    def test_samples_are_found(self):
        self.assertGreaterEqual(len(READABLE), 1 if sys.argv[3:] else 20)

    def test_ops_are_those_of_the_analysis(self):
        for path in READABLE:
            with self.subTest(path=path):
                expected = rows_of(["ops", path, "--top", "0"])
                found = rows_of(["query", path, "SELECT * FROM ops"])
                for row in found:
                    row["share_percent"] = round(row["share_percent"], 2)
                for row in expected:
                    row["location"] = row["location"] or None
                    row["share_percent"] = round(row["share_percent"], 2)
                key = lambda row: json.dumps(row, sort_keys=True)
                self.assertEqual(sorted(map(key, expected)), sorted(map(key, found)))

    def test_spans_are_those_of_a_conversion(self):
        for path in READABLE:
            with self.subTest(path=path), tempfile.TemporaryDirectory() as folder:
                run("convert", path, "-o", f"{folder}/x.csv")
                with open(f"{folder}/x.csv", newline="", encoding="utf-8") as text:
                    events = list(csv.DictReader(text))
                expected = sorted((int(e["start_ns"]), int(e["duration_ns"])) for e in events
                                  if e["kind"] in ("span", "instant", "unended"))
                found = rows_of(["query", path, "SELECT start_ns, duration_ns FROM spans"])
                self.assertEqual(expected, sorted((r["start_ns"], r["duration_ns"]) for r in found))
                count = rows_of(["query", path, "SELECT (SELECT count(*) FROM counters) AS samples,"
                                 " (SELECT count(*) FROM flows) AS ends"])[0]
                self.assertEqual(sum(e["kind"] == "sample" for e in events), count["samples"])

    def test_groups_are_those_of_a_sort(self):
        """Grouping without sorting gives what SQLite's own grouping gives."""
        for path in READABLE:
            for columns in ("name", "track_id", "class, kind", "file, operation, origin, category"):
                with self.subTest(path=path, columns=columns):
                    query = "SELECT {0}, count(*) AS n, sum(duration_ns) AS t FROM {1} GROUP BY {0}"
                    inner = "(SELECT *, random() FROM spans LIMIT -1)"
                    key = lambda row: json.dumps(row, sort_keys=True)
                    self.assertEqual(
                        sorted(map(key, rows_of(["query", path, query.format(columns, inner)]))),
                        sorted(map(key, rows_of(["query", path, query.format(columns, "spans")]))))

    def test_parents_contain_their_spans(self):
        for path in READABLE:
            with self.subTest(path=path):
                bad = rows_of(["query", path,
                               "SELECT count(*) AS n FROM spans c JOIN spans p ON"
                               " c.parent_id = p.span_id WHERE c.start_ns < p.start_ns OR"
                               " c.end_ns > p.end_ns OR c.track_id <> p.track_id"])
                self.assertEqual([{"n": 0}], bad)

    def test_databases_hold_the_same_rows(self):
        for path in READABLE:
            with self.subTest(path=path), tempfile.TemporaryDirectory() as folder:
                self.assertIn(run("convert", path, "-o", f"{folder}/x.db").returncode, (0, 3))
                run("convert", path, "-o", f"{folder}/y.db")
                with open(f"{folder}/x.db", "rb") as one, open(f"{folder}/y.db", "rb") as other:
                    self.assertEqual(one.read(), other.read())
                database = sqlite3.connect(f"file:{folder}/x.db?mode=ro", uri=True)
                self.assertEqual([("ok",)], database.execute("PRAGMA integrity_check").fetchall())
                for table in TABLES:
                    cursor = database.execute(f"SELECT * FROM {table}")
                    names = [column[0] for column in cursor.description]
                    stored = [dict(zip(names, row)) for row in cursor]
                    found = rows_of(["query", path, f"SELECT * FROM {table}"])
                    if table == "args":  # of mixed types, which a column of a table is not
                        stored = [{**row, "value": None} for row in stored]
                        found = [{**row, "value": None} for row in found]
                    self.assertEqual(stored, found, table)
                database.close()


class Refusals(unittest.TestCase):
    SAMPLE = f"{DATA}/chrome/kineto.json"

    def refuse(self, sql, text):
        done = run("query", self.SAMPLE, sql)
        self.assertEqual(2, done.returncode, sql)
        self.assertIn(text, done.stderr.decode())
        self.assertEqual(b"", done.stdout)

    def test_statements_that_are_wrong(self):
        self.refuse("SELEC 1", 'character 1: near "SELEC"')
        self.refuse("SELECT nme FROM spans", "character 8: no such column: nme")
        self.refuse("SELECT * FROM slices", "tables are spans, ops")
        self.refuse("", "empty")
        self.refuse("SELECT 1; SELECT 2", "more than one")
        self.refuse("SELECT ?1", "parameter")

    def test_statements_that_do_more_than_read(self):
        for sql in ("ATTACH 'x.db' AS x", "CREATE TABLE t(a)", "DROP TABLE temp.spans", "VACUUM",
                    "DELETE FROM spans", "PRAGMA writable_schema=1", "INSERT INTO spans(name) VALUES(1)",
                    "CREATE TEMP TABLE t AS SELECT 1", "SELECT load_extension('x')",
                    "BEGIN", "EXPLAIN DROP TABLE spans"):
            with self.subTest(sql=sql), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([TACHO, "query", self.SAMPLE, sql], capture_output=True,
                                      check=False, cwd=folder, stdin=subprocess.DEVNULL)
                self.assertEqual(2, done.returncode, sql + done.stderr.decode())
                self.assertEqual([], os.listdir(folder))

    def test_a_database_is_no_profile(self):
        with tempfile.TemporaryDirectory() as folder:
            run("convert", self.SAMPLE, "-o", f"{folder}/x.db")
            done = run("query", f"{folder}/x.db", "SELECT 1")
            self.assertEqual(1, done.returncode)
            self.assertIn("a database that tacho wrote", done.stderr.decode())

    def test_values_of_every_type(self):
        row = rows_of(["query", self.SAMPLE, "SELECT 1 AS i, 0.1 AS r, 'a\"b' AS t, NULL AS n,"
                       " x'00ff' AS b, 9e999 AS f, 1 AS i, 2 AS \"q\"\"q\""])
        self.assertEqual([{"i": 1, "r": 0.1, "t": 'a"b', "n": None, "b": "X'00ff'", "f": "Infinity",
                           "i_2": 1, 'q"q': 2}], row)

    def test_percentiles(self):
        row = rows_of(["query", self.SAMPLE, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1"
                       " FROM n WHERE x < 200) SELECT percentile(x, 50) AS a, percentile(x, 99) AS b,"
                       " percentile(x, 0) AS c, percentile(x, 100) AS d,"
                       " percentile(x * 0.5, 99.5) AS e, only_value(x) AS f, only_value(7) AS g"
                       " FROM n"])
        self.assertEqual([{"a": 100, "b": 198, "c": 1, "d": 200, "e": 99.5, "f": None, "g": 7}], row)


unittest.main(argv=sys.argv[:1])

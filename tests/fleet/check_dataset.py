#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Datasets: the SQL of docs/datasets.md, asked of an engine, gives what 'tacho fleet' says.

    check_dataset.py TACHO SOURCE_DIR [HOSTSxDEVICES [ENGINE...]]

Without an engine, a reader of Parquet in another language loads the tables into SQLite. ENGINE is a command
that is given the dataset, and a list of statements as JSON on standard input; it prints a list of lists of rows,
each a list of values.
"""
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from urllib.parse import unquote

TACHO, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HOSTS, DEVICES = map(int, (sys.argv[3] if len(sys.argv) > 3 else "3x4").split("x"))
ENGINE = sys.argv[4:]
SCRATCH = tempfile.mkdtemp(prefix="tacho-dataset.")
TABLES = ("spans", "counters", "ops", "devices", "steps", "collectives", "clock", "loss")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
sys.path.insert(0, f"{SOURCE}/tests/parquet")
import parquet_read  # pylint: disable=wrong-import-position


def run(*words, code=None):
    done = subprocess.run([TACHO, *words], capture_output=True, text=True, check=False, cwd=SCRATCH)
    assert code is None or done.returncode == code, (words, done.returncode, done.stderr)
    return done


def fleet(question, *words):
    """Tables of 'tacho fleet' by name."""
    tables = {}
    done = run("fleet", question, *words, "--json", "--top", "0")
    assert done.returncode in (0, 3), done.stderr
    for line in done.stdout.splitlines():
        row = json.loads(line)
        tables.setdefault(row["table"], []).append(row)
    return tables


def generate(folder, *words):
    subprocess.run([sys.executable, f"{SOURCE}/tests/fleet/gen_fleet.py", folder, "--hosts", str(HOSTS),
                    "--devices", str(DEVICES), *words], check=True)


def statements():
    """The SQL of the page, in its order."""
    with open(f"{SOURCE}/docs/datasets.md", encoding="utf-8") as file:
        return [text.strip().rstrip(";") for text in re.findall(r"```sql\n(.*?)```", file.read(), re.S)]


def partition(path):
    """Run, host and rank of a file, as its directories say."""
    names = dict(re.findall(r"/(run|host|rank)=([^/]*)", path))
    values = [None if names[key] == NO_VALUE else unquote(names[key]) for key in ("run", "host", "rank")]
    return [values[0], values[1], None if values[2] is None else int(values[2])]


def load(dataset):
    """All tables of |dataset| in SQLite."""
    database = sqlite3.connect(":memory:")
    for table in TABLES:
        paths = sorted(glob.glob(f"{dataset}/{table}/run=*/host=*/rank=*/*.parquet"))
        for number, path in enumerate(paths):
            columns, _, _ = parquet_read.read(path)
            if number == 0:
                names = ", ".join(f'"{name}"' for name in ("run", "host", "rank", *columns))
                database.execute(f"CREATE TABLE {table} ({names})")
                marks = ", ".join("?" * (3 + len(columns)))
            key = partition(path)
            database.executemany(f"INSERT INTO {table} VALUES ({marks})",
                                 [key + list(row) for row in zip(*columns.values())])
    return database


def answers(dataset):
    """Rows of every statement."""
    if not ENGINE:
        database = load(dataset)
        return [[list(row) for row in database.execute(text)] for text in statements()]
    done = subprocess.run([*ENGINE, dataset], input=json.dumps(statements()), capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rows_of(table, *keys):
    return [[row[key] for key in keys] for row in table]


def in_order(rows):
    return sorted(rows, key=lambda row: [(value is None, value) for value in row])


class Questions(unittest.TestCase):
    """Two runs, one with damage."""

    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.join(SCRATCH, "traces")
        generate(cls.folder, "--damage")
        generate(cls.folder, "--run", "r2", "--seed", "2")
        cls.dataset = os.path.join(SCRATCH, "dataset")
        cls.done = run("convert", cls.folder, "-o", cls.dataset + "/", code=3)
        cls.answers = answers(cls.dataset)

    def test_operations(self):
        expected = rows_of(fleet("ops", self.folder)["ops"], "operation", "class", "origin", "files", "count",
                           "total_ns", "self_ns", "min_ns", "max_ns")
        self.assertGreaterEqual(len(expected), 8)
        self.assertEqual(in_order(expected), in_order(self.answers[0]))

    def test_percentiles(self):
        expected = rows_of(fleet("ops", self.folder)["ops"], "operation", "class", "origin", "p50_ns", "p99_ns")
        found = in_order(self.answers[1])
        self.assertEqual([row[:3] for row in in_order(expected)], [row[:3] for row in found])
        is_exact = sum(row["count"] for row in fleet("ops", self.folder)["ops"]) <= 65536
        for mine, theirs in zip(in_order(expected), found):
            for percentile, exact in zip(mine[3:], theirs[3:]):
                self.assertLessEqual(1000 * abs(percentile - exact), 0 if is_exact else 8 * exact)

    def test_hosts(self):
        expected = rows_of(fleet("breakdown", self.folder)["hosts"], "run", "host", "origin", "devices", "span_ns",
                           "busy_ns", "compute_ns", "communication_ns", "exposed_communication_ns", "idle_ns")
        self.assertEqual(len(expected), 2 * HOSTS)
        self.assertEqual(in_order(expected), in_order(self.answers[2]))

    def test_devices(self):
        expected = rows_of(fleet("breakdown", self.folder)["devices"], "run", "host", "rank", "device", "span_ns",
                           "busy_ns", "idle_ns", "host_late_ns", "dependency_ns", "queue_empty_ns", "queued_ns",
                           "unknown_ns")
        self.assertEqual(in_order(expected), in_order(self.answers[3]))
        self.assertEqual([row[6] for row in expected], [row[6] for row in self.answers[3]])

    def test_steps(self):
        expected = [row[:5] + row[5].split(" rank ") for row in rows_of(
            fleet("steps", self.folder)["steps"], "run", "step", "files", "min_ns", "max_ns", "slowest")]
        found = [row[:6] + [str(row[6])] for row in self.answers[4]]
        self.assertEqual(in_order(expected), in_order(found))

    def test_ranks(self):
        expected = rows_of(fleet("steps", self.folder)["ranks"], "run", "host", "rank", "count", "total_ns", "min_ns",
                           "max_ns")
        self.assertEqual(in_order(expected), in_order(self.answers[5]))

    def test_stragglers(self):
        expected = rows_of(fleet("stragglers", self.folder)["stragglers"], "run", "host", "rank", "last_count",
                           "caused_wait_ns")
        self.assertEqual(in_order(expected), in_order(self.answers[6]))
        self.assertEqual(expected[0], self.answers[6][0])

    def test_collectives(self):
        expected = rows_of(fleet("collectives", self.folder)["collectives"], "run", "group", "collective", "count",
                           "total_ns", "min_ns", "max_ns", "wait_ns")
        self.assertEqual(in_order(expected), in_order(self.answers[7]))

    def test_damage(self):
        health = fleet("health", self.folder)["health"]
        expected = rows_of([row for row in health if row["problem"] in ("cut off", "copy", "records lost", "not read")],
                           "run", "host", "rank", "problem", "path")
        self.assertEqual(len(expected), 2)
        self.assertEqual(in_order(expected), in_order([row[:5] for row in self.answers[8]]))
        missing = [row for row in health if row["problem"] == "missing rank"]
        world = HOSTS * DEVICES
        self.assertEqual([["r1", world, len(missing)], ["r2", world, 0]], self.answers[9])

    def test_two_runs(self):
        table = fleet("diff", f"{self.folder}/run=r1", f"{self.folder}/run=r2")["diff"]
        expected = rows_of([row for row in table if row["a_ns"] is not None and row["b_ns"] is not None],
                           "operation", "class", "origin", "a_ns", "b_ns")
        self.assertGreaterEqual(len(expected), 8)
        self.assertEqual(in_order(expected), in_order(self.answers[10]))

    def test_every_statement_has_an_answer(self):
        self.assertEqual(len(self.answers), 11)


class Files(unittest.TestCase):
    """What is written where."""

    def convert(self, *words, name, code=0):
        folder = os.path.join(SCRATCH, name)
        done = run("convert", *words, "-o", folder + "/", code=code)
        return folder, done

    def paths(self, folder):
        return sorted(os.path.relpath(path, folder) for path in glob.glob(f"{folder}/**", recursive=True)
                      if os.path.isfile(path))

    def contents(self, folder):
        found = {}
        for path in self.paths(folder):
            with open(os.path.join(folder, path), "rb") as file:
                found[path] = file.read()
        return found

    def test_each_table_has_a_file(self):
        folder, _ = self.convert(f"{SOURCE}/tests/data/chrome/kineto.json", name="one")
        self.assertEqual([path.split("/")[0] for path in self.paths(folder)], sorted(TABLES))

    def test_nothing_known_is_null(self):
        folder, _ = self.convert(f"{SOURCE}/tests/data/chrome/ort.json", name="unknown")
        for path in self.paths(folder):
            self.assertEqual(partition("/" + path), [None, None, None])

    def test_names_of_any_kind_come_back(self):
        """As Hive does it; engines decode it. What is no text has U+FFFD for each byte that is none."""
        names = [("a b", "x=y"), ("50%", "%2F"), ("Z\u00fcrich", "q'\"?*:#{}[]^\\"), (".", ".."), ("b\udcff", "n1")]
        home = os.path.join(SCRATCH, "any")
        for rank, (run_id, host) in enumerate(names):
            os.makedirs(f"{home}/run={run_id}/host={host}/rank={rank}")
            shutil.copy(f"{SOURCE}/tests/data/chrome/kineto.json", f"{home}/run={run_id}/host={host}/rank={rank}")
        folder, _ = self.convert(home, name="any-ds")
        expected = {(run_id.replace("\udcff", "\ufffd"), host, rank) for rank, (run_id, host) in enumerate(names)}
        statement = "SELECT run, host, rank FROM clock"
        found = (load(folder).execute(statement) if not ENGINE else
                 json.loads(subprocess.run([*ENGINE, folder], input=json.dumps([statement]), capture_output=True,
                                           text=True, check=True).stdout)[0])
        self.assertEqual({tuple(row) for row in found}, expected)
        for path in self.paths(folder):
            self.assertIsNone(re.search("[ '\"?*:#{}\\[\\]^\\\\]", path), path)
        long = os.path.join(SCRATCH, "long", "run=" + "%" * 240)
        os.makedirs(long)
        shutil.copy(f"{SOURCE}/tests/data/chrome/kineto.json", long)
        _, done = self.convert(long, name="long-ds", code=1)
        self.assertIn("the run '%%%%", done.stderr)
        self.assertIn("is too long for a directory", done.stderr)

    def test_spans_and_counters_are_those_of_sql(self):
        for sample in ("chrome/kineto.json", "chrome/counters.json", "perfetto/golden.pb"):
            path = f"{SOURCE}/tests/data/{sample}"
            if not os.path.exists(path):
                continue
            folder, _ = self.convert(path, name=sample.replace("/", "-"))
            database = load(folder)
            for table, columns in (("spans", "name, track, class, start_ns, duration_ns"),
                                   ("counters", "name, time_ns, value")):
                sql = f"SELECT {columns} FROM {table}"
                expected = [json.loads(line) for line in
                            run("query", path, sql, "--format", "json").stdout.splitlines()]
                expected = [[value for key, value in row.items() if key not in ("table", "schema_version")]
                            for row in expected]
                self.assertEqual(in_order(expected), in_order([list(row) for row in database.execute(sql)]))

    def test_converting_again_changes_nothing(self):
        sample = f"{SOURCE}/tests/data/chrome/kineto.json"
        folder, _ = self.convert(sample, name="again")
        before = self.contents(folder)
        self.convert(sample, name="again")
        self.assertEqual(before, self.contents(folder))

    def test_workers_change_nothing(self):
        """Files, and what is said of them: copies, damage and what is no profile are among them."""
        home = os.path.join(SCRATCH, "workers")
        generate(home, "--damage")
        shutil.copytree(f"{SOURCE}/tests/data/chrome", f"{home}/more")
        found = {}
        for count in ("1", "2", "7"):
            folder, done = self.convert(home, "-j", count, name=f"workers-{count}", code=3)
            found[count] = self.contents(folder), done.stderr.replace(folder, "")
        self.assertGreater(len(found["1"][0]), 50)
        self.assertEqual(found["1"], found["2"])
        self.assertEqual(found["1"], found["7"])
        self.convert(f"{home}/more/kineto.json", "-j", "0", name="odd", code=2)
        self.assertIn("--jobs goes with a dataset only",
                      run("convert", f"{home}/more/kineto.json", "-j", "2", "-o", "x.pb", code=2).stderr)

    def feed(self, path, data):
        """Writes to a pipe that somebody reads, or comes to read soon."""
        for _ in range(400):
            try:
                pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.05)
                continue
            os.set_blocking(pipe, True)
            os.write(pipe, data)
            os.close(pipe)
            return
        self.fail(f"nobody reads {path}")

    def test_a_slow_file_holds_nobody_up(self):
        pipes = [os.path.join(SCRATCH, f"{place}.pipe") for place in range(8)]
        for path in pipes:
            os.mkfifo(path)
        folder = os.path.join(SCRATCH, "slow-ds")
        with subprocess.Popen([TACHO, "convert", "-q", "-j", "2", *pipes, "-o", folder + "/"]) as child:
            try:
                for place, path in [*enumerate(pipes)][1:] + [(0, pipes[0])]: # the first one last
                    event = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": place, "dur": 2}
                    self.feed(path, json.dumps({"traceEvents": [event]}).encode())
                self.assertEqual(child.wait(20), 0)
            finally:
                child.kill()
        self.assertEqual(len(self.spans(folder)), len(pipes))

    def write_profile(self, path, rank, name="kernel"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 1, "dur": 2}]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"distributedInfo": {"rank": rank, "world_size": 4}, "traceEvents": events}, file)

    def spans(self, folder):
        return in_order([list(row) for row in load(folder).execute("SELECT rank, name FROM spans")])

    def test_a_profile_that_has_changed_is_replaced(self):
        """Whatever has changed: rank, rows, both, or where it lies."""
        path, moved = os.path.join(SCRATCH, "changed/a.json"), os.path.join(SCRATCH, "changed/b.json")
        for rank, name in ((0, "one"), (1, "one"), (1, "two"), (2, "three")):
            self.write_profile(path, rank, name)
            folder, _ = self.convert(path, name="changed-ds")
            self.assertEqual(self.spans(folder), [[rank, name]])
            for table in TABLES:
                self.assertEqual(len(glob.glob(f"{folder}/{table}/**/*.parquet", recursive=True)), 1, table)
        os.rename(path, moved)
        _, done = self.convert(moved, name="changed-ds")
        self.assertIn("removed what earlier conversions wrote of 1 of these profiles", done.stderr)
        self.assertEqual(self.spans(folder), [[2, "three"]])
        self.write_profile(path, 3, "four") # another one beside it
        self.convert(os.path.dirname(path), name="changed-ds")
        self.assertEqual(self.spans(folder), [[2, "three"], [3, "four"]])

    def test_runs_that_look_alike_stay_apart(self):
        """Two runs, the same rows: converted one after the other, both are there."""
        for run_id in ("a", "b"):
            self.write_profile(os.path.join(SCRATCH, f"alike/run={run_id}/p.json"), 0)
            folder, _ = self.convert(os.path.join(SCRATCH, f"alike/run={run_id}"), name="alike-ds")
        rows = list(load(folder).execute("SELECT run, name FROM spans ORDER BY run"))
        self.assertEqual(rows, [("a", "kernel"), ("b", "kernel")])

    def write_events(self, name, events):
        path = os.path.join(SCRATCH, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        return path

    def test_profiles_that_differ_in_anything_are_no_copies(self):
        """Converted at once, or one after the other: all rows are there. Only the last one is a copy of the first."""
        span = {"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 1, "ts": 20, "dur": 5, "args": {"loss": 1}}
        sample = {"ph": "C", "name": "mem", "pid": 1, "ts": 0, "args": {"v": 1}}
        flows = [{"ph": phase, "id": 1, "name": "f", "cat": "f", "pid": 1, "tid": 1, "ts": at, "bp": "e"}
                 for phase, at in (("s", 21), ("f", 22))]
        changes = [[], [sample], [{**sample, "args": {"v": 2}}], flows]
        spans = [[span], [{**span, "args": {"loss": 2}}], [{**span, "args": {"loss": {"of": [1, 2]}}}],
                 [{**span, "args": {"loss": {"of": [2, 1]}}}], [{**span, "name": "c"}], [{**span, "cat": "d"}],
                 [{**span, "tid": 2}], [{**span, "pid": 2}], [{**span, "args": {"loss": "1"}}]]
        events = [[span] + change for change in changes] + spans[1:] + [
            [{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}}, span],
            [sample], [{**sample, "args": {"v": 2}}], [span]]
        paths = [self.write_events(f"differ/{place:02d}.json", some) for place, some in enumerate(events)]
        folder, done = self.convert(os.path.dirname(paths[0]), name="differ-ds", code=3)
        self.assertEqual(re.findall(r"(\d+).json: not written: a copy of .*?(\d+).json", done.stderr),
                         [(f"{len(events) - 1:02d}", "00")])
        for path in paths[:-1]:
            self.convert(path, name="differ-single")
        databases = [load(where) for where in (folder, os.path.join(SCRATCH, "differ-single"))]
        counts = [[list(database.execute(f"SELECT count(*) FROM {table}"))[0][0]
                   for table in ("spans", "counters", "clock")] for database in databases]
        self.assertEqual(counts, [[13, 4, 15]] * 2)

    def test_profiles_without_rows_are_no_copies(self):
        paths = [os.path.join(SCRATCH, f"empty/{name}.json") for name in "ab"]
        for path in paths:
            self.write_profile(path, 0)
        for _ in range(2):
            folder, _ = self.convert(*paths, "--min-duration", "1s", name="empty-ds")
            self.assertEqual(list(load(folder).execute("SELECT path FROM clock ORDER BY path")),
                             [(path,) for path in paths])

    def test_the_same_rows_in_two_runs_are_no_copies(self):
        for run_id in ("a", "b"):
            self.write_profile(os.path.join(SCRATCH, f"two/run={run_id}/p.json"), 0)
        folder, _ = self.convert(os.path.join(SCRATCH, "two"), name="two-ds")
        rows = list(load(folder).execute("SELECT run, name FROM spans ORDER BY run"))
        self.assertEqual(rows, [("a", "kernel"), ("b", "kernel")])

    def test_what_cannot_be_read_any_more_keeps_its_rows(self):
        path, other = os.path.join(SCRATCH, "unread/a.json"), os.path.join(SCRATCH, "unread/b.json")
        self.write_profile(path, 0)
        self.write_profile(other, 1)
        self.convert(path, other, name="unread-ds")
        with open(path, "w", encoding="utf-8") as file:
            file.write("nothing of the kind\n")
        folder, _ = self.convert(path, other, name="unread-ds", code=3)
        self.assertEqual(self.spans(folder), [[0, "kernel"], [1, "kernel"]])
        self.assertEqual(list(load(folder).execute("SELECT problem FROM loss")), [("not read",)])
        self.write_profile(path, 0)
        self.convert(path, other, name="unread-ds")
        self.assertEqual(list(load(folder).execute("SELECT problem FROM loss")), [])

    def test_one_path_on_two_computers(self):
        """Nothing says the host: rows of the other computer stay, unless they are the same ones."""
        path = os.path.join(SCRATCH, "local/a.json")
        self.write_profile(path, 0, "here")
        folder, _ = self.convert(path, name="local-ds")
        for place in self.paths(folder): # as if another computer had written it
            other = re.sub("-[0-9a-f]{8}-", "-00000000-", place)
            self.assertNotEqual(place, other)
            os.rename(os.path.join(folder, place), os.path.join(folder, other))
        self.convert(path, name="local-ds") # a file system that both see
        self.assertEqual(self.spans(folder), [[0, "here"]])
        for place in self.paths(folder):
            os.rename(os.path.join(folder, place), os.path.join(folder, re.sub("-[0-9a-f]{8}-", "-00000000-", place)))
        self.write_profile(path, 0, "there")
        _, done = self.convert(path, name="local-ds")
        self.assertIn("another computer has converted another profile of this path", done.stderr)
        self.assertEqual(self.spans(folder), [[0, "here"], [0, "there"]])

    def test_a_dataset_below_its_inputs_is_no_input(self):
        home = os.path.join(SCRATCH, "home")
        os.makedirs(home)
        shutil.copy(f"{SOURCE}/tests/data/chrome/kineto.json", home)
        for _ in range(2):
            run("convert", home, "-o", f"{home}/dataset/", code=0)

    def test_names_of_one_file_each_have_their_row_of_loss(self):
        home = os.path.join(SCRATCH, "names")
        for folder in ("a", "b", "c"):
            os.makedirs(f"{home}/{folder}")
        with open(f"{SOURCE}/tests/data/chrome/kineto.json", "rb") as file, open(f"{home}/a/_cut.json", "wb") as cut:
            cut.write(file.read()[:-40])
        names = [f"names/{folder}/_cut.json" for folder in ("a", "b", "c")]
        for name in names[1:]:
            os.symlink("../a/_cut.json", os.path.join(SCRATCH, name))
        run("convert", *names, "-o", "names/ds/", code=3)
        found = load(f"{home}/ds").execute("SELECT path, problem FROM loss ORDER BY path").fetchall()
        self.assertEqual(found, [(names[0], "cut off"), (names[1], "copy"), (names[2], "copy")])
        for path in glob.glob(f"{home}/ds/**/*.parquet", recursive=True):
            self.assertNotIn(os.path.basename(path)[0], "_.", "engines pass over such names")

    def test_nothing_read_is_a_failure_and_writes_nothing(self):
        path = os.path.join(SCRATCH, "no-profile.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("nothing of the kind\n")
        folder, done = self.convert(path, name="nothing", code=1)
        self.assertIn("no-profile.txt", done.stderr)
        self.assertEqual(self.paths(folder), [])

    def test_what_is_not_read_is_named(self):
        stray = os.path.join(SCRATCH, "stray.txt")
        with open(stray, "w", encoding="utf-8") as file:
            file.write("nothing of the kind\n")
        folder, _ = self.convert(stray, f"{SOURCE}/tests/data/chrome/kineto.json", name="stray", code=3)
        rows = list(load(folder).execute("SELECT problem, path FROM loss"))
        self.assertEqual(rows, [("not read", stray)])

    def test_the_sum_of_what_is_left_out_has_no_zeros(self):
        home = os.path.join(SCRATCH, "sum")
        self.write_profile(f"{home}/a.json", 0)
        for names, text in (("b", "1 copy left out; see"), ("bc", "2 copies left out; see"),
                            ("bcx", "1 file could not be read, 2 copies left out; see")):
            with open(f"{home}/x.json", "w", encoding="utf-8") as file:
                file.write("nothing of the kind\n")
            for name in names.strip("x"):
                shutil.copy(f"{home}/a.json", f"{home}/{name}.json")
            _, done = self.convert(*(f"{home}/{name}.json" for name in "a" + names), name="sum-ds", code=3)
            self.assertIn(f"warning: {text}", done.stderr)

    def test_strangers_stay(self):
        sample = f"{SOURCE}/tests/data/chrome/kineto.json"
        folder, _ = self.convert(sample, name="strangers")
        path = os.path.join(folder, self.paths(folder)[0])
        with open(path, "w", encoding="utf-8") as file:
            file.write("mine")
        self.convert(sample, name="strangers", code=1)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_options_that_do_not_go_with_it(self):
        sample = f"{SOURCE}/tests/data/chrome/kineto.json"
        self.convert(sample, "--queues", name="odd", code=2)
        self.convert(sample, "--to", "chrome", name="odd", code=2)
        self.convert("-", name="odd", code=2)
        os.makedirs(os.path.join(SCRATCH, "there"))
        done = run("convert", sample, "-o", "there", code=2)
        self.assertIn("'there/' for a dataset", done.stderr)
        done = run("convert", sample, "-o", "new", code=2)
        self.assertIn("use one such as .pb, --to FORMAT, or 'new/' for a dataset", done.stderr)


if shutil.which("zstd") is None:
    print("skip: zstd is not installed")
    sys.exit(77)
try:
    unittest.main(argv=sys.argv[:1])
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)

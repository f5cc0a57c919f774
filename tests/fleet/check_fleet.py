#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fleets: what 'tacho fleet' says of many hosts is what a script adds up.

    check_fleet.py TACHO SOURCE_DIR [HOSTS]
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skips  # pylint: disable=wrong-import-position

TACHO, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HOSTS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
DEVICES = 4
DATA = f"{SOURCE}/tests/data"
SCRATCH = tempfile.mkdtemp(prefix="tacho-fleet.")
CLEAN_ENV = {key: value for key, value in os.environ.items()
             if not key.startswith(("SLURM", "OMPI", "PMI", "PALS", "MV2_", "MVP_", "FLUX", "RANK", "WORLD_SIZE",
                                      "MASTER_", "TORCHELASTIC", "PBS_", "LSB_", "TACHO_RUN_ID"))}
# Open MPI 4 and 5 keep 4 MiB for each rank in /dev/shm, which may be smaller.
MPI_FILES = {f"OMPI_MCA_btl_{name}_backing_directory": SCRATCH for name in ("vader", "sm")}


def run(*words, env=None):
    return subprocess.run([TACHO, "fleet", *words], capture_output=True, text=True, check=False,
                          cwd=SCRATCH, env={**CLEAN_ENV, **(env or {})})


def rows(done):
    tables = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        tables.setdefault(row["table"], []).append(row)
    return tables


def ask(question, *words, code=0):
    done = run(question, *words, "--json", "--top", "0")
    assert done.returncode == code, (done.returncode, done.stderr)
    return rows(done)


def generate(name, *words):
    folder = os.path.join(SCRATCH, name)
    subprocess.run([sys.executable, f"{SOURCE}/tests/fleet/gen_fleet.py", folder, "--hosts", str(HOSTS),
                    "--devices", str(DEVICES), *words], check=True)
    with open(os.path.join(folder, ".expected.json"), encoding="utf-8") as file:
        return folder, json.load(file)


class Sound(unittest.TestCase):
    """All files are sound: every number is known."""

    @classmethod
    def setUpClass(cls):
        cls.folder, cls.expected = generate("sound")

    def test_operations_are_those_of_all_files(self):
        table = {row["operation"]: row for row in ask("ops", self.folder)["ops"]}
        for name, (count, total, least, most) in self.expected["ops"].items():
            row = table[name]
            self.assertEqual([row["count"], row["total_ns"], row["min_ns"], row["max_ns"]],
                             [count, total, least, most])
            self.assertEqual(row["files"], HOSTS * DEVICES)

    def test_captures_answer_as_their_traces_do(self):
        """Of their arguments only those are read that are added up."""
        captures = os.path.join(SCRATCH, "as-captures")
        for root, _, names in os.walk(self.folder):
            for name in names:
                if name.endswith(".json") and not name.startswith("."):
                    there = os.path.join(captures, os.path.relpath(root, self.folder))
                    os.makedirs(there, exist_ok=True)
                    subprocess.run([TACHO, "convert", "-q", os.path.join(root, name), "-o", f"{there}/trace.tacho"],
                                   check=True)
        for question in ("overview", "ops", "breakdown", "steps", "stragglers", "collectives", "clocks"):
            of_traces, of_captures = ask(question, self.folder), ask(question, captures)
            for table in [*of_traces.values(), *of_captures.values()]:
                for row in table:
                    row.pop("path", None)
            self.assertEqual(of_traces, of_captures, question)

    def test_names_of_pytorch_say_the_host(self):
        """HOST_PID.TIME.pt.trace.json; the rank is what the file says."""
        flat = os.path.join(SCRATCH, "named-by-pytorch")
        os.makedirs(flat)
        for root, _, names in os.walk(self.folder):
            found = re.search(r"host=(\w+)/rank=(\d+)$", root)
            if found and "trace.json" in names:
                shutil.copy(f"{root}/trace.json", f"{flat}/gpu_{found[1]}.local_{found[2]}77.170000.pt.trace.json")
        hosts = {row["host"]: row["devices"] for row in ask("breakdown", flat)["hosts"]}
        self.assertEqual(hosts, {f"gpu_n{host:02d}.local": DEVICES for host in range(HOSTS)})
        for name in ("trainer.pt.trace.json", "node_1.x.pt.trace.json", "rank-0.Apr_3.11.pt.trace.json", "n_1.2.json"):
            shutil.copy(f"{self.folder}/run=r1/host=n00/rank=0/trace.json", os.path.join(SCRATCH, name))
            self.assertIsNone(ask("breakdown", name, code=3)["hosts"][0]["host"], name)

    def test_every_rank_has_a_page(self):
        """Of its own: times differ, so no two are alike."""
        done = run("report", self.folder, "--split", "-o", "split.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = os.path.join(SCRATCH, "split-ranks")
        self.assertEqual(sorted(os.listdir(folder)), sorted(f"{row}.html" for row in range(HOSTS * DEVICES)))
        pages = set()
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                pages.add(file.read())
        self.assertEqual(len(pages), HOSTS * DEVICES)

    def test_devices_of_one_name_are_numbered(self):
        """Names are told apart by their first bytes; the times of all devices count."""
        events = []
        for number in range(3):
            events += [{"ph": "M", "name": "process_name", "pid": number, "args": {"name": "G" * 1200}},
                       {"ph": "X", "cat": "kernel", "name": "k", "pid": number, "tid": 7, "ts": 0,
                        "dur": 10 + number, "args": {"stream": 7}}]
        path = os.path.join(SCRATCH, "one-name.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        tables = ask("breakdown", path)
        self.assertEqual([(row["devices"], row["busy_ns"]) for row in tables["hosts"]], [(3, 33000)])
        ends = {row["busy_ns"]: row["device"].strip("G") for row in tables["devices"]}
        self.assertEqual(ends, {10000: "", 11000: " (2)", 12000: " (3)"})

    def test_workers_write_the_same_pages(self):
        found = []
        for count in ("1", "4"):
            done = run("report", self.folder, "--split", "-j", count, "-o", "side.html")
            contents = []
            for root, _, names in sorted(os.walk(os.path.join(SCRATCH, "side-ranks"))):
                for name in sorted(names):
                    with open(os.path.join(root, name), encoding="utf-8") as file:
                        contents.append((name, file.read()))
            found.append((contents, done.returncode, done.stderr))
        self.assertEqual(len(found[0][0]), HOSTS * DEVICES)
        self.assertEqual(*found)

    def test_steps_are_those_of_all_ranks(self):
        tables = ask("steps", self.folder)
        for row in tables["steps"]:
            most, least, count = self.expected["steps"][row["step"].split("#")[1]]
            self.assertEqual([row["max_ns"], row["min_ns"], row["files"]], [most, least, count])
        self.assertEqual(len(tables["steps"]), len(self.expected["steps"]))
        self.assertEqual(len(tables["ranks"]), HOSTS * DEVICES)

    def test_the_straggler_is_found(self):
        table = ask("stragglers", self.folder)["stragglers"]
        self.assertEqual(table[0]["rank"], self.expected["straggler"])
        self.assertEqual({str(row["rank"]): [row["last_count"], row["caused_wait_ns"]] for row in table},
                         self.expected["caused"])

    def test_waiting_adds_up(self):
        table = ask("collectives", self.folder)["collectives"]
        self.assertEqual(sum(row["wait_ns"] for row in table),
                         sum(wait for _, wait in self.expected["caused"].values()))

    def test_hosts_are_the_sum_of_their_devices(self):
        tables = ask("breakdown", self.folder)
        self.assertEqual(len(tables["devices"]), HOSTS * DEVICES)
        for host in tables["hosts"]:
            own = [row for row in tables["devices"] if row["host"] == host["host"]]
            self.assertEqual(host["devices"], len(own))
            for key in ("span_ns", "busy_ns", "compute_ns", "communication_ns", "idle_ns"):
                self.assertEqual(host[key], sum(row[key] for row in own))

    def test_a_device_is_as_breakdown_shows_it(self):
        device = ask("breakdown", self.folder)["devices"][-1]
        done = subprocess.run([TACHO, "breakdown", device["path"], "--json"], capture_output=True,
                              text=True, check=True)
        alone = [row for row in map(json.loads, done.stdout.splitlines()) if row["table"] == "devices"]
        for key in ("span_ns", "busy_ns", "compute_ns", "communication_ns",
                    "exposed_communication_ns", "copy_ns", "idle_ns"):
            self.assertEqual(device[key], alone[0][key])

    def test_the_overview_is_the_sum_of_the_others(self):
        row = ask("overview", self.folder)["overview"][0]
        hosts = ask("breakdown", self.folder)["hosts"]
        steps = ask("steps", self.folder)["all_steps"][0]
        self.assertEqual([row["run"], row["files"], row["hosts"], row["devices"]],
                         ["r1", HOSTS * DEVICES, HOSTS, HOSTS * DEVICES])
        self.assertEqual(row["span_ns"], sum(host["span_ns"] for host in hosts))
        self.assertEqual(row["idle_percent"], round(100 * sum(host["idle_ns"] for host in hosts) / row["span_ns"], 2))
        self.assertEqual(row["wait_ns"], sum(wait for _, wait in self.expected["caused"].values()))
        self.assertEqual([row["steps"], *(row[key] for key in ("mean_ns", "p50_ns", "p99_ns", "max_ns", "slowest"))],
                         [steps[key] for key in ("count", "mean_ns", "p50_ns", "p99_ns", "max_ns", "slowest")])

    def test_a_difference_has_the_steps_of_both(self):
        table = ask("diff", self.folder, self.folder)["diff_steps"]
        steps = ask("steps", self.folder)["all_steps"][0]
        for row in table:
            for key in ("mean_ns", "p50_ns", "p99_ns", "min_ns", "max_ns"):
                self.assertEqual(row[key], steps[key])
        self.assertEqual([row["side"] for row in table], ["A", "B"])
        done = run("diff", self.folder, self.folder, "-o", "diff.parquet") # holds one table
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_any_number_of_workers_gives_the_same_bytes(self):
        for question in ("ops", "breakdown", "steps", "stragglers", "collectives"):
            alone = run(question, self.folder, "-j", "1").stdout
            self.assertEqual(alone, run(question, self.folder, "-j", "3").stdout, question)

    def test_a_fleet_does_not_differ_from_itself(self):
        self.assertNotIn("diff", ask("diff", self.folder, self.folder))


class Damaged(unittest.TestCase):
    """A file is cut, one copied, one has another clock, one is missing, one of another version."""

    @classmethod
    def setUpClass(cls):
        cls.folder, cls.expected = generate("damaged", "--damage")

    def test_damage_is_named(self):
        names = {"cut": "cut off", "copy": "copy", "skewed": "other time", "missing": "missing rank",
                 "version": "other version"}
        table = ask("health", self.folder, code=3)["health"]
        self.assertEqual({(str(row["rank"]), row["problem"]) for row in table},
                         {(rank, names[problem])
                          for rank, problem in self.expected["problems"].items()})

    def test_the_rest_is_counted_and_copies_are_not(self):
        cut = [rank for rank, problem in self.expected["problems"].items() if problem == "cut"][0]
        kept = [path for path in self.paths() if f"rank={cut}/" not in path]
        table = {row["operation"]: row for row in ask("ops", *kept, code=3)["ops"]}
        for name, (count, total, _, _) in self.expected["ops"].items():
            self.assertEqual([table[name]["count"], table[name]["total_ns"]], [count, total])

    def test_a_file_that_is_no_profile_spoils_nothing(self):
        stray = os.path.join(SCRATCH, "stray.txt")
        with open(stray, "w", encoding="utf-8") as file:
            file.write("nothing of the kind\n")
        with_it = ask("ops", self.folder, stray, code=3)
        self.assertEqual(with_it["ops"], ask("ops", self.folder, code=3)["ops"])
        self.assertIn("not read", [row["problem"] for row in with_it["health"]])

    def test_strict_refuses(self):
        done = run("ops", self.folder, "--strict")
        self.assertEqual(done.returncode, 1)
        self.assertIn("problems with the files (--strict); 'tacho fleet health' lists them\n", done.stderr)
        self.assertEqual(done.stdout, "")

    def paths(self):
        found = []
        for folder, _, names in os.walk(self.folder):
            found += [os.path.join(folder, name) for name in names if not name.startswith(".")]
        return sorted(found)

    def test_parts_in_any_split_answer_alike(self):
        paths = self.paths()
        expected = {question: run(question, self.folder).stdout
                    for question in ("overview", "ops", "breakdown", "steps", "stragglers", "collectives")}
        for seed in range(3):
            shuffled = list(paths)
            random.Random(seed).shuffle(shuffled)
            parts = os.path.join(SCRATCH, f"parts{seed}")
            run("map", *shuffled, "-o", parts)
            names = [os.path.join(parts, name) for name in sorted(os.listdir(parts))]
            random.Random(seed).shuffle(names)
            middle = random.Random(seed).randrange(1, len(names))
            merged = [os.path.join(SCRATCH, f"{seed}-{side}.tpart") for side in "ab"]
            for path, some in zip(merged, (names[:middle], names[middle:])):
                self.assertEqual(run("reduce", *some, "-o", path).returncode, 0)
            for question, answer in expected.items():
                self.assertEqual(run(question, parts).stdout, answer, question)
            self.assertEqual(run("diff", parts, parts).stdout, run("diff", self.folder, self.folder).stdout)
            copies = any("counted twice" in line for line in run("health", *merged).stdout.splitlines())
            if not copies: # both copies of a file in one part, or one of them alone
                self.assertEqual(run("ops", *merged).stdout, expected["ops"])

    def test_mapping_goes_on_where_it_was(self):
        parts = os.path.join(SCRATCH, "resumed")
        count = len(self.paths())
        self.assertIn(f"{count} parts written, 0 already up to date", run("map", self.folder, "-o", parts).stderr)
        names = sorted(os.listdir(parts))
        os.remove(os.path.join(parts, names[0]))
        with open(os.path.join(parts, names[1]), "r+b") as file:
            file.truncate(100)
        self.assertIn(f"2 parts written, {count - 2} already up to date",
                      run("map", self.folder, "-o", parts).stderr)
        self.assertEqual(run("ops", parts).stdout, run("ops", self.folder).stdout)

    def test_ranks_share_the_files(self):
        for name, variables in (("srun", ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")),
                                ("mpirun", ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")),
                                ("array", None)):
            parts = os.path.join(SCRATCH, name)
            for rank in range(3):
                env = ({"SLURM_ARRAY_TASK_ID": str(rank + 1), "SLURM_ARRAY_TASK_MIN": "1",
                        "SLURM_ARRAY_TASK_COUNT": "3"} if variables is None
                       else {variables[0]: str(rank), variables[1]: "3"})
                done = run("map", self.folder, "-o", parts, env=env)
                self.assertIn(" 0 already up to date", done.stderr)
            self.assertEqual(len(os.listdir(parts)), len(self.paths()))
            self.assertEqual(run("steps", parts).stdout, run("steps", self.folder).stdout)

    def test_clocks_are_known_from_collectives(self):
        table = {row["rank"]: row for row in ask("clocks", self.folder, code=3)["clocks"]}
        skewed = [int(rank) for rank, problem in self.expected["problems"].items() if problem == "skewed"][0]
        for rank, row in table.items():
            ahead = 3600 * 10**9 if rank == skewed else 0
            self.assertEqual(row["method"], "collectives")
            self.assertLessEqual(abs(row["offset_ns"] - ahead), 300)
            self.assertLessEqual(row["error_ns"], 600)

    def test_a_timeline_has_one_axis(self):
        path = os.path.join(SCRATCH, "timeline.json")
        done = run("timeline", self.folder, "-o", path)
        self.assertEqual(done.returncode, 3, done.stderr)
        count = len(ask("health", self.folder, code=3)["health"])
        self.assertIn(f"warning: {count} problems with the files; 'tacho fleet health' lists them", done.stderr)
        bound = float(re.search(r"clocks within ([\d.]+) ns", done.stderr).group(1))
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        ends = {}
        for event in events:
            if event.get("ph") == "X" and "AllReduce" in event["name"]:
                end = round((event["ts"] + event["dur"]) * 1000)
                ends.setdefault(event["args"]["Seq"], []).append(end)
        self.assertGreater(len(ends), 2)
        for number, times in ends.items():
            self.assertGreaterEqual(len(times), HOSTS * DEVICES - 2, number)
            self.assertLessEqual(max(times) - min(times), bound)

    def test_health_says_what_and_where(self):
        """In words that a table of 100 columns has room for."""
        cut = f"{self.folder}/run=r1/host=n00/rank=1/trace.json"
        rows_of = {row["problem"]: row for row in ask("health", self.folder, code=3)["health"]}
        self.assertRegex(rows_of["cut off"]["detail"], r"^at byte \d+; what follows is missing$")
        self.assertEqual(int(rows_of["cut off"]["detail"].split()[2].strip(";")), os.path.getsize(cut))
        self.assertEqual(rows_of["missing rank"]["detail"], f"no file for this rank; the job has {HOSTS * DEVICES}")
        self.assertEqual(rows_of["other version"]["detail"], "CUDA 11000; most files: CUDA 12000")
        moved = os.path.join(SCRATCH, "moved/run=r1/host=n00/rank=2")
        os.makedirs(moved)
        shutil.copy(f"{self.folder}/run=r1/host=n00/rank=3/trace.json", moved)
        row = ask("health", moved, code=3)["health"][0]
        self.assertEqual([row["problem"], row["rank"], row["detail"]],
                         ["other rank", 2, "the file says rank 3, its directory 2"])
        run("map", os.path.join(SCRATCH, "moved"), "-o", "moved-parts")
        self.assertEqual(ask("health", "moved-parts", code=3)["health"][0], row)
        shutil.copy(f"{moved}/trace.json", os.path.join(SCRATCH, "moved/rank2.json")) # the file has the last word
        self.assertNotIn("other rank", [row["problem"] for row in
                                        ask("health", os.path.join(SCRATCH, "moved/rank2.json"), code=3)["health"]])

    def test_a_timeline_of_files_with_problems(self):
        """A rank that is missing is no loss of what was read, but a problem."""
        some = os.path.join(SCRATCH, "some-ranks")
        for rank in (0, 3):
            shutil.copytree(f"{self.folder}/run=r1/host=n00/rank={rank}", f"{some}/run=r1/host=n00/rank={rank}")
        done = run("timeline", some, "-o", "some.pb")
        self.assertEqual(done.returncode, 3)
        self.assertIn("problems with the files", done.stderr)
        path = os.path.join(SCRATCH, "strict.pb")
        done = run("timeline", some, "--strict", "-o", path)
        self.assertEqual([done.returncode, os.path.exists(path)], [1, False])
        self.assertIn("problems with the files (--strict)", done.stderr)

    def test_processes_of_a_timeline_name_host_and_rank(self):
        """In what viewers show: names of processes, of Chrome JSON and of Perfetto's descriptors."""
        missing = [int(rank) for rank, problem in self.expected["problems"].items() if problem == "missing"][0]
        ranks = {f"n{rank // DEVICES:02d} rank {rank}" for rank in range(HOSTS * DEVICES) if rank != missing}
        run("timeline", self.folder, "-o", "named.json")
        with open(os.path.join(SCRATCH, "named.json"), encoding="utf-8") as file:
            names = [event["args"]["name"] for event in json.load(file)["traceEvents"] if event["name"] == "process_name"]
        self.assertEqual({name.split(": ")[0] for name in names}, ranks)
        self.assertEqual(len([name for name in names if "GPU 0" in name]), len(ranks) - 1) # one was cut ahead of it
        run("timeline", self.folder, "-o", "named.pb")
        with open(os.path.join(SCRATCH, "named.pb"), "rb") as file:
            data = file.read()
        for name in ranks:
            self.assertGreaterEqual(data.count(f"{name}: process".encode()), 3, name) # of tracks and processes

    def test_a_timeline_without_known_clocks_is_refused(self):
        path = os.path.join(SCRATCH, "refused.pb")
        done = run("timeline", self.paths()[0], f"{DATA}/chrome/overlap.json", "-o", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("files of 2 runs, and nothing says how their clocks relate", done.stderr)
        self.assertFalse(os.path.exists(path))

    def mpirun(self, count, *words):
        if shutil.which("mpirun") is None:
            self.skipTest("openmpi-bin is not installed")
        if skips.mpirun_loses_output():
            self.skipTest("mpirun loses output of programs that end with a status other than 0")
        return subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count), TACHO, "fleet",
                               *words], check=False, capture_output=True, text=True, cwd=SCRATCH,
                              env={**CLEAN_ENV, **MPI_FILES, "ASAN_OPTIONS": "detect_leaks=0"}, timeout=120)

    def test_mpirun_maps(self):
        parts = os.path.join(SCRATCH, "real-mpirun")
        self.assertEqual(self.mpirun(3, "map", self.folder, "-o", parts).returncode, 0)
        self.assertEqual(run("ops", parts).stdout, run("ops", self.folder).stdout)

    def test_mpirun_answers(self):
        """Copies lie in the shares of two ranks; there are fewer files than ranks, too."""
        if not os.path.exists(os.path.join(os.path.dirname(TACHO), "../lib/tacho/libtacho-mpi.so")):
            self.skipTest("built without libopenmpi-dev")
        some = self.paths()[:3]
        questions = ("overview", "ops", "breakdown", "steps", "stragglers", "collectives", "clocks", "health")
        for number, question in enumerate(questions):
            alone = run(question, self.folder)
            done = self.mpirun(2 + number % 4, question, self.folder)
            self.assertEqual([done.returncode, done.stdout], [alone.returncode, alone.stdout], question)
        self.assertEqual(self.mpirun(5, "ops", *some).stdout, run("ops", *some).stdout)
        self.assertEqual(self.mpirun(2, "diff", self.folder, some[0]).stdout, run("diff", self.folder, some[0]).stdout)
        merged = [os.path.join(SCRATCH, name) for name in ("mpi.tpart", "alone.tpart")]
        self.assertEqual(self.mpirun(4, "reduce", self.folder, "-o", merged[0]).returncode, 0)
        self.assertEqual(run("reduce", self.folder, "-o", merged[1]).returncode, 0)
        with open(merged[0], "rb") as mine, open(merged[1], "rb") as other:
            self.assertEqual(mine.read(), other.read())

    def test_mpirun_fails_as_one(self):
        done = self.mpirun(3, "ops", os.path.join(SCRATCH, "not-there"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("not-there", done.stderr)
        done = self.mpirun(2, "diff", self.folder, "--run", "not-there", "--run", "r1")  # rank 0 alone sees it
        self.assertEqual(done.returncode, 1)
        self.assertIn("no file of run 'not-there'", done.stderr)

    def test_ranks_that_cannot_be_joined_are_told(self):
        """Once, by the first of them, with the reason; each gives the whole answer."""
        if shutil.which("cc") is None:
            self.skipTest("gcc is not installed")
        root = os.path.join(SCRATCH, "without-mpi")
        library = f"{root}/bin/../lib/tacho/libtacho-mpi.so"
        os.makedirs(f"{root}/bin")
        shutil.copy(TACHO, f"{root}/bin/tacho")
        alone = run("steps", self.folder)
        code = ("#include <stdbool.h>\n#include <stdint.h>\n"
                "static bool yes(uint64_t *rank, uint64_t *size) {{ *rank = 0; *size = 1; return true; }}\n"
                "static void nothing(void) {{}}\n"
                "const struct {{ uint32_t version; void *calls[5]; }} {} = {{{}, {{(void *)yes, 0, 0, (void *)nothing, 0}}}};\n")
        cases = (("libtacho-mpi.so is not installed", None),
                 (f"cannot load {library}: ", "not a library"),
                 (f"cannot load {library}: ", ("tacho_other", 1)),
                 (f"{library} is of another tacho: its version is 7, not 1", ("tacho_ranks_library_of_mpi", 7)),
                 ("libtacho-mpi.so was built for another MPI", ("tacho_ranks_library_of_mpi", 1)))
        for expected, made in cases:
            if made is not None:
                os.makedirs(os.path.dirname(library), exist_ok=True)
                with open(library, "w", encoding="utf-8") as file:
                    file.write(made if isinstance(made, str) else "")
            if isinstance(made, tuple):
                subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], check=True, text=True,
                               input=code.format(*made))
            for rank, size, lines in ((0, 4, 1), (3, 4, 0), (0, 1, 0)):
                env = {**CLEAN_ENV, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(size)}
                done = subprocess.run([f"{root}/bin/tacho", "fleet", "steps", self.folder], check=False, env=env,
                                      capture_output=True, text=True, cwd=SCRATCH)
                self.assertEqual([done.returncode, done.stdout], [alone.returncode, alone.stdout])
                told = [line for line in done.stderr.splitlines() if "do not share the work" in line]
                self.assertEqual(len(told), lines, (expected, rank, size, done.stderr))
                for line in told:
                    self.assertIn(expected, line)
                    self.assertLessEqual(line.count(library), 1)
                    self.assertIn("; the 4 processes that Open MPI started", line)

    def test_a_damaged_part_is_named(self):
        parts = os.path.join(SCRATCH, "bad-parts")
        run("map", self.folder, "-o", parts)
        name = os.path.join(parts, sorted(os.listdir(parts))[0])
        with open(name, "r+b") as file:
            file.seek(200)
            file.write(b"\xff\xff")
        table = ask("ops", parts, code=3)["health"]
        self.assertIn(name, [row["path"] for row in table if row["problem"] == "not read"])


class Runs(unittest.TestCase):
    """Two runs in one directory keep apart, by directories, by what captures say, or by names."""

    @classmethod
    def setUpClass(cls):
        cls.folder, _ = generate("runs")
        generate("runs", "--run", "r2", "--seed", "7")
        cls.flat = os.path.join(SCRATCH, "flat")
        for run_name, short in (("r1", "a"), ("r2", "b")):
            os.makedirs(f"{cls.flat}/{short}")
            for rank in range(HOSTS * DEVICES):
                shutil.copy(f"{cls.folder}/run={run_name}/host=n{rank // DEVICES:02d}/rank={rank}/trace.json",
                            f"{cls.flat}/{short}/rank{rank}.json")

    def test_a_run_is_chosen(self):
        for question, table in (("ops", "ops"), ("stragglers", "waits"), ("steps", "ranks"), ("breakdown", "hosts")):
            self.assertEqual(ask(question, self.folder, "--run", "r2")[table],
                             ask(question, f"{self.folder}/run=r2")[table])

    def test_several_are_named(self):
        self.assertIn("files of 2 runs: r1, r2; --run ID chooses one", run("ops", self.folder).stderr)
        self.assertNotIn("runs", run("ops", self.folder, "--run", "r1").stderr)

    def test_two_runs_are_compared(self):
        self.assertEqual(ask("diff", self.folder, "--run", "r1", "--run", "r2")["diff"],
                         ask("diff", f"{self.folder}/run=r1", f"{self.folder}/run=r2")["diff"])

    def test_names_tell_runs_apart(self):
        table = ask("collectives", self.flat)["collectives"]
        self.assertEqual({row["run"] for row in table}, {"a", "b"})
        for run_name, short in (("r1", "a"), ("r2", "b")):
            own = [row for row in table if row["run"] == short]
            expected = ask("collectives", f"{self.folder}/run={run_name}")["collectives"]
            for key in ("count", "total_ns", "wait_ns", "files"):
                self.assertEqual([row[key] for row in own], [row[key] for row in expected])
        self.assertEqual(ask("steps", self.flat, "--run", "b")["steps"][0]["max_ns"],
                         ask("steps", f"{self.folder}/run=r2")["steps"][0]["max_ns"])

    def test_the_same_rows_in_two_runs_are_no_copies(self):
        """Whoever is read first, and however they are read."""
        home, sample = os.path.join(SCRATCH, "same-rows"), f"{self.flat}/a/rank0.json"
        for name in "ab":
            os.makedirs(f"{home}/run={name}/rank=0")
            subprocess.run([TACHO, "convert", "-q", sample, "-o", f"{home}/run={name}/rank=0/trace.tacho"], check=True)
        shutil.copy(sample, f"{home}/run=b/rank=0/copy.json")
        expected = ask("steps", home, "-j", "1", code=3)
        self.assertEqual({row["run"] for row in expected["ranks"]}, {"a", "b"})
        copies = [row["path"] for row in expected["health"] if row["problem"] == "copy"]
        self.assertEqual(copies, [f"{home}/run=b/rank=0/trace.tacho"])
        run("map", home, "-o", f"{home}-parts")
        self.assertEqual(ask("steps", f"{home}-parts", code=3), expected)
        # A part and its capture, of which few arguments are read, are one file.
        for question in ("ops", "breakdown", "steps", "collectives"):
            self.assertEqual(ask(question, home, code=3), ask(question, home, f"{home}-parts", code=3), question)

    def test_names_in_one_directory_do(self):
        both = os.path.join(SCRATCH, "both")
        os.makedirs(both)
        for short in "ab":
            for rank in range(HOSTS * DEVICES):
                shutil.copy(f"{self.flat}/{short}/rank{rank}.json", f"{both}/{short}_rank-{rank}.json")
        self.assertEqual({row["run"] for row in ask("steps", both)["steps"]}, {"a", "b"})

    def test_hosts_are_no_runs(self):
        hosts = os.path.join(SCRATCH, "hosts")
        for rank in range(HOSTS * DEVICES):
            os.makedirs(f"{hosts}/n{rank // DEVICES}", exist_ok=True)
            shutil.copy(f"{self.flat}/a/rank{rank}.json", f"{hosts}/n{rank // DEVICES}")
        table = ask("collectives", hosts)["collectives"]
        self.assertEqual([row["files"] for row in table], [HOSTS * DEVICES] * len(table))

    def test_what_cannot_be_told_apart_is_named(self):
        mixed = os.path.join(SCRATCH, "mixed")
        for short in "ab":
            os.makedirs(f"{mixed}/{short}")
            for rank in range(HOSTS * DEVICES):
                os.makedirs(f"{mixed}/{short}/{rank}")
                shutil.copy(f"{self.flat}/{short}/rank{rank}.json", f"{mixed}/{short}/{rank}/trace.json")
        problems = [row["problem"] for row in ask("health", mixed, code=3)["health"]]
        self.assertEqual(problems, ["same rank"] * HOSTS * DEVICES)

    def test_parts_know_their_runs(self):
        parts = os.path.join(SCRATCH, "run-parts")
        run("map", self.flat, "-o", parts)
        self.assertEqual(ask("steps", parts, "--run", "b"), ask("steps", self.flat, "--run", "b"))
        merged = os.path.join(SCRATCH, "runs.tpart")
        run("reduce", parts, "-o", merged)
        done = run("steps", merged, "--run", "b")
        self.assertEqual(done.returncode, 1)
        self.assertIn("holds several runs", done.stderr)

    def test_a_page_of_one_run(self):
        for words, count in (((), 2 * HOSTS * DEVICES), (("--run", "r2"), HOSTS * DEVICES)):
            done = run("report", self.folder, *words, "-o", "runs.html")
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"{count} ranks", done.stderr)

    def test_a_run_that_is_not_there(self):
        done = run("ops", self.folder, "--run", "r3")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("no file of run 'r3'; there are r1, r2\n", done.stderr)
        self.assertIn("no file of run 'c'; there are a, b\n", run("steps", self.flat, "--run", "c").stderr)
        done = run("diff", self.folder, "--run", "r1", "--run", "r3")
        self.assertIn("no file of run 'r3'; there are r1, r2\n", done.stderr)

    def test_files_without_a_run_are_chosen(self):
        lone = os.path.join(SCRATCH, "lone.json")
        shutil.copy(f"{DATA}/chrome/layers.json", lone)
        named = f"{self.folder}/run=r1/host=n00/rank=0/trace.json"
        self.assertIn("files of 2 runs: '', r1; --run ID chooses one", run("ops", lone, named).stderr)
        self.assertEqual(run("ops", lone, named, "--run", "").stdout, run("ops", lone).stdout)
        self.assertIn("no file of run 'x'; there are '', r1\n", run("ops", lone, named, "--run", "x").stderr)

    def test_misuse(self):
        for words in (("ops", self.folder, "--run", "r1", "--run", "r2"), ("map", self.folder, "--run", "r1", "-o", "x"),
                      ("diff", self.folder), ("diff", self.folder, "--run", "r1")):
            self.assertEqual(run(*words).returncode, 2, words)


class Clocks(unittest.TestCase):
    """Clocks of jobs whose ranks meet in several process groups, or only by way of others."""

    def write(self, path, rank, world, calls, ahead=0, base=None):
        """|calls|: process group, number and end in microseconds; all by a clock that is ahead."""
        events = [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32", "pid": 0, "tid": 7,
                   "ts": end - 5 + ahead, "dur": 5,
                   "args": {"Collective name": "allreduce", "Process Group Name": group, "Seq": number}}
                  for group, number, end in calls]
        whole = {"schemaVersion": 1, "traceEvents": events}
        if rank is not None:
            whole["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": world}
        if base is not None:
            whole["baseTimeNanoseconds"] = base
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(whole, file)

    def check(self, folder, ahead_us):
        table = ask("clocks", folder)["clocks"]
        self.assertEqual({row["method"] for row in table}, {"collectives"})
        zero = [row["offset_ns"] - 1000 * ahead_us[row["rank"]] for row in table]
        self.assertEqual(max(zero) - min(zero), 0)
        done = run("timeline", folder, "-o", "clocks.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(SCRATCH, "clocks.json"), encoding="utf-8") as file:
            ends = {}
            for event in json.load(file)["traceEvents"]:
                if event.get("ph") == "X":
                    key = (event["args"]["Process Group Name"], event["args"]["Seq"])
                    ends.setdefault(key, set()).add(round(1000 * (event["ts"] + event["dur"])))
        self.assertEqual({len(times) for times in ends.values()}, {1})

    def test_busy_groups_leave_room_for_the_others(self):
        """Eight groups of four with 300 calls each, and five calls of all."""
        folder = os.path.join(SCRATCH, "busy-groups")
        ahead = [rank * 1000 for rank in range(32)]
        for rank in range(32):
            calls = [(f"tp{rank // 4}", number, 1000 + 10 * number) for number in range(300)]
            calls += [("world", number, 5000 + 10 * number) for number in range(5)]
            self.write(f"{folder}/rank{rank}.json", rank, 32, calls, ahead[rank])
        self.check(folder, ahead)
        parts = os.path.join(SCRATCH, "busy-parts")
        run("map", folder, "-o", parts)
        of_parts, of_files = ask("clocks", parts)["clocks"], ask("clocks", folder)["clocks"]
        self.assertEqual(of_parts, of_files)

    def test_clocks_are_known_by_way_of_others(self):
        """A chain of stages: each shares calls with the next alone. Errors add up along the way."""
        folder = os.path.join(SCRATCH, "stages")
        ahead = [7 * rank for rank in range(12)]
        for rank in range(12):
            calls = [(f"pp{stage}", number, 1000 + 10 * number)
                     for stage in (rank - 1, rank) for number in range(3)]
            self.write(f"{folder}/rank{rank}.json", rank, 12, calls, ahead[rank])
        self.check(folder, ahead)
        for rank in range(12):
            calls = [(f"pp{stage}", number, 1000 + 10 * number + (stage == rank and number == 0))
                     for stage in (rank - 1, rank) for number in range(3)]
            self.write(f"{folder}/rank{rank}.json", rank, 12, calls, ahead[rank])
        table = sorted(ask("clocks", folder)["clocks"], key=lambda row: row["error_ns"])
        self.assertEqual([table[0]["error_ns"], table[1]["error_ns"]], [0, 1000])
        self.assertEqual({abs(row["rank"] - table[0]["rank"]) * 1000 for row in table},
                         {row["error_ns"] for row in table})
        for row in table:
            self.assertEqual(row["error_ns"], abs(row["rank"] - table[0]["rank"]) * 1000)

    def test_groups_that_do_not_end_together_do_not_count(self):
        """Two groups have one name, and what passes from rank to rank ends at different times."""
        folder = os.path.join(SCRATCH, "apart-groups")
        ahead = [rank * 1000 for rank in range(8)]
        for rank in range(8):
            calls = [("tp", number, 1000 + 10 * number + rank // 4 * (300 + number * number)) for number in range(20)]
            calls += [("pp", number, 2000 + 50 * number + 7 * rank * (number % 5)) for number in range(20)]
            calls += [("world", number, 5000 + 10 * number) for number in range(6)]
            self.write(f"{folder}/rank{rank}.json", rank, 8, calls, ahead[rank])
        for row in ask("clocks", folder)["clocks"]:
            self.assertEqual([row["offset_ns"], row["error_ns"]], [1000 * ahead[row["rank"]], 0])

    def test_every_run_has_a_reference(self):
        folder = os.path.join(SCRATCH, "clocks-of-runs")
        for place, name in enumerate("ab"):
            for rank in range(3):
                calls = [("0", number, 10 * number + 9 + place) for number in range(5)]
                self.write(f"{folder}/run={name}/rank={rank}/t.json", rank, 3, calls, 5 * rank)
        for row in ask("clocks", folder)["clocks"]:
            self.assertEqual([row["method"], row["offset_ns"]], ["collectives", 5000 * row["rank"]])
        done = run("timeline", folder, "-o", "runs.pb")
        self.assertEqual(done.returncode, 1)
        self.assertIn("files of 2 runs, and nothing says how their clocks relate", done.stderr)
        self.assertIn("--run ID chooses one", done.stderr)
        self.assertEqual(run("timeline", folder, "--run", "a", "-o", "runs.pb").returncode, 0)

    def test_the_time_of_day_relates_only_who_knows_it(self):
        folder = os.path.join(SCRATCH, "who-knows")
        for job, rank in (("7", 0), ("8", 0)):
            subprocess.run([TACHO, "profile", "-q", "-o", folder + "/", "--", "true"], check=True, cwd=SCRATCH,
                           env={**CLEAN_ENV, "SLURM_JOB_ID": job, "SLURM_PROCID": str(rank), "SLURM_STEP_NUM_TASKS": "3"})
        self.assertEqual({row["method"] for row in ask("clocks", folder, code=3)["clocks"]}, {"time of day"})
        self.assertNotEqual(run("timeline", folder, "-o", "two-runs.pb").returncode, 1)
        for rank in (1, 2):
            calls = [("0", number, 10 * number + 9) for number in range(5)]
            self.write(f"{folder}/run=7/host=n/rank={rank}/t.json", rank, 3, calls)
        methods = {(row["run"], row["rank"]): row["method"] for row in ask("clocks", folder, code=3)["clocks"]}
        self.assertEqual(methods, {("7", 0): "nothing", ("7", 1): "collectives", ("7", 2): "collectives",
                                   ("8", 0): "time of day"})
        done = run("timeline", folder, "--run", "7", "-o", "who.pb")
        self.assertEqual(done.returncode, 1)
        self.assertIn("and they do not know the time of day", done.stderr)
        self.assertIn("run '7' does not know the time of day; --run ID", run("timeline", folder, "-o", "who.pb").stderr)

    def test_times_of_pytorch_count_from_a_base(self):
        """The key may stand behind the events; one host's clock is three hours ahead."""
        base, ahead = 1_763_000_000 * 10**9, 3 * 3600 * 10**9
        folder, apart = os.path.join(SCRATCH, "based"), os.path.join(SCRATCH, "based-apart")
        for rank in range(4):
            own = base + (ahead if rank == 2 else 0)
            for there, group in ((folder, "0"), (apart, f"alone{rank}")):
                self.write(f"{there}/rank{rank}.json", rank, 4, [(group, number, 10 * number + 9) for number in range(5)],
                           rank, own)
        table = {row["rank"]: row for row in ask("clocks", folder, code=3)["clocks"]}
        self.assertEqual([table[rank]["offset_ns"] for rank in range(4)], [0, 1000, ahead + 2000, 3000])
        problems = [(row["problem"], row["rank"]) for row in ask("health", folder, code=3)["health"]]
        self.assertEqual(problems, [("other time", 2)])
        for row in ask("clocks", apart, code=3)["clocks"]:
            self.assertEqual([row["method"], row["offset_ns"], row["error_ns"]], ["time of day", 0, 1000])
        run("timeline", apart, "-o", "apart.json")
        with open(os.path.join(SCRATCH, "apart.json"), encoding="utf-8") as file:
            starts = {}
            for event in json.load(file)["traceEvents"]:
                if event.get("ph") == "X":
                    starts.setdefault(event["args"]["Process Group Name"], []).append(event["ts"])
        first = [round(1000 * min(starts[f"alone{rank}"])) for rank in range(4)]
        self.assertEqual(first, [0, 1000, ahead + 2000, 3000])
        with open(f"{folder}/rank3.json", "r+", encoding="utf-8") as file: # the base is lost with the end
            file.truncate(len(file.read().split('"baseTime')[0]) - 2)
        table = {row["rank"]: row for row in ask("clocks", folder, code=3)["clocks"]}
        self.assertEqual([table[3]["method"], table[3]["offset_ns"]], ["collectives", 3000 - base])

    def test_a_base_is_not_added_to_the_time_of_day(self):
        """A tool may write both: times since 1970, and the moment that they counted from."""
        folder = os.path.join(SCRATCH, "both-of-day")
        day_us = 1_763_000_000 * 10**6
        for rank in range(3):
            calls = [("0", number, day_us + 10 * number + 9) for number in range(5)]
            self.write(f"{folder}/rank{rank}.json", rank, 3, calls, rank, 1_760_000_000 * 10**9 if rank else None)
        self.assertEqual([row["offset_ns"] for row in ask("clocks", folder)["clocks"]], [2000, 1000, 0])

    def test_a_file_that_shares_nothing_is_named(self):
        folder = os.path.join(SCRATCH, "shares-nothing")
        for rank, group in enumerate("aab"):
            self.write(f"{folder}/rank{rank}.json", rank, 3, [(group, number, 10 * number + 9) for number in range(5)])
        methods = {row["rank"]: row["method"] for row in ask("clocks", folder)["clocks"]}
        self.assertEqual(methods, {0: "collectives", 1: "collectives", 2: "nothing"})
        done = run("timeline", folder, "-o", "none.pb")
        self.assertEqual(done.returncode, 1)
        self.assertIn("rank2.json: nothing says how its clock relates to the others", done.stderr)


class Unreadable(unittest.TestCase):
    """1 when nothing could be read, 3 when something was not."""

    def test_codes(self):
        bad = os.path.join(SCRATCH, "bad.txt")
        with open(bad, "w", encoding="utf-8") as file:
            file.write("nothing of the kind\n")
        good = f"{DATA}/chrome/kineto.json"
        for question in ("ops", "breakdown", "steps", "stragglers", "collectives", "clocks"):
            done = run(question, bad)
            self.assertEqual([done.returncode, done.stdout], [1, ""], question)
            self.assertIn("bad.txt", done.stderr)
            self.assertEqual(run(question, bad, good).returncode, 3, question)
        self.assertEqual(run("diff", good, bad).returncode, 1)
        self.assertEqual(run("health", bad).returncode, 3)


class Nothing(unittest.TestCase):
    """A question that has no answer says why."""

    def test_notes(self):
        path = os.path.join(SCRATCH, "counters.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"ph": "C", "pid": 1, "name": "memory", "ts": 1, "args": {"used": 5}}], file)
        for question, note in (("ops", "no operations were recorded"), ("breakdown", "no work of devices was recorded"),
                               ("steps", "no steps found"), ("stragglers", "no collectives were recorded")):
            done = run(question, path)
            self.assertEqual([done.returncode, done.stdout], [0, ""], question)
            self.assertIn(note, done.stderr)
        good = f"{DATA}/chrome/kineto.json"
        self.assertIn("no operation matches the filter", run("ops", good, "--filter", "nothing of the kind").stderr)


class OneFile(unittest.TestCase):
    """A fleet of one file says what the commands for one file say."""

    def check(self, path):
        own = subprocess.run([TACHO, "ops", path, "--json", "--top", "0", "--no-advice"],
                             capture_output=True, text=True, check=False)
        alone = [row for row in map(json.loads, own.stdout.splitlines()) if row["table"] == "ops"]
        done = run("ops", path, "--json", "--top", "0")
        fleet = [row for row in map(json.loads, done.stdout.splitlines()) if row["table"] == "ops"]
        self.assertGreater(len(alone), 0)
        self.assertEqual(len(alone), len(fleet))
        for mine, theirs in zip(fleet, alone):
            for key in theirs:
                if key not in ("file", "table"):
                    self.assertEqual(mine.get(key), theirs[key], (path, key))

    def test_profiles_of_all_formats(self):
        for path in ("chrome/kineto.json", "chrome/layers.json", "chrome/ort.json", "chrome/phases.json",
                     "chrome/overlap.json"):
            self.check(f"{DATA}/{path}")

    def test_a_generated_rank(self):
        folder, _ = generate("one", "--steps", "30")
        self.check(f"{folder}/run=r1/host=n00/rank=0/trace.json")

    def test_a_capture(self):
        path = os.path.join(SCRATCH, "one.tacho")
        subprocess.run([TACHO, "convert", f"{DATA}/chrome/kineto.json", "-o", path, "-q"], check=True)
        self.check(path)


class Capture(unittest.TestCase):
    """Ranks under 'tacho profile -o DIR/' write files of their own."""

    def profile(self, root, rank, *words, env=None):
        variables = env or {"SLURM_JOB_ID": "4711", "SLURM_PROCID": str(rank), "SLURM_STEP_NUM_TASKS": "3"}
        done = subprocess.run([TACHO, "profile", "-q", "-o", root + "/", *words, "--", "sleep", "0.05"],
                              capture_output=True, text=True, check=False, cwd=SCRATCH,
                              env={**CLEAN_ENV, **variables})
        self.assertEqual(done.returncode, 0, done.stderr)

    def files(self, root):
        found = []
        for folder, _, names in os.walk(os.path.join(SCRATCH, root)):
            found += [os.path.relpath(os.path.join(folder, name), os.path.join(SCRATCH, root))
                      for name in names]
        return sorted(found)

    def test_every_rank_has_a_place(self):
        host = os.uname().nodename
        for rank in range(3):
            self.profile("ranks", rank)
        self.assertEqual(self.files("ranks"),
                         [f"run=4711/host={host}/rank={rank}/{name}" for rank in range(3)
                          for name in ("capture.tacho", "manifest.json")])
        with open(os.path.join(SCRATCH, f"ranks/run=4711/host={host}/rank=2/manifest.json"),
                  encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertEqual([manifest[key] for key in ("run", "rank", "world_size", "launcher", "exit_status")],
                         ["4711", 2, 3, "Slurm", 0])
        start, end = manifest["anchors"]
        self.assertLess(abs((end["realtime_ns"] - start["realtime_ns"]) -
                            (end["monotonic_ns"] - start["monotonic_ns"])),
                        1000000 + start["error_ns"] + end["error_ns"])
        self.assertNotIn("health", ask("health", "ranks"))

    def test_one_rank_speaks_for_all(self):
        said = []
        for rank in range(3):
            env = {**CLEAN_ENV, "SLURM_JOB_ID": "5", "SLURM_PROCID": str(rank), "SLURM_STEP_NUM_TASKS": "3"}
            done = subprocess.run([TACHO, "profile", "-o", "said/", "--", "sh", "-c", "echo out; echo err >&2"],
                                  capture_output=True, text=True, check=True, cwd=SCRATCH, env=env)
            self.assertIn("out\n", done.stdout)
            said.append(done.stderr)
        self.assertIn("tacho: wrote: said/run=5/", said[0])
        self.assertEqual(said[1:], ["err\n", "err\n"])

    def test_a_rank_that_wrote_nothing_is_missing(self):
        self.profile("some", 0)
        self.profile("some", 2)
        self.assertEqual([(row["problem"], row["rank"]) for row in ask("health", "some", code=3)["health"]],
                         [("missing rank", 1)])

    def test_captures_at_one_time_keep_apart(self):
        """Three of the same rank, all begun before one has ended: three captures, each with its manifest."""
        env = {**CLEAN_ENV, "SLURM_JOB_ID": "77", "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}
        words = [TACHO, "profile", "-q", "-o", "atonce/", "--"]
        children = [subprocess.Popen([*words, "sleep", "0.5"], env=env, cwd=SCRATCH) for _ in range(3)]
        self.assertEqual([child.wait() for child in children], [0, 0, 0])
        names = self.files("atonce")
        self.assertEqual([name.rsplit("/", 1)[1] for name in names],
                         ["capture-2.tacho", "capture-3.tacho", "capture.tacho",
                          "manifest-2.json", "manifest-3.json", "manifest.json"])
        for capture, path in zip(names[:3], names[3:]):
            with open(os.path.join(SCRATCH, "atonce", path), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["capture"], capture.rsplit("/", 1)[1])
            self.assertGreater(os.path.getsize(os.path.join(SCRATCH, "atonce", capture)), 0)
        subprocess.run([*words, "./none"], env=env, cwd=SCRATCH, capture_output=True, check=False)
        self.assertEqual(self.files("atonce"), names)

    def test_a_second_capture_replaces_nothing(self):
        self.profile("twice", 0)
        self.profile("twice", 0)
        self.assertEqual([name.rsplit("/", 1)[1] for name in self.files("twice")],
                         ["capture-2.tacho", "capture.tacho", "manifest-2.json", "manifest.json"])

    def test_recording_begins_when_it_is_told(self):
        self.profile("late", 0, "--activate", "/1000000s")
        done = subprocess.run([TACHO, "info", os.path.join(SCRATCH, "late/" + self.files("late")[0]), "--json"],
                              capture_output=True, text=True, check=True)
        rows_of = [row for row in map(json.loads, done.stdout.splitlines()) if row["table"] == "inputs"]
        self.assertEqual(rows_of[0]["events"], 0)

    def test_captures_are_aligned_by_the_time_of_day(self):
        for rank in range(2):
            self.profile("timed", rank)
        for row in ask("clocks", "timed", code=3)["clocks"]: # of three ranks
            self.assertEqual([row["method"], row["offset_ns"]], ["time of day", 0])
        done = run("timeline", "timed", "-o", "timed.pb")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "clocks within .* of one another, where hosts agree on the time of day\n")

    def test_ranks_of_torchrun_are_of_one_run(self):
        """It calls a job that was given no name 'none'; ranks start at different times."""
        said = []
        for job in range(2):
            for rank in range(2):
                env = {**CLEAN_ENV, "RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                       "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": "none"}
                done = subprocess.run([TACHO, "profile", "-q", "-o", "torch/", "--", "sleep", "0.6"],
                                      capture_output=True, text=True, check=True, cwd=SCRATCH, env=env)
                said.append(done.stderr)
            self.assertEqual(os.listdir(os.path.join(SCRATCH, "torch")), ["run=127.0.0.1-29500"])
            problems = ask("health", "torch", code=3 if job > 0 else 0).get("health", [])
            self.assertEqual([row["problem"] for row in problems], ["same rank"] * 2 * job)
        self.assertEqual([said[0], said[1], said[3]], ["", "", ""])
        self.assertIn("run=127.0.0.1-29500 holds a capture of this rank already; give each job a name", said[2])

    def test_ranks_that_share_nothing_are_told(self):
        for rank in range(2):
            env = {**CLEAN_ENV, "RANK": str(rank), "WORLD_SIZE": "2"}
            done = subprocess.run([TACHO, "profile", "-q", "-o", "lost/", "--", "sleep", "0.1"],
                                  capture_output=True, text=True, check=True, cwd=SCRATCH, env=env)
            self.assertEqual("ranks may be filed under different runs; set TACHO_RUN_ID" in done.stderr, rank == 0)

    def test_a_process_alone_is_rank_0_of_1(self):
        self.profile("alone", 0, env={"HOME": SCRATCH})
        self.assertEqual([name.split("/")[2] for name in self.files("alone")], ["rank=0", "rank=0"])


if __name__ == "__main__":
    try:
        skips.main([sys.argv[0], "-v"])
    finally:
        shutil.rmtree(SCRATCH)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fleets of odd files: names, numbers and links as they are found, and files that mean harm.

    check_odd.py TACHO
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skips  # pylint: disable=wrong-import-position

TACHO = os.path.abspath(sys.argv[1])
SCRATCH = tempfile.mkdtemp(prefix="tacho-odd.")
CLEAN_ENV = {key: value for key, value in os.environ.items()
             if not key.startswith(("SLURM", "OMPI", "PMI", "RANK", "WORLD_SIZE"))}


def run(*words, **options):
    return subprocess.run([TACHO, "fleet", *words], capture_output=True, text=True, check=False,
                          errors="surrogateescape", cwd=SCRATCH, env=CLEAN_ENV, **options)


def ask(question, *words, code=0):
    done = run(question, *words, "--json", "--top", "0")
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    tables = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        tables.setdefault(row["table"], []).append(row)
    return tables


def kernel(name, start, length, process=7, **args):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": process, "tid": 7, "ts": start, "dur": length,
            "args": {"stream": 7, **args}}


def reduce_call(start, length, number=None, **args):
    if number is not None:
        args["Seq"] = number
    return kernel("ncclDevKernel_AllReduce_Sum_f32", start, length,
                  **{"Collective name": "allreduce", "Process Group Name": "0"}, **args)


def step(number, start, length):
    return {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 1, "tid": 1,
            "ts": start, "dur": length}


def write(path, events, rank=None, size=1, **facts):
    path = os.path.join(SCRATCH, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if rank is not None:
        facts["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": size}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, **facts, "traceEvents": events}, file)
    return path


class Collectives(unittest.TestCase):
    def test_kernels_of_one_number_are_one_collective(self):
        write("twice/a.json", [reduce_call(100, 10, 1), reduce_call(200, 50, 1), reduce_call(300, 10, 2)], 0, 2)
        self.assertEqual(ask("stragglers", "twice", code=3).get("waits", []), [], "a rank waits for itself")
        kinds = ask("collectives", "twice", code=3)["collectives"]
        self.assertEqual((kinds[0]["count"], kinds[0]["max_ns"], kinds[0]["total_ns"]), (2, 60000, 70000))
        write("twice/b.json", [reduce_call(100, 20, 1), reduce_call(300, 15, 2)], 1, 2)
        waits = {row["sequence"]: row for row in ask("stragglers", "twice")["waits"]}
        self.assertEqual((waits[1]["files"], waits[1]["last_rank"], waits[1]["wait_ns"]), (2, "rank 1", 40000))
        self.assertEqual((waits[2]["files"], waits[2]["last_rank"], waits[2]["wait_ns"]), (2, "rank 0", 5000))

    def test_the_order_of_a_cut_file_matches_nothing(self):
        for rank in range(2):
            write(f"cut/rank{rank}.json", [reduce_call(100 * at, 10 + at + rank) for at in range(9)], rank, 2)
        self.assertEqual(len(ask("stragglers", "cut")["waits"]), 9)
        path = os.path.join(SCRATCH, "cut/rank1.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:len(text) * 2 // 3])
        self.assertEqual(ask("stragglers", "cut", code=3).get("waits", []), [])
        self.assertGreater(ask("collectives", "cut", code=3)["collectives"][0]["count"], 9)
        self.assertEqual({row["rank"]: row["method"] for row in ask("clocks", "cut", code=3)["clocks"]}[1], "nothing")

    def test_numbers_match_cut_files(self):
        for rank in range(2):
            write(f"numbers/rank{rank}.json", [reduce_call(100 * at, 10 + at + rank, at) for at in range(9)], rank, 2)
        path = os.path.join(SCRATCH, "numbers/rank1.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:len(text) * 2 // 3])
        self.assertGreater(len(ask("stragglers", "numbers", code=3)["waits"]), 3)

    def test_groups_of_one_name_have_ranks_of_their_own(self):
        for rank in range(6):
            first = rank // 2 * 2
            members = {"Process Group Name": "tp", "Process Group Ranks": f"[{first}, {first + 1}]"}
            everyone = {"Process Group Name": "all", "Process Group Ranks": "[0, 1, 2, 3, 4, 5]"}
            write(f"groups/rank{rank}.json", [{**reduce_call(100, 10 + rank, 1), "args": {"Collective name": "c", "Seq": 1, **members}},
                                              {**reduce_call(300, 30, 2), "args": {"Collective name": "c", "Seq": 2, **everyone}}],
                  rank, 6)
        waits = {row["group"]: (row["files"], row["last_rank"], row["wait_ns"]) for row in ask("stragglers", "groups")["waits"]}
        self.assertEqual(waits, {"tp [0,1]": (2, "rank 0", 1000), "tp [2,3]": (2, "rank 2", 1000),
                                 "tp [4,5]": (2, "rank 4", 1000), "all": (6, "rank 0", 0)})

    def test_ranks_of_groups_in_any_form(self):
        for rank in range(40):
            shown = list(range(32))[::-1] if rank == 5 else list(range(32))
            forms = {"order": shown, "cut": None, "all": None}
            texts = {"order": str(forms["order"]), "cut": "[" + ", ".join(map(str, range(8, 38))) + ", ...]",
                     "all": "[" + ", ".join(map(str, range(30))) + ", ...]"}
            sizes = {"order": 32, "cut": 32, "all": 40}
            events = [{**reduce_call(100 * at, 10 + rank, at),
                       "args": {"Collective name": name, "Seq": at, "Process Group Name": name, "Group size": sizes[name],
                                "Process Group Ranks": texts[name]}}
                      for at, name in enumerate(texts)
                      if name == "all" or (name == "order" and rank < 32) or (name == "cut" and rank >= 8)]
            if rank < 4:  # a list of numbers, and a kernel that does not say it
                events += [{**reduce_call(1000, 5, 9), "args": {"Collective name": "array", "Seq": 9, "Process Group Name": "array",
                                                              "Process Group Ranks": [0, 1, 2, 3]}},
                           {**reduce_call(2000, 5, 10), "args": {"Collective name": "array", "Seq": 10,
                                                               "Process Group Name": "array"}}]
            write(f"forms/rank{rank}.json", events, rank, 40)
        kinds = {row["group"]: row["files"] for row in ask("collectives", "forms")["collectives"]}
        self.assertEqual(kinds, {"order [0-31]": 32, "cut [8-37,...]": 32, "all": 40, "array [0-3]": 4})

    def test_two_ranks_are_clear_by_more_than_noise(self):
        for rank in range(2):
            write(f"two/rank{rank}.json", [reduce_call(100, 50 + rank * 0.1, 1), reduce_call(300, 50 + rank * 10, 2)], rank, 2)
        self.assertEqual([(row["last_count"], row["clearly_last_count"]) for row in ask("stragglers", "two")["stragglers"]],
                         [(2, 1)])

    def test_a_window_matches_no_calls_by_order(self):
        for rank in range(2):
            write(f"cuts/rank{rank}.json", [kernel("k", 0, 1)] + [reduce_call(100 + 900 * rank + 100 * at, 50) for at in range(9)],
                  rank, 2)
        self.assertEqual(ask("overview", "cuts")["overview"][0]["wait_ns"], 0)
        self.assertIn(ask("overview", "cuts", "--window", "300us..1200us")["overview"][0]["wait_ns"], (0, None))
        self.assertEqual(run("timeline", "cuts", "--window", "300us..1200us", "-o", "cuts.pb").returncode, 1)

    def test_who_is_clearly_the_last(self):
        lengths = {0: (100, 100), 1: (40, 60), 2: (39, 20)}
        for rank, (first, second) in lengths.items():
            write(f"clear/rank{rank}.json", [reduce_call(100, first, 1), reduce_call(300, second, 2)], rank, 3)
        tables = ask("stragglers", "clear")
        self.assertEqual([(row["rank"], row["last_count"], row["clearly_last_count"])
                          for row in tables["stragglers"]], [(2, 2, 1)])
        self.assertEqual({row["sequence"]: row["last_by_ns"] for row in tables["waits"]}, {1: 1000, 2: 40000})
        self.assertIn("in 1 of 2 collectives several ranks came last", run("stragglers", "clear").stderr)


class Names(unittest.TestCase):
    def hosts(self, folder, code=0):
        return {row.get("host"): row.get("rank") for row in ask("breakdown", folder, code=code)["devices"]}

    def test_rank_is_a_word(self):
        write("frank/frank2_7.170.pt.trace.json", [kernel("k", 0, 5)])
        write("frank/localRank5.json", [kernel("k", 0, 6)])
        self.assertEqual(self.hosts("frank", code=3), {"frank2": None, None: 5})

    def test_directories_are_ranks(self):
        for rank in range(3):
            write(f"dirs/rank_{rank}/trace.json", [reduce_call(0, 10 + rank)])
        self.assertEqual(sorted(row["rank"] for row in ask("breakdown", "dirs")["devices"]), [0, 1, 2])
        self.assertEqual(ask("stragglers", "dirs")["stragglers"][0]["rank"], 0)

    def test_a_file_has_the_word_before_a_directory(self):
        write("word/rank_4/trace.json", [kernel("k", 0, 5)], 3, 4)
        self.assertEqual(ask("breakdown", "word", code=3)["devices"][0]["rank"], 3)

    def test_a_step_is_no_process_of_a_host(self):
        write("host/node1_4711.170.pt.trace.json", [kernel("k", 0, 5)])
        write("host/worker_step_12.171.pt.trace.json", [kernel("k", 0, 6)])
        self.assertEqual(set(self.hosts("host")), {"node1", None})
        write("host/worker_step_12.171.pt.trace.json", [kernel("k", 0, 6)], host_name="node2")
        self.assertEqual(set(self.hosts("host")), {"node1", "node2"})

    def test_windows_of_a_process_are_runs(self):
        for window in range(2):
            for rank in range(2):
                write(f"windows/n_{100 + rank}.{1000 + 10 * window + rank}.pt.trace.json",
                      [kernel("k", 0, 3, process=100 + rank), reduce_call(1000 * window, 10 + rank + window)], rank, 2)
        tables = ask("stragglers", "windows")
        self.assertEqual(sorted((row["run"], row["rank"], row["caused_wait_ns"]) for row in tables["stragglers"]),
                         [("window 1", 0, 1000), ("window 2", 0, 1000)])

    def test_windows_of_ranks(self):
        for window in range(2):
            for rank in range(2):
                write(f"ranked/rank{rank}.{1000 + 10 * window + rank}.pt.trace.json", [reduce_call(1000 * window, 10 + rank)], rank, 2)
        self.assertEqual(sorted((row["run"], row["files"]) for row in ask("overview", "ranked")["overview"]),
                         [("window 1", 2), ("window 2", 2)])

    def test_a_window_that_a_process_lacks(self):
        for window in range(3):
            for rank in range(3):
                if (window, rank) != (0, 2):
                    write(f"holes/n_{100 + rank}.{1000 + 10 * window + rank}.pt.trace.json",
                          [kernel("k", 0, 3), reduce_call(1000 * window, 10 + rank + window)], rank, 3)
        problems = ask("health", "holes", code=3)["health"]
        self.assertEqual([(row["problem"], row["run"], row["rank"]) for row in problems], [("missing rank", "window 1", 2)])

    def test_captures_say_their_run_before_names_do(self):
        for folder, job in (("a", "j1"), ("b", "j2")):
            write(f"said/{folder}/rank0.json", [kernel("k", 0, 5 + len(folder + job))])
            subprocess.run([TACHO, "profile", "-q", "-o", f"said-{folder}/", "--", "sleep", "0.05"], check=True,
                           cwd=SCRATCH, env={**CLEAN_ENV, "RANK": "0", "WORLD_SIZE": "1", "TACHO_RUN_ID": job})
            os.makedirs(os.path.join(SCRATCH, "names2", folder))
            root = os.path.join(SCRATCH, f"said-{folder}")
            for at, _, names in os.walk(root):
                for name in names:
                    if name.endswith(".tacho"):
                        shutil.copy(os.path.join(at, name), os.path.join(SCRATCH, "names2", folder, "rank0.tacho"))
        self.assertEqual(sorted(row["run"] for row in ask("overview", "names2")["overview"]), ["j1", "j2"])
        self.assertEqual(sorted(row["run"] for row in ask("overview", "said")["overview"]), ["a", "b"])

    def test_windows_in_one_command_alone(self):
        write("one/n_100.1000.pt.trace.json", [kernel("k", 0, 3, process=100)], 0, 1)
        self.assertIsNone(ask("overview", "one")["overview"][0]["run"])

    def test_odd_names_make_parts_that_are_read(self):
        wide = "é" * 40000
        write("names/wide.json", [kernel(wide, 0, 5)])
        write("names/device.json", [{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "ü" * 700}},
                                    kernel("k", 0, 6)])
        os.rename(write("names/x.json", [kernel("k", 0, 7)]).encode(),
                  os.path.join(SCRATCH, "names").encode() + b"/\xff.json")
        self.assertEqual(run("map", "names", "-o", "names-parts").returncode, 0)
        for question in ("overview", "ops", "breakdown"):
            direct = run(question, "names", "--format", "csv")
            parted = run(question, "names-parts", "--format", "csv")
            self.assertEqual((direct.returncode, direct.stdout), (parted.returncode, parted.stdout))
        again = run("map", "names", "-o", "names-parts")
        self.assertIn("3 already up to date" if "up to date" in again.stderr else "3 there before", again.stderr)


    def test_timelines_of_several_runs_name_them(self):
        for run_id in ("r1", "r2"):
            write(f"several/run={run_id}/rank=0/trace.json", [kernel("k", 5, 5)], 0, 1,
                  baseTimeNanoseconds=1_700_000_000_000_000_000)
        self.assertEqual(run("timeline", "several", "-o", "several.json", "-q").returncode, 0)
        with open(os.path.join(SCRATCH, "several.json"), encoding="utf-8") as file:
            names = {event["args"]["name"] for event in json.load(file)["traceEvents"]
                     if event["name"] == "process_name"}
        self.assertEqual({name.split(":")[0] for name in names}, {"r1, rank 0", "r2, rank 0"})


class Counts(unittest.TestCase):
    def test_instants_are_no_spans(self):
        write("instants/a.json", [kernel("k", 0, 5), {"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 3}])
        self.assertEqual(ask("overview", "instants")["overview"][0]["spans"], 1)

    def test_differences_are_per_step(self):
        for name, count in (("short", 2), ("long", 4)):
            write(f"{name}/rank0.json", [event for at in range(count) for event in
                                         (step(at, 100 * at, 90), kernel("k", 100 * at, 10), kernel("l", 100 * at + 20, at))])
        done = run("diff", "short", "long", "--json", "--top", "0")
        rows = {row["operation"]: row for row in map(json.loads, done.stdout.splitlines()) if row["table"] == "diff"}
        self.assertEqual(list(rows), ["l"])
        self.assertEqual((rows["l"]["per"], rows["l"]["a_files"]), ("step", 1))
        self.assertEqual((rows["l"]["a_ns"], rows["l"]["b_ns"], rows["l"]["difference_ns"]), (500, 1500, 1000))
        self.assertIn("no operation differs", run("diff", "short", "short").stderr)
        write("long/rank1.json", [kernel("l", 0, 6)])  # no steps
        done = run("diff", "short", "long", "--json", "--top", "0")
        rows = {row["operation"]: row for row in map(json.loads, done.stdout.splitlines()) if row["table"] == "diff"}
        self.assertEqual((rows["l"]["per"], rows["l"]["a_ns"], rows["l"]["b_ns"]), ("step", 500, 3000))
        self.assertIn("1 file has no steps", done.stderr)

    def test_tables_say_what_they_leave_out(self):
        for rank in range(5):
            write(f"many/rank{rank}.json", [step(at, 100 * at, 90) for at in range(4)] +
                  [reduce_call(100 * at, 10 + rank) for at in range(4)], rank, 5)
        self.assertIn("2 more steps; --top 0 shows all", run("steps", "many", "-n", "2").stderr)
        self.assertIn("3 more ranks; --top 0 shows all", run("steps", "many", "-n", "2").stderr)
        self.assertIn("2 more collectives; --top 0 shows all", run("stragglers", "many", "-n", "2").stderr)
        self.assertIn("3 more devices; --top 0 shows all", run("breakdown", "many", "-n", "2").stderr)


class Links(unittest.TestCase):
    def test_what_is_not_followed_is_named(self):
        inside = write("links/a.json", [kernel("k", 0, 5)])
        outside = write("elsewhere/b.json", [kernel("k", 0, 6)])
        os.symlink(outside, os.path.join(SCRATCH, "links/out.json"))
        os.symlink(os.path.dirname(outside), os.path.join(SCRATCH, "links/folder"))
        os.symlink("nowhere", os.path.join(SCRATCH, "links/nowhere.json"))
        os.symlink(os.path.basename(inside), os.path.join(SCRATCH, "links/same.json"))
        problems = {os.path.basename(row["path"]): row["problem"]
                    for row in ask("health", "links", "links", code=3)["health"]}
        self.assertEqual(problems, {"out.json": "not read", "folder": "not read", "nowhere.json": "not read",
                                    "same.json": "copy"})

    def test_what_lies_too_deep_is_named(self):
        write("deep/a.json", [kernel("k", 0, 5)])
        write("deep/" + "d/" * 18 + "b.json", [kernel("k", 0, 6)])
        self.assertEqual([row["problem"] for row in ask("health", "deep", code=3)["health"]], ["not read"])
        self.assertEqual(ask("overview", "deep", code=3)["overview"][0]["files"], 1)

    @unittest.skipIf(os.geteuid() == 0 and shutil.which("setpriv") is None, "setpriv is not installed")
    def test_a_directory_that_cannot_be_read_spoils_nothing(self):
        write("closed/a.json", [kernel("k", 0, 5)])
        closed = os.path.join(SCRATCH, "closed/inner")
        os.makedirs(closed)
        os.chmod(closed, 0)
        os.chmod(SCRATCH, 0o755)
        ahead = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        program = os.path.join(SCRATCH, "tacho") # where it is built others may not look
        shutil.copy(TACHO, program)
        done = subprocess.run([*ahead, program, "fleet", "health", "closed", "--json"], capture_output=True, text=True,
                              check=False, cwd=SCRATCH, env=CLEAN_ENV)
        os.chmod(closed, 0o755)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("Permission denied", json.loads(done.stdout.splitlines()[0])["detail"])


class Copies(unittest.TestCase):
    def check(self, name, one, other):
        """Whichever of two files is the larger, and so read first, the answer is the same."""
        answers = set()
        for padded in range(2):
            folder = os.path.join(SCRATCH, f"{name}{padded}")
            os.makedirs(folder)
            for at, text in enumerate((one, other)):
                with open(os.path.join(folder, f"{'ab'[at]}.json"), "w", encoding="utf-8") as file:
                    file.write(" " * (2000 if at == padded else 0) + text)
            write(f"{name}{padded}/c.json", [reduce_call(100 * at, 99) for at in range(4)], 1, 2)
            answers.add(run("collectives", f"{name}{padded}", "--format", "csv").stdout)
        self.assertEqual(len(answers), 1)

    def test_what_sums_depend_on_is_no_copy(self):
        with open(write("copies/a.json", [reduce_call(100 * at, 10) for at in range(4)], 0, 2), encoding="utf-8") as file:
            whole = file.read()
        self.check("cutcopy", whole, whole[:-2])
        members = [{**event, "args": {**event["args"], "Process Group Ranks": "[0, 1]"}}
                   for event in (reduce_call(100 * at, 10) for at in range(4))]
        texts = []
        for size in (2, 4):
            with open(write(f"copies/size{size}.json", members, 0, size), encoding="utf-8") as file:
                texts.append(file.read())
        self.check("sizecopy", *texts)
        self.check("memberscopy", texts[0], whole)


class Again(unittest.TestCase):
    def test_parts_of_what_cannot_be_read_are_made_again(self):
        path = write("again/a.json", [kernel("k", 0, 5)])
        with open(path, encoding="utf-8") as file:
            sound = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write("x" * len(sound))
        facts = os.stat(path)
        for _ in range(2):
            self.assertEqual(run("map", "again", "-o", "again-parts").returncode, 3)
        with open(path, "w", encoding="utf-8") as file:
            file.write(sound)
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # as if only a permission had changed
        self.assertEqual(run("map", "again", "-o", "again-parts").returncode, 0)
        self.assertEqual(ask("overview", "again-parts")["overview"][0]["spans"], 1)

    def test_a_path_has_one_part_however_it_is_spelt(self):
        write("spelt/a.json", [kernel("k", 0, 5)])
        for word in ("spelt", "./spelt", os.path.join(SCRATCH, "spelt")):
            self.assertEqual(run("map", word, "-o", "spelt-parts").returncode, 0)
        self.assertEqual(len(os.listdir(os.path.join(SCRATCH, "spelt-parts"))), 1)

    def test_datasets_with_few_descriptors(self):
        for rank in range(40):
            write(f"few/rank{rank}.json", [kernel(f"k{at % 50}", 10 * at, 5) for at in range(3000)], rank, 40)
        done = subprocess.run(["sh", "-c", 'ulimit -n 96; exec "$0" convert few -o few-set/ -j 40 -q', TACHO],
                              capture_output=True, text=True, check=False, cwd=SCRATCH, env=CLEAN_ENV)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Harm(unittest.TestCase):
    def test_a_compressed_part_is_read_no_further_than_it_makes_sense(self):
        write("harm/a.json", [kernel("k", 0, 5)])
        self.assertEqual(run("map", "harm", "-o", "harm-parts").returncode, 0)
        part = os.path.join(SCRATCH, "harm-parts", os.listdir(os.path.join(SCRATCH, "harm-parts"))[0])
        with open(part, "rb") as file:
            head = file.read(200)
        bomb = os.path.join(SCRATCH, "bomb.tpart.gz")
        with open(bomb, "wb") as file:
            packer = subprocess.Popen(["gzip", "-1"], stdin=subprocess.PIPE, stdout=file)
            packer.stdin.write(head)
            for _ in range(512):
                packer.stdin.write(bytes(1 << 20))
            packer.stdin.close()
            self.assertEqual(packer.wait(), 0)
        with subprocess.Popen([TACHO, "fleet", "ops", bomb], stderr=subprocess.PIPE, text=True, env=CLEAN_ENV) as child:
            said = child.stderr.read()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 1)
        self.assertIn("cut off or damaged", said)
        self.assertLess(used.ru_maxrss, 400_000)
        with open(part, "rb") as file:
            packed = subprocess.run(["gzip", "-c"], input=file.read(), capture_output=True, check=True).stdout
        with open(os.path.join(SCRATCH, "sound.tpart.gz"), "wb") as file:
            file.write(packed)
        self.assertEqual(run("ops", "sound.tpart.gz", "--format", "csv").stdout,
                         run("ops", "harm", "--format", "csv").stdout)


if __name__ == "__main__":
    try:
        skips.main([sys.argv[0]], verbosity=1)
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The conventions of the command line, walked over the tables of every command and drop-in.

    check_conventions.py BIN_DIR SOURCE_DIR

The tables are read from the completions that the program prints from them.
"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest

BIN, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TACHO = f"{BIN}/tacho"
DATA = f"{SOURCE}/tests/data"
WIDTH = 80
ESCAPE = "\x1b"

NOT_A_TABLE = "writes no table"
NOT_EVENTS = "reads no profile, so there is no time to choose from"
HALVES = "a job is two rows of a run, and half of one has no time; select from the trace it writes"
INFERENCES = "sums of a part of an inference would be wrong; 'convert --program' selects from stats"
TALKS_ONLY = "prints help"
RECORDS = "records; other commands select from the capture"
WHOLE = "saves profiles whole; 'diff' selects from both sides"
TO_PEOPLE = "standard output is the program's; -o OUT has the suffix of the format"
# Where an option of all commands cannot mean anything, and why. What is not here must have it.
EXEMPT = {
    "--json": {"convert": NOT_A_TABLE, "report": NOT_A_TABLE, "profile": TO_PEOPLE,
               "help": TALKS_ONLY},
    "--csv": {"convert": NOT_A_TABLE, "report": NOT_A_TABLE, "profile": TO_PEOPLE,
              "help": TALKS_ONLY},
    "--format": {"convert": "has --to", "report": NOT_A_TABLE, "profile": TO_PEOPLE,
                 "help": TALKS_ONLY},
    "--color": {"help": TALKS_ONLY},
    "--quiet": {"help": TALKS_ONLY},
    "--verbose": {"help": TALKS_ONLY},
    "--window": {"annotate": HALVES, "baseline": WHOLE, "compile": NOT_EVENTS, "run": NOT_EVENTS,
                 "machine": NOT_EVENTS, "opstats": INFERENCES, "profile": RECORDS,
                 "help": TALKS_ONLY},
    "--filter": {"annotate": HALVES, "baseline": WHOLE, "machine": "lists machines", "opstats": INFERENCES,
                 "profile": RECORDS, "help": TALKS_ONLY},
    "--help": {},
}
# Letters that mean one thing everywhere, as far as a command has them.
LETTERS = {"-q": "--quiet", "-v": "--verbose", "-h": "--help", "-m": "--machine"}


def run(*words, env=None, cwd=None):
    return subprocess.run([TACHO, *words], capture_output=True, text=True, cwd=cwd, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})})


def read_tables():
    """Command -> its options, as the completions of bash have them."""
    script = run("help", "--completion", "bash").stdout
    body = script[script.index("_tacho_options()"):script.index("_tacho_value()")]
    return {name: words.split() for name, words in re.findall(r'^    (\S+)\) words="(.*)" ;;$', body,
                                                              re.M)}


TABLES = read_tables()
COMMANDS = re.findall(r"^  ([a-z]+) ", run("help").stdout, re.M)
DROPINS = [name for name in TABLES if name not in COMMANDS]


class Tables(unittest.TestCase):
    def test_tables_are_found(self):
        self.assertGreaterEqual(len(COMMANDS), 11)
        self.assertEqual(len(DROPINS), 10)
        self.assertTrue(all(name in TABLES for name in COMMANDS))

    def test_every_command_has_every_option_that_can_mean_something(self):
        for option, exempt in EXEMPT.items():
            for command in COMMANDS:
                with self.subTest(command=command, option=option):
                    self.assertEqual(option in TABLES[command], command not in exempt)

    def test_letters_mean_the_same(self):
        for command in COMMANDS:
            for letter, name in LETTERS.items():
                with self.subTest(command=command, letter=letter):
                    words = TABLES[command]
                    if letter in words:
                        self.assertEqual(words[words.index(letter) - 1], name)

    def test_mistyped_options_get_a_suggestion(self):
        for command in COMMANDS:
            for option in TABLES[command]:
                mistyped = option[:4] + option[5:] if len(option) > 6 else None
                if mistyped is None or mistyped in TABLES[command]:
                    continue
                with self.subTest(command=command, option=mistyped):
                    done = run(command, mistyped)
                    self.assertEqual(done.returncode, 2)
                    self.assertRegex(done.stderr, f"unknown option '{mistyped}'; did you mean --")


    def test_mistyped_words_before_a_command_get_a_suggestion(self):
        for words, meant in ((("--vrsion",), "--version"), (("--hlep",), "--help"),
                             (("rpeort",), "'report'"), (("help", "rpeort"), "'report'"),
                             (("help", "fromats"), "'formats'")):
            done = run(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"'{words[-1]}'; did you mean {meant}?", done.stderr)


class Help(unittest.TestCase):
    def test_help_fits_the_terminal(self):
        for topic in [None, "formats", *COMMANDS, *DROPINS]:
            done = run("help", *([topic] if topic else []))
            self.assertEqual(done.returncode, 0, topic)
            for line in done.stdout.split("\n"):
                with self.subTest(topic=topic, line=line):
                    self.assertLessEqual(len(line), WIDTH)

    def test_bare_call_and_forms_of_help(self):
        overview = run("help").stdout
        for words in ((), ("--help",), ("-h",)):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, overview, ""))
        for command in COMMANDS:
            self.assertEqual(run(command, "--help").stdout, run("help", command).stdout)

    def test_completions_know_actions(self):
        for shell in ("bash", "zsh", "fish"):
            script = run("help", "--completion", shell).stdout
            for actions in ("list show export check calibrate", "save accept list"):
                self.assertIn(actions, script, shell)

    def test_completions_know_every_option(self):
        for shell, form in (("zsh", "{}"), ("fish", "-l {} ")):
            script = run("help", "--completion", shell).stdout
            for command in COMMANDS:
                for option in TABLES[command]:
                    if option.startswith("--"):
                        word = option if shell == "zsh" else form.format(option[2:])
                        self.assertIn(word, script, (shell, command))
        self.assertEqual(run("help", "--completion", "tcsh").returncode, 2)


class Behaviour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tacho-conventions.")
        cls.at = cls.folder.name
        os.mkdir(f"{cls.at}/results")
        for name in ("t4.csv", "t2.csv"):
            os.symlink(f"{DATA}/torq/{name}", f"{cls.at}/{name}")
            with open(f"{DATA}/torq/{name}", "rb") as source:
                with open(f"{cls.at}/results/{name}", "wb") as target:
                    target.write(source.read())
        os.symlink(f"{DATA}/models/tosa_elements.mlir", f"{cls.at}/model.mlir")
        for words in (("compile", "model.mlir", "-o", "program.bin", "--stats-level", "70", "-q"),
                      ("run", "program.bin", "--stats-dir", "stats", "-q"),
                      ("baseline", "save", "main", "results", "-q")):
            done = run(*words, cwd=cls.at)
            assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def tacho(self, *words, **more):
        return run(*words, cwd=self.at, **more)

    # Commands that print tables, with arguments that work.
    TABLE_CALLS = {
        "info": ("t4.csv",),
        "overview": ("t4.csv",),
        "breakdown": ("t4.csv",),
        "ops": ("t4.csv",),
        "fleet": ("ops", "t4.csv"),
        "roofline": ("model.mlir",),
        "annotate": (f"{DATA}/annotate/clean.9.executable-targets.mlir",
                     f"{DATA}/annotate/clean_r2i.csv"),
        "compile": ("model.mlir",),
        "run": ("program.bin",),
        "machine": ("list",),
        "opstats": ("program.bin", "stats", "--rollup", "op"),
        "query": ("t4.csv", "SELECT operation, count FROM ops"),
        "diff": ("t2.csv", "t4.csv"),
        "baseline": ("list",),
    }

    def test_every_command_with_tables_is_tried(self):
        """A new command gets a row in TABLE_CALLS."""
        with_tables = {command for command in COMMANDS if command not in EXEMPT["--json"]}
        self.assertEqual(with_tables, set(self.TABLE_CALLS))

    def calls(self):
        for command, words in self.TABLE_CALLS.items():
            if all(os.path.exists(word) or not word.startswith("/") for word in words):
                yield command, words

    def test_short_forms_of_formats(self):
        for command, words in self.calls():
            for form in ("json", "csv"):
                with self.subTest(command=command, form=form):
                    short = self.tacho(command, *words, f"--{form}")
                    long = self.tacho(command, *words, "--format", form)
                    self.assertEqual(short.returncode, 0, short.stderr)
                    self.assertEqual(mask(short.stdout), mask(long.stdout))
                    self.assertTrue(short.stdout)
            self.assertEqual(self.tacho(command, *words, "--json", "--csv").returncode, 2)
            self.assertEqual(self.tacho(command, *words, "--json", "--format", "text").returncode, 2)

    def test_json_has_a_schema_version(self):
        for command, words in self.calls():
            with self.subTest(command=command):
                rows = [json.loads(line) for line in
                        self.tacho(command, *words, "--json").stdout.splitlines()]
                self.assertTrue(rows)
                self.assertEqual({row["schema_version"] for row in rows}, {1})
                self.assertTrue(all("table" in row for row in rows))

    def test_quiet_and_verbose(self):
        calls = [*self.calls(), ("convert", ("t4.csv", "-o", "q.pb")),
                 ("report", ("t4.csv", "-o", "q.html"))]
        for command, words in calls:
            with self.subTest(command=command):
                quiet = self.tacho(command, *words, "-q")
                self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))
                loud = self.tacho(command, *words, "-v")
                self.assertEqual(loud.returncode, 0)
                self.assertRegex(loud.stderr, r"tacho: note: [0-9.]+ ms elapsed, \d+ KiB peak memory")
                self.assertEqual(self.tacho(command, *words, "-q", "-v").returncode, 2)
        for command in ("info", "overview", "breakdown", "ops", "convert", "report"):
            name = f"{command}.{'html' if command == 'report' else 'csv'}"
            loud = self.tacho(command, "t4.csv", "-v", "-o", name)
            self.assertIn("tacho: read: t4.csv: torq-timeline T4, 7 events", loud.stderr)

    def test_color(self):
        for command, words in self.calls():
            with self.subTest(command=command):
                always = self.tacho(command, *words, "--color=always").stdout
                self.assertIn(ESCAPE + "[1m", always)
                plain = re.sub(ESCAPE + r"\[\d+m", "", always)
                for more in ((), ("--color", "never"), ("--color=auto",)):
                    self.assertEqual(mask(self.tacho(command, *words, *more).stdout), mask(plain))
                self.assertNotIn(ESCAPE,
                                 self.tacho(command, *words, "--color=always", "--json").stdout)
                self.assertEqual(self.tacho(command, *words, "--color=blue").returncode, 2)
        failed = self.tacho("ops", "missing.csv", "--color=always")
        self.assertIn(f"tacho: {ESCAPE}[31merror:{ESCAPE}[0m", failed.stderr)

    def test_color_on_terminals(self):
        for env, is_colored in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True),
                                ({"TERM": "dumb"}, False), ({"TACHO_COLOR": "never"}, False)):
            with self.subTest(env=env):
                env = {"TERM": "xterm", **env}
                self.assertEqual(ESCAPE + "[1m" in self.on_terminal(env), is_colored)

    def on_terminal(self, env):
        ours, theirs = pty.openpty()
        kept = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        child = subprocess.Popen([TACHO, "ops", "t4.csv"], stdout=theirs, stdin=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, cwd=self.at, env={**kept, **env})
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 65536):
                text += piece
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(child.wait(), 0)
        return text.decode()

    def test_more_rows_are_named_below_the_table(self):
        for command, words in (("ops", ("t4.csv",)), ("compile", ("model.mlir",))):
            done = subprocess.run([TACHO, command, *words, "--top", "2"], cwd=self.at, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
            self.assertRegex(done.stdout.splitlines()[-1], r"^tacho: note: \d+ more \w+; --top 0")

    def test_a_directory_is_the_files_in_it(self):
        for command in ("info", "overview", "breakdown", "ops"):
            folder = self.tacho(command, "results", "--json")
            files = self.tacho(command, "results/t2.csv", "results/t4.csv", "--json")
            self.assertEqual((folder.returncode, folder.stdout), (0, files.stdout))
        for command, suffix in (("convert", "pb"), ("report", "html")):
            for name, words in (("a", ("results",)), ("b", ("results/t2.csv", "results/t4.csv"))):
                done = self.tacho(command, *words, "-o", f"{name}.{suffix}", "-q")
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(f"{self.at}/a.{suffix}", "rb") as a, open(f"{self.at}/b.{suffix}", "rb") as b:
                self.assertEqual(a.read(), b.read())

    def test_selections_agree(self):
        """What convert keeps is what the other commands count."""
        for words in (("--window", "..20us"), ("--filter", "DMA"), ("--filter", "/^DMA In$/"),
                      ("--window", "20us..", "--filter", "DMA")):
            with self.subTest(words=words):
                self.assertEqual(self.tacho("convert", "t4.csv", "-q", "-o", "s.jsonl",
                                            *words).returncode, 0)
                with open(f"{self.at}/s.jsonl", encoding="utf-8") as lines:
                    count = sum(json.loads(line)["kind"] == "span" for line in lines)
                self.assertGreater(count, 0)
                ops = self.rows("ops", "t4.csv", "--top", "0", *words)
                self.assertEqual(sum(row["count"] for row in ops), count)
                tracks = [row for row in self.rows("info", "t4.csv", *words)
                          if row["table"] == "tracks"]
                self.assertEqual(sum(row["events"] for row in tracks), count)

    def test_operators_are_filtered_alike(self):
        """As text or expression; --top counts what is left."""
        for command, table, key in (("compile", "operators", "name"), ("run", "ops", "operation")):
            def names(*words):
                return [row[key] for row in self.rows(command, "model.mlir", *words)
                        if row["table"] == table]
            every = names("--top", "0")
            self.assertGreater(len(set(every)), 1)
            wanted = every[0]
            for text in (wanted, f"/^{re.escape(wanted)}$/"):
                with self.subTest(command=command, text=text):
                    left = names("--top", "0", "--filter", text)
                    self.assertEqual(left.count(wanted), every.count(wanted))
                    self.assertLess(len(left), len(every))
                    self.assertEqual(names("--top", "1", "--filter", text), left[:1])
            self.assertEqual(self.tacho(command, "model.mlir", "--filter", "/(/").returncode, 2)

    def rows(self, *words):
        return [json.loads(line) for line in self.tacho(*words, "--json").stdout.splitlines()]

    def test_names_of_other_formats_are_refused(self):
        for name in ("x.cpuprofile.json", "x.cpuprofile.json.gz", "x.otlp.jsonl", "x.prof", "x"):
            done = self.tacho("convert", "t4.csv", "-o", name)
            self.assertEqual(done.returncode, 2, name)
            self.assertFalse(os.path.exists(f"{self.at}/{name}"))
        for name in ("x.v2.json", "x.pt.trace.json"):
            self.assertEqual(self.tacho("convert", "t4.csv", "-q", "-o", name).returncode, 0)


def mask(text):
    """Without what differs from run to run: the wall time of this computer."""
    return "\n".join(line for line in text.splitlines()
                     if "wall" not in line.lower() and not line.startswith("run,"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

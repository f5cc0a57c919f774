#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command does to files, standard streams and terminals when things go wrong.

    check_files.py BIN_DIR DROPIN_DIR SOURCE_DIR

Nothing is lost without a message and an exit status, files of others stay as they are, and a
terminal is sent nothing that acts on it.
"""
import base64
import json
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skips  # pylint: disable=wrong-import-position

BIN, DROPIN, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
DATA = SOURCE / "tests" / "data"
TACHO = BIN / "tacho"
HOSTILE = DATA / "hostile" / "names_t2.csv"


def run(*words, **options):
    return subprocess.run([str(word) for word in (TACHO, *words)], capture_output=True, check=False,
                          timeout=300, **options)


def shell(command, **options):
    return subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=300,
                          env={**os.environ, "TACHO": str(TACHO), "DATA": str(DATA)}, **options)


def page_contents(path):
    """What a report has of its profiles, and of files that it skipped."""
    blobs = re.findall(r'data-tacho="\w+">([^<]*)<', pathlib.Path(path).read_text())
    return b"\n".join(zlib.decompress(base64.b64decode(blob), wbits=47) for blob in blobs)


class Folder(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        self.temp = tempfile.TemporaryDirectory(prefix="tacho-files.")
        self.addCleanup(self.temp.cleanup)
        self.folder = pathlib.Path(self.temp.name)
        old = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, old)
        self.addCleanup(self.judge_traces)

    def judge_traces(self):
        """What traces a test leaves are such as viewers read."""
        done = subprocess.run([sys.executable, "-B", SOURCE / "tests" / "judge" / "judge_all.py", self.folder],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_fails(self, done, *parts, code=1):
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, text)
        for part in parts:
            self.assertIn(part, text)


class StandardStreams(Folder):
    """A stream that cannot be used is a failure where it is needed, and else none of our business."""

    COMMANDS = ("help", "--version", "info $DATA/torq/t1.csv", "overview $DATA/torq/t1.csv",
                "ops $DATA/torq/t1.csv --format csv", "convert $DATA/torq/t1.csv -o -", "machine list",
                "machine show aic100", "compile $DATA/run/pair.mlir")

    def test_closed_output(self):
        for command in self.COMMANDS:
            with self.subTest(command):
                self.assert_fails(shell(f"$TACHO {command} >&-"), "standard output: cannot write",
                                  "Bad file descriptor")

    def test_full_output(self):
        for command in self.COMMANDS:
            with self.subTest(command):
                self.assert_fails(shell(f"$TACHO {command} >/dev/full"),
                                  "standard output: cannot write", "No space left on device")

    def test_closed_output_not_needed(self):
        done = shell("$TACHO convert $DATA/torq/t1.csv -o o.pb >&-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(pathlib.Path("o.pb").stat().st_size > 0)

    def test_closed_input(self):
        self.assert_fails(shell("$TACHO convert - -o o.pb <&-"), "standard input: cannot read")

    def test_closed_error(self):
        done = shell("$TACHO convert $DATA/torq/t1.csv -o o.pb 2>&-")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(pathlib.Path("o.pb").stat().st_size > 0)


class Terminal(Folder):
    """A terminal sees no control characters, whatever the format; files keep what formats ask."""

    ACTING = {*range(0x20), *range(0x7f, 0xa0), 0x061c, *range(0x200e, 0x2010), *range(0x202a, 0x202f),
              *range(0x2066, 0x206a)} - {ord("\n"), ord("\t")}

    def on_terminal(self, *words, program=TACHO, color="never"):
        """What a terminal gets from the standard output and error of a command; without our own
        colours, so that every control character is one of the input's."""
        try:
            master, slave = pty.openpty()
        except OSError as error:  # such as in a container without /dev/pts
            self.skipTest(f"no terminal can be opened here: {error}")
        with subprocess.Popen([str(word) for word in (program, *words)], stdin=subprocess.DEVNULL,
                              stdout=slave, stderr=slave,
                              env={**os.environ, "TACHO_COLOR": color}) as process:
            os.close(slave)
            seen = b""
            while select.select([master], [], [], 30)[0]:
                try:
                    more = os.read(master, 65536)
                except OSError:  # the other side is closed
                    break
                seen += more
            process.wait()
        os.close(master)
        return seen.replace(b"\r\n", b"\n")  # which the terminal's driver makes

    def assert_harmless(self, seen):
        self.assertTrue(seen)
        text = seen.decode()  # raises where it is no UTF-8
        self.assertEqual(sorted({hex(ord(c)) for c in text if ord(c) in self.ACTING}), [])

    def test_formats(self):
        name = "a\x1b[31m\x07\x08b\x7fc\u009b2Jd\u202ee\u2066f"
        pathlib.Path("j.json").write_text(
            '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":' + ascii_json(name) + '}]}')
        for words in (("ops", "j.json"), ("ops", "j.json", "--format", "csv"),
                      ("ops", "j.json", "--format", "json"), ("info", "j.json"),
                      ("info", "j.json", "--format", "json"), ("convert", "j.json", "-o", "/dev/tty"),
                      ("convert", "j.json", "-o", "-", "--to", "spans_csv"),
                      ("overview", "j.json", "--format", "csv"), ("ops", HOSTILE, "--format", "csv")):
            with self.subTest(" ".join(str(word) for word in words)):
                self.assert_harmless(self.on_terminal(*words))

    def test_colors_let_nothing_through(self):
        """With colours on, a hostile name adds no escape to those that are ours."""
        counts = set()
        for name in ("abc", "a\x1b[31m\x07b\x1b[1m"):
            pathlib.Path("j.json").write_text(
                '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":' + ascii_json(name) + '}]}')
            seen = self.on_terminal("ops", "j.json", color="always")
            counts.add((seen.count(b"\x1b"), seen.count(b"\x07")))
        self.assertEqual(len(counts), 1)
        self.assertGreater(counts.pop()[0], 0)

    def test_json_stays_json(self):
        """What is escaped for a terminal is read back as the name that it was."""
        name = "a\x1b[31m\x7f\u0085\u009b2Jd\u202ee\u2066f\u2028"
        pathlib.Path("j.json").write_text(
            '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":' + ascii_json(name) + '}]}')
        seen = self.on_terminal("ops", "j.json", "--format", "json", "-q")
        rows = [json.loads(line) for line in seen.decode().splitlines()]
        self.assertEqual(rows[0]["operation"], name)

    def test_messages(self):
        """File names in messages."""
        evil = "x\x1b]0;t\x07\u202e.csv"
        pathlib.Path(evil).write_text("nothing\n")
        for words in (("info", evil), ("convert", evil, "-o", "o.pb"), ("run", evil), ("compile", evil),
                      ("machine", "check", evil), ("opstats", "-p", evil, "-i", evil), (evil,),
                      ("info", "--" + evil)):
            with self.subTest(" ".join(words)):
                self.assert_harmless(self.on_terminal(*words))

    def test_dropins(self):
        """File names in what the drop-ins print: inputs, and results that were written."""
        evil = "x\x1b[31m\u202e"
        for name, source in ((f"{evil}.csv", "torq/t1.csv"), (f"{evil}.mlir", "run/pair.mlir"),
                             (f"r{evil}.csv", "annotate/clean_r2i.csv"),
                             (f"d{evil}.mlir", "annotate/clean.9.executable-targets.mlir")):
            pathlib.Path(name).write_bytes((DATA / source).read_bytes())
        for words in (("perfetto_logger.py", f"{evil}.csv", "--pb", f"{evil}.pb"),
                      ("annotate_profiling.py", f"d{evil}.mlir", f"r{evil}.csv", f"o{evil}.csv",
                       "--perfetto_file", f"o{evil}.pb"),
                      ("torq-compile", f"{evil}.mlir", "-o", f"{evil}.vmfb"),
                      ("torq-run-module", f"--module={evil}.vmfb", f"--torq_profile=p{evil}.csv"),
                      ("iree-run-module", f"--module={evil}.vmfb", f"--output=@{evil}.npy"),
                      ("qaic-compile", f"-model={evil}.mlir", f"-aic-binary-dir=b{evil}"),
                      ("qaic-runner", f"--test-data=b{evil}", "--aic-profiling-type=stats",
                       f"--aic-profiling-out-dir=b{evil}", "--num-iter=2"),
                      ("qaic-opstats", "--qpc", f"b{evil}/programqpc.bin", "--input-dir", f"b{evil}",
                       "--output-dir", f"s{evil}", "--summary")):
            with self.subTest(words[0]):
                self.assert_harmless(self.on_terminal(*words[1:], program=DROPIN / words[0]))

    def test_file_keeps_bytes(self):
        pathlib.Path("j.json").write_text('{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,'
                                          '"name":"a\\u007fb"}]}')
        done = run("ops", "j.json", "--format", "csv")
        self.assertIn(b"a\x7fb", done.stdout)


class SilentLoss(Folder):
    """What could not be read or written is said; exit 0 means that all of it is there."""

    DEBUG = DATA / "annotate" / "clean.9.executable-targets.mlir"
    RUNTIME = DATA / "annotate" / "clean_r2i.csv"

    def test_workbook_without_room(self):
        """Temporary files that cannot grow: at any limit the workbook is whole or not there."""
        rows = "".join(f'{{"ph":"X","pid":1,"tid":1,"ts":{i},"dur":1,"name":"op{i * 7919 % 99991}"}},'
                       for i in range(6000))
        pathlib.Path("j.json").write_text('{"traceEvents":[' + rows[:-1] + "]}")
        self.assertEqual(run("ops", "j.json", "--top", "0", "-o", "whole.xlsx").returncode, 0)
        whole = pathlib.Path("whole.xlsx").read_bytes()
        for blocks in (1, 8, 64, len(whole) // 1024 - 8, len(whole) // 1024 + 64):
            done = shell(f"ulimit -f {blocks}; $TACHO ops j.json --top 0 -o o.xlsx")
            with self.subTest(blocks):
                if done.returncode == 0:
                    self.assertEqual(pathlib.Path("o.xlsx").read_bytes(), whole)
                    os.unlink("o.xlsx")
                else:
                    self.assert_fails(done, "cannot write")
                    self.assertFalse(os.path.exists("o.xlsx"))
        self.assertEqual(done.returncode, 0)

    def test_source_that_cannot_be_opened(self):
        """The same for everybody: a link that leads to itself."""
        os.symlink("clean_model.mlir", "clean_model.mlir")
        done = run("annotate", self.DEBUG, self.RUNTIME, "--source-dir", ".", "-o", "o.csv")
        self.assertIn(b"cannot open the source file: Too many levels of symbolic links", done.stderr)
        self.assertNotIn(b"./clean_model.mlir: no such source file", done.stderr)

    def test_unreadable_source(self):
        """A source file that may not be opened is not called missing."""
        if os.geteuid() == 0:
            self.skipTest("left to users who are not root")
        pathlib.Path("clean_model.mlir").touch(mode=0)
        done = run("annotate", self.DEBUG, self.RUNTIME, "--source-dir", ".", "-o", "o.csv")
        self.assertIn(b"cannot open the source file: Permission denied", done.stderr)
        self.assertNotIn(b"./clean_model.mlir: no such source file", done.stderr)


class OutOfMemory(Folder):
    """Limits of memory in tacho run: a message and exit 1, or it runs; never a signal."""

    def test_limits(self):
        if shell("ulimit -v 4096000; $TACHO --version").returncode != 0:
            self.skipTest("left to other builds: this one takes more address space than the limits (a sanitizer's)")
        subprocess.run([sys.executable, str(SOURCE / "tools" / "make_models.py"), "gemm", "--m", "64",
                        "--k", "64", "--n", "64", "-o", "g.onnx"], check=True)
        codes = set()
        for megabytes in (16, 24, 40, 80, 120, 200, 280, 300, 320, 360, 500, 4000):
            done = shell(f"ulimit -v {megabytes * 1024}; $TACHO run g.onnx --device cpu")
            with self.subTest(megabytes):
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if done.returncode == 1:
                    self.assertIn("memory", done.stderr.decode().lower())
            codes.add(done.returncode)
        self.assertEqual(codes, {0, 1})


class Endless(Folder):
    """A device or a pipe without an end is read until it is known to be of no use."""

    def test_models_and_programs(self):
        for words, problem in ((("compile", "/dev/zero"), "/dev/zero: not a model"),
                               (("run", "/dev/zero"), "/dev/zero: not a model"),
                               (("run", DATA / "run" / "pair.mlir", "--input=@/dev/zero"),
                                "/dev/zero: 1048576 bytes, but the elements take"),
                               (("run", DATA / "run" / "pair.mlir", "--input=2x3xf32=@/dev/zero"),
                                "/dev/zero: 1048576 bytes, but the elements take 24")):
            with self.subTest(" ".join(str(word) for word in words)):
                self.assert_fails(run(*words), problem)
        self.assert_fails(shell("yes | $TACHO compile -"), "not a model")

    def test_traces(self):
        """Of a format that the user names, too."""
        for command, problem in (
                ("convert --from perfetto /dev/zero", "/dev/zero: no track event in "),
                ("info --from perfetto /dev/zero", "/dev/zero: no track event in "),
                ("convert --from stats /dev/zero", "byte 0: not a stats buffer that tacho has written"),
                ("convert --from tacho /dev/zero", "byte 0: the file signature is missing"),
                ("convert --from torq-timeline /dev/zero", "longer than 16 MiB"),
                ("convert --from torq-runtime -", "standard input: nothing can be read in its first 64 MiB"),
                ("convert --from perfetto -", "standard input: nothing can be read in its first 64 MiB"),
                ("convert --from chrome <(yes '')", "nothing can be read in its first 64 MiB")):
            output = "" if command.startswith("info") else "-o o.pb"
            with self.subTest(command):
                self.assert_fails(shell(f"yes | $TACHO {command} {output}"), problem)
                self.assertFalse(os.path.exists("o.pb"))

    def test_end_of_traces(self):
        """What came before the bytes without an end is kept, and the rest is said to be damaged."""
        for suffix in ("pb", "tacho"):
            with self.subTest(suffix):
                self.assertEqual(run("convert", DATA / "torq" / "t1.csv", "-o", f"t.{suffix}").returncode, 0)
                whole = run("ops", f"t.{suffix}", "--format", "csv")
                done = shell(f"cat t.{suffix} /dev/zero | $TACHO ops - --format csv")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(done.stdout.replace(b"standard input", f"t.{suffix}".encode()), whole.stdout)

    def test_long_pipe(self):
        """A pipe may be long, also where all of it is read before anything is made of it."""
        head, *rows = (DATA / "tenstorrent" / "ops_v21.csv").read_bytes().splitlines(keepends=True)
        with open("long.csv", "wb") as file:
            file.write(head + b"".join(rows) * (70 * 1024 * 1024 // sum(len(row) for row in rows)))
        done = shell("cat long.csv | $TACHO info - --format json")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertTrue(b"tenstorrent" in done.stdout, done.stderr)

    def test_pipe(self):
        """What a pipe brings is a model whatever its first field is, however long."""
        data, number, value_info = model_parts()
        graph = data(7, data(10, "x" * 2000000) + data(1, data(1, "x") + data(2, "y") + data(4, "Relu")) +
                     data(2, "g") + data(11, value_info("x", "f32", [4])) + data(12, value_info("y", "f32", [4])))
        rest = number(1, 8) + data(8, data(1, "") + number(2, 13))
        for model in (rest + graph, graph + rest):
            pathlib.Path("m.onnx").write_bytes(model)
            done = shell("cat m.onnx | $TACHO compile - -q -o p.qpc")
            self.assertEqual(done.returncode, 0, done.stderr)


class FilesOfOthers(Folder):
    """Names that tacho chooses, and one file for two things."""

    def setUp(self):
        super().setUp()
        for words in ((sys.executable, SOURCE / "tools" / "make_models.py", "gemm", "--m", "4", "--k", "8",
                       "--n", "4", "-o", "g.onnx"),
                      (TACHO, "compile", "g.onnx", "-m", "aic100", "--stats-level", "70", "-o", "p.qpc")):
            subprocess.run([str(word) for word in words], check=True, capture_output=True)

    def chosen_names(self, folder, *words):
        """Runs a command that fills |folder|; returns the names."""
        done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(path.name for path in pathlib.Path(folder).iterdir() if path.is_file())

    def assert_kept(self, folder, *words):
        """Links and files of others stay, each with a message; files of the kind are replaced."""
        secret = pathlib.Path("secret")
        names = self.chosen_names(folder, *words)
        self.assertTrue(names)
        self.assertEqual(self.chosen_names(folder, *words), names)  # its own files it may replace
        for name in names:
            path = pathlib.Path(folder, name)
            with self.subTest(f"{words[1]} {name}: a link"):
                secret.write_text("secret")
                path.unlink()
                path.symlink_to(secret.absolute())
                done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("a symbolic link", done.stderr.decode())
                self.assertEqual(secret.read_text(), "secret")
                self.assertTrue(path.is_symlink())
            path.unlink()
            if name.endswith("inf-0.bin"):
                continue  # bytes of a tensor, which nothing tells from others
            with self.subTest(f"{words[1]} {name}: another kind of file"):
                path.write_text("my notes")
                done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("another kind of file", done.stderr.decode())
                self.assertEqual(path.read_text(), "my notes")
            path.unlink()

    def test_stats(self):
        os.mkdir("s")
        self.assert_kept("s", TACHO, "run", "p.qpc", "--device", "sim", "--stats-dir", "s")

    def test_summaries(self):
        os.mkdir("s")
        run("run", "p.qpc", "--device", "sim", "--stats-dir", "s")
        self.assert_kept("o", TACHO, "opstats", "-p", "p.qpc", "-i", "s", "-o", "o", "--summary", "--trace")

    def test_links_in_folders(self):
        """A folder stands for what lies in it: a link puts nothing of another file onto a page."""
        os.makedirs("in/below")
        secret = pathlib.Path("secret.csv")
        secret.write_text("the \x1b[31msecret line\n")
        for name, source in (("in/a.csv", "t1.csv"), ("in/below/b.csv", "t2.csv"), ("out.csv", "t1.csv")):
            pathlib.Path(name).write_bytes((DATA / "torq" / source).read_bytes())
        os.symlink("../secret.csv", "in/l1.csv")
        os.symlink(secret.absolute(), "in/l2.csv")
        os.symlink("../out.csv", "in/l3.csv")
        os.symlink("below/b.csv", "in/l4.csv")
        os.symlink("nothing", "in/l5.csv")
        done = run("report", "in", "-o", "page.html")
        self.assert_fails(done, "in/l1.csv: a symbolic link that leads out of the directory",
                          "in/l2.csv: a symbolic", "in/l3.csv: a symbolic", "2 profiles, 3 skipped", code=3)
        page = page_contents("page.html")
        self.assertNotIn(b"secret line", done.stderr + page)
        for name in (b"in/l1.csv", b"in/l2.csv", b"in/l3.csv"):
            self.assertTrue(name in page, name)
        self.assert_fails(run("report", "in", "-o", "strict.html", "--strict"), "a symbolic link")
        self.assertFalse(os.path.exists("strict.html"))
        self.assertEqual(run("report", "in/l3.csv", "-o", "page.html").returncode, 0)  # it was typed

    def test_quoted_content(self):
        """How a file begins that is no profile: nothing of it acts on whoever reads it."""
        os.mkdir("in")
        pathlib.Path("in/a.csv").write_bytes((DATA / "torq" / "t1.csv").read_bytes())
        pathlib.Path("in/notes").write_bytes("a\x1b]0;t\x07\x9b\u202e</script><b>".encode())
        done = run("report", "in", "-o", "page.html")
        self.assert_fails(done, "in/notes:1: unknown format", code=3)
        self.assertEqual([c for c in done.stderr.decode() if ord(c) in Terminal.ACTING], [])
        self.assertTrue(b"in/notes" in page_contents("page.html"))
        self.assertFalse("</script><b>" in pathlib.Path("page.html").read_text())

    def test_dumps(self):
        self.assert_kept("d", TACHO, "compile", DATA / "run" / "pair.mlir", "--torq-debug-info", "d")
        self.assert_kept("e", TACHO, "compile", DATA / "run" / "pair.mlir",
                         "--dump-compilation-phases-to", "e")

    def test_vendors_files(self):
        self.assert_kept("b", DROPIN / "qaic-compile", "-model=g.onnx", "-aic-binary-dir=b")
        os.makedirs("b", exist_ok=True)
        os.replace("p.qpc", "b/programqpc.bin")
        os.mkdir("r")
        self.assert_kept("r", DROPIN / "qaic-runner", "--test-data=b", "--num-iter=2",
                         "--aic-profiling-type=raw_device_stats", "--aic-profiling-type=latency",
                         "--aic-profiling-type=stats", "--aic-profiling-type=trace",
                         "--aic-profiling-out-dir=r", "--write-output-dir=r")

    def test_origin_notes(self):
        """The note beside a simulated CSV: FILE.origin."""
        words = (TACHO, "compile", DATA / "run" / "pair.mlir", "-m", "torq-sl2610", "-o", "p.vmfb")
        subprocess.run([str(word) for word in words], check=True, capture_output=True)
        module = DROPIN / "torq-run-module"
        for folder in ("r0", "jobs", "host"):
            os.mkdir(folder)
        for folder, words in (("r0", (TACHO, "run", "p.vmfb", "--profile", "r0/a.csv", "--profile-format", "r0")),
                              ("jobs", (module, "--module=p.vmfb", "--torq_profile=jobs/a.csv")),
                              ("host", (module, "--module=p.vmfb", "--torq_profile_host=host/a.csv"))):
            note = pathlib.Path(folder, "a.csv.origin")
            for _ in range(2):  # its own it may replace
                done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(note.read_text().startswith("simulated\n"))
            for kind in ("a symbolic link", "another kind of file"):
                pathlib.Path("secret").write_text("secret")
                note.unlink()
                if kind == "a symbolic link":
                    note.symlink_to(pathlib.Path("secret").absolute())
                else:
                    note.write_text("secret")
                pathlib.Path(folder, "a.csv").unlink(missing_ok=True)
                with self.subTest(f"{folder}: {kind}"):
                    done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
                    self.assert_fails(done, kind, "a.csv.origin")
                    self.assertEqual(note.read_text(), "secret")
                    self.assertFalse(pathlib.Path(folder, "a.csv").exists())  # said before it runs
        for words in ((TACHO, "run", "p.vmfb", "--profile", "b.csv", "--profile-format", "r0",
                       "--output", "@b.csv.origin"),
                      (module, "--module=p.vmfb", "--torq_profile=b.csv", "--torq_profile_host=b.csv.origin"),
                      (module, "--module=p.vmfb", "--torq_profile=b.csv", "--output=@./b.csv.origin")):
            with self.subTest(" ".join(str(word) for word in words)):
                done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
                self.assert_fails(done, "two results cannot both go to", code=2)
                self.assertFalse(pathlib.Path("b.csv").exists() or pathlib.Path("b.csv.origin").exists())

    def test_one_file_for_two(self):
        pathlib.Path("t.csv").write_bytes((DATA / "torq" / "t1.csv").read_bytes())
        os.link("t.csv", "hard.csv")
        os.symlink("t.csv", "soft.csv")
        run("run", "p.qpc", "--device", "sim", "--output", "@x.npy")
        run("run", "p.qpc", "--device", "sim", "--output", "@i.npy")
        os.mkdir("f")
        cases = [("convert", "t.csv", "-o", "t.csv"), ("convert", "t.csv", "-o", "./t.csv"),
                 ("convert", "t.csv", "-o", "hard.csv"), ("convert", "t.csv", "-o", "soft.csv"),
                 ("ops", "t.csv", "--format", "csv", "-o", "t.csv"), ("info", "t.csv", "-o", "soft.csv"),
                 ("overview", "t.csv", "-o", "hard.csv"), ("report", "t.csv", "-o", "t.csv"),
                 ("compile", "g.onnx", "-o", "g.onnx"), ("compile", "g.onnx", "-o", "o.qpc", "--profile", "o.qpc",
                                                         "--profile-format", "t1"),
                 ("run", "p.qpc", "--output", "@p.qpc"), ("run", "p.qpc", "--profile", "p.qpc",
                                                         "--profile-format", "perfetto"),
                 ("run", "p.qpc", "--output", "@o.npy", "--profile", "o.npy", "--profile-format", "perfetto"),
                 ("run", "p.qpc", "--output", "@o.npy", "--profile", "f/../o.npy", "--profile-format", "perfetto"),
                 ("run", "p.qpc", "--input", "@x.npy", "--output", "@x.npy")]
        self.assert_refused(cases)

    def assert_refused(self, cases):
        """Each command is misuse, and leaves every file as it was."""
        for words in cases:
            before = {path.name: path.read_bytes() for path in pathlib.Path(".").iterdir() if path.is_file()}
            with self.subTest(" ".join(words)):
                self.assert_fails(run(*words), code=2)
                after = {path.name: path.read_bytes() for path in pathlib.Path(".").iterdir()
                         if path.is_file()}
                self.assertEqual(before, after)

    def test_program_of_stats(self):
        """The program that raw stats are read with is an input, too."""
        run("run", "p.qpc", "-q", "--no-tables", "--stats-dir", "s")
        stats = str(next(pathlib.Path("s").glob("*.bin")))
        os.link("p.qpc", "hard.qpc")
        os.symlink("p.qpc", "soft.qpc")
        self.assert_refused([(verb, stats, "--program", "p.qpc", "-o", path, *more)
                             for path in ("p.qpc", "hard.qpc", "soft.qpc")
                             for verb, *more in (("ops", "--format", "csv"), ("info", "--format", "csv"),
                                                 ("overview", "--format", "csv"), ("report",),
                                                 ("convert", "--to", "perfetto"))])

    def test_weights_in_a_file(self):
        """So is the file with a model's weights."""
        data, number, value_info = model_parts()
        weights = data(5, number(1, 4) + number(2, 1) + data(8, "w") + number(14, 1) +
                       data(13, data(1, "location") + data(2, "w.bin")))
        graph = data(1, data(1, "x") + data(1, "w") + data(2, "y") + data(4, "Add")) + weights + data(2, "g") + \
            data(11, value_info("x", "f32", [4])) + data(12, value_info("y", "f32", [4]))
        pathlib.Path("w.bin").write_bytes(bytes(16))
        pathlib.Path("e.onnx").write_bytes(number(1, 8) + data(7, graph) + data(8, data(1, "") + number(2, 13)))
        self.assertEqual(run("run", "e.onnx", "-q", "--output", "@y.npy").returncode, 0)
        self.assert_refused([("run", "e.onnx", "--output", "@w.bin"),
                             ("run", "e.onnx", "--profile", "w.bin", "--profile-format", "perfetto", "--force"),
                             ("compile", "e.onnx", "-o", "w.bin", "--force"),
                             ("compile", "e.onnx", "--profile", "w.bin", "--profile-format", "t1", "--force")])

    def test_outputs_of_the_runner(self):
        """qaic-runner chooses names of outputs: none is an input's, and no two are the same."""
        data, number, value_info = model_parts()
        names = ("a/b", "a_b")
        graph = b"".join(data(1, data(1, "x") + data(2, name) + data(4, kind))
                         for name, kind in zip(names, ("Relu", "Abs"))) + data(2, "g") + \
            data(11, value_info("x", "f32", [4])) + b"".join(data(12, value_info(name, "f32", [4])) for name in names)
        pathlib.Path("t.onnx").write_bytes(number(1, 8) + data(7, graph) + data(8, data(1, "") + number(2, 13)))
        for folder, model in (("one", "g.onnx"), ("two", "t.onnx")):
            os.mkdir(folder)
            self.assertEqual(run("compile", model, "-m", "aic100", "-q", "-o", f"{folder}/programqpc.bin").returncode, 0)
        runner = [str(DROPIN / "qaic-runner"), "-n", "1", "-t"]
        done = subprocess.run([*runner, "two", "--write-output-dir", "o"], capture_output=True, check=False)
        self.assert_fails(done, "two results cannot both go to o/a_b-activation-0-inf-0.bin", code=2)
        self.assertEqual(os.listdir("o"), [])
        subprocess.run([*runner, "one", "--write-output-dir", "i"], capture_output=True, check=True)
        written = next(pathlib.Path("i").iterdir())
        written.write_bytes(bytes(4 * 8 * 4))
        done = subprocess.run([*runner, "one", "-i", str(written), "--write-output-dir", "i"], capture_output=True,
                              check=False)
        self.assert_fails(done, "is an input and would be overwritten", code=2)
        self.assertEqual(written.read_bytes(), bytes(4 * 8 * 4))


def model_parts():
    """What writes fields of protobuf, and an input or output of a model."""
    sys.path.insert(0, str(SOURCE / "tools"))
    sys.dont_write_bytecode = True
    from make_models import data, number, value_info
    return data, number, value_info


def ascii_json(text):
    return '"' + "".join(f"\\u{ord(c):04x}" for c in text) + '"'


if __name__ == "__main__":
    skips.main(sys.argv[:1])

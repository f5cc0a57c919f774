#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command does to files, standard streams and terminals when things go wrong.

    check_files.py BIN_DIR DROPIN_DIR SOURCE_DIR

Nothing is lost without a message and an exit status, files of others stay as they are, and a
terminal is sent nothing that acts on it.
"""
import os
import pathlib
import pty
import select
import subprocess
import sys
import tempfile
import unittest

BIN, DROPIN, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
DATA = SOURCE / "tests" / "data"
TACHO = BIN / "tacho"
HOSTILE = DATA / "hostile" / "names_t2.csv"


def run(*words, **options):
    return subprocess.run([str(word) for word in (TACHO, *words)], capture_output=True, check=False,
                          timeout=60, **options)


def shell(command, **options):
    return subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=60,
                          env={**os.environ, "TACHO": str(TACHO), "DATA": str(DATA)}, **options)


class Folder(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        self.temp = tempfile.TemporaryDirectory(prefix="tacho-files.")
        self.addCleanup(self.temp.cleanup)
        self.folder = pathlib.Path(self.temp.name)
        old = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, old)

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

    def on_terminal(self, *words):
        """What a terminal gets from the standard output and error of a command."""
        master, slave = pty.openpty()
        with subprocess.Popen([str(word) for word in (TACHO, *words)], stdin=subprocess.DEVNULL,
                              stdout=slave, stderr=slave) as process:
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

    def test_messages(self):
        """File names in messages."""
        evil = "x\x1b]0;t\x07\u202e.csv"
        pathlib.Path(evil).write_text("nothing\n")
        for words in (("info", evil), ("convert", evil, "-o", "o.pb"), ("run", evil), ("compile", evil),
                      ("machine", "check", evil), ("opstats", "-q", evil, "-i", evil), (evil,),
                      ("info", "--" + evil)):
            with self.subTest(" ".join(words)):
                self.assert_harmless(self.on_terminal(*words))

    def test_file_keeps_bytes(self):
        pathlib.Path("j.json").write_text('{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,'
                                          '"name":"a\\u007fb"}]}')
        done = run("ops", "j.json", "--format", "csv")
        self.assertIn(b"a\x7fb", done.stdout)


def ascii_json(text):
    return '"' + "".join(f"\\u{ord(c):04x}" for c in text) + '"'


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

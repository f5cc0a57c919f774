#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts: which are made, kept, read and refused; job arrays, with a script in the place of sbatch.

    check_parts.py TACHO SOURCE_DIR
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

TACHO, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
KINETO = f"{SOURCE}/tests/data/chrome/kineto.json"
LAUNCHERS = ("SLURM", "OMPI", "PMI", "PALS", "MV2_", "MVP_", "FLUX", "RANK", "WORLD_SIZE", "MASTER_", "TORCHELASTIC",
             "PBS_", "LSB_", "TACHO_RUN_ID")
CLEAN_ENV = {key: value for key, value in os.environ.items() if not key.startswith(LAUNCHERS)}

# Runs the tasks of an array one after the other. SBATCH_FAILS makes it refuse the job as a real one does; of the first
# job, the task SBATCH_LOSES fails.
SBATCH = """#!/bin/bash
echo x >>"$SBATCH_LOG"
for word; do case $word in --array=0-*) last=${word#--array=0-};; esac; done
[ -z "${SBATCH_FAILS-}" ] || { echo "sbatch: error: invalid account" >&2; exit 1; }
script=$(cat); status=0
for ((task = 0; task <= last; task++)); do
    [ "$task" != "${SBATCH_LOSES-}" ] || [ "$(wc -l <"$SBATCH_LOG")" -gt 1 ] || { status=1; continue; }
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=$((last + 1)) bash -c "$script" || status=$?
done
exit $status
"""


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def forge(part, change):
    """The part with payloads as |change| makes them of type and payload, with checksums that are right."""
    made, at = part[:32], 32
    while at < len(part):
        header = bytearray(part[at:at + 40])
        size = struct.unpack_from("<Q", header, 32)[0]
        payload = change(bytes(header[4:8]), part[at + 40:at + 40 + size])
        at += 40 + (size + 7) // 8 * 8 + 8
        struct.pack_into("<IIQ", header, 24, len(payload), 0, len(payload))
        struct.pack_into("<I", header, 28, crc32c(header))
        padded = payload + bytes(-len(payload) % 8)
        made += bytes(header) + padded + struct.pack("<I", crc32c(padded)) + header[16:20]
    return made


class Scratch(unittest.TestCase):
    """A directory for each test, with a stand-in for sbatch."""

    def setUp(self):
        self.at = tempfile.mkdtemp(prefix="tacho-parts.")
        self.addCleanup(shutil.rmtree, self.at)
        os.makedirs(self.path("bin"))
        with open(self.path("bin/sbatch"), "w", encoding="utf-8") as file:
            file.write(SBATCH)
        os.chmod(self.path("bin/sbatch"), 0o755)

    def path(self, name):
        return os.path.join(self.at, name)

    def profile(self, name, grown_us=0):
        """A profile of its own: one kernel takes so much longer."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(KINETO, encoding="utf-8") as file:
            text = file.read()
        assert text.count("8.125") == 1
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text.replace("8.125", str(8.125 + grown_us)))

    def fleet(self, *words, code=0, env=None):
        variables = {**CLEAN_ENV, "PATH": f"{self.at}/bin:{os.environ['PATH']}", "SBATCH_LOG": self.path("submitted"),
                     **(env or {})}
        done = subprocess.run([TACHO, "fleet", *words], capture_output=True, text=True, check=False, cwd=self.at,
                              env=variables)
        self.assertEqual(done.returncode, code, (words[:4], done.stdout, done.stderr))
        return done

    def submitted(self):
        try:
            with open(self.path("submitted"), encoding="utf-8") as file:
                return len(file.read().split())
        except FileNotFoundError:
            return 0

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


class Kept(Scratch):
    """A part stays as long as it would be made the same again."""

    def setUp(self):
        super().setUp()
        for number in range(3):
            self.profile(f"traces/rank{number}.json", number)

    def map(self, made, kept, *words):
        done = self.fleet("map", "traces", "-o", "parts", *words)
        self.assertIn(f"{made} part{'' if made == 1 else 's'} written, {kept} already up to date", done.stderr)

    def check_answer(self):
        for question in ("ops", "steps", "overview"):
            self.assertEqual(self.fleet(question, "parts").stdout, self.fleet(question, "traces").stdout)

    def test_other_options_make_other_parts(self):
        self.map(3, 0, "--window", "0..30us")
        self.map(0, 3, "--window", "0..30us")
        self.map(3, 0)
        self.check_answer()
        self.map(3, 0, "--from", "chrome")
        self.map(3, 0, "--clock-mhz", "700")
        self.map(3, 0, "--clock-mhz", "800")
        self.map(0, 3, "--clock-mhz", "800")

    def test_a_profile_that_changed_within_its_second(self):
        path = self.path("traces/rank1.json")
        second = 1700000000 * 10**9
        os.utime(path, ns=(second, second))
        self.map(3, 0)
        self.profile("traces/rank1.json", 5)
        os.utime(path, ns=(second + 1, second + 1))
        self.map(1, 2)
        self.check_answer()

    def test_an_older_profile_in_its_place(self):
        self.map(3, 0)
        self.profile("traces/rank1.json", 5)
        os.utime(self.path("traces/rank1.json"), ns=(10**18, 10**18))
        self.map(1, 2)
        self.check_answer()

    def test_another_size_at_the_same_time(self):
        path = self.path("traces/rank1.json")
        before = os.stat(path).st_mtime_ns
        self.map(3, 0)
        with open(path, "a", encoding="utf-8") as file:
            file.write("\n")
        os.utime(path, ns=(before, before))
        self.map(1, 2)

    def test_names_beside_it_say_the_run(self):
        self.map(3, 0)
        self.profile("traces/b/rank0.json", 7)
        self.map(4, 0)
        self.check_answer()

    def test_sums_do_not_depend_on_when_files_were_copied(self):
        self.map(3, 0)
        self.fleet("reduce", "parts", "-o", "a.tpart")
        self.fleet("reduce", "traces", "-o", "b.tpart")
        os.utime(self.path("traces/rank0.json"), ns=(10**18, 10**18))
        self.map(1, 2)
        names = sorted(os.listdir(self.path("parts")))
        self.fleet("reduce", *(f"parts/{name}" for name in names[1:]), "-o", "rest.tpart")
        self.fleet("reduce", f"parts/{names[0]}", "rest.tpart", "-o", "c.tpart")
        self.assertEqual(self.read("a.tpart"), self.read("b.tpart"))
        self.assertEqual(self.read("a.tpart"), self.read("c.tpart"))
        self.fleet("reduce", "traces/rank0.json", "-o", "one.tpart")
        self.fleet("reduce", f"parts/{names[0]}", "-o", "same.tpart")
        self.assertEqual(self.read("one.tpart"), self.read("same.tpart"))

    def test_parts_among_profiles_are_not_mapped(self):
        for folder in ("traces/parts", "traces"):
            for made, kept in ((3, 0), (0, 3), (0, 3)):
                done = self.fleet("map", "traces", "-o", folder)
                self.assertIn(f"{made} parts written, {kept} already up to date", done.stderr)
        self.assertEqual(len(os.listdir(self.path("traces/parts"))), 3)
        self.assertIn("6 inputs are parts already and were passed over", done.stderr)
        done = self.fleet("map", "traces/parts", "-o", "again")
        self.assertIn("again: 0 parts written, 0 already up to date", done.stderr)
        self.assertIn("3 inputs are parts already and were passed over", done.stderr)
        done = self.fleet("map", "traces/rank0.json", "-o", ".")
        self.assertIn(".: 1 part written, 0 already up to date", done.stderr)


class Refused(Scratch):
    """A part answers no question about another window, or with other options, than its own."""

    def setUp(self):
        super().setUp()
        for number in range(2):
            self.profile(f"traces/rank{number}.json", number)
        self.fleet("map", "traces", "-o", "whole")
        self.fleet("map", "traces", "-o", "cut", "--window", "0..10us")

    def test_another_window(self):
        for question in ("overview", "ops", "breakdown", "steps"):
            done = self.fleet(question, "whole", "--window", "0..1ms", code=1)
            self.assertIn("holds the whole profile, not the window 0..1000000 ns; ", done.stderr)
            done = self.fleet(question, "cut", "--window", "5us..", code=1)
            self.assertIn("holds the window 0..10000 ns, not the window 5000.. ns; ", done.stderr)
            done = self.fleet(question, "cut", code=1)
            self.assertIn("holds the window 0..10000 ns, not the whole profile; ", done.stderr)

    def test_the_same_window(self):
        for question in ("overview", "ops", "breakdown", "steps"):
            self.assertEqual(self.fleet(question, "cut", "--window", "..10000").stdout,
                             self.fleet(question, "traces", "--window", "0..10us").stdout)
        self.fleet("reduce", "cut", "-o", "cut.tpart", "--window", "0..10us")
        self.assertEqual(self.fleet("ops", "cut.tpart", "--window", "0..10us").stdout,
                         self.fleet("ops", "traces", "--window", "0..10us").stdout)

    def test_the_rest_answers(self):
        done = self.fleet("ops", "cut", "traces/rank0.json", "--json", code=3)
        self.assertEqual(done.stdout.count('"problem":"not read"'), 2)
        done = self.fleet("reduce", "cut", "traces/rank0.json", "-o", "some.tpart", code=3)
        self.assertIn("2 files could not be read; 'tacho fleet health some.tpart' lists them", done.stderr)

    def test_nothing_in_it(self):
        name = os.listdir(self.path("whole"))[0]
        whole = self.read(f"whole/{name}")
        self.assertEqual(forge(whole, lambda kind, payload: payload), whole)
        with open(self.path("none.tpart"), "wb") as file:
            file.write(forge(whole, lambda kind, payload: payload if kind == b"HEAD" else b"\0"))
        for question in ("overview", "ops", "breakdown", "steps", "stragglers", "collectives", "clocks", "health"):
            self.assertIn("none.tpart: this part holds no profile", self.fleet(question, "none.tpart", code=1).stderr)
            self.assertEqual(self.fleet(question, "none.tpart", "whole").stdout,
                             self.fleet(question, "whole").stdout)
        self.assertIn("holds no profile", self.fleet("timeline", "none.tpart", "-o", "x.pb", code=1).stderr)
        self.assertIn("none of 1 file", self.fleet("report", "none.tpart", "-o", "x.html", code=1).stderr)
        self.assertIn("holds no profile", self.fleet("reduce", "none.tpart", "-o", "x.tpart", code=1).stderr)
        self.assertIn("holds no profile", self.fleet("diff", "none.tpart", "traces", code=1).stderr)
        self.assertFalse(os.path.exists(self.path("x.tpart")))

    def test_other_options(self):
        done = self.fleet("ops", "whole", "--clock-mhz", "800", code=1)
        self.assertIn("made with default options, not with clock 800 MHz; ", done.stderr)
        self.fleet("map", "traces", "-o", "fast", "--clock-mhz", "900")
        done = self.fleet("ops", "fast", "--clock-mhz", "800", code=1)
        self.assertIn("made with clock 900 MHz, not with clock 800 MHz; ", done.stderr)
        self.fleet("ops", "fast", "--clock-mhz", "900")
        self.fleet("ops", "fast") # that nobody asked otherwise is no contradiction
        self.fleet("reduce", "fast", "traces", "-o", "both.tpart")
        done = self.fleet("ops", "both.tpart", "--clock-mhz", "900", code=1)
        self.assertIn("made with various options, not with clock 900 MHz; ", done.stderr)


class Slurm(Scratch):
    """Parts that a job array makes."""

    def setUp(self):
        super().setUp()
        for number in range(3):
            self.profile(f"sa/rank{number}.json", number)
            self.profile(f"sb/rank{number}.json", 10 + number)

    def test_only_the_parts_of_the_files_count(self):
        """Others lie in the same directory: of another question, and of a profile that is gone."""
        for folder in ("sa", "sb"):
            self.assertEqual(self.fleet("ops", folder, "--slurm", "2").stdout, self.fleet("ops", folder).stdout)
        os.remove(self.path("sb/rank2.json"))
        self.assertEqual(self.fleet("ops", "sb", "--slurm", "2").stdout, self.fleet("ops", "sb").stdout)
        self.assertEqual(len(os.listdir(self.path("fleet-parts"))), 6)

    def test_parts_beside_their_profiles(self):
        expected = self.fleet("ops", "sa").stdout
        for _ in range(2):
            self.assertEqual(self.fleet("ops", "sa", "--slurm", "2", "--parts", "sa/parts").stdout, expected)
        self.assertEqual(self.submitted(), 1)
        self.assertEqual(self.fleet("ops", "sa/parts", "--slurm", "2").stdout, expected)
        self.assertEqual(self.submitted(), 1)

    def test_an_sbatch_that_fails_is_not_asked_again(self):
        done = self.fleet("ops", "sa", "--slurm", "2", code=1, env={"SBATCH_FAILS": "1"})
        self.assertIn("sbatch: error: invalid account\n", done.stderr)
        self.assertIn("error: sbatch failed, and no part was made", done.stderr)
        self.assertEqual(self.submitted(), 1)

    def test_an_sbatch_that_does_not_read_its_script(self):
        """The script is longer than a pipe takes."""
        paths = [f"./{'./' * 900}sa/rank{number % 3}.json" for number in range(45)]
        done = self.fleet("ops", *paths, "--slurm", "2", code=1, env={"SBATCH_FAILS": "1"})
        self.assertIn("error: sbatch failed, and no part was made", done.stderr)

    def test_tasks_that_fail_are_made_again(self):
        """The array fails as a whole; what others made stays."""
        done = self.fleet("ops", "sa", "--slurm", "3", env={"SBATCH_LOSES": "1"})
        self.assertEqual(done.stdout, self.fleet("ops", "sa").stdout)
        self.assertEqual(self.submitted(), 2)

    def test_tasks_inherit_no_rank(self):
        for number, env in enumerate(({"RANK": "0", "WORLD_SIZE": "4"},
                                      {"FLUX_TASK_RANK": "1", "FLUX_JOB_SIZE": "3"})):
            done = self.fleet("steps", "sa", "--slurm", "2", "--parts", f"parts{number}", env=env)
            self.assertEqual(done.stdout, self.fleet("steps", "sa").stdout)
            self.assertEqual(self.submitted(), number + 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the golden cases: what the program prints and returns for a command line. README.md says how a
case is made.

    tests/golden/run.py BIN_DIR DROPIN_DIR [--bless] [--jobs N] [--traces DIR] [CASE...]

A CASE may be a pattern such as 'ops_*'. Traces that cases write are judged in this process, so that a
batch of cases starts one judge, not one each."""
import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import pathlib
import random
import re
import shutil
import signal
import string
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
JUDGES = HERE.parent / "judge"
sys.path.insert(0, str(JUDGES))
import judge_all  # noqa: E402

TIME_LIMIT_S = 300
EXIT_SKIPPED = 77  # a case exits with this where the machine cannot run it, and says why on stderr
PARTS = ("stdout", "stderr", "exit")
CRASH = re.compile(rb"cmd: line [0-9]+: +[0-9]+ (Segmentation fault|Aborted|Bus error|Illegal instruction|"
                   rb"Floating point exception|Killed)")


def make_folder():
    """Long paths are shortened where they are printed, so this one is always of one length."""
    while True:
        suffix = "".join(random.SystemRandom().choices(string.ascii_letters + string.digits, k=6))
        try:
            folder = pathlib.Path(f"/tmp/tacho-golden.{suffix}")
            folder.mkdir(mode=0o700)
            return folder
        except FileExistsError:
            pass


class Runner:
    def __init__(self, bin_dir, dropin_dir, blessing, traces):
        self.blessing, self.traces, self.work = blessing, traces, make_folder()
        self.data = self.work / "data"
        self.data.symlink_to(HERE.parent / "data")
        said = subprocess.run([bin_dir / "tacho", "--version"], capture_output=True, check=True).stdout
        self.version = said.split(b"\n")[0].removeprefix(b"tacho ")
        path = [dropin_dir, bin_dir, JUDGES, os.environ["PATH"]]
        self.environment = dict(
            os.environ, LC_ALL="C.UTF-8", TZ="UTC", PYTHONDONTWRITEBYTECODE="1", DATA=str(self.data),
            TACHO_HOST_CPU="built-in",  # the same estimates on every computer
            PATH=":".join(map(str, path)))

    def run_cmd(self, case, folder):
        """The exit status, and what the command left: stdout, stderr and exit, unless empty or 0."""
        folder.mkdir(parents=True)
        # Files rather than pipes: a process that a case leaves behind holds nobody up.
        with tempfile.TemporaryFile() as out_file, tempfile.TemporaryFile() as err_file:
            process = subprocess.Popen(["bash", "-u", HERE / "cases" / case / "cmd"], cwd=folder,
                                       env=self.environment, stdin=subprocess.DEVNULL, stdout=out_file,
                                       stderr=err_file, start_new_session=True)
            try:
                status = process.wait(TIME_LIMIT_S)
                status = status if status >= 0 else 128 - status
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = 124
            out_file.seek(0)
            err_file.seek(0)
            out, err = out_file.read(), err_file.read()
        actual = {"stdout": self.normalised(out, folder), "stderr": self.normalised(err, folder),
                  "exit": b"%d\n" % status if status else b""}
        return status, {part: text for part, text in actual.items() if text}

    def normalised(self, text, folder):
        """Without what differs between machines and versions: paths and the version."""
        for old, new in ((str(self.data).encode(), b"DATA"), (str(folder).encode(), b"TMP"),
                         (self.version, b"VERSION")):
            text = text.replace(old, new)
        return text

    def run_case(self, case):
        """(passed, failed or skipped; lines to print)"""
        try:
            return self.try_case(case)
        except Exception as error:  # of this harness or a judge; the other cases go on
            return "failed", [f"FAIL {case}: {error!r}"]

    def try_case(self, case):
        folder = self.work / case
        try:
            status, actual = self.run_cmd(case, folder / "dir")
            misjudged = []
            judge_all.judge_all([str(folder / "dir")], misjudged.append)
            if self.traces is not None:
                judge_all.copy_traces(folder / "dir", self.traces / case)
        finally:
            subprocess.run(["chmod", "-R", "u+rwX", folder], check=False, stderr=subprocess.DEVNULL)
            shutil.rmtree(folder, ignore_errors=True)
        lines = [f"{text}" for text in misjudged] + [f"FAIL {case}: judged"] * bool(misjudged)
        if status == EXIT_SKIPPED:
            reason = actual.get("stderr", b"").decode(errors="replace").strip()
            return "failed" if misjudged else "skipped", lines + [f"skip {case}: {reason}"]
        differences = self.differences(case, actual)
        if differences and self.blessing:
            self.bless(case, actual)
            return "failed" if misjudged else "passed", lines + differences + [f"blessed {case}"]
        if differences:
            return "failed", lines + differences + crash(case, status, actual) + [f"FAIL {case}"]
        return "failed" if misjudged else "passed", lines

    @staticmethod
    def differences(case, actual):
        lines = []
        for part in PARTS:
            path = HERE / "cases" / case / part
            expected, found = path.read_bytes() if path.exists() else b"", actual.get(part, b"")
            if expected != found:
                texts = [text.decode(errors="backslashreplace").splitlines() for text in (expected, found)]
                lines += list(difflib.unified_diff(*texts, f"expected {case}/{part}", f"actual {case}/{part}",
                                                   lineterm="")) or [f"{case}/{part}: other line ends"]
        return lines

    @staticmethod
    def bless(case, actual):
        for part in PARTS:
            (HERE / "cases" / case / part).unlink(missing_ok=True)
        for part, text in actual.items():
            (HERE / "cases" / case / part).write_bytes(text)


def crash(case, status, actual):
    """Whether a signal ended the program: as the last command of the case (the status says it), or
    before (bash reports it on stderr)."""
    if status in (124, 137):
        return [f"HANG {case}: stopped after {TIME_LIMIT_S} s"]
    if status > 128:
        return [f"CRASH {case}: ended by signal {status - 128}"] if status < 128 + signal.NSIG else []
    found = CRASH.search(actual.get("stderr", b""))
    return [f"CRASH {case}: {found.group().decode()}"] if found else []


def chosen(patterns):
    every = sorted(path.name for path in (HERE / "cases").iterdir() if (path / "cmd").is_file())
    names = []
    for pattern in patterns or ["*"]:
        found = fnmatch.filter(every, pattern.rstrip("/"))
        if not found:
            sys.exit(f"golden: no case {pattern}")
        names += found
    return list(dict.fromkeys(names))


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("dropin_dir", type=pathlib.Path)
    parser.add_argument("--bless", action="store_true", help="accept the present output as expected")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="cases at a time")
    parser.add_argument("--traces", type=pathlib.Path, help="where to put copies of the traces that cases write")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    options = parser.parse_intermixed_args()
    names = chosen(options.cases)
    runner = Runner(options.bin_dir.resolve(strict=True), options.dropin_dir.resolve(strict=True), options.bless, options.traces)
    counts = dict.fromkeys(("passed", "failed", "skipped"), 0)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for result, lines in pool.map(runner.run_case, names):
                counts[result] += 1
                if lines:
                    print("\n".join(lines), flush=True)
    finally:
        shutil.rmtree(runner.work, ignore_errors=True)
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else EXIT_SKIPPED


if __name__ == "__main__":
    sys.exit(main())

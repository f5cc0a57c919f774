#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills commands at random moments and looks at the files they leave.

    kills.py BIN_DIR SOURCE_DIR [--kills N] [--seed N] [--only CASE]

Each command writes into a folder of its own, every second time over whole files of an earlier run.
At a random moment between its start and its usual end SIGKILL ends it. After that:

  - each file holds the bytes that the command writes when nothing disturbs it, or is not there;
  - a file that was there before is still there;
  - no other file is there. The one exception: .tacho-*.partial with a whole output in it, which is a
    kill in the instant between naming a new file and renaming it over the old one.

Only kills that met a running command count. The process is stopped first, and its open files are
read, so that the last line can say how many kills met a command with an output open.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "judge"))
import judge_all  # noqa: E402 pylint: disable=wrong-import-position

ROWS = 60000
TRIES_PER_KILL = 20
PARTIAL = re.compile(r"\.tacho-\d+-\d+\.partial")


def cases(made):
    trace, program = f"{made}/t.csv", f"{made}/p.qpc"
    return {
        "convert_pb": ("convert", trace, "-o", "o.pb"),
        "convert_gz": ("convert", trace, "-o", "o.json.gz"),
        "convert_tacho": ("convert", trace, "-o", "o.tacho.zst"),
        "ops_xlsx": ("ops", trace, "--by", "instance", "-o", "o.xlsx"),
        "report": ("report", trace, "-o", "o.html"),
        "compile": ("compile", f"{made}/m.onnx", "-m", "aic100", "--stats-level", "70", "-o", "o.qpc",
                    "--dump-compilation-phases-to", "d", "--profile", "o.json"),
        "run": ("run", program, "--no-values", "-n", "40", "--samples", "40", "--profile", "o.pb",
                "--stats-dir", "."),
        "opstats": ("opstats", "-p", program, "-i", f"{made}/stats", "-o", "o", "--summary",
                    "--trace"),
    }


def make_inputs(tacho, source, made):
    """A long trace, a model, its program, and stats of a run."""
    def run(*words):
        subprocess.run([tacho, *words, "--quiet"], check=True, cwd=made, stdout=subprocess.DEVNULL)

    subprocess.run([sys.executable, f"{source}/tools/make_models.py", "mobilenet", "-o",
                    f"{made}/m.onnx"], check=True)
    with open(f"{made}/t.csv", "w", encoding="ascii") as trace:
        for i in range(ROWS):
            trace.write(f'DI{i},{i * 90},{i * 90 + 70},loc("/w/m.mlir":{i % 97}:5),DMA_IN,{i % 4096}\n')
    os.mkdir(f"{made}/stats")
    run("compile", "m.onnx", "-m", "aic100", "--stats-level", "70", "-o", "p.qpc")
    run("run", "p.qpc", "--no-values", "-n", "20", "--samples", "20", "--stats-dir", "stats")


def read_files(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def has_output_open(pid, folder):
    """Whether the stopped process |pid| holds a file in |folder|, be it without a name."""
    try:
        fds = os.listdir(f"/proc/{pid}/fd")
        targets = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in fds]
    except OSError:
        return False
    return any(target.startswith(f"{folder}/") and not os.path.isdir(target) for target in targets)


class Killer:
    def __init__(self, options):
        self.tacho = f"{options.bin}/tacho"
        self.source = options.source
        self.temp = tempfile.TemporaryDirectory(prefix="tacho-kills.")
        self.work = pathlib.Path(os.path.realpath(self.temp.name))
        self.chance = random.Random(options.seed)
        self.findings = []
        self.kills = self.writing = self.partial = 0

    def start(self, words, folder):
        return subprocess.Popen([self.tacho, *words, "--quiet"], cwd=folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def fresh_folder(self, good):
        """An empty folder, or one with the files |good|."""
        folder = self.work / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, content in good.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return folder

    def undisturbed(self, name, words):
        """What the command writes, and how long it takes. None where it fails, or writes otherwise."""
        spans, results = [], []
        for _ in range(3):
            folder = self.fresh_folder({})
            before = time.monotonic()
            code = self.start(words, folder).wait()
            spans.append(time.monotonic() - before)
            results.append(read_files(folder))
            if code != 0 or not results[-1]:
                self.findings.append(f"{name}: exit {code}, {len(results[-1])} files, with no kill")
                return None
        if results[0] != results[1] or results[0] != results[2]:
            self.findings.append(f"{name}: not the same files each time, with no kill")
            return None
        for path, content in results[0].items():
            for problem in (judge_all.problems_of(content) or {}).values():
                self.findings.append(f"{name}: {path}: {problem}")
        return results[0], statistics.median(spans)

    def kill_once(self, words, folder, delay):
        """Whether SIGKILL met the running command."""
        process = self.start(words, folder)
        time.sleep(delay)
        if process.poll() is not None:
            return False
        process.send_signal(signal.SIGSTOP)
        is_writing = has_output_open(process.pid, folder)
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            return False
        self.kills += 1
        self.writing += is_writing
        return True

    def judge(self, name, folder, good, is_over):
        found = read_files(folder)
        for path, content in found.items():
            if path in good and content != good[path]:
                self.findings.append(f"{name}: {path} has {len(content)} bytes, not those "
                                     f"{len(good[path])} of an undisturbed run")
            elif path not in good:
                is_whole = content in good.values()
                self.partial += is_whole
                if not is_whole or not PARTIAL.fullmatch(os.path.basename(path)):
                    self.findings.append(f"{name}: {path} is left behind, {len(content)} bytes")
        if is_over and not found.keys() >= good.keys():
            self.findings.append(f"{name}: gone: {' '.join(sorted(good.keys() - found.keys()))}")

    def case(self, name, words, kills):
        expected = self.undisturbed(name, words)
        if expected is None:
            return
        good, span = expected
        met = tries = 0
        writing_before = self.writing
        while met < kills and tries < kills * TRIES_PER_KILL:
            is_over = tries % 2 == 1
            tries += 1
            folder = self.fresh_folder(good if is_over else {})
            met += self.kill_once(words, folder, self.chance.uniform(0, span))
            self.judge(name, folder, good, is_over)
        print(f"{name}: {met} kills within {span * 1000:.0f} ms, {self.writing - writing_before} with "
              f"an output open, {len(good)} files", flush=True)
        if met < kills:
            self.findings.append(f"{name}: only {met} of {kills} kills met a running command")

    def all(self, only, kills):
        made = self.work / "made"
        made.mkdir()
        make_inputs(self.tacho, self.source, made)
        chosen = {name: words for name, words in cases(made).items() if only in (None, name)}
        for name, words in chosen.items():
            self.case(name, words, -(-kills // len(chosen)))
        self.temp.cleanup()
        for finding in self.findings:
            print(f"FAIL {finding}")
        print(f"kills: {self.kills} in {len(chosen)} commands, {self.writing} with an output open, "
              f"{self.partial} whole files under a temporary name, {len(self.findings)} findings")
        return 1 if self.findings or self.writing == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("bin", type=os.path.abspath)
    parser.add_argument("source", type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    options = parser.parse_args()
    sys.exit(Killer(options).all(options.only, options.kills))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks through failing calls of the system, in every verb.

    walk.py BIN_DIR DROPIN_DIR FAULT_LIBRARY SOURCE_DIR [--client CLIENT_LOAD] [--step N] [--only CASE]
            [--family NAME]

For each case (a command with small inputs) and each family of calls (memory, open, read, write,
sync, name, map, thread, facts, process) the n-th call is made to fail, for n = 1, 2, ... until the command
makes no such call any more. Memory is also made to fail from the n-th call on. After each run:

  - no signal ended it, and it took no longer than the time limit;
  - exit 0 means that everything it writes is the same, byte for byte, as without a failure;
  - any other exit has a message, and exit 3 (some records are missing) is no answer to a failing
    call, unless the command goes on without an input and says which;
  - each file it leaves is whole (the same bytes as without a failure), or not there at all;
  - every block of memory that the program had asked for was released.

Of 'profile', calls of tacho fail, never those of the program that it runs. After each run:

  - the program ran as if alone: the same status, output and files; or it was not started at all, with a
    message and status 125;
  - the capture is whole, and holds everything that the program reported; or a message says what is
    missing, and what is there can be read;
  - no other file is left behind, unless a message names it.

--step N takes every N-th failing call, for a quick walk; the first one is always taken.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "judge"))
import judge_all  # noqa: E402 pylint: disable=wrong-import-position

FAMILIES = ("memory", "open", "read", "write", "sync", "name", "map", "thread", "facts", "process")
TIME_LIMIT_S = 60
LOSSY = 3  # done, and said what is missing
NOT_STARTED = 125  # of profile
LONG = "n" * 5000


class Case:
    """A command. What it prints and every file in its folder is its result."""

    def __init__(self, name, *words, volatile=(), dropin=False, remark=None, wraps=None):
        self.name = name
        self.words = words
        self.volatile = volatile  # files that hold times of this computer; "-" is standard output
        self.dropin = dropin
        self.remark = remark  # a run that says this may have another result
        self.wraps = wraps  # the file that 'profile' writes, or "" for none


def wrapping(client):
    """Of 'profile': a program that reports events (where there is one), and one that does not."""
    shell = ("sh", "-c", "echo said; echo kept >kept; exit 7")
    found = [
        Case("profile_shell", "profile", *shell, wraps=""),
        Case("profile_shell_pb", "profile", "-o", "o.pb", "--", *shell, wraps="o.pb"),
        Case("profile_shell_csv", "profile", "-o", "o.csv", "--quiet", "--", *shell, wraps="o.csv"),
    ]
    if client:
        found += [
            Case("profile_client", "profile", "-o", "o.tacho", "--", client, "op", wraps="o.tacho"),
            Case("profile_client_csv", "profile", "-o", "o.csv", "--", client, "op", wraps="o.csv"),
            Case("profile_client_xlsx", "profile", "-o", "o.xlsx", "--live", "--timeout", "50", "--", client,
                 "zones", "2", "5", wraps="o.xlsx"),
        ]
    return found


def cases(data, made, client):
    debug = f"{data}/annotate/clean.9.executable-targets.mlir"
    runtime = f"{data}/annotate/clean_r2i.csv"
    unread = b"its operators are not shown"
    model = f"{data}/run/pair.mlir"
    dense = f"{made}/g.onnx"
    program, stats = f"{made}/p.qpc", f"{made}/stats"
    return [
        Case("help", "help", "run"),
        Case("convert_pb", "convert", f"{data}/torq/r2i.csv", "-o", "o.pb"),
        Case("convert_unsorted", "convert", f"{made}/unsorted.csv", "-o", "o.pb"),
        Case("convert_gz", "convert", f"{data}/chrome/kineto.json", "-o", "o.json.gz"),
        Case("convert_zst", "convert", f"{made}/t.pb", "-o", "o.tacho.zst"),
        Case("convert_two", "convert", f"{data}/torq/t4.csv", f"{data}/torq/r0.csv", "-o", "o.jsonl"),
        Case("convert_simulated", "convert", f"{made}/simulated.csv", "-o", "o.jsonl"),
        Case("convert_stdout", "convert", f"{data}/torq/t1.csv", "-o", "-"),
        Case("info", "info", f"{data}/chrome/ort.json", "--format", "json"),
        Case("info_program", "info", program),
        Case("info_model", "info", dense),
        Case("overview", "overview", runtime),
        Case("ops", "ops", f"{data}/chrome/kineto.json", "--format", "csv", "-o", "o.csv", "--filter",
             "/./"),
        Case("diff", "diff", f"{data}/torq/t4.csv", f"{made}/t4.tacho", "--gate", "rel=1%",
             "--format", "json", "-o", "o.json", "--also", "o.md", "--also", "o.xml"),
        Case("baseline", "baseline", "save", "b", f"{data}/torq/t1.csv", f"{data}/torq/t4.csv",
             "--dir", ".", "--reason", "why", volatile=("b/.baseline",)),
        Case("baseline_list", "baseline", "list", "--dir", f"{made}/baselines",
             remark=b"tacho: skipped: "),
        Case("annotate_csv", "annotate", debug, runtime, "-o", "o.csv", remark=unread),
        Case("annotate_pb", "annotate", debug, runtime, "-o", "o.pb", remark=unread),
        Case("annotate_xlsx", "annotate", debug, runtime, "-o", "o.xlsx", remark=unread),
        Case("report", "report", runtime, f"{data}/torq/t2.csv", "-o", "o.html",
             remark=b"tacho: skipped: "),
        Case("compile_table", "compile", dense, "-m", "aic100"),
        Case("compile_dim", "compile", f"{made}/long.onnx", "-m", "aic100", "--dim", f"{LONG}=6x3"),
        Case("compile_all", "compile", model, "-m", "torq-sl2610", "-o", "o.qpc",
             "--dump-compilation-phases-to", "d",
             "--profile", "o.csv"),
        Case("run_sim", "run", program, "--device", "sim", "--machine", "aic100", "--output",
             "@o.npy", "--profile", "o.pb", "--stats-dir", ".", volatile=("-",)),
        # A fast kernel that gets no memory leaves its step to the reference kernel: other last bits.
        Case("run_cpu", "run", dense, "--device", "cpu", "--output", "@o.npy", volatile=("-", "o.npy")),
        Case("run_reference", "run", dense, "--device", "cpu", "--kernels", "reference", "--output",
             "@o.npy", volatile=("-",)),
        Case("opstats", "opstats", "-p", program, "-i", stats, "-o", "o", "--summary", "--trace",
             "--select-cores", "0,1", "--select-devices", "0"),
        Case("machine_list", "machine", "list", remark=b"measured this computer"),
        Case("machine_show", "machine", "show", "aic100"),
        Case("torq_compile", "torq-compile", model, "-o", "o.vmfb", dropin=True),
        Case("torq_run", "torq-run-module", f"--module={made}/add.vmfb", "--input=1x56x56x24xi8=1",
             "--torq_profile=o.csv", volatile=("-", "o.csv"), dropin=True),
        Case("qaic_compile", "qaic-compile", f"-model={dense}", "-aic-binary-dir=o", "-stats-level=70",
             dropin=True),
        Case("qaic_runner", "qaic-runner", f"--test-data={made}/binaries", "--num-iter=3",
             "--aic-profiling-type=raw_device_stats", "--aic-profiling-out-dir=.",
             volatile=("-",), dropin=True),
        Case("qaic_opstats", "qaic-opstats", "--qpc", program, "--input-dir", stats, "--output-dir",
             "o", "--summary", dropin=True),
        Case("perfetto_logger", "perfetto_logger.py", "--compile_profile", f"{data}/torq/t1.csv",
             "--runtime_profile", f"{data}/torq/r0.csv", "--pb", "o.pb", dropin=True),
        Case("annotate_profiling", "annotate_profiling.py", debug, runtime, "o.csv",
             "--perfetto_file", "o.pb", dropin=True, remark=unread),
        Case("iree_run", "iree-run-module", f"--module={made}/add.vmfb", "--input=1x56x56x24xi8=1",
             "--output=@o.npy", volatile=("-",), dropin=True),
        *wrapping(client),
    ]


def make_inputs(tacho, data, made):
    """What some commands need, made by others."""
    def run(*words):
        subprocess.run([tacho, *words, "--quiet"], check=True, cwd=made, stdout=subprocess.DEVNULL)

    maker = f"{data}/../../tools/make_models.py"
    subprocess.run([sys.executable, maker, "gemm", "--m", "4", "--k", "8", "--n", "4", "-o",
                    f"{made}/g.onnx"], check=True)

    # An input whose name fills the memory that options have from the start.
    sys.path.insert(0, f"{data}/../../tools")
    sys.dont_write_bytecode = True
    from make_models import data as field, number, value_info
    node = field(1, LONG) + field(2, "y") + field(4, "Relu")
    graph = field(1, node) + field(2, "g") + field(11, value_info(LONG, "f32", ["N", 3])) + \
        field(12, value_info("y", "f32", ["N", 3]))
    pathlib.Path(made, "long.onnx").write_bytes(number(1, 8) + field(7, graph) +
                                                field(8, field(1, "") + number(2, 13)))

    lines = pathlib.Path(data, "torq", "t2.csv").read_text().splitlines(keepends=True)
    pathlib.Path(made, "unsorted.csv").write_text("".join(lines[:1] + lines[:0:-1]))
    run("convert", f"{data}/torq/r2i.csv", "-o", "t.pb")
    run("convert", f"{data}/torq/t4.csv", "-o", "t4.tacho")
    run("baseline", "save", "b", f"{data}/torq/t1.csv", f"{data}/torq/t4.csv")
    run("compile", f"{data}/run/pair.mlir", "-m", "aic100", "--stats-level", "70", "-o", "p.qpc")
    run("compile", f"{data}/../testdata/tosa_ops/add.mlir", "-o", "add.vmfb")
    run("run", "add.vmfb", "--device", "sim", "--profile", "simulated.csv", "--profile-format", "r0")
    for folder in ("stats", "binaries"):
        os.mkdir(f"{made}/{folder}")
    shutil.copy(f"{made}/p.qpc", f"{made}/binaries/programqpc.bin")
    run("run", "p.qpc", "--device", "sim", "--stats-dir", "stats")


class Outcome:
    def __init__(self, exit_code, out, err, files, calls, live):
        self.exit_code, self.out, self.err, self.files = exit_code, out, err, files
        self.calls, self.live = calls, live
        self.count = None  # of rows in what 'profile' wrote


class Walker:
    def __init__(self, options):
        self.options = options
        self.work = tempfile.mkdtemp(prefix="tacho-walk.")
        self.made = f"{self.work}/made"
        self.number = 0
        self.findings = []
        self.runs = 0
        os.mkdir(self.made)

    def run(self, case, fault, key):
        """Runs |case| in a folder of its own."""
        folder = pathlib.Path(self.work, f"run{key}")
        report = f"{self.work}/report{key}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        words = case.words if case.dropin else ("tacho", *case.words)
        # Of a drop-in that is a script the interpreter is not what is tested.
        is_link = case.dropin and not words[0].endswith(".py")
        program = f"{self.options.dropins}/{words[0]}" if is_link else f"{self.options.bin}/tacho"
        environment = {**os.environ, "LD_PRELOAD": self.options.fault, "TACHO_FAULT": fault,
                       "TACHO_FAULT_REPORT": report, "TMPDIR": self.work,
                       "XDG_CACHE_HOME": f"{self.work}/cache", "LC_ALL": "C.UTF-8"}
        pathlib.Path(report).unlink(missing_ok=True)
        try:
            done = subprocess.run(words, executable=program, cwd=folder, env=environment,
                                  timeout=TIME_LIMIT_S, stdin=subprocess.DEVNULL, capture_output=True,
                                  check=False)
            code, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            code, out, err = -9, b"", b"time limit"
        files = {str(path.relative_to(folder)): path.read_bytes()
                 for path in sorted(folder.rglob("*")) if path.is_file()}
        calls, live = 0, 0
        if os.path.exists(report):
            calls, live = (int(word) for word in pathlib.Path(report).read_text().split())
        outcome = Outcome(code, out, err, files, calls, live)
        if case.wraps and case.wraps in files:
            outcome.count = self.count_of(folder / case.wraps)
        shutil.rmtree(folder, ignore_errors=True)
        return outcome

    def count_of(self, path):
        """How many rows there are in a file that 'profile' wrote; None where it cannot be read."""
        if path.suffix == ".xlsx":
            return 1 if zipfile.is_zipfile(path) and zipfile.ZipFile(path).testzip() is None else None
        if path.suffix == ".csv":
            rows = list(csv.reader(path.read_text().splitlines()))
            return len(rows) if len({len(row) for row in rows}) == 1 else None
        done = subprocess.run([f"{self.options.bin}/tacho", "ops", path, "--by", "type", "--top", "0",
                               "--json"], capture_output=True, check=False)
        return len(done.stdout.splitlines()) if done.returncode == 0 else None

    def judge_wrapped(self, case, good, found):
        """What is wrong with a run of 'profile', or None."""
        said = found.err.decode(errors="replace")
        if found.live != 0:
            return f"exit {found.exit_code}, and {found.live} blocks are not released"
        left = [name for name in found.files
                if name not in (case.wraps, "kept") and pathlib.Path(name).name not in said]
        if left:
            return f"exit {found.exit_code}, and these files are left: {' '.join(left)}"
        if found.exit_code == NOT_STARTED:
            is_quiet = not found.out and not found.files and "tacho: error: " in said
            return None if is_quiet else f"exit {NOT_STARTED}, {found.out!r} {list(found.files)}: {said[-300:]}"
        if (found.exit_code, found.out, found.files.get("kept")) != \
                (good.exit_code, good.out, good.files.get("kept")):
            return f"exit {found.exit_code}, the program ran otherwise: {found.out!r}: {said[-300:]}"
        is_told = "tacho: error: " in said or "tacho: warning: " in said
        if case.wraps and found.count is None and (case.wraps in found.files or not is_told):
            return f"{case.wraps} cannot be read or is not there: {said[-300:]}"
        if case.wraps and found.count != good.count and not is_told:
            return f"{case.wraps} has {found.count} rows of {good.count}, and nothing is said of it"
        if not case.wraps and b"Processes\n" not in found.err and not is_told:
            return "the table is not shown, and nothing is said of it"
        return None

    def judge(self, case, family, good, found):
        """What is wrong with a run, or None."""
        if case.wraps is not None:
            return self.judge_wrapped(case, good, found)
        if found.exit_code < 0 or found.exit_code > 5:
            return f"exit {found.exit_code}: {found.err[-300:].decode(errors='replace')}"
        if found.exit_code == 2:
            return "exit 2: a failing call is no misuse of the command line"
        if found.live != 0:
            return f"exit {found.exit_code}, and {found.live} blocks are not released"
        if family == "facts" and found.exit_code == good.exit_code:
            return None  # what a file is decides how it is read, not what comes of it
        if found.exit_code == LOSSY != good.exit_code and not case.remark:
            return f"exit {LOSSY}, though nothing is missing in the input"
        if case.remark and case.remark in found.err and found.exit_code in (0, LOSSY):
            return None  # it says itself why the result is another one
        strange = [name for name, bytes_ in found.files.items()
                   if name not in case.volatile and good.files.get(name) != bytes_]
        if strange:
            return f"exit {found.exit_code}, and these files differ: {' '.join(strange)}"
        if found.exit_code == good.exit_code:
            missing = [name for name in good.files if name not in found.files]
            if missing:
                return f"exit {found.exit_code}, and these files are missing: {' '.join(missing)}"
            if "-" not in case.volatile and good.out != found.out:
                return f"exit {found.exit_code}, and what is printed differs"
        elif not found.err:
            return f"exit {found.exit_code} without a message"
        return None

    def judge_traces(self, files):
        """What tests/judge says of the traces among |files|, or None."""
        for name, content in files.items():
            found = judge_all.problems_of(content)
            if found:
                return f"{name}: {'; '.join(found.values())}"
        return None

    def walk(self, case, family, lasting):
        good = self.run(case, f"{family}:0", f"-{case.name}-{family}")
        problem = self.judge(case, family, good, good)
        if (good.exit_code not in (0, LOSSY) and case.wraps is None) or problem:
            self.findings.append(f"{case.name} {family}: without a failure: "
                                 f"{problem or good.err.decode(errors='replace')}")
            return
        problem = self.judge_traces(good.files)
        if problem:
            self.findings.append(f"{case.name} {family}: {problem}")
        step = self.options.step
        numbers = range(1, good.calls + 1, step)

        def one(number):
            fault = f"{family}:{number}{'+' if lasting else ''}"
            found = self.run(case, fault, f"-{case.name}-{family}-{number}")
            return fault, self.judge(case, family, good, found)

        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for fault, problem in pool.map(one, numbers):
                self.runs += 1
                if problem:
                    self.findings.append(f"{case.name} {fault}: {problem}")
                    print(f"FAIL {self.findings[-1]}", flush=True)
        if self.options.verbose:
            print(f"{case.name} {family}{'+' if lasting else ''}: {good.calls} calls", flush=True)

    def all(self):
        data = f"{self.options.source}/tests/data"
        make_inputs(f"{self.options.bin}/tacho", data, self.made)
        # What is measured of this computer is kept, so that every run has the same.
        subprocess.run([f"{self.options.bin}/tacho", "machine", "show", "host-cpu"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={**os.environ, "XDG_CACHE_HOME": f"{self.work}/cache"})
        for case in cases(data, self.made, self.options.client):
            if self.options.only and case.name not in self.options.only:
                continue
            for family in FAMILIES:
                if self.options.family and family not in self.options.family:
                    continue
                self.walk(case, family, False)
                if family == "memory":
                    self.walk(case, family, True)
        shutil.rmtree(self.work, ignore_errors=True)
        for finding in self.findings:
            print(finding)
        print(f"walk: {self.runs} failing calls, {len(self.findings)} findings")
        return 1 if self.findings or self.runs == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("bin")
    parser.add_argument("dropins")
    parser.add_argument("fault")
    parser.add_argument("source")
    parser.add_argument("--client")
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append")
    parser.add_argument("--family", action="append")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    os.environ.pop("TACHO_HOST_CPU", None)  # what was measured is found under the processor's name
    for name in ("bin", "dropins", "fault", "source"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    options.client = options.client and os.path.abspath(options.client)
    sys.exit(Walker(options).all())


if __name__ == "__main__":
    main()

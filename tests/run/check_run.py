#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models on devices and checks what must hold, whatever the numbers are.

    check_run.py BIN_DIR DROPIN_DIR REPOSITORY

Laws: simulated - estimated is the sum of the named stalls, operator by operator; without limits it
is 0; the same run twice gives the same bytes, wherever memory lies and whatever else the computer
does; the profile of a run is as long as its inference, whatever form it is read back from; cores
write stats no faster than the memory they share; sim and cpu give the same values; Torq's files join
with the debug information of the program; raw stats and traces are read back; memory does not grow
with the inferences that are recorded; metrics are by device; an interrupt leaves what was recorded;
SIGTERM ends a run whatever kernel is at work, and more work than a program may needs --force.
"""
import csv
import json
import math
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

STALLS = ("ddr_cycles", "noc_cycles", "link_cycles", "queue_cycles", "slack_cycles")
DDR_BYTES_PER_NS = 136.5  # of aic100
WORK_SECONDS = 5  # of CPU time at most to refuse a program: takes a hundredth of that
START_SECONDS = 0.5  # of CPU time: a kernel is at work by then
MACHINES = ("torq-sl2610", "aic100", "wormhole-n150", "blackhole-p150", "gemmini-8x8")

problems = []


def require(holds, what):
    if not holds:
        problems.append(what)
        print("FAIL " + what)


def run(*words, expect=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if done.returncode != expect:
        require(False, f"{' '.join(words)}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def tables(text):
    found = {}
    for line in text.splitlines():
        row = json.loads(line)
        found.setdefault(row["table"], []).append(row)
    return found


def run_json(*words):
    return tables(run("tacho", "run", *words, "--format", "json", "-q"))


# ---- the estimate and the device --------------------------------------------------------------

def check_stalls(model, machine):
    where = f"{model.name} on {machine}"
    given = (str(model), "--device", f"sim:{machine}", "--no-values", "--compare")
    limited = run_json(*given)
    for row in limited["compare"]:
        require(row["difference_cycles"] == sum(row[s] for s in STALLS),
                f"{where}: stalls of {row['name']} do not sum up")
        require(row["simulated_cycles"] - row["estimated_cycles"] == row["difference_cycles"],
                f"{where}: difference of {row['name']}")
    total = limited["compare"][-1]
    require(total["name"] == "all operators", f"{where}: no sum")
    require(total["estimated_cycles"] == limited["run"][0]["estimated_cycles"],
            f"{where}: operators do not sum up to the total")
    free = run_json(*given, "--unlimited")
    require(all(row["difference_cycles"] == 0 for row in free["compare"]),
            f"{where}: unlimited is not the estimate")
    require(free["run"][0]["cycles"] == free["run"][0]["estimated_cycles"],
            f"{where}: unlimited takes other cycles than estimated")
    require(limited["run"][0]["cycles"] >= free["run"][0]["cycles"],
            f"{where}: contention made it faster")


def check_contention(model):
    given = (str(model), "--device", "sim:aic100", "--no-values", "--cores", "1", "--compare")
    alone = run_json(*given)["run"][0]["cycles"]
    busy = run_json(*given, "--activations", "16")
    require(busy["run"][0]["cycles"] > alone, f"{model.name}: 16 activations do not hold up")
    require(any(row["ddr_cycles"] > 0 for row in busy["compare"]),
            f"{model.name}: nobody waits for shared memory")


def check_same_twice(model):
    results = []
    for name in ("a", "b"):
        run("tacho", "run", str(model), "--profile", f"{name}.pb", "--output", f"@{name}.npy",
            "--stats-dir", ".", "-q")
        results.append([pathlib.Path(f"{name}{s}").read_bytes() for s in (".pb", ".npy")])
        results[-1] += [p.read_bytes() for p in sorted(pathlib.Path(".").glob("aic-*.bin"))]
    require(results[0] == results[1], f"{model.name}: twice is not the same")
    require(len(results[0]) == 3, f"{model.name}: no raw stats")


def check_same_anywhere(model):
    """Same bytes where addresses are and are not random, alone and beside a busy process."""
    results = []
    busy = None
    for name, before in (("a", ()), ("b", ("setarch", "-R")), ("c", ()), ("d", ("setarch", "-R"))):
        if before and shutil.which(before[0]) is None:
            continue
        if name == "c":
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                    for _ in range(os.cpu_count() or 1)]
        run(*before, "tacho", "run", str(model), "-d", "sim:aic100", "-n", "3", "--samples", "2",
            "--profile", f"{name}.pb", "--output", f"@{name}.npy", "--stats-dir", ".", "-q")
        facts = run_json(str(model), "-d", "sim:aic100", "--no-values")["run"][0]["cycles"]
        results.append([facts] + [pathlib.Path(f"{name}{s}").read_bytes() for s in (".pb", ".npy")])
        results[-1] += [p.read_bytes() for p in sorted(pathlib.Path(".").glob("aic-*.bin"))]
    for child in busy or ():
        child.kill()
        child.wait()
    require(all(r == results[0] for r in results[1:]), f"{model.name}: not the same anywhere")
    require(len(results) >= 2 and len(results[0]) == 5, f"{model.name}: no raw stats")


def check_values(model):
    outputs = set()
    for device in ("sim", "sim:aic100", "cpu"):
        run("tacho", "run", str(model), "--device", device, "--seed", "7", "--kernels",
            "reference", "--output", "@out.npy", "-q")
        outputs.add(pathlib.Path("out.npy").read_bytes())
    require(len(outputs) == 1, f"{model.name}: devices give {len(outputs)} different values")
    run("tacho", "run", str(model), "--seed", "8", "--output", "@out.npy", "-q")
    require(pathlib.Path("out.npy").read_bytes() not in outputs, f"{model.name}: the seed is idle")


# ---- files ------------------------------------------------------------------------------------

def check_torq(model):
    run("tacho", "compile", str(model), "-o", "m.vmfb", "--torq-debug-info=debug", "-q",
        "--dump-compilation-phases-to=phases", "--stats-level", "0")
    debug = {"r0": next(pathlib.Path("phases").glob("*.9.*.mlir")), "r1": "debug", "r2": "debug"}
    for form, where in debug.items():
        run("tacho", "run", "m.vmfb", "--profile", f"{form}.csv", "--profile-format", form, "-q")
        rows = tables(run("tacho", "annotate", str(where), f"{form}.csv", "--format", "json", "-q"))
        jobs = [r for r in rows["annotation"] if r["kind"] == "job"]
        require(jobs and all(j["job"] is not None and j["location"] for j in jobs),
                f"{model.name}: {form}: jobs without number or location")
        require([j["job"] for j in jobs] == list(range(len(jobs))),
                f"{model.name}: {form}: jobs are {[j['job'] for j in jobs]}")
        blocks = run_json("m.vmfb", "--blocks")["blocks"]
        require(len(blocks) == len(jobs), f"{model.name}: {form}: {len(jobs)} of {len(blocks)} jobs")
        for block, job in zip(blocks, jobs):
            require(job["input_end_us"] == block["end_ns"] // 1000,
                    f"{model.name}: {form}: job {job['job']} ends at {job['input_end_us']} us")
        run("tacho", "convert", f"{form}.csv", "-o", f"{form}.pb", "-q")


def check_stats(model):
    run("tacho", "compile", str(model), "-m", "aic100", "-o", "m.qpc", "--stats-level", "100", "-q")
    pathlib.Path("stats").mkdir()
    run("tacho", "run", "m.qpc", "-n", "5", "--samples", "2", "--start-iteration", "0", "-q",
        "--stats-dir", "stats", "--profile", "run.pb")
    files = sorted(str(p) for p in pathlib.Path("stats").iterdir())
    require(len(files) == 2 and "-inf-0-" in files[0] and "-inf-1-" in files[1],
            f"{model.name}: raw stats are {files}")
    of_file = tables(run("tacho", "ops", files[0], "--program", "m.qpc", "--format", "json", "-q",
                         "--top", "0", "--by", "instance"))["ops"]
    of_run = run_json("m.qpc", "--top", "0")["ops"]
    require(sum(r["count"] for r in of_file) > 0, f"{model.name}: no operators in raw stats")
    keep = ("operation", "class", "origin", "count", "total_ns", "location")
    of_file = [r for r in of_file if r["class"] not in ("port", "sync")]  # waits are no operators
    both = [sorted([str(r[k]) for k in keep] for r in rows) for rows in (of_file, of_run)]
    require(both[0] == both[1],
            f"{model.name}: raw stats and the run's own profile differ")
    info = tables(run("tacho", "info", "run.pb", "--format", "json", "-q"))
    require(all(r["origin"] == "simulated" for r in info["inputs"]), "origin of a trace")


def overview_of(file, *more):
    rows = tables(run("tacho", "overview", file, *more, "--format", "json", "-q"))["overview"]
    return {row["metric"]: row["time_ns"] for row in rows}


def check_extent(model):
    """OVERALL is the inference, from its launch on, also where no operator was recorded."""
    for level in ("40", "70"):
        run("tacho", "compile", str(model), "-m", "aic100", "-o", f"m{level}.qpc", "--stats-level",
            level, "-q")
        found = set()
        for suffix in ("pb", "json", "tacho"):
            file = f"m{level}.{suffix}"
            latency = run_json(f"m{level}.qpc", "--profile", file)["latency"][0]["mean_ns"]
            overall = overview_of(file)["OVERALL"]
            found.add(overall)
            require(abs(overall - latency) <= 1,
                    f"{file}: OVERALL {overall}, latency {latency}")
        require(len(found) == 1, f"level {level}: OVERALL is {found}")
    done = subprocess.run(["tacho", "ops", "m40.pb"], capture_output=True, text=True, timeout=300)
    require("--stats-level 70" in done.stderr, f"level 40: {done.stderr}")
    rows = [tables(run("tacho", "ops", f"m70.{s}", "--format", "json", "-q", "--top", "0"))["ops"]
            for s in ("pb", "json", "tacho")]
    require(rows[0] == rows[1] == rows[2], "operators differ by the form of the profile")
    require(any(r["bytes"] for r in rows[0]), "no operator moved bytes")
    require(not any(r["operation"] == "inference" for r in rows[0]), "an inference is no operator")


def check_many_parts(model):
    """What a run writes is read: a part for each inference, and a capture's is the file's."""
    run("tacho", "run", str(model), "-d", "sim:aic100", "-n", "1001", "--samples", "1001", "-q",
        "--no-tables", "--no-values", "--profile", "big.json")
    inputs = tables(run("tacho", "info", "big.json", "--format", "json", "-q"))["inputs"]
    require(len(inputs) == 1001, f"{len(inputs)} of 1001 inferences")
    run("tacho", "run", str(model), "-q", "--no-tables", "--no-values", "--profile", "one.tacho")
    run("tacho", "run", str(model), "-q", "--no-tables", "--no-values", "--profile", "one.pb")
    run("tacho", "convert", "one.tacho", "-o", "two.pb", "-q")
    require(pathlib.Path("one.pb").read_bytes() == pathlib.Path("two.pb").read_bytes(),
            "a capture's trace is another")
    inputs = tables(run("tacho", "info", "one.tacho", "--format", "json", "-q"))["inputs"]
    require(inputs[0]["path"] == "one.tacho", f"a capture was read from {inputs[0]['path']}")


def check_flush(model):
    """Cores together are no faster than the memory that they write to."""
    run("tacho", "compile", str(model), "-m", "aic100", "-o", "m.qpc", "--stats-level", "70", "-q")
    os.mkdir("mix")
    run("tacho", "run", "m.qpc", "--stats-dir", "mix", "--profile", "mix/m.pb", "-q", "--no-tables",
        "--no-values")
    bin_file = next(pathlib.Path("mix").glob("*.bin"))
    run("tacho", "convert", "mix/m.pb", "-o", "spans.csv", "-q")
    with open("spans.csv", newline="", encoding="utf-8") as file:
        rows = [(int(r["start_ns"]), int(r["start_ns"]) + int(r["duration_ns"]))
                for r in csv.DictReader(file) if r["name"] == "stats flush"]
    together = max(sum(start <= other < end for start, end in rows) for other, _ in rows)
    require(together > 4, f"{together} of {len(rows)} cores write together")
    # Cores that had less to do have less to write: what counts is the time in which any of them writes.
    busy, until = 0, 0
    for start, end in sorted(rows):
        busy += max(end - max(start, until), 0)
        until = max(until, end)
    written = bin_file.stat().st_size
    require(busy >= 0.8 * written / DDR_BYTES_PER_NS, f"{written} bytes in {busy} ns")
    page = run("tacho", "report", "mix", "-o", "page.html", "-q", expect=3)
    require(page == "" and pathlib.Path("page.html").stat().st_size > 10000, "no page of a folder")


def check_interrupt(model):
    for number, times in ((signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGINT, 2)):
        shutil.rmtree("cut", ignore_errors=True)
        os.mkdir("cut")
        pathlib.Path("cut.pb").unlink(missing_ok=True)
        child = subprocess.Popen(
            ["tacho", "run", str(model), "-n", "10000000", "--samples", "3", "--stats-dir", "cut",
             "--profile", "cut.pb"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        limit = time.monotonic() + 300
        while len(os.listdir("cut")) < 3 and time.monotonic() < limit:
            time.sleep(0.02)
        for _ in range(times):  # the second may find an inference going on, or the writing of files
            child.send_signal(number)
            time.sleep(0.002)
        out, err = child.communicate(timeout=300)
        require(child.returncode == 130, f"interrupted: exit {child.returncode}: {err[-300:]}")
        require("interrupted" in err and ("Latency" in out or times > 1), "interrupted: no report")
        info = tables(run("tacho", "info", "cut.pb", "--format", "json", "-q"))
        require(len(info["inputs"]) == 3, "interrupted: the trace does not hold what was recorded")


def model_parts(repository):
    sys.path.insert(0, str(repository / "tools"))
    sys.dont_write_bytecode = True
    import make_models
    return make_models.attribute, make_models.data, make_models.number, make_models.value_info


def write_chain(repository, count, path, types, dims):
    _, data, number, value_info = model_parts(repository)
    names = ["x"] + [f"{i:x}" for i in range(count - 1)] + ["y"]
    nodes = b"".join(data(1, data(1, names[i]) + data(2, names[i + 1]) +
                          data(4, types[i % len(types)])) for i in range(count))
    graph = nodes + data(2, "g") + data(11, value_info("x", "f32", list(dims))) + \
        data(12, value_info("y", "f32", list(dims)))
    pathlib.Path(path).write_bytes(number(1, 8) + data(7, graph) +
                                   data(8, data(1, "") + number(2, 13)))


def chain_model(repository, count, path, types=("Relu",), dims=(4,)):
    """
    A model of |count| nodes in a row; returns the memory that it may take, in KiB. Another process
    writes it: what this one has held at most counts for every command that it starts.
    """
    child = os.fork()
    if child == 0:
        try:
            write_chain(repository, count, path, types, dims)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    require(status == 0, f"cannot write {path}")
    return 256 * 1024 + 2 * pathlib.Path(path).stat().st_size // 1024


def check_many_nodes(repository):
    """Memory follows the file: steps of the same kind share a kernel, whichever they are."""
    count = 100000
    limit = chain_model(repository, count, "many.onnx")
    words = ["tacho", "run", "many.onnx", "-d", "cpu", "-q", "--no-tables", "--input=4xf32=-1 2 -3 4",
             "--output=-"]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = child.stdout.read().decode() + child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    require(status == 0 and "=0 2 0 4" in said, f"{' '.join(words)}: {said[-300:]}")
    folder = os.environ.get("PATH", "").split(":")[0]
    is_sanitised = any(name in folder for name in ("asan", "tsan", "msan"))
    require(is_sanitised or usage.ru_maxrss < limit, f"{count} nodes: {usage.ru_maxrss} KiB")


def check_million_nodes(repository):
    """Two bytes of memory per byte of model and 256 MiB are enough to compile and run any."""
    limit = chain_model(repository, 1000000, "million.onnx")
    run_words = ["tacho", "run", "million.onnx", "-q", "--no-tables"]
    for words in (["tacho", "compile", "million.onnx", "-m", "torq-sl2610", "-o", "m.qpc", "-q"],
                  ["tacho", "compile", "million.onnx", "-m", "aic100", "-o", "m.qpc", "-q"],
                  [*run_words, "-d", "cpu"],
                  [*run_words, "-d", "cpu", "--kernels", "reference"],
                  [*run_words, "-d", "sim:aic100"]):
        run_within(words, limit)
    # A kernel that may lose NaN has all steps computed again; what was made of them is not there twice.
    run_within([*run_words, "-d", "cpu", "--input=4xf32=nan 2 -3 4", "--output=@nan.npy"], limit)
    got = struct.unpack("<4f", pathlib.Path("nan.npy").read_bytes()[-16:])
    require(math.isnan(got[0]) and got[1:] == (2.0, 0.0, 4.0), f"a million nodes and NaN: {got}")
    chain_model(repository, 1000000, "million.onnx", ("Relu", "Sigmoid", "Tanh", "Abs"))
    run_within([*run_words, "-d", "cpu"], limit)
    limit = chain_model(repository, 1000000, "million.onnx", ("Softmax",))
    said = run_within([*run_words, "-d", "cpu"], limit, 1)
    require("1000000 operators take about" in said and "use --force" in said, said)
    limit = chain_model(repository, 100000, "many.onnx", ("Transpose",), (2, 3))
    words = ["tacho", "compile", "many.onnx", "-m", "aic100", "-q"]
    said = run_within(words, limit, 1)
    require("the jobs of the first" in said and "use --force" in said, said)


def run_within(words, limit, expect=0):
    """Runs a command that may take |limit| KiB; returns what it says."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    require(os.waitstatus_to_exitcode(status) == expect, f"{' '.join(words)}: {said[-300:]}")
    require(usage.ru_maxrss < limit, f"{' '.join(words)}: {usage.ru_maxrss} of {limit} KiB")
    return said


def slow_model(repository, count, path):
    """Operators of 4000^3 products: minutes each, five are more than a program may."""
    attribute, data, number, value_info = model_parts(repository)
    nodes = (b"".join(data(1, name) for name in "abc") + data(2, f"y{i}") + data(4, "Einsum") +
             data(5, attribute("equation", "i,j,k->")) for i in range(count))
    graph = b"".join(data(1, node) for node in nodes) + data(2, "g") + \
        b"".join(data(12, value_info(f"y{i}", "f32", [])) for i in range(count)) + \
        b"".join(data(11, value_info(name, "f32", [4000])) for name in "abc")
    pathlib.Path(path).write_bytes(number(1, 8) + data(7, graph) +
                                   data(8, data(1, "") + number(2, 13)))


def cpu_seconds(child):
    """CPU time of a child that has not been waited for, in seconds: says what it did on a busy computer, too."""
    words = pathlib.Path(f"/proc/{child.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def is_computing(child, seconds):
    """Waits until the child has computed for so long (True), or has ended (False)."""
    limit = time.monotonic() + 300
    while child.poll() is None and time.monotonic() < limit:
        if cpu_seconds(child) >= seconds:
            return True
        time.sleep(0.02)
    return False


def check_terminate(repository):
    """SIGTERM does not wait for a kernel that takes minutes."""
    if "build-tsan" in os.environ["PATH"].split(":")[0]:
        return  # which holds a signal back until the next call of the system; a kernel makes none
    slow_model(repository, 1, "slow.onnx")
    for more, code in (((), -signal.SIGTERM), (("--profile", "slow.pb"), 130)):
        child = subprocess.Popen(["tacho", "run", "slow.onnx", "-d", "cpu", "-q", *more],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        require(is_computing(child, START_SECONDS), "the slow model is not slow")
        before = cpu_seconds(child)
        child.send_signal(signal.SIGTERM)
        # A kernel that goes on takes CPU time, however busy the computer is; one that ends does not.
        goes_on = is_computing(child, before + 2)
        child.kill()
        child.communicate(timeout=300)
        require(not goes_on, f"SIGTERM {more}: it computes for 2 s more")
        require(child.returncode == code, f"SIGTERM {more}: exit {child.returncode}")


def check_work(repository):
    """A file of more work than its data explains is refused; the model itself is begun."""
    slow_model(repository, 5, "slow.onnx")
    run("tacho", "compile", "slow.onnx", "-m", "aic100", "-o", "slow.qpc", "-q", expect=3)
    os.makedirs("slow", exist_ok=True)
    shutil.copy("slow.qpc", "slow/programqpc.bin")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for words in (["tacho", "run", "slow.qpc", "-d", "cpu", "-q"], ["qaic-runner", "-t", "slow"]):
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        has_begun = is_computing(child, WORK_SECONDS)
        child.kill()
        said = child.communicate(timeout=300)[1]
        require(not has_begun, f"work: {words} is not refused: it computes")
        require(child.returncode == 1 and "run it with 'tacho run --force'" in said,
                f"work: {words}: exit {child.returncode}: {said}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    refusals = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # What computes for longer than ten refusals is not one more.
    for words in (["slow.onnx"], ["slow.qpc", "--force"]):
        child = subprocess.Popen(["tacho", "run", *words, "-d", "cpu", "-q"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        is_run = is_computing(child, max(START_SECONDS, 5 * refusals))
        child.kill()
        said = child.communicate(timeout=300)[1]
        require(is_run, f"{words} is not run: exit {child.returncode}: {said}")


def check_samples(model):
    """Memory does not grow with the number of recorded inferences that are written."""
    run("tacho", "compile", str(model), "-m", "aic100", "-o", "m.qpc", "--stats-level", "70", "-q")
    peaks = []
    for count in (200, 800):
        os.mkdir(f"s{count}")
        words = ["tacho", "run", "m.qpc", "--no-values", "-n", str(count), "--samples", str(count),
                 "--stats-dir", f"s{count}"]
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"})
        said = child.stderr.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        require(status == 0, f"{' '.join(words)}: {said[-300:]}")
        files = list(pathlib.Path(f"s{count}").iterdir())
        require(len(files) == count, f"{count} samples: {len(files)} files")
        require(f"of {count} recorded inferences" in said, f"{count} samples: tables of all: {said}")
        shutil.rmtree(f"s{count}")
        peaks.append(usage.ru_maxrss)
    require(peaks[1] < peaks[0] * 1.1, f"memory grows with samples: {peaks} KiB")


def check_runner(model):
    """Metrics of several devices are apart, and without the flush."""
    os.mkdir("b")
    run("tacho", "compile", str(model), "-m", "aic100", "--cores", "4", "--devices", "2", "-o",
        "b/programqpc.bin", "--stats-level", "100", "--ddr-stats", "--pmu-recipe", "KernelUtil", "-q")
    rows = {}
    words = ("qaic-runner", "-t", "b", "-n", "3", "-q", "--aic-profiling-num-samples", "2",
             "--aic-profiling-type", "latency", "--aic-profiling-type", "raw_device_stats")
    for line in run(*words).splitlines():
        if "_Func_0" in line:
            rows[line.split()[0]] = [float(v) for v in line.split()[1:]]
    for metric in ("ExecTimeUs", "InfPCycles", "InfPerSec", "HMXActivePct", "HVXActivePct",
                   "DMAActivePct", "DDRTrafficMB", "DDRBandwidthGBPerSec"):
        both = [rows.get(f"{metric}_Dev_{n}_Func_0") for n in (0, 1)]
        require(all(both) and both[0][0] != both[1][0], f"runner: {metric}: {both}")
    require(len(rows) == 20, f"runner: {sorted(rows)}")
    cycles = run_json("b/programqpc.bin", "--no-values")["run"][0]["cycles"]
    most = max(rows[f"InfPCycles_Dev_{n}_Func_0"][0] for n in (0, 1))
    require(most == cycles, f"runner: {most} cycles, {cycles} without the flush")
    lines = pathlib.Path("aic-profiling-program-0-latency.txt").read_text().splitlines()
    latencies = [(row["Sample"], row["activation"], row["device"]) for row in csv.DictReader(lines[5:])]
    require(latencies == [("0", "0", "0"), ("0", "0", "1"), ("1", "0", "0"), ("1", "0", "1")],
            f"runner: latencies {lines[4:]}")


def check_link(repository):
    """A run of the runner ends when its outputs have arrived, and a batch counts as inferences."""
    link_bytes_per_us, output_bytes = 15750, 2048 * 1024 * 4
    run(sys.executable, str(repository / "tools/make_models.py"), "gemm", "--m", "2048", "--k", "16",
        "--n", "1024", "-o", "g.onnx")
    for name, options in (("one", ()), ("eight", ("-stats-batchsize=8",))):
        run("qaic-compile", "-model=g.onnx", f"-aic-binary-dir={name}", *options, "-q")
    for count in (1, 2, 10):
        words = run("qaic-runner", "-t", "one", "-n", str(count), "-q").splitlines()[-1].split()
        least = count * output_bytes / link_bytes_per_us
        require(int(words[3][:-2]) >= least, f"runner: {count} outputs in {words[3]}, {least:.0f} us of the link")
    report = run("qaic-runner", "-t", "eight", "-n", "1", "-q", "--aic-profiling-type", "latency",
                 "--aic-profiling-num-samples", "1").splitlines()
    words = report[-1].split()
    row = pathlib.Path("aic-profiling-program-0-latency.txt").read_text().splitlines()[-1].split(",")
    require(words[3] == f"{float(row[-1]):.0f}us", f"runner: {words} for a round trip of {row[-1]} us")
    require(words[1] == words[5] == "8", f"runner: a batch of 8: {words}")
    rate, exec_us = (float(line.split()[1]) for name in ("InfPerSec", "ExecTimeUs")
                     for line in report if line.startswith(name))
    require(abs(rate * exec_us / 8e6 - 1) < 1e-3, f"runner: {rate} inferences of 8 per {exec_us} us")


def check_host(model):
    """Streams of cpu say what they are, whatever the program was compiled for."""
    for machine in ("aic100", "torq-sl2610", "host-cpu"):
        run("tacho", "compile", str(model), "-m", machine, "-o", "m.bin", "--stats-level", "70", "-q")
        os.mkdir(machine)
        run("tacho", "run", "m.bin", "-d", "cpu", "--stats-dir", machine, "-q", "--no-tables")
        file = str(next(pathlib.Path(machine).iterdir()))
        info = tables(run("tacho", "info", file, "--program", "m.bin", "--format", "json", "-q"))
        require([t["track"] for t in info["tracks"]] == ["Host", "CPU"],
                f"cpu: {machine}: tracks {info['tracks']}")
        require(info["inputs"][0]["origin"] == "measured", f"cpu: {machine}: origin")
        ops = tables(run("tacho", "ops", file, "--program", "m.bin", "--format", "json", "-q"))["ops"]
        require({"Softmax", "Add"} <= {r["operation"] for r in ops}, f"cpu: {machine}: {ops}")
        run("tacho", "convert", file, "--program", "m.bin", "-o", "h.json", "-q")
        text = pathlib.Path("h.json").read_text()
        require("stats.not_recorded" in text and "pcycles" not in text and "MHz" not in text,
                f"cpu: {machine}: cycles, or nothing said of them")


def check_pipes(model):
    """A pipe is read; one that nobody writes to is at least announced."""
    os.mkfifo("x.bin")
    os.mkfifo("x.pb")
    child = subprocess.Popen(["tacho", "run", str(model), "-i", "@x.bin", "--no-tables"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = child.stderr.readline()
    require("x.bin is a pipe: waiting" in said, f"pipe: {said}")
    pathlib.Path("x.bin").write_bytes(bytes(3 * 64 * 64 * 4))
    out, err = child.communicate(timeout=300)
    require(child.returncode == 0 and "1x100xf32" in out, f"pipe: {err}")
    run("tacho", "run", str(model), "-i", "@x.pb", expect=2)


def judge_traces(repository, folder):
    """Every trace that a step wrote is one that viewers read as it was meant."""
    paths = [path for path in pathlib.Path(str(folder)).rglob("*")
             if path.is_file() and path.suffix in (".pb", ".json")]
    judge = repository / "tests/judge/judge_all.py"
    done = subprocess.run([sys.executable, "-B", str(judge), *map(str, paths)], capture_output=True,
                          text=True, check=False) if paths else None
    require(done is None or done.returncode == 0, f"judged: {done and done.stderr[:2000]}")


def finish():
    os.chdir("/")
    print(f"run: {len(problems)} problems")
    sys.exit(1 if problems else 0)


def main():
    bin_dir, dropin_dir, repository = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
    os.environ["PATH"] = f"{dropin_dir}:{bin_dir}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory(prefix="tacho-run.") as folder:
        os.chdir(folder)
        if "--million" in sys.argv:
            check_million_nodes(repository)
            finish()
        maker = [sys.executable, str(repository / "tools/make_models.py")]
        for kind in ("mobilenet", "transformer", "cnn"):
            subprocess.run(maker + [kind, "-o", f"{kind}.onnx"], check=True, timeout=300)
        mobilenet = pathlib.Path("mobilenet.onnx").resolve()
        transformer = pathlib.Path("transformer.onnx").resolve()
        for model in (mobilenet, transformer, repository / "tests/data/compile/block.mlir"):
            for machine in MACHINES:
                check_stalls(model, machine)
        steps = ((check_contention, transformer), (check_same_twice, mobilenet),
                 (check_same_anywhere, transformer), (check_extent, transformer),
                 (check_many_parts, repository / "tests/data/run/pair.mlir"),
                 (check_flush, transformer),
                 (check_values, mobilenet),
                 (check_torq, repository / "samples/tosa/fc.mlir"), (check_torq, mobilenet),
                 (check_stats, transformer), (check_samples, mobilenet), (check_runner, transformer),
                 (check_link, repository),
                 (check_host, mobilenet), (check_pipes, mobilenet),
                 (check_interrupt, repository / "tests/data/run/pair.mlir"),
                 (check_terminate, repository), (check_work, repository),
                 (check_many_nodes, repository))
        for number, (step, model) in enumerate(steps):
            os.mkdir(str(number))
            os.chdir(str(number))
            step(model)
            os.chdir("..")
            judge_traces(repository, number)
        finish()


main()

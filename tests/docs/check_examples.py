#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every example runs: those of README.md and docs/*.md, and those that --help and man pages show.

    check_examples.py BIN_DIR DROPIN_DIR SOURCE_DIR

The examples of a page run one after the other in a directory of their own, which holds the files that
examples name. Only commands of tacho and its drop-ins are run; what they print is not checked, but
they have to succeed.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skips  # pylint: disable=wrong-import-position

BIN, DROPIN, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
TACHO = f"{BIN}/tacho"
DATA = f"{SOURCE}/tests/data"
ENV = {**os.environ, "PATH": f"{BIN}:{DROPIN}:{os.environ['PATH']}", "TACHO_HOST_CPU": "built-in"}
NAMES = sorted(os.listdir(DROPIN))
# Programs of examples that a computer may lack, and the packages that have them.
OPTIONAL = {"clpeak": "clpeak", "jq": "jq", "mpirun": "openmpi-bin", "zstd": "zstd"}
RUNS = re.compile(r"^(tacho|" + "|".join(map(re.escape, NAMES)) + r") ")
# Words that stand for something else than a file: an example for the eye, not for the shell.
PLACEHOLDER = re.compile(r"(?<![-\w=<{])(FILE|COMMAND|NAME|DIR|PROGRAM|RUNTIME|MODEL|DEBUG|VALUE)\b")
TOSA = """func.func @main(%x: tensor<{shape}xi8>) -> tensor<{shape}xi8> {{
  %y = tosa.abs %x : (tensor<{shape}xi8>) -> tensor<{shape}xi8>
  return %y : tensor<{shape}xi8>
}}
"""


STEP = '[{{"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":{time}}}]'


def obstacle(command):
    """Why a command cannot run here: a package is missing, or OpenCL has no device. Or None."""
    words = re.findall(r"[\w.-]+", command) + (["zstd"] if ".zst" in command else [])
    for word in words:
        if word in OPTIONAL and not shutil.which(word):
            return f"{OPTIONAL[word]} is not installed"
    if "clpeak" in words and run("clpeak --kernel-latency", "/").returncode != 0:
        return "clpeak does not run here; it needs an OpenCL platform such as pocl-opencl-icd"
    return None


def run(command, cwd):
    return subprocess.run(["bash", "-c", command], cwd=cwd, env=ENV, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)


def must(command, cwd):
    done = run(command, cwd)
    assert done.returncode == 0, (command, done.stderr)


def copy(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(source, target)


def make_board(at):
    """An ssh whose every host is this computer, at home in a directory of its own."""
    os.makedirs(f"{at}/bin")
    os.makedirs(f"{at}/home")
    with open(f"{at}/bin/ssh", "w", encoding="utf-8") as target:
        target.write("#!/bin/sh\nwhile [ $1 != -- ]; do shift; done; shift 2\n"
                     f"HOME='{at}/home' TACHO_BOARD_LOCK='{at}/lock'; export HOME TACHO_BOARD_LOCK\n"
                     'cd "$HOME" && exec /bin/sh -c "$*"\n')
    os.chmod(f"{at}/bin/ssh", 0o755)
    ENV["PATH"] = f"{at}/bin:{ENV['PATH']}"


def make_profiles(at):
    must(f"python3 {SOURCE}/tools/example_profiles.py .", at)
    copy(f"{DATA}/annotate/clean_r2i.csv", f"{at}/runtime.csv")
    copy(f"{at}/compile.csv", f"{at}/timeline.csv")
    copy(f"{at}/compile.csv", f"{at}/big.csv")
    copy(f"{at}/compile.csv", f"{at}/results/compile.csv")
    copy(f"{at}/runtime.csv", f"{at}/results/runtime.csv")
    if shutil.which("zstd"):
        must("zstd -q big.csv -o big.csv.zst", at)
    for name in ("trace", "rank0", "rank1"):
        copy(f"{DATA}/chrome/kineto.json", f"{at}/{name}.json")
    copy(f"{DATA}/tracy/v0_14.tracy", f"{at}/run.tracy")
    must(f"python3 {SOURCE}/bench/gen_nsys.py 200 run.sqlite", at)
    copy(f"{DATA}/rocm/v3.db", f"{at}/results.db")
    copy(f"{DATA}/tenstorrent/ops_v1.csv", f"{at}/ops_perf_results.csv")
    copy(f"{DATA}/tenstorrent/replays/profile_log_device.csv", f"{at}/profile_log_device.csv")
    for name in (".logs", "reports/2026_08_10_19_14_28"):
        shutil.copytree(f"{DATA}/tenstorrent/replays", f"{at}/generated/profiler/{name}")


def make_measured(at):
    """gemm.csv: products as measured on a p150 that takes 5000 cycles to start each."""
    sys.path.insert(0, f"{SOURCE}/bench")
    import accuracy
    with open(f"{SOURCE}/machines/blackhole-p150.json", encoding="utf-8") as file:
        machine = json.load(file)
    machine["launch_cycles"]["value"] = 5000
    with open(f"{at}/slow.json", "w", encoding="utf-8") as target:
        json.dump(machine, target)
    rows = [{"machine": f"{at}/slow.json", "m": size, "k": size, "n": size, "dtype": "bf16",
             "fidelity": "HiFi2", "grid": (13, 10), "place": ["dram"] * 3, "tuned": False}
            for size in range(256, 2049, 256)]
    cycles = accuracy.estimate(TACHO, rows)
    with open(f"{at}/gemm.csv", "w", encoding="utf-8") as target:
        target.write("M,K,N,dtype,fidelity,grid_x,grid_y,cycles\n")
        for row, took in zip(rows, cycles):
            target.write(f"{row['m']},{row['k']},{row['n']},bf16,HiFi2,13,10,{took}\n")


def make_models(at):
    must(f"python3 {SOURCE}/tools/make_models.py mobilenet -o model.onnx", at)
    must(f"python3 {SOURCE}/tools/make_models.py gemm --m 256 --k 256 --n 256 -o gemm.onnx", at)
    copy(f"{DATA}/compile/decoder.onnx", f"{at}/decoder.onnx")
    copy(f"{DATA}/compile/open.onnx", f"{at}/open/model.onnx")  # leaves dimension N open
    copy(f"{DATA}/compile/choice.onnx", f"{at}/vad.onnx")
    copy(f"{DATA}/compile/steps.onnx", f"{at}/decode.onnx")
    copy(f"{SOURCE}/samples/tosa/fc.mlir", f"{at}/samples/tosa/fc.mlir")
    for name, shape in (("model", "1x1280"), ("add", "1x1280"), ("large", "1x56x56x24")):
        with open(f"{at}/{name}.mlir", "w", encoding="utf-8") as target:
            target.write(TOSA.format(shape=shape))


def make_programs(at):
    """Programs and raw stats, which belong together."""
    must("tacho compile model.mlir -o model.vmfb -q", at)
    must("tacho compile large.mlir -o large.vmfb -q", at)
    make_measured(at)
    must("tacho compile model.onnx -m aic100 --stats-level 70 -o programqpc.bin -q", at)
    copy(f"{at}/programqpc.bin", f"{at}/binaries/programqpc.bin")
    must("tacho run programqpc.bin --stats-dir stats -q", at)
    for name in ("model", "compilation_phases/fc", "debug/model"):
        copy(f"{DATA}/annotate/clean.9.executable-targets.mlir",
             f"{at}/{name}.9.executable-targets.mlir")


def make_training(at):
    """A program that a capture can run anywhere."""
    with open(f"{at}/train.py", "w", encoding="utf-8") as target:
        target.write("print('trained')\n")


def make_fleet(at):
    """The ranks of a job on two hosts."""
    must(f"python3 {SOURCE}/tests/fleet/gen_fleet.py traces --hosts 2 --devices 2", at)
    for seed, job in enumerate(("4711", "4712")):
        must(f"python3 {SOURCE}/tests/fleet/gen_fleet.py jobs --hosts 2 --devices 2 --run {job} --seed {seed}", at)


def make_sides(at):
    """Before and after, each as one file and as a directory of five."""
    for side, more in (("old", 0), ("new", 1)):
        os.mkdir(f"{at}/{side}")
        for number in range(5):
            with open(f"{at}/{side}/{number}.json", "w", encoding="utf-8") as target:
                target.write(STEP.format(time=10000 + number + more))
    copy(f"{at}/old/0.json", f"{at}/before.json")
    copy(f"{at}/new/0.json", f"{at}/after.json")
    for number in (1, 2, 3):
        copy(f"{at}/old/{number}.json", f"{at}/run{number}.json")
        copy(f"{at}/new/{number}.json", f"{at}/new{number}.json")
    must("tacho compile model.onnx --profile estimate.tacho -q", at)
    must("tacho run model.onnx --no-values --profile run.tacho -q", at)


def fitted(command):
    """|command| with the file that has what its options are about."""
    if "--dim N=" in command:
        command = command.replace("model.onnx", "open/model.onnx")
    if "1x56x56x24xi8" in command:
        command = command.replace("model.vmfb", "large.vmfb")
    return command


def make_way(command, at):
    """Removes what the command is to write, and will not replace or mix with its own."""
    if command.startswith("torq-compile"):
        shutil.rmtree(f"{at}/compilation_phases", ignore_errors=True)
    if command.startswith("qaic-runner"):
        shutil.rmtree(f"{at}/stats", ignore_errors=True)
        os.mkdir(f"{at}/stats")


def join_lines(text):
    return re.sub(r" \\\n\s*", " ", text)


def examples_of_page(text):
    """Commands in blocks of shell, and in those that are indented."""
    for block in re.findall(r"^```sh\n(.*?)^```|((?:^    [^\n]*\n)+)", text, re.M | re.S):
        for line in join_lines(block[0] or block[1]).split("\n"):
            line = line.strip().removeprefix("$ ")
            if RUNS.match(line) and not PLACEHOLDER.search(line.split("#")[0]):
                yield line


def examples_of_help(topic):
    shown = subprocess.run([TACHO, "help", topic], capture_output=True, text=True, check=True).stdout
    body = shown[shown.index("\nExamples:\n"):shown.rindex("\nExit status")]
    return [line for line in join_lines(body).split("\n") if RUNS.match(line)]


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tacho-examples.")
        cls.files = f"{cls.folder.name}/files"
        ENV["HOME"] = cls.folder.name  # that of the user may be read-only
        os.mkdir(cls.files)
        make_profiles(cls.files)
        make_models(cls.files)
        make_programs(cls.files)
        make_training(cls.files)
        make_fleet(cls.files)
        make_sides(cls.files)
        make_board(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_page(self, page, commands):
        at = f"{self.folder.name}/{re.sub(r'[^a-z]', '_', page)}"
        shutil.copytree(self.files, at)
        for command in commands:
            make_way(command, at)
            with self.subTest(page=page, command=command):
                reason = obstacle(command)
                if reason:
                    self.skipTest(reason)
                done = run(fitted(command), at)
                self.assertEqual(done.returncode, 0, done.stderr)
        shutil.rmtree(at)

    def test_help(self):
        commands = re.findall(r"^  ([a-z]+) ", subprocess.run([TACHO, "help"], capture_output=True,
                                                              text=True, check=True).stdout, re.M)
        count = 0
        for topic in [*commands, *NAMES]:
            examples = examples_of_help(topic)
            self.assertTrue(examples, topic)
            count += len(examples)
            self.run_page(topic, examples)
        self.assertGreater(count, 35)

    def test_pages(self):
        count = 0
        for path in [f"{SOURCE}/README.md", *sorted(glob.glob(f"{SOURCE}/docs/*.md"))]:
            with open(path, encoding="utf-8") as page:
                examples = list(examples_of_page(page.read()))
            count += len(examples)
            self.run_page(os.path.basename(path), examples)
        self.assertGreater(count, 25)


if __name__ == "__main__":
    skips.main([sys.argv[0], *sys.argv[4:]])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The values of models on this computer, against ONNX Runtime: a table of 16 models.

    bench/speed.py BUILD_DIR [--models DIR] [--only NAME,...] [--rounds N] [--repeat N]

Each model is run by both in turns, --rounds times, and the median of the rounds counts. Columns:

    1         one thread, by the processor's time: whoever else is at work matters less
    2         two threads, by the clock
    2 loaded  the same beside two processes that never wait
    2/1       tacho with two threads to tacho with one, by the clock, idle and loaded
    AVX2      one thread, tacho limited to AVX2 against ONNX Runtime without a limit, which has none

Made models come from bench/speed_models.py, others from DIR (../shared/data/models), with random
weights. ONNX Runtime is fetched by npm into a temporary folder, or taken from $ORT_MODULES; without
node, npm or the onnx package nothing is compared (exit code 77)."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = "/usr/bin/python3"
MADE = ["encoder", "decoder", "decoder_f16", "lstm", "conv1d", "unet", "llama_4bit", "matmul_4bit",
        "matmul_4bit_a8", "matmul_4bit_64", "ocr_dynamic", "encoder_dynamic"]
GIVEN = {"resnet50": "light/light_resnet50.onnx", "squeezenet": "light/light_squeezenet.onnx",
         "mobilenetv2": "mobilenetv2_shapes.onnx", "mobilenetv2_int8": "mobilenetv2_qdq.onnx"}
DIMS = {"mobilenetv2_int8": ["--dim", "batch=1"]}


def skip(reason):
    print("skip: " + reason)
    sys.exit(77)


def output_of(command, **options):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         check=False, **options)
    if run.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(command[:3]), run.stderr.strip()[-300:]))
    return run.stdout


def make_models(folder, models, wanted):
    subprocess.run([PYTHON, os.path.join(HERE, "bench/speed_models.py"), folder], check=True)
    for name in [name for name in GIVEN if name in wanted]:
        source, path = os.path.join(models, GIVEN[name]), os.path.join(folder, name + ".onnx")
        if not os.path.exists(source):
            print("not compared: no " + source)
        elif name.endswith("int8"):
            shutil.copy(source, path)
        else:
            tool = os.path.join(HERE, "tools/random_weights.py")
            output_of([PYTHON, tool, source, "-o", path])
    return [(name, os.path.join(folder, name + ".onnx")) for name in wanted
            if os.path.exists(os.path.join(folder, name + ".onnx"))]


class Load:
    """Two processes that never wait."""

    def __enter__(self):
        self.busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]

    def __exit__(self, *_):
        for process in self.busy:
            process.kill()
            process.wait()


class Bench:
    def __init__(self, arguments, work, modules):
        self.run_model = os.path.join(arguments.build, "bench/run_model")
        self.rounds, self.repeat, self.work = arguments.rounds, arguments.repeat, work
        self.node = dict(os.environ, NODE_PATH=modules)

    def ours(self, name, path, threads, cpu, limit=None, save=None):
        command = [self.run_model, path, "--threads", str(threads), "--repeat", str(self.repeat)]
        command += DIMS.get(name, []) + (["--cpu"] if cpu else []) + (["--save", save] if save else [])
        environment = dict(os.environ, **({"ONEDNN_MAX_CPU_ISA": limit} if limit else {}))
        return float(output_of(command, env=environment).split("\t")[2])

    def theirs(self, path, threads, cpu):
        script = os.path.join(HERE, "tests/oracle/speed.js")
        line = output_of(["node", script, path, self.work, str(threads), str(self.repeat)],
                         env=self.node)
        fields = line.split("\t")
        return float(fields[2 if cpu else 1]), float(fields[3])

    def pair(self, name, path, threads, cpu, limit=None):
        """Medians of both, in turns, and how far their outputs are apart."""
        mine, other, away = [], [], 0
        for _ in range(self.rounds):
            mine.append(self.ours(name, path, threads, cpu, limit, save=self.work))
            took, away = self.theirs(path, threads, cpu)
            other.append(took)
        return statistics.median(mine), statistics.median(other), away

    def one_and_two(self, name, path):
        """Two threads to one, by the clock, in turns."""
        pairs = [(self.ours(name, path, 1, False), self.ours(name, path, 2, False))
                 for _ in range(self.rounds)]
        return statistics.median(two for _, two in pairs) / statistics.median(one for one, _ in pairs)

    def row(self, name, path):
        one, other_one, away = self.pair(name, path, 1, True)
        two, other_two, _ = self.pair(name, path, 2, False)
        idle = self.one_and_two(name, path)
        with Load():
            loaded, other_loaded, _ = self.pair(name, path, 2, False)
            busy = self.one_and_two(name, path)
        narrow, other_narrow, _ = self.pair(name, path, 1, True, "AVX2")
        cells = ["%.3f" % one, "%.3f" % other_one, "%.2f" % (one / other_one),
                 "%.3f" % two, "%.3f" % other_two, "%.2f" % (two / other_two),
                 "%.3f" % loaded, "%.3f" % other_loaded, "%.2f" % (loaded / other_loaded),
                 "%.2f" % idle, "%.2f" % busy, "%.2f" % (narrow / other_narrow), "%.0e" % away]
        print("| %s | %s |" % (name, " | ".join(cells)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--models", default=os.path.join(HERE, "../shared/data/models"))
    parser.add_argument("--only")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=20)
    arguments = parser.parse_args()
    wanted = arguments.only.split(",") if arguments.only else list(GIVEN) + MADE
    if shutil.which("node") is None:
        skip("no node")
    if subprocess.run([PYTHON, "-c", "import onnx, numpy"], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        skip("no onnx package for " + PYTHON)
    with tempfile.TemporaryDirectory() as work:
        modules = os.environ.get("ORT_MODULES")
        if modules is None:
            npm = ["npm", "install", "onnxruntime-node", "--ignore-scripts", "--no-audit", "--no-fund"]
            if shutil.which("npm") is None or subprocess.run(
                    npm, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    check=False).returncode != 0:
                skip("npm cannot install onnxruntime-node")
            modules = os.path.join(work, "node_modules")
        values = os.path.join(work, "values")
        os.mkdir(values)
        bench = Bench(arguments, values, modules)
        print("| model | 1: tacho, ms | ORT | ratio | 2: tacho, ms | ORT | ratio "
              "| 2 loaded: tacho, ms | ORT | ratio | 2/1 idle | 2/1 loaded | AVX2 ratio | apart |")
        print("|" + "---|" * 14, flush=True)
        for name, path in make_models(os.path.join(work, "models"), arguments.models, wanted):
            try:
                bench.row(name, path)
            except RuntimeError as error:
                print("| %s | %s |" % (name, error), flush=True)


if __name__ == "__main__":
    main()

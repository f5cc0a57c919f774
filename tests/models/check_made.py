#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example models: the same bytes as ever, accepted by the onnx package's checker with its own
shape inference. The seeds of the fuzzer are what their script makes.

Usage: check_made.py KEEP_FOLDER [--bless]
The models are left in KEEP_FOLDER. Without the onnx package only the bytes are checked."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUMS = HERE / "made.sha256"
CORPUS = ROOT / "tests" / "fuzz" / "corpus" / "fuzz_onnx"
MORE = {f"gemm_{dtype}": f"gemm --m 3 --k 5 --n 7 --dtype {dtype} --constant-b"
        for dtype in ("f32", "f64", "f16", "bf16", "i8", "u8")}
MORE |= {"chain": "chain --nodes 1000", "seed2": "cnn --seed 2", "batch4": "mobilenet --batch 4",
         "symbolic": "transformer --batch N --sequence S", "external": "cnn --weights external"}


def make(folder):
    tool = [sys.executable, str(ROOT / "tools" / "make_models.py")]
    subprocess.run(tool + ["all", str(folder)], check=True, stdout=subprocess.DEVNULL)
    for name, arguments in MORE.items():
        subprocess.run(tool + arguments.split() + ["-o", str(folder / (name + ".onnx"))],
                       check=True)


def sums(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.iterdir()) if path.is_file()}


def check_models(folder):
    """The names of models that the checker refuses; runs in Debian's Python if need be."""
    code = ("import onnx, sys\n"
            "for path in sys.argv[1:]:\n"
            "    onnx.checker.check_model(path, full_check=True)\n")
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import onnx"], capture_output=True,
                          check=False).returncode == 0:
            paths = [str(path) for path in sorted(folder.glob("*.onnx"))]
            done = subprocess.run([python, "-c", code] + paths, check=False)
            print(f"checker: {len(paths)} models")
            return done.returncode
    print("no onnx package: bytes checked only")
    return 0


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    make(folder)
    found = sums(folder)
    if "--bless" in sys.argv:
        SUMS.write_text("".join(f"{value}  {name}\n" for name, value in found.items()))
        subprocess.run([sys.executable, str(HERE / "make_corpus.py"), str(CORPUS)], check=True)
    expected = dict(reversed(line.split()) for line in SUMS.read_text().splitlines())
    failed = [name for name in expected.keys() | found.keys()
              if expected.get(name) != found.get(name)]
    with tempfile.TemporaryDirectory() as corpus:
        subprocess.run([sys.executable, str(HERE / "make_corpus.py"), corpus], check=True)
        made, kept = sums(pathlib.Path(corpus)), sums(CORPUS)
        failed += ["seed " + name for name in made if made[name] != kept.get(name)]
    for name in sorted(failed):
        print(f"FAIL {name}: other bytes than expected")
    return 1 if failed or check_models(folder) != 0 else 0


os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--tuned never takes longer: models on every machine that has a tuning, with and without it.

    tuned.py TACHO MAKE_MODELS [MODELS] [--seeds N]

Models are those of tools/make_models.py, N products of seeded-random sizes and types, and every .onnx below the folder
MODELS. Each is estimated as it is, with a batch, in another type and on a part of the grid. Prints what takes longer,
as a whole or one operator of it, and fails then, or if no machine has a tuning."""
import csv
import io
import pathlib
import random
import subprocess
import sys
import tempfile

OPTIONS = ([], ["--batch", "4"], ["--dtype", "bf16", "--fidelity", "HiFi4"], ["--grid", "4x4"],
           ["--grid", "4x4", "--place", "in0=l1"])


def rows(tacho, model, machine, options):
    """Cycles by operator, or what was said instead."""
    command = [tacho, "compile", str(model), "--quiet", "--csv", "--no-advice", "-m", machine, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["failed"])[0]
    operators = done.stdout.split("\n\n")[0]
    return [(row["name"], int(row["cycles"])) for row in csv.DictReader(io.StringIO(operators))]


def make_models(make, folder, seeds):
    subprocess.run([sys.executable, make, "all", str(folder)], check=True, capture_output=True)
    products = [(128, 3072, 768, "f32"), (512, 768, 3072, "f32")]  # of a transformer
    for seed in range(seeds):
        draw = random.Random(seed)
        sizes = [draw.choice((1, 7, 32, 64, 100, 384, 512, 1000, 1024, 2048, 3072, 4096)) for _ in range(3)]
        products.append((*sizes, draw.choice(("f32", "bf16", "i8"))))
    for m, k, n, dtype in products:
        name = folder / f"gemm_{m}x{k}x{n}_{dtype}.onnx"
        subprocess.run([sys.executable, make, "gemm", "--m", str(m), "--k", str(k), "--n", str(n), "--dtype", dtype,
                        "--constant-b", "-o", str(name)], check=True, capture_output=True)
    return sorted(folder.glob("*.onnx"))


def tuned_machines(tacho, model):
    """Those that --tuned means something on."""
    names = subprocess.run([tacho, "machine", "list", "--csv"], capture_output=True, text=True, check=True).stdout
    machines = [row["machine"] for row in csv.DictReader(io.StringIO(names))]
    return [name for name in machines if isinstance(rows(tacho, model, name, ["--tuned"]), list)]


def compare(tacho, model, machine, options):
    """What takes longer when it is tuned; None: it cannot be compiled like that."""
    plain, tuned = rows(tacho, model, machine, options), rows(tacho, model, machine, [*options, "--tuned"])
    if isinstance(plain, str) or isinstance(tuned, str):
        return None
    about = f"{model.name} on {machine} {' '.join(options)}".strip()
    before, after = (sum(cycles for _, cycles in some) for some in (plain, tuned))
    found = [f"{about}: {after} cycles tuned, {before} without"] if after > before else []
    if [name for name, _ in plain] == [name for name, _ in tuned]:
        found += [f"{about}: operator {name}: {b} cycles tuned, {a} without"
                  for (name, a), (_, b) in zip(plain, tuned) if b > a]
    return found


def main():
    arguments = sys.argv[1:]
    seeds = 12
    if "--seeds" in arguments:
        at = arguments.index("--seeds")
        seeds = int(arguments[at + 1])
        del arguments[at:at + 2]
    tacho, make = arguments[:2]
    compared, slower = 0, []
    with tempfile.TemporaryDirectory() as work:
        models = make_models(make, pathlib.Path(work), seeds)
        machines = tuned_machines(tacho, models[0])
        if len(arguments) > 2:
            models += sorted(pathlib.Path(arguments[2]).rglob("*.onnx"))
        for model in models:
            for machine in machines:
                for options in OPTIONS:
                    found = compare(tacho, model, machine, options)
                    compared += found is not None
                    slower += found or []
    print("\n".join(f"FAIL {line}" for line in slower))
    print(f"{compared} estimates on {', '.join(machines)}: {len(slower)} take longer when they are tuned")
    return 0 if compared > 0 and not slower else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near estimates of whole models come to what vendors publish.

    bench/published.py build/bin/tacho MODELS_FOLDER

Each model is estimated as `tacho compile` does it unless a column says otherwise: in the type that
the machine lowers f32 to. Encoders of BERT are a block of tools/make_models.py, times their number.
Prints a line per model and fails (exit code 1) when one is more than 25 % off; 77 when the models
are not at hand.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

OFF_MAX = 25.0
HERE = os.path.dirname(os.path.abspath(__file__))
RESNET = "light/light_resnet50.onnx"
VIT = "exported/vit_b_16.onnx"
MOBILENET = "mobilenetv2_shapes.onnx"
# name, model or (width, heads, sequence, blocks) of an encoder, machine, batch, options, published
# inferences per second
ROWS = [
    ("ResNet-50", RESNET, "wormhole-n150", 16, "", 4700),
    ("ResNet-50", RESNET, "blackhole-p150", 16, "", 12600),
    ("ViT-base", VIT, "wormhole-n150", 8, "", 1370),
    ("ViT-base", VIT, "blackhole-p150", 10, "", 3700),
    ("MobileNet-v2", MOBILENET, "wormhole-n150", 10, "", 3030),
    ("Sentence-BERT-base", (768, 12, 384, 12), "wormhole-n150", 8, "--dtype bf16", 433),
    ("Sentence-BERT-base", (768, 12, 384, 12), "blackhole-p150", 8, "--dtype bf16", 929),
    ("BERT-large", (1024, 16, 384, 24), "wormhole-n150", 8, "", 270),
    ("ResNet-50", RESNET, "aic100", 8, "--dtype i8", 19379),
    ("BERT-large", (1024, 16, 384, 24), "aic100", 8, "--dtype i8", 670.9),
]


def make_block(folder, width, heads, sequence):
    path = os.path.join(folder, "block_%d_%d.onnx" % (width, sequence))
    if not os.path.exists(path):
        subprocess.run([sys.executable, os.path.join(HERE, "..", "tools", "make_models.py"),
                        "transformer", "-o", path, "--width", str(width), "--heads", str(heads),
                        "--sequence", str(sequence), "--weights", "absent"], check=True)
    return path


def seconds_of(program, model, machine, batch, options):
    command = [program, "compile", model, "--machine", machine, "--batch", str(batch), "--quiet",
               "--format", "json"] + options.split()
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                         text=True)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    return sum(row["time_ns"] for row in rows if row.get("table") == "operators") / 1e9


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tacho", help="the program")
    parser.add_argument("folder", help="of models")
    arguments = parser.parse_args()
    if not os.path.exists(os.path.join(arguments.folder, RESNET)):
        print("published: no models at hand, nothing compared")
        return 77
    missed = 0
    print("%-20s %-16s %5s %-13s %10s %10s %8s" %
          ("model", "machine", "batch", "options", "published", "estimated", "off"))
    with tempfile.TemporaryDirectory() as made:
        for name, model, machine, batch, options, published in ROWS:
            blocks = 1
            path = os.path.join(arguments.folder, model) if isinstance(model, str) else ""
            if not path:
                path = make_block(made, *model[:3])
                blocks = model[3]
            seconds = seconds_of(arguments.tacho, path, machine, batch, options) * blocks
            rate = batch / seconds
            off = 100 * (rate / published - 1)
            bad = abs(off) > OFF_MAX
            missed += bad
            print("%-20s %-16s %5d %-13s %8.0f/s %8.0f/s %+6.0f %%%s" %
                  (name, machine, batch, options, published, rate, off, "   MISSED" if bad else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

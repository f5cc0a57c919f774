#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that schedules could run: every rule, for models on machines.

    check_schedules.py TACHO [--machine NAME]... [--jobs N] [--keep DIR] [--made]
                       [--batch N] [MODEL...]

A MODEL is a file, or a folder whose *.onnx and *.mlir files are taken. Each is compiled by TACHO;
rules see dumps, timelines, tables and the program file, and the machine's description. Files that
are no model for `tacho compile` are counted and left out. --made adds the networks of
made_models.py, all of which have to compile; --batch runs N inferences as one.
Exit status: 0 nothing found, 1 violations, 2 misuse, 77 nothing to check.
"""
import argparse
import collections
import concurrent.futures
import os
import shutil
import sys
import tempfile
import traceback

import case as cases
import made_models
import rules
import rules_data  # noqa: F401  (each adds its rules to the list)
import rules_memory  # noqa: F401
import rules_time  # noqa: F401
import rules_torq  # noqa: F401
import rules_totals  # noqa: F401
import rules_work  # noqa: F401

MACHINES = ("torq-sl2610", "aic100", "wormhole-n150", "blackhole-p150", "gemmini-8x8", "host-cpu")


def models_of(paths):
    found = []
    for path in paths:
        if os.path.isfile(path):
            found.append(path)
        for folder, folders, files in os.walk(path):
            folders.sort()
            found += [os.path.join(folder, name) for name in sorted(files)
                      if name.endswith((".onnx", ".mlir"))]
    return found


def label_of(path):
    """Short, and the same wherever the folder lies: light/x.onnx, tiny/bert/model.onnx."""
    parts = os.path.abspath(path).split(os.sep)
    return "/".join(parts[-3:] if parts[-1] == "model.onnx" else parts[-2:])


def check_one(tool, model, machine_name, options):
    """(label, machine, violations, counts, reason for leaving it out, jobs)."""
    label = f"{label_of(model)} on {machine_name}"
    keep = options.keep
    folder = os.path.join(keep, label.replace("/", "_").replace(" ", "_")) if keep else \
        tempfile.mkdtemp(prefix="schedules.")
    batch = ("--batch", str(options.batch)) if options.batch > 1 else ()
    try:
        machine = cases.machine_of(tool, machine_name)
        try:
            cases.compile_into(tool, model, machine_name, folder, options_of(model) + batch)
        except cases.CompileFailed as failure:
            if label.startswith("made/"):
                return label, [f"{label}: compiles: {failure}"], {"compiles": 1}, None, 0
            return label, [], {}, str(failure), 0
        case = cases.load(folder, label, machine)
        found, counts = rules.check(case, options.at_most)
        return label, [str(violation) for violation in found], counts, None, len(case.jobs)
    except Exception:  # A file that cannot be read is a finding, and the rest is still checked.
        text = traceback.format_exc(limit=-3)
        return label, [f"{label}: unreadable: {text}"], {"unreadable": 1}, None, 0
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def options_of(model):
    """Values for dimensions that models leave open."""
    name = os.path.basename(model)
    if name == "bert_toy.onnx":
        return ("--dim", "batch=1", "--dim", "max_seq_len_in_batch=16")
    return ("--dim", "batch=1") if name == "mobilenetv2_qdq.onnx" else ()


def report(results):
    skipped = collections.Counter()
    checked = jobs = 0
    failed = collections.Counter()
    for _, found, counts, reason, job_count in results:
        if reason is not None:
            skipped[reason.split(":")[0]] += 1
            continue
        checked, jobs = checked + 1, jobs + job_count
        for text in found:
            print(text)
        failed.update(counts)
    print(f"{checked} schedules with {jobs} jobs checked by {len(rules.names())} rules, "
          f"{sum(skipped.values())} files left out, {sum(failed.values())} violations")
    for rule, count in failed.most_common():
        print(f"  {rule}: {count} violations")
    return 1 if failed else (0 if checked else 77)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--made", action="store_true")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--keep")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--at-most", type=int, default=3, help="messages of a rule for a schedule")
    return parser.parse_intermixed_args()


def main():
    options = parse_arguments()
    os.environ.setdefault("TACHO_HOST_CPU", "built-in")  # not what this computer measures
    made = tempfile.mkdtemp(prefix="made.")
    try:
        paths = made_models.write_all(os.path.join(made, "made")) if options.made else []
        paths += models_of(options.models)
        work = [(options.tool, model, machine, options)
                for model in paths for machine in options.machine or MACHINES]
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            results = list(pool.map(check_one, *zip(*work), chunksize=4)) if work else []
    finally:
        shutil.rmtree(made)
    return report(results)


if __name__ == "__main__":
    sys.exit(main())

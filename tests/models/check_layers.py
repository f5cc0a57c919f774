#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers and lines of models that PyTorch exported, from the metadata of their nodes.

    check_layers.py TACHO SCRATCH MODEL...

Reads the metadata with a reader of its own, adds up the time of each layer and line by the name of
the node that a span is of, and compares it with tacho ops --by layer and --by line, to the
nanosecond, of what tacho compile writes in three formats."""
import ast
import json
import os
import re
import subprocess
import sys
from collections import defaultdict


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(data, at)
            value = data[at:at + size]
            at += size
        yield key >> 3, value


def read_nodes(path):
    """Metadata by the name of the node."""
    with open(path, "rb") as file:
        graph = [value for number, value in fields(file.read()) if number == 7][0]
    nodes = {}
    for number, node in fields(graph):
        if number == 1:
            entries = [dict(fields(value)) for field, value in fields(node) if field == 9]
            name = [value.decode() for field, value in fields(node) if field == 3]
            nodes[name[0] if name else ""] = {
                entry[1].decode(): entry[2].decode() for entry in entries}
    return nodes


def layer_of(metadata):
    scopes = ast.literal_eval(metadata.get("pkg.torch.onnx.name_scopes", "[]"))[1:-1]
    return [scope[len(before) + 1:] if before and scope.startswith(before + ".") else scope
            for before, scope in zip([""] + scopes, scopes)]


def line_of(metadata):
    frames = re.findall(r'^ *File "([^"]+)", line (\d+),',
                        metadata.get("pkg.torch.onnx.stack_trace", ""), re.M)
    frames = [(re.sub(r".*(site|dist)-packages/", "", file), line) for file, line in frames]
    own = [frame for frame in frames if not frame[0].startswith("torch/")] or frames
    return ":".join(own[-1]) if own else ""


def rows_of(words):
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def check(tacho, profile, nodes, by, expected):
    rows = rows_of([tacho, "ops", profile, "--by", by, "--top", "0", "--format", "json"])
    column = by.split(":")[0]
    said = {row[column]: row["device_self_ns"] for row in rows
            if row["table"] == "groups" and row["device_self_ns"]}
    if said != dict(expected):
        wrong = {name for name in set(said) | set(expected) if said.get(name) != expected.get(name)}
        sys.exit(f"{profile} --by {by}: " + ", ".join(
            f"{name}: expected {expected.get(name)}, said {said.get(name)}"
            for name in sorted(wrong)[:5]))
    return len(said)


def main():
    tacho, scratch, models = sys.argv[1], sys.argv[2], sys.argv[3:]
    models = [model for model in models if os.path.exists(model)]
    if not models:
        print("no exported models at hand")
        sys.exit(77)
    os.makedirs(scratch, exist_ok=True)
    for model in models:
        nodes = read_nodes(model)
        for ending in ("tacho", "pb", "json"):
            profile = os.path.join(scratch, f"model.{ending}")
            subprocess.run([tacho, "compile", model, "-q", "--profile", profile], check=True,
                           capture_output=True)
            spans = rows_of([tacho, "query", profile, "--format", "json",
                             "SELECT location, sum(duration_ns) AS time_ns FROM spans WHERE is_work "
                             "AND class IN ('compute', 'vector', 'dma_in', 'dma_out', 'dma_local') "
                             "GROUP BY location"])
            sums = {by: defaultdict(int) for by in ("layer", "layer:2", "line")}
            for span in spans:
                name = re.search(r'"((?:[^"\\]|\\.)*)"', span.get("location") or '""')[1]
                metadata = nodes.get(name, {})
                path = layer_of(metadata)
                sums["layer"]["/".join(path) or "(no layer)"] += span["time_ns"]
                sums["layer:2"]["/".join(path[:2]) or "(no layer)"] += span["time_ns"]
                sums["line"][line_of(metadata) or "(no line)"] += span["time_ns"]
            counts = [check(tacho, profile, nodes, by, sums[by]) for by in sums]
        print(f"{os.path.basename(model)}: {counts[0]} layers, {counts[2]} lines")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes of one PyTorch operator become one kernel of a GPU, and none of their work is lost.

    origins.py TACHO
"""
import os
import re
import subprocess
import sys
import tempfile

try:
    from onnx import TensorProto, helper
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skip: python3-onnx is not installed")
    sys.exit(77)

SIZE = 512


def field(number, data):
    """Bytes of a protobuf message: this package's NodeProto may not know metadata_props, field 9."""
    return bytes([number << 3 | 2, len(data)]) + data


def model(path, kinds):
    """Nodes one behind the other, all of one origin; matrices are multiplied by themselves."""
    nodes = []
    for i, kind in enumerate(kinds):
        inputs = [f"t{i}"] * (2 if kind == "MatMul" else 1)
        more = {"perm": [0, 2, 1]} if kind == "Transpose" else {"axis": -1} if kind == "Softmax" else {}
        node = helper.make_node(kind, inputs, [f"t{i + 1}"], **more)
        node.MergeFromString(field(9, field(1, b"namespace") + field(2, b": Net/layer: Layer/one: aten.one.default")))
        nodes.append(node)
    shape = [1, SIZE, SIZE]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("t0", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(f"t{len(kinds)}", TensorProto.FLOAT, shape)])
    with open(path, "wb") as file:
        file.write(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                     ir_version=8).SerializeToString())


def estimate(tacho, path, machine):
    done = subprocess.run([tacho, "compile", path, "-m", machine, "--no-advice", "-q"], capture_output=True, text=True,
                          check=True)
    size = re.search(r"^size +(.*? MAC|.*?MAC),", done.stdout, re.M)[1]
    return size, int(re.search(r"^total +(\d+) cycles", done.stdout, re.M)[1])


def main():
    tacho, problems = sys.argv[1], 0
    with tempfile.TemporaryDirectory(prefix="tacho-origins.") as folder:
        for kinds in (["MatMul"] * 3, ["Softmax", "Transpose"], ["MatMul", "Relu", "MatMul"], ["MatMul", "Transpose"]):
            path = f"{folder}/m.onnx"
            model(path, kinds)
            gpu, mesh = estimate(tacho, path, "h200"), estimate(tacho, path, "wormhole-n150")
            least = 1000 * sum(kind in ("MatMul", "Softmax") for kind in kinds)
            if gpu[0] != mesh[0] or gpu[1] < least:
                print(f"FAIL {kinds}: {gpu} on h200, {mesh} on wormhole-n150")
                problems += 1
    print(f"origins: {problems} problems")
    sys.exit(1 if problems else 0)


main()

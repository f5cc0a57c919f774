#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives a model other weights, seeded, of sizes that keep activations in range: what tells whether
kernels compute, where a model's own weights are all the same.

    random_weights.py MODEL.onnx -o OUT.onnx [--seed N]

Weights are initializers and results of ConstantOfShape that convolutions, products and
normalisations read; those in files beside the model need not be there. Needs the onnx package and numpy."""
import argparse
import os
import sys

try:
    import numpy
    import onnx
    from onnx import external_data_helper, numpy_helper
except ImportError as error:
    sys.exit(f"random_weights.py: {error}")

# By operator: what its inputs from 1 on are.
ROLES = {
    "Conv": ["filters", "bias"],
    "ConvTranspose": ["filters", "bias"],
    "Gemm": ["matrix", "bias"],
    "MatMul": ["matrix"],
    "BatchNormalization": ["factor", "bias", "bias", "variance"],
    "Add": ["bias"],
    "Mul": ["factor"],
}


def make(role, dims, random):
    count = int(numpy.prod(dims)) if dims else 1
    if role in ("filters", "matrix"):
        inputs = count // dims[0] if role == "filters" else max(dims)
        values = random.normal(0.0, (2.0 / max(inputs, 1)) ** 0.5, dims)
    elif role in ("factor", "variance"):
        values = random.uniform(*((0.2, 0.6) if role == "factor" else (0.5, 1.5)), dims)
    else:
        values = random.uniform(-0.1, 0.1, dims)
    return values.astype(numpy.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    model = onnx.load(args.model, load_external_data=False)
    graph, random = model.graph, numpy.random.RandomState(args.seed)
    given = {tensor.name: tensor for tensor in graph.initializer}
    filled = {node.output[0]: node for node in graph.node if node.op_type == "ConstantOfShape"}
    made = {}
    for node in graph.node:
        for i, role in enumerate(ROLES.get(node.op_type, []), start=1):
            name = node.input[i] if i < len(node.input) else ""
            if name in made or not name:
                continue
            if name in filled:
                dims = numpy_helper.to_array(given[filled[name].input[0]]).tolist()
            elif name in given and given[name].data_type == onnx.TensorProto.FLOAT:
                dims = list(given[name].dims)
            else:
                continue
            made[name] = numpy_helper.from_array(make(role, dims, random), name)
    kept = [node for node in graph.node if not node.output or node.output[0] not in made]
    initializers = [tensor for tensor in graph.initializer if tensor.name not in made]
    for tensor in initializers:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            folder = os.path.dirname(args.model)
            external_data_helper.load_external_data_for_tensor(tensor, folder)
    del graph.node[:], graph.initializer[:]
    graph.node.extend(kept)
    graph.initializer.extend(initializers + list(made.values()))
    if model.ir_version < 4:
        listed = {value.name for value in graph.input}
        for tensor in made.values():
            if tensor.name not in listed:
                graph.input.append(onnx.helper.make_tensor_value_info(
                    tensor.name, onnx.TensorProto.FLOAT, list(tensor.dims)))
    onnx.save(model, args.output)
    print(f"{args.output}: {len(made)} weights, seed {args.seed}")


main()

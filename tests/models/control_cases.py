# SPDX-License-Identifier: Apache-2.0
"""Control flow that only values decide: branches of other shapes, numbers of steps and sizes that inputs say, and
steps and branches that must not be computed. Those called static_* are programs for any input, and run from a
program's file as well."""
import numpy as np
from onnx import TensorProto

from network_cases import NODE, body, network, reals

TRUE, STEP = np.array(True), np.array(0)


def add_dead():
    """Steps behind the end of a loop and branches that are not taken would divide by 0 or read out of range."""
    divide = body("divide", [NODE("Sub", ["d", "one"], ["less"]), NODE("Div", ["v", "d"], ["n"]),
                             NODE("Greater", ["less", "zero"], ["go"])],
                  {"i": STEP, "on": TRUE, "v": np.zeros(2, np.int32), "d": np.int32(0)},
                  {"go": TRUE, "n": np.zeros(2, np.int32), "less": np.int32(0)},
                  {"one": np.int32(1), "zero": np.int32(0)})
    for first in (1, 3, 6):
        value = np.array([5040, -777], np.int32)
        made = value.astype(float)
        for d in range(first, 0, -1):
            made = np.trunc(made / d)
        network(f"static_loop_dead_{first}", [NODE("Loop", ["m", "t", "v", "d"], ["o", "p"], body=divide)],
                {"v": value, "d": np.int32(first)}, {"o": made.astype(np.int32), "p": np.int32(0)},
                constants={"m": np.array(6), "t": TRUE})
    x = reals(4)
    pick = body("pick", [NODE("Gather", ["x", "at"], ["u"])], {}, {"u": x[0]})
    total = body("total", [NODE("ReduceSum", ["x"], ["u"], keepdims=0)], {}, {"u": x[0]})
    inner = body("inner", [NODE("Greater", ["at", "least"], ["c2"]),
                           NODE("If", ["c2"], ["w"], then_branch=pick, else_branch=total),
                           NODE("Neg", ["w"], ["u2"])], {}, {"u2": x[0]})
    for at in (2, 9, -9):
        found = -(x[at] if at > -4 else x.sum()) if at < 4 else x.sum()
        network(f"static_if_dead_{at}", [NODE("Less", ["at", "end"], ["c"]),
                                         NODE("If", ["c"], ["o"], then_branch=inner, else_branch=total)],
                {"x": x, "at": np.array(at)}, {"o": np.float32(found)},
                constants={"end": np.array(4), "least": np.array(-4)})
    # constants alone: an error that a compiler must not run into
    fixed = body("fixed", [NODE("Div", ["k", "none"], ["u"])], {}, {"u": np.zeros(2, np.int32)},
                 {"k": np.array([6, 7], np.int32), "none": np.array([0, 0], np.int32)})
    same = body("same", [NODE("Neg", ["v"], ["u"])], {}, {"u": np.zeros(2, np.int32)})
    network("static_if_fixed", [NODE("If", ["c"], ["o"], then_branch=fixed, else_branch=same)],
            {"c": np.array(False), "v": np.array([1, 2], np.int32)}, {"o": np.array([-1, -2], np.int32)})


def add_fused():
    """What fast kernels would join stays apart where one of both is in a branch."""
    x, w = reals(2, 8), reals(8, 8)
    then = body("then", [NODE("Relu", ["p"], ["r"]), NODE("MatMul", ["r", "w"], ["q"]), NODE("Add", ["q", "b"], ["a"]),
                         NODE("Sigmoid", ["a"], ["s"]), NODE("Mul", ["a", "s"], ["u"])], {}, {"u": x})
    other = body("other", [NODE("Tanh", ["p"], ["u"])], {}, {"u": x})
    b = reals(8)
    for flag in (True, False):
        p = x @ w
        a = np.maximum(p, 0) @ w + b
        made = a / (1 + np.exp(-a)) if flag else np.tanh(p)
        for kind in (np.float32, np.float16):
            network(f"static_if_fused_{flag}_{kind.__name__}",
                    [NODE("MatMul", ["x", "w"], ["p"]), NODE("If", ["c"], ["y"], then_branch=typed(then, kind),
                                                             else_branch=typed(other, kind)),
                     NODE("Exp", ["y"], ["o"])],
                    {"x": x.astype(kind), "c": np.array(flag)}, {"o": np.exp(made).astype(kind)},
                    constants={"w": w.astype(kind), "b": b.astype(kind)},
                    tolerance=2e-5 if kind is np.float32 else 2e-2)


def typed(graph, kind):
    made = type(graph)()
    made.CopyFrom(graph)
    for value in made.output:
        value.type.tensor_type.elem_type = TensorProto.FLOAT if kind is np.float32 else TensorProto.FLOAT16
    return made


def add_shapes():
    x = np.array([1, -2, 3], np.float32)
    twice = body("twice", [NODE("Concat", ["x", "x"], ["u"], axis=0)], {}, {"u": np.zeros(6, np.float32)})
    once = body("once", [NODE("Neg", ["x"], ["u"])], {}, {"u": x})
    for sign in (1, -1):
        v = x * np.float32(sign)
        made = np.concatenate([v, v]) if sign > 0 else -v
        network(f"if_shapes_{sign}", [NODE("ReduceSum", ["x"], ["s"], keepdims=0), NODE("Greater", ["s", "z"], ["c"]),
                                      NODE("If", ["c"], ["y"], then_branch=twice, else_branch=once),
                                      NODE("Exp", ["y"], ["o"])],
                {"x": v}, {"o": np.exp(made)}, constants={"z": np.float32(0)}, shapes={"o": ("n",)})
    network("sizes_reshape", [NODE("Reshape", ["x", "s"], ["y"]), NODE("Softmax", ["y"], ["o"], axis=0)],
            {"x": x, "s": np.array([3, 1])}, {"o": (np.exp(x) / np.exp(x).sum()).reshape(3, 1)},
            shapes={"o": ("a", "b")})
    network("sizes_range", [NODE("Range", ["z", "n", "d"], ["r"]), NODE("Mul", ["r", "x1"], ["o"])],
            {"n": np.float32(2.5), "x1": np.float32(3)}, {"o": np.arange(0, 2.5, 0.5, dtype=np.float32) * 3},
            constants={"z": np.float32(0), "d": np.float32(0.5)}, shapes={"o": ("n",)})
    network("sizes_nonzero", [NODE("Greater", ["x", "z"], ["g"]), NODE("NonZero", ["g"], ["nz"]),
                              NODE("Transpose", ["nz"], ["t"]), NODE("GatherND", ["x", "t"], ["y"]),
                              NODE("Exp", ["y"], ["o"])],
            {"x": x}, {"o": np.exp(x[x > 0])}, constants={"z": np.float32(0)}, shapes={"o": ("n",)})
    network("sizes_none", [NODE("Greater", ["x", "z"], ["g"]), NODE("Compress", ["x", "g"], ["y"]),
                           NODE("Exp", ["y"], ["o"])],
            {"x": -np.abs(x)}, {"o": np.zeros(0, np.float32)}, constants={"z": np.float32(0)}, shapes={"o": ("n",)})


def add_suppression():
    """What detectors end with: the best boxes, their classes and scores."""
    boxes = np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1],
                       [0, 100, 1, 101]]], np.float32)
    scores = np.array([[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3]]], np.float32)
    chosen = [3, 0, 5]
    network("sizes_detector",
            [NODE("NonMaxSuppression", ["boxes", "scores", "most", "overlap", "least"], ["sel"]),
             NODE("Slice", ["sel", "two", "three", "one"], ["col"]), NODE("Squeeze", ["col", "one"], ["ix"]),
             NODE("Gather", ["flat", "ix"], ["b"], axis=0), NODE("Squeeze", ["boxes", "nil"], ["flat"])],
            {"boxes": boxes, "scores": scores}, {"b": boxes[0][chosen], "ix": np.array(chosen)},
            constants={"most": np.array([3]), "overlap": np.array([0.5], np.float32),
                       "least": np.array([0.0], np.float32), "one": np.array([1]), "two": np.array([2]),
                       "three": np.array([3]), "nil": np.array([0])}, shapes={"b": ("n", 4), "ix": ("n",)})


def add_counts():
    x = reals(2, 3)
    step = body("step", [NODE("Identity", ["on"], ["go"]), NODE("Add", ["v", "v"], ["n"]),
                         NODE("ReduceSum", ["n"], ["s"], keepdims=0)],
                {"i": STEP, "on": TRUE, "v": x}, {"go": TRUE, "n": x, "s": x[0, 0]})
    for count in (0, 1, 5):
        sums = np.array([(x * 2.0 ** (k + 1)).sum() for k in range(count)], np.float32)
        network(f"loop_count_{count}", [NODE("Loop", ["m", "", "x"], ["o", "all"], body=step)],
                {"m": np.array(count), "x": x}, {"o": x * np.float32(2 ** count), "all": sums},
                shapes={"all": ("n",)}, tolerance=2e-5)
    network("loop_none", [NODE("Loop", ["m", "", "x"], ["o", "all"], body=step)],
            {"x": x}, {"o": x, "all": np.zeros(0, np.float32)}, constants={"m": np.array(0)}, shapes={"all": ("n",)})
    # a decoder: the next token follows from those before it, until one that ends or a number of them
    tokens = body("tokens", [NODE("Gather", ["table", "last"], ["next"]), NODE("Unsqueeze", ["next", "nil"], ["one"]),
                             NODE("Concat", ["ids", "one"], ["more"], axis=0), NODE("Equal", ["next", "end"], ["e"]),
                             NODE("Not", ["e"], ["go"])],
                  {"i": STEP, "on": TRUE, "ids": np.zeros(1, np.int64), "last": np.array(0)},
                  {"go": TRUE, "more": np.zeros(1, np.int64), "next": np.array(0)}, {"nil": np.array([0])})
    del tokens.output[1].type.tensor_type.shape.dim[:]
    del tokens.input[2].type.tensor_type.shape.dim[:]
    table = np.array([3, 4, 1, 2, 0, 5])
    for first in (0, 5, 4):
        ids, last = [first], first
        for _ in range(6):
            last = int(table[last])
            ids.append(last)
            if last == 4:
                break
        network(f"loop_decoder_{first}", [NODE("Unsqueeze", ["first", "nil0"], ["begin"]),
                                          NODE("Loop", ["m", "t", "begin", "first"], ["o", "p"], body=tokens)],
                {"first": np.array(first), "table": table}, {"o": np.array(ids), "p": np.array(last)},
                constants={"m": np.array(6), "t": TRUE, "end": np.array(4), "nil0": np.array([0])},
                shapes={"o": ("n",)})
    # the same number of results whatever they are, in a loop that ends early
    kept = body("kept", [NODE("Add", ["v", "one"], ["n"]), NODE("ReduceMax", ["n"], ["h"], keepdims=0),
                         NODE("Less", ["h", "bound"], ["go"]), NODE("Neg", ["n"], ["s"])],
                {"i": STEP, "on": TRUE, "v": x}, {"go": TRUE, "n": x, "s": x}, {"one": np.float32(1)})
    v, all_kept = x, []
    while True:
        v = v + np.float32(1)
        all_kept.append(-v)
        if not v.max() < 4:
            break
    network("loop_until_kept", [NODE("Loop", ["m", "", "x"], ["o", "all"], body=kept)],
            {"x": x, "bound": np.float32(4)}, {"o": v, "all": np.stack(all_kept)}, constants={"m": np.array(99)},
            shapes={"all": ("n", 2, 3)})
    h = reals(2)
    cell = body("cell", [NODE("Add", ["s", "e"], ["n"]), NODE("Exp", ["n"], ["y"])], {"s": h, "e": h}, {"n": h, "y": h})
    network("scan_none", [NODE("Scan", ["h", "x"], ["last", "all"], body=cell, num_scan_inputs=1,
                               scan_input_axes=[1], scan_output_axes=[-1])],
            {"h": h, "x": np.zeros((2, 0), np.float32)}, {"last": h, "all": np.zeros((2, 0), np.float32)})


def add_sequences():
    """Lists of tensors: split, indexed, joined, and grown in a loop."""
    x = reals(5, 3)
    network("sequence_split", [NODE("SplitToSequence", ["x", "n"], ["s"], axis=0), NODE("SequenceAt", ["s", "at"], ["a"]),
                               NODE("SequenceLength", ["s"], ["l"]), NODE("Exp", ["a"], ["o"])],
            {"x": x}, {"o": np.exp(x[4:]), "l": np.array(3)}, constants={"n": np.array(2), "at": np.array(-1)})
    network("sequence_unbind", [NODE("SplitToSequence", ["x"], ["s"], axis=-1, keepdims=0),
                                NODE("SequenceAt", ["s", "at"], ["a"]), NODE("Neg", ["a"], ["o"])],
            {"x": x}, {"o": -x[:, 1]}, constants={"at": np.array(1)})
    network("sequence_edit", [NODE("Exp", ["x"], ["y"]), NODE("SequenceConstruct", ["x", "y"], ["s"]),
                              NODE("SequenceInsert", ["s", "x", "first"], ["t"]), NODE("SequenceErase", ["t", "last"], ["u"]),
                              NODE("SequenceInsert", ["u", "y", "last"], ["v"]),
                              NODE("ConcatFromSequence", ["v"], ["o"], axis=1, new_axis=1)],
            {"x": x}, {"o": np.stack([x, np.exp(x), x], axis=1)},
            constants={"first": np.array(0), "last": np.array(-1)})
    # a list that a loop fills; what a body gives is of no type that can be said here
    step = body("step", [NODE("Identity", ["on"], ["go"]), NODE("Add", ["v", "v"], ["n"]),
                         NODE("SequenceInsert", ["list", "n"], ["more"])],
                {"i": STEP, "on": TRUE, "list": x, "v": x}, {"go": TRUE, "more": x, "n": x})
    for value in (step.input[2], step.output[1]):
        value.type.Clear()
        value.type.sequence_type.elem_type.tensor_type.elem_type = TensorProto.FLOAT
    network("sequence_loop", [NODE("SequenceEmpty", [], ["none"]),
                              NODE("Loop", ["m", "", "none", "x"], ["s", "p"], body=step),
                              NODE("ConcatFromSequence", ["s"], ["o"], axis=0)],
            {"x": x}, {"o": np.concatenate([x * 2, x * 4, x * 8])}, constants={"m": np.array(3)})


def add_optionals():
    """A tensor is an optional that has an element; what is absent has none."""
    x = reals(2, 3)
    taken = body("taken", [NODE("OptionalGetElement", ["held"], ["u"])], {}, {"u": x})
    absent = body("absent", [NODE("Neg", ["x"], ["u"])], {}, {"u": x})
    for name, nodes, made in (("held", [NODE("Optional", ["x"], ["held"]), NODE("OptionalHasElement", ["held"], ["c"])], x),
                              ("tensor", [NODE("Identity", ["x"], ["held"]), NODE("OptionalHasElement", ["x"], ["c"])], x),
                              ("none", [NODE("Identity", ["x"], ["held"]), NODE("OptionalHasElement", [""], ["c"])], -x)):
        network(f"optional_{name}", nodes + [NODE("If", ["c"], ["y"], then_branch=taken, else_branch=absent),
                                             NODE("Exp", ["y"], ["o"])], {"x": x}, {"o": np.exp(made)}, opset=18)


def add_all():
    add_dead()
    add_optionals()
    add_fused()
    add_shapes()
    add_suppression()
    add_counts()
    add_sequences()

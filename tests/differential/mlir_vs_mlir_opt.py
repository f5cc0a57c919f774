#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our MLIR text reader against MLIR itself, on the real models of a folder: operations in order,
their locations, their numbers of operands, and the types of their results.

Usage: mlir_vs_mlir_opt.py MLIR_DUMP FOLDER
Exits with 77, which means skipped, when the folder or mlir-opt is absent.

Every file must be read. Those that mlir-opt reads too are compared. Operations that it adds by
itself (the bodies of linalg's named operations) have no place in the file, and are left out."""
import pathlib
import re
import subprocess
import sys
import tempfile

OP = re.compile(r'^(?:(%[^=]*?) = )?"([^"]+)"\(([^)]*)\)')
LOCATION = re.compile(r" loc\((.*)\)$")
# Types that only the operation's definition knows.
INFERRED = {"tensor.extract", "arith.cmpi", "arith.cmpf", "torch.constant.none"}


def result_types(tail):
    types = LOCATION.sub("", tail).rsplit("-> ", 1)[-1]
    return types[1:-1] if types.startswith("(") and types.endswith(")") else types


def all_ops(text):
    """[[name, location, operand count, result types], parent] of each operation, in order."""
    open_ops, parents = [], []
    for line in text.splitlines():
        line = line.strip()
        match = OP.match(line)
        if match:
            operands = match.group(3)
            op = [match.group(2), None, operands.count("%"), None]
            parents.append((op, open_ops[-1] if open_ops else None))
            if line.endswith("({"):
                open_ops.append(op)
                continue
        elif line.startswith("})"):
            op = open_ops.pop()
        else:
            continue
        op[1] = LOCATION.search(line).group(1)
        op[3] = result_types(line)
    return parents


def written_ops(ops):
    return [op for op, parent in ops
            if op[1] != "unknown" and (parent is None or op[1] != parent[1])]


def our_ops(text):
    files = {}
    for line in text.splitlines():
        if line.startswith("== "):
            ops = files[line[3:].split("\t")[0]] = []
            continue
        name, location, operands, _, types = line.split("\t")
        ops.append([name, location, int(operands), types])
    return files


def difference(path, ours, theirs):
    for a, b in zip(ours, theirs):
        if b[0] in INFERRED:
            b[3] = a[3]
        if a != b:
            return f"{path}: we read {a}, MLIR {b}"
    if len(ours) != len(theirs):
        return f"{path}: we read {len(ours)} operations, MLIR {len(theirs)}"
    return None


def find_mlir_opt():
    """The path of mlir-opt, or None; and the reason for which there is none."""
    script = pathlib.Path(__file__).resolve().parent.parent / "mlir" / "find_mlir_opt.sh"
    found = subprocess.run([script, "22"], stdout=subprocess.PIPE, text=True, check=False)
    line = found.stdout.strip()
    return (line, None) if found.returncode == 0 else (None, line)


GENERIC = ("--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-elide-elementsattrs-if-larger=8")
SPLIT = "// -----\n"


def oracles(mlir_opt, paths, *options, name=str):
    """What mlir-opt makes of each file, None where it does not read one. One start reads all of them, joined;
    locations without a name of their own get back the file's, as |name| has it, and its lines."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        starts, line = [], 0
        for path in paths:
            text = pathlib.Path(path).read_text(encoding="utf-8")
            text += "" if text.endswith("\n") else "\n"
            starts.append(line)
            line += text.count("\n") + 1
            file.write(text + SPLIT)
        file.flush()
        run = subprocess.run([mlir_opt, "--allow-unregistered-dialect", *options, "--split-input-file", file.name],
                             capture_output=True, text=True, check=False)
        found = run.stdout.split(SPLIT)
        if len(found) != len(paths) + 1:
            sys.exit(f"mlir-opt: {len(found) - 1} of {len(paths)} files: {run.stderr[-400:]}")
        place = re.compile(re.escape(f'"{file.name}":') + r"(\d+)")
    return [place.sub(lambda match, at=start, of=path: f'"{name(of)}":{int(match[1]) - at}', text)
            if text.strip() else None for path, start, text in zip(paths, starts, found)]


def main():
    dump, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    mlir_opt, missing = find_mlir_opt()
    paths = sorted(map(str, folder.glob("**/*.mlir"))) if folder.is_dir() else []
    if not paths or mlir_opt is None:
        print(f"skip: no models in {folder}" if not paths else missing)
        return 77
    run = subprocess.run([dump, *paths], capture_output=True, text=True, check=False)
    problems = run.stderr.splitlines()
    ours = our_ops(run.stdout)
    compared = 0
    again = []
    for number, (path, text) in enumerate(zip(paths, oracles(mlir_opt, paths, *GENERIC, "--mlir-print-local-scope"))):
        if text is None or path not in ours:
            continue
        compared += 1
        ops = all_ops(text)
        problems += filter(None, [difference(path, ours[path], written_ops(ops))])
        if number % 8 == 0:
            again.append((path, [op for op, _ in ops]))
    problems += reread(dump, mlir_opt, again)
    print("\n".join(problems[:20]))
    print(f"{len(paths)} files, {len(ours)} read, {compared} compared, {len(again)} once more in the "
          f"generic form, {len(problems)} problems")
    return 1 if problems or compared == 0 else 0


def reread(dump, mlir_opt, cases):
    """What we make of MLIR's own text, where locations are aliases at the end, of each (path, operations)."""
    problems = []
    texts = oracles(mlir_opt, [path for path, _ in cases], *GENERIC)
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{number}.mlir" for number in range(len(cases))]
        for file, text in zip(files, texts):
            pathlib.Path(file).write_text(text or "", encoding="utf-8")
        run = subprocess.run([dump, *files], capture_output=True, text=True, check=False)
        found = our_ops(run.stdout)
    problems += run.stderr.splitlines()
    for file, (path, ops) in zip(files, cases):
        problems += filter(None, [difference(path, found.get(file, []), ops)])
    return problems


if __name__ == "__main__":
    sys.exit(main())

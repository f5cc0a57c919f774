#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Graphs of MLIR models: those composed for it as expected, and those of a folder, if it is there,
as MLIR itself sees them.

Usage: mlir_graphs.py DUMP DATA FOLDER [--bless] [--all]

Each .mlir of DATA is dumped and compared with the .txt beside it; "// dump:" in it gives options.
A .mlirb is bytecode of the same module, which must give the same graph.
Where there is mlir-opt, what it can read (of both folders) is printed by it in the generic form,
whose operations, operands, types and locations must be those of the graph; and its generic form,
its pretty form and its bytecode must give the very same graph. The files of FOLDER take turns
with those forms, unless --all asks for each of each."""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))
import mlir_vs_mlir_opt as reference  # pylint: disable=wrong-import-position

ELEMENTS = {"i1": "bool", "index": "i64", "f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2",
            "complex<f32>": "complex64", "complex<f64>": "complex128"}
NO_NODES = {"func.return", "torch.constant.none"}


def run(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def split_types(text):
    """The types of a list, whose brackets may hold commas."""
    parts, depth = [""], 0
    for byte in text:
        depth += (byte in "<([") - (byte in ">)]")
        if byte == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += byte
    return [part.strip() for part in parts if part.strip()]


def as_dumped(type_text):
    """tensor<1x2xi8> as the dump has it: 1x2:i8."""
    match = re.fullmatch(r"!tosa\.shape<(\d+)>", type_text)
    if match:
        return f"{match.group(1)}:i64"
    match = re.fullmatch(r"!torch\.vtensor<\[([\d,]*)\],(.*)>", type_text)
    dims, element = (match.group(1).replace(",", "x"), match.group(2)) if match else ("", type_text)
    match = re.fullmatch(r"tensor<((?:[\d?]+x)*)(.*)>", type_text)
    if match:
        dims, element = match.group(1).rstrip("x"), match.group(2)
    element = re.sub(r"^s(i\d+)$", r"\1", re.sub(r"^ui(\d+)$", r"u\1", element))
    return f"{dims or 'scalar'}:{ELEMENTS.get(element, element)}"


def node_rows(dump):
    rows = []
    for line in dump.splitlines():
        fields = line.split("\t")
        if fields[0] == "N":
            types = [field.split("=", 1)[1] for field in fields[4].split()]
            rows.append((fields[1], fields[2], len(fields[3].split()), types))
    return rows


def functions(text):
    """The operations that stand in each function, as the dump would have them."""
    found = {}
    for op, parent in reference.all_ops(text):
        if parent is not None and parent[0] == "func.func" and op[0] not in NO_NODES:
            types = [as_dumped(part) for part in split_types(op[3])] if op[3] != "()" else []
            found.setdefault(id(parent), []).append((op[0], op[1], op[2], types))
    return list(found.values()) or [[]]


def same_node(ours, theirs):
    # A torch.operator is called after what it does; open dimensions have been filled in.
    is_name = ours[0] == theirs[0] or theirs[0] == "torch.operator"
    types = all(a == b or "?" in b or "*" in b for a, b in zip(ours[3], theirs[3]))
    return is_name and ours[1:3] == theirs[1:3] and types and len(ours[3]) == len(theirs[3])


def compare_nodes(path, dump, text):
    ours, all_theirs = node_rows(dump), functions(text)
    for theirs in all_theirs:
        if len(ours) == len(theirs) and all(map(same_node, ours, theirs)):
            return []
    for a, b in zip(ours, all_theirs[0]):
        if not same_node(a, b):
            return [f"{path}: we read {a}, MLIR {b}"]
    return [f"{path}: we read {len(ours)} operations, MLIR {len(all_theirs[0])}"]


def without_path(dump):
    return dump.split("\n", 1)[1]


FORMS = {"generic": ["--mlir-print-op-generic", "--mlir-print-debuginfo"],
         "pretty": ["--mlir-print-debuginfo"],
         "bytecode": ["--emit-bytecode"],
         "bytecode 5": ["--emit-bytecode", "--emit-bytecode-version=5"],
         "bytecode 4": ["--emit-bytecode", "--emit-bytecode-version=4"]}


def options_of(path):
    match = re.search(r"^// dump: (.*)$", path.read_text(), re.M)
    return match.group(1).split() if match else []


def graphs(dump_program, files):
    """The graph of each (path, options); None and a problem where there is none. Those of one folder without
    options are dumped together."""
    found, problems, together = {}, [], {}
    for path, options in files:
        if options:
            together[path, *options] = [path]
        else:
            together.setdefault((path.parent,), []).append(path)
    for (_, *options), paths in together.items():
        done = run(dump_program, *options, *(path.name for path in paths), cwd=paths[0].parent)
        problems += done.stderr.splitlines() if done.returncode != 0 else []
        parts = re.split(r"^== ", done.stdout, flags=re.M)[1:]
        found.update((path, "== " + part) for path in paths for part in parts if part.startswith(path.name + "\t"))
    return found, problems


def write_forms(mlir_opt, cases, folder):
    """The form of each (path, form), as (path, form, file); and problems. One mlir-opt writes all texts."""
    written, problems = [], []
    for form in ("generic", "pretty"):
        paths = [path for path, wanted in cases if wanted == form]
        texts = reference.oracles(mlir_opt, paths, *FORMS[form], name=lambda path: path.name) if paths else []
        for path, text in zip(paths, texts):
            written.append((path, form, folder / f"{len(written)}.form"))
            written[-1][2].write_text(text or "")
    for path, form in cases:
        if form not in ("generic", "pretty"):
            written.append((path, form, folder / f"{len(written)}.form"))
            wrote = run(mlir_opt, "--allow-unregistered-dialect", *FORMS[form], path.name, "-o", written[-1][2],
                        cwd=path.parent)
            problems += [f"{path.name}: {form}: {wrote.stderr}"] if wrote.returncode != 0 else []
    return written, problems


def compare_forms(dump_program, mlir_opt, cases, wanted):
    """The same graph from another form of the file, for each (path, form)."""
    with tempfile.TemporaryDirectory() as work:
        written, problems = write_forms(mlir_opt, cases, pathlib.Path(work))
        found, more = graphs(dump_program, [(file, options_of(path)) for path, _, file in written])
    problems += more
    for path, form, file in written:
        if file not in found or path not in wanted:
            problems.append(f"{path.name}: {form}: not dumped")
        elif without_path(found[file]) != without_path(wanted[path]):
            pairs = zip(found[file].split("\n")[1:], wanted[path].split("\n")[1:])
            first = next((f"{a[:300]}\n  not {b[:300]}" for a, b in pairs if a != b), "length")
            problems.append(f"{path.name}: its {form} form gives another graph: {first}")
    return problems


def compare_with_mlir(dump_program, mlir_opt, cases):
    """Compares the graph of each (path, forms); the paths that mlir-opt reads, and problems."""
    texts = reference.oracles(mlir_opt, [path for path, _ in cases], *reference.GENERIC, "--mlir-print-local-scope",
                              "--mlir-elide-resource-strings-if-larger=8", name=lambda path: path.name)
    read = [(path, forms, text) for (path, forms), text in zip(cases, texts) if text is not None]
    wanted, problems = graphs(dump_program, [(path, options_of(path)) for path, _, _ in read])
    for path, _, text in read:
        problems += compare_nodes(path.name, wanted[path], text) if path in wanted else [f"{path.name}: not dumped"]
    forms = [(path, form) for path, forms, _ in read for form in forms]
    return [path for path, _, _ in read], problems + compare_forms(dump_program, mlir_opt, forms, wanted)


def compare_expected(dump_program, path, bless):
    found = run(dump_program, *options_of(path), path.name, cwd=path.parent)
    text = found.stdout + found.stderr
    expected = path.with_suffix(".txt")
    if bless:
        expected.write_text(text)
    if not expected.is_file() or expected.read_text() != text:
        return [f"{path.name}: its graph is not as {expected.name} has it:\n{text[:2000]}"]
    return []


def compare_bytecode(dump_program, path):
    """A bytecode file gives what the text beside it does."""
    found = run(dump_program, path.name, cwd=path.parent)
    wanted = run(dump_program, path.with_suffix(".mlir").name, cwd=path.parent)
    if found.returncode != 0 or without_path(found.stdout) != without_path(wanted.stdout):
        return [f"{path.name}: not the graph of its text: {found.stderr}"]
    return []


def main():
    dump, data, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    bless = "--bless" in sys.argv[4:]
    dump = str(pathlib.Path(dump).resolve())
    composed = sorted(data.glob("*.mlir"))
    problems = [line for path in composed for line in compare_expected(dump, path, bless)]
    for path in sorted(data.glob("*.mlirb")):
        problems += compare_bytecode(dump, path)
    mlir_opt, missing = reference.find_mlir_opt()
    real = sorted(folder.glob("tosa_ops/*.mlir")) if folder.is_dir() else []
    torch = sorted(map(str, folder.glob("torch_ops/*.mlir"))) if folder.is_dir() else []
    cases = []
    for number, path in enumerate([*composed, *real] if mlir_opt else []):
        is_whole = path in composed or "--all" in sys.argv[4:]
        cases.append((path, list(FORMS) if is_whole else [list(FORMS)[number % len(FORMS)]]))
    compared, found = compare_with_mlir(dump, mlir_opt, cases) if cases else ([], [])
    problems += found + [f"{path.name}: mlir-opt does not read it" for path in real if cases and path not in compared]
    read = run(dump, *torch) if torch else None
    if read is not None and (read.returncode != 0 or read.stdout.count("\n== ") + 1 != len(torch)):
        problems.append(f"torch_ops: {read.stderr}")
    print("\n".join(problems[:20]))
    print(f"{len(composed)} composed, {len(real)} of TOSA, {len(torch)} of torch, {len(compared)} "
          f"compared with {mlir_opt or 'no mlir-opt'}, {len(problems)} problems")
    if problems or not composed:
        return 1
    if mlir_opt is None:
        print(missing)
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())

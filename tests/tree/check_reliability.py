#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reliability.md names what there is: fuzzers, tests, and stages of 'make torture'.

    check_reliability.py SOURCE_DIR BUILD_DIR

Every tests/fuzz/fuzz_*.c has seeds and a count of executions on the page, and every count there is that of
a target. A test that the page shows something by is one that ctest knows.
"""
import json
import pathlib
import re
import subprocess
import sys

problems = []


def require(holds, what):
    if not holds:
        problems.append(what)


def number(text):
    return int(text.replace(",", ""))


def check_fuzzers(source, page):
    targets = {path.stem for path in (source / "tests/fuzz").glob("fuzz_*.c")}
    counts = {name: number(count) for name, count in re.findall(r"\| (fuzz_\w+) \| ([\d,]+) \|", page)}
    for name in sorted(targets - counts.keys()):
        require(False, f"{name} has no count: run 'make fuzz' (or build-fuzz/fuzz/{name} "
                f"tests/fuzz/corpus/{name} -max_total_time=120) and add its row")
    for name in sorted(counts.keys() - targets):
        require(False, f"{name} is counted, and there is no such target")
    for name in sorted(targets):
        seeds = source / "tests/fuzz/corpus" / name
        require(seeds.is_dir() and any(seeds.iterdir()), f"{name} has no seeds in tests/fuzz/corpus/{name}")
    require(counts, "there is no table of fuzzers")


def check_tests(build, page):
    listed = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True,
                            capture_output=True, text=True)
    tests = {test["name"] for test in json.loads(listed.stdout)["tests"]}
    groups = {name.rsplit(".", 1)[0] for name in tests} | {name.split(".", 1)[0] for name in tests}
    shown = re.findall(r"`make test` \(([^)]*)\)", page)
    for words in shown:
        for name in re.findall(r"`([\w.]+)`", words):
            require(name in tests or name in groups, f"there is no test {name}")
    require(len(shown) > 20, f"only {len(shown)} rows name their test")


def check_stages(source, page):
    known = set(re.findall(r"^    (\w+)\) stage ", (source / "tools/torture.sh").read_text(encoding="utf-8"), re.M))
    lengths = set(re.findall(r"^\| `(\w+)` \| ", page, re.M))
    require(known and known == lengths, f"stages are {sorted(known)}, those with a length {sorted(lengths)}")
    for name in re.findall(r"TORTURE_STAGES=(\w+)", page):
        require(name in known, f"there is no stage {name}")


def main():
    source, build = map(pathlib.Path, sys.argv[1:3])
    page = (source / "docs/reliability.md").read_text(encoding="utf-8")
    check_fuzzers(source, page)
    check_tests(build, page)
    check_stages(source, page)
    for problem in problems:
        print(f"FAIL docs/reliability.md: {problem}")
    print(f"reliability: {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes one thing at a time in C files and reports whether a test notices: a comparison, a number,
'&&' or '||', a statement that is dropped, a condition that is returned negated.

    tools/mutate.py --room table --count 15 --seed 1 --keep-going | tee lived.txt
    tools/mutate.py --again lived.txt --preset asan --keep-going
    tools/mutate.py src/profile/steps.c --suites

The sources are copied to WORK/source and mutated there, never here, and built there, in a directory
that stays for the next call. Of the room's unit tests those run whose program a mutant changes, the
one named after the file first; with --suites, golden cases and the other suites of
'make test ROOM=x' follow. A mutant of the same machine code is 'same code', and is not in the
score, which is killed / (killed + lived). Without --keep-going the first that lives ends it. --again judges
those that lived according to an earlier output: under sanitizers, which see leaks and reads out of bounds,
or with suites, or after a change of the tests.
Exit status: 0 all were killed, 1 one lived, 2 the tests fail without a mutant or nothing is built."""
import argparse
import collections
import fcntl
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MASKED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*|\bassert\([^;]*;',
                    re.DOTALL | re.MULTILINE)
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COMPARISON = re.compile(r"(?<= )(<=|>=|==|!=|<|>)(?= )")
LOGIC = re.compile(r"&&|\|\|")
NUMBER = re.compile(r"(?<![\w.])(?:0|[1-9]\d*)(?![\w.])")
STATEMENT = re.compile(r"^[ \t]+(?!return\b|break\b|continue\b|static\b|const\b|case\b|else\b|if\b|for\b|while\b)"
                       r"(?:\(void\))?\*?\w[\w.>\[\]-]*(?:\(.*\)|(?: [-+*/|&^]?=| <<=| >>=) .*|\+\+|--);$", re.MULTILINE)
RETURN = re.compile(r"\breturn ([^;\n?]*(?:[=!<>]=|&&|\|\|| [<>] )[^;\n?]*);")
RULES = ("comparison", "number", "logic", "statement", "return")
SUITES = (("-R", "^golden[.]"), ("-E", "^(unit|golden|isa|isa_all)[.]"))  # the quick ones first
BUILDS = {"release": "build", "asan": "build-asan"}
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0", "UBSAN_OPTIONS": "halt_on_error=1"}
OUTCOMES = ("killed", "lived", "did not compile", "same code")

Mutant = collections.namedtuple("Mutant", "path start end new rule")
Test = collections.namedtuple("Test", "name program environment seconds")


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


# ---- mutants -----------------------------------------------------------------------------------

def code_of(text):
    """The text with comments, literals, directives and assertions blank, at the same places."""
    return MASKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def numbers_near(number):
    return sorted({number + 1, max(number - 1, 0), 2 * number} - {number})


def begins_statement(code, at):
    before = code[:at].rstrip()
    return before.endswith((";", "{", "}"))


def mutants_of(path, text):
    """All mutants of a file, in the order of the rules and places."""
    code = code_of(text)
    for match in COMPARISON.finditer(code):
        yield Mutant(path, *match.span(), COMPARISONS[match.group()], "comparison")
    for match in NUMBER.finditer(code):
        if code[match.start() - 1] != "{" or code[match.end()] != "}":  # not {0}
            for number in numbers_near(int(match.group())):
                yield Mutant(path, *match.span(), str(number), "number")
    for match in LOGIC.finditer(code):
        yield Mutant(path, *match.span(), "||" if match.group() == "&&" else "&&", "logic")
    for match in STATEMENT.finditer(code):
        if begins_statement(code, match.start()):
            start = match.start() + len(match.group()) - len(match.group().lstrip())
            yield Mutant(path, start, match.end(), "(void)0;", "statement")
    for match in RETURN.finditer(code):
        start, end = match.span(1)
        yield Mutant(path, start, end, f"!({text[start:end]})", "return")


def choose(files, count, seed):
    """|count| mutants of all files; each rule has the same chance, whatever a file has most of."""
    by_rule = collections.defaultdict(list)
    for path in files:
        for mutant in mutants_of(path, (ROOT / path).read_text(encoding="utf-8")):
            by_rule[mutant.rule].append(mutant)
    numbers, chosen = random.Random(seed), []
    while len(chosen) < count and any(by_rule.values()):
        some = by_rule[numbers.choice([rule for rule in RULES if by_rule[rule]])]
        chosen.append(some.pop(numbers.randrange(len(some))))
    return chosen


def those_that_lived(path):
    """The mutants that an earlier output reports as lived."""
    lived = [line.removeprefix("lived: ").rstrip("\n") for line in open(path, encoding="utf-8") if line.startswith("lived: ")]
    files = dict.fromkeys(pathlib.Path(line.split(":", 1)[0]) for line in lived)
    files = [file for file in files if (ROOT / file).is_file()]
    by_text = {shown(mutant): mutant for file in files for mutant in mutants_of(file, (ROOT / file).read_text(encoding="utf-8"))}
    return [by_text[line] for line in lived if line in by_text]


def files_of(rooms, paths):
    """Relative paths of what is mutated, sorted."""
    given = {pathlib.Path(path).resolve().relative_to(ROOT) for path in paths}
    for room in rooms:
        given.update(path.relative_to(ROOT) for path in (ROOT / "src" / room).rglob("*.c")
                     if not path.name.endswith("_test.c"))
    return sorted(given)


# ---- the copy ----------------------------------------------------------------------------------

class Copy:
    """The sources once more, with a build directory of their own."""

    def __init__(self, work, jobs, preset):
        self.source, self.jobs, self.preset = work / "source", str(jobs), preset
        self.build = self.source / BUILDS[preset]
        work.mkdir(parents=True, exist_ok=True)
        self.lock = open(work / "lock", "w", encoding="ascii")  # until the process ends
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            fail(f"mutate: {work} is in use; give another --work")

    def refresh(self):
        """Copies what changed since the last time, so that little is built again."""
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"],
                                capture_output=True, text=True, check=True).stdout.split("\0")
        names = {name for name in listed if name and (ROOT / name).is_file()}
        for name in names:
            old, new = self.source / name, ROOT / name
            if not old.is_file() or old.read_bytes() != new.read_bytes():
                old.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(new, old)
        builds = {self.source / build for build in BUILDS.values()}
        for folder, folders, files in os.walk(self.source):
            folders[:] = [each for each in folders if pathlib.Path(folder, each) not in builds]
            for old in (pathlib.Path(folder, each) for each in files):
                if str(old.relative_to(self.source)) not in names:
                    old.unlink()
        self.call("cmake", "--preset", self.preset, "-DTACHO_TESTS=ON", "-DTACHO_WERROR=OFF")
        commands = json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))
        self.objects = {pathlib.Path(each["file"]).relative_to(self.source):
                        re.search(r" -o (\S+) ", each["command"]).group(1) for each in reversed(commands)
                        if self.source in pathlib.Path(each["file"]).parents}

    def call(self, *words, limit=None):
        """Whether a command succeeds; its children end with it when it takes too long."""
        with subprocess.Popen([str(word) for word in words], cwd=self.source, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True,
                              env={**os.environ, **SANITIZERS}) as process:
            try:
                return process.wait(limit) == 0
            except BaseException as problem:
                stop(process)
                if isinstance(problem, subprocess.TimeoutExpired):
                    return False
                raise

    def make(self, *targets):
        return self.call("cmake", "--build", self.build, "-j", self.jobs, "--target", *targets)

    def tests(self, room):
        """Programs of the unit tests that are labelled with a room."""
        shown = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1", "-L", f"^{room}$"],
                               capture_output=True, text=True, check=True).stdout
        for entry in json.loads(shown)["tests"]:
            of = {each["name"]: each["value"] for each in entry["properties"]}
            if entry["name"].startswith("unit."):
                name = entry["name"].removeprefix("unit.")
                yield Test(name, self.build / "tests" / name, of.get("ENVIRONMENT", []), 0)

    def passes(self, test, limit):
        return self.call("env", "-C", self.build / "tests", *test.environment, test.program, limit=limit)

    def code(self, path):
        """The machine code of a file without what a debugger needs, or None where it does not compile."""
        if not self.make(self.objects[path]):
            return None
        stripped = self.build / "stripped.o"
        subprocess.run(["objcopy", "--strip-debug", self.build / self.objects[path], stripped], check=True)
        return digest(stripped)

    def passes_suites(self, room, which, limit):
        """Of the suites that cover a room, some, which are options of ctest."""
        return self.call("ctest", "--test-dir", self.build, "-L", f"^{room}$", "-LE", "^long$", *which,
                         "--stop-on-failure", limit=limit)


def stop(process):
    """Ends a command and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


# ---- a room ------------------------------------------------------------------------------------

class Room:
    """A room's tests as they are without a mutant."""

    def __init__(self, copy, name, with_suites):
        self.copy, self.name = copy, name
        tests = list(copy.tests(name))
        if not tests and not with_suites:
            fail(f"mutate: room '{name}' has no unit tests; use --suites")
        if not copy.make(*(test.name for test in tests), *([f"test-{name}"] if with_suites else [])):
            fail(f"mutate: the tests of '{name}' do not build")
        self.tests = [self.timed(test) for test in tests]
        self.digests = {test.name: digest(test.program) for test in tests}
        self.suites = [self.timed_suites(which) for which in SUITES] if with_suites else []
        self.codes = {}

    def timed(self, test):
        start = time.monotonic()
        if not self.copy.passes(test, None):
            fail(f"mutate: unit.{test.name} fails without a mutant")
        return test._replace(seconds=time.monotonic() - start)

    def timed_suites(self, which):
        start = time.monotonic()
        if not self.copy.passes_suites(self.name, which, None):
            fail(f"mutate: suites of '{self.name}' fail without a mutant: ctest {' '.join(which)}")
        return which, time.monotonic() - start

    def remember(self, path):
        """What the file is without a mutant."""
        self.codes[path] = self.copy.code(path)

    def nearest(self, path):
        """The test named after the file, then those of most letters in common, then the quickest."""
        def distance(test):
            stem = test.name.removesuffix("_test")
            common = len(os.path.commonprefix([stem, path.stem]))
            return stem != path.stem, -common, test.seconds
        return sorted(self.tests, key=distance)

    def judge(self, path):
        """What the tests make of the mutant in the copy: an outcome, and which test noticed."""
        code = self.copy.code(path)
        if code is None:
            return "did not compile", ""
        if code == self.codes[path]:
            return "same code", ""
        tests = self.nearest(path)
        for some in (tests[:1], tests[1:]):  # most are killed by the first, which is soon linked
            if some and not self.copy.make(*(test.name for test in some)):
                return "did not compile", ""
            for test in some:
                if digest(test.program) != self.digests[test.name] and not self.copy.passes(test, 10 + 5 * test.seconds):
                    return "killed", f"unit.{test.name}"
        if self.suites and not self.copy.make(f"test-{self.name}"):
            return "did not compile", ""
        for which, seconds in self.suites:
            limit = 60 + 5 * seconds
            if not any(self.copy.passes_suites(self.name, which, limit) for _ in range(2)):  # some watch live processes
                return "killed", " ".join(which)
        return "lived", ""


# ---- all of them -------------------------------------------------------------------------------

def shown(mutant):
    """'src/a/b.c:12: comparison: '<' -> '<=': the line'."""
    text = (ROOT / mutant.path).read_text(encoding="utf-8")
    line = text.count("\n", 0, mutant.start) + 1
    return (f"{mutant.path}:{line}: {mutant.rule}: '{text[mutant.start:mutant.end]}' -> '{mutant.new}': "
            f"{text.splitlines()[line - 1].strip()}")


def run_mutant(copy, room, mutant):
    if mutant.path not in room.codes:
        room.remember(mutant.path)
    target = copy.source / mutant.path
    text = target.read_text(encoding="utf-8")
    try:
        target.write_text(text[:mutant.start] + mutant.new + text[mutant.end:], encoding="utf-8")
        return room.judge(mutant.path)
    finally:
        target.write_text(text, encoding="utf-8")


def report(scores):
    for name, counts in sorted(scores.items()):
        judged = counts["killed"] + counts["lived"]
        share = f"{100 * counts['killed'] / judged:.0f} %" if judged > 0 else "-"
        print(f"{name}: {share} of {judged} killed; " + ", ".join(f"{counts[each]} {each}" for each in OUTCOMES))
    return 1 if any(counts["lived"] for counts in scores.values()) else 0


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="C files below src/")
    parser.add_argument("--room", action="append", default=[], help="all C files of a room; may be repeated")
    parser.add_argument("--count", type=int, default=15, help="mutants of all files together (default: 15)")
    parser.add_argument("--seed", type=int, default=1, help="which ones: the same for the same sources (default: 1)")
    parser.add_argument("--suites", action="store_true", help="run the room's suites where unit tests pass")
    parser.add_argument("--keep-going", action="store_true", help="go on after a mutant that lived")
    parser.add_argument("--again", metavar="FILE", help="the mutants that lived according to FILE, an earlier output")
    parser.add_argument("--preset", choices=BUILDS, default="release", help="asan: unit tests with sanitizers")
    parser.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build-mutate", help="where the copy is")
    parser.add_argument("--jobs", type=int, default=2, help="of a build (default: 2)")
    return parser.parse_args()


def main():
    given = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the copy is as it was
    files = files_of(given.room, given.files)
    mutants = those_that_lived(given.again) if given.again else choose(files, given.count, given.seed)
    if not mutants:
        fail("mutate: nothing to mutate; give a --room or C files below src/")
    if given.list:
        print("\n".join(map(shown, mutants)))
        return 0
    copy = Copy(given.work.resolve(), given.jobs, given.preset)
    copy.refresh()
    rooms, scores = {}, collections.defaultdict(collections.Counter)
    for mutant in sorted(mutants, key=lambda each: each.path.parts[1]):
        name = mutant.path.parts[1]
        if name not in rooms:
            rooms[name] = Room(copy, name, given.suites)
        outcome, who = run_mutant(copy, rooms[name], mutant)
        scores[name][outcome] += 1
        print(f"{outcome}{' by ' + who if who else ''}: {shown(mutant)}", flush=True)
        if outcome == "lived" and not given.keep_going:
            break
    return report(scores)


if __name__ == "__main__":
    sys.exit(main())

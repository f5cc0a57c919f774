#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One door: every golden case once more through Python. The library does the same for both, so
tables, messages, losses and exit status have to be those of the program.

    tests/doors/run.py BIN_DIR DROPIN_DIR LIBRARY [CASE...]

Lines are compared without their order, as messages and tables take two ways to the same file, and
without the words of hints, which are the program's own. Help, drop-in names, and slips that only a
command line can have go to the program."""
import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("golden", HERE.parent / "golden" / "run.py")
golden = importlib.util.module_from_spec(spec)
spec.loader.exec_module(golden)


# Cases that only the program can run, and why.
OF_THE_PROGRAM = {
    "breakdown_flags": "shows the first line alone, and messages and tables take two ways",
    "output_closed_pipe": "ends by SIGPIPE, which Python ignores",
    "outputs_replace": "asks a person on a terminal",
    "profile_table": "shows a table on standard error, beside the output of the program that it runs",
    "profile_few_files": "becomes the program that it cannot record, before messages are shown",
}


def lines_of(data):
    return sorted(data.decode(errors="backslashreplace").splitlines())


def is_same(expected, found):
    """Equal but for the words of a hint at the end of a message."""
    return expected == found or ("tacho: " in found and expected.startswith(found))


class Runner(golden.Runner):
    """Cases that find the script in the place of the program."""

    def differences(self, case, actual):
        lines = []
        for part in golden.PARTS:
            path = golden.HERE / "cases" / case / part
            expected = lines_of(path.read_bytes()) if path.exists() else []
            found = lines_of(actual.get(part, b""))
            for line in list(found):
                match = next((other for other in expected if is_same(other, line)), None)
                if match is not None:
                    expected.remove(match)
                    found.remove(line)
            lines += [f"{case}/{part}: program alone: {line}" for line in expected]
            lines += [f"{case}/{part}: Python alone: {line}" for line in found]
        return lines


def make_door(folder, program):
    """A folder with the script under the program's name."""
    door = pathlib.Path(folder) / "tacho"
    shutil.copy(HERE / "tacho.py", door)
    door.chmod(0o755)
    os.environ["TACHO_PROGRAM"] = str(program)
    os.environ["TACHO_DOORS"] = str(pathlib.Path(folder) / "doors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("dropin_dir", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("cases", nargs="*", metavar="CASE")
    options = parser.parse_intermixed_args()
    names = [name for name in golden.chosen(options.cases) if name not in OF_THE_PROGRAM]
    os.environ["TACHO_LIBRARY"] = str(options.library.resolve(strict=True))
    os.environ["PYTHONPATH"] = str(HERE.parent.parent / "python")
    counts = dict.fromkeys(("passed", "failed", "skipped"), 0)
    # Cases find programs of the build beside that of the program.
    with tempfile.TemporaryDirectory(dir=options.bin_dir.resolve().parent) as folder:
        make_door(folder, (options.bin_dir / "tacho").resolve(strict=True))
        runner = Runner(pathlib.Path(folder), options.dropin_dir.resolve(strict=True), False, None)
        runner.environment["PATH"] += f":{options.bin_dir.resolve()}"
        try:
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                for result, lines in pool.map(runner.run_case, names):
                    counts[result] += 1
                    if lines:
                        print("\n".join(lines), flush=True)
        finally:
            shutil.rmtree(runner.work, ignore_errors=True)
        doors = (pathlib.Path(folder) / "doors").read_text(encoding="ascii")
    print(", ".join(f"{count} {result}" for result, count in counts.items())
          + f"; {doors.count('P')} commands through Python, {doors.count('c')} of the program alone")
    # Most of what only the program does is help, misuse of a command line, and files that it names.
    counts["failed"] += not options.cases and doors.count("P") < doors.count("c")
    sys.exit(1 if counts["failed"] or not counts["passed"] else 0)


main()

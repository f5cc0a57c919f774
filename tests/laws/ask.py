# SPDX-License-Identifier: Apache-2.0
"""Asks the program, and counts what laws find."""
import collections
import json
import subprocess

SHOWN = 3  # failures of each law


class Asker:
    def __init__(self, tacho):
        self.tacho, self.checks, self.failures = tacho, collections.Counter(), collections.Counter()

    def run(self, *words):
        return subprocess.run([self.tacho, *words], capture_output=True, text=True, check=False,
                              errors="replace")

    def tables(self, verb, *words):
        """Rows by table; None where the verb has no answer, such as for a profile without work."""
        done = self.run(verb, *words, "-q", "--format", "json")
        if done.returncode == 2 and "Try 'tacho" in done.stderr:
            raise ValueError(f"{verb} {words}: {done.stderr}")
        if done.returncode not in (0, 3, 4, 5):
            return None
        found = collections.defaultdict(list)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            found[row["table"]].append(row)
        return found

    def law(self, name, holds, *evidence):
        """Counts a check; the first that fail are shown with their evidence."""
        self.checks[name] += 1
        if not holds:
            self.failures[name] += 1
            if self.failures[name] <= SHOWN:
                print(f"FAIL {name}: " + "; ".join(str(each)[:400] for each in evidence), flush=True)

    def finish(self, at_least):
        """Exit status; a law that was checked less often than |at_least| says does not hold either."""
        for name, count in at_least.items():
            if self.checks[name] < count:
                self.failures[name] += 1
                print(f"FAIL {name}: {self.checks[name]} checks, at least {count} expected")
        for name, count in sorted(self.checks.items()):
            print(f"{count:6} {name}")
        print(f"laws: {self.checks.total()} checks, {self.failures.total()} failures")
        return 1 if self.failures else 0

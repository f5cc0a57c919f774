# SPDX-License-Identifier: Apache-2.0
"""Asks the program, and counts what laws find."""
import collections
import json
import subprocess


class Asker:
    def __init__(self, tacho):
        self.tacho, self.checks, self.failures = tacho, collections.Counter(), []

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
        """Counts a check; one that fails is kept with its evidence."""
        self.checks[name] += 1
        if not holds:
            self.failures.append(f"{name}: " + "; ".join(str(each)[:400] for each in evidence))

    def finish(self, at_least):
        """Exit status; a law that was checked less often than |at_least| says does not hold either."""
        for failure in self.failures[:20]:
            print(f"FAIL {failure}")
        for name, count in at_least.items():
            if self.checks[name] < count:
                self.failures.append(name)
                print(f"FAIL {name}: {self.checks[name]} checks, at least {count} expected")
        for name, count in sorted(self.checks.items()):
            print(f"{count:6} {name}")
        print(f"laws: {self.checks.total()} checks, {len(self.failures)} failures")
        return 1 if self.failures else 0

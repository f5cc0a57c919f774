# SPDX-License-Identifier: Apache-2.0
"""What the checks of report pages share: counting what holds, and running programs."""
import math
import subprocess
import sys

failures = []
counts = {"passed": 0}


def check(name, actual, expected=True):
    if actual == expected:
        counts["passed"] += 1
    else:
        failures.append(name)
        print(f"FAIL {name}: expected {str(expected)[:400]}, got {str(actual)[:400]}")


def finish():
    print(f"{counts['passed']} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


def best_of(tries, measure, limit):
    """The least of some measurements, until one is below |limit|: a busy computer has quiet moments."""
    best = math.inf
    for _ in range(tries):
        best = min(best, measure())
        if best < limit:
            break
    return best


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unittest.main for tests that need something that a computer may lack, also as a program.

The reason for each skipped test is printed, and the exit status is then 77, which ctest reports as
skipped, unless a test failed. Reasons that begin with "left to" do not count: another test runs the same
checks.

    python3 tests/skips.py discover -s FOLDER -p PATTERN
"""
import functools
import subprocess
import sys
import unittest

SKIPPED = 77


@functools.lru_cache
def mpirun_loses_output():
    """Whether mpirun drops what a program wrote that ends with a status, as that of Open MPI 5 does now and then."""
    wanted = "".join(f"{number}\n" for number in range(1, 8001))
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", "sh", "-c",
               'test "$OMPI_COMM_WORLD_RANK" != 0 || { seq 8000; exit 3; }']
    return any(subprocess.run(command, capture_output=True, text=True, check=False).stdout != wanted for _ in range(3))


def main(argv, **options):
    result = unittest.main(argv=argv, exit=False, **options).result
    reasons = sorted({reason for _, reason in result.skipped if not reason.startswith("left to ")})
    for reason in reasons:
        print(f"skip: {reason}", flush=True)
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if reasons else 0)


if __name__ == "__main__":
    main([sys.argv[0], *sys.argv[1:]], module=None)

# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
T1 = DATA / "torq" / "t1.csv"
R0 = DATA / "torq" / "r0.csv"
PAIR = DATA / "run" / "pair.mlir"

IS_PLAIN = "TACHO_TEST_PLAIN" in os.environ
# Tests to which numpy and pandas make no difference need not run in both ways.
LEFT_TO_FULL = IS_PLAIN and all(importlib.util.find_spec(name) for name in ("numpy", "pandas"))
if IS_PLAIN:  # as where neither is installed
    sys.modules["numpy"] = sys.modules["pandas"] = None

HAS_NUMPY = sys.modules.get("numpy", 0) is not None and importlib.util.find_spec("numpy") is not None
HAS_PANDAS = sys.modules.get("pandas", 0) is not None and importlib.util.find_spec("pandas") is not None
needs_numpy = unittest.skipUnless(HAS_NUMPY, "left to python.full" if IS_PLAIN else "numpy is not installed")
needs_pandas = unittest.skipUnless(HAS_PANDAS, "left to python.full" if IS_PLAIN else "pandas is not installed")


def wait_until(holds, seconds=300):
    """Whether a condition holds within some time."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


class Board:
    """A board on this computer (tests/remote/board.sh): |bin| has an ssh that reaches it by any name."""

    def __init__(self, folder):
        script = ('. "$0" && board_start "$1" && echo "$BOARD_BIN" && echo "$BOARD_HOME" && '
                  'echo "$BOARD_LOCK" && read -r _; board_stop')
        self._process = subprocess.Popen(["bash", "-c", script, ROOT / "tests" / "remote" / "board.sh",
                                          folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.bin, self.home, self.lock = (self._process.stdout.readline().strip() for _ in range(3))
        if self.bin.startswith("skip: "):
            self.stop()
            raise unittest.SkipTest(self.bin[len("skip: "):])

    def hold(self):
        """A process that uses the board until its input ends."""
        holder = subprocess.Popen(["flock", self.lock, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        holder.stdin.write(b"\n")
        holder.stdin.flush()
        holder.stdout.read(1)  # it has the lock
        return holder

    def stop(self):
        self._process.communicate()

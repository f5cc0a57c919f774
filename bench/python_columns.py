#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a profile takes as columns of pandas: reading the file, then all columns of its spans as
a data frame. Best of several; time of the processor, as computers are noisy.

Usage: python_columns.py FILE REPEAT   (TACHO_LIBRARY and PYTHONPATH say which tacho)
Prints: spans, seconds to read, seconds to a data frame, seconds to sum durations by name.
Exit status 77 without numpy and pandas."""
import os
import sys
import time

try:
    import numpy
    import pandas
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    sys.exit(77)

import tacho


def timed(function):
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def main():
    path, repeat = sys.argv[1], int(sys.argv[2])
    best = None
    for _ in range(repeat):
        profile, read_s = timed(lambda: tacho.Profile(path))
        frame, frame_s = timed(profile.to_pandas)
        _, sum_s = timed(lambda: (frame.end_ns - frame.start_ns).groupby(frame.name).sum())
        if best is None or read_s + frame_s < sum(best[:2]):
            best = read_s, frame_s, sum_s
    assert isinstance(frame, pandas.DataFrame) and frame.start_ns.dtype == numpy.int64
    print(len(frame), *(f"{seconds:.4f}" for seconds in best))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Stands in for Torq's perfetto_logger.py: hands its command line to tacho. Programs that import it
# get the classes and functions of the Python package.
import os
import shutil
import sys


def main():
    here = os.path.dirname(os.path.realpath(__file__))
    beside = [os.path.join(here, *way, "bin", "tacho") for way in ([".."], ["..", "..", ".."])]
    found = [p for p in beside if os.path.isfile(p) and os.access(p, os.X_OK)]
    program = found[0] if found else shutil.which("tacho")
    if program is None:
        sys.exit("perfetto_logger.py: cannot find tacho beside this file or on PATH")
    os.execv(program, ["perfetto_logger.py"] + sys.argv[1:])


if __name__ == "__main__":
    main()
else:  # imported: the classes and functions of the Python package
    from tacho.timechart import *  # noqa: F401,F403

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Stands in for Torq's perfetto_logger.py: hands its command line to tacho. Programs that import it
# get the classes and functions of the Python package.
import glob
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
    try:
        import tacho  # noqa: F401
    except ModuleNotFoundError:  # not on Python's path: that of this build or installation
        _here = os.path.dirname(os.path.realpath(__file__))
        sys.path += [os.path.join(_here, "..", "..", "python")]
        sys.path += glob.glob(os.path.join(_here, "..", "..", "..", "lib", "python3*", "*-packages"))
        _library = os.path.join(_here, "..", "src", "libtacho.so")
        if os.path.exists(_library):
            os.environ.setdefault("TACHO_LIBRARY", _library)
    from tacho.timechart import *  # noqa: F401,F403

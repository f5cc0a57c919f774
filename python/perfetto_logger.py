# SPDX-License-Identifier: Apache-2.0
"""Torq's perfetto_logger, by tacho: the same names, importable from the same module, and its command.

    python3 -m perfetto_logger --compile_profile compile.csv --runtime_profile runtime.csv --pb out.pb
"""
import argparse
import os
import sys

from tacho import TachoError
from tacho.timechart import *  # noqa: F401,F403
from tacho.timechart import __all__, convert_to_perfetto  # noqa: F401


def _named(paths, first):
    """Files by number and name, as the command calls their processes: "01 compile.csv"."""
    return {f"{first + i:02} {os.path.basename(path)}": path for i, path in enumerate(paths)}


def main():
    parser = argparse.ArgumentParser(description="Profiles of Torq to a Perfetto trace.")
    parser.add_argument("--compile_profile", nargs="+", default=[], metavar="CSV")
    parser.add_argument("--runtime_profile", nargs="+", default=[], metavar="CSV")
    parser.add_argument("--pb", required=True, metavar="FILE", help="trace to write")
    given = parser.parse_args()
    if not given.compile_profile and not given.runtime_profile:
        parser.error("no profile given; use --compile_profile or --runtime_profile")
    try:
        done = convert_to_perfetto(_named(given.compile_profile, 1),
                                   _named(given.runtime_profile, 1 + len(given.compile_profile)), given.pb)
    except TachoError as error:
        sys.exit(f"perfetto_logger: {error}")
    return 3 if done.lost_count else 0


if __name__ == "__main__":
    sys.exit(main())

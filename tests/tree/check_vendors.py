#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sees that rooms which serve every vendor name none: pipeline, session and the interface of sources.
What one vendor's tools need from several rooms is in src/vendors, its formats in src/sources/<vendor>
and src/sinks/<vendor>.

Usage: check_vendors.py ROOT
Looks at code and comments; tests beside the code may name anything, and so may the registry of sources
in its list of them."""
import pathlib
import re
import sys

VENDOR = re.compile(r"torq|qaic|qualcomm|tenstorrent|tt-metal|ttnn|(?<![a-z])tt_|(?<![a-z])iree", re.IGNORECASE)
NEUTRAL = ("src/pipeline/**/*.[ch]", "src/session/**/*.[ch]", "src/sources/source.h", "src/sources/options.*",
           "src/sources/registry.c")
# Lines of the registry's list: an include of a source, and addresses of sources.
LISTED = re.compile(r'^#include "sources/|^static const .*folder_sources\[\] = \{|^ *(&tacho_source_\w+,\s*)+')


def problems_of(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = VENDOR.search(line)
        if match and not (name == "src/sources/registry.c" and LISTED.match(line)):
            yield f"{name}:{number}: names a vendor ('{match.group()}'): {line.strip()}"


def self_test():
    count = lambda name, text: len(list(problems_of(name, text)))
    return (count("src/session/x.c", "bool is_torq;") == 1 and count("src/session/x.c", "int att_count;") == 0
            and count("src/session/x.c", "/* as IREE's tool */ int retired, tt_row;") == 1
            and count("src/sources/registry.c", "    &tacho_source_torq_host, &tacho_source_x,") == 0
            and count("src/sources/registry.c", '#include "sources/torq/torq.h"') == 0
            and count("src/sources/registry.c", "    return tt_log_set_holds(folder, path);") == 1)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = sorted({path for pattern in NEUTRAL for path in root.glob(pattern)
                    if not path.stem.endswith(("_test", "_testing"))})
    problems = [problem for path in files
                for problem in problems_of(str(path.relative_to(root)), path.read_text(encoding="utf-8"))]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(files)} files, {len(problems)} problems")
    if not self_test():
        sys.exit("the check itself is broken")
    sys.exit(1 if problems or not files else 0)


main()

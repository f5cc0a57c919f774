#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every promise of SECURITY.md has tests that fail when it is broken.

    check_security.py SOURCE_DIR

The page is cut into clauses, each of which has a row below, word for word: a new or changed promise needs a test
first. A test is "FILE NAME", where NAME is in that file.
"""
import pathlib
import re
import sys

FUZZ = "tests/fuzz/CMakeLists.txt fuzz_"
TRACY = "tests/tracy/check_profile.py "
PROMISES = {
    "does not crash, corrupt memory, run code from them, or follow names in them out of the model's folder": (
        FUZZ, "src/sources/tacho/capture_damage_test.c test_every_bit", "src/sql/sql_test.c test_statements_are_checked",
        "src/base/beneath_test.c test_nothing_outside", "src/base/beneath_test.c test_regular_files_only"),
    "takes memory and time in proportion to the file, or refuses and names the limit: names, tracks, rows, results of SQL "
    "and tensors are bounded by `--memory`, by default a quarter of the computer's, and less for a file that unpacks to "
    "more than 200 times its size and for a result of SQL: 256 MiB and twice what is read": (
        "tests/memory/check_memory.py def check_limit", "tests/memory/check_memory.py def check_models",
        "tests/memory/check_memory.py def check_bombs", "tests/memory/check_memory.py def check_query",
        "src/sql/text_functions_test.c test_deadline",
        "src/graph/gate_test.c test_work", "src/sql/sql_test.c test_sizes_are_limited",
        "src/codec/mlir_text_hostile_test.c test_alias_bomb", "tests/files/check_files.py class Endless"),
    "sends no control characters from them to a terminal, and puts no script into a report page": (
        "src/base/terminal_test.c test_output_to_terminal", "tests/files/check_files.py test_formats",
        "tests/files/check_files.py test_messages", "tests/files/check_names.py def check_terminal",
        "tests/report/check.py HOSTILE", "tests/report/answers.py def hostile"),
    "trusts no byte of the memory that it shares with a program that it profiles, and listens on a Unix socket that its "
    "own user alone may use (`--port` adds a port on 127.0.0.1, where only processes of the same user are heard)": (
        FUZZ, "src/capture/collector_test.c say_garbage", "src/base/local_socket_test.c is_for_its_user_alone",
        "src/base/local_socket_test.c memory_keeps_its_size", "src/base/local_socket_test.c ports_know_their_users"),
    "believes a board of `tacho run --host` no more than a file: what it answers is checked against the program, and "
    "neither a wrong, a damaged nor a missing answer makes tacho wait for ever": (
        "tests/remote/run.sh case_lies", "tests/remote/damage.py def judge", "src/remote/result_test.c checks_outputs",
        "src/remote/wire_test.c finds_damage"),
    "takes events of Tracy only from processes of the profiled command that run as its own user": (
        TRACY + "check_strangers", TRACY + "check_other_user"),
    "`tacho profile` receives UDP broadcasts on port 8086, because that is how Tracy clients announce themselves, and "
    "datagrams to 127.0.0.1, but none that are sent to an address of this computer": (TRACY + "udp_hosts",),
    "A datagram is only a hint: it must come from this computer and name a process of the command, and tacho connects "
    "only to a port that such a process listens on": (TRACY + "forged: a port of ours", TRACY + "forged: by unicast"),
    "`--no-tracy` opens no such socket and connects to nobody": (TRACY + "check_off",),
    "writes only where the command line says, whole files or none, and replaces no file of another kind under a name "
    "that it chose itself": (
        "tests/torture/kills.py left behind", "src/base/output_test.c test_close_leaves_nothing",
        "tests/files/check_files.py test_links_in_folders", "tests/files/check_files.py test_vendors_files"),
    "Besides, it keeps the measured description of this computer in `~/.cache/tacho`, the runtime of a board there, and "
    "temporary files in TMPDIR": (
        "src/base/temp_folder_test.c removes_what_was_left", "tests/remote/run.sh expect_clean"),
}


def clauses(page):
    """Those of the list of promises."""
    section = page.split("## What tacho promises")[1].split("\nSomething that breaks")[0]
    for item in re.split(r"\n- ", section)[1:]:
        for clause in re.split(r"(?<=[a-z`])\. ", re.sub(r"\s+", " ", item).strip()):
            yield clause.rstrip(".;")


def main():
    source = pathlib.Path(sys.argv[1])
    found = list(clauses((source / "SECURITY.md").read_text(encoding="utf-8")))
    problems = ["no test for: %s" % clause for clause in found if clause not in PROMISES]
    problems += ["not on the page: %s" % clause for clause in PROMISES if clause not in found]
    for tests in PROMISES.values():
        for test in tests:
            path, name = test.split(" ", 1)
            if not (source / path).is_file() or name not in (source / path).read_text(encoding="utf-8"):
                problems.append("there is no %s in %s" % (name, path))
    for problem in problems:
        print("FAIL SECURITY.md: " + problem)
    print("security: %d promises, %d problems" % (len(found), len(problems)))
    return 1 if problems or len(found) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())

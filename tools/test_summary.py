#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up JUnit files of ctest: the tests that failed, why tests or parts of them were skipped, and one line
with the counts.

    test_summary.py SECONDS RESULTS.xml [RESULTS_AGAIN.xml]   the second file replaces results of the first
    test_summary.py --only-failed REGEX RESULTS.xml           exit status 0 if all failed tests match
"""
import collections
import re
import sys
import xml.etree.ElementTree

# What programs print at their end: cmocka, the suites' scripts, Python's unittest.
CHECKS = re.compile(r"^\[  PASSED  \] (\d+) test\(s\)|^(?:\w+: )?(\d+) passed\b|^Ran (\d+) tests? in ", re.M)
SKIP = re.compile(r"^(?:[\w.]+: )?skip(?:ped)?\b:? *(.*)$", re.M | re.I)


def results(path):
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        yield case.get("name"), case.get("status"), case.findtext("system-out") or ""


def reasons(name, status, output):
    """Why the test, or a part of it, was skipped."""
    found = [match.strip() for match in SKIP.findall(output) if match.strip()]
    if status == "notrun" and not found:
        found = output.strip().splitlines()[-1:] or ["gives no reason"]
    return [f"{name}: {reason[:160]}" for reason in dict.fromkeys(found)]


def main():
    if sys.argv[1] == "--only-failed":
        failed = [name for name, status, _ in results(sys.argv[3]) if status == "fail"]
        return 0 if failed and all(re.search(sys.argv[2], name) for name in failed) else 1
    tests = {name: (status, output) for path in sys.argv[2:] for name, status, output in results(path)}
    counts = collections.Counter(status for status, _ in tests.values())
    checks = sum(int(next(filter(None, match))) for _, output in tests.values() for match in CHECKS.findall(output))
    skipped = [line for name in sorted(tests) for line in reasons(name, *tests[name])]
    if skipped:
        print("\nskipped, whole or in part:\n  " + "\n  ".join(skipped))
    failed = [name for name in sorted(tests) if tests[name][0] == "fail"]
    if failed:
        print("\nfailed: " + " ".join(failed))
    minutes = int(sys.argv[1]) / 60
    print(f"\n{counts['run']} passed, {counts['fail']} failed, {counts['notrun']} skipped "
          f"({checks} checks) in {minutes:.1f} minutes" + ("; reasons above" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())

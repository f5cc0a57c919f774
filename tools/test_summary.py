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


def outcome(case):
    """A test that ctest could not start, or whose fixture failed, did not run either, and has failed."""
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    return "skipped" if skipped is not None and "SKIP_RETURN_CODE" in skipped.get("message", "") else "failed"


def results(path):
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        yield case.get("name"), outcome(case), case.findtext("system-out") or ""


def reasons(name, result, output):
    """Why the test, or a part of it, was skipped."""
    found = [match.strip() for match in SKIP.findall(output) if match.strip()]
    if result == "skipped" and not found:
        found = output.strip().splitlines()[-1:] or ["gives no reason"]
    return [f"{name}: {reason[:160]}" for reason in dict.fromkeys(found)] if result != "failed" else []


def main():
    if sys.argv[1] == "--only-failed":
        failed = [name for name, result, _ in results(sys.argv[3]) if result == "failed"]
        return 0 if failed and all(re.search(sys.argv[2], name) for name in failed) else 1
    files = [list(results(path)) for path in sys.argv[2:]]
    tests = {name: (result, output) for file in files for name, result, output in file}
    counts = collections.Counter(result for result, _ in tests.values())
    checks = sum(int(next(filter(None, match))) for _, output in tests.values() for match in CHECKS.findall(output))
    skipped = [line for name in sorted(tests) for line in reasons(name, *tests[name])]
    if skipped:
        print("\nskipped, whole or in part:\n  " + "\n  ".join(skipped))
    failed = [name for name in sorted(tests) if tests[name][0] == "failed"]
    if failed:
        print("\nfailed: " + " ".join(failed))
    again = sum(tests[name][0] == "passed" for name, _, _ in files[1]) if len(files) > 1 else 0
    print(f"\n{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped "
          f"({checks} checks) in {int(sys.argv[1]) / 60:.1f} minutes"
          + (f"; {again} passed at the second try" if again else "") + ("; reasons above" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())

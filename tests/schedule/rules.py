# SPDX-License-Identifier: Apache-2.0
"""The list of rules. A rule is a function of a Case that yields what it finds wrong.

    @rule("name-of-the-rule")
    def check(case):
        yield "job 3 (load, tile 0, core 0): expected ..., found ..."

A message names the operator or job and says what was expected and what was found.
"""

_ALL = []


def rule(name):
    def add(function):
        _ALL.append((name, function))
        return function
    return add


class Violation:
    def __init__(self, case, name, message):
        self.case, self.rule, self.message = case, name, message

    def __str__(self):
        return f"{self.case}: {self.rule}: {self.message}"


def names():
    return [name for name, _ in _ALL]


def check(case, at_most=5):
    """Violations of a case, at most so many of each rule, and how many there are of each."""
    found, counts = [], {}
    for name, function in _ALL:
        for message in function(case):
            counts[name] = counts.get(name, 0) + 1
            if counts[name] <= at_most:
                found.append(Violation(case.label, name, message))
    return found, counts

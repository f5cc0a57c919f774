#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line once more, through the Python package: what tests/doors/run.py puts in the place
of the program. It reads options by the tables of the library, asks tacho.request, and prints what
the program would. What is not a request, and misuse that a command line alone can have, goes to the
program ($TACHO_PROGRAM)."""
import os
import sys

from tacho import TachoError, requests as module


class CommandLine(Exception):
    """The words need the program: help, or options that no table has."""


def parse(words, table, runs_program):
    """(options, words, how many of those are of the first side)"""
    by_name = {row.name.replace("_", "-"): row for row in table}
    by_letter = {row.letter: row for row in table if row.letter}
    chosen, plain, divided, at = [], [], None, 0
    while at < len(words):
        word = words[at]
        at += 1
        if divided is not None or len(word) < 2 or word[0] != "-" or (runs_program and plain):
            plain.append(word)
        elif word == "--":
            divided = len(plain)
        else:
            row, value, more = split(word, by_name, by_letter)
            if more:  # letters of flags, written together
                words = words[:at] + ["-" + more] + words[at:]
            if row.name == "help":
                raise CommandLine(word)
            if row.value is not None and value is None and row.value[0] != "[":
                if at == len(words):
                    raise CommandLine(word)
                value, at = words[at], at + 1
            if row.value is None and value is not None:
                raise CommandLine(word)
            chosen.append((row.name, value))
    return chosen, plain, divided


def split(word, by_name, by_letter):
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        row = by_name.get(name.replace("_", "-"))
        if row is None:
            raise CommandLine(word)
        return row, value if equals else None, ""
    row = by_letter.get(word[1])
    if row is None or word[1:].partition("=")[0] in by_name:  # with one dash too few
        raise CommandLine(word)
    rest = word[2:]
    return (row, None, rest) if row.value is None else (row, rest or None, "")


def ask(name, words):
    if name not in module.names():
        raise CommandLine(name)
    table = module.options(name)
    chosen, plain, divided = parse(words, table, name == "profile")
    check_front(chosen, table)
    output = None
    if is_drawn(name, chosen):
        output = b"-"
    elif any(row.name == "format" for row in table) and "format" not in dict(chosen) and not has_file(chosen):
        chosen.append(("format", format_of(chosen)))
    spelling = module.spelling(option=b"--", letter=b"-", request=b"tacho ")
    failure = None
    try:
        results = module.run_request(name, chosen, plain, divided, spelling, output)
    except TachoError as error:
        failure, results = error, error.results
    written = print_results(chosen, results)
    if failure is not None:
        say("error", failure.message)
        for note in failure.notes:
            say("note", note)
    if results.is_misuse:
        print(f"Try 'tacho {name} --help'.", file=sys.stderr)
    return results.status or written


def check_front(chosen, table):
    """Options of front ends, which mean nothing here, and slips that they find."""
    given = dict(chosen)
    if {"color", "memory", "verbose"} & set(given):
        raise CommandLine("of the front end")
    if sum(name in given for name in ("json", "csv", "format")) > 1:
        raise CommandLine("formats")
    repeatable = {row.name for row in table if row.is_repeatable}
    names = [name for name, _ in dict.fromkeys(chosen) if name not in repeatable]
    if len(set(names)) < len(names):
        raise CommandLine("given twice")


def has_file(chosen):
    return dict(chosen).get("output", "-") != "-"


def format_of(chosen):
    given = dict(chosen)
    return given.get("format") or ("json" if "json" in given else "csv" if "csv" in given else "text")


# Requests and formats whose bytes are more than those of their tables.
OWN_REQUESTS = {"annotate", "machine", "run"}
OWN_FORMATS = {("overview", "text"), ("compile", "text")}


def is_drawn(name, chosen):
    """Whether the library writes to standard output itself, rather than handing tables over."""
    given = dict(chosen)
    return (name in OWN_REQUESTS or (name, format_of(chosen)) in OWN_FORMATS or "output" in given
            or format_of(chosen) not in ("text", "csv", "json") or {"compat", "join"} & set(given))


def print_results(chosen, results):
    for message in results.messages:
        if message.kind == "answer":
            print(message.text)
        else:
            say(message.kind, message.text)
    sys.stdout.flush()
    if any(len(table) for table in results.tables):
        try:
            results.tables.write("-", format_of(chosen))
        except TachoError as error:
            say("error", error.message)
            return 1
    return 0


def say(kind, text):
    print(f"tacho: {kind}: {text}", file=sys.stderr)


def count(door):
    """One letter for each command, of the door that it took."""
    with open(os.environ["TACHO_DOORS"], "a", encoding="ascii") as log:
        log.write(door)


def main():
    program = os.environ["TACHO_PROGRAM"]
    try:
        if len(sys.argv) < 2 or sys.argv[1] in ("help", "--help", "-h", "--version", "-V"):
            raise CommandLine("")
        status = ask(sys.argv[1], sys.argv[2:])
        count("P")
    except CommandLine:
        sys.stdout.flush()
        count("c")
        os.execv(program, ["tacho"] + sys.argv[1:])
    sys.exit(status)


main()

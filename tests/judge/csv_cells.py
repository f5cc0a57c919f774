#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the cells of a wide CSV table that are not empty, one to a line: row, column, value.

    csv_cells.py FILE
"""
import csv
import sys


def main():
    with open(sys.argv[1], newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        print("%d columns" % len(header))
        for number, row in enumerate(rows, 2):
            for name, value in zip(header, row):
                if value:
                    print("%d\t%s\t%s" % (number, name, value))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what an .xlsx holds, by the standard library alone.

Usage: xlsx_dump.py FILE     per sheet: name, frozen pane, filter, widths, then the rows; a cell is
its type (n number, s text, f formula) and its value. Text is printed as Python would."""
import re
import sys
import xml.etree.ElementTree as tree
import zipfile

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def unescape(text):
    """_x0041_ stands for a character in a cell's text."""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match.group(1), 16)), text)


def cell_text(cell, shared):
    if cell.find(MAIN + "f") is not None:
        return "f:" + (cell.find(MAIN + "f").text or "")
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "s:" + repr(unescape("".join(t.text or "" for t in cell.iter(MAIN + "t"))))
    value = cell.find(MAIN + "v")
    if value is None:
        return "-"
    if kind == "b":
        return "b:" + value.text
    return "s:" + repr(unescape(shared[int(value.text)])) if kind == "s" else "n:" + value.text


def column_number(reference):
    number = 0
    for letter in re.match(r"[A-Z]+", reference).group(0):
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def print_sheet(name, sheet, shared):
    pane = sheet.find(f"{MAIN}sheetViews/{MAIN}sheetView/{MAIN}pane")
    filter_ = sheet.find(MAIN + "autoFilter")
    print(f"sheet {name!r}",
          "frozen " + pane.get("topLeftCell") if pane is not None else "not frozen",
          "filter " + filter_.get("ref") if filter_ is not None else "no filter")
    print("widths", *(round(float(c.get("width")) - 0.7109375) for c in sheet.iter(MAIN + "col")))
    for row in sheet.iter(MAIN + "row"):
        cells = {column_number(c.get("r")): cell_text(c, shared) for c in row}
        print(row.get("r"), *(cells.get(i, "-") for i in range(1, max(cells, default=0) + 1)))


def main():
    with zipfile.ZipFile(sys.argv[1]) as book:
        assert book.testzip() is None
        shared = []
        if "xl/sharedStrings.xml" in book.namelist():
            strings = tree.fromstring(book.read("xl/sharedStrings.xml"))
            shared = ["".join(t.text or "" for t in s.iter(MAIN + "t")) for s in strings]
        links = {r.get("Id"): r.get("Target")
                 for r in tree.fromstring(book.read("xl/_rels/workbook.xml.rels"))}
        for sheet in tree.fromstring(book.read("xl/workbook.xml")).iter(MAIN + "sheet"):
            content = tree.fromstring(book.read("xl/" + links[sheet.get(RELATION)]))
            print_sheet(sheet.get("name"), content, shared)


main()

# SPDX-License-Identifier: Apache-2.0
"""Reads the phase dumps: MLIR in the generic form, one operation on a line.

An operation becomes an Op: name, results, operands, attributes (properties included), location,
types and the operations of its regions. Integers become int, texts str, lists and arrays of
integers list, dictionaries dict; whatever else stays as its text.
"""
import re

_OP = re.compile(r'\s*(?:((?:%[\w.$#:-]+(?:, )?)+) = )?"([\w.$-]+)"\(([^)]*)\)')
_KEY = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\w.$-]+)\s*(=)?\s*')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_INTEGER = re.compile(r'(-?\d+)(?: : \w+)?(?=[,}\]\s])')
_ARRAY = re.compile(r'array<i\d+(?:: ([-\d, ]*))?>')
_ESCAPE = re.compile(r'\\([0-9A-Fa-f]{2}|.)')
_TYPES = re.compile(r'\s*: \((.*?)\) -> (.*?)(?: loc\(|$)')
_LOCATION = re.compile(r' loc\((.*)\)\s*$')
_TENSOR = re.compile(r'tensor<((?:\d+x)*)([\w.!<>]+)>')


class Op:
    __slots__ = ("name", "results", "operands", "attrs", "regions", "operand_types",
                 "result_types", "location", "line", "parent")

    def __init__(self, name, results, operands, line, parent):
        self.name, self.results, self.operands = name, results, operands
        self.line, self.parent = line, parent
        self.attrs, self.regions = {}, []
        self.operand_types = self.result_types = self.location = ""

    def walk(self):
        """This operation's descendants in order, without recursion."""
        stack = [iter(self.regions)]
        while stack:
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
                continue
            yield child
            if child.regions:
                stack.append(iter(child.regions))


def unescape(text):
    if "\\" not in text:
        return text

    def one(match):
        code = match.group(1)
        return chr(int(code, 16)) if len(code) == 2 else {"n": "\n", "t": "\t"}.get(code, code)
    raw = _ESCAPE.sub(one, text)
    try:
        return raw.encode("latin-1").decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return raw


def _skip_balanced(text, at):
    """The place behind a value that starts at |at| and of which only the brackets matter."""
    depth = 0
    while at < len(text):
        c = text[at]
        if c == '"':
            at = _STRING.match(text, at).end()
            continue
        if c in "[{(<":
            depth += 1
        elif c in "]})" or (c == ">" and text[at - 1] != "-"):
            if depth == 0:
                return at
            depth -= 1
        elif c == "," and depth == 0:
            return at
        at += 1
    return at


def _value(text, at):
    match = _STRING.match(text, at)
    if match:
        return unescape(match.group(1)), match.end()
    match = _INTEGER.match(text, at)
    if match:
        return int(match.group(1)), match.end()
    match = _ARRAY.match(text, at)
    if match:
        body = match.group(1)
        return [int(v) for v in body.split(",")] if body and body.strip() else [], match.end()
    if text[at] == "[":
        return _list(text, at)
    if text[at] == "{":
        return parse_attributes(text, at)
    end = _skip_balanced(text, at)
    word = text[at:end].strip()
    return {"true": True, "false": False}.get(word, word), end


def _list(text, at):
    items, at = [], at + 1
    while True:
        while text[at] in ", ":
            at += 1
        if text[at] == "]":
            return items, at + 1
        item, at = _value(text, at)
        items.append(item)


def parse_attributes(text, at):
    """Attributes from the brace at |at|; also where they end."""
    attrs, at = {}, at + 1
    while True:
        while text[at] in ", ":
            at += 1
        if text[at] == "}":
            return attrs, at + 1
        match = _KEY.match(text, at)
        if not match:
            raise ValueError(f"attribute expected: {text[at:at + 60]!r}")
        key, at = match.group(1).strip('"'), match.end()
        if match.group(2):
            attrs[key], at = _value(text, at)
        else:
            attrs[key] = True


def _finish(op, text, at):
    """Attributes, types and location that stand behind operands or regions."""
    if text.startswith(" {", at):
        attrs, at = parse_attributes(text, at + 1)
        op.attrs.update(attrs)
    match = _TYPES.match(text, at)
    if match:
        op.operand_types, op.result_types = match.group(1), match.group(2)
    match = _LOCATION.search(text, at)
    op.location = match.group(1) if match else ""


def parse(lines):
    """The operations of a dump, under one that stands for the file; then its location aliases."""
    root = Op("file", [], [], 0, None)
    aliases, current = {}, root
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if line.startswith("#"):
            name, _, text = line.partition(" = ")
            aliases[name] = text
            continue
        stripped = line.lstrip()
        if stripped.startswith("})"):
            closing, current = current, current.parent
            _finish(closing, stripped, 2)
            continue
        match = _OP.match(line)
        if not match:
            if stripped and not stripped.startswith(("^", "}, {", "//")):
                raise ValueError(f"line {number}: operation expected: {stripped[:80]!r}")
            continue
        results = match.group(1).split(", ") if match.group(1) else []
        operands = match.group(3).split(", ") if match.group(3) else []
        op = Op(match.group(2), results, operands, number, current)
        current.regions.append(op)
        at = match.end()
        if line.startswith(" <{", at):
            op.attrs, at = parse_attributes(line, at + 2)
            at += 1
        if line.startswith(" ({", at):
            current = op
        else:
            _finish(op, line, at)
    if current is not root:
        raise ValueError(f"the file ends inside {current.name} of line {current.line}")
    return root, aliases


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return parse(file)


def tensor_types(text):
    """[(dims, element)] of a list of types; None for what is no tensor of known dimensions."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    found, at = [], 0
    while at < len(text):
        end = _skip_balanced(text, at)
        word = text[at:end].strip()
        if word:
            match = _TENSOR.fullmatch(word)
            dims = [int(d) for d in match.group(1).split("x") if d] if match else None
            found.append((dims, match.group(2)) if match else None)
        at = end + 1
    return found

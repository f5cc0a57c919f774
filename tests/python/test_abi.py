# SPDX-License-Identifier: Apache-2.0
"""The package sees the library as its headers declare it: sizes, offsets, constants, prototypes."""
import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from helpers import ROOT

from tacho import _abi, _version

INCLUDE = ROOT / "include"
KINDS = {"uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64,
         "size_t": ctypes.c_size_t, "bool": ctypes.c_bool, "double": ctypes.c_double,
         "void": None, "tacho_code": ctypes.c_int, "tacho_status": ctypes.c_void_p,
         "int": ctypes.c_int}


def structs():
    return [kind for kind in vars(_abi).values()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
            and kind is not ctypes.Structure]


def header_text():
    files = [path for path in sorted((INCLUDE / "tacho").glob("*.h")) if path.name != "client.h"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def split_parameters(text):
    """Parameters of a list; commas inside parentheses, of callbacks, do not part them."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def prototypes():
    """Name -> (result, parameters), as the headers have them."""
    found = {}
    for match in re.finditer(r"TACHO_API\s+([^;]*?)(tacho_\w+)\((.*?)\)\s*(?:TACHO_MUST_USE)?;",
                             header_text(), re.S):
        result, name, parameters = (" ".join(part.split()) for part in match.groups())
        found[name] = result, split_parameters(parameters)
    return found


def fits(kind, declared):
    """Whether a ctypes type is as large, and as much of a pointer, as the C type."""
    if "*" in declared or "[" in declared:
        return kind in (ctypes.c_void_p, ctypes.c_char_p) or hasattr(kind, "contents")
    word = declared.replace("const ", "").split()[0]
    return kind is KINDS[word] if word in KINDS else kind is getattr(_abi, word, ctypes.c_int)


class Layout(unittest.TestCase):
    def test_sizes_offsets_and_constants(self):
        compiler = shutil.which("cc")
        if compiler is None or not INCLUDE.is_dir():
            self.skipTest("no C compiler, or no headers")
        lines, expected = [], []
        for struct in structs():
            name = struct.__name__
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            expected.append(f"{name} {ctypes.sizeof(struct)}")
            for field, _kind in struct._fields_:
                member = getattr(struct, field)
                lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                             f"sizeof((({name} *)0)->{field}));")
                expected.append(f"{name}.{field} {member.offset} {member.size}")
        for name, value in vars(_abi).items():
            if name.isupper() and isinstance(value, int):
                constant = "TACHO_VIEW_NONE" if name == "NONE" else f"TACHO_{name}"
                lines.append(f'printf("{name} %lld\\n", (long long){constant});')
                expected.append(f"{name} {value}")
        for value, name in enumerate(_abi.CODES):
            lines.append(f'printf("{name} %d\\n", (int)TACHO_CODE_{name});')
            expected.append(f"{name} {value}")
        self.assertEqual(self.run_c(compiler, lines), expected)

    def run_c(self, compiler, lines):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "layout.c")
            with open(source, "w", encoding="utf-8") as target:
                target.write("#include <stddef.h>\n#include <stdio.h>\n#include <tacho/tacho.h>\n"
                             "int main(void)\n{\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
            program = os.path.join(folder, "layout")
            subprocess.run([compiler, "-std=c11", "-Wall", "-Werror", f"-I{INCLUDE}", source, "-o",
                            program], check=True)
            return subprocess.run([program], check=True, capture_output=True,
                                  text=True).stdout.splitlines()

    def test_all_fields_are_there(self):
        """Members that are missing at the end would be covered by the size; those in the middle by
        the offsets. What is left is a member that took the place of reserved words."""
        text = header_text()
        for struct in structs():
            match = re.search(r"typedef struct " + struct.__name__ + r" \{(.*?)\} " + struct.__name__ + ";",
                              text, re.S)
            self.assertIsNotNone(match, struct.__name__)
            declared = set()
            for member in match.group(1).split(";"):
                callback = re.search(r"\(\*(\w+)\)", member)
                if callback:
                    declared.add(callback.group(1))
                else:
                    declared.update(re.findall(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:,|$)", member.strip()))
            self.assertEqual({name for name, _kind in struct._fields_}, declared, struct.__name__)


class Prototypes(unittest.TestCase):
    def setUp(self):
        if not INCLUDE.is_dir():
            self.skipTest("no headers")

    def test_every_call_is_declared_as_in_the_headers(self):
        declared = prototypes()
        self.assertGreater(len(declared), 60)
        for name, (result, arguments) in _abi.FUNCTIONS.items():
            with self.subTest(name):
                self.assertIn(name, declared)
                c_result, parameters = declared[name]
                self.assertTrue(fits(result, c_result), f"{result} for {c_result}")
                self.assertEqual(len(arguments), len(parameters))
                for argument, parameter in zip(arguments, parameters):
                    self.assertTrue(fits(argument, parameter), f"{argument} for {parameter}")

    def test_version(self):
        version = re.search(r'TACHO_VERSION "(.*?)"', header_text()).group(1)
        self.assertEqual(_version.__version__, version)
        self.assertEqual(_version.abi_of("0.1.7"), "0.1")
        self.assertEqual(_version.abi_of("2.3.4"), "2")


if __name__ == "__main__":
    unittest.main()

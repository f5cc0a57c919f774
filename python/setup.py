# SPDX-License-Identifier: Apache-2.0
"""Puts libtacho into the wheel, with the runtimes of boards that are beside it: the library that
TACHO_LIBRARY names, else one built here by CMake."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent


def soname():
    text = (HERE / "tacho" / "_version.py").read_text(encoding="utf-8")
    major, minor = re.search(r'__version__ = "(\d+)\.(\d+)', text).groups()
    return f"libtacho.so.0.{minor}" if major == "0" else f"libtacho.so.{major}"


def build_library(folder):
    """The library, built from the sources around this directory."""
    if not (SOURCE / "CMakeLists.txt").exists():
        raise SystemExit("tacho: cannot build libtacho, as its sources are not here; build the wheel in "
                         "a checkout, or set TACHO_LIBRARY to the path of libtacho.so")
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DTACHO_TESTS=OFF"], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "tacho", "tacho_board"], check=True)
    return folder / "src" / soname()


def find_runtimes(library):
    """Where the library itself looks for them (base/beside.c)."""
    folder = library.resolve().parent
    return [path for place in ("tacho", "../lib/tacho") for path in sorted((folder / place).glob("board-*"))]


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        told = os.environ.get("TACHO_LIBRARY")
        made = pathlib.Path(self.build_lib).resolve().parent / "libtacho"
        library = pathlib.Path(told) if told else build_library(made)
        package = pathlib.Path(self.build_lib) / "tacho"
        shutil.copy(library, package / soname())
        (package / "tacho").mkdir(exist_ok=True)
        for runtime in find_runtimes(library):
            shutil.copy(runtime, package / "tacho")


class PlatformPackage(Distribution):
    """Its files are for one platform."""

    def has_ext_modules(self):
        return True


class PlatformWheel(bdist_wheel):
    """For every Python 3 of this platform: the library is no extension module."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(distclass=PlatformPackage, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})

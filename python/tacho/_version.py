# SPDX-License-Identifier: Apache-2.0
"""The version of the package, which is that of the library it is made for."""

__version__ = "0.1.0"


def abi_of(version: str) -> str:
    """What programs of one interface share, as in the soname: "0.1", from 1.0 on "1"."""
    major, minor = version.split(".")[:2]
    return f"0.{minor}" if major == "0" else major

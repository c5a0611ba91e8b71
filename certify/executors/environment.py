"""The software that results rest on: what was kept of other software is not found again."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from typing import Final

from certify.children import source_digest
from certify.executors.packages import offers

COMPUTING: Final = ("numba", "llvmlite", "numpy", "scipy")
"""Distributions that arithmetic rests on."""


def environment() -> tuple[tuple[str, str], ...]:
    """Returns what results rest on: sources, interpreter, what computes, everything required, families of packages."""
    return (
        ("certify (SHA-256 of its sources)", source_digest()),
        ("python", platform.python_version()),
        ("machine", platform.machine()),
        *((name, metadata.version(name)) for name in COMPUTING),
        ("required distributions (SHA-256 of names and versions)", _required()),
        *(
            (f"family {one.family} of {one.package}", f"{one.version}, SHA-256 {one.sha256}")
            for one in offers()
        ),
    )


@cache
def _required() -> str:
    lines = sorted(f"{name}=={metadata.version(name)}" for name in set(_needed("certify")))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _needed(name: str) -> Iterator[str]:
    """Yields the distributions that one requires, those of extras left out."""
    for requirement in metadata.requires(name) or ():
        if "extra ==" not in requirement:
            wanted = requirement
            for mark in "<>=!~;[ (":
                wanted = wanted.partition(mark)[0]
            yield wanted.lower()

"""The software of a worker, in one digest: workers that differ in anything that computes are refused."""

from __future__ import annotations

import hashlib
import os
import platform
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Final

from certify.children import source_digest
from certify.executors.packages import offers

COMPUTING: Final = ("numba", "llvmlite", "numpy", "scipy")
"""Distributions that arithmetic rests on; they are named one by one where workers differ."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What a worker computes with.

    Args:
        facts: Name and version or digest of each part.
    """

    facts: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """SHA-256 over all facts."""
        return hashlib.sha256(repr(self.facts).encode()).hexdigest()

    def differences(self, other: Environment) -> tuple[str, ...]:
        """Returns what another environment has otherwise, in words."""
        ours, theirs = dict(self.facts), dict(other.facts)
        return tuple(
            f"{name} is {theirs.get(name, 'not there')}, expected {ours.get(name, 'not there')}"
            for name in sorted(ours.keys() | theirs.keys())
            if ours.get(name) != theirs.get(name)
        )


def environment() -> Environment:
    """Returns the software of this process: sources, interpreter, what computes, everything required, families."""
    return Environment(
        (
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


def worker_name() -> str:
    """Returns how a worker calls itself: machine and process."""
    return f"{socket.gethostname()}/{os.getpid()}"

"""What computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from certify.model.form import Sha256, origins


@origins(stated=("lock_sha256", "python", "platform", "packages"))
@dataclass(frozen=True, slots=True)
class Tool:
    """The software: version, sources, dependencies and platform.

    Args:
        name: Name of the software.
        version: Its version.
        source_sha256: Digest over all its source files by name and content.
        lock_sha256: Digest of the lock of its dependencies.
        python: Version of Python.
        platform: System, machine and C library.
        packages: Versions of the packages that it computes with, by name.
    """

    name: str
    version: str
    source_sha256: Sha256
    lock_sha256: Sha256
    python: str
    platform: str
    packages: Mapping[str, str]

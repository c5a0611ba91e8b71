"""What computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from certify.model.form import Sha256, origins


@origins()
@dataclass(frozen=True, slots=True)
class SourceText:
    """One text of the rules.

    Args:
        module: Name of the module in which it begins.
        sha256: Digest of that module's file.
    """

    module: str
    sha256: Sha256


@origins()
@dataclass(frozen=True, slots=True)
class FamilyCode:
    """The package that brings the family of the game.

    Args:
        family: Id of the family.
        package: Name of the package; that of this software where the family is built in.
        version: Version of the package.
        sha256: Digest of its sources; that of this software's where the family is built in.
        reference: The text that plays rounds.
        second: The text that settles rounds, written apart; none where the family brings none.
    """

    family: str
    package: str
    version: str
    sha256: Sha256
    reference: SourceText
    second: SourceText | None


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

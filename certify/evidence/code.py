"""The code that plays the game: the package that brings its family, and the texts in which its rules are written."""

from __future__ import annotations

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

"""The item under test: the game submitted, with its bytes, and the sources that it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from certify.model.form import Base64, Sha256, origins
from certify.model.game import Source


@origins()
@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """A submitted file.

    Args:
        name: Its name.
        sha256: Digest of its bytes.
        bytes_: Number of its bytes.
        base64: The bytes themselves.
    """

    name: str
    sha256: Sha256
    bytes_: int
    base64: Base64


@origins()
@dataclass(frozen=True, slots=True)
class Item:
    """The game submitted.

    Args:
        game: Id of the game.
        title: Its title.
        version: Its version.
        supplier: Who supplies it.
        family: Id of the family that it is a game of.
        files: What was submitted, byte for byte.
        sources: The texts that the submission rests on.
    """

    game: str
    title: str
    version: str
    supplier: str
    family: str
    files: tuple[SubmittedFile, ...]
    sources: tuple[Source, ...]

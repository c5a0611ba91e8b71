"""Files that appear whole or not at all: written beside their place, then renamed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from certify.errors import InputError


@dataclass(frozen=True, slots=True)
class WrittenOutput:
    """What was written: how many bytes, and their SHA-256."""

    size: int
    sha256: str


def copy_pieces(pieces: Iterable[bytes], target: IO[bytes]) -> WrittenOutput:
    """Writes pieces one after the other and returns their size and digest."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        target.write(piece)
        digest.update(piece)
        size += len(piece)
    target.flush()
    return WrittenOutput(size, digest.hexdigest())


def write_whole(path: Path, pieces: Iterable[bytes]) -> WrittenOutput:
    """Writes a file under a temporary name beside its place and renames it when it is complete.

    Raises:
        InputError: The place cannot be written to; nothing is left behind.
    """
    place = require_place(path)
    temporary = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with temporary.open("xb") as target:
            written = copy_pieces(pieces, target)
            os.fsync(target.fileno())
        temporary.replace(place)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        temporary.unlink(missing_ok=True)
    return written


def require_place(path: Path) -> Path:
    """Returns where a file will stand, links resolved.

    Raises:
        InputError: There is no such folder, or something other than a file is in the way.
    """
    place = path.resolve()
    if not place.parent.is_dir():
        raise InputError(f"{path}: there is no folder {place.parent}")
    if place.exists() and not place.is_file():
        raise InputError(f"{path}: not a regular file, which alone can be replaced")
    return place

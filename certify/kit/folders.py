"""A folder that is written whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from certify.errors import InputError


def write_folder(contents: Mapping[str, str], out: Path) -> tuple[str, ...]:
    """Writes a new folder, whole or not at all; returns the names of its files.

    Args:
        contents: Text of each file by its place in the folder.
        out: The folder, which must not hold anything yet.

    Raises:
        InputError: The folder is there already and holds something, or cannot be made.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(
            f"{out} is there already and holds something: expected a new folder, nothing was written"
        )
    target = out.absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
            fresh = Path(scratch, "new")
            for place, text in contents.items():
                path = fresh / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            if target.exists():
                target.rmdir()
            fresh.rename(target)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from error
    return tuple(contents)

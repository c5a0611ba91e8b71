"""Reads a pack from a disk that nobody vouches for: plain files, plain names, bounded sizes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from certify.errors import InputError, TrustError
from certify.seal import layout
from certify.seal.sums import parse_sums


def read_pack(directory: Path) -> dict[str, bytes]:
    """Returns every file of a folder by name; each is read once, and only what was read is verified.

    Raises:
        InputError: The folder cannot be read.
        TrustError: It holds links, devices, odd names, or more than a pack may.
    """
    files: dict[str, bytes] = {}
    total = 0
    try:
        for name in _names(directory):
            if len(files) >= layout.MAXIMUM_FILES:
                raise TrustError(f"there are more than {layout.MAXIMUM_FILES} files in the pack")
            if layout.unknown_names([name]):
                raise TrustError(f"{name!r} is no file of a pack: expected none but those that a run writes")
            files[name] = read_file(directory / name, name)
            total += len(files[name])
            if total > layout.MAXIMUM_PACK_BYTES:
                raise TrustError(f"the pack is larger than {layout.MAXIMUM_PACK_BYTES} bytes")
    except OSError as error:
        raise InputError(f"{directory} cannot be read: {error.strerror}") from error
    odd = layout.odd_names(files)
    if odd:
        raise TrustError(f"these names cannot stand in a pack: {', '.join(map(repr, odd))}")
    return dict(sorted(files.items()))


def read_file(path: Path, name: str) -> bytes:
    """Returns the bytes of a plain file that is no link and not too large.

    Raises:
        TrustError: It is a link, no plain file, or too large.
    """
    limit = layout.maximum_bytes(name)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise TrustError(f"{name} is not a plain file")
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise TrustError(f"{name} is larger than {limit} bytes")
    return content


def is_pack(directory: Path) -> bool:
    """Tells whether a folder holds a pack and nothing else: exactly the files that its list names."""
    try:
        names = set(_names(directory))
        listed = set(parse_sums(read_file(directory / layout.SUMS, layout.SUMS)))
    except (OSError, TrustError):
        return False
    return names == listed | {layout.SUMS} and names >= layout.REQUIRED


def _names(directory: Path, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """Returns the names of all files of a folder, refusing what is neither file nor folder."""
    if depth > 8:
        raise TrustError(f"the folder {prefix!r} is nested too deeply")
    with os.scandir(directory) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                inside = _names(Path(entry.path), f"{name}/", depth + 1)
                first = next(inside, None)
                if first is None:
                    raise TrustError(
                        f"{name!r} is an empty folder: expected none but those that a run writes"
                    )
                yield first
                yield from inside
            elif entry.is_file(follow_symlinks=False):
                yield name
            else:
                raise TrustError(f"{name!r} is a link or a special file: expected plain files only")

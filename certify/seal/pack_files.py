"""Reads a pack from a disk that nobody vouches for: plain files, plain names, bounded sizes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from certify.errors import CertifyError, InputError, TrustError
from certify.seal import layout
from certify.seal.layout import parse_sums
from certify.untrusted_input import UNREADABLE, SizeLimit, read_bounded


class PackFiles(dict[str, bytes]):
    """The files of a pack by name; one that is asked for and not there is a mistake of the pack."""

    def __missing__(self, name: str) -> bytes:
        """Refuses a pack without a file.

        Raises:
            TrustError: Always.
        """
        raise TrustError(f"{name} is missing")


def read_pack(directory: Path) -> PackFiles:
    """Returns every file of a folder by name; each is read once, and only what was read is verified.

    Raises:
        InputError: The folder cannot be read.
        TrustError: It holds links, devices, odd names, or more than a pack may.
    """
    files = PackFiles()
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
    return PackFiles(sorted(files.items()))


def read_file(path: Path, name: str) -> bytes:
    """Returns the bytes of a plain file that is no link and not too large.

    Raises:
        InputError: It cannot be read, as a link cannot.
        TrustError: It is no plain file, or too large.
    """

    def refuse(reason: str) -> CertifyError:
        kind = InputError if reason.startswith(UNREADABLE) else TrustError
        return kind(f"{name}: {reason}")

    return read_bounded(path, SizeLimit("a file of a pack", layout.maximum_bytes(name)), refuse, links=False)


def is_pack(directory: Path) -> bool:
    """Tells whether a folder holds a pack and nothing else: exactly the files that its list names."""
    try:
        names = set(_names(directory))
        listed = set(parse_sums(read_file(directory / layout.SUMS, layout.SUMS)))
    except (OSError, InputError, TrustError):
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

"""Where compiled kernels are kept: next to their sources, believed while every source of theirs is what it was.

Numba keeps a kernel as a pickle, which runs what it says when it is read, and looks at the one file that the kernel
is written in; but what a kernel calls and the numbers that it compares with are compiled into it, whatever file they
are written in. So a folder holds only if it is this user's, nobody else may enter it, and nobody else can exchange a
folder that leads to it; and an entry only under the digest of the file and of every file of the same tree that it
imports, and these import.

`rng` names these classes to numba before anything loads it (``NUMBA_CACHE_LOCATOR_CLASSES``).
"""

import hashlib
import os
import re
import stat
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from numba.core.caching import InTreeCacheLocator, UserProvidedCacheLocator, UserWideCacheLocator

ROOT: Final = Path(__file__).absolute().parents[1]
_IMPORTS: Final = re.compile(rb"^(?:from|import) ([\w.]+)(?: import (\([^)]*\)|.*))?", re.MULTILINE)


@cache
def stamp(file: str) -> str:
    """Returns one SHA-256 over a module, the modules next to this package that it imports, and those these import."""
    seen: dict[Path, bytes] = {}
    waiting = [Path(file)]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen[path], imported = _read(path)
            waiting += imported
    return hashlib.sha256(b"".join(seen[path] for path in sorted(seen))).hexdigest()


@cache
def _read(source: Path) -> tuple[bytes, list[Path]]:
    """Returns the digest of a module and the files that it imports: read once a process for all that import it."""
    text = source.read_bytes()
    found = []
    for module, names in _IMPORTS.findall(text):
        folder = ROOT.joinpath(*module.decode().split("."))
        # A name may be that of a module of the package.
        within = re.findall(r"\w+", names.decode()) if folder.is_dir() else ()
        for place in (folder, *(folder / name for name in within)):
            found += [path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()]
    return hashlib.sha256(text).digest(), found


@cache
def _reach(folder: Path) -> None:
    """Makes a folder, and refuses one that others can exchange, or any that leads to it."""
    for place in reversed((folder, *folder.parents)):
        place.mkdir(0o755, exist_ok=True)
        found = place.stat()
        exchanged = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not found.st_mode & stat.S_ISVTX
        if exchanged or found.st_uid not in (0, os.geteuid()):
            raise PermissionError(str(place))


@cache
def _passing() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="certify-kernels-")


class _Private:
    """What the places below share: a folder of their own, and a stamp of all sources."""

    _py_file: str
    _cache_path: str

    def get_cache_path(self) -> str:
        """Returns the folder; numba opens entries by this path: no part of it is a link."""
        return os.path.join(os.path.realpath(self._cache_path), "kernels")

    def ensure_cache_path(self) -> None:
        """Makes the folder; one that others may enter or exchange is none, and numba goes on to the next place."""
        folder = self.get_cache_path()
        _reach(Path(folder).parent)
        os.makedirs(folder, 0o700, exist_ok=True)
        found, own = os.lstat(folder), (os.geteuid(), stat.S_IFDIR | 0o700)
        if (found.st_uid, found.st_mode & ~stat.S_ISGID) != own or not os.access(folder, os.W_OK):
            raise PermissionError(folder)

    def get_source_stamp(self) -> Any:
        """Returns what the kernel is compiled from."""
        return stamp(self._py_file)


class NamedFolder(_Private, UserProvidedCacheLocator):
    """The folder that ``NUMBA_CACHE_DIR`` names."""


class BesideSource(_Private, InTreeCacheLocator):
    """Next to the source."""


class UserFolder(_Private, UserWideCacheLocator):
    """In the user's own cache, where the sources lie where they cannot be written, or others can write."""


class PassingFolder(_Private, UserWideCacheLocator):
    """In a folder that goes with the process, where others can write on the way to all of these: nothing is kept."""

    def get_cache_path(self) -> str:
        """Returns the folder within that of the process."""
        return os.path.join(os.path.realpath(_passing().name), os.path.basename(self._cache_path), "kernels")

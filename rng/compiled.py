"""Where compiled kernels are kept: beside their sources, believed while every source of theirs is what it was.

Numba keeps a kernel as a pickle, which runs what it says when it is read, and looks at the one file that the kernel
is written in; but what a kernel calls and the numbers that it compares with are compiled into it, whatever file they
are written in. So a folder holds only if it is this user's and nobody else may enter it, and an entry only under the
digest of the file and of every file of the same tree that it imports, and these import.

`rng` names these classes to numba before anything loads it (``NUMBA_CACHE_LOCATOR_CLASSES``).
"""

import hashlib
import os
import re
import stat
from functools import cache
from pathlib import Path
from typing import Any, Final

from numba.core.caching import InTreeCacheLocator, UserProvidedCacheLocator, UserWideCacheLocator

ROOT: Final = Path(__file__).absolute().parents[1]
_IMPORTS: Final = re.compile(rb"^(?:from|import) ([\w.]+)(?: import (\([^)]*\)|.*))?", re.MULTILINE)


@cache
def stamp(file: str) -> str:
    """Returns one SHA-256 over a module, the modules beside this package that it imports, and those these import."""
    seen: dict[Path, bytes] = {}
    waiting = [Path(file)]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen[path] = path.read_bytes()
            waiting += _imported(seen[path])
    return hashlib.sha256(b"".join(hashlib.sha256(seen[path]).digest() for path in sorted(seen))).hexdigest()


def _imported(text: bytes) -> list[Path]:
    found = []
    for module, names in _IMPORTS.findall(text):
        folder = ROOT.joinpath(*module.decode().split("."))
        # A name may be that of a module of the package.
        for place in (folder, *(folder / name for name in re.findall(r"\w+", names.decode()))):
            found += [path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()]
    return found


class _Private:
    """What the places below share: a folder of their own, and a stamp of all sources."""

    _py_file: str
    _cache_path: str

    def ensure_cache_path(self) -> None:
        """Makes the folder; one that others may enter is none, and numba goes on to the next place."""
        self._cache_path = os.path.join(self._cache_path, "kernels")
        os.makedirs(self._cache_path, 0o700, exist_ok=True)
        found = os.lstat(self._cache_path)
        ours = (found.st_uid, found.st_mode & ~stat.S_ISGID) == (os.geteuid(), stat.S_IFDIR | 0o700)
        if not ours or not os.access(self._cache_path, os.W_OK):
            raise PermissionError(self._cache_path)

    def get_source_stamp(self) -> Any:
        """Returns what the kernel is compiled from."""
        return stamp(self._py_file)


class NamedFolder(_Private, UserProvidedCacheLocator):
    """The folder that ``NUMBA_CACHE_DIR`` names."""


class BesideSource(_Private, InTreeCacheLocator):
    """Beside the source."""


class UserFolder(_Private, UserWideCacheLocator):
    """In the user's own cache, where the sources lie where they cannot be written."""

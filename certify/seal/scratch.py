"""The folder beside a pack in which it is made; what a run that was killed left there is cleared by the next one."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_MARK: Final = ".certify-scratch"


@contextmanager
def scratch_beside(out: Path) -> Iterator[str]:
    """Makes a folder beside a pack, after clearing those of runs that are gone, and takes it away afterwards.

    A lock that the system holds for the living run tells its folder from one that was left: no file of anybody else is
    touched.

    Args:
        out: Folder of the pack.
    """
    for left in sorted(out.parent.glob(f".{out.name}-*")):
        _clear(left)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch:
        descriptor = os.open(Path(scratch, _MARK), os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield scratch
        finally:
            os.close(descriptor)


def _clear(folder: Path) -> None:
    """Removes a folder that carries our mark and that no run holds."""
    if folder.is_symlink() or not folder.is_dir():
        return
    with suppress(OSError):
        descriptor = os.open(folder / _MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)

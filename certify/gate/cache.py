"""Exact figures kept between runs: an entry is believed only with its digest and the tool that made it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from certify.errors import InputError
from certify.gate.facts import Submission
from certify.gate.family_code import installed_code
from certify.gate.figure_inputs import tool
from certify.gate.figures import GameFigures, count_figures, figures_document, figures_from
from certify.gate.git_store import worktree_of
from certify.gate.isolated_evaluation import counted_elsewhere
from certify.untrusted_input import Json, JsonObject, SizeLimit, json_of, read_bounded

SCHEMA: Final = "certify-gate-figures/1"
_ENTRY: Final = SizeLimit("an entry of the cache", 1 << 22)


class Cache:
    """A folder of exact figures, one file for all that the figures of a submission rest on.

    The digest in an entry finds damage and mix-ups, not malice: whoever can write the folder could write
    the program too. A folder is not to be shared with those whose changes are judged.

    Args:
        folder: Where entries lie; none keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.hits = 0

    def figures(self, submission: Submission) -> GameFigures:
        """Returns the figures of a submission, from a sound entry or counted anew.

        Raises:
            InputError: The game cannot be analysed.
        """
        found = self._read(submission)
        if found is not None:
            self.hits += 1
            return found
        basis = submission.basis
        here = basis.code.identity == installed_code(submission.game.family).identity
        counted = count_figures(basis) if here else counted_elsewhere(submission)
        self.write("figures", basis.digest, figures_document(counted, basis.game))
        return counted

    def _read(self, submission: Submission) -> GameFigures | None:
        document = self.read("figures", submission.basis.digest)
        if document is None:
            return None
        try:
            return figures_from(document, submission.basis)
        except InputError:
            return None

    def read(self, kind: str, key: str) -> Any | None:
        """Returns what an entry holds, or none where there is no sound entry of this tool."""
        if self.folder is None:
            return None
        try:
            entry = json_of(read_bounded(self._path(kind, key), _ENTRY))
        except (InputError, ValueError, RecursionError):
            return None
        if not isinstance(entry, dict):
            return None
        expected = _entry(kind, key, entry.get("content"))
        return entry["content"] if entry == expected else None

    def write(self, kind: str, key: str, content: JsonObject) -> None:
        """Keeps an entry; a folder that cannot be written keeps nothing, which costs time and no more."""
        if self.folder is None:
            return
        path = self._path(kind, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Whole or not at all: a reader never meets half an entry.
            with NamedTemporaryFile(
                "w", dir=path.parent, suffix=".new", delete=False, encoding="utf-8"
            ) as file:
                json.dump(_entry(kind, key, content), file)
            os.replace(file.name, path)
        except OSError:
            return

    def _path(self, kind: str, key: str) -> Path:
        """Returns the file of an entry; the key may come from outside and is digested."""
        name = hashlib.sha256(f"{kind}\n{key}\n{tool()}".encode()).hexdigest()
        return (self.folder or Path()) / f"{kind}-{name[:40]}.json"


def _entry(kind: str, key: str, content: Json) -> JsonObject:
    """Returns a whole entry with the digest over everything in it."""
    entry = {"schema": SCHEMA, "tool": tool(), "kind": kind, "key": key, "content": content}
    text = json.dumps(entry, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return entry | {"sha256": hashlib.sha256(text.encode()).hexdigest()}


def refuse_folder(folder: Path | None, checkouts: Iterable[Path], states: Iterable[Path] = ()) -> None:
    """Refuses a folder of figures that lies where the changes lie that are judged, or that anybody can write to.

    Args:
        folder: Where figures are to be kept; none keeps none.
        checkouts: Places that are judged; whatever checkout they lie in is meant as a whole.
        states: Folders that are read as states.

    Raises:
        InputError: The folder lies within one of them, or others than its owner and group can write to it.
    """
    if folder is None:
        return
    if folder.is_dir() and folder.stat().st_mode & stat.S_IWOTH:
        raise InputError(
            f"{folder}: anybody can write there, so that figures kept there could be anybody's: "
            "expected a folder of your own (--cache, CERTIFY_CACHE), or --no-cache"
        )
    found = [checkout for checkout in map(worktree_of, checkouts) if checkout is not None]
    for place in (*found, *(state.resolve() for state in states)):
        if folder.resolve().is_relative_to(place):
            raise InputError(
                f"{folder}: figures kept inside {place} could come from the change that is judged: "
                "expected a folder outside of it (--cache, CERTIFY_CACHE), or --no-cache"
            )

"""Exact figures counted by the code of their state and kept between runs, believed only with digest and tool."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any, BinaryIO, Final

from certify.children import ChildError, answer
from certify.errors import CertifyError, InputError
from certify.gate.facts import Submission, read_submission
from certify.gate.family_code import digest_of, files_at, installed_code, places_of
from certify.gate.figure_inputs import tool
from certify.gate.figures import GameFigures, count_figures, figures_document, figures_from
from certify.gate.git_store import worktree_of
from certify.untrusted_input import Json, JsonObject, SizeLimit, json_of, read_bounded

SECONDS: Final = 600
"""Time that counting one game with other code may take."""

MAXIMUM: Final = 1 << 22
"""Characters that its answer may have."""


class OtherCodeError(InputError):
    """Figures of a state cannot be counted with its own code."""


def counted_elsewhere(submission: Submission) -> GameFigures:
    """Returns the figures of a submission, counted with the code of its own state.

    Raises:
        OtherCodeError: That code is not at hand, does not run, or gives no figures.
    """
    code, files = submission.basis.code, submission.basis.code.files
    if files is None:
        raise OtherCodeError(f"{code.words} is neither installed nor in the repository")
    with TemporaryDirectory(prefix="certify-code-") as folder:
        for name, data in files.items():
            path = Path(folder) / "code" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        game = Path(folder) / "game.toml"
        game.write_bytes(submission.data)
        task = [str(game), str(Path(folder) / "code"), submission.game.family, code.sha256]
        try:
            # The code of a state that is compared with, which has landed; it leaves nothing beside its sources.
            told = answer(
                f"{__name__}:serve",
                json.dumps(task).encode(),
                timeout=SECONDS,
                environment={"PYTHONDONTWRITEBYTECODE": "1"},
            )
        except ChildError as error:
            raise OtherCodeError(f"{code.words} counts nothing here: {error}") from error
    if len(told) > MAXIMUM:
        raise OtherCodeError(f"{code.words} counts nothing here: its answer is longer than {MAXIMUM}")
    try:
        return figures_from(json_of(told), submission.basis)
    except (ValueError, InputError) as error:
        raise OtherCodeError(f"{code.words} gave figures of another form: {error}") from error


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Counts a submission with the code that is put first on the path, if it is the code that is meant."""
    path, folder, family, sha256 = json.load(given)
    sys.path.insert(0, folder)
    try:
        submission = read_submission(read_bounded(Path(path)), "game.toml", "game.toml")
        files: dict[str, bytes] = {}
        for place in places_of(family, Path(folder).resolve()).values():
            files |= files_at(place)
        if digest_of(files) != sha256:
            raise InputError(f"the code on the path is {digest_of(files)[:12]}, expected {sha256[:12]}")
        document = figures_document(count_figures(submission.basis), submission.basis.game)
    except CertifyError as error:
        raise SystemExit(str(error)) from error
    answers.write(json.dumps(document).encode())


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

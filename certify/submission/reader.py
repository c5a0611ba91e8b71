"""Reads a submission: its file, its form, and that every text of it is visible."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from certify.characters import is_unseen
from certify.errors import KeyPath, Problem, Problems, SubmissionError
from certify.families.port import Family
from certify.families.registry import families, family, instead_of, known_families
from certify.model.form_reader import structure
from certify.model.game import Game
from certify.submission.agree import check_against_family, check_required_tables
from certify.submission.build import build_game
from certify.submission.locate import LineIndex, located_toml
from certify.submission.recover import with_lost_pays
from certify.submission.schema import Submitted, form_with
from certify.untrusted_input import MAXIMUM_BYTES, SUBMISSION, read_bounded

__all__ = ["MAXIMUM_BYTES", "parse_game", "parse_submission", "read_game"]

_PROSE: Final = frozenset(
    {
        "adopted",
        "because",
        "description",
        "file",
        "question",
        "supplier",
        "title",
    }
)
"""Keys of free text; the form of all others is checked where they are read."""


def check_texts(raw: Submitted, problems: Problems) -> None:
    """Records texts that are empty, and characters that a reader of the report cannot see."""
    for key, text in _texts(raw, ()):
        problems.add_where(
            key[-1] in _PROSE and not text.strip(), key, f'"{key[-1]}" is empty: expected text'
        )
        if text.isascii() and text.isprintable():
            continue
        hidden = sorted({f"U+{ord(character):04X}" for character in text if _is_hidden(character)})
        problems.add_where(hidden, key, f"characters that cannot be seen: {', '.join(hidden)}")


def _texts(value: object, key: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Yields every text of a submission with its key."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _texts(item, (*key, position))
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(name, (*key, name))
            yield from _texts(item, (*key, name))
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _texts(getattr(value, field.name), (*key, field.name))


def _is_hidden(character: str) -> bool:
    """Tells whether a character other than the end of a line is invisible or turns the direction of writing.

    With such a one a pay reads otherwise than it stands in the file.
    """
    return character != "\n" and is_unseen(character)


def read_game(path: Path) -> Game:
    """Returns the game described by a submission file.

    Args:
        path: File in the form of ``certify-game/1``.

    Raises:
        SubmissionError: The file cannot be read or contains mistakes; all are listed with their lines.
    """
    return parse_game(submission_bytes(path), str(path))


def submission_bytes(path: Path) -> bytes:
    """Returns the bytes of a submission file.

    Raises:
        SubmissionError: The file cannot be read, or is larger than a submission.
    """
    return read_bounded(path, SUBMISSION, lambda reason: SubmissionError([Problem(str(path), 0, reason)]))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A submission as it was read.

    Args:
        game: The game that it describes.
        submitted: What it states, in the form of its family.
        lines: Where each key stands in the file.
    """

    game: Game
    submitted: Submitted
    lines: LineIndex


def parse_game(data: bytes, path: str) -> Game:
    """Returns the game described by the bytes of a submission.

    Args:
        data: The file as submitted.
        path: Name to use in messages.

    Raises:
        SubmissionError: The bytes contain mistakes; all are listed with their lines.
    """
    return parse_submission(data, path).game


def parse_submission(data: bytes, path: str) -> Parsed:
    """Returns the game described by the bytes of a submission, with what they state and where.

    Args:
        data: The file as submitted.
        path: Name to use in messages.

    Raises:
        SubmissionError: The bytes contain mistakes; all are listed with their lines.
    """
    document, lines = located_toml(data, path)
    if not document:
        raise SubmissionError(
            [Problem(path, 1, "the file is empty: expected a game, such as certify new-game writes")]
        )
    problems = Problems(path, lines.line)
    family = _family(document, problems)
    submitted, mistakes = structure(
        document,
        form_with(family.rules.tables, family.sources.printed.columns if family.sources.printed else ()),
    )
    for mistake in mistakes:
        problems.add_form(mistake.key, mistake.message)
    if submitted is None:
        raise SubmissionError(problems.found)
    check_texts(submitted, problems)
    check_required_tables(submitted, family, problems)
    game = build_game(submitted, family, problems, sha256=hashlib.sha256(data).hexdigest())
    game = check_against_family(game, submitted, family, problems)
    if not problems.found:
        game = with_lost_pays(game, submitted, problems)
    if problems.found:
        raise SubmissionError(problems.found)
    return Parsed(game, submitted, lines)


def _family(document: dict[str, object], problems: Problems) -> Family:
    """Returns the family that a document names.

    Whatever else a file states is read by the form of its family: where the family is not known, this one mistake is
    all that can be told; where none is named, the mistakes of form that any family would find.
    """
    item = document.get("game")
    named = item.get("family") if isinstance(item, dict) else None
    if isinstance(named, str):
        if named in known_families():
            return family(named)
        known = ", ".join(sorted(known_families()))
        problems.add(
            ("game", "family"),
            f'family "{named}" is not known: expected one of {known}, '
            f"or a package of your own that is installed (pip install -e FOLDER){instead_of(named)}",
        )
    else:
        of_families = {name for one in families().values() for name in one.rules.tables}
        stated = {name: value for name, value in document.items() if name not in of_families}
        _, mistakes = structure(stated, Submitted)
        for mistake in mistakes:
            problems.add(mistake.key, mistake.message)
    raise SubmissionError(problems.found)

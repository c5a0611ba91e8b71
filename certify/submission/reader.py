"""Reading ``game.toml`` from outside: bounded, strict, and with every mistake named at once."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Final

from certify.errors import Problem, SubmissionError
from certify.families.port import Family
from certify.families.registry import families, family
from certify.model.game import Game
from certify.submission.agree import check_against_family, check_required_tables
from certify.submission.build import build_game
from certify.submission.locate import index_lines
from certify.submission.problems import Problems
from certify.submission.schema import form_with, structure
from certify.submission.texts import check_texts

MAXIMUM_BYTES: Final = 1 << 20
"""A rules screen fits many times into a mebibyte; anything larger is not a submission."""

_LINE: Final = re.compile(r"at line (\d+)")

DEEPEST: Final = 500
"""Brackets left open and dots in a line up to which a file is parsed."""

_LONG_NUMBER: Final = re.compile(r"[0-9_]{1000,}")


def read_game(path: Path) -> Game:
    """Returns the game described by a submission file.

    Args:
        path: File in the form of ``certify-game/1``.

    Raises:
        SubmissionError: The file cannot be read or contains mistakes; all are listed with their lines.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAXIMUM_BYTES + 1)
    except OSError as error:
        raise SubmissionError([Problem(str(path), 0, f"cannot be read: {error.strerror}")]) from error
    return parse_game(data, str(path))


def parse_game(data: bytes, path: str) -> Game:
    """Returns the game described by the bytes of a submission.

    Args:
        data: The file as submitted.
        path: Name to use in messages.

    Raises:
        SubmissionError: The bytes contain mistakes; all are listed with their lines.
    """
    if len(data) > MAXIMUM_BYTES:
        raise SubmissionError([Problem(path, 0, f"larger than {MAXIMUM_BYTES} bytes: not a submission")])
    text = _text(data, path)
    document = _document(text, path)
    problems = Problems(path, index_lines(text))
    family = _family(document, problems)
    submitted, mistakes = structure(document, form_with(family.rules.tables))
    for mistake in mistakes:
        problems.add_form(mistake.key, mistake.message)
    if submitted is None:
        raise SubmissionError(problems.found)
    check_texts(submitted, problems)
    check_required_tables(submitted, family, problems)
    game = build_game(submitted, family, problems, sha256=hashlib.sha256(data).hexdigest())
    game = check_against_family(game, submitted, family, problems)
    if problems.found:
        raise SubmissionError(problems.found)
    return game


def _family(document: dict[str, object], problems: Problems) -> Family:
    """Returns the family that a document names.

    Whatever else a file states is read by the form of its family: where the family is not known, this one mistake is
    all that can be told; where none is named, the mistakes of form that any family would find.
    """
    item = document.get("game")
    named = item.get("family") if isinstance(item, dict) else None
    if isinstance(named, str):
        if named in families():
            return family(named)
        known = ", ".join(sorted(families()))
        problems.add(("game", "family"), f'family "{named}" is not known: expected one of {known}')
    else:
        of_families = {name for one in families().values() for name in one.rules.tables}
        _, mistakes = structure({name: value for name, value in document.items() if name not in of_families})
        for mistake in mistakes:
            problems.add(mistake.key, mistake.message)
    raise SubmissionError(problems.found)


def _text(data: bytes, path: str) -> str:
    """Returns the bytes as text, or says where they stop being UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SubmissionError([Problem(path, line, "not UTF-8 text")]) from error


def _document(text: str, path: str) -> dict[str, object]:
    """Returns the parsed TOML, or says where its form breaks."""
    lines = text.splitlines()
    opened = 0
    for number, line in enumerate(lines, start=1):
        # The parser of the standard library recurses once a bracket or a dot: bound both beforehand.
        opened = max(0, opened + line.count("[") + line.count("{") - line.count("]") - line.count("}"))
        if max(opened, line.count("["), line.count("{"), line.count(".")) > DEEPEST:
            raise SubmissionError([Problem(path, number, "nested too deeply")])
        if _LONG_NUMBER.search(line):
            raise SubmissionError([Problem(path, number, "a number of a thousand digits or more")])
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _LINE.search(str(error))
        message = re.sub(r" \(at .*\)$", "", str(error))
        # Without a line the parser means the end of the document.
        number = int(match[1]) if match else max(len(lines), 1)
        raise SubmissionError([Problem(path, number, f"not valid TOML: {message}")]) from error
    except RecursionError as error:
        raise SubmissionError([Problem(path, 1, "nested too deeply")]) from error

"""Texts of a submission are printed in a signed report: none is empty, and none hides a character."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Final

from certify.characters import is_unseen
from certify.errors import KeyPath, Problems
from certify.submission.schema import Submitted

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
        if key[-1] in _PROSE and not text.strip():
            problems.add(key, f'"{key[-1]}" is empty: expected text')
        if text.isascii() and text.isprintable():
            continue
        hidden = sorted({f"U+{ord(character):04X}" for character in text if _is_hidden(character)})
        if hidden:
            problems.add(key, f"characters that cannot be seen: {', '.join(hidden)}")


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

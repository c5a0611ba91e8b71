"""Writing: a noun becomes plain JSON values."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from enum import Enum, IntEnum
from fractions import Fraction
from typing import Any, Final

from certify.exact import fraction_text
from certify.model import FieldOrigin, Message, origins, parts_of

Worded = Mapping[str, tuple[Message, ...]]
"""Messages by the name of the text that they make."""


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class Messaged:
    """Whatever says something in words, with the messages that these are made of.

    Args:
        messages: The messages of its texts, by their names.
    """

    messages: Worded


@origins()
@dataclass(frozen=True, slots=True)
class Said(Messaged):
    """A text by itself.

    Args:
        text: The text in English.
    """

    text: str


_AS_THEY_ARE: Final = frozenset({str, int, bool, type(None)})
"""Types of values that are plain already: most of the evidence, which is long."""


def plain(noun: object) -> Any:
    """Returns a noun as plain JSON values: fractions as ``N/D``, tuples as lists, members of an enumeration by name.

    Raises:
        ValueError: A number is not finite.
        TypeError: A value is no noun of the evidence.

    >>> from certify.evidence.analysis import NetResult
    >>> plain(NetResult(Fraction(-1), Fraction(2, 6)))
    {'net': '-1', 'probability': '1/3'}
    """
    if type(noun) in _AS_THEY_ARE:
        return noun
    if isinstance(noun, Fraction):
        return fraction_text(noun)
    if isinstance(noun, Enum):
        # Numbers that only put things in order say less than their names.
        return noun.name.lower() if isinstance(noun, IntEnum) else str(noun.value)
    if isinstance(noun, str | int):
        return noun
    if isinstance(noun, float):
        if not math.isfinite(noun):
            raise ValueError(f"{noun} has no form in JSON")
        return noun
    if isinstance(noun, tuple | list):
        return [plain(part) for part in noun]
    if isinstance(noun, Mapping):
        return {str(key): plain(part) for key, part in noun.items()}
    if is_dataclass(noun) and not isinstance(noun, type):
        return {
            part.key: plain(value)
            for part in parts_of(type(noun))
            if (value := part.of(noun)) is not None or not part.left_out
        }
    raise TypeError(f"{type(noun).__name__} has no form in JSON")


def stated_in(noun: object, where: str = "", *, word: bool = False) -> Iterator[tuple[str, object]]:
    """Yields every value in a noun that is somebody's word, with its place; nothing that was left open.

    Args:
        noun: The noun.
        where: Its place.
        word: Whether all of it is somebody's word.

    >>> from certify.evidence.report import Issuer
    >>> list(stated_in(Issuer("Nobody", ""), "/issuer", word=True))
    [('/issuer/name', 'Nobody')]
    """
    if is_dataclass(noun) and not isinstance(noun, type):
        for part in (one for one in parts_of(type(noun)) if not one.follows):
            stated = word or part.origin is FieldOrigin.STATED
            yield from stated_in(getattr(noun, part.name), f"{where}/{part.key}", word=stated)
    elif isinstance(noun, tuple | Mapping):
        for key, value in noun.items() if isinstance(noun, Mapping) else enumerate(noun):
            yield from stated_in(value, f"{where}/{key}", word=word)
    elif word and noun not in ("", None):
        yield where, noun

"""The language in which a report speaks, and its sentences in it.

The language holds for a stretch of code, as a decimal context does: who renders says it once, and every chapter, chart
and template below speaks so. Nothing that computes or concludes looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Final

from certify.errors import InputError
from certify.messages.catalogue import ENGLISH, FOLDER, Catalogue, catalogue, read_sentences
from certify.model.message import Message, Parameter

_LANGUAGE: Final = ContextVar("language of the report", default=ENGLISH)
_FAMILY: Final = ContextVar("family of the game reported on", default="")


@contextmanager
def speaking(language: str, family: str = "") -> Iterator[Catalogue]:
    """Lets everything inside speak a language.

    Args:
        language: Its code.
        family: Family of the game, whose own names are used.

    Raises:
        MissingPartError: There is no catalogue of that language.
    """
    sentences = catalogue(language)
    spoken, known = _LANGUAGE.set(language), _FAMILY.set(family)
    try:
        yield sentences
    finally:
        _LANGUAGE.reset(spoken)
        _FAMILY.reset(known)


def spoken() -> Catalogue:
    """Returns the catalogue of the language in use."""
    return catalogue(_LANGUAGE.get())


def tell(message: str, **parameters: Parameter) -> str:
    """Returns a sentence in the language in use; its parameters are given as they shall stand there.

    Raises:
        InputError: There is no such message, or it takes other parameters.

    >>> tell("statement.major", count=2)
    '2 findings are major'
    """
    return spoken().text([Message(message, parameters)])


def name_of(kind: str, identifier: str, otherwise: str) -> str:
    """Returns what the family of the game calls something, or the words given where it says nothing.

    >>> name_of("outcome", "win", "Win")
    'Win'
    """
    message = f"{_FAMILY.get()}.{kind}.{identifier}"
    try:
        return spoken().text([Message(message)])
    except InputError:
        return otherwise


def translated(text: str) -> str:
    """Returns a text that is data (a clause in our words, a title, a label) in the language in use.

    Texts without a translation stay as they are: they are somebody's own words.

    >>> translated("As printed.")
    'As printed.'
    """
    return _translations(_LANGUAGE.get()).get(" ".join(text.split()), text)


@cache
def _translations(language: str) -> Mapping[str, str]:
    """Returns the translations of texts that are data, by their English."""
    path = FOLDER / "texts" / f"{language}.toml"
    return read_sentences(path) if path.is_file() else {}

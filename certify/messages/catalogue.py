"""A catalogue: the sentences of one language by message id, with places for named parameters.

A place is ``{name}`` or ``{name:form}``. Forms: ``percent4`` and ``decimal2`` write a fraction with so many places,
``count`` groups the digits of a whole number, ``list`` and ``semicolons`` join a list, and ``one|more`` chooses by a
number: ``{n:finding is|findings are}``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from certify.errors import InputError, MissingPartError
from certify.exact import decimal_text, parse_fraction, percent_text
from certify.model.message import Message, Parameter

FOLDER: Final = Path(__file__).parent
ENGLISH: Final = "en"

_PLACE: Final = re.compile(r"\{(?P<name>[a-z_]+)(?::(?P<form>[^{}]*))?\}")
_PLACES: Final = re.compile(r"(percent|decimal)([0-9]+)")

Parameters = Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The sentences of one language.

    Args:
        language: Its code (BCP 47).
        sentences: Sentence with its places, by message id.
    """

    language: str
    sentences: Mapping[str, str]

    def places(self, message: str) -> frozenset[str]:
        """Returns the names of the parameters that a message takes.

        Raises:
            InputError: There is no such message.
        """
        return frozenset(found["name"] for found in _PLACE.finditer(self._sentence(message)))

    def text(self, messages: Iterable[Message]) -> str:
        """Returns messages as one text.

        Raises:
            InputError: A message is not in the catalogue, or its parameters are not those that it takes.
        """
        return " ".join(self._one(message) for message in messages)

    def _sentence(self, message: str) -> str:
        if message not in self.sentences:
            raise InputError(f"message {message!r} is not in the catalogue of the language {self.language!r}")
        return self.sentences[message]

    def _one(self, message: Message) -> str:
        sentence, given = self._sentence(message.id), message.parameters
        if given.keys() != (asked := self.places(message.id)):
            raise InputError(
                f"message {message.id!r} takes {', '.join(sorted(asked)) or 'no parameter'}, "
                f"given were {', '.join(sorted(given)) or 'none'}"
            )
        return _PLACE.sub(lambda place: self._filled(given[place["name"]], place["form"] or ""), sentence)

    def _filled(self, value: Parameter, form: str) -> str:
        """Returns a parameter in the form that its place asks for."""
        if isinstance(value, tuple):
            parts = [part if isinstance(part, str) else self._one(part) for part in value]
            return ("; " if form == "semicolons" else ", " if form == "list" else " ").join(parts)
        if form == "count":
            return f"{int(value):,}"
        if "|" in form:
            one, _, more = form.partition("|")
            return one if int(value) == 1 else more
        if places := _PLACES.fullmatch(form):
            write: Callable[..., str] = percent_text if places[1] == "percent" else decimal_text
            return write(parse_fraction(str(value)), int(places[2]))
        if form not in ("", "list", "semicolons"):
            raise InputError(f"{form!r} is no form of a parameter in the language {self.language!r}")
        return str(value)


@cache
def catalogue(language: str = ENGLISH) -> Catalogue:
    """Returns the catalogue of a language.

    Raises:
        MissingPartError: There is no catalogue of that language.
    """
    path = FOLDER / f"{language}.toml"
    if not path.is_file():
        raise MissingPartError(f"no sentences in the language {language!r}: expected {path}")
    found: dict[str, str] = tomllib.loads(path.read_text("utf-8"))
    return Catalogue(language, {message: " ".join(sentence.split()) for message, sentence in found.items()})

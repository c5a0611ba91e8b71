"""The language in which a report speaks, its sentences in it, and translations of texts without a message.

The language holds for a stretch of code, as a decimal context does: who renders says it once, and every chapter, chart
and template below speaks so. Nothing that computes or concludes looks at it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Final

from certify.errors import InputError
from certify.messages.catalogue import (
    ENGLISH,
    FOLDER,
    MessageCatalogue,
    catalogue,
    installed_folder,
    read_sentences,
    with_drawn,
)
from certify.model import Message, Parameter

_PLACE: Final = re.compile(r"\\?\{([a-z_]+)\\?\}")
_SENTENCE: Final = re.compile(r"(?<=[.!?]) (?=[A-Z0-9“])")
_STATEMENT: Final = re.compile(r"; ")
_NUMERALS: Final = frozenset(
    {"amount", "count", "decks", "draws", "n", "pays", "percent", "rank", "rounds", "trials"}
)
"""Names of places that a number alone can fill."""
_NUMERAL: Final = r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?"
_LONGEST: Final = 4_000
"""Characters of a text that is looked up by its form; nothing longer is one of ours."""


@dataclass(frozen=True)
class TranslatedTexts:
    """Translations into one language of texts that are data, or older than their messages, by their English form.

    A clause in our words, the title of a check and a sentence of a pack that earlier software made have no message.
    Their translations are in ``texts/LANGUAGE.toml`` by their English, with places: ``"{n} rows replayed" = "..."``.
    What fills a place is translated in turn; numerals take the marks of the language. What is in
    ``texts/LANGUAGE@draws.toml`` is stated instead where nothing is dealt, English too: ``[draw]`` and ``[draws]`` are
    the words of the equipment there.

    Args:
        language: Its code.
        translations: Translation by English form, both with the same places.
    """

    language: str
    translations: Mapping[str, str]

    @cached_property
    def _forms(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Forms with places, the one that says most first."""
        placed = [form for form in self.translations if _PLACE.search(form)]
        placed.sort(key=lambda form: (-len(_PLACE.sub("", form)), form))
        return tuple((_compiled(form), self.translations[form]) for form in placed)

    def translated(self, text: str) -> str | None:
        """Returns the translation of a text, nothing where there is none."""
        plain = " ".join(text.split())
        if plain in self.translations:
            return self.translations[plain]
        if len(plain) > _LONGEST:
            return None
        # Sentence by sentence first, or a form of the first sentence would take the others for what fills its place.
        told = self._by_members(plain, _SENTENCE, " ")
        if told is not None:
            return told
        for form, translation in self._forms:
            if found := form.fullmatch(plain):
                return _PLACE.sub(partial(self._filled, found), translation)
        return self._by_members(plain, _STATEMENT, catalogue(self.language).between_statements)

    def _by_members(self, text: str, boundary: re.Pattern[str], mark: str) -> str | None:
        """Returns a text of several sentences or statements whose every one has a translation."""
        members = boundary.split(text)
        told = [self.translated(member) for member in members] if len(members) > 1 else [None]
        if self.language == ENGLISH and any(told):
            return mark.join(said or member for said, member in zip(told, members, strict=True))
        return None if None in told else mark.join(map(str, told))

    def _filled(self, found: re.Match[str], place: re.Match[str]) -> str:
        return self._part(found[place[1]])

    def _part(self, part: str) -> str:
        """Returns what fills a place: translated whole or by its members, else with the marks of the language."""
        whole = self.translated(part)
        if whole is not None:
            return whole
        for mark, said in (("; ", catalogue(self.language).between_statements), (", ", ", ")):
            if mark in part:
                return said.join(self._part(member) for member in part.split(mark))
        return part if self.language == ENGLISH else catalogue(self.language).numerals(part)


def _compiled(form: str) -> re.Pattern[str]:
    """Returns the expression that a text of a form matches; a place named twice is filled in the same way."""
    seen: set[str] = set()

    def group(place: re.Match[str]) -> str:
        if place[1] in seen:
            return f"(?P={place[1]})"
        seen.add(place[1])
        return f"(?P<{place[1]}>{_NUMERAL if place[1] in _NUMERALS else '.+?'})"

    return re.compile(_PLACE.sub(group, re.escape(form)))


def texts_of(language: str, drawn: str = "", family: str = "") -> TranslatedTexts:
    """Returns the translations of the house and of one family into a language.

    What other families have is left out, or a page would depend on which of them a process has met before.

    Args:
        language: Its code; into English only what is stated otherwise in a game without cards is there.
        drawn: What is drawn from in a game without cards, such as ``wheel``; empty where cards are dealt.
        family: Family of the game; empty for the house alone.
    """
    return _texts(language, (*installed_folder(family), FOLDER), drawn)


@cache
def _texts(language: str, folders: tuple[Path, ...], drawn: str) -> TranslatedTexts:
    found: dict[str, str] = {}
    for folder in folders:
        path = folder / "texts" / f"{language}.toml"
        found |= read_sentences(path) if path.is_file() else {}
    without_cards = FOLDER / "texts" / f"{language}@draws.toml"
    if drawn and without_cards.is_file():
        said = catalogue(language).sentences
        found |= {text: with_drawn(told, said, drawn) for text, told in read_sentences(without_cards).items()}
    return TranslatedTexts(language, found)


@dataclass(frozen=True, slots=True)
class _Speech:
    """How a report speaks, by the names of what :func:`speaking` takes."""

    language: str = ENGLISH
    family: str = ""
    missed: set[str] | None = None
    drawn: str = ""
    rows: Mapping[str, str] | None = None


_SPEECH: Final = ContextVar("how the report speaks", default=_Speech())  # noqa: B039 - frozen


@contextmanager
def speaking(
    language: str,
    family: str = "",
    missed: set[str] | None = None,
    drawn: str = "",
    rows: Mapping[str, str] | None = None,
) -> Iterator[MessageCatalogue]:
    """Lets everything inside speak a language.

    Args:
        language: Its code.
        family: Family of the game, whose own names are used.
        missed: Takes the texts for which no translation was found; a test looks at them.
        drawn: What is drawn from in a game without cards, such as ``wheel``; empty where cards are dealt.
        rows: Titles of rows in the submission, by their id, for outcomes that the family has no name for.

    Raises:
        MissingPartError: There is no catalogue of that language.
    """
    sentences = catalogue(language, drawn)
    before = _SPEECH.set(_Speech(language, family, missed, drawn, rows))
    try:
        yield sentences
    finally:
        _SPEECH.reset(before)


def spoken() -> MessageCatalogue:
    """Returns the catalogue of the language in use."""
    return catalogue(_SPEECH.get().language, _SPEECH.get().drawn)


def tell(message: str, **parameters: Parameter) -> str:
    """Returns a sentence in the language in use; its parameters are given as they are printed, a strategy by its id.

    Raises:
        InputError: There is no such message, or it takes other parameters.

    >>> tell("statement.major", count=2)
    '2 open findings are major'
    """
    if "strategy" in parameters:
        parameters["strategy"] = translated(str(parameters["strategy"]))
    return spoken().text([Message(message, parameters)])


def statements(parts: Iterable[str]) -> str:
    """Returns statements next to each other in one text, parted as the language in use parts them.

    >>> statements(["2 rows", "none is uncovered"])
    '2 rows; none is uncovered'
    """
    return spoken().between_statements.join(parts)


def said_of(name: str, text: str) -> str:
    """Returns what is stated of something, behind its name.

    >>> said_of("main", "2 rows")
    'main: 2 rows'
    """
    return tell("list.said-of", name=name, text=text)


_ELIDED: Final = re.compile(
    r"\b(il|del|dal|al|nel|sul)\s(?=(?:8[\d.]*|11?(?:\.\d{3})*)(?:,\d+)?\s?%)", re.IGNORECASE
)


_SHORTENED: Final = {"il": "l’", "Il": "L’"}


def elided(text: str) -> str:
    """Returns a text with articles before percentages as Italian says them: shortened where a vowel follows.

    >>> with speaking("it"):
    ...     elided("restituisce il 82,29 % e il 92 %, del 8,5 % e il 100 %")
    'restituisce l’82,29 % e il 92 %, dell’8,5 % e il 100 %'
    """
    if _SPEECH.get().language != "it":
        return text
    return _ELIDED.sub(lambda found: _SHORTENED.get(found[1], f"{found[1]}l’"), text)


def name_of(kind: str, identifier: str, otherwise: str) -> str:
    """Returns what the family of the game calls something, or the words given where it says nothing.

    >>> name_of("outcome", "win", "Win")
    'Win'
    """
    message = f"{_SPEECH.get().family}.{kind}.{identifier}"
    try:
        return spoken().text([Message(message)])
    except InputError:
        return otherwise


def row_title(outcome: str) -> str:
    """Returns the title that the submission gives the row of an outcome, empty where it gives none or several."""
    return (_SPEECH.get().rows or {}).get(outcome, "")


def terms_of(kind: str) -> Iterator[tuple[str, str]]:
    """Yields the terms of a kind with what they mean: those of the house, then those of the family of the game."""
    said = spoken()
    for prefix in (f"{kind}.", f"{_SPEECH.get().family}.{kind}."):
        for message in said.beginning(prefix):
            if f"{message}-is" in said.beginning(prefix):
                yield said.text([Message(message)]), said.text([Message(f"{message}-is")])


def translated(text: str) -> str:
    """Returns a text of the evidence that has no message (data, or written by earlier software) in the language in use.

    What has no translation stays as it is: it is somebody's own words.

    >>> translated("As printed.")
    'As printed.'
    """
    language, drawn = _SPEECH.get().language, _SPEECH.get().drawn
    if not text:
        return text
    found = texts_of(language, drawn, _SPEECH.get().family).translated(text)
    if found is None and language != ENGLISH and (missed := _SPEECH.get().missed) is not None:
        missed.add(text)
    return text if found is None else found


def with_translations(message: Message) -> Message:
    """Returns a message of the evidence whose parameters, texts in English, are in the language in use."""
    return Message(message.id, {name: _in_use(value) for name, value in message.parameters.items()})


def _in_use(value: Parameter) -> Parameter:
    if isinstance(value, tuple):
        return tuple(translated(part) if isinstance(part, str) else with_translations(part) for part in value)
    return translated(value) if isinstance(value, str) else value

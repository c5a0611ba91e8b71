"""Texts of the evidence that are data, or older than their messages: translated by their English form.

A clause in our words, the title of a check and a sentence of a pack that earlier software made have no message. Their
translations stand in ``texts/LANGUAGE.toml`` by their English, with places: ``"{n} rows replayed" = "..."``. What
fills a place is translated in turn; numerals take the marks of the language. What is in
``texts/LANGUAGE@draws.toml`` is stated instead where nothing is dealt, English too: ``[draw]`` and ``[draws]`` are the
words of the equipment there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Final

from certify.messages.catalogue import (
    ENGLISH,
    FOLDER,
    catalogue,
    installed_folder,
    read_sentences,
    with_drawn,
)

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
    """Translations into one language.

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

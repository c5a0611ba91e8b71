"""A catalogue: the sentences of one language by message id, with places for named parameters.

A place is ``{name}`` or ``{name:form}``. Forms: ``percent4`` and ``decimal2`` write a fraction with so many places,
``percent6down`` and ``percent6up`` those that are not above and not below it, for the ends of an interval,
``count`` groups the digits of a whole number, ``number`` writes every numeral of a text as the language does, ``list``
and ``semicolons`` join a list, and ``one|more`` chooses by a number, one form for each plural of the language:
``{n:finding is|findings are}``.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from certify.errors import InputError, MissingPartError, Refusing
from certify.exact import decimal_text, parse_fraction, percent_text, rounded_down, rounded_up
from certify.model import Message, Parameter

if TYPE_CHECKING:
    from babel import Locale

FOLDER: Final = Path(__file__).parent
ENGLISH: Final = "en"
NARROW: Final = "\u202f"
"""The narrow space at which no line breaks."""
LANGUAGES: Final = tuple(sorted(path.stem for path in FOLDER.glob("??.toml")))
"""Languages of which there is a catalogue."""

_PLACE: Final = re.compile(r"\{(?P<name>[a-z_]+)(?::(?P<form>[^{}]*))?\}")
_DRAWN: Final = re.compile(r"\[(draws?)\]")
_PLACES: Final = re.compile(r"(percent|decimal)([0-9]+)(down|up)?")
_NUMERAL: Final = re.compile(
    r"(?<![\w./])(?<![\w./-]-)(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w/½]|[.,-]\d|-\d)"
)
_HELD: Final = re.compile(r"(?<=«) | (?=[;:!?»])")
_PLURALS: Final = ("zero", "one", "two", "few", "many", "other")


@dataclass(frozen=True, slots=True)
class MessageCatalogue:
    """The sentences of one language.

    Args:
        language: Its code (BCP 47).
        sentences: Sentence with its places, by message id.
        drawn: What is drawn from in a game without cards, such as ``wheel``; empty where cards are dealt. Messages
            that have a form ``ID@draws`` then take that form, with the words for what is drawn in its brackets.
    """

    language: str
    sentences: Mapping[str, str]
    drawn: str = ""

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

    def parts(self, message: Message) -> Iterator[tuple[str, str]]:
        """Yields the text of a message in parts: what the catalogue says, and the parameter filled in after it."""
        sentence, given = self._sentence(message.id), message.parameters
        if given.keys() != (asked := self.places(message.id)):
            raise InputError(
                f"message {message.id!r} takes {', '.join(sorted(asked)) or 'no parameter'}, "
                f"given were {', '.join(sorted(given)) or 'none'}"
            )
        end = 0
        for place in _PLACE.finditer(sentence):
            yield sentence[end : place.start()], self._filled(given[place["name"]], place["form"] or "")
            end = place.end()
        yield sentence[end:], ""

    def beginning(self, prefix: str) -> tuple[str, ...]:
        """Returns the ids of the messages that begin so, those of families included."""
        every = (*self.sentences, *_brought(self.language))
        return tuple(message for message in every if message.startswith(prefix))

    @property
    def between_statements(self) -> str:
        """What is between two statements of one text."""
        return self.sentences.get("list.semicolons", "; ")

    def numeral(self, plain: str) -> str:
        """Returns a plain decimal with the marks of the language.

        >>> MessageCatalogue("it", {}).numeral("-1234.5")
        '-1.234,5'
        """
        point, group = marks(self.language)
        whole, dot, rest = plain.partition(".")
        sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
        return f"{sign}{int(digits):,}".replace(",", group) + (point + rest if dot else "")

    def numerals(self, text: str) -> str:
        """Returns a text with every numeral in it as the language writes it.

        >>> MessageCatalogue("it", {}).numerals("99.54 % of 1,000, not 3/4")
        '99,54 % of 1.000, not 3/4'
        >>> MessageCatalogue("it", {}).numerals("from -3.522 on, not 2026-11-22")
        'from -3,522 on, not 2026-11-22'
        """
        return _NUMERAL.sub(lambda found: self.numeral(found[0].replace(",", "")), text)

    def _sentence(self, message: str) -> str:
        without_cards = self.sentences.get(f"{message}@draws") if self.drawn else None
        if without_cards is not None:
            return with_drawn(without_cards, self.sentences, self.drawn)
        if message in self.sentences:
            return self.sentences[message]
        brought = _brought(self.language)
        if message not in brought:
            raise InputError(f"message {message!r} is not in the catalogue of the language {self.language!r}")
        return brought[message]

    def _one(self, message: Message) -> str:
        return "".join(text for pair in self.parts(message) for text in pair)

    def _filled(self, value: Parameter, form: str) -> str:
        """Returns a parameter in the form that its place asks for."""
        if isinstance(value, tuple):
            parts = [part if isinstance(part, str) else self._one(part) for part in value]
            return (
                self.between_statements if form == "semicolons" else ", " if form == "list" else " "
            ).join(parts)
        if form == "count":
            return self.numeral(str(int(value)))
        if form == "number":
            return self.numerals(str(value))
        if "|" in form:
            return self._plural(int(value), form.split("|"))
        if places := _PLACES.fullmatch(form):
            write: Callable[..., str] = percent_text if places[1] == "percent" else decimal_text
            digits = int(places[2]) + (2 if places[1] == "percent" else 0)
            exact = parse_fraction(str(value))
            if places[3]:
                exact = (rounded_down if places[3] == "down" else rounded_up)(exact, digits)
            return self.numeral(write(exact, int(places[2])))
        if form not in ("", "list", "semicolons"):
            raise InputError(f"{form!r} is no form of a parameter in the language {self.language!r}")
        return value if isinstance(value, str) else str(value)

    def _plural(self, number: int, forms: list[str]) -> str:
        """Returns the form that a number takes; where a language has more plurals than forms, the last serves them."""
        rule = locale_of(self.language).plural_form
        tags = sorted({*rule.tags, "other"}, key=_PLURALS.index)
        return forms[min(tags.index(rule(number)), len(forms) - 1)]


def with_drawn(sentence: str, sentences: Mapping[str, str], drawn: str) -> str:
    """Returns a sentence about a game without cards with the words for what is drawn in its brackets.

    >>> with_drawn("[draws] recorded", {"drawn.dice.draws": "throws"}, "dice")
    'Throws recorded'
    """
    said = _DRAWN.sub(lambda found: sentences[f"drawn.{drawn}.{found[1]}"], sentence)
    return said[:1].upper() + said[1:] if sentence.startswith("[") else said


@cache
def locale_of(language: str) -> "Locale":
    """Returns what the Unicode CLDR says about a language: plurals, marks of numbers, names of months.

    Raises:
        MissingPartError: The CLDR as installed knows no such language.
    """
    from babel import Locale, UnknownLocaleError

    with Refusing(
        (ValueError, UnknownLocaleError), MissingPartError, f"no sentences in the language {language!r}"
    ):
        return Locale.parse(language)


@cache
def marks(language: str) -> tuple[str, str]:
    """Returns the decimal mark and the mark between thousands.

    >>> marks("it"), marks("en")
    ((',', '.'), ('.', ','))
    """
    from babel.numbers import get_decimal_symbol, get_group_symbol

    locale = locale_of(language)
    return get_decimal_symbol(locale), get_group_symbol(locale)


@cache
def catalogue(language: str = ENGLISH, drawn: str = "") -> MessageCatalogue:
    """Returns the catalogue of a language, for a game without cards where it is stated what is drawn from.

    Raises:
        MissingPartError: There is no catalogue of that language.
    """
    path = FOLDER / f"{language}.toml"
    if not path.is_file():
        raise MissingPartError(f"no sentences in the language {language!r}: expected {path}")
    return MessageCatalogue(
        language, read_sentences(path) if not drawn else catalogue(language).sentences, drawn
    )


def read_sentences(path: Path) -> Mapping[str, str]:
    """Returns the sentences of a file by message id, lines joined by spaces.

    A space before a mark, as French has it, and inside guillemets is where no line breaks.
    """
    found: dict[str, str] = tomllib.loads(path.read_text("utf-8"))
    return {message: _HELD.sub(NARROW, _joined(sentence)) for message, sentence in found.items()}


def _joined(sentence: str) -> str:
    return " ".join(sentence.split("\n")).strip() if "\n" in sentence else sentence


# --- catalogues that families have -----------------------------------------------------------------------

_FOLDERS: Final[dict[str, Path]] = {}


def bring(family: str, folder: Path) -> None:
    """Adds the catalogues of a family; its messages begin with its id and a dot."""
    if _FOLDERS.get(family) != folder:
        _FOLDERS[family] = folder
        _brought.cache_clear()


@cache
def _brought(language: str) -> Mapping[str, str]:
    """Returns what the families have in a language, in English where they have nothing in it.

    Raises:
        InputError: A message does not begin with the id of its family.
    """
    found: dict[str, str] = {}
    for family, folder in _FOLDERS.items():
        named = [folder / f"{language}.toml", folder / f"{ENGLISH}.toml"]
        path = next((path for path in named if path.is_file()), None)
        sentences = read_sentences(path) if path else {}
        foreign = [message for message in sentences if not message.startswith(f"{family}.")]
        if foreign:
            raise InputError(f"{path}: message {foreign[0]!r} does not begin with {family + '.'!r}")
        found |= sentences
    return found


def installed_folder(family: str) -> tuple[Path, ...]:
    """Returns the folder of a family's own catalogues, none where it brings none."""
    return (_FOLDERS[family],) if family in _FOLDERS else ()

"""What nouns of the evidence are made of: forms of texts, names of fields in JSON, and messages.

Four rules connect every noun with its JSON. A field whose name would be a word of Python ends in an underscore that
JSON does not have (``return_`` is written ``return``). A field that is ``None`` by default is left out where it is
``None``; one that may be ``None`` without such a default is written as ``null``. Every other field is always there.
What follows from the fields is stated next to them (:func:`states`, ``InPercent``), and refused where it does not.

Every noun of the evidence says of its fields where they come from (:func:`origins`): verification compares by that.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_type_hints

from certify.exact import format_odds, percent_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a text.

    Args:
        pattern: Regular expression that the whole text matches.
        words: The form in words, for messages.
    """

    pattern: str
    words: str

    def fits(self, text: str) -> bool:
        """Returns whether a text has the form.

        >>> Form("[0-9]+", "digits").fits("12 ")
        False
        """
        return re.fullmatch(self.pattern, text, re.ASCII) is not None


FRACTION = Form(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?", "a fraction in lowest terms, N/D")

ODDS_FORM = Form("-?[0-9]+ to [1-9][0-9]*", "odds, N to M")

Sha256 = Annotated[str, Form("[0-9a-f]{64}", "a SHA-256 digest in hexadecimal")]
Seed = Annotated[str, Form("([0-9a-f]{2}){32,128}", "a seed of 32 to 128 bytes in hexadecimal")]
_WORD = r"[A-Za-z0-9+*^$×_'-]+(\.[A-Za-z0-9]+)*"
Label = Annotated[
    str,
    Form(
        rf"((?=.{{1,200}}$)({_WORD}[ ,:;/()]+){{0,23}}{_WORD}\)?)?",
        "at most 24 words and numbers, and no sentence",
    ),
]
"""What a p-value is of."""
Base64 = Annotated[str, Form("([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", "base64")]
Decimal = Annotated[str, Form(r"-?[0-9]+(\.[0-9]+)?", "a decimal")]
Count = Annotated[
    str, Form("0|[1-9][0-9]*", "a whole number as text, for it may exceed what JSON holds exactly")
]
Odds = Annotated[str, ODDS_FORM]
Timestamp = Annotated[
    str, Form("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", "a time in UTC to the second")
]
Day = Annotated[str, Form("([0-9]{4}-[0-9]{2}-[0-9]{2})?", "a day, or nothing where it was not stated")]
Filled = Annotated[str, Form(r"[\s\S]*\S[\s\S]*", "a text that is not empty")]
InOdds = Annotated[Fraction, ODDS_FORM]
"""A net pay that is written as odds."""

ReportNumber = Annotated[str, Form("(GM|CR)-[0-9]{8}-[0-9A-F]{8}", "a report number")]
"""Number of a report on game mathematics; ``CR`` is what reports of earlier software carry."""


def json_name(name: str) -> str:
    """Returns what a field is called in JSON.

    >>> json_name("return_"), json_name("wager")
    ('return', 'wager')
    """
    return name.removesuffix("_")


InPercent = Annotated[Fraction, "percent"]
"""A number next to which JSON states the same in percent, under its name with ``_percent``."""


class FieldOrigin(StrEnum):
    """Where the value of a field comes from, and so at which level of verification it is compared."""

    FOLLOWS = "follows"
    """From submission, seed and sizes of the run, and from what was counted: ``--rerun`` compares it."""
    COUNTED = "counted"
    """The run counted or measured it: ``--replay`` compares it, and ``--rerun`` whatever follows from it."""
    STATED = "stated"
    """Somebody's word: nothing but its form is compared, and it is set apart as such."""


def origins(*, counted: tuple[str, ...] = (), stated: tuple[str, ...] = ()) -> Callable[[type[T]], type[T]]:
    """Returns a decorator of a noun of the evidence that says where its own fields come from: the others follow.

    Args:
        counted: Fields that the run counted or measured.
        stated: Fields that are somebody's word.

    Raises:
        TypeError: The noun has no such field.
    """
    named = dict.fromkeys(counted, FieldOrigin.COUNTED) | dict.fromkeys(stated, FieldOrigin.STATED)

    def decorate(noun: type[T]) -> type[T]:
        strays = named.keys() - {one.name for one in fields(noun)}  # type: ignore[arg-type]
        if strays:
            raise TypeError(f"{noun.__name__} has no field {', '.join(sorted(strays))}")
        noun._origins = named  # type: ignore[attr-defined]
        return noun

    return decorate


def states(*follows: str, maybe: tuple[str, ...] = ()) -> Callable[[type[T]], type[T]]:
    """Returns a decorator of a noun whose JSON states properties too: what follows from its fields, for who reads it.

    Args:
        follows: Properties that are always stated.
        maybe: Properties that are left out where they are ``None``.
    """

    def decorate(noun: type[T]) -> type[T]:
        noun._stated = dict.fromkeys(follows, False) | dict.fromkeys(maybe, True)  # type: ignore[attr-defined]
        return noun

    return decorate


def keywords(noun: "DataclassInstance", form: "type[DataclassInstance] | None" = None) -> dict[str, Any]:
    """Returns the fields of a noun by name, those of one form that it extends, for a noun that says more or less."""
    return {one.name: getattr(noun, one.name) for one in fields(form or noun)}


@dataclass(frozen=True, slots=True)
class StatedKey:
    """One key of the JSON of a noun.

    Args:
        key: The key.
        name: Field or property that it states.
        form: Type of it.
        left_out: Whether it is left out where it is ``None``.
        follows: Whether it follows from the fields of the noun, so that a reader need not be given it.
        description: What it is, where the docstring of the noun does not say so.
        origin: Where the value comes from; none where the noun, or one that it extends, does not say.
    """

    key: str
    name: str
    form: Any
    left_out: bool
    follows: bool = False
    description: str = ""
    origin: FieldOrigin | None = None

    in_odds: bool = field(init=False)
    """Whether it is a table of pays that are written as odds."""

    in_percent: bool = field(init=False)
    """Whether it is what the property says, in percent."""

    def __post_init__(self) -> None:
        # Requested for each value of each noun: reported once.
        object.__setattr__(self, "in_odds", InOdds in get_args(self.form))
        object.__setattr__(self, "in_percent", self.key != json_name(self.name))

    def of(self, noun: object) -> object:
        """Returns what a noun states under the key."""
        value = getattr(noun, self.name)
        if value is None:
            return None
        if self.in_percent:
            return percent_text(value) if isinstance(value, Fraction) else None
        return {name: format_odds(pays) for name, pays in value.items()} if self.in_odds else value


@cache
def parts_of(noun: type) -> tuple[StatedKey, ...]:
    """Returns the keys of the JSON of a noun: its fields, what it states next to them, and percents of either."""
    hints = get_type_hints(noun, include_extras=True)
    said = [vars(one).get("_origins") for one in noun.__mro__ if is_dataclass(one)]
    named = None if None in said else {name: origin for one in said if one for name, origin in one.items()}
    own = [
        StatedKey(
            json_name(one.name),
            one.name,
            hints[one.name],
            one.default is None,
            origin=None if named is None else named.get(one.name, FieldOrigin.FOLLOWS),
        )
        for one in fields(noun)
    ]
    for name, maybe in getattr(noun, "_stated", {}).items():
        read = getattr(noun, name).fget
        form = get_type_hints(read, include_extras=True)["return"]
        description = (read.__doc__ or "").partition("\n")[
            0
        ]  # none where docstrings were taken out (python -OO)
        own.append(StatedKey(json_name(name), name, form, maybe, True, description, FieldOrigin.FOLLOWS))
    return tuple(part for one in own for part in (one, *_in_percent(one)))


def _in_percent(part: StatedKey) -> Iterator[StatedKey]:
    given = get_args(part.form)
    if InPercent in (part.form, *given):
        # Of an interval there is no percentage.
        bounded = any(isinstance(one, type) and is_dataclass(one) for one in given)
        yield replace(
            part,
            key=f"{part.key}_percent",
            form=Decimal | None if bounded or type(None) in given else Decimal,
            left_out=part.left_out or bounded,
            follows=True,
            description="The same in percent.",
        )


def require_origins(form: Any, seen: set[Any] | None = None) -> None:
    """Refuses a noun, or one within it, that does not say where its fields come from.

    Raises:
        TypeError: It names the noun.
    """
    known = set() if seen is None else seen
    if not (isinstance(form, type) and is_dataclass(form)):
        for part in get_args(form):
            require_origins(part, known)
    elif form not in known:
        known.add(form)
        for part in parts_of(form):
            if part.origin is None:
                raise TypeError(
                    f"{form.__name__}.{part.name}: expected to say where it comes from (@origins)"
                )
            require_origins(part.form, known)


Parameter = str | int | tuple[Union[str, "Message"], ...]
"""A name, a number (fractions as ``N/D``), or a list of names and further messages."""


@origins()
@dataclass(frozen=True, slots=True)
class Message:
    """One sentence, before it is written in any language.

    Args:
        id: Id of the message in the catalogues of all languages.
        parameters: What is in it, by name.
    """

    id: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


Messages = tuple[Message, ...]
"""A text: sentences one after the other."""

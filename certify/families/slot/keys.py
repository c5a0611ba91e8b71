"""How a slot is stated in ``game.toml``: each key once, on the field of the rules that it states.

From the fields follow the forms of the tables, how a table is read with its mistakes, and how rules are written back.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, make_dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final, get_args, get_origin, get_type_hints

from certify.evidence.read import arguments_of
from certify.families.rules_port import TableForm
from certify.model.form_reader import NOT_SUPPORTED

SYMBOL: Final = "symbol"
STAGE: Final = "stage"

MOST_PAY: Final = 10**9
"""Coins of one pay, at most."""

_KEPT: Final = (
    "what a series keeps from game to game is not counted: missing are games that depend on each other"
)
MISSING_MECHANICS: Final = {
    "clusters": "clusters are not counted: missing is the law of connected cells over all windows",
    **dict.fromkeys(
        ("becomes", "mystery"),
        "symbols that all become one are not counted: missing is a second draw for the whole window",
    ),
    **dict.fromkeys(("grows", "sticky", "collects", "walks"), _KEPT),
    "megaways": 'the name of a brand: expected ways = true, and heights of the strips such as "2-7"',
    "hit_weights": "meters that are drawn unevenly are not counted: missing is the law of the amount",
}
"""Keys of mechanics that are not counted, each with what is missing."""

_KEY: Final = "key"


@dataclass(frozen=True, slots=True)
class Key:
    """What of a key does not follow from the type and the default of its field.

    Args:
        name: The key where the field has another name; of what starts a feature, how often it does.
        form: Type of the value in the file, where it is text of its own form.
        otherwise: What the key is where it is left out, if that is not the default of the field.
        either: In place of a list of one, the key that names that one.
        names: What is named: a symbol that is on a strip, or a stage.
        what: What its number is called in a mistake; numbers have bounds where it is stated.
        low: The least number.
        high: The greatest number.
        most: Numbers of a list, at most; a list of counts where it is stated.
        zeros: What a list of zeros means.
        beside: Keys that are stated with it and held in no field: name, type, and what they are where left out.
        required: Whether the table cannot be left out.
        stops: In a spreadsheet the name of the column next to each column of stops.
    """

    name: str = ""
    form: Any = None
    otherwise: Any = ...
    either: str = ""
    names: str = ""
    what: str = ""
    low: int = 0
    high: int = MOST_PAY
    most: int = 0
    zeros: str = "it never pays"
    beside: tuple[tuple[str, Any, Any], ...] = ()
    required: bool = False
    stops: str = ""


def key(**how: Any) -> Mapping[str, Key]:
    """Returns the metadata of a field of the rules: what is stated of its key; see ``Key``."""
    return {_KEY: Key(**how)}


def key_of(one: Field[Any]) -> Key:
    """Returns what is stated of the key of a field."""
    found: Key = one.metadata.get(_KEY, Key())
    return found


def types_of(rule: type) -> Mapping[str, Any]:
    """Returns the types of the fields of a rule."""
    return get_type_hints(rule)


def entry_of(kind: Any) -> Any:
    """Returns the rule that a field holds, once or several times; nothing where it holds none."""
    return next((part for part in (kind, *get_args(kind)) if is_dataclass(part)), None)


def written(value: object, kind: Any) -> object:
    """Returns a value as its key has it, which is of a type of ``form_of``.

    >>> written((1, 2), list[int]), written(Fraction(1, 2), str), written(None, str)
    ([1, 2], '1/2', '')
    """
    match value:
        case StrEnum() | Fraction():
            return str(value)
        case None:
            return "" if kind is str else None
        case tuple():
            return dict(value) if get_origin(kind) is dict else list(value)
        case _:
            return value


def tables_of(rules: type, own: str) -> Mapping[str, TableForm]:
    """Returns the form of every table that states some rules.

    Args:
        rules: The rules: a field that holds other rules is a table of its own.
        own: Name of the table of all other fields.
    """
    tables = {own: TableForm(form_of(rules), required=True)}
    for one in fields(rules):
        how, kind = key_of(one), types_of(rules)[one.name]
        if how.form is None and entry_of(kind):
            many = get_origin(kind) is tuple
            tables[how.name or one.name] = TableForm(form_of(entry_of(kind)), many, how.required)
    return tables


def form_of(rule: type) -> type:
    """Returns the form of the table that states a rule."""
    told = "".join(f"        {name}: {about}\n" for name, about in _about(rule))
    about = f"{(rule.__doc__ or '').partition(chr(10))[0]}\n\n    Args:\n{told}"
    own = {NOT_SUPPORTED: MISSING_MECHANICS, "__doc__": about}
    return make_dataclass(f"Submitted{rule.__name__}", _keys(rule), namespace=own, frozen=True, kw_only=True)


def _about(rule: type, counts: str = "") -> Iterator[tuple[str, str]]:
    """Yields what the documentation of a rule says of each key, in the order of ``_keys``."""
    told = arguments_of(rule)
    for one in fields(rule):
        how, kind = key_of(one), types_of(rule)[one.name]
        yield from ((name, told.get(name, "")) for name, *_ in how.beside)
        if kind is entry_of(kind):
            yield from _about(kind, how.name)
            continue
        name = (counts if one.name == "starts" else "") or how.name or one.name
        if how.either:
            yield how.either, f"One alone, in the place of {name}."
        yield name, told.get(one.name, "")


def _keys(rule: type, counts: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yields (key, type, field of the form) of a rule; ``counts`` names how often what starts a feature does."""
    for one in fields(rule):
        how, kind = key_of(one), types_of(rule)[one.name]
        for name, form, otherwise in how.beside:
            yield name, form, _left_out(otherwise, form)
        if kind is entry_of(kind):
            yield from _keys(kind, how.name)
            continue
        if how.form is None and entry_of(kind):
            continue
        if how.either:
            yield how.either, str, field(default="")
        form = how.form or _form(kind)
        otherwise = [] if how.either else one.default if how.otherwise is ... else how.otherwise
        name = (counts if one.name == "starts" else "") or how.name or one.name
        yield name, form, _left_out(otherwise, form, how.stops)


def _form(kind: Any) -> Any:
    """Returns the type that a value of a rule has in the file."""
    if get_origin(kind) is tuple:
        item: Any = get_args(kind)[0]
        return (
            dict.__class_getitem__(get_args(item))
            if get_origin(item) is tuple
            else list.__class_getitem__(item)
        )
    return kind if kind in (bool, int, str) else str


def _left_out(otherwise: Any, form: Any, stops: str = "") -> Any:
    """Returns the field of a form with what it is where left out."""
    metadata = {"stops": stops} if stops else {}
    if otherwise is MISSING:
        return field(metadata=metadata)
    value = written(otherwise, form)
    if isinstance(value, list | dict):
        return field(default_factory=value.copy, metadata=metadata)
    return field(default=value, metadata=metadata)

"""The form of ``game.toml``: its tables and keys, structured strictly by cattrs."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar, get_type_hints

import cattrs
from cattrs.errors import (
    AttributeValidationNote,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)

from certify.errors import KeyPath
from certify.families.port import TableForm
from certify.model.game import Source, Terms
from certify.untrusted_input import Document

SCHEMA = "certify-game/1"


@dataclass(frozen=True, slots=True)
class SubmittedItem:
    """Table ``[game]``."""

    id: str
    title: str
    version: str
    family: str
    supplier: str
    banked_by: str


@dataclass(frozen=True, slots=True)
class SubmittedDeck:
    """Table ``[deck]``: a shoe, and what its ranks are worth where the family asks for it."""

    decks: int
    ranks: list[str]
    suits: list[str]
    shuffled: str
    values: dict[str, str] = field(default_factory=dict)
    jokers: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedEquipment:
    """One ``[[equipment]]``: which keys are stated depends on the kind."""

    id: str
    kind: str
    decks: int = 0
    ranks: list[str] = field(default_factory=list)
    suits: list[str] = field(default_factory=list)
    jokers: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    stops: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)
    sides: int = 0
    balls: int = 0
    draws: int = 0


@dataclass(frozen=True, slots=True)
class SubmittedRule:
    """One ``[[rules]]``."""

    id: str
    value: str | bool
    title: str
    provenance: str = "printed"
    by: str = ""
    unique: bool = True


@dataclass(frozen=True, slots=True)
class SubmittedLimits:
    """Key ``limits`` of a wager; amounts as decimal text in the currency."""

    minimum: str
    maximum: str
    currency: str
    provenance: str = "printed"
    by: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedRow:
    """One ``[[wagers.paytable]]``."""

    id: str
    title: str
    pays: str = ""
    provenance: str = "printed"
    by: str = ""
    unique: bool = True


@dataclass(frozen=True, slots=True)
class SubmittedWager:
    """One ``[[wagers]]``."""

    id: str
    title: str
    description: str
    limits: SubmittedLimits
    paytable: list[SubmittedRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedClaim:
    """One ``[[claims]]``."""

    wager: str
    metric: str
    printed: str
    source: str
    rounding: str = "nearest"
    strategy: str = ""
    row: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedCard:
    """One ``[[strategy_cards]]``: a strategy as a source prints it, in the form of a strategy file."""

    id: str
    title: str
    source: str
    card: str


@dataclass(frozen=True, slots=True)
class SubmittedReading:
    """One ``[[readings]]``."""

    id: str
    question: str
    adopted: str
    because: str
    alternatives: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedCount:
    """One ``[[printed_counts]]``: a number of ways or a share of hands, as printed."""

    id: str
    of: str
    totals: list[str]
    source: str
    ways: str = ""
    share: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedOutcomeRow:
    """One ``[[printed_rows]]``: a hand of the dealer, with the shares that the family's tables print against it."""

    label: str
    hand: list[str]
    total: str
    source: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """The whole file, still as text: nothing is parsed beyond its form."""

    schema: str
    game: SubmittedItem
    rules: list[SubmittedRule]
    wagers: list[SubmittedWager]
    terms: Terms
    sources: list[Source]
    readings: list[SubmittedReading]
    claims: list[SubmittedClaim] = field(default_factory=list)
    deck: SubmittedDeck | None = None
    equipment: list[SubmittedEquipment] = field(default_factory=list)
    printed_counts: list[SubmittedCount] = field(default_factory=list)
    printed_rows: list[SubmittedOutcomeRow] = field(default_factory=list)
    strategy_cards: list[SubmittedCard] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FormMistake:
    """A mistake of form: its key, what is wrong, and the type that was expected there, if any."""

    key: KeyPath
    message: str
    expected: object = None


def form_with(tables: Mapping[str, TableForm], columns: tuple[str, ...] = ()) -> type[Submitted]:
    """Returns the form of a file with what its family adds.

    Args:
        tables: Further tables.
        columns: Keys of the shares in a printed row of outcomes.
    """
    return _form_with(tuple(tables.items()), columns)


@lru_cache(maxsize=64)
def _form_with(tables: tuple[tuple[str, TableForm], ...], columns: tuple[str, ...]) -> type[Submitted]:
    """Returns the form made once for the same tables: what reads a form is compiled for it."""
    row = dataclasses.make_dataclass(
        "SubmittedOutcomeRow",
        [(column, str) for column in columns],
        bases=(SubmittedOutcomeRow,),
        frozen=True,
    )
    extra: list[tuple[str, Any, Any]] = [("printed_rows", list[row], field(default_factory=list))]  # type: ignore[valid-type]
    for name, table in tables:
        if table.many:
            extra.append((name, list[table.form], field(default_factory=list)))  # type: ignore[name-defined]
        else:
            extra.append((name, table.form | None, None))
    return dataclasses.make_dataclass("Submitted", extra, bases=(Submitted,), frozen=True)


Form = TypeVar("Form")


def structure(document: Document, form: type[Form]) -> tuple[Form | None, list[FormMistake]]:
    """Returns the structured file with every mistake of form.

    Where a key has the wrong form, a stand-in takes its place, so that the rest of the file is read on
    and all mistakes are reported at once; where none can, the first result is None.
    """
    converter = _converter()
    try:
        return converter.structure(document, form), []
    except cattrs.BaseValidationError as error:
        mistakes = list(_mistakes(error, ()))
    repaired = copy.deepcopy(document)
    for mistake in mistakes:
        _stand_in(repaired, mistake)
    try:
        return converter.structure(repaired, form), mistakes
    except cattrs.BaseValidationError:
        return None, mistakes


def _stand_in(document: Document, mistake: FormMistake) -> None:
    """Removes an unknown key, or puts a value of the expected type in the place of a wrong one."""
    table: Any = document
    for part in mistake.key[:-1]:
        table = table[part]
    last = mistake.key[-1]
    if mistake.expected is None:
        table.pop(last, None)
    else:
        table[last] = _blank(mistake.expected)


def _stated(form: Any) -> Any:
    """Returns the form of a table that may be left out, as it is where it is stated."""
    parts = [part for part in getattr(form, "__args__", ()) if part is not type(None)]
    return parts[0] if len(parts) == 1 and type(None) in form.__args__ else form


def _blank(form: Any) -> Any:
    """Returns a value of an expected type, tables with all keys that they must have."""
    form = _stated(form)
    if dataclasses.is_dataclass(form):
        hints = get_type_hints(form)
        needed = [field for field in dataclasses.fields(form) if _is_needed(field)]
        return {field.name: _blank(hints[field.name]) for field in needed}
    origin = getattr(form, "__origin__", None)
    if origin in (list, dict):
        return origin()
    kinds: dict[object, object] = {str: "", bool: False, int: 1, str | bool: ""}
    return kinds[form]


def _is_needed(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


@cache
def _converter() -> cattrs.Converter:
    """Returns a converter that coerces nothing: a number is not text and text is not a number."""
    converter = cattrs.Converter(forbid_extra_keys=True, detailed_validation=True)
    for kind, name in ((str, "text"), (bool, "true or false"), (int, "a whole number")):
        converter.register_structure_hook(kind, _strict(kind, name))
    converter.register_structure_hook(str | bool, _rule_value)
    converter.register_structure_hook_func(
        lambda form: getattr(form, "__origin__", None) is list, _list_of(converter)
    )
    return converter


def _strict(kind: type, name: str) -> Any:
    """Returns a hook that accepts values of exactly one type."""

    def hook(value: object, _: type) -> object:
        if type(value) is not kind:
            raise TypeError(f"expected {name}, got {value!r}")
        return value

    return hook


def _rule_value(value: object, _: object) -> str | bool:
    """Accepts what the value of a rule may be: text, true or false, or a whole number, which is read as its digits."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"expected text, a whole number or true/false, got {value!r}")


def _list_of(converter: cattrs.Converter) -> Any:
    """Returns a hook that refuses to read text or a table as a list."""

    def hook(value: object, form: Any) -> object:
        if not isinstance(value, list):
            raise TypeError(f"expected a list, got {value!r}")
        errors: list[Exception] = []
        items: list[object] = []
        for index, item in enumerate(value):
            try:
                items.append(converter.structure(item, form.__args__[0]))
            except Exception as error:  # noqa: BLE001 - collected, to report all mistakes at once
                error.__notes__ = [
                    *getattr(error, "__notes__", []),
                    IterableValidationNote(f"element {index}", index, form),
                ]
                errors.append(error)
        if errors:
            raise cattrs.IterableValidationError("list", errors, form)
        return items

    return hook


def _mistakes(error: BaseException, path: KeyPath, expected: object = None) -> Iterator[FormMistake]:
    """Yields every mistake in a tree of validation errors with its key path."""
    for note in getattr(error, "__notes__", []):
        if isinstance(note, AttributeValidationNote):
            path, expected = (*path, note.name), note.type
        elif isinstance(note, IterableValidationNote):
            path, expected = (*path, note.index), getattr(note.type, "__args__", (None,))[0]
    if isinstance(error, cattrs.BaseValidationError):
        for inner in error.exceptions:
            yield from _mistakes(inner, path)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = ", ".join(sorted(field.name for field in dataclasses.fields(error.cl)))
        for key in sorted(error.extra_fields):
            yield FormMistake((*path, key), f'unknown key "{key}": expected one of {known}')
    elif isinstance(error, KeyError):
        table = f" in {_dotted(path[:-1])}" if path[1:] else ""
        yield FormMistake(path, f'key "{error.args[0]}" is missing{table}', expected)
    elif _is_table(expected):
        yield FormMistake(path, f"{_dotted(path)}: expected a table", expected)
    else:
        yield FormMistake(path, f"{_dotted(path)}: {error}", expected)


def _is_table(form: object) -> bool:
    form = _stated(form)
    return dataclasses.is_dataclass(form) or getattr(form, "__origin__", None) is dict


def _dotted(path: KeyPath) -> str:
    """Returns a key path as a reader would write it."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")

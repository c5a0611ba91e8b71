"""Strict forms of what is read: nothing is coerced, and every mistake is found at once, with its key."""

import copy
import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Final, TypeAlias, Union, get_args, get_origin, get_type_hints

import cattrs
from cattrs.errors import AttributeValidationNote, ForbiddenExtraKeysError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, override

from certify.errors import KeyPath, T, nearest, one_of
from certify.model.form import FRACTION, Day, Form, json_name

_FRACTION: Final = Annotated[str, FRACTION]

Document: TypeAlias = dict[str, Any]
"""A table that is read: nothing is known of its values until they are looked at."""

WORDS: Final = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    date: "a day such as 2026-12-31, without quotes",
    list: "a list",
    dict: "a table",
}
"""What a value is called in messages, by its type."""


@dataclass(frozen=True, slots=True)
class FormMistake:
    """A mistake of form.

    Args:
        key: Its key.
        reason: What is wrong there.
        expected: The type that was expected there, if any.
        meant: The known key that an unknown one is nearly.
    """

    key: KeyPath
    reason: str
    expected: object = None
    meant: str = ""

    @property
    def message(self) -> str:
        """What is wrong, with the place as the author of a TOML file would write it."""
        *table, last = self.key or ("",)
        if self.reason == MISSING:
            return f'key "{last}" is missing{f" in {dotted(tuple(table))}" if table else ""}'
        if self.reason.startswith(UNKNOWN):
            return self.reason.replace(UNKNOWN, f'{UNKNOWN} "{last}"', 1)
        return f"{dotted(self.key)}: {self.reason}"


MISSING: Final = "is missing"
UNKNOWN: Final = "unknown key"
INSTEAD: Final = {"rtp": 'write metric = "return-to-player" and printed = "96.00 %"'}
"""What to write instead of keys that many write and no form has."""

NOT_SUPPORTED: Final = "NOT_SUPPORTED"
"""Attribute of a form: keys that others have for what is not supported here, each with what is missing."""


def not_supported(form: type) -> Mapping[str, str]:
    """Returns the keys that others have for what a form does not support, each with what is missing."""
    found: Mapping[str, str] = getattr(form, NOT_SUPPORTED, {})
    return found


def structure(document: Document, form: type[T]) -> tuple[T | None, list[FormMistake]]:
    """Returns the structured document with every mistake of form.

    Where a key has the wrong form, a stand-in takes its place, so that the rest is read on and all mistakes are
    reported at once; where none can, the first result is None. A misspelt key is read as the one that it is nearly.
    """
    converter = _converter()
    try:
        return converter.structure(document, form), []
    except cattrs.BaseValidationError as error:
        found = list(mistakes(error))
    repaired = copy.deepcopy(document)
    # Misspelt keys come first: what is under one is not missing.
    in_order = sorted(found, key=lambda one: one.expected is not None)
    found = [mistake for mistake in in_order if _stand_in(repaired, mistake)]
    try:
        return converter.structure(repaired, form), found
    except cattrs.BaseValidationError as error:
        return None, found or list(mistakes(error))


def _stand_in(document: Document, mistake: FormMistake) -> bool:
    """Takes an unknown key away, or puts a value of the expected type in the place of a wrong one.

    Returns whether it is a mistake of its own: a key that another one, misspelt, states is not missing.
    """
    table: Any = document
    for part in mistake.key[:-1]:
        table = table[part]
    last = mistake.key[-1]
    if mistake.expected is None:
        value = table.pop(last, None)
        there = table.setdefault(mistake.meant, value) if mistake.meant else None
        if isinstance(there, dict) and isinstance(value, dict):
            table[mistake.meant] = value | there
    elif mistake.reason == MISSING and last in table:
        return False
    else:
        table[last] = _blank(mistake.expected)
    return True


def _blank(form: Any) -> Any:
    """Returns a value of an expected type, tables with all keys that they must have."""
    form = without_none(form)
    if dataclasses.is_dataclass(form):
        hints = get_type_hints(form)
        return {
            one.name: _blank(hints[one.name])
            for one in dataclasses.fields(form)
            if (one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING)
        }
    if get_origin(form) in (list, dict, tuple, Annotated):
        return {dict: {}, Annotated: date.min if form == Day else ""}.get(get_origin(form), [])
    if isinstance(form, type) and issubclass(form, StrEnum):
        return next(iter(form)).value
    blanks: dict[object, object] = {
        str: "",
        bool: False,
        int: 1,
        str | bool: "",
        date: date.min,
        Fraction: "1",
    }
    return blanks[form]


def without_none(form: Any) -> Any:
    """Returns the form of a value that may be left out, as it is where it is stated."""
    if type(None) not in get_args(form):
        return form
    return Union[tuple(part for part in get_args(form) if part is not type(None))]  # noqa: UP007 - made as it runs


@cache
def _converter() -> cattrs.Converter:
    converter = strict_converter()
    converter.register_structure_hook(date, exactly(date))
    converter.register_structure_hook_func(
        lambda form: form == Day, lambda value, _: str(exactly(date)(value, date))
    )
    converter.register_structure_hook(Fraction, lambda value, _: Fraction(formed(value, _FRACTION)))
    converter.register_structure_hook(str | bool, _rule_value)
    converter.register_structure_hook_factory(dataclasses.is_dataclass, lambda noun: _table(converter, noun))
    return converter


def strict_converter() -> cattrs.Converter:
    """Returns a converter that coerces nothing: a number is no text, true is not 1, and every key is known."""
    converter = cattrs.Converter(forbid_extra_keys=True, detailed_validation=True)
    for kind in (str, bool, int):
        converter.register_structure_hook(kind, exactly(kind))
    for enumeration in (Enum, IntEnum, StrEnum):
        converter.register_structure_hook(enumeration, _member)
    lists, tables = _list_of(converter), _table_of(converter)
    for origin, hook in (
        (Annotated, formed),
        (list, lists),
        (tuple, lists),
        (dict, tables),
        (Mapping, tables),
    ):
        converter.register_structure_hook_func(has_origin(origin), hook)
    return converter


def _table(converter: cattrs.Converter, noun: Any) -> Callable[[object, Any], Any]:
    """Returns what structures one noun by the types of its fields, with what these are annotated with."""
    overrides: dict[str, Any] = {
        name: override(struct_hook=structured(converter, form))
        for name, form in get_type_hints(noun, include_extras=True).items()
    }
    structure = make_dict_structure_fn(
        noun, converter, _cattrs_forbid_extra_keys=True, _cattrs_detailed_validation=True, **overrides
    )

    def hook(value: object, form: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"expected a table, got {short(value)}")
        return structure(value, form)

    return hook


def structured(converter: cattrs.Converter, form: Any) -> Callable[[object, Any], Any]:
    """Returns a hook that structures a value by one type."""
    return lambda value, _: converter.structure(value, form)


def has_origin(origin: Any) -> Callable[[Any], bool]:
    """Returns whether a generic type is one of an origin, such as a list of something."""
    return lambda form: get_origin(form) is origin


def exactly(kind: type) -> Callable[[object, Any], object]:
    """Returns a hook that accepts values of exactly one type: a time is no day."""

    def hook(value: object, _: Any) -> object:
        if type(value) is not kind:
            hint = f': write "{value}"' if kind is str and type(value) in (int, float) else ""
            raise TypeError(f"expected {WORDS[kind]}, got {short(value)}{hint}")
        return value

    return hook


def formed(value: object, form: Any) -> str:
    """Accepts a text of the form that its type is annotated with."""
    expected = next(part for part in get_args(form) if isinstance(part, Form))
    if not isinstance(value, str) or not expected.fits(value):
        raise TypeError(f"expected {expected.words}, got {short(value)}")
    return value


def _rule_value(value: object, _: object) -> str | bool:
    """Accepts what the value of a rule may be: text, true or false, or a whole number, which is read as its digits."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"expected text, a whole number or true/false, got {short(value)}")


def _member(value: object, form: Any) -> object:
    named = {member.name.lower() if issubclass(form, IntEnum) else member.value: member for member in form}
    if not isinstance(value, str) or value not in named:
        raise TypeError(f"expected one of {', '.join(named)}, got {short(value)}")
    return named[value]


def _list_of(converter: cattrs.Converter) -> Callable[[object, Any], object]:
    """Returns a hook that refuses to read a text or a table as a list."""

    def hook(value: object, form: Any) -> object:
        if not isinstance(value, list):
            example = ' of texts such as ["first", "second"]' if get_args(form)[0] is str else ""
            raise TypeError(f"expected a list{example}, got {short(value)}")
        parts = get_args(form)
        if get_origin(form) is list or parts[-1] is ...:
            parts = (parts[0],) * len(value)
        elif len(parts) != len(value):
            raise TypeError(f"expected a list of {len(parts)}, got {len(value)} entries")
        return get_origin(form)(_each(converter, list(enumerate(zip(value, parts, strict=True))), form))

    return hook


def _table_of(converter: cattrs.Converter) -> Callable[[object, Any], dict[str, object]]:
    """Returns a hook that structures a table of any keys."""

    def hook(value: object, form: Any) -> dict[str, object]:
        if not isinstance(value, dict):
            raise TypeError(f"expected a table, got {short(value)}")
        entries = [(key, (entry, get_args(form)[1])) for key, entry in value.items()]
        return dict(zip(value, _each(converter, entries, form), strict=True))

    return hook


def _each(
    converter: cattrs.Converter, entries: Collection[tuple[Any, tuple[object, Any]]], form: Any
) -> list[object]:
    """Returns every entry structured; raises all their mistakes together."""
    errors: list[Exception] = []
    found: list[object] = []
    for place, (entry, part) in entries:
        try:
            found.append(converter.structure(entry, part))
        except Exception as error:  # noqa: BLE001 - collected, to report all mistakes at once
            error.add_note(IterableValidationNote(f"entry {place}", place, part))
            errors.append(error)
    if errors:
        raise cattrs.IterableValidationError("entries", errors, form)
    return found


def mistakes(error: BaseException, key: KeyPath = (), expected: object = None) -> Iterator[FormMistake]:
    """Yields every mistake in a tree of validation errors.

    Args:
        error: What a strict converter raised.
        key: Where it was raised.
        expected: The type that was expected there.
    """
    for note in getattr(error, "__notes__", []):
        if isinstance(note, AttributeValidationNote):
            key, expected = (*key, json_name(note.name)), note.type
        elif isinstance(note, IterableValidationNote):
            key, expected = (*key, note.index), note.type
    if isinstance(error, cattrs.BaseValidationError):
        for inner in error.exceptions:
            yield from mistakes(inner, key, expected)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = sorted(json_name(one.name) for one in dataclasses.fields(error.cl))
        for extra in sorted(map(str, error.extra_fields)):
            meant = nearest(extra, known)
            hint = INSTEAD.get(extra) or not_supported(error.cl).get(extra) or one_of(extra, known)
            yield FormMistake((*key, extra), f"{UNKNOWN}: {hint}", None, meant)
    elif isinstance(error, KeyError):
        missing = str(error.args[0])
        yield FormMistake(key if key[-1:] == (missing,) else (*key, missing), MISSING, expected)
    else:
        yield FormMistake(key, str(error), expected)


def dotted(key: KeyPath) -> str:
    """Returns a key as the author of a TOML file would write it; entries of a list are counted from 1."""
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in key).lstrip(".")


def short(value: object) -> str:
    """Returns a value in words short enough for a line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"

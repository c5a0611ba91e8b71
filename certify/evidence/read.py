"""Reading: plain JSON values become a noun again, or every mistake is named with its place."""

import math
import re
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum, IntEnum
from fractions import Fraction
from functools import cache, lru_cache
from typing import Annotated, Any, Final, Union, cast, get_args, get_origin

from cattrs import AttributeValidationNote, BaseValidationError, ClassValidationError, Converter
from cattrs.gen import make_dict_structure_fn, override

from certify.errors import KeyPath, T, TrustError, listed
from certify.evidence import SCHEMA, Evidence, plain
from certify.exact import format_odds, fraction_text, of_digits, parse_odds
from certify.model import (
    FRACTION,
    ODDS_FORM,
    FieldOrigin,
    Form,
    InOdds,
    InPercent,
    StatedKey,
    json_name,
    parts_of,
    require_origins,
)
from certify.model.form_reader import (
    WORDS,
    formed,
    has_origin,
    mistakes,
    short,
    strict_converter,
    structured,
    without_none,
)
from certify.untrusted_input import Document, JsonObject

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_ARGUMENT = re.compile(r"^        (\w+): (.*(?:\n {12}.*)*)", re.MULTILINE)


def json_schema() -> JsonObject:
    """Returns the JSON Schema of the evidence (draft 2020-12).

    Whatever the reader refuses by form the schema refuses too, but for fractions that are not in lowest terms, which
    no pattern can tell.
    """
    require_origins(Evidence)
    remark = "What no comment calls counted or stated follows from submission, seed and what was counted."
    return schema_of(Evidence, SCHEMA, remark)


def schema_of(noun: Any, title: str, remark: str) -> Document:
    """Returns the JSON Schema of a noun (draft 2020-12), with every noun in it under ``$defs``.

    Of a noun that says where its fields come from every key is stated but those that may be None; of any other a field
    with a default may be left out.
    """
    parts: JsonObject = {}
    root = _reference(noun, parts)
    return {
        "$schema": DIALECT,
        "$id": f"urn:{title.replace('/', ':')}",
        "title": title,
        "$comment": remark,
        **root,
        "$defs": dict(sorted(parts.items())),
    }


def _reference(noun: Any, parts: JsonObject) -> JsonObject:
    """Returns the reference to a noun, which is described once."""
    name = f"{noun.__module__.rpartition('.')[2]}.{noun.__name__}"
    if name not in parts:
        parts[name] = {}
        parts[name] = _object_schema(noun, parts)
    return {"$ref": f"#/$defs/{name}"}


def _object_schema(noun: Any, parts: JsonObject) -> JsonObject:
    told = arguments_of(noun)
    properties, required, defaulted = {}, [], _defaulted(noun)
    for part in parts_of(noun):
        form = _alternatives(part.form)[0] if part.left_out else part.form
        if not part.left_out and (part.origin is not None or part.name not in defaulted):
            required.append(part.key)
        said = part.description or told.get(part.name) or _first_line(form)
        properties[part.key] = _form(form, parts) | ({"description": said} if said else {})
        if part.origin in (FieldOrigin.COUNTED, FieldOrigin.STATED):
            properties[part.key]["$comment"] = str(part.origin)
    return {
        "type": "object",
        "description": (noun.__doc__ or "").partition("\n")[0],
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _first_line(form: Any) -> str:
    """Returns what the documentation of the noun says that a table holds, nothing of any other type."""
    if is_dataclass(form):
        return (form.__doc__ or "").partition("\n")[0]
    return next(filter(None, map(_first_line, get_args(form))), "")


def _form(form: Any, parts: JsonObject) -> JsonObject:
    """Returns the schema of one type."""
    plain = {str: "string", bool: "boolean", int: "integer", float: "number"}
    if form in plain:
        return {"type": plain[form]}
    if form in (Fraction, InPercent):
        return _text(FRACTION)
    if isinstance(form, type) and issubclass(form, Enum):
        names = [one.name.lower() if issubclass(form, IntEnum) else one.value for one in form]
        return {"enum": names}
    if get_origin(form) is Annotated:
        return _text(next(part for part in get_args(form) if isinstance(part, Form)))
    if is_dataclass(form):
        return _reference(form, parts)
    if get_origin(form) is tuple:
        return _list(get_args(form), parts)
    if get_origin(form) is list:
        return _list((get_args(form)[0], ...), parts)
    if get_origin(form) in (Mapping, dict):
        return {"type": "object", "additionalProperties": _form(get_args(form)[1], parts)}
    if get_origin(form) in (Union, types.UnionType):
        described = [_form(part, parts) for part in _alternatives(form)]
        return {"anyOf": described + ([{"type": "null"}] if type(None) in get_args(form) else [])}
    raise TypeError(f"{form!r} has no form in JSON Schema")


def _list(entries: tuple[Any, ...], parts: JsonObject) -> JsonObject:
    if entries[-1] is ...:
        return {"type": "array", "items": _form(entries[0], parts)}
    return {
        "type": "array",
        "prefixItems": [_form(entry, parts) for entry in entries],
        "minItems": len(entries),
        "maxItems": len(entries),
    }


def _text(form: Form) -> JsonObject:
    # A pattern of JSON Schema is searched for; this one is the whole text.
    return {"type": "string", "pattern": f"^(?:{form.pattern})$"}


def _alternatives(form: Any) -> tuple[Any, ...]:
    """Returns the types that a value may have, nothing left aside."""
    return tuple(part for part in get_args(form) if part is not type(None))


def arguments_of(noun: Any) -> dict[str, str]:
    """Returns what the docstrings of a noun and of those that it extends say of each field."""
    told: dict[str, str] = {}
    for one in reversed(noun.__mro__):
        text = (one.__doc__ or "").partition("Args:")[2]
        told |= {name: re.sub(r"\s+", " ", said) for name, said in _ARGUMENT.findall(text)}
    return told


TOLD = 20
"""Mistakes listed one by one; the others are counted."""


@dataclass(frozen=True, slots=True)
class FormProblem:
    """One mistake of form.

    Args:
        pointer: Where it is (RFC 6901).
        message: What is wrong there.
    """

    pointer: str
    message: str

    def __str__(self) -> str:
        """Returns place and mistake in one line."""
        return f"{self.pointer or '/'}: {self.message}"


def evidence_of(value: object) -> Evidence:
    """Returns the evidence that plain JSON values mean.

    Raises:
        TrustError: They are not of this form; it names the mistakes with their JSON pointers.
    """
    return noun_of(Evidence, value, TrustError, f"the evidence does not follow {SCHEMA}")


def noun_of(noun: type[T], value: object, kind: type[Exception], about: str) -> T:
    """Returns plain JSON values as a noun.

    Args:
        noun: The form that they have to follow.
        value: The values.
        kind: The error that is raised where they do not, which says who is at fault.
        about: What is wrong then; the first mistakes come after it.
    """
    found = read(noun, value)
    if not isinstance(found, noun):
        raise kind(f"{about}: {listed(cast(tuple[FormProblem, ...], found), TOLD)}")
    return found


def read(noun: type[T], value: object) -> T | tuple[FormProblem, ...]:
    """Returns plain JSON values as a noun, or every mistake of form.

    Nothing is coerced: a number is no text, true is not 1, an unknown key is refused, and so is a missing one.

    >>> from certify.evidence.analysis import NetResult
    >>> read(NetResult, {"net": "-1", "probability": "2/4"})
    (FormProblem(pointer='/probability', message="expected a fraction in lowest terms, N/D, got '2/4'"),)
    """
    try:
        return _converter().structure(value, noun)
    except BaseValidationError as error:
        return tuple(FormProblem(_pointer(one.key), one.reason) for one in mistakes(error))
    except (TypeError, ValueError) as error:
        return (FormProblem("", str(error)),)


@cache
def _converter() -> Converter:
    converter = strict_converter()
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook(Fraction, _fraction)
    converter.register_structure_hook_func(_is_union, _one_of(converter))
    converter.register_structure_hook_func(has_origin(Annotated), _formed)
    converter.register_structure_hook_factory(is_dataclass, lambda noun: _object(converter, noun))
    return converter


def _number(value: object, _: Any) -> float:
    # Canonical JSON writes 1.0 as 1.
    if type(value) not in (int, float):
        raise TypeError(f"expected a number, got {short(value)}")
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("expected a finite number")
    return number


def _fraction(value: object, _: Any) -> Fraction:
    found = None
    if isinstance(value, str):
        found = _known_fraction(value) if len(value) <= _KNOWN_LENGTH else _fraction_of(value)
    if found is None:
        raise TypeError(f"expected {FRACTION.words}, got {short(value)}")
    return found


def _odds(value: object) -> Fraction:
    found = parse_odds(value) if isinstance(value, str) and ODDS_FORM.fits(value) else None
    if found is None or format_odds(found) != value:
        raise TypeError(f"expected {ODDS_FORM.words} in lowest terms, got {short(value)}")
    return found


def _fraction_of(text: str) -> Fraction | None:
    """Returns what a text in the form of a fraction in lowest terms means, none where it has another form."""
    if not FRACTION.fits(text):
        return None
    found = of_digits(text)
    return found if fraction_text(found) == text else None


_KNOWN_LENGTH: Final = 256
"""Characters of the longest text whose fraction is kept: the memory that is taken stays within megabytes."""

_known_fraction = lru_cache(maxsize=8192)(_fraction_of)
"""Evidence states the same fraction in many places, and is read more than once where it is verified."""


def _is_union(form: Any) -> bool:
    """Returns whether a value may have one of several types; that it may be nothing is another matter."""
    return get_origin(form) in (Union, types.UnionType) and type(None) not in get_args(form)


def _one_of(converter: Converter) -> Callable[[object, Any], object]:
    """Returns what structures a value by the one type of several that its JSON has."""

    def hook(value: object, form: Any) -> object:
        found = [part for part in get_args(form) if _kind(part) is type(value)]
        if not found:
            kinds = " or ".join(WORDS[_kind(part)] for part in get_args(form))
            raise TypeError(f"expected {kinds}, got {short(value)}")
        return converter.structure(value, next((part for part in found if _has_keys(part, value)), found[0]))

    return hook


def _has_keys(part: Any, value: object) -> bool:
    """Returns whether a noun has every key of an object: which of several it is meant to be."""
    return isinstance(value, dict) and value.keys() <= {json_name(one.name) for one in fields(part)}


def _kind(form: Any) -> type:
    """Returns what a type is in JSON."""
    if get_origin(form) is tuple:
        return list
    if form is Fraction or get_origin(form) is Annotated:
        return str
    return dict if is_dataclass(form) else form


def _formed(value: object, form: Any) -> object:
    if form == InPercent:
        return _fraction(value, form)
    if form == InOdds:
        return _odds(value)
    return formed(value, form)


def _object(converter: Converter, noun: Any) -> Callable[[object, Any], Any]:
    """Returns what structures one noun: every key known, every key that must be there, there."""
    parts = parts_of(noun)
    own, follow = ([part for part in parts if part.follows is follows] for follows in (False, True))
    overrides: dict[str, Any] = {
        part.name: override(
            rename=part.key,
            struct_hook=structured(converter, without_none(part.form) if part.left_out else part.form),
        )
        for part in own
    }
    structure = make_dict_structure_fn(
        noun, converter, _cattrs_forbid_extra_keys=True, _cattrs_detailed_validation=True, **overrides
    )
    # Python may have a default for a key that JSON must state.
    optional = _defaulted(noun)
    stated_always = [
        part.key for part in parts if not part.left_out and (part.follows or part.name in optional)
    ]
    further = {part.key for part in follow}

    def hook(value: object, form: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"expected a table, got {short(value)}")
        missing: list[Exception] = [KeyError(key) for key in stated_always if key not in value]
        try:
            found = structure({key: part for key, part in value.items() if key not in further}, form)
        except ClassValidationError as error:
            raise ClassValidationError(error.message, [*error.exceptions, *missing], noun) from None
        missing.extend(_not_following(found, [part for part in follow if part.key in value], value))
        if missing:
            raise ClassValidationError("keys are missing, or do not follow from others", missing, noun)
        return found

    return hook


def _defaulted(noun: Any) -> set[str]:
    """Returns the names of the fields that have a default."""
    without = (MISSING, MISSING)
    return {one.name for one in fields(noun) if (one.default, one.default_factory) != without}


def _not_following(noun: object, parts: list[StatedKey], value: dict[str, object]) -> Iterator[Exception]:
    """Yields what is stated in addition to the fields of a noun and does not follow from them."""
    for part in parts:
        stated = value[part.key]
        try:
            expected = plain(part.of(noun))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            problem = ValueError(f"nothing follows from the rest that could be stated here: {error}")
        else:
            if expected == stated and isinstance(expected, bool) is isinstance(stated, bool):
                continue
            problem = ValueError(f"expected {short(expected)}, as follows from the rest, got {short(stated)}")
        problem.add_note(AttributeValidationNote(part.key, part.key, part.form))
        yield problem


def _pointer(key: KeyPath) -> str:
    """Returns the place of a key as a JSON pointer."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in key)

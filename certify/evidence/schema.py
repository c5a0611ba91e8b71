"""The JSON Schema of the evidence, generated from the nouns."""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Mapping
from enum import Enum, IntEnum
from fractions import Fraction
from typing import Annotated, Any, Union, get_args, get_origin

from certify.evidence.document import SCHEMA, Evidence
from certify.model.form import FRACTION, FieldOrigin, Form, InPercent, parts_of
from certify.untrusted_input import JsonObject

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_ARGUMENT = re.compile(r"^        (\w+): (.*(?:\n {12}.*)*)", re.MULTILINE)


def json_schema() -> JsonObject:
    """Returns the JSON Schema of the evidence (draft 2020-12).

    Whatever the reader refuses by form the schema refuses too, but for fractions that are not in lowest terms, which
    no pattern can tell.
    """
    parts: JsonObject = {}
    root = _reference(Evidence, parts)
    return {
        "$schema": DIALECT,
        "$id": f"urn:{SCHEMA.replace('/', ':')}",
        "title": SCHEMA,
        "$comment": "What no comment calls counted or stated follows from submission, seed and what was counted.",
        **root,
        "$defs": dict(sorted(parts.items())),
    }


def _reference(noun: Any, parts: JsonObject) -> JsonObject:
    """Returns the reference to a noun, which is described once."""
    name = f"{noun.__module__.rpartition('.')[2]}.{noun.__name__}"
    if name not in parts:
        parts[name] = {}
        parts[name] = _object(noun, parts)
    return {"$ref": f"#/$defs/{name}"}


def _object(noun: Any, parts: JsonObject) -> JsonObject:
    told = _arguments(noun)
    properties, required = {}, []
    for part in parts_of(noun):
        form = _alternatives(part.form)[0] if part.left_out else part.form
        if not part.left_out:
            required.append(part.key)
        said = part.description or told.get(part.name)
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
    if dataclasses.is_dataclass(form):
        return _reference(form, parts)
    if get_origin(form) is tuple:
        return _list(get_args(form), parts)
    if get_origin(form) is Mapping:
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


def _arguments(noun: Any) -> dict[str, str]:
    """Returns what the docstrings of a noun and of those that it extends say of each field."""
    told: dict[str, str] = {}
    for one in reversed(noun.__mro__):
        text = (one.__doc__ or "").partition("Args:")[2]
        told |= {name: re.sub(r"\s+", " ", said) for name, said in _ARGUMENT.findall(text)}
    return told

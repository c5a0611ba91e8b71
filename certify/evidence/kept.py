"""Forms of evidence that this software no longer writes: their JSON Schemas, kept, and a reader for the part they use.

Packs outlive software. The nouns are those of the present form; of each form since the second one its schema, as it was
generated then, stays in ``forms`` for ever.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

_TOLD: Final = 20

_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "null": lambda value: value is None,
}

_KEYWORDS: Final = frozenset(
    {
        *(
            "$ref",
            "type",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "prefixItems",
            "minItems",
        ),
        *("maxItems", "enum", "pattern", "anyOf", "description", "title", "$schema", "$id", "$defs"),
    }
)
"""What the generated schemas are written with; another keyword would be a rule that nobody holds."""


def has_kept_form(schema: str) -> bool:
    """Tells whether the form of a schema is kept."""
    return bool(_path(schema).is_file())


def kept_form_problems(schema: str, evidence: object) -> list[str]:
    """Returns where evidence departs from the form of an earlier schema, by place, the first of them.

    Args:
        schema: Id of the schema, such as ``certify-evidence/2``.
        evidence: The evidence, as JSON values.
    """
    form = _form(schema)
    found: list[str] = []
    for problem in _problems(evidence, form, form["$defs"], ""):
        found.append(problem)
        if len(found) >= _TOLD:
            break
    return found


def _path(schema: str) -> Any:
    name = f"{schema.replace('/', '-')}.schema.json"
    return resources.files("certify.evidence").joinpath(f"forms/{name}")


@cache
def _form(schema: str) -> dict[str, Any]:
    form: dict[str, Any] = json.loads(_path(schema).read_text("utf-8"))
    for part in (form, *form["$defs"].values()):
        _require_known(part)
    return form


def _require_known(part: Mapping[str, Any]) -> None:
    """Refuses a schema that says more than this reader understands."""
    unknown = set(part) - _KEYWORDS
    if unknown:
        raise ValueError(f"a kept form uses {', '.join(sorted(unknown))}, which nothing here reads")
    nested = [*part.get("properties", {}).values(), *part.get("prefixItems", ()), *part.get("anyOf", ())]
    nested += [part[key] for key in ("items", "additionalProperties") if isinstance(part.get(key), dict)]
    for one in nested:
        _require_known(one)


def _problems(value: Any, part: Mapping[str, Any], named: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yields what is wrong with a value by one part of a form."""
    place = where or "/"
    if "$ref" in part:
        yield from _problems(value, named[part["$ref"].removeprefix("#/$defs/")], named, where)
        return
    if "anyOf" in part:
        if all(any(True for _ in _problems(value, one, named, where)) for one in part["anyOf"]):
            yield f"{place}: none of the forms that may stand here"
        return
    if "type" in part and not _TYPES[part["type"]](value):
        yield f"{place}: expected {part['type']}"
        return
    if "enum" in part and value not in part["enum"]:
        yield f"{place}: expected one of {', '.join(map(str, part['enum']))}"
    # The pattern is the whole text, and digits are those of ASCII, as the nouns of the time read it.
    if "pattern" in part and re.search(part["pattern"], value, re.ASCII) is None:
        yield f"{place}: not of the form {part['pattern']}"
    if isinstance(value, dict):
        yield from _of_object(value, part, named, where)
    elif isinstance(value, list):
        yield from _of_list(value, part, named, where)


def _of_object(
    value: Mapping[str, Any], part: Mapping[str, Any], named: Mapping[str, Any], where: str
) -> Iterator[str]:
    known, further = part.get("properties", {}), part.get("additionalProperties", True)
    yield from (f"{where}/{name}: missing" for name in part.get("required", ()) if name not in value)
    for name, member in value.items():
        if name in known:
            yield from _problems(member, known[name], named, f"{where}/{name}")
        elif further is False:
            yield f"{where}/{name}: unknown"
        elif isinstance(further, dict):
            yield from _problems(member, further, named, f"{where}/{name}")


def _of_list(
    value: list[Any], part: Mapping[str, Any], named: Mapping[str, Any], where: str
) -> Iterator[str]:
    if not part.get("minItems", 0) <= len(value) <= part.get("maxItems", len(value)):
        yield f"{where}: {len(value)} entries"
        return
    forms = part.get("prefixItems") or [part.get("items", {})] * len(value)
    for place, (member, form) in enumerate(zip(value, forms, strict=False)):
        yield from _problems(member, form, named, f"{where}/{place}")

"""Catalogues of requirements: data files, read strictly."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Final

from certify.errors import InputError
from certify.model.clause import Catalogue, Certainty, Clause, Method

CATALOGUES: Final = ("gli-19",)
_KEYS: Final = {"number", "paraphrase", "method", "checks", "certainty", "note"}


@cache
def load_catalogue(name: str) -> Catalogue:
    """Returns a catalogue of clauses.

    Args:
        name: Id of the catalogue, such as ``gli-19``.

    Raises:
        InputError: No such catalogue, or the file breaks its form.
    """
    if name not in CATALOGUES:
        raise InputError(f'no catalogue "{name}": expected one of {", ".join(CATALOGUES)}')
    text = resources.files("certify.clauses").joinpath(f"catalogues/{name}.toml").read_text("utf-8")
    return parse_catalogue(tomllib.loads(text))


def parse_catalogue(document: dict[str, Any]) -> Catalogue:
    """Returns the catalogue of a parsed file; a clause tested here must name its checks, any other none."""
    clauses = tuple(_clause(document, position, entry) for position, entry in enumerate(document["clauses"]))
    numbers = [clause.number for clause in clauses]
    if len(set(numbers)) != len(numbers):
        raise InputError(f"catalogue {document['catalogue']}: a clause is stated twice")
    return Catalogue(document["catalogue"], document["short"], document["edition"], clauses)


def _clause(document: dict[str, Any], position: int, entry: dict[str, Any]) -> Clause:
    """Returns one clause of a catalogue."""
    where = f"catalogue {document['catalogue']}, clause {entry.get('number', position)}"
    unknown = set(entry) - _KEYS
    missing = _KEYS - {"note"} - set(entry)
    if unknown or missing:
        raise InputError(f"{where}: unknown keys {sorted(unknown)}, missing keys {sorted(missing)}")
    try:
        method, certainty = Method(entry["method"]), Certainty(entry["certainty"])
    except ValueError as error:
        raise InputError(f"{where}: {error}") from error
    checks = tuple(entry["checks"])
    if bool(checks) != (method is Method.TEST):
        raise InputError(f"{where}: a clause that is tested names its checks, any other names none")
    edition = document["edition"]
    return Clause(
        id=f"{document['catalogue']}@{edition}/{entry['number']}",
        number=entry["number"],
        paraphrase=entry["paraphrase"],
        method=method,
        checks=checks,
        certainty=certainty,
        note=entry.get("note", ""),
    )

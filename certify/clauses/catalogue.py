"""Catalogues of requirements: data files, read strictly."""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from certify.errors import InputError, Refusing
from certify.model import Applicability, Catalogue, Certainty, Clause, Matter, Method

NOT_KNOWN: Final = "not known"
"""The words for an edition or a date that was found in no public text."""


@dataclass(frozen=True, slots=True)
class ClauseReference:
    """One document that pages, catalogues or checks cite.

    Args:
        short: How it is named in short.
        title: Its title.
        edition: Its edition, or that it is not known.
        published: Its date, or that it is not known.
        cited: Regular expression of the ways in which it is cited.
        catalogue: Id of its catalogue of clauses; empty where it is a method or a format.
    """

    short: str
    title: str
    edition: str
    published: str
    cited: str
    catalogue: str = ""

    def is_cited_in(self, text: str) -> bool:
        """Returns whether a text cites it.

        >>> next(one for one in references() if one.short == "ISO/IEC 17025").is_cited_in("(ISO/IEC 17025:2017, 7.8.6)")
        True
        """
        return re.search(self.cited, text) is not None


@cache
def references() -> tuple[ClauseReference, ...]:
    """Returns every document that a report may cite, catalogues of clauses last."""
    content = resources.files("certify.clauses").joinpath("references.toml").read_text("utf-8")
    return tuple(_reference(entry) for entry in tomllib.loads(content)["references"])


def _reference(entry: dict[str, str]) -> ClauseReference:
    if "catalogue" not in entry:
        return ClauseReference(**entry)
    catalogue = load_catalogue(entry["catalogue"])
    return ClauseReference(short=catalogue.title, title=catalogue.name, edition=catalogue.edition, **entry)


CATALOGUES: Final = (
    "gli-19",
    "ukgc-rts",
    "cfr-547",
    "pa-810a",
    "nj-13-69",
    "agco-cgaming",
    "agco-registrar",
    "sd-48-02-08",
    "wv-29-22b",
    "nm-15-1-7",
    "in-68-iac-25",
    "adm",
    "dgoj",
    "mga",
    "dk-scp",
    "nl-ksa",
    "se-sifs",
    "im-2007",
    "gi-rtos",
    "br-1207",
    "ggc-agcc",
    "fr-anj",
    "nv-gli-11",
    "pt-srij",
)
"""Every catalogue there is, in the order of reports."""

_HEAD: Final = {"catalogue", "title", "short", "edition", "clauses"}
_KEYS: Final = {"number", "paraphrase", "method", "checks", "certainty"}
_OPTIONAL: Final = {"note", "applies", "rests_on"}


def catalogue_bytes(name: str) -> bytes:
    """Returns the file that states the clauses of a catalogue.

    Raises:
        InputError: No such catalogue.
    """
    if name not in CATALOGUES:
        raise InputError(f'no catalogue "{name}": expected one of {", ".join(CATALOGUES)}')
    return resources.files("certify.clauses").joinpath(f"catalogues/{name}.toml").read_bytes()


@cache
def load_catalogue(name: str) -> Catalogue:
    """Returns a catalogue of clauses, those left out whose number or content nobody could confirm.

    Args:
        name: Id of the catalogue, such as ``gli-19``.

    Raises:
        InputError: No such catalogue, or the file breaks its form.
    """
    return read_catalogue(catalogue_bytes(name))


def read_catalogue(content: bytes) -> Catalogue:
    """Returns the catalogue of a file.

    Raises:
        InputError: The file breaks its form.
    """
    with Refusing(
        (UnicodeDecodeError, tomllib.TOMLDecodeError), InputError, "a catalogue of clauses cannot be read"
    ):
        document = tomllib.loads(content.decode("utf-8"))
    return parse_catalogue(document, hashlib.sha256(content).hexdigest())


def parse_catalogue(document: Mapping[str, Any], sha256: str = "") -> Catalogue:
    """Returns the catalogue of a parsed file; a clause tested here must name its checks, any other none.

    Raises:
        InputError: A key is missing or unknown, a clause is stated twice, or says what it cannot say.
    """
    missing = _HEAD - set(document)
    if missing:
        raise InputError(f"catalogue {document.get('catalogue', 'unnamed')}: missing keys {sorted(missing)}")
    stated = [clause_of(document, position, entry) for position, entry in enumerate(document["clauses"])]
    numbers = [clause.number for clause in stated]
    if len(set(numbers)) != len(numbers):
        raise InputError(f"catalogue {document['catalogue']}: a clause is stated twice")
    return Catalogue(
        id=document["catalogue"],
        title=document["short"],
        edition=document["edition"],
        clauses=tuple(clause for clause in stated if clause.certainty is not Certainty.UNVERIFIED),
        name=document["title"],
        sha256=sha256,
    )


def clause_of(document: Mapping[str, Any], position: int, entry: Mapping[str, Any]) -> Clause:
    """Returns one clause of a catalogue.

    Raises:
        InputError: A key is missing or unknown, or the clause says what it cannot say.
    """
    where = f"catalogue {document['catalogue']}, clause {entry.get('number', position)}"
    unknown, missing = set(entry) - _KEYS - _OPTIONAL, _KEYS - set(entry)
    if unknown or missing:
        raise InputError(f"{where}: unknown keys {sorted(unknown)}, missing keys {sorted(missing)}")
    with Refusing(ValueError, InputError, where):
        method, certainty = Method(entry["method"]), Certainty(entry["certainty"])
        applies = Applicability(entry.get("applies", Applicability.EVERY_GAME))
        rests_on = tuple(map(Matter, entry.get("rests_on", ())))
    checks = tuple(entry["checks"])
    if bool(checks) != (method is Method.TEST):
        raise InputError(f"{where}: a clause that is tested names its checks, any other names none")
    if method is Method.NOT_APPLICABLE and not entry.get("note"):
        raise InputError(f"{where}: a clause that does not apply says why, in its note")
    return Clause(
        id=f"{document['catalogue']}@{document['edition']}/{entry['number']}".replace(" ", "-"),
        number=entry["number"],
        paraphrase=entry["paraphrase"],
        method=method,
        checks=checks,
        certainty=certainty,
        applies=applies,
        note=entry.get("note", ""),
        rests_on=rests_on,
    )

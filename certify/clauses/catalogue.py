"""Catalogues of requirements and the jurisdictions that apply them: data files, read strictly."""

import hashlib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, Final

from certify.errors import InputError, Refusing
from certify.model import Applicability, Catalogue, Certainty, Clause, Limit, Matter, Method, Terms, Verdict
from certify.rounds import JURISDICTIONS, MARKET, Policy

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


DEFAULT: Final = "gli"
_REGIME_KEYS: Final = {"title", "catalogues"}
_LIMITS: Final = ("least_return", "rarest_award", "further_confidence")
_REGIME_OPTIONAL: Final = {*_LIMITS, "void_policy", "note"}


UNREAD: Final = "the limit was not read in its primary text: confirm it there"
"""Why a limit that is not kept to decides nothing."""


def kept_to(limit: Limit, holds: bool) -> Verdict:
    """Returns the verdict about a limit: one that nobody read in its primary text fails nothing.

    >>> kept_to(Limit(Fraction(9, 10), "as the press says", Certainty.SECONDARY), False).value
    'inconclusive'
    """
    if holds:
        return Verdict.SATISFIED
    return Verdict.NOT_SATISFIED if limit.read else Verdict.INCONCLUSIVE


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """What one jurisdiction asks.

    Args:
        name: As on the command line.
        title: As reports print it.
        catalogues: Ids of the catalogues that are read for it.
        least_return: Least theoretical return of a wager, where it differs from GLI-19 4.7.1.
        rarest_award: Least probability of a top award, where one rarer may not be offered at all.
        further_confidence: A second level of confidence, in addition to the 99 % of GLI-19 3.2.2.
        void_policy: What a malfunction does to pays already made, a name of :mod:`certify.rounds.policy`.
        note: What a reader must know about it.
        own: Its own catalogue, where it is none that this software holds.
        file: The file that states it then.
    """

    name: str
    title: str
    catalogues: tuple[str, ...]
    least_return: Limit | None = None
    rarest_award: Limit | None = None
    further_confidence: Limit | None = None
    void_policy: str = MARKET
    note: str = ""
    own: Catalogue | None = None
    file: bytes = b""

    @property
    def file_name(self) -> str:
        """How its file is called in a pack."""
        return f"catalogue-{self.name}.toml"

    @property
    def read(self) -> tuple[Catalogue, ...]:
        """Its catalogues."""
        own = self.own
        return tuple(own if own and own.id == name else load_catalogue(name) for name in self.catalogues)


@dataclass(frozen=True, slots=True)
class Regime:
    """The jurisdictions that a report is made for."""

    jurisdictions: tuple[Jurisdiction, ...]

    @property
    def catalogues(self) -> tuple[Catalogue, ...]:
        """Every catalogue that one of them names, each once."""
        return tuple({each.id: each for one in self.jurisdictions for each in one.read}.values())

    @property
    def standards(self) -> dict[str, set[str]]:
        """Titles of the standards that each of them reads, by its name."""
        return {one.name: {each.title for each in one.read} for one in self.jurisdictions}

    def least_returns(self, applies: Collection[Applicability]) -> tuple[Limit, ...]:
        """Returns the floors that jurisdictions set themselves for a game of some kinds."""
        return _set_for(applies, (one.least_return for one in self.jurisdictions))

    def rarest_awards(self, applies: Collection[Applicability]) -> tuple[Limit, ...]:
        """Returns the least probabilities of a top award that jurisdictions set themselves for a game of some kinds."""
        return _set_for(applies, (one.rarest_award for one in self.jurisdictions))

    @property
    def further_confidences(self) -> tuple[Limit, ...]:
        """The further levels of confidence."""
        return tuple(one.further_confidence for one in self.jurisdictions if one.further_confidence)

    def policy(self, terms: Terms) -> Policy:
        """Returns the terms of a submission as parameters under these jurisdictions."""
        return Policy.of(terms, self.jurisdictions[0].void_policy)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the jurisdictions."""
        return tuple(one.name for one in self.jurisdictions)


def _set_for(applies: Collection[Applicability], limits: Iterable[Limit | None]) -> tuple[Limit, ...]:
    return tuple(limit for limit in limits if limit is not None and limit.applies in applies)


def regime_of(names: Sequence[str] = (), own: Sequence[Jurisdiction] = ()) -> Regime:
    """Returns the regime of several jurisdictions; that of GLI-19 alone where none is named.

    Args:
        names: Names of jurisdictions that this software holds.
        own: Jurisdictions of files.

    Raises:
        InputError: A jurisdiction is unknown, or two of them treat a malfunction differently, so that no
            single round could follow both.
    """
    known = {**jurisdictions(), **{one.name: one for one in own}}
    # Clauses are listed, and statements made, by what the catalogues are called in short.
    if min(len({one.name for one in own}), len({one.own and one.own.title for one in own})) < len(own):
        raise InputError(
            f"two of {', '.join(one.name for one in own)} are called the same, or so in short: expected each once"
        )
    chosen = tuple(dict.fromkeys((*names, *(one.name for one in own)))) or (DEFAULT,)
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise InputError(f'no jurisdiction "{unknown[0]}": expected one of {", ".join(known)}')
    selected = tuple(known[name] for name in chosen)
    if len({one.void_policy for one in selected}) > 1:
        raise InputError(
            f"{' and '.join(one.title for one in selected)} treat pays after a malfunction differently: "
            "expected one report for each"
        )
    return Regime(selected)


@cache
def jurisdictions() -> Mapping[str, Jurisdiction]:
    """Returns every jurisdiction by name.

    >>> list(jurisdictions())[0]
    'gli'
    """
    text = resources.files("certify.clauses").joinpath("jurisdictions.toml").read_text("utf-8")
    return {name: jurisdiction_of(name, entry) for name, entry in tomllib.loads(text).items()}


def jurisdiction_of(name: str, entry: Mapping[str, Any]) -> Jurisdiction:
    """Returns one jurisdiction of a file.

    Raises:
        InputError: A key is missing or unknown, or nothing is known of what a malfunction does there.
    """
    unknown, missing = set(entry) - _REGIME_KEYS - _REGIME_OPTIONAL, _REGIME_KEYS - set(entry)
    if unknown or missing:
        raise InputError(
            f"jurisdiction {name}: unknown keys {sorted(unknown)}, missing keys {sorted(missing)}"
        )
    if entry.get("void_policy", MARKET) not in JURISDICTIONS:
        raise InputError(f"jurisdiction {name}: void_policy is one of {', '.join(JURISDICTIONS)}")
    limits = {key: _limit(f"{name}.{key}", entry[key]) if key in entry else None for key in _LIMITS}
    return Jurisdiction(
        name=name,
        title=entry["title"],
        catalogues=tuple(entry["catalogues"]),
        void_policy=entry.get("void_policy", MARKET),
        note=entry.get("note", ""),
        least_return=limits["least_return"],
        rarest_award=limits["rarest_award"],
        further_confidence=limits["further_confidence"],
    )


def _limit(where: str, entry: Mapping[str, str]) -> Limit:
    """Returns a limit; an unverified number is none, nor one that every game or none keeps to."""
    if set(entry) - {"applies"} != {"value", "source", "certainty"}:
        raise InputError(
            f"jurisdiction {where}: expected value, source, certainty, and for which games if not for all"
        )
    limit = Limit(
        Fraction(entry["value"]),
        entry["source"],
        Certainty(entry["certainty"]),
        Applicability(entry.get("applies", Applicability.EVERY_GAME)),
    )
    if limit.certainty is Certainty.UNVERIFIED or not 0 < limit.value < 1:
        raise InputError(
            f"jurisdiction {where}: a number that is unverified, or not between 0 and 1, cannot be a limit"
        )
    return limit

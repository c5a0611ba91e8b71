"""Catalogues of requirements and the jurisdictions that apply them: data files, read strictly."""

import hashlib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from certify.errors import InputError, KeyPath, Problems, require_known
from certify.model import (
    Applicability,
    Catalogue,
    Certainty,
    Clause,
    Limit,
    Method,
    StatedClause,
    Terms,
    Verdict,
    keywords,
)
from certify.rounds import JURISDICTIONS, MARKET, Policy
from certify.submission import located_form

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


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """What the file of a catalogue states."""

    catalogue: str
    title: str
    short: str
    edition: str
    clauses: tuple[StatedClause, ...]


def catalogue_bytes(name: str) -> bytes:
    """Returns the file that states the clauses of a catalogue.

    Raises:
        InputError: No such catalogue.
    """
    require_known(f'no catalogue "{name}"', name, CATALOGUES)
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


def read_catalogue(content: bytes, path: str = "catalogue") -> Catalogue:
    """Returns the catalogue of a file.

    Raises:
        SubmissionError: The file breaks its form; it names the line.
    """
    return catalogue_of(*located_form(content, path, CatalogueFile), content)


def catalogue_of(file: CatalogueFile, problems: Problems, content: bytes) -> Catalogue:
    """Returns the catalogue that a file states; a clause tested here must name its checks, any other none.

    Raises:
        SubmissionError: A clause is stated twice, or says what it cannot say, or the file had mistakes already.
    """
    for place, clause in enumerate(file.clauses):
        problems.refuse_where(
            bool(clause.checks) != (clause.method is Method.TEST),
            ("clauses", place),
            "a clause that is tested names its checks, any other names none",
        )
        problems.refuse_where(
            clause.method is Method.NOT_APPLICABLE and not clause.note,
            ("clauses", place),
            "a clause that does not apply says why, in its note",
        )
        problems.refuse_where(
            clause.number in [one.number for one in file.clauses[:place]],
            ("clauses", place, "number"),
            f"clause {clause.number} is stated twice",
        )
    problems.raise_found()
    return Catalogue(
        id=file.catalogue,
        title=file.short,
        edition=file.edition,
        clauses=tuple(
            Clause(
                id=f"{file.catalogue}@{file.edition}/{clause.number}".replace(" ", "-"), **keywords(clause)
            )
            for clause in file.clauses
            if clause.certainty is not Certainty.UNVERIFIED
        ),
        name=file.title,
        sha256=hashlib.sha256(content).hexdigest(),
    )


DEFAULT: Final = "gli"

UNREAD: Final = "the limit was not read in its primary text: confirm it there"
"""Why a limit that is not kept to decides nothing."""


def kept_to(limit: Limit, holds: bool) -> Verdict:
    """Returns the verdict about a limit: one that nobody read in its primary text fails nothing.

    >>> from fractions import Fraction
    >>> kept_to(Limit(Fraction(9, 10), "as the press says", Certainty.SECONDARY), False).value
    'inconclusive'
    """
    if holds:
        return Verdict.SATISFIED
    return Verdict.NOT_SATISFIED if limit.read else Verdict.INCONCLUSIVE


@dataclass(frozen=True, slots=True)
class StatedPlace:
    """What one jurisdiction asks, as a file of one's own states it.

    Args:
        title: As reports print it.
        least_return: Least theoretical return of a wager, where it differs from GLI-19 4.7.1.
        rarest_award: Least probability of a top award, where one rarer may not be offered at all.
        further_confidence: A second level of confidence, in addition to the 99 % of GLI-19 3.2.2.
        void_policy: What a malfunction does to pays already made, a name of :mod:`certify.rounds.policy`.
        note: What a reader must know about it.
    """

    title: str
    least_return: Limit | None = None
    rarest_award: Limit | None = None
    further_confidence: Limit | None = None
    void_policy: str = MARKET
    note: str = ""

    @property
    def limits(self) -> dict[str, Limit]:
        """The limits that it sets itself, by name."""
        return {name: limit for name, limit in keywords(self).items() if isinstance(limit, Limit)}

    def require(self, problems: Problems, key: KeyPath) -> None:
        """Records what nothing is known of, and a number that cannot be a limit: unverified, or kept to by all or none.

        Args:
            problems: The mistakes of the file.
            key: Where it is stated there.
        """
        problems.refuse_where(
            self.void_policy not in JURISDICTIONS,
            (*key, "void_policy"),
            f"void_policy is one of {', '.join(JURISDICTIONS)}",
        )
        for name, limit in self.limits.items():
            problems.refuse_where(
                limit.certainty is Certainty.UNVERIFIED or not 0 < limit.value < 1,
                (*key, name),
                "a number that is unverified, or not between 0 and 1, cannot be a limit",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPlace(StatedPlace):
    """What one jurisdiction asks, with the catalogues that are read for it.

    Args:
        catalogues: Their ids.
    """

    catalogues: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Jurisdiction(ReadPlace):
    """What one jurisdiction asks.

    Args:
        name: As on the command line.
        own: Its own catalogue, where it is none that this software holds.
        file: The file that states it then.
    """

    name: str
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
    content = resources.files("certify.clauses").joinpath("jurisdictions.toml").read_bytes()
    file, problems = located_form(content, "jurisdictions.toml", dict[str, ReadPlace])
    for name, place in file.items():
        place.require(problems, (name,))
    problems.raise_found()
    return {name: Jurisdiction(name=name, **keywords(place)) for name, place in file.items()}

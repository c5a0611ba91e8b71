"""Jurisdictions as data: which catalogues are read, and which limits differ from those of GLI-19."""

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, Final

from certify.clauses.catalogue import load_catalogue
from certify.errors import InputError
from certify.model import Applicability, Catalogue, Certainty, Limit, Terms, Verdict
from certify.rounds import JURISDICTIONS, MARKET, Policy

DEFAULT: Final = "gli"
_KEYS: Final = {"title", "catalogues"}
_LIMITS: Final = ("least_return", "rarest_award", "further_confidence")
_OPTIONAL: Final = {*_LIMITS, "void_policy", "note"}


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
    unknown, missing = set(entry) - _KEYS - _OPTIONAL, _KEYS - set(entry)
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

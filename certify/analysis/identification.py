"""What an identification found: candidates tried, those that fit, and what may be concluded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.errors import InputError
from certify.exact import PrintedPercent, format_odds, fraction_text, percent_text
from certify.model.game import Claim, Game

RETURN_METRIC = "return-to-player"

Reading = tuple[tuple[str, str], ...]
"""How open rules are read, as (rule id, value) pairs."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One complete answer: how open rules are read, what the rows pay, and the exact return that follows."""

    reading: Reading
    strategy: str
    pays: tuple[tuple[str, Fraction], ...]
    exact: Fraction
    fits: bool


@dataclass(frozen=True, slots=True)
class ReadingSearch:
    """What was found under one reading and one strategy.

    Args:
        reading: How open rules are read.
        strategy: Strategy that the printed figure is taken to mean.
        weights: Exact probability of each row, which is its weight in the return.
        candidates_tried: Paytables within the bounds and in order.
        fits_count: How many of them return the printed figure.
        fits: Some of them, those of customary pays first.
        returns: The exact returns that fitting paytables have, lowest first, where they are few.
        customary_tried: Paytables made of customary pays only.
        customary_count: How many of those fit.
        customary: The first of those.
        nearest_miss: Where none fits, the candidate nearest to the figure.
    """

    reading: Reading
    strategy: str
    weights: tuple[tuple[str, Fraction], ...]
    candidates_tried: int
    fits_count: int
    fits: tuple[Candidate, ...]
    returns: tuple[Fraction, ...] = ()
    customary_tried: int = 0
    customary_count: int = 0
    customary: tuple[Candidate, ...] = ()
    nearest_miss: Candidate | None = None


@dataclass(frozen=True, slots=True)
class Identification:
    """Which readings and pays reproduce a printed return, and which cannot.

    Args:
        game: Id of the game.
        wager: Id of the wager.
        claim: The printed figure, with the interval that it stands for.
        bounds: Bounds of the search in plain words, by name.
        searches: What was found, reading by reading.
        conclusion: What follows, in plain words.
        candidates: All candidates where they are few enough to be listed whole.
    """

    game: str
    wager: str
    claim: Claim
    bounds: tuple[tuple[str, str], ...]
    searches: tuple[ReadingSearch, ...]
    conclusion: str
    candidates: tuple[Candidate, ...] = ()

    @property
    def candidates_tried(self) -> int:
        """Number of candidates tried over all readings."""
        return sum(search.candidates_tried for search in self.searches)

    @property
    def fits_count(self) -> int:
        """Number of candidates that fit over all readings."""
        return sum(search.fits_count for search in self.searches)

    @property
    def fits(self) -> tuple[Candidate, ...]:
        """The listed candidates that fit, over all readings."""
        return tuple(candidate for search in self.searches for candidate in search.fits)


def printed_return(game: Game, wager: str) -> Claim:
    """Returns the printed return of a wager.

    Raises:
        InputError: The source prints none, or several that contradict each other.
    """
    game_wagers = [entry.id for entry in game.wagers]
    if wager not in game_wagers:
        raise InputError(f"no wager {wager!r} in {game.id}: expected {', '.join(game_wagers)}")
    claims = [claim for claim in game.claims_on(wager) if claim.metric == RETURN_METRIC]
    if not claims:
        raise InputError(f"{game.id} prints no return for {wager}: nothing to identify it by")
    low, high = common_interval([claim.printed for claim in claims])
    if low >= high:
        texts = " and ".join(claim.text for claim in claims)
        raise InputError(f"the printed returns {texts} of {wager} cannot stand for one value")
    # The narrowest figure stands for all where one interval lies within the others.
    for claim in claims:
        if claim.printed.interval == (low, high):
            return claim
    raise InputError(f"the printed returns of {wager} overlap without one being the more precise")


def common_interval(printed: list[PrintedPercent]) -> tuple[Fraction, Fraction]:
    """Returns the interval of exact values that print as all of these figures."""
    lows, highs = zip(*(figure.interval for figure in printed), strict=True)
    return max(lows), min(highs)


def identification_json(found: Identification) -> dict[str, Any]:
    """Returns an identification as a JSON object."""
    low, high = found.claim.printed.interval
    result: dict[str, Any] = {
        "wager": found.wager,
        "printed": found.claim.text,
        "interval": [fraction_text(low), fraction_text(high)],
        "bounds": dict(found.bounds),
        "candidates_tried": found.candidates_tried,
        "fits": [candidate_json(candidate) for candidate in found.fits],
        "fits_count": found.fits_count,
        "readings": [_search_json(search) for search in found.searches],
        "conclusion": found.conclusion,
    }
    if found.candidates:
        result["candidates"] = [candidate_json(candidate) for candidate in found.candidates]
    return result


def candidate_json(candidate: Candidate) -> dict[str, Any]:
    """Returns one candidate as a JSON object."""
    return {
        "reading": dict(candidate.reading),
        "strategy": candidate.strategy,
        "pays": {row: format_odds(pays) for row, pays in candidate.pays},
        "return": fraction_text(candidate.exact),
        "return_percent": percent_text(candidate.exact),
        "fits": candidate.fits,
    }


def _search_json(search: ReadingSearch) -> dict[str, Any]:
    miss = search.nearest_miss
    return {
        "reading": dict(search.reading),
        "strategy": search.strategy,
        "weights": {row: fraction_text(weight) for row, weight in search.weights},
        "candidates_tried": search.candidates_tried,
        "fits_count": search.fits_count,
        "fits": [candidate_json(candidate) for candidate in search.fits],
        "returns": [fraction_text(exact) for exact in search.returns],
        "customary_tried": search.customary_tried,
        "customary_count": search.customary_count,
        "customary": [candidate_json(candidate) for candidate in search.customary],
        "nearest_miss": candidate_json(miss) if miss else None,
    }

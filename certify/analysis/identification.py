"""What an identification found: candidates tried, those that fit, and what may be concluded."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.errors import InputError, NothingCheckedError
from certify.evidence.judged import Candidate, ReadingSearch, Recovery
from certify.model.claims import HOUSE_EDGE, RETURN
from certify.model.game import Claim, Game

RETURNS: Final = (RETURN, HOUSE_EDGE)
"""What states the return of a wager: itself, or the house edge, which is what it lacks of the stake."""

Reading = tuple[tuple[str, str], ...]
"""How open rules are read, as (rule id, value) pairs."""


@dataclass(frozen=True, slots=True)
class PrintedReturn:
    """What a source prints about the return of one wager, all its figures together.

    Args:
        wager: Id of the wager.
        text: The figures as printed.
        low: Lowest return that prints as all of them.
        high: First return above it that does not.
        low_fits: Whether the lowest return itself prints so; all above it do.
        high_fits: Whether the highest one does, as where a house edge is printed: its lowest is the highest return.
    """

    wager: str
    text: str
    low: Fraction
    high: Fraction
    low_fits: bool = True
    high_fits: bool = False

    @property
    def value(self) -> Fraction:
        """The middle of the interval, from which distances are measured."""
        return (self.low + self.high) / 2

    def stands_for(self, exact: Fraction) -> bool:
        """Tells whether an exact return prints as all the figures."""
        above = exact > self.low or (self.low_fits and exact == self.low)
        return above and (exact < self.high or (self.high_fits and exact == self.high))

    def recovery(
        self,
        bounds: Iterable[tuple[str, str]],
        readings: Sequence[ReadingSearch],
        conclusion: str,
        candidates: tuple[Candidate, ...] | None = None,
    ) -> Recovery:
        """Returns what searches found for the figures.

        Args:
            bounds: Bounds of the search in plain words, by name.
            readings: What was found, reading by reading.
            conclusion: What follows, in plain words.
            candidates: All candidates where they are few enough to be listed whole.
        """
        interval = (self.low, self.high)
        return Recovery(
            self.wager, self.text, interval, dict(bounds), tuple(readings), conclusion, candidates
        )

    def distance(self, exact: Fraction) -> Fraction:
        """Returns how far an exact return lies from those that print so."""
        return max(self.low - exact, exact - self.high, Fraction(0))

    def among(self, pays: Sequence[int], exact: Callable[[int], Fraction]) -> slice:
        """Returns the places of the pays that fit, which are neighbours: a return does not fall as a pay rises.

        Args:
            pays: Pays of one row, lowest first.
            exact: The return at each of them.
        """
        first = bisect_left if self.low_fits else bisect_right
        beyond = bisect_right if self.high_fits else bisect_left
        return slice(first(pays, self.low, key=exact), beyond(pays, self.high, key=exact))


def printed_return(game: Game, wager: str) -> PrintedReturn:
    """Returns the printed return of a wager: what all its figures have in common where there are several.

    Raises:
        InputError: The game has no such wager, or its figures contradict each other.
        NothingCheckedError: The source prints none.
    """
    game_wagers = [entry.id for entry in game.wagers]
    if wager not in game_wagers:
        raise InputError(f"no wager {wager!r} in {game.id}: expected {', '.join(game_wagers)}")
    figures = [_as_return(claim) for claim in game.claims_on(wager) if claim.metric in RETURNS]
    if not figures:
        raise NothingCheckedError(nothing_printed(game, [wager]))
    # Where two ends are equal, the one that does not print so decides.
    low, low_fits = max(((one.low, one.low_fits) for one in figures), key=lambda end: (end[0], not end[1]))
    high, high_fits = min(((one.high, one.high_fits) for one in figures), key=lambda end: end)
    if low > high or (low == high and not (low_fits and high_fits)):
        texts = " and ".join(one.text for one in figures)
        raise InputError(f"the printed returns {texts} of {wager} cannot stand for one value")
    ends = (low, high, low_fits, high_fits)
    # One figure says it all where its interval lies within the others.
    narrowest = [one.text for one in figures if (one.low, one.high, one.low_fits, one.high_fits) == ends]
    return PrintedReturn(wager, narrowest[0] if narrowest else _together(game, wager), *ends)


def _as_return(claim: Claim) -> PrintedReturn:
    """Returns a printed return, or the return that a printed house edge leaves."""
    low, high = claim.printed.interval
    if claim.metric == HOUSE_EDGE:
        return PrintedReturn(claim.wager, _words(claim), 1 - high, 1 - low, low_fits=False, high_fits=True)
    return PrintedReturn(claim.wager, claim.text, low, high)


def _words(claim: Claim) -> str:
    return f"a house edge of {claim.text}" if claim.metric == HOUSE_EDGE else claim.text


def _together(game: Game, wager: str) -> str:
    return " and ".join(
        f"{_words(claim)}{' (cut off)' if claim.printed.truncated else ''}"
        for claim in game.claims_on(wager)
        if claim.metric in RETURNS
    )


def printed_wagers(game: Game) -> tuple[str, ...]:
    """Returns the wagers of which a return or a house edge is printed, in the order of the claims."""
    return tuple(dict.fromkeys(claim.wager for claim in game.claims if claim.metric in RETURNS))


def nothing_printed(game: Game, wagers: list[str]) -> str:
    """Returns what to say of wagers whose return the submission does not print."""
    return (
        f"{game.id} prints no return for {', '.join(wagers)}: there is nothing to identify pays or readings by. "
        f'Expected [[claims]] with wager, metric = "{RETURN}" or "{HOUSE_EDGE}" and the printed value'
    )

"""What a change does to the figures of a game: exact differences of every wager, and of the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from certify.families.certified import Configuration
from certify.gate.facts import Subject
from certify.gate.figures import GameFigures, Verdicts
from certify.model.figures import WagerFigures
from certify.model.game import Game
from certify.model.printed import PrintedVerdict
from certify.rounds.money import AtStake, Rounding, extreme_returns

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WagerChange:
    """The figures of one wager before and after, each under the named strategy that is best for it.

    Args:
        wager: Id of the wager.
        strategy: Strategy that is best after, or before where the wager is gone.
        before: Figures before; none where the wager is new.
        after: Figures after; none where it is gone.
        figures: Figures before and after by strategy.
    """

    wager: str
    strategy: str
    before: WagerFigures | None
    after: WagerFigures | None
    figures: Mapping[str, tuple[WagerFigures | None, WagerFigures | None]]

    def both(self, read: Callable[[WagerFigures], T]) -> tuple[T | None, T | None]:
        """Returns one figure before and after, none where there is no such state."""
        return _read(self.before, read), _read(self.after, read)

    @property
    def by_strategy(self) -> Mapping[str, tuple[Fraction | None, Fraction | None]]:
        """Returns before and after by strategy."""
        return {
            name: (_read(old, returned), _read(new, returned)) for name, (old, new) in self.figures.items()
        }

    @property
    def delta(self) -> Fraction | None:
        """Change of the return as a fraction of one; none where there is nothing to compare."""
        return difference(*self.both(returned))

    @property
    def near(self) -> bool:
        """Whether what follows from more of the distribution than the return lies between bounds, in either state."""
        return any(figures is not None and figures.near for figures in (self.before, self.after))

    @property
    def on_total_off(self) -> Fraction:
        """How far the change of the return on everything wagered may be off at most."""
        return sum((one.on_total_off for one in (self.before, self.after) if one is not None), Fraction(0))

    @property
    def adds_to_stake(self) -> bool:
        """Whether the player may add to the initial stake in either state."""
        return any(
            figures is not None and figures.total_wagered is not None for figures in (self.before, self.after)
        )

    @property
    def delta_on_total(self) -> Fraction | None:
        """Change of the return on everything wagered; none where there is nothing to compare."""
        return difference(*self.both(on_total))

    @property
    def moves(self) -> tuple[Fraction, ...]:
        """How far the return moved by either measure: per unit of initial stake, and of everything wagered.

        A change that the one hardly shows can be large in the other, so that thresholds hold for both.
        """
        return tuple(move for move in (self.delta, self.delta_on_total) if move is not None)


def _read(figures: WagerFigures | None, read: Callable[[WagerFigures], T]) -> T | None:
    return None if figures is None else read(figures)


def returned(figures: WagerFigures) -> Fraction:
    """Returns the return per unit of the initial stake."""
    return figures.return_to_player


def difference(old: Fraction | None, new: Fraction | None) -> Fraction | None:
    """Returns how far a figure moved, none where it is in one state only."""
    return None if old is None or new is None else new - old


Extremes = tuple[AtStake, AtStake]
"""The least and the greatest return of a wager at any stake that its limits allow, rounding included."""


def extremes_of(
    delta: WagerChange, before: Game | None, after: Game, rule: Rounding
) -> tuple[Extremes | None, Extremes]:
    """Returns the least and the greatest return of a wager at any stake, before and after.

    Args:
        delta: The wager, which is there after.
        before: The game before.
        after: The game after.
        rule: How payouts are rounded.
    """
    if delta.after is None:
        raise ValueError(f"{delta.wager} is not there after")
    now = extreme_returns(delta.after, after.wager(delta.wager).limits, rule)
    if before is None or delta.before is None:
        return None, now
    return extreme_returns(delta.before, before.wager(delta.wager).limits, rule), now


def on_total(figures: WagerFigures) -> Fraction:
    """Returns the return per unit of everything wagered; that of the stake where nothing can be added to it."""
    staked = figures.return_on_total_wagered
    return figures.return_to_player if staked is None else staked


def edge(figures: WagerFigures) -> str:
    """Returns who has the edge on a wager: the player, the bank or nobody."""
    net = figures.expectation
    return "the player" if net > 0 else "the bank" if net < 0 else "nobody"


@dataclass(frozen=True, slots=True)
class Flip:
    """One hand on which optimal play of the first wager changed."""

    hand: str
    before: str
    after: str
    probability: Fraction


@dataclass(frozen=True, slots=True)
class FigureChanges:
    """Everything that a change does to the figures of one game.

    Args:
        wagers: By wager, those after first.
        flips: Hands on which optimal play changed, most frequent first.
        exposure: Highest joint win before and after in minor units; none where there is no such state.
        currency: Currencies of the exposure before and after.
        cells: Number of hands that optimal play comes to after only, and before only.
        printed: Verdicts on printed figures before and after, by what they are about; those after first.
        offered: Configurations before and after that are more than a wager as submitted; those after first.
        metered: Whether meters are part of every round after.
        endless: Whether there is no end of what a round may win, before and after: exposure is then of an example.
    """

    wagers: tuple[WagerChange, ...]
    flips: tuple[Flip, ...]
    exposure: tuple[int | None, int | None]
    currency: tuple[str, str]
    cells: tuple[int, int]
    printed: Mapping[Subject, tuple[PrintedVerdict | None, PrintedVerdict | None]]
    offered: tuple[tuple[Configuration | None, Configuration | None], ...]
    metered: bool
    endless: tuple[bool, bool]


def compare_figures(before: GameFigures | None, after: GameFigures | None) -> FigureChanges:
    """Returns the exact differences between two states of a game, either of which may not exist."""
    return FigureChanges(
        wagers=tuple(_wager(wager, before, after) for wager in _wagers(before, after)),
        flips=_flips(before, after),
        exposure=(before.exposure if before else None, after.exposure if after else None),
        currency=(before.currency if before else "", after.currency if after else ""),
        cells=_cells(before, after),
        printed=_printed(before, after),
        offered=_offered(before, after),
        metered=after is not None and after.metered,
        endless=(before is not None and before.endless, after is not None and after.endless),
    )


def _offered(
    before: GameFigures | None, after: GameFigures | None
) -> tuple[tuple[Configuration | None, Configuration | None], ...]:
    old, new = (
        {(one.id, one.kind): one for one in figures.offered} if figures else {} for figures in (before, after)
    )
    return tuple((old.get(name), new.get(name)) for name in {**new, **old})


def _printed(
    before: GameFigures | None, after: GameFigures | None
) -> Mapping[Subject, tuple[PrintedVerdict | None, PrintedVerdict | None]]:
    old: Verdicts = before.printed if before else {}
    new: Verdicts = after.printed if after else {}
    return {about: (old.get(about), new.get(about)) for about in {**new, **old}}


def _cells(before: GameFigures | None, after: GameFigures | None) -> tuple[int, int]:
    """Returns how many hands come up after only, and before only; of one state, or two families, none."""
    if before is None or after is None or before.family != after.family:
        return 0, 0
    old, new = set(before.decisions), set(after.decisions)
    return len(new - old), len(old - new)


def _wagers(before: GameFigures | None, after: GameFigures | None) -> list[str]:
    """Returns the wagers of both states, those after first."""
    found: dict[str, None] = {}
    for figures in (after, before):
        if figures is not None:
            found |= dict.fromkeys(next(iter(figures.wagers.values())))
    return list(found)


def _has(figures: GameFigures | None, wager: str) -> bool:
    return figures is not None and wager in next(iter(figures.wagers.values()))


def _wager(wager: str, before: GameFigures | None, after: GameFigures | None) -> WagerChange:
    old = before if _has(before, wager) else None
    new = after if _has(after, wager) else None
    latest = new or old
    if latest is None:
        raise ValueError(f"{wager} is in neither state")
    return WagerChange(
        wager,
        latest.best_strategy(wager),
        old.best(wager) if old else None,
        new.best(wager) if new else None,
        {
            name: (
                old.wagers[name][wager] if old and name in old.wagers else None,
                new.wagers[name][wager] if new and name in new.wagers else None,
            )
            for name in latest.wagers
        },
    )


def _flips(before: GameFigures | None, after: GameFigures | None) -> tuple[Flip, ...]:
    if before is None or after is None or before.family != after.family:
        return ()
    found = [
        Flip(hand, before.decisions[hand].best, decision.best, decision.probability)
        for hand, decision in after.decisions.items()
        if hand in before.decisions and before.decisions[hand].best != decision.best
    ]
    return tuple(sorted(found, key=lambda flip: (-flip.probability, flip.hand)))


@dataclass(frozen=True, slots=True)
class AwardChange:
    """A row of a paytable as it is won: its id, what it pays to one, and how often it comes."""

    id: str
    pays: Fraction
    probability: Fraction


def top_award(figures: WagerFigures) -> AwardChange:
    """Returns the row that pays most for what is staked on it.

    Results with a final bet are in antes, that bet included: what they pay is counted for each unit staked,
    and a row is won as often as with all its final bets together.
    """
    if figures.top is not None:
        return AwardChange(figures.top.rows[0], figures.top.amount - 1, figures.top.times)
    rows: dict[str, AwardChange] = {}
    for outcome in figures.outcomes:
        row, placed = outcome.row, outcome.staked
        won = rows.get(row)
        rows[row] = AwardChange(
            row,
            max(outcome.pays / placed, won.pays if won else outcome.pays / placed),
            outcome.probability + (won.probability if won else 0),
        )
    return max(rows.values(), key=lambda award: (award.pays, award.probability))

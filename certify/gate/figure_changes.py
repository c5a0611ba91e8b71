"""What a change does to the figures of a game: exact differences of every wager, and of the whole."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeVar

from certify.evidence import Moved
from certify.families import Configuration
from certify.gate.change import Pair, StateFigure, moved, paired
from certify.gate.facts import Subject
from certify.gate.figures import GameFigures
from certify.model import PrintedVerdict, WagerFigures, centred

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
    figures: Mapping[str, Pair[WagerFigures]]

    def both(self, read: Callable[[WagerFigures], T]) -> Pair[T]:
        """Returns what is read of the figures before and after, none where there is no such state."""
        return _ends((self.before, self.after), read)

    def moved(self, name: str) -> Moved:
        """Returns how far a figure of the wager moved, by its name in :data:`FIGURES`."""
        return moved((self.wager, name), *self.both(FIGURES[name]))

    @property
    def by_strategy(self) -> Mapping[str, Moved]:
        """Returns how far the return moved under each strategy."""
        return {
            name: moved((self.wager, name), *_ends(ends, FIGURES["return"]))
            for name, ends in self.figures.items()
        }

    @property
    def delta(self) -> Fraction | None:
        """Change of the return as a fraction of one; none where there is nothing to compare."""
        return self.moved("return").difference

    @property
    def adds_to_stake(self) -> bool:
        """Whether the player may add to the initial stake in either state."""
        return any(
            figures is not None and figures.total_wagered is not None for figures in (self.before, self.after)
        )

    @property
    def moves(self) -> tuple[Fraction, ...]:
        """How far the return moved by either measure: per unit of initial stake, and of everything wagered.

        A change that the one hardly shows can be large in the other, so that thresholds hold for both.
        """
        both = (self.moved(name).difference for name in ("return", "return_on_total_wagered"))
        return tuple(move for move in both if move is not None)


def _ends(ends: Pair[WagerFigures], read: Callable[[WagerFigures], T]) -> Pair[T]:
    old, new = ends
    return None if old is None else read(old), None if new is None else read(new)


FIGURES: Final[Mapping[str, Callable[[WagerFigures], StateFigure]]] = {
    "return": lambda one: StateFigure(one.return_to_player),
    "return_on_total_wagered": lambda one: StateFigure(on_total(one), one.near, one.on_total_off),
    "total_wagered": lambda one: StateFigure(
        one.total_wagered or Fraction(1), one.near, one.total_wagered_off
    ),
    "house_edge": lambda one: StateFigure(one.house_edge),
    "hit_frequency": lambda one: StateFigure(
        centred(one.hit_frequency)[0], one.near, one.off + centred(one.hit_frequency)[1]
    ),
    "variance": lambda one: StateFigure(one.variance, one.near, one.variance_off),
}
"""Every figure of a wager that is compared, with how far it may be off."""


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
        endless: Whether there is no end of what a round may win, before and after: exposure is then of
            rounds as long as are played here.
    """

    wagers: tuple[WagerChange, ...]
    flips: tuple[Flip, ...]
    exposure: Pair[int]
    currency: tuple[str, str]
    cells: tuple[int, int]
    printed: Mapping[Subject, Pair[PrintedVerdict]]
    offered: tuple[Pair[Configuration], ...]
    metered: bool
    endless: tuple[bool, bool]


def compare_figures(before: GameFigures | None, after: GameFigures | None) -> FigureChanges:
    """Returns the exact differences between two states of a game, either of which may not exist."""
    decisions = (
        {}
        if before is None or after is None or before.family != after.family
        else paired(before.decisions, after.decisions)
    )
    flips = [
        Flip(hand, old.best, new.best, new.probability)
        for hand, (old, new) in decisions.items()
        if old is not None and new is not None and old.best != new.best
    ]
    offered = [
        {(one.id, one.kind): one for one in state.offered} if state else {} for state in (before, after)
    ]
    return FigureChanges(
        wagers=tuple(_wagers(before, after)),
        flips=tuple(sorted(flips, key=lambda flip: (-flip.probability, flip.hand))),
        exposure=(before.exposure if before else None, after.exposure if after else None),
        currency=(before.currency if before else "", after.currency if after else ""),
        cells=(
            sum(old is None for old, _ in decisions.values()),
            sum(new is None for _, new in decisions.values()),
        ),
        printed=paired(before.printed if before else {}, after.printed if after else {}),
        offered=tuple(paired(*offered).values()),
        metered=after is not None and after.metered,
        endless=(before is not None and before.endless, after is not None and after.endless),
    )


def _wagers(before: GameFigures | None, after: GameFigures | None) -> Iterator[WagerChange]:
    """Yields the wagers of both states, those after first."""
    states = [state.by_wager if state else {} for state in (before, after)]
    for wager, (old, new) in paired(*states).items():
        *_, latest = (state for state in (before, after) if state is not None and wager in state.by_wager)
        yield WagerChange(
            wager,
            latest.best_strategy(wager),
            before.best(wager) if before and old else None,
            after.best(wager) if after and new else None,
            {name: ((old or {}).get(name), (new or {}).get(name)) for name in latest.wagers},
        )


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
        top = figures.top
        # What is rare by the highest chance that it may have is rare.
        return AwardChange(top.rows[0], top.amount - 1, top.chances[1])
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

"""What a change does to the figures of a game: exact differences of every wager, and of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.gate.figures import StateFigures
from certify.model.figures import Outcome, WagerFigures


@dataclass(frozen=True, slots=True)
class WagerDelta:
    """The figures of one wager before and after, each under the named strategy that is best for it.

    Args:
        wager: Id of the wager.
        strategy: Strategy that is best after, or before where the wager is gone.
        before: Figures before; none where the wager is new.
        after: Figures after; none where it is gone.
        by_strategy: Returns before and after by strategy.
    """

    wager: str
    strategy: str
    before: WagerFigures | None
    after: WagerFigures | None
    by_strategy: Mapping[str, tuple[Fraction | None, Fraction | None]]

    @property
    def delta(self) -> Fraction | None:
        """Change of the return as a fraction of one; none where there is nothing to compare."""
        if self.before is None or self.after is None:
            return None
        return self.after.return_to_player - self.before.return_to_player


@dataclass(frozen=True, slots=True)
class Flip:
    """One hand on which optimal play of the main wager changed."""

    hand: str
    before: str
    after: str
    probability: Fraction


@dataclass(frozen=True, slots=True)
class Deltas:
    """Everything that a change does to the figures of one game.

    Args:
        wagers: By wager, those after first.
        flips: Hands on which optimal play changed, most frequent first.
        exposure: Highest joint win before and after in minor units; none where there is no such state.
        currency: Currencies of the exposure before and after.
    """

    wagers: tuple[WagerDelta, ...]
    flips: tuple[Flip, ...]
    exposure: tuple[int | None, int | None]
    currency: tuple[str, str]


def compare_figures(before: StateFigures | None, after: StateFigures | None) -> Deltas:
    """Returns the exact differences between two states of a game, either of which may not exist."""
    return Deltas(
        wagers=tuple(_wager(wager, before, after) for wager in _wagers(before, after)),
        flips=_flips(before, after),
        exposure=(before.exposure if before else None, after.exposure if after else None),
        currency=(before.currency if before else "", after.currency if after else ""),
    )


def _wagers(before: StateFigures | None, after: StateFigures | None) -> list[str]:
    """Returns the wagers of both states, those after first."""
    found: dict[str, None] = {}
    for figures in (after, before):
        if figures is not None:
            found |= dict.fromkeys(next(iter(figures.wagers.values())))
    return list(found)


def _has(figures: StateFigures | None, wager: str) -> bool:
    return figures is not None and wager in next(iter(figures.wagers.values()))


def _wager(wager: str, before: StateFigures | None, after: StateFigures | None) -> WagerDelta:
    old = before if _has(before, wager) else None
    new = after if _has(after, wager) else None
    latest = new or old
    if latest is None:
        raise ValueError(f"{wager} is in neither state")
    return WagerDelta(
        wager,
        latest.best_strategy(wager),
        old.best(wager) if old else None,
        new.best(wager) if new else None,
        {
            name: (
                old.wagers[name][wager].return_to_player if old else None,
                new.wagers[name][wager].return_to_player if new else None,
            )
            for name in latest.wagers
        },
    )


def _flips(before: StateFigures | None, after: StateFigures | None) -> tuple[Flip, ...]:
    if before is None or after is None:
        return ()
    found = [
        Flip(hand, before.decisions[hand].best, decision.best, decision.probability)
        for hand, decision in after.decisions.items()
        if hand in before.decisions and before.decisions[hand].best != decision.best
    ]
    return tuple(sorted(found, key=lambda flip: (-flip.probability, flip.hand)))


def top_award(figures: WagerFigures) -> Outcome:
    """Returns the outcome that pays most."""
    return max(figures.outcomes, key=lambda outcome: (outcome.pays, outcome.probability))

"""The outcomes that decide each wager of a game, on rows that somebody brought, against exact probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.model.figures import Analysis
from certify.model.game import Game
from certify.simulation import WholeDecks, run_campaign
from rng.battery.cards.combinations import compare
from rng.battery.result import NotRun, TestResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK: Final = 200_000
"""Rounds played at a time."""


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Rows from a file in the place of drawn ones: round by round what was dealt.

    Args:
        rows: Unsigned integers[n, width], one round a row.
    """

    rows: NDArray[Any]

    @property
    def purpose(self) -> str:
        """What the rows are for."""
        return "operator output"

    @property
    def seed(self) -> str:
        """Rows that were brought have none."""
        return ""

    def deal(self, stream_index: int, count: int) -> NDArray[Any]:
        """Returns the rows of one chunk."""
        import numpy as np

        start = stream_index * CHUNK
        return np.ascontiguousarray(self.rows[start : start + count])


def wager_tests(
    game: Game,
    analysis: Analysis,
    rows: NDArray[Any],
    workers: int,
    tell: Callable[[int, int], None] | None = None,
) -> Iterator[TestResult | NotRun]:
    """Yields for each wager whether its outcomes on these rows are as frequent as their exact probabilities.

    Args:
        game: The game; its decisions are those of the analysis.
        analysis: Exact figures that the outcomes are compared with.
        rows: What was dealt, one round a row.
        workers: Threads to play on.
        tell: Told the rounds played, of how many.

    Source: 25 CFR 547.14(b)(1): random in the combinations used under the rules of the game.
    """
    campaign = run_campaign(
        game,
        analysis.strategy,
        len(rows),
        deal=WholeDecks(GivenRows(rows)),
        workers=workers,
        progress=tell,
        chunk_rounds=CHUNK,
    )
    for figures in analysis.wagers:
        exact: dict[str, Fraction] = {}
        for outcome in figures.outcomes:
            exact[outcome.id] = exact.get(outcome.id, Fraction(0)) + outcome.probability
        counts = campaign.counts(figures.wager)
        every = sorted(exact.keys() | counts.keys())
        yield compare(
            figures.wager,
            {name: counts.get(name, 0) for name in every},
            {name: exact.get(name, Fraction(0)) for name in every},
        )

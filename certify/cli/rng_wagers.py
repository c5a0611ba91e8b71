"""The combinations that decide each wager of a game, in somebody's decks, against exact probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rng.battery.result import NotRun, TestResult

CHUNK = 200_000


@dataclass(frozen=True, slots=True)
class GivenDecks:
    """Decks from a file in place of shuffled ones: round by round the deck that was dealt.

    Args:
        decks: uint8[n, 40], card ids in dealing order.
    """

    decks: NDArray[np.uint8]

    @property
    def purpose(self) -> str:
        """What the decks are for."""
        return "submitted decks"

    @property
    def seed(self) -> str:
        """Submitted decks have none."""
        return ""

    def deal(self, stream_index: int, count: int) -> NDArray[np.uint8]:
        """Returns the decks of one chunk."""
        start = stream_index * CHUNK
        return np.ascontiguousarray(self.decks[start : start + count])


def wager_tests(
    game: Path, decks: NDArray[np.uint8], workers: int, tell: Callable[[int, int], None]
) -> tuple[TestResult | NotRun, ...]:
    """Plays a game on the decks and compares the outcomes of each wager with their exact probabilities.

    Args:
        game: The submission; the main wager is played by its best strategy.
        decks: The decks, one a round.
        workers: Threads to play on.
        tell: Told the rounds played, of how many.

    Source: 25 CFR 547.14(b)(1): random in the combinations used under the rules of the game.
    """
    from certify.analysis import analyze
    from certify.model.strategy import MAIN_OPTIMAL
    from certify.simulation import WholeDecks, run_campaign
    from certify.submission import read_game
    from rng.battery.cards.combinations import compare

    submission = read_game(game)
    analysis = analyze(submission, MAIN_OPTIMAL)
    campaign = run_campaign(
        submission,
        analysis.strategy,
        len(decks),
        deal=WholeDecks(GivenDecks(decks)),
        workers=workers,
        progress=tell,
        chunk_rounds=CHUNK,
    )
    results = []
    for figures in analysis.wagers:
        exact: dict[str, Fraction] = {}
        for outcome in figures.outcomes:
            exact[outcome.id] = exact.get(outcome.id, Fraction(0)) + outcome.probability
        counts = campaign.counts(figures.wager)
        every = sorted(exact.keys() | counts.keys())
        results.append(
            compare(
                figures.wager,
                {name: counts.get(name, 0) for name in every},
                {name: exact.get(name, Fraction(0)) for name in every},
            )
        )
    return tuple(results)

"""The outcomes of each wager of a game on rows that somebody brought: how often, in what order, when and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from certify.model.figures import Analysis
from certify.model.game import Game
from certify.simulation.volume import has_own_volume, volume_of
from rng.battery.cards.dealt import compare
from rng.battery.projections import Groups, Projection, run
from rng.battery.result import NotRun, TestResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK: Final = 50_000
"""Rounds played at a time."""

MOST_PLAIN: Final = 200_000
"""Rounds that are played by the reference round alone, the first ones, where nothing compiled plays the game."""


def wager_tests(
    game: Game,
    analysis: Analysis,
    rows: NDArray[Any],
    groups: Groups | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Iterator[TestResult | NotRun]:
    """Yields whether the outcomes of each wager come as often as they should, whatever came before, when and where.

    Args:
        game: The game; its decisions are those of the analysis.
        analysis: Exact figures that the outcomes are compared with.
        rows: What was dealt, one round a row.
        groups: What is known of where and when each row was dealt.
        tell: Told the rounds played, of how many.

    Source: 25 CFR 547.14(b)(1): random in the combinations used under the rules of the game.
    """
    projections = played(game, analysis, rows, tell)
    for one in projections:
        counts = [int((one.seen == number).sum()) for number in range(len(one.outcomes))]
        yield compare(
            one.name,
            dict(zip(one.outcomes, counts, strict=True)),
            dict(zip(one.outcomes, one.law, strict=True)),
        )
    rounds = projections[0].seen.size
    known = {kind: (numbers[:rounds], names) for kind, (numbers, names) in (groups or {}).items()}
    yield from run(projections, known)


def played(
    game: Game, analysis: Analysis, rows: NDArray[Any], tell: Callable[[int, int], None] | None = None
) -> tuple[Projection, ...]:
    """Returns what each round of some rows came to, wager by wager, with the exact law of its outcomes.

    Args:
        game: The game.
        analysis: Exact figures, and the strategy that the rounds are played by.
        rows: What was dealt, one round a row.
        tell: Told the rounds played, of how many.
    """
    import numpy as np

    counter = volume_of(game).counter(game, analysis.strategy)
    rounds = len(rows) if has_own_volume(game) else min(len(rows), MOST_PLAIN)
    laws: dict[str, dict[str, Fraction]] = {}
    for figures in analysis.wagers:
        law = laws.setdefault(figures.wager, {})
        for outcome in figures.outcomes:
            law[outcome.id] = law.get(outcome.id, Fraction(0)) + outcome.probability
    order = {wager: sorted({*laws[wager], *outcomes}) for wager, outcomes in counter.axes if wager in laws}
    places = [wager for wager, _ in counter.axes]
    numbers = {wager: {name: k for k, name in enumerate(names)} for wager, names in order.items()}
    seen = {wager: np.empty(rounds, dtype=np.int64) for wager in order}
    for start in range(0, rounds, CHUNK):
        piece = np.ascontiguousarray(rows[start : min(start + CHUNK, rounds)])
        ended = counter.outcomes(piece)
        for place, wager in enumerate(places):
            if wager in seen:
                known = numbers[wager]
                seen[wager][start : start + len(piece)] = [known[one[place]] for one in ended]
        if tell is not None:
            tell(start + len(piece), rounds)
    return tuple(
        Projection(
            figures.wager,
            tuple(order[figures.wager]),
            tuple(laws[figures.wager].get(name, Fraction(0)) for name in order[figures.wager]),
            seen[figures.wager],
        )
        for figures in analysis.wagers
        if figures.wager in seen
    )

"""Reference engine, kernel and twin on the same decks: every outcome of every round must be the same.

Where a play-through brings no twin, the reference engine alone is the readable version of its compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.clauses.results import Difference, LegAgreement
from certify.errors import AgreementError, NothingCheckedError
from certify.families.driver import PlayedRound, play, settled_on, told
from certify.families.port import LazyCounter, ReferenceRound, TwinnedCounter, told_net, varying_of
from certify.families.registry import family_of
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.model.stages import SecondText, pays_of
from certify.model.strategy import Strategy
from certify.simulation.decks import StreamDecks
from certify.simulation.volume import has_own_volume, volume_of
from rng.battery.cards.dealt import compare
from rng.battery.projections import Groups, Projection, run
from rng.battery.result import NotRun, TestResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rng.words import WordSource


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


REFERENCE: Final = "reference engine"
KERNEL: Final = "kernel"
TWIN: Final = "kernel twin"
KERNEL_LAZY: Final = "kernel, dealing card by card"
REFERENCE_LAZY: Final = "reference engine, dealing card by card"
SECOND: Final = "second text"

Outcomes = tuple[str, ...]
"""Outcome of each wager of one round, in the order of WAGERS."""


def agreement(
    game: Game,
    strategy: Strategy,
    rows: NDArray[Any],
    further_legs: Mapping[str, Sequence[Outcomes]] | None = None,
) -> LegAgreement:
    """Plays the same draws through reference round, compiled play-through and its twin and compares every outcome.

    Args:
        game: The game.
        strategy: The player's strategy.
        rows: Draws of each round, one row a round.
        further_legs: Outcomes of the same rounds by other implementations, in the order of the wagers.

    Raises:
        NothingCheckedError: No round was offered.
        AgreementError: A further leg settled another number of rounds.
    """
    counter = volume_of(game).counter(game, strategy)
    wagers = tuple(wager for wager, _ in counter.axes)
    family = family_of(game)
    reference = family.reference(game)
    rounds = [play(reference, row.tolist(), strategy) for row in rows]
    varying = varying_of(counter)
    played = {REFERENCE: [one.told(wagers, varying) for one in rounds]}
    if family.second is not None:
        played[SECOND] = [_second(family.second, game, one, wagers, varying) for one in rounds]
    if has_own_volume(game):
        played[KERNEL] = counter.outcomes(rows)
        if isinstance(counter, TwinnedCounter):
            played[TWIN] = counter.twin(rows)
    elif not further_legs:
        # Nothing settles rounds a second time: nothing is compared, and a finding says so.
        return LegAgreement(len(rows), (REFERENCE,), wagers, ())
    return compare_legs(rows, {**played, **(further_legs or {})}, wagers)


def agreement_of_rounds(source: StreamDecks, rounds: int, game: Game, strategy: Strategy) -> LegAgreement:
    """Plays the first rounds of a campaign draw by draw, and on their whole rows by all legs, and compares.

    Args:
        source: Source of the campaign's rounds.
        rounds: Rounds to compare.
        game: The game.
        strategy: The player's strategy.

    Raises:
        NothingCheckedError: No round was asked for.
    """
    counter = volume_of(game).counter(game, strategy)
    if not isinstance(counter, LazyCounter):
        return agreement(game, strategy, source.deal(0, rounds))
    compiled, starts = counter.play_rounds(source.words(0), rounds)
    reference = card_by_card(family_of(game).reference(game), counter, strategy, source.words(0), rounds)
    lazy = {KERNEL_LAZY: compiled, REFERENCE_LAZY: reference}
    return agreement(game, strategy, source.whole(0, starts), lazy)


def card_by_card(
    reference: ReferenceRound[Any], counter: LazyCounter, strategy: Strategy, words: WordSource, rounds: int
) -> list[Outcomes]:
    """Returns the outcomes of the next rounds of a stream by the reference round, drawn as far as each looks.

    Args:
        reference: The rules of the game.
        counter: The play-through, which says how a round is drawn.
        strategy: The player's strategy.
        words: The stream; it is left where the play-through must leave it.
        rounds: Number of rounds.
    """
    wagers, varying = [wager for wager, _ in counter.axes], varying_of(counter)
    return [told(settled_on(reference, counter.row(words), strategy), wagers, varying) for _ in range(rounds)]


def compare_legs(
    decks: NDArray[np.uint8], legs: Mapping[str, Sequence[Outcomes]], wagers: Sequence[str]
) -> LegAgreement:
    """Compares what several implementations say about the same decks, wager by wager.

    Raises:
        NothingCheckedError: No deck was offered.
        AgreementError: Fewer than two legs, or legs of different lengths.
    """
    if len(legs) < 2:
        raise AgreementError(f"{len(legs)} leg was offered, expected at least two that are independent")
    if not len(decks):
        raise NothingCheckedError("no deck was offered for comparison")
    for leg, outcomes in legs.items():
        if len(outcomes) != len(decks):
            raise AgreementError(f"{leg} settled {len(outcomes)} decks, expected {len(decks)}")
    differences = (_difference(decks, legs, index, column, wagers) for index, column in _disagreeing(legs))
    return LegAgreement(len(decks), tuple(legs), tuple(wagers), tuple(differences))


def _second(
    second: SecondText, game: Game, played: PlayedRound, wagers: Sequence[str], varying: frozenset[str]
) -> Outcomes:
    """Returns the outcomes of a round by the second text; where it refuses the round, what it says of it."""
    try:
        settled = second(game.rules, pays_of(game.wagers), played.draws, played.decisions)
    except Exception as error:  # noqa: BLE001 - whatever the second text raises is a difference, and is told
        return (f"refused: {error!r}",) * len(wagers)
    if any(settled[wager][1] != played.net[wager] for wager in settled):
        return tuple(f"{settled[wager][0]} at {settled[wager][1]} net" for wager in wagers)
    return tuple(
        (told_net(*settled[wager]) if wager in varying else settled[wager][0])
        if wager in settled
        else "not settled"
        for wager in wagers
    )


def _disagreeing(legs: Mapping[str, Sequence[Outcomes]]) -> Iterator[tuple[int, int]]:
    for index, said in enumerate(zip(*legs.values(), strict=True)):
        if any(outcomes != said[0] for outcomes in said):
            yield from (
                (index, column) for column, ids in enumerate(zip(*said, strict=True)) if len(set(ids)) > 1
            )


def _difference(
    decks: NDArray[np.uint8],
    legs: Mapping[str, Sequence[Outcomes]],
    index: int,
    column: int,
    wagers: Sequence[str],
) -> Difference:
    said = tuple((leg, outcomes[index][column]) for leg, outcomes in legs.items())
    return Difference(index, tuple(decks[index].tolist()), wagers[column], said)

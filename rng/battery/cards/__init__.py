"""Tests of shuffled decks on exact nulls: positions, pairs, order, cycles, repetitions, drift."""

from __future__ import annotations

from collections.abc import Callable, Collection

from rng.battery.cards import (
    adjacent,
    all_lags,
    between_rounds,
    card_position,
    copies,
    cycles,
    dealt,
    dispersion,
    drift,
    duplicates,
    first_cards,
    fixed_points,
    hands,
    interplay,
    lagged_places,
    lehmer,
    order,
    position_pairs,
    runs,
    serial_positions,
    since_last,
    trends,
    unshuffled,
)
from rng.battery.cards.decks import MOST_CARDS, CardTest, Decks, DeckShoe, check_decks, four_suits, shoe_of
from rng.battery.plan import PlannedTest
from rng.battery.result import NotRun, TestResult
from rng.errors import SampleError

# Fewer cards than this and the total of fixed points is no longer Poisson to working precision.
FEWEST_CARDS = 20

TESTS: tuple[CardTest, ...] = (
    *card_position.TESTS,
    *position_pairs.TESTS,
    *interplay.TESTS,
    *serial_positions.TESTS,
    *runs.TESTS,
    *fixed_points.TESTS,
    *lehmer.TESTS,
    *adjacent.TESTS,
    *order.TESTS,
    *cycles.TESTS,
    *first_cards.TESTS,
    *duplicates.TESTS,
    *drift.TESTS,
    *lagged_places.TESTS,
    *all_lags.TESTS,
    *unshuffled.TESTS,
    *copies.TESTS,
    *hands.TESTS,
    *dispersion.TESTS,
    *dealt.TESTS,
    *between_rounds.TESTS,
    *trends.TESTS,
    *since_last.TESTS,
)
NAMES = tuple(test.name for test in TESTS)


def run(
    decks: Decks,
    tests: Collection[str] | None = None,
    *,
    shoe: DeckShoe | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[TestResult | NotRun, ...]:
    """Runs statistical tests on shuffled decks.

    Args:
        decks: One deck a row, each card id once; a memory map will do, the decks are read in pieces.
            Equal cards of several decks must have ids of their own: where the copies are not told
            apart, the order of the deck is not known and none of these tests applies.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        shoe: Ranks and suits of the cards; ids ``4 * rank + suit`` when left out.
        progress: Called with the name of each test before it runs.

    Returns:
        One result for each test asked for, in the order of ``NAMES``; a test the sample is too short for is
        returned as ``NotRun`` with the number of decks it needs, one that does not apply to the shoe without.

    Raises:
        SampleError: If the array is not one of whole decks, or a test is not known.
    """
    if tests is not None and not tests:
        raise SampleError("no test was asked for: an empty plan is never a pass")
    unknown = sorted(set(tests or ()) - set(NAMES))
    if unknown:
        raise SampleError(f"no such card test: {', '.join(unknown)}; known are {', '.join(NAMES)}")
    check_decks(decks)
    shoe = shoe or four_suits(decks.shape[1])
    if decks.shape[1] < FEWEST_CARDS or decks.shape[1] != shoe.cards:
        raise SampleError(f"expected {max(shoe.cards, FEWEST_CARDS)} cards, got {decks.shape[1]}")
    results: list[TestResult | NotRun] = []
    for test in TESTS:
        if tests is None or test.name in tests:
            if progress is not None:
                progress(test.name)
            results.append(_run_one(test, decks, shoe))
    return tuple(results)


def planned(size: int, tests: Collection[str] | None = None) -> tuple[PlannedTest, ...]:
    """What a plan says about a sample of decks: the tests to be run on it, each once.

    Args:
        size: Decks in the sample.
        tests: Names of the tests; all of ``NAMES`` when left out.
    """
    return tuple(PlannedTest("cards", name, size) for name in NAMES if tests is None or name in tests)


def _run_one(test: CardTest, decks: Decks, shoe: DeckShoe) -> TestResult | NotRun:
    minimum = test.minimum(shoe)
    if isinstance(minimum, str):
        return NotRun("cards", test.name, minimum)
    if len(decks) < minimum:
        reason = f"{len(decks)} decks, at least {minimum} are needed"
        return NotRun("cards", test.name, reason, minimum)
    return test.run(decks, shoe)


__all__ = [
    "MOST_CARDS",
    "NAMES",
    "TESTS",
    "CardTest",
    "DeckShoe",
    "Decks",
    "four_suits",
    "planned",
    "run",
    "shoe_of",
]

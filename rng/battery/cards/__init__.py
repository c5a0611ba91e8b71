"""Tests of shuffled decks on exact nulls: positions, pairs, order, cycles, repetitions, drift."""

from __future__ import annotations

from collections.abc import Collection

from rng.battery.cards import (
    adjacent,
    alike_apart,
    all_lags,
    between_rounds,
    card_position,
    copies,
    cycles,
    dealt,
    drift,
    duplicates,
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
    unshuffled,
)
from rng.battery.cards.decks import (
    FEWEST_CARDS,
    MOST_CARDS,
    CardTest,
    DealtDecks,
    Decks,
    DeckShoe,
    four_suits,
    shoe_of,
)
from rng.battery.plan import PlannedTest
from rng.battery.suite import Results, Running, Suite, Tell

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
    *duplicates.TESTS,
    *drift.TESTS,
    *lagged_places.TESTS,
    *all_lags.TESTS,
    *unshuffled.TESTS,
    *copies.TESTS,
    *hands.TESTS,
    *dealt.TESTS,
    *between_rounds.TESTS,
    *since_last.TESTS,
    *alike_apart.TESTS,
)
BATTERY: Suite[DeckShoe, DealtDecks] = Suite("cards", "decks", __name__, TESTS)
NAMES = BATTERY.names


def run(
    decks: Decks,
    tests: Collection[str] | None = None,
    *,
    shoe: DeckShoe | None = None,
    running: Running = map,
    tell: Tell | None = None,
) -> Results:
    """Runs statistical tests on shuffled decks.

    Args:
        decks: One deck a row, each card id once; a memory map will do, the decks are read in pieces.
            Equal cards of several decks must have ids of their own: where the copies are not told
            apart, the order of the deck is not known and none of these tests applies.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        shoe: Ranks and suits of the cards; ids ``4 * rank + suit`` when left out.
        running: What runs each of them.
        tell: Told how many of them are done.

    Raises:
        SampleError: If the array is not one of whole decks, or a test is not known.
    """
    BATTERY.check(tests)
    dealt = DealtDecks(decks, shoe or four_suits(decks.shape[-1]))
    return BATTERY.run(dealt, tests, running=running, tell=tell)


def planned(size: int, tests: Collection[str] | None = None) -> tuple[PlannedTest, ...]:
    """What a plan says about a sample of decks: the tests to be run on it, each once."""
    return tuple(PlannedTest("cards", name, size) for name in NAMES if tests is None or name in tests)


__all__ = [
    "BATTERY",
    "FEWEST_CARDS",
    "MOST_CARDS",
    "NAMES",
    "TESTS",
    "CardTest",
    "DealtDecks",
    "DeckShoe",
    "Decks",
    "four_suits",
    "planned",
    "run",
    "shoe_of",
]

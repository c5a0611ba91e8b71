"""Tests of shuffled decks on exact nulls: positions, pairs, order, cycles, repetitions, drift."""

from collections.abc import Collection

from rng.battery.cards import (
    between_rounds,
    dealt,
    known_generators,
    permutations,
    positions,
    repeated_decks,
    successive,
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
from rng.battery.suite import Results, Running, Suite, Tell

TESTS: tuple[CardTest, ...] = (
    *positions.CARD_POSITION,
    *dealt.FULLEST,
    *dealt.POSITION_PAIRS,
    *successive.SERIAL_CORRELATION,
    *dealt.RUNS,
    *permutations.FIXED_POINTS,
    *permutations.DIGITS,
    *permutations.ORDER,
    *repeated_decks.DUPLICATES,
    *dealt.OVER_TIME,
    *successive.LAGGED_PLACES,
    *repeated_decks.UNSHUFFLED,
    *repeated_decks.COPIES,
    *dealt.HANDS,
    *dealt.DEALT,
    *dealt.BETWEEN_ROUNDS,
    *dealt.AFTER_HANDS,
    *between_rounds.SINCE_LAST,
    *between_rounds.EQUAL_APART,
    *known_generators.KNOWN_GENERATORS,
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
            Equal cards of several decks must have ids of their own: where the copies are not distinguished
            apart, the order of the deck is not known and none of these tests applies.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        shoe: Ranks and suits of the cards; ids ``4 * rank + suit`` when left out.
        running: What runs each of them.
        tell: Receives how many of them are done.

    Raises:
        SampleError: If the array is not one of whole decks, or a test is not known.
    """
    dealt = DealtDecks(decks, shoe or four_suits(decks.shape[-1]))
    return BATTERY.run(dealt, tests, running=running, tell=tell)


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
    "run",
    "shoe_of",
]

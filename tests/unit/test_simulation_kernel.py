"""The kernel refuses what is no deck, and counts exactly what it plays."""

import numpy as np
import pytest
from dealing import stream_decks

from certify.errors import InputError
from certify.families.driver import play
from certify.families.sette_e_mezzo.reference import SetteEMezzoRound
from certify.families.sette_e_mezzo.rules import SetteEMezzoRules
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.sette_e_mezzo.volume import kernel, twin
from certify.families.sette_e_mezzo.volume.outcomes import JOINT_SHAPE
from certify.families.sette_e_mezzo.volume.strategies import all_hands, stand_on, total_of
from certify.families.sette_e_mezzo.volume.tables import compile_tables

RULES = SetteEMezzoRules(king_wins_against_dealer_seven_and_a_half=True)
DECKS = stream_decks(b"tests of the kernel, 32 bytes ..").deal(0, 3 * kernel.BLOCK + 17)


@pytest.mark.parametrize("size", [0, 1, kernel.BLOCK - 1, kernel.BLOCK, kernel.BLOCK + 1, len(DECKS)])
def test_counts_and_codes_are_those_of_the_twin_around_the_block_size(size: int) -> None:
    strategy = stand_on(9)
    compiled = compile_tables(strategy, RULES)
    codes = kernel.play(DECKS[:size], compiled)
    assert codes.dtype == np.uint8
    assert np.array_equal(codes, twin.play(DECKS[:size], strategy, RULES))
    counts = np.zeros(JOINT_SHAPE, dtype=np.int64)
    np.add.at(counts, tuple(codes.T), 1)
    assert np.array_equal(kernel.count(DECKS[:size], compiled), counts)


def test_the_longest_hands_stay_inside_the_deck() -> None:
    # Faces first, and a player and a dealer who always draw: the most cards that a round can use.
    deck = np.array([[*range(28, 36), *range(37, 40), *range(28), 36]], dtype=np.uint8)
    always = HitTable("always", "composition-dependent", frozenset(all_hands()))
    rules = SetteEMezzoRules(dealer_stands_on=15)
    compiled = compile_tables(always, rules)
    assert np.array_equal(kernel.play(deck, compiled), twin.play(deck, always, rules))


def test_hands_with_equal_futures_share_a_state() -> None:
    compiled = compile_tables(stand_on(9), RULES)
    assert compiled.states < sum(total_of(hand) < 9 for hand in all_hands()) + 40


@pytest.mark.parametrize(
    "decks",
    [
        np.zeros((2, 39), dtype=np.uint8),
        np.zeros(40, dtype=np.uint8),
        np.zeros((2, 40), dtype=np.int64),
        np.full((2, 40), 40, dtype=np.uint8),
    ],
)
def test_what_is_no_deck_is_refused(decks: np.ndarray) -> None:
    with pytest.raises(InputError, match="expected"):
        kernel.count(decks, compile_tables(stand_on(9), RULES))


def test_a_strategy_may_look_at_the_first_card_and_its_pairs() -> None:
    # Draws on a pair of faces only where a jack came first: both hands are worth one point.
    two_faces = (0, 0, 0, 0, 0, 0, 0, 2, 0)
    by_first = frozenset({(7, 0, two_faces), (7, 1, two_faces)})
    strategy = HitTable("first jack", "looks at the first card", frozenset(), True, by_first)
    jack, queen, other_jack = 28, 32, 29
    firsts = [(jack, queen), (queen, jack), (jack, other_jack)]
    decks = [
        [first, 0, second, *(card for card in range(1, 40) if card not in (first, second))]
        for first, second in firsts
    ]
    rows = np.array(decks, dtype=np.uint8)
    codes = kernel.play(rows, compile_tables(strategy, RULES))
    assert np.array_equal(codes, twin.play(rows, strategy, RULES))
    reference = SetteEMezzoRound(RULES, (), (shoe("deck", RANKS, SUITS),))
    drawn = [len(play(reference, deck, strategy).faces("player")) for deck in decks]
    assert drawn == [3, 2, 3]


def test_a_malformed_strategy_is_refused() -> None:
    for hand in ((1, 0), (5, 0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0, 2)):
        with pytest.raises(InputError, match="names the hand"):
            compile_tables(HitTable("odd", "composition-dependent", frozenset({hand})), RULES)

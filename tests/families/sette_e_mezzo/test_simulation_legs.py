"""Reference engine, kernel and twin agree whatever the rules, the strategy and the decks."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
from dealing import stream_decks
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from certify.certification.legs import agreement, agreement_of_rounds
from certify.families.sette_e_mezzo.rulebook import hand_value
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.sette_e_mezzo.volume import kernel, twin
from certify.families.sette_e_mezzo.volume.outcomes import JOINT_SHAPE
from certify.families.sette_e_mezzo.volume.settlement import OVER
from certify.families.sette_e_mezzo.volume.strategies import all_hands, total_of
from certify.families.sette_e_mezzo.volume.tables import compile_tables
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, MATTA, card_id
from certify.model.game import Game
from certify.submission import read_game
from rng.lazy import LazyDeck

HANDS = all_hands()
PUBLISHED = read_game(Path(__file__).parents[3] / "fixtures/games/playtech-7-e-mezzo/game.toml")

rules = st.builds(
    SetteEMezzoRules,
    tie=st.sampled_from(Tie),
    king_wins_against_dealer_seven_and_a_half=st.booleans(),
    dealer_stands_on=st.integers(1, 15),
    player_draws_on_first_face=st.booleans(),
    dealer_draws_on_first_face=st.booleans(),
    dealer_chases_seven_and_a_half=st.booleans(),
    pair_condition=st.sampled_from(PairCondition),
)


def with_rules(rules: SetteEMezzoRules) -> Game:
    return replace(PUBLISHED, rules=rules)


@st.composite
def strategy_tables(draw: st.DrawFn) -> HitTable:
    """Any set of hands, each drawn on with a probability that leans on a key."""
    key, often = draw(st.binary(min_size=4, max_size=4)), draw(st.integers(0, 256))
    if draw(st.booleans()):
        chosen = (hand for hand in HANDS if hashlib.sha256(key + bytes(hand)).digest()[0] < often)
        return HitTable("any", "composition-dependent", frozenset(chosen))
    by_first = (
        (first, same, hand)
        for first in range(10)
        for same in range(4)
        for hand in HANDS
        if hashlib.sha256(key + bytes((first, same, *hand))).digest()[0] < often
    )
    return HitTable("any", "looks at the first card", frozenset(), True, frozenset(by_first))


def decks_from(key: bytes, count: int) -> NDArray[np.uint8]:
    """Decks in the order of hashes: any permutation, no generator involved."""
    numbers = np.frombuffer(hashlib.shake_256(key).digest(count * 40 * 8), dtype=np.uint64)
    return np.argsort(numbers.reshape(count, 40), axis=1).astype(np.uint8)


@given(rules, strategy_tables(), st.binary(min_size=8, max_size=8))
def test_every_leg_settles_every_deck_alike(rules: SetteEMezzoRules, strategy: HitTable, key: bytes) -> None:
    result = agreement(with_rules(rules), strategy, decks_from(key, 60))
    assert result.decks == 60
    assert not result.differences, str(result.differences[0])


@given(st.permutations(range(40)), rules, strategy_tables())
def test_hand_made_decks_too(deck: list[int], rules: SetteEMezzoRules, strategy: HitTable) -> None:
    assert not agreement(with_rules(rules), strategy, np.array([deck], dtype=np.uint8)).differences


def test_the_two_readings_of_the_matta_are_one() -> None:
    hands_seen = 0
    for hand in HANDS:
        for extra in range(9):
            grown = tuple(held + (index == extra) for index, held in enumerate(hand))
            held = cards_of(grown)
            if held is None:
                continue
            assert min(hand_value(held), OVER) == total_of(grown)
            hands_seen += 1
    assert hands_seen > 1500


def cards_of(hand: tuple[int, ...]) -> list[int] | None:
    """Cards that make up a hand counted by class, or None where the deck has too few."""
    cards: list[int] = []
    for index, held in enumerate(hand):
        copies = {CLASS_MATTA: [MATTA], CLASS_FACE: [card for card in range(28, 40) if card != MATTA]}
        available = copies.get(index, [card_id(index, suit) for suit in range(4)])
        if held > len(available):
            return None
        cards += available[:held]
    return cards


@settings(max_examples=25, deadline=None)
@given(rules, strategy_tables(), st.binary(min_size=32, max_size=32), st.integers(0, 60))
def test_rounds_dealt_card_by_card_are_rounds_on_whole_decks(
    rules: SetteEMezzoRules, strategy: HitTable, seed: bytes, more: int
) -> None:
    source = stream_decks(seed)
    result = agreement_of_rounds(source, 80, with_rules(rules), strategy)
    assert len(result.legs) == 5
    assert not result.differences, str(result.differences[0])
    tables = compile_tables(strategy, rules)
    words, plain = source.words(0), source.words(0)
    counted = kernel.count_rounds(words, 80, tables) + kernel.count_rounds(words, more, tables)
    codes = twin.play_rounds(plain, 80 + more, strategy, rules)
    expected = np.zeros(JOINT_SHAPE, dtype=np.int64)
    np.add.at(expected, tuple(codes.T), 1)
    assert np.array_equal(counted, expected)
    assert words.drawn == plain.drawn


def test_rounds_that_go_on_beyond_their_first_word_are_dealt_alike() -> None:
    always = HitTable("always", "composition-dependent", frozenset(HANDS))
    rules = SetteEMezzoRules(dealer_stands_on=15)
    source = stream_decks(b"a seed with long rounds, 32 bytes")
    codes, starts = kernel.play_rounds(source.words(0), 40_000, compile_tables(always, rules))
    plain = source.words(0)
    long = 0
    for number, start in enumerate(starts.tolist()):
        deck = LazyDeck(plain, 40)
        assert twin.play_one(deck, always, rules) == tuple(codes[number])
        long += len(deck.dealt) > 11
        assert plain.drawn > start
    assert long > 3

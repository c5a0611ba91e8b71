"""Rounds played in columns are the rounds that a plain loop plays card by card, whatever a round looks at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rng.errors import EntropyError, RangeError
from rng.lazy import LazyDeck
from rng.lazy_kernels import MORE_CARDS, NO_CARD
from rng.lazy_rounds import Batch, count_rounds, lazy_rounds, whole_decks
from rng.shuffle import deal_decks, shuffle
from rng.streams import stream
from rng.words import recorded_words

SEED = bytes(range(32))


def plain_round(deck: LazyDeck, seen: int) -> int:
    """A round that draws until so many cards below the first one were seen; its outcome mixes all cards."""
    mixed, below, place = deck[0], 0, 1
    while below < seen and place < len(deck):
        mixed = (mixed * 31 + deck[place]) % 251
        below += deck[place] < deck[0]
        place += 1
    return mixed


def in_columns(cards: NDArray[np.uint8], seen: int, size: int) -> NDArray[np.uint8]:
    """The same rounds, played on the first cards of each."""
    outcomes = np.empty(cards.shape[1], dtype=np.uint8)
    for index, column in enumerate(cards.T.tolist()):
        mixed, below, place = column[0], 0, 1
        while below < seen and place < size:
            if column[place] == NO_CARD:
                mixed = MORE_CARDS
                break
            mixed = (mixed * 31 + column[place]) % 251
            below += column[place] < column[0]
            place += 1
        outcomes[index] = mixed
    return outcomes


def joined(batches: list[Batch]) -> tuple[list[int], list[int]]:
    return (
        [int(o) for batch in batches for o in batch.outcomes],
        [int(s) for batch in batches for s in batch.starts],
    )


@given(
    st.sampled_from([2, 3, 11, 20, 40, 52, 104, 254]),
    st.integers(0, 4),
    st.integers(1, 12),
    st.integers(0, 1 << 32),
    st.lists(st.integers(0, 60), min_size=1, max_size=3),
)
def test_rounds_do_not_depend_on_how_they_are_dealt(
    cards: int, seen: int, few: int, index: int, portions: list[int]
) -> None:
    lazy, plain = stream(SEED, "export", index), stream(SEED, "export", index)
    batches = [
        batch
        for portion in portions
        for batch in lazy_rounds(lazy, portion, cards, lambda c: in_columns(c, seen, cards), few)
    ]
    outcomes, starts = joined(batches)
    expected = [plain_round(LazyDeck(plain, cards), seen) for _ in range(sum(portions))]
    assert outcomes == expected
    assert lazy.drawn == plain.drawn
    whole = whole_decks(stream(SEED, "export", index), np.array(starts, dtype=np.int64), cards)
    words = stream(SEED, "export", index).read(8 * (plain.drawn + 200))
    assert whole.tolist() == [list(shuffle(recorded_words(words[8 * s :]), cards)) for s in starts]


def test_rounds_go_on_over_the_end_of_a_block_of_words() -> None:
    lazy, plain = stream(SEED, "export", 1), stream(SEED, "export", 1)
    outcomes, starts = joined(list(lazy_rounds(lazy, 12_000, 40, lambda c: in_columns(c, 3, 40))))
    assert outcomes == [plain_round(LazyDeck(plain, 40), 3) for _ in range(12_000)]
    assert lazy.drawn == plain.drawn > 16_384 // 2
    assert starts == sorted(set(starts))
    counted = count_rounds(
        stream(SEED, "export", 1), 12_000, 40, lambda c: in_columns(c, 3, 40), outcomes=251
    )
    assert counted.tolist() == np.bincount(outcomes, minlength=251).tolist()


def test_the_first_round_of_a_stream_is_on_its_first_whole_deck() -> None:
    outcomes, starts = joined(list(lazy_rounds(stream(SEED, "export", 2), 1, 40, lambda c: c[0].copy())))
    deck = deal_decks(stream(SEED, "export", 2), 1, 40)[0]
    assert outcomes == [deck[0]]
    assert np.array_equal(whole_decks(stream(SEED, "export", 2), np.array(starts), 40)[0], deck)


def test_a_round_that_wants_more_than_the_deck_is_refused() -> None:
    def insatiable(cards: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.full(cards.shape[1], MORE_CARDS, dtype=np.uint8)

    with pytest.raises(RangeError, match="wants more than the 40 cards"):
        list(lazy_rounds(stream(SEED, "export", 3), 1, 40, insatiable))


@pytest.mark.parametrize(("rounds", "cards"), [(-1, 40), (1, 1), (1, 255), (1.5, 40)])
def test_rounds_out_of_range_are_refused(rounds: int, cards: int) -> None:
    with pytest.raises(RangeError):
        list(lazy_rounds(stream(SEED, "export", 4), rounds, cards, lambda c: c[0]))


def test_a_recording_that_ends_is_said_and_words_that_were_served_do_not_come_back() -> None:
    words = recorded_words(stream(SEED, "export", 5).read(80))
    with pytest.raises(EntropyError, match="used up"):
        list(lazy_rounds(words, 50, 40, lambda c: c[0].copy()))
    source = stream(SEED, "export", 5)
    source.skip_to(9_000)
    assert source.drawn == 9_000
    with pytest.raises(RangeError, match="was served"):
        source.skip_to(8_999)

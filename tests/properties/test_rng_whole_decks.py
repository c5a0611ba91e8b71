"""The whole deck of a round that was dealt lazily is the one that a shuffle deals from the word where it began."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.errors import RangeError
from rng.lazy_kernels import LazyDeck, whole_decks
from rng.shuffle import shuffle
from rng.streams import stream
from rng.words import recorded_words

SEED = bytes(range(32))


def played(deck, seen):
    """Draws until so many cards below the first one were seen."""
    first, below, place = deck[0], 0, 1
    while below < seen and place < len(deck):
        below += deck[place] < first
        place += 1


@given(
    st.sampled_from([2, 3, 11, 20, 40, 52, 104, 254, 416]),
    st.integers(0, 4),
    st.integers(0, 1 << 32),
    st.integers(1, 120),
)
def test_the_whole_deck_of_a_round_is_a_shuffle_from_its_first_word(cards, seen, index, rounds):
    words, starts = stream(SEED, "export", index), []
    for _ in range(rounds):
        starts.append(words.drawn)
        played(LazyDeck(words, cards), seen)
    whole = whole_decks(stream(SEED, "export", index), np.array(starts, dtype=np.int64), cards)
    recorded = stream(SEED, "export", index).read(8 * (words.drawn + 200))
    assert whole.tolist() == [list(shuffle(recorded_words(recorded[8 * start :]), cards)) for start in starts]


def test_words_that_were_served_do_not_come_back():
    source = stream(SEED, "export", 5)
    source.skip_to(9_000)
    assert source.drawn == 9_000
    with pytest.raises(RangeError, match="was served"):
        source.skip_to(8_999)

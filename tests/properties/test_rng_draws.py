"""Draws of every kind and whole decks: compiled and plain forms agree, the law is exact."""

from collections import Counter
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st
from noise import recorded_words

from rng.draws import (
    Integer,
    OrderedSample,
    Permutation,
    Product,
    Repetition,
    check_rows,
    deal_decks,
    draw_from,
    draw_many,
    draw_one,
    steps,
)
from rng.errors import RangeError
from rng.lazy_kernels import LazyDeck, draw_card, new_pile, put_back
from rng.shuffle import bound_groups, deal, shuffle
from rng.streams import stream
from rng.uniform import many_below, split_word

SEED = bytes(range(32))
SHOE = Permutation(8 * 52)
LOTTERY = Product((OrderedSample(50, 5), OrderedSample(12, 2)))
DECKS = (1, 2, 5, 20, 21, 39, 40, 41, 52, 104, 256, 257, 416, 1000)
DRAWS = (
    *map(Permutation, DECKS),
    OrderedSample(80, 20),
    OrderedSample(40, 40),
    OrderedSample(300, 1),
    Integer(37),
    Integer(1),
    Integer(1 << 63),
    Repetition(Integer(6), 2),
    Repetition(Integer(6), 40),
    Product((Integer(20), Integer(22), Integer(24), Integer(1 << 40), Integer(3))),
    LOTTERY,
    Repetition(Product((Integer(30), Integer(36))), 3_750),  # a machine with 1,500 free games: 683 words
    Product((Repetition(Integer(6), 2), Permutation(5), Integer(2), Integer(3))),
)

small = st.one_of(
    st.builds(Permutation, st.integers(1, 60)),
    st.integers(1, 60).flatmap(lambda n: st.builds(OrderedSample, st.just(n), st.integers(1, n))),
    st.builds(Integer, st.integers(1, 1 << 63)),
)
kinds = st.recursive(
    small,
    lambda part: st.one_of(
        st.builds(Product, st.lists(part, min_size=1, max_size=4).map(tuple)),
        st.builds(Repetition, part, st.integers(1, 5)),
    ),
    max_leaves=4,
)


def name(draw):
    return str(draw)[:50]


@pytest.mark.parametrize("draw", DRAWS, ids=name)
def test_the_compiled_form_is_the_plain_form_bit_for_bit(draw):
    batch, plain = stream(SEED, "export", 1), stream(SEED, "export", 1)
    count = 20_000 // (20 + draw.width)
    rows = draw_many(batch, draw, count)
    assert rows.dtype.itemsize == draw.item_bytes
    assert rows.tolist() == [list(draw_one(plain, draw)) for _ in range(count)]
    assert batch.drawn == plain.drawn >= count * draw.least_words
    check_rows(draw, rows)


@given(kinds, st.integers(0, 1 << 32), st.lists(st.integers(0, 30), max_size=4))
def test_every_draw_is_portioned_alike(draw, index, portions):
    parts, whole, plain, first = (stream(SEED, "export", index) for _ in range(4))
    rows = draw_many(whole, draw, sum(portions))
    empty = np.empty((0, draw.width), rows.dtype)
    assert np.array_equal(np.concatenate([empty, *(draw_many(parts, draw, n) for n in portions)]), rows)
    columns = 1 + index % draw.width
    assert np.array_equal(draw_many(first, draw, len(rows), columns), rows[:, :columns])
    assert first.drawn == whole.drawn
    assert rows.tolist() == [list(draw_one(plain, draw)) for _ in range(len(rows))]
    check_rows(draw, rows)


def test_draws_of_one_kind_are_those_of_the_frozen_rules():
    def fresh():
        return stream(SEED, "export", 3)

    assert all(draw_one(fresh(), Permutation(cards)) == shuffle(fresh(), cards) for cards in DECKS)
    assert draw_one(fresh(), OrderedSample(80, 20)) == deal(fresh(), 80, 20)
    assert draw_many(fresh(), Permutation(52), 50).tolist() == deal_decks(fresh(), 50, 52).tolist()
    assert draw_many(fresh(), Integer(37), 500).ravel().tolist() == many_below(fresh(), 37, 500).tolist()


@pytest.mark.parametrize(
    ("draw", "outcomes"),
    [
        (Permutation(4), 24),
        (OrderedSample(5, 2), 20),
        (OrderedSample(4, 1), 4),
        (Integer(7), 7),
        (Repetition(Integer(3), 2), 9),
        (Product((Integer(4), Integer(3), Integer(2))), 24),
    ],
    ids=str,
)
def test_every_outcome_is_reached_by_equally_many_words(draw, outcomes):
    bits = 12
    (step,) = steps(draw)
    (bounds,) = step.groups
    total = int(np.prod(bounds))
    rows = Counter()
    for word in range(1 << bits):
        numbers = split_word(word, bounds, (1 << bits) % total, bits)
        if numbers is not None:
            items = list(range(step.items))
            for place, number in enumerate(numbers if step.items else ()):
                items[place], items[place + number] = items[place + number], items[place]
            rows[tuple(items[: step.width]) if step.items else numbers] += 1
    assert len(rows) == outcomes
    assert len(set(rows.values())) == 1


def test_integers_that_follow_each_other_share_words_and_samples_take_their_own():
    assert [len(step.groups) for step in steps(Repetition(Integer(6), 22))] == [1]
    assert [len(step.groups) for step in steps(Repetition(Integer(6), 23))] == [2]
    mixed = Product((Integer(6), Permutation(5), Integer(6)))
    assert [step.groups for step in steps(mixed)] == [((6,),), ((5, 4, 3, 2),), ((6,),)]
    assert Integer(1 << 63).least_words == 1
    assert SHOE.least_words == len(bound_groups(416))


def test_an_item_takes_the_fewest_bytes_that_hold_every_value():
    assert [draw.item_bytes for draw in (Permutation(256), Permutation(257), Integer(65_537))] == [1, 2, 4]


def test_the_largest_shoe_is_dealt():
    deck = deal_decks(stream(SEED, "export", 9), 1, 65_536)
    assert np.array_equal(np.sort(deck[0]), np.arange(65_536))


@given(
    st.sampled_from([1, 2, 3, 19, 20, 21, 40, 52, 54, 104, 256, 416, 600]),
    st.integers(0, 1 << 32),
    st.data(),
)
def test_cards_dealt_lazily_are_the_first_of_the_full_shuffle(cards, index, data):
    """In the plain form, in the compiled form card by card, and word for word."""
    wanted = data.draw(st.integers(0, cards))
    # The first word is the one of some two hundred at which it is decided most narrowly whether it is rejected.
    bounds, whole_words = prod(next(iter(bound_groups(cards)), ())), 1 << 64
    smallest = (-(-(x * whole_words) // bounds) for x in range(min(bounds, 199)))
    first = min(smallest, key=lambda word: abs(word * bounds % whole_words - whole_words % bounds))
    read = first.to_bytes(8, "little") + stream(SEED, "export", index).read(8 * 1023)
    words = np.frombuffer(read, dtype="<u8")
    lazy, whole = recorded_words(words.tobytes()), recorded_words(words.tobytes())
    dealt = LazyDeck(lazy, cards)
    pile = new_pile(cards)
    for _ in range(2):  # a pile that was put back is as good as new
        at, rest = 0, np.uint64(0)
        drawn = []
        for place in range(wanted):
            card, at, rest = draw_card(pile, words, at, np.uint64(rest), place)
            drawn.append(int(card))
        put_back(pile, wanted)
        assert pile.cards.tolist() == list(range(cards))
    assert dealt[:wanted] == drawn == list(deal(whole, cards, wanted))
    assert lazy.drawn == whole.drawn == at
    assert drawn == list(shuffle(recorded_words(words.tobytes()), cards)[:wanted])


def test_a_lazy_round_takes_no_word_before_a_card_is_looked_at():
    source = stream(SEED, "export", 0)
    deck = LazyDeck(source, 40)
    assert (len(deck), source.drawn) == (40, 0)
    deck[10]
    assert source.drawn == 1
    deck[11]
    assert source.drawn == 2
    assert deck[-1] == shuffle(stream(SEED, "export", 0), 40)[-1]
    with pytest.raises(IndexError):
        deck[40]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Permutation(0),
        lambda: Permutation(65_537),
        lambda: OrderedSample(5, 6),
        lambda: OrderedSample(5, 0),
        lambda: Integer(0),
        lambda: Integer((1 << 63) + 1),
        lambda: Integer(True),
        lambda: Product(()),
        lambda: Product((Permutation(65_536),) * 3),
        lambda: Repetition(Integer(6), 0),
        lambda: Repetition(Permutation(65_536), 3),
        lambda: draw_many(stream(SEED, "export", 0), Integer(6), -1),
        lambda: LazyDeck(stream(SEED, "export", 0), 0),
        lambda: deal_decks(stream(SEED, "export", 0), 1, 65_537),
    ],
)
def test_what_cannot_be_drawn_is_refused(make):
    with pytest.raises(RangeError):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("draw", "rows", "said"),
    [
        (OrderedSample(5, 2), [[1, 1]], "row 0, from column 1"),
        (OrderedSample(5, 2), [[1, 2], [0, 5]], "row 1, from column 1"),
        (LOTTERY, [[1, 2, 3, 4, 5, 6, 6]], "row 0, from column 6"),
        (Integer(6), [[-1]], "row 0"),
        (Integer(6), [[0, 1]], "1 a row expected"),
    ],
)
def test_rows_that_a_draw_cannot_yield_are_refused(draw, rows, said):
    with pytest.raises(RangeError, match=said):
        check_rows(draw, np.array(rows))


def test_lazily_dealt_orders_are_equally_frequent_over_all_draws():
    """The plain form itself, by counting all draws of a small deck."""

    class Numbers:
        """Words that give chosen numbers: each number is exact in the upper half of its product."""

        def __init__(self, numbers, bounds):
            total = 1
            value = 0
            for number, bound in zip(numbers, bounds, strict=True):
                value, total = value * bound + number, total * bound
            self._word = -(-(value << 64) // total) + (1 << 40)

        def word(self):
            return self._word

    bounds = (4, 3, 2)
    orders = Counter(tuple(LazyDeck(Numbers(numbers, bounds), 4)) for numbers in product(*map(range, bounds)))
    assert len(orders) == 24
    assert set(orders.values()) == {1}


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
    whole = draw_from(stream(SEED, "export", index), Permutation(cards), np.array(starts, dtype=np.int64))
    recorded = stream(SEED, "export", index).read(8 * (words.drawn + 200))
    assert whole.tolist() == [list(shuffle(recorded_words(recorded[8 * start :]), cards)) for start in starts]


def test_words_that_were_served_do_not_come_back():
    source = stream(SEED, "export", 5)
    source.skip_to(9_000)
    assert source.drawn == 9_000
    with pytest.raises(RangeError, match="was served"):
        source.skip_to(8_999)

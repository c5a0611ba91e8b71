"""Exact proofs by exhaustive counting, and properties over all sizes."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import factorial, log2, prod

import pytest
from cli_support import refuses
from hypothesis import given, strategies as st
from noise import recorded_words

from rng.draws import deal_decks
from rng.drbg import CtrDrbg, FixedSeed
from rng.errors import EntropyError, RangeError
from rng.shuffle import GROUP_LIMIT, arrange, bound_groups, deal, shuffle
from rng.streams import stream
from rng.uniform import (
    ALLOWED,
    WORD_BITS,
    below,
    many_below,
    modulo_bias,
    rejection_bias,
    split_word,
    together_below,
    words_kept,
)

SEED = bytes(range(32))


@pytest.mark.parametrize(
    "bounds", [(6, 6), (7, 6, 5), (4, 3, 2), (13, 5), (1, 9), *((n,) for n in range(2, 53))]
)
@pytest.mark.parametrize("word_bits", [8, 12])
def test_every_word_counted_gives_each_combination_equally_often(bounds, word_bits):
    size, total = 1 << word_bits, prod(bounds)
    counts = Counter(split_word(word, bounds, size % total, word_bits) for word in range(size))
    assert counts.pop(None, 0) == size % total
    assert set(counts) == set(product(*map(range, bounds)))
    assert set(counts.values()) == {size // total} == {words_kept(word_bits, total, total - 1)}
    assert rejection_bias(word_bits, total) == 0


@pytest.mark.parametrize("n", range(2, 53))
def test_modulo_bias_by_counting(n):
    counts = Counter(word % n for word in range(256))
    assert modulo_bias(8, n) == max(abs(Fraction(c, 256) - Fraction(1, n)) for c in counts.values())


def test_our_rule_has_no_bias_and_a_plain_modulo_of_sixteen_bits_has_more_than_is_allowed():
    ranges = range(2, 53)
    plain = {n: modulo_bias(32, n) for n in ranges}
    assert all(rejection_bias(WORD_BITS, n) == 0 for n in ranges)
    assert modulo_bias(16, 40) == Fraction(3, 327680)
    assert modulo_bias(16, 40) > ALLOWED > plain[40] > 0
    assert all(bias <= ALLOWED for bias in plain.values())
    assert [n for n, bias in plain.items() if bias == 0] == [2, 4, 8, 16, 32]


@pytest.mark.parametrize("n", range(2, 8))
def test_all_words_give_each_order_equally_often(n):
    bounds = bound_groups(n)[0]
    size = 1 << 14
    draws = (split_word(word, bounds, size % factorial(n), 14) for word in range(size))
    orders = Counter(arrange(d, n) for d in draws if d is not None)
    assert len(orders) == factorial(n)
    assert set(orders.values()) == {size // factorial(n)}


def test_a_biased_shuffle_would_be_noticed_by_the_same_count():
    def swap_with_any(draws, n):
        cards = list(range(n))
        for place, other in enumerate(draws):
            cards[place], cards[other] = cards[other], cards[place]
        return tuple(cards)

    orders = Counter(swap_with_any(draws, 4) for draws in product(range(4), repeat=4))
    assert len(set(orders.values())) > 1


@pytest.mark.parametrize("n", range(1, 257))
def test_groups_cover_every_bound_once_and_fit_a_word(n):
    groups = bound_groups(n)
    assert [bound for group in groups for bound in group] == list(range(n, 1, -1))
    assert all(prod(group) <= GROUP_LIMIT for group in groups)
    for group, following in pairwise(groups):
        assert prod(group) * following[0] > GROUP_LIMIT


def test_the_state_exceeds_the_number_of_orders():
    drbg = CtrDrbg(FixedSeed(bytes(48)), derivation_function=False)
    assert 159.1 < log2(factorial(40)) < 159.2
    assert 1 << 8 * drbg.seed_bytes > 1 << drbg.security_strength > factorial(40)
    # Even the 52-card deck: 225.6 bits.
    assert 1 << drbg.security_strength > factorial(52)


def test_rejected_words_are_passed_over_in_both_forms():
    # Words that are always rejected for the first group (the lower half becomes 0), between good ones.
    good = stream(SEED, "export", 9).read(8 * 60)
    data = b"".join(bytes(8) * 3 + good[i : i + 24] for i in range(0, len(good), 24))
    plain, batch = recorded_words(data), recorded_words(data)
    expected = [list(shuffle(plain, 40)) for _ in range(15)]
    assert deal_decks(batch, 15, 40).tolist() == expected
    assert batch.drawn == plain.drawn > 15 * 5


def word_on_the_threshold(total):
    """The word whose product has the threshold itself as its lower half: the last one that is kept."""
    word, rest = divmod((total - 1 << 64) + (1 << 64) % total, total)
    assert rest == 0
    return word


@pytest.mark.parametrize("cards", [3, 7, 40, 52])
def test_a_word_exactly_on_the_threshold_is_kept_in_both_forms(cards):
    words = [word_on_the_threshold(prod(group)) for group in bound_groups(cards)]
    data = b"".join(word.to_bytes(8, "little") for word in words)
    plain, batch = recorded_words(data), recorded_words(data)
    order = shuffle(plain, cards)
    # Every draw is the largest: each card in turn is exchanged with the last one.
    assert order == arrange([bound - 1 for bound in range(cards, 1, -1)], cards)
    assert deal_decks(batch, 1, cards).tolist() == [list(order)]
    assert batch.drawn == plain.drawn == len(words)


@pytest.mark.parametrize("n", [3, 7, 37, 52, 2**32 + 1, 2**63 + 1])
def test_a_number_exactly_on_the_threshold_is_kept_in_both_forms(n):
    data = word_on_the_threshold(n).to_bytes(8, "little")
    assert below(recorded_words(data), n) == n - 1
    assert many_below(recorded_words(data), n, 1).tolist() == [n - 1]


@pytest.mark.parametrize("n", [1, 2, 3, 37, 52, 2**32 + 1, 2**63 + 1, 2**64 - 1, 2**64])
def test_many_numbers_are_the_numbers_one_by_one(n):
    batch, plain = stream(SEED, "export", 2), stream(SEED, "export", 2)
    assert many_below(batch, n, 9000).tolist() == [below(plain, n) for _ in range(9000)]
    assert batch.drawn == plain.drawn


@pytest.mark.parametrize("k", [0, 1, 5, 11, 12, 23, 24, 39, 40])
def test_dealing_some_cards_gives_the_front_of_the_full_shuffle(k):
    some, full = stream(SEED, "export", 3), stream(SEED, "export", 3)
    assert deal(some, 40, k) == shuffle(full, 40)[:k]
    assert some.drawn <= full.drawn


def test_bytes_are_those_of_the_words():
    one, other = stream(SEED, "export", 4), stream(SEED, "export", 4)
    words = b"".join(one.word().to_bytes(8, "little") for _ in range(20_000))
    assert other.read(80_000) + other.read(80_000) == words
    assert other.read(3) == one.word().to_bytes(8, "little")[:3]
    assert other.word() == one.word()


def test_mixed_draws_follow_each_other_word_by_word():
    a, b = stream(SEED, "export", 5), stream(SEED, "export", 5)
    mixed = [
        below(a, 6),
        shuffle(a, 40),
        deal_decks(a, 2, 40).tolist(),
        many_below(a, 9, 3).tolist(),
        a.read(5),
    ]
    expected = [
        below(b, 6),
        shuffle(b, 40),
        [list(shuffle(b, 40)) for _ in range(2)],
        [below(b, 9) for _ in range(3)],
        b.word().to_bytes(8, "little")[:5],
    ]
    assert mixed == expected


@given(st.lists(st.integers(1, 300), min_size=1, max_size=6), st.integers(0, 2**64 - 1))
def test_together_is_one_number_in_mixed_radix(bounds, word):
    total = prod(bounds)
    values = split_word(word, bounds, (1 << 64) % total)
    single = split_word(word, (total,), (1 << 64) % total)
    assert (values is None) == (single is None)
    if values is not None and single is not None:
        number = 0
        for value, bound in zip(values, bounds, strict=True):
            number = number * bound + value
        assert number == single[0]


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1, 1.0, True, "6", None])
def test_bounds_out_of_range_are_refused(n):
    source = stream(SEED, "export", 0)
    refuses(
        RangeError,
        ("", lambda: below(source, n)),
        ("", lambda: many_below(source, n, 1)),
    )
    for count in (-1, True, 1.5):
        with pytest.raises(RangeError):
            many_below(source, 6, count)  # type: ignore[arg-type]
    assert source.drawn == 0


def test_products_out_of_range_are_refused():
    source = stream(SEED, "export", 0)
    for bounds in ((), (2**33, 2**32), (6, 0)):
        with pytest.raises(RangeError):
            together_below(source, bounds)


@pytest.mark.parametrize(
    ("count", "cards"), [(-1, 40), (1, 0), (1, 65_537), (1.0, 40), (True, 40), (1, True)]
)
def test_decks_out_of_range_are_refused(count, cards):
    with pytest.raises(RangeError):
        deal_decks(stream(SEED, "export", 0), count, cards)  # type: ignore[arg-type]


def test_more_cards_than_a_deck_has_are_refused():
    with pytest.raises(RangeError):
        deal(stream(SEED, "export", 0), 40, 41)


def test_a_recording_that_ends_serves_nothing_more():
    source = recorded_words(bytes(16))
    refuses(EntropyError, ("used up", lambda: deal_decks(source, 1, 40)), ("", lambda: source.word()))

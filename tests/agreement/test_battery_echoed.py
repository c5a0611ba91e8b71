"""What repeats, waits or comes again in a stream: counts by their plain definitions, laws by counting."""

import functools
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import numpy as np
import plain_definitions
import pytest
from hypothesis import given, settings, strategies as st
from representatives import firsts
from scipy import special

from rng.battery import (
    NotRun,
    TestResult,
    balls,
    conclude,
    dispersion,
    e_values,
    from_bytes,
    rows,
    sequences,
    whole as scan,
    whole_stream,
    word_counts,
    words,
)
from rng.battery.cards import between_rounds
from rng.battery.cards.decks import DeckShoe
from rng.battery.planted import good, scaled
from rng.battery.planted.equipment import BALLS, KENO, REELS
from rng.battery.planted.known import additive
from rng.battery.sequences import lagged, waiting
from rng.battery.words import after_bytes, agreements, exclusive_ors, weights_p
from rng.draws import Integer, OrderedSample, Product, Repetition, draw_many
from rng.streams import stream


@given(st.integers(2, 9), st.lists(st.integers(0, 8), min_size=6, max_size=30))
def test_sums_of_three_are_those_of_their_definition(below: int, drawn: list[int]) -> None:
    values = [number % below for number in drawn]
    found = lagged.three_counts(np.array(values), below, 5)
    pairs = [(j, k) for j in range(1, 6) for k in range(j + 1, 6)]
    signs = [(1, 1)] if below == 2 else [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    for pair, (j, k) in enumerate(pairs):
        for sign, (near, far) in enumerate(signs):
            seen = Counter(
                (values[i] + near * values[i - j] + far * values[i - k]) % below
                for i in range(5, len(values))
            )
            assert found[pair, sign].tolist() == [seen[value] for value in range(below)]


@pytest.mark.parametrize("below", [3, 6, 37, 40, 128])
@pytest.mark.parametrize("size", [50, 3_000])
def test_sums_of_two_are_those_of_their_definition(
    monkeypatch: pytest.MonkeyPatch, below: int, size: int
) -> None:
    # Of 3,000 numbers several blocks are made, as of the largest samples.
    monkeypatch.setattr(lagged, "SIZE", 1 << 10)
    values = good.uniform_numbers(good.aes_ctr, size + below, below, size).astype(np.int64)
    lags = 20
    differences, sums, blocks, length = lagged.two_counts(values, below, lags)
    assert blocks == (1 if size == 50 else 3)
    cut = values[: blocks * length].reshape(blocks, length)
    for lag in range(1, lags + 1):
        for found, signed in (
            (differences, cut[:, lag:] - cut[:, :-lag]),
            (sums, cut[:, lag:] + cut[:, :-lag]),
        ):
            assert found[lag - 1].tolist() == np.bincount(signed.ravel() % below, minlength=below).tolist()


@pytest.mark.parametrize("below", [2, 3])
def test_a_value_of_a_sum_is_binomial_over_every_sequence(below: int) -> None:
    size, farthest = 7, 3
    trials = size - farthest
    laws: dict[tuple[int, int, int], Counter[int]] = {}
    for values in product(range(below), repeat=size):
        counts = lagged.three_counts(np.array(values), below, farthest)
        for at, count in np.ndenumerate(counts):
            laws.setdefault(at, Counter())[int(count)] += 1  # type: ignore[arg-type]
    for law in laws.values():
        for count in range(trials + 1):
            chance = math.comb(trials, count) * (below - 1) ** (trials - count) / below**trials
            assert law[count] / below**size == pytest.approx(chance)


def test_bets_on_streaks_are_worth_their_stake_on_the_average_of_every_sequence() -> None:
    capital = np.zeros(waiting.LONGEST)
    for signs in product((-1.0, 1.0), repeat=11):
        cases, went_on = waiting.continued(np.array(signs, dtype=np.float32))
        capital += np.exp(e_values.log_capital(went_on, cases, np.full(waiting.LONGEST, 0.5)))
    assert capital / 2**11 == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("below", [3, 4, 36, 37])
def test_the_inner_half_is_as_large_as_the_outer(below: int) -> None:
    signs = waiting.inner_half(np.arange(below, dtype=np.uint64), below)
    assert signs.sum() == 0
    assert np.count_nonzero(signs == 0) == below % 2


def test_bets_on_cards_apart_are_worth_their_stake_on_the_average_of_every_order() -> None:
    groups, tilts = np.array([0, 0, 1, 1, 1, 2]), np.log(e_values.TILTS)
    sizes = np.bincount(groups)
    share = np.arange(sizes.max() + 1)[:, None] / np.maximum(np.arange(7), 1)[None, :]
    prices = np.log1p(np.minimum(share, 1.0)[:, :, None] * np.expm1(tilts))
    won = [
        np.exp(between_rounds.capital(np.array([order], dtype=np.uint8), groups, sizes, tilts, prices, 5))
        for order in permutations(range(6))
    ]
    assert np.mean(won, axis=0) == pytest.approx(1.0, rel=1e-9)


def test_bets_on_cards_apart_are_those_placed_one_by_one() -> None:
    groups, tilts = np.arange(30) % 4, np.log(e_values.TILTS)
    sizes = np.bincount(groups)
    share = np.arange(sizes.max() + 1)[:, None] / np.maximum(np.arange(31), 1)[None, :]
    prices = np.log1p(np.minimum(share, 1.0)[:, :, None] * np.expm1(tilts))
    decks = np.argsort(good.aes_ctr(6, 20 * 30).reshape(20, 30), axis=1).astype(np.uint8)
    won = np.zeros((7, tilts.size))
    for deck in decks:
        left = sizes.copy()
        for place, group in enumerate(groups[deck]):
            for apart in range(1, min(place, 7) + 1):
                before = groups[deck[place - apart]]
                won[apart - 1] += tilts * (before == group) - prices[left[before], 30 - place]
            left[group] -= 1
    assert between_rounds.capital(decks, groups, sizes, tilts, prices, 7) == pytest.approx(won, rel=1e-9)


def test_packs_laid_on_each_other_are_seen_and_ranks_alone_make_no_faces() -> None:
    shoe = DeckShoe(24, ranks=tuple(range(12)) * 2, suits=(0, 1) * 12)
    decks = np.argsort(good.aes_ctr(5, 200 * 12).reshape(200, 12), axis=1).astype(np.uint8)
    result = between_rounds.equal_runs_apart(np.hstack([decks, decks + 12]).astype(np.uint8), shoe)
    assert result.p_values[0] < 1e-100
    assert result.labels[0] == "ranks equal, 12 apart"
    assert len(set(between_rounds.faces(shoe))) == 12


def test_columns_alike_need_one_range_and_three_columns() -> None:
    two, mixed = Repetition(Integer(6), 2), Product((Integer(6), Integer(6), Integer(7)))
    few = np.zeros((50, 3), dtype=np.uint8)
    assert rows.beside(two, few[:, :2], tests=[rows.NAME]) == ()
    assert rows.beside(mixed, few, tests=[rows.NAME]) == ()
    (short,) = rows.beside(Repetition(Integer(6), 3), few, tests=[rows.NAME])
    assert short.minimum_sample == rows.LEAST_ROWS  # type: ignore[union-attr]


@pytest.mark.parametrize("held", [1 << 23, 1_500])
def test_balls_in_common_are_counted_lag_by_lag(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    # Of two hundred draws all at once, and seventy-five in a piece.
    monkeypatch.setattr(balls, "HELD", held)
    draw = OrderedSample(20, 5)
    drawn = np.argsort(good.aes_ctr(3, 200 * 20).reshape(200, 20), axis=1)[:, :5].astype(np.uint8)
    found = balls.in_common(draw, drawn, 16)
    for lag in range(1, 17):
        common = Counter(len({*drawn[i]} & {*drawn[i - lag]}) for i in range(lag, 200))
        assert found[lag - 1].tolist() == [common[balls_] for balls_ in range(6)]


@given(st.binary(min_size=24, max_size=80))
def test_relations_within_words_are_those_of_their_definition(data: bytes) -> None:
    octets = np.frombuffer(data[: len(data) // 8 * 8], dtype=np.uint8)
    bits = np.unpackbits(octets).reshape(-1, 64)
    same, before = agreements(octets)
    cases, ones = after_bytes(octets)
    quarter, words = octets.reshape(-1, 4), np.unpackbits(octets).reshape(-1, 32)
    for a, b in ((0, 1), (17, 63), (5, 5)):
        assert same[a, b] == np.count_nonzero(bits[:, a] == bits[:, b])
        assert before[a, b] == np.count_nonzero(bits[1:, a] == bits[:-1, b])
    for byte in range(4):
        for value in {*quarter[:-1, byte].tolist()}:
            follow = words[1:][quarter[:-1, byte] == value]
            assert cases[byte, value] == len(follow)
            assert ones[byte, value].tolist() == follow.sum(axis=0).tolist()
    xors = exclusive_ors(octets, 3)
    for j, k in ((0, 1), (0, 3), (1, 2), (2, 3)):
        seen = Counter(
            int(octets[i]) ^ (int(octets[i - j]) if j else 0) ^ int(octets[i - k])
            for i in range(3, octets.size)
        )
        assert xors[j, k].tolist() == [seen[value] for value in range(256)]


def test_ones_in_a_word_spread_as_they_should() -> None:
    words = good.aes_ctr(9, 1 << 15)
    assert weights_p(words.view(np.uint8), 32) > 1e-3
    ones = np.bitwise_count(words)
    assert weights_p(words[(ones > 10) & (ones < 22)].view(np.uint8), 32) < 1e-30
    assert weights_p(words[(ones < 13) | (ones > 19)].view(np.uint8), 32) < 1e-30


def test_the_farthest_cell_has_its_exact_tail() -> None:
    p_value, at = lagged.farthest_cell(np.array([[10, 20, 30], [20, 20, 20]]), np.array([60, 60]))
    assert at in (0, 2)
    exact = 6 * 2 * float(special.bdtrc(29, 60, 1 / 3))
    assert p_value == pytest.approx(min(exact, 6 * 2 * float(special.bdtr(10, 60, 1 / 3))))


def test_what_is_planted_is_named() -> None:
    draw = Repetition(Integer(24), 5)
    made = np.stack([good.uniform_numbers(good.aes_ctr, 80 + i, 24, 40_000) for i in range(5)], axis=1)
    made[2:400, 2] = made[:398, 1]
    (_, matches) = rows.column_pairs(draw, made)
    assert isinstance(matches, TestResult)
    assert matches.labels[-1] == "values at place 3, equal to values at place 2 of 2 before"
    assert matches.p_values[-1] < 1e-20


# Due numbers, balls drawn together and three reels: laws by counting, bets by their definition, good draws passed.


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 200), st.sampled_from([(5, 1), (6, 2), (7, 3)]), st.integers(1, 14))
def test_bets_on_due_numbers_are_those_of_the_definition(
    seed: int, kind: tuple[int, int], draws: int
) -> None:
    numbers, drawn = kind
    keys = good.aes_ctr(seed, draws * numbers).reshape(draws, numbers)
    made = np.argsort(keys, axis=1)[:, :drawn]
    tilts, ages = np.log([0.5, 2.0]), [1, 3]
    prices = e_values.log_prices(numbers, drawn, tilts)
    fast = e_values.capital(made, numbers, np.array(ages), tilts, prices)
    plain = plain_definitions.capital(made.tolist(), numbers, ages, tilts.tolist(), prices)
    assert fast.tolist() == [pytest.approx(row, abs=1e-9) for row in plain]


def test_the_price_of_a_bet_is_its_mean_over_every_draw() -> None:
    prices = e_values.log_prices(6, 3, np.log([2.0]))
    for size in range(7):
        mean = np.mean([2.0 ** len(set(draw) & set(range(size))) for draw in combinations(range(6), 3)])
        assert math.exp(prices[size, 0]) == pytest.approx(float(mean), rel=1e-12)


def test_neighbours_and_marked_balls_have_the_law_of_every_subset() -> None:
    for n, k in ((7, 3), (6, 4), (5, 1)):
        subsets = list(combinations(range(n), k))
        neighbours = Counter(sum(b - a == 1 for a, b in pairwise(s)) for s in subsets)
        law = balls.neighbour_law(n, k)
        assert [float(p) for p in law] == pytest.approx([neighbours[j] / len(subsets) for j in range(k)])
        marked = Counter(sum(ball < 3 for ball in s) for s in subsets)
        law = balls.marked_law(n, k, 3)
        assert [float(p) for p in law] == pytest.approx([marked[j] / len(subsets) for j in range(k + 1)])


def test_the_mean_of_numbers_with_a_law_is_bounded_by_its_exact_tail() -> None:
    law = np.array([0.25, 0.5, 0.25])  # the sum of 20 of them is a binomial number of 40 coins
    for total in (32, 36):
        exact = sum(math.comb(40, k) for k in range(total, 41)) / 2**40
        counts = np.array([0, 40 - total, total - 20])
        assert 2 * exact <= dispersion.mean_p(counts, law) < 40 * exact


def test_due_numbers_are_found_where_gaps_and_poisson_see_nothing() -> None:
    avoided = scaled.due_avoided(good.aes_ctr, 3, 300_000, 37, 185, 10)
    results = sequences.run(avoided, 37, ["due-numbers", "gap", "poisson"])
    smallest = {r.test: min(r.decided) * len(r.decided) for r in results if isinstance(r, TestResult)}
    assert smallest["due-numbers"] < 1e-4 < min(smallest["gap"], smallest["poisson"])


@pytest.mark.parametrize(
    ("ranges", "draws"), firsts([((6, 37), (BALLS,)), ((2, 1_000), (KENO,))]), ids=["some", "others"]
)
def test_good_draws_of_every_kind_pass(ranges: tuple[int, ...], draws: tuple[OrderedSample, ...]) -> None:
    for below in ranges:
        results = sequences.run(good.uniform_numbers(good.chacha20, 8, below, 3_000), below, ["due-numbers"])
        assert conclude(results).word == "satisfied"
    for draw in draws:
        made = draw_many(stream(bytes(32), "battery-calibration", draw.size), draw, 2_000)
        assert conclude(balls.run(draw, made, ("compositions", "together", "due-balls"))).word == "satisfied"
    reels = draw_many(stream(bytes(32), "battery-calibration", 77), REELS, 3_000)
    (triples,) = rows.beside(REELS, reels, tests=("column-triples",))
    assert conclude([triples]).word == "satisfied"


def test_where_every_ball_is_drawn_there_is_nothing_to_wait_for() -> None:
    made = np.tile(np.arange(6, dtype=np.uint8), (200, 1))
    for result in balls.run(OrderedSample(6, 6), made, ("compositions", "together", "due-balls")):
        assert isinstance(result, NotRun)
        assert not result.undecided


def test_capital_and_its_p_value_are_inverse() -> None:
    assert e_values.p_value(math.log(50)) == pytest.approx(0.02)


# Words of a stream and what comes again in it: laws compared with counting, faults found, good streams passed.


NEW = tuple(test.name for test in (*words.WORDS, *whole_stream.RECURRENCE))


@given(st.binary(min_size=8, max_size=64))
def test_words_are_counted_bit_by_bit(octets: bytes) -> None:
    whole = octets[: len(octets) // 8 * 8]
    found = word_counts.count_words(np.frombuffer(octets, dtype=np.uint8))
    text = "".join(format(octet, "08b") for octet in whole)
    assert found.words == len(whole) // 8
    for width in (8, 16, 32, 64):
        cut = [text[i : i + width] for i in range(0, len(text), width)]
        assert found.ones(width).tolist() == [sum(word[i] == "1" for word in cut) for i in range(width)]
        if width > 8:
            assert found.odd[width] == sum(word.count("1") % 2 for word in cut)
    assert found.bytes.tolist() == np.bincount(list(whole), minlength=256).tolist()


@given(st.binary(min_size=1, max_size=40))
def test_the_longest_run_is_that_of_the_text(octets: bytes) -> None:
    text = "".join(format(octet, "08b") for octet in octets)
    longest = max(n for n in range(1, len(text) + 1) if "0" * n in text or "1" * n in text)
    whole = np.frombuffer(octets, dtype=np.uint8)
    assert scan.runs_of(whole).longest == longest
    parts = [scan.runs_of(whole[start : start + 3]) for start in range(0, whole.size, 3)]
    assert functools.reduce(scan.Runs.then, parts, scan.Runs()).longest == longest


def test_a_stream_in_pieces_is_counted_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    octets = good.aes_ctr(6, 25_003).view(np.uint8)[:100_009]
    octets[50_000:50_200] = 0
    whole = scan.scan(octets)
    monkeypatch.setattr(scan, "PIECE", 4_096)
    found = scan.scan(octets)
    assert found.runs == whole.runs
    assert (found.words.words, found.words.odd) == (whole.words.words, whole.words.odd)
    assert (found.words.lanes == whole.words.lanes).all()
    assert np.concatenate(found.windows).tolist() == scan.windows(octets).tolist()


@pytest.mark.parametrize("length", [2, 3, 4, 7])
def test_the_law_of_the_longest_run_is_that_of_every_sequence(length: int) -> None:
    free = sum(
        "0" * length not in (text := "".join(bits)) and "1" * length not in text
        for bits in product("01", repeat=11)
    )
    assert whole_stream.run_shorter_than(length, 11) == pytest.approx(free / 2**11, rel=1e-12)


@given(st.integers(0, 3), st.integers(0, 60), st.integers(8, 30), st.integers(0, 200))
def test_the_longest_repeat_is_found_wherever_it_is(seed: int, first: int, length: int, gap: int) -> None:
    octets = good.aes_ctr(seed, 100).view(np.uint8).copy()
    second = first + length + gap
    octets[second : second + length] = octets[first : first + length]
    octets[[first - 1, first + length]] ^= np.uint8(1)
    stretch, _, _ = whole_stream.longest_repeat(octets, [scan.windows(octets)])
    text = octets.tobytes()
    expected = max(
        (n for n in range(8, 60) if any(text.find(text[i : i + n], i + 1) >= 0 for i in range(400 - n))),
        default=0,
    )
    assert stretch == expected


def test_repetitions_have_the_law_of_occupancy() -> None:
    # 40 words of 64 values: the chance of at most r that came before, by the classical sum (Feller, IV.2).
    def seen(m: int) -> float:
        ways = sum((-1) ** j * math.comb(m, j) * (m - j) ** 40 for j in range(m + 1))
        return float(Fraction(math.comb(64, m) * ways, 64**40))

    for again in (2, 3, 22):
        below = math.fsum(seen(m) for m in range(40 - again, 41))
        above = math.fsum(seen(m) for m in range(1, 40 - again + 1))
        exact = min(1.0, 2 * min(below, above))
        assert exact <= words.repetitions_p(again, 40, 64) * (1 + 1e-6)
        assert words.repetitions_p(again, 40, 64) < 40 * exact


def test_a_good_stream_passes_at_every_size() -> None:
    for size in (800, 2_000, 16_384, 400_000):
        results = whole_stream.run(from_bytes(good.chacha20(size, size // 4).tobytes()), NEW)
        assert all(isinstance(result, TestResult) for result in results)
        assert conclude(results).word == "satisfied"


def test_upper_bytes_of_a_lagged_generator_are_found_in_words_of_eight_bits() -> None:
    # The upper bytes of additive generators of lags 55 and 24, and 607 and 273: no bit of them is linear alone.
    for long, short in ((55, 24), (607, 273)):
        state = good.aes_ctr(9, long)
        octets = (additive(state, 40_000, long, short) >> np.uint32(24)).astype(np.uint8)
        results = word_counts.run(from_bytes(octets.tobytes()), ("known-lags",))
        assert conclude(results).word == "not satisfied"


def test_words_of_both_widths_stand_together_and_short_streams_leave_tests_out() -> None:
    results = word_counts.run(from_bytes(good.chacha20(3, 12_500).tobytes()))
    labels = {
        label.partition(",")[0]
        for result in results
        if isinstance(result, TestResult)
        for label in result.labels
    }
    assert {"8 bits", "32 bits"} <= labels
    assert len({result.test for result in results}) == len(results)
    assert conclude(results).word == "satisfied"
    assert word_counts.run(from_bytes(b"\x00" * 50)) == ()

"""Tests of randomness from standards: SP 800-22, AIS 20/31, and the tails that verdicts rest on."""

import hashlib
import math
from fractions import Fraction

import numpy as np
import pytest
from noise import from_bits
from representatives import firsts
from scipy import special

from rng.battery import BitStream, NotRun, TestResult, conclude, from_bytes, sequences, sp800_22
from rng.battery.ais31 import procedures, run_procedure
from rng.battery.cell_sums import pearson_tail, visits_two_sided
from rng.battery.planted import good
from rng.battery.sp800_22 import TESTS, judge, run
from rng.battery.sp800_22.nulls import uniform
from rng.battery.sp800_22.streams import as_reference, binomial_p, judge_p_values
from rng.battery.sp800_22.templates import expectation, occurrence_chances, statistic_tail
from rng.errors import SampleError

# Shortest sequence for the default parameters, by the standard's section on each test.
MINIMA = {
    "frequency": 100,
    "block-frequency": 128,
    "runs": 100,
    "longest-run": 128,
    "rank": 38_912,
    "fft": 1000,
    "non-overlapping-template": 20_544,
    "overlapping-template": 1_000_000,
    "universal": 387_840,
    "linear-complexity": 1_000_000,
    "serial": 524_288,
    "approximate-entropy": 65_536,
    "cumulative-sums": 100,
    "random-excursions": 1_000_000,
    "random-excursions-variant": 1_000_000,
}


def counted_bits(count):
    """Bits of a full-period generator: good enough to run every test on."""
    state = np.arange(count // 8 + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    octets = (state >> np.uint64(56)).astype(np.uint8)
    return from_bytes(octets.tobytes()).segment(0, count)


def test_the_fifteen_tests_in_the_order_of_the_standard():
    assert list(TESTS) == [
        "frequency",
        "block-frequency",
        "runs",
        "longest-run",
        "rank",
        "fft",
        "non-overlapping-template",
        "overlapping-template",
        "universal",
        "linear-complexity",
        "serial",
        "approximate-entropy",
        "cumulative-sums",
        "random-excursions",
        "random-excursions-variant",
    ]
    assert [test.section for test in TESTS.values()] == [f"2.{i}" for i in range(1, 16)]


@pytest.mark.parametrize(("name", "least"), MINIMA.items())
def test_minimum_lengths_are_enforced(name, least):
    with pytest.raises(
        SampleError, match=f"{name} not run: {least - 1} bits.*at least {least} bits are required"
    ):
        run(counted_bits(least - 1), tests=[name])
    # Asked for with others, a test that does not apply for another reason says so instead of raising.
    result, _ = run(counted_bits(least), tests=[name, "frequency" if name != "frequency" else "runs"])
    if isinstance(result, NotRun):
        assert "cycles" in result.reason
    else:
        assert all(0 <= p <= 1 for p in result.p_values)


def test_a_short_sequence_is_never_silently_skipped():
    results = run(counted_bits(5000))
    assert [result.test for result in results] == list(TESTS)
    refused = {result.test: result for result in results if isinstance(result, NotRun)}
    assert set(refused) == {name for name, least in MINIMA.items() if least > 5000}
    for name, refusal in refused.items():
        assert refusal.minimum_sample == MINIMA[name]
        assert "5000 bits" in refusal.reason


def test_results_keep_the_order_asked_for():
    names = ("runs", "frequency", "block-frequency", "cumulative-sums")
    results = run(counted_bits(1000), tests=names)
    assert tuple(result.test for result in results) == names
    assert results[1].parameters == {}  # type: ignore[union-attr]
    assert results[2].parameters == {"m": 128}  # type: ignore[union-attr]
    assert results[3].labels == ("forward", "backward")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tests": ["monobit"]}, "unknown test 'monobit', expected some of: frequency"),
        ({"tests": []}, "no test named"),
        ({"constants": "best"}, "constants 'best', expected 'reference' or 'exact'"),
        ({"settings": {"frequency.m": 3}}, "frequency: unknown parameter 'm', expected one of: none"),
        ({"settings": {"block-frequency.n": 3}}, "unknown parameter 'n', expected one of: m"),
        ({"settings": {"block-frequency.m": 1}}, "m = 1, expected 2 to"),
        ({"settings": {"block-frequency.m": "x"}}, "'x', expected a whole number"),
        ({"settings": {"block-frequency": 4}}, "unknown setting 'block-frequency', expected TEST.PARAMETER"),
        ({"settings": {"nothing.m": 4}}, "unknown setting 'nothing.m'"),
        ({"settings": {"linear-complexity.m": 499}}, "m = 499, expected 500 to 5000"),
    ],
)
def test_wrong_calls_are_refused(arguments, message):
    with pytest.raises(SampleError, match=message):
        run(counted_bits(1000), **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", firsts([[0], [1], [0, 1], [1, 0, 0]]))
def test_degenerate_sequences_have_p_values_too(pattern):
    bits = from_bits((pattern * 1_000_000)[:1_000_000])
    for result in run(bits):
        if isinstance(result, NotRun):
            assert "cycles" in result.reason
        else:
            assert all(0 <= p <= 1 for p in result.p_values), result.test


@pytest.mark.parametrize("length", [4, 5, 17, 1031, 3845])
def test_without_the_minima_whatever_can_be_computed_is(length):
    for result in run(counted_bits(length), enforce_lengths=False):
        if isinstance(result, NotRun):
            assert f"{length} bits" in result.reason
        else:
            assert all(0 <= p <= 1 for p in result.p_values), result.test


def test_one_sequence_has_a_largest_length():
    octets = np.broadcast_to(np.zeros(1, dtype=np.uint8), ((1 << 25) + 1,))
    with pytest.raises(SampleError, match="at most 268435456; longer data is cut into sequences"):
        run(BitStream(octets, (1 << 28) + 1))


DATA = from_bytes(b"".join(hashlib.sha256(b"streams %d" % i).digest() for i in range(2000)))


def spread(counts):
    return tuple(0.1 * place + 0.05 for place, count in enumerate(counts) for _ in range(count))


def test_against_sts_rows_with_their_errors():
    # A row of an STS 2.1.2 report on 63 sequences: it prints 0.585209, rounding 6.3 down to 6; 0.637119 is right.
    p_values = spread((10, 5, 7, 6, 7, 2, 8, 5, 8, 5))
    judged = judge_p_values("random-excursions", "+1", p_values, 37, uniform(0.01), 0.01)
    assert f"{judged.reference.uniformity:.6f}" == "0.585209"
    assert f"{judged.uniformity:.6f}" == "0.637119"
    assert judged.reference.sequences == 63
    assert judged.not_run == 37


def test_ninety_six_of_a_hundred_pass_in_sts_and_are_outside_the_unrounded_bounds():
    p_values = (0.001,) * 4 + spread((6, *(10,) * 9))
    judged = judge_p_values("frequency", "", p_values, 0, uniform(0.01), 0.01)
    assert judged.passed == 96
    assert judged.reference.bounds == (96, 101)
    assert not judged.reference.flagged
    assert judged.bounds[0] == pytest.approx(0.96015, abs=1e-5)
    assert judged.passed / 100 < judged.bounds[0]
    # The exact probability says how little that means: an event of 1.8 percent.
    assert judged.proportion_p == pytest.approx(0.018374, abs=1e-6)


def test_a_p_value_at_the_level_passes():
    # 4.2.1 counts the sequences whose p-value is at least the level.
    assert judge_p_values("frequency", "", (0.01, 0.009999, 0.5), 0, uniform(0.01), 0.01).passed == 2


def test_binomial_probability_is_exact():
    chances = [0.99**100, 100 * 0.01 * 0.99**99]
    assert binomial_p(100, 100, 0.99) == pytest.approx(1 - chances[1], rel=1e-9)
    assert binomial_p(0, 1, 0.99) == pytest.approx(0.01)


def test_few_p_values_have_no_uniformity():
    judged = judge_p_values("frequency", "", spread((5,) * 10), 0, uniform(0.01), 0.01)
    assert judged.uniformity is None
    assert judged.reference.uniformity == 1.0
    assert as_reference((0.5,) * 9, 0.01, zeros_left_out=False).uniformity is None


def test_zeros_are_left_out_only_where_sts_does_so():
    p_values = (0.0, 0.0000004, 0.5)
    assert as_reference(p_values, 0.01, zeros_left_out=True).sequences == 1
    assert as_reference(p_values, 0.01, zeros_left_out=False).sequences == 3


def over(streams, length, **requested):
    """Returns the tests on consecutive sequences, and what they come to together."""
    ran = [run(DATA.segment(i * length, length), **requested) for i in range(streams)]
    return ran, judge(ran, length, "reference")


def test_every_sequence_is_tested_and_what_is_refused_is_not_judged():
    ran, judged = over(60, 8000)
    names = {result.test for result in judged}
    refused = {one.test for one in ran[0] if isinstance(one, NotRun)}
    assert not names & refused
    assert len(names | refused) == 15
    first = {(r.test, r.label): r.p_values for r in judged}
    for result in (one for one in ran[1] if not isinstance(one, NotRun)):
        for index, p in enumerate(result.p_values):
            assert first[result.test, result.labels[index] if result.labels else ""][1] == p
    for result in judged:
        assert sum(result.counts) == 60
        assert sum(result.expected) == pytest.approx(60)
        assert result.uniformity >= 0.0001


def test_laws_are_used_for_the_standard_parameters_only():
    assert all(result.exact_null for result in over(12, 40_000, tests=["rank", "frequency"])[1])
    other = over(12, 40_000, tests=["rank"], settings={"rank.m": 16})[1]
    assert not any(result.exact_null for result in other)


LENGTH_A = procedures.DISJOINT_BITS * procedures.DISJOINT_WORDS + 257 * 20_000
LENGTH_B = 7_200_000
# With so few sequences the rule of procedure A is the same and takes a moment.
FEW = 12
LENGTH_FEW = procedures.DISJOINT_BITS * procedures.DISJOINT_WORDS + FEW * 20_000


@pytest.fixture
def few_sequences(monkeypatch):
    monkeypatch.setattr(procedures, "SEQUENCES", FEW)


def bits_of(seed, count):
    return np.unpackbits(good.chacha20(seed, -(-count // 32)).view(np.uint8))[:count]


@pytest.mark.parametrize(("procedure", "length"), [("A", LENGTH_A), ("B", LENGTH_B)])
def test_good_bits_pass(procedure, length):
    found = run_procedure(from_bits(bits_of(3, length)), procedure)
    assert found.word == "satisfied", found.failed
    assert len(found.rounds[0]) == (1 + 257 * 5 if procedure == "A" else 9)
    short = run_procedure(from_bytes(bytes(1_000)), procedure)
    assert short.word == "inconclusive"
    assert not short.rounds


def spoilt(count, spoil):
    bits = bits_of(4, count)
    spoil(bits)
    return from_bits(bits)


def repeat_word(bits):
    bits[48:96] = bits[:48]
    bits[480:528] = bits[:48]


def bias(bits):
    bits[::16] = 1


def echo(bits):
    for start in range(700, bits.size - 700, 700):
        bits[start : start + 700 : 7] = bits[start - 700 : start : 7]


def stick(bits):
    bits[1::10] = bits[::10][: bits[1::10].size]


def hold(bits):
    for at in range(0, bits.size - 34, 9_973):
        bits[at : at + 34] = 1


@pytest.mark.usefixtures("few_sequences")
@pytest.mark.parametrize(("tests", "spoil"), [("T1 T2", bias), ("T3", stick), ("T4", hold), ("T5", echo)])
def test_procedure_a_finds_what_is_planted(tests, spoil):
    found = run_procedure(spoilt(LENGTH_FEW, spoil), "A")
    assert found.word == "not satisfied"
    assert set(tests.split()) <= {outcome.test for outcome in found.failed}


def test_a_repeated_word_fails_the_disjointness_test():
    count = procedures.DISJOINT_BITS * procedures.DISJOINT_WORDS
    bits = bits_of(4, count)
    assert procedures.disjointness(bits).passed
    repeat_word(bits)
    outcome = procedures.disjointness(bits)
    assert (outcome.passed, outcome.statistic) == (False, 2)


def sticky(bits):
    bits[1::16] = bits[::16][: bits[1::16].size]
    bits[5::16] = bits[4::16][: bits[5::16].size]


def remembers_three(bits):
    # Groups of four begin where T7b's begin or elsewhere: every bit leans to the one three before it.
    lean = bits_of(9, bits.size) & bits_of(10, bits.size) & bits_of(11, bits.size) & bits_of(12, bits.size)
    for phase in range(3, 12):
        at = np.arange(phase, bits.size, 9)
        take = lean[at] == 1
        bits[at[take]] = bits[at[take] - 3]


@pytest.mark.parametrize(("tests", "spoil"), [("T6a T8", bias), ("T6b", sticky), ("T7b", remembers_three)])
def test_procedure_b_finds_what_is_planted(tests, spoil):
    found = run_procedure(spoilt(2 * LENGTH_B, spoil), "B")
    assert found.word == "not satisfied"
    assert set(tests.split()) <= {outcome.test for outcome in found.failed}


def test_t7a_finds_a_bit_that_remembers_the_one_before_the_last():
    first, second = bits_of(5, 100_000), bits_of(6, 100_000)
    assert procedures.homogeneity("T7a", 1, first, second).passed
    second[::50] = 1
    assert not procedures.homogeneity("T7a", 1, first, second).passed


@pytest.mark.usefixtures("few_sequences")
def test_exactly_one_failure_is_repeated_once_on_fresh_bits():
    def one_long_run(bits):
        start = procedures.DISJOINT_BITS * procedures.DISJOINT_WORDS
        bits[start + 5_000 : start + 5_034] = 1

    alone = run_procedure(spoilt(LENGTH_FEW, one_long_run), "A")
    assert (alone.word, [o.test for o in alone.failed]) == ("inconclusive", ["T4"])
    assert "repetition" in alone.reason
    cleared = run_procedure(spoilt(2 * LENGTH_FEW, one_long_run), "A")
    assert (cleared.word, len(cleared.rounds)) == ("satisfied", 2)
    assert cleared.used == 2 * LENGTH_FEW

    def twice(bits):
        one_long_run(bits)
        one_long_run(bits[LENGTH_FEW:])

    assert run_procedure(spoilt(2 * LENGTH_FEW, twice), "A").word == "not satisfied"


def test_autocorrelation_by_transform_is_that_of_counting():
    half = bits_of(7, 10_000)
    counted = [int((half[:5_000] ^ half[shift : shift + 5_000]).sum()) for shift in range(1, 5_001)]
    assert procedures._agreements(half).tolist() == counted


def test_entropy_follows_corons_definition():
    bits = bits_of(8, procedures.WORD * (procedures.START + procedures.TESTED))
    words, last, total = np.packbits(bits).tolist(), dict[int, int](), 0.0
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, len(words) + 1))))
    for place, word in enumerate(words, 1):
        if place > procedures.START:
            total += float(harmonic[place - last.get(word, 0) - 1])
        last[word] = place
    expected = total / procedures.TESTED / np.log(2)
    assert procedures.entropy(bits).statistic == pytest.approx(expected, rel=1e-12)


def multinomial_tail(probabilities, trials, statistic):
    """The tail of Pearson's statistic by counting every outcome of three or four classes."""
    total = Fraction(0)
    expected = [float(trials * p) for p in probabilities]

    def walk(left, place, chance, so_far):
        nonlocal total
        p = probabilities[place]
        if place == len(probabilities) - 1:
            value = so_far + (left - expected[place]) ** 2 / expected[place]
            total += chance * p**left if value >= statistic - 1e-9 else 0
            return
        for count in range(left + 1):
            share = chance * math.comb(left, count) * p**count
            walk(left - count, place + 1, share, so_far + (count - expected[place]) ** 2 / expected[place])

    walk(trials, 0, Fraction(1), 0.0)
    return float(total)


@pytest.mark.parametrize("statistic", [12.0, 20.0, 28.0])
def test_the_corrected_tail_of_pearson_is_that_of_counting_every_outcome(statistic):
    # Classes expected 2, 8 and 30 times: the chi-square law is wrong up to ninety times.
    probabilities = (Fraction(1, 20), Fraction(1, 5), Fraction(3, 4))
    exact = multinomial_tail(probabilities, 40, statistic)
    ours = pearson_tail(statistic, [float(p) for p in probabilities], 40)
    assert exact * 0.8 < ours < exact * 2.5
    assert exact > 2.5 * special.chdtrc(2, statistic) or statistic < 15


def test_visits_of_a_walk_follow_the_law_of_counting_cycles():
    # Each of J cycles visits the state 0 times with probability 1 - q, k times with q^2 (1-q)^(k-1).
    q, cycles = 1 / 6, 12
    one = np.array([1 - q, *(q * q * (1 - q) ** (k - 1) for k in range(1, 400))])
    law = np.array([1.0])
    for _ in range(cycles):
        law = np.convolve(law, one)[:400]
    for visits in (0, 1, 5, 12, 30, 80):
        exact = min(1.0, 2 * min(law[: visits + 1].sum(), law[visits:].sum() + (1 - law.sum())))
        assert visits_two_sided(visits, cycles, 3) == pytest.approx(exact, rel=1e-6)


def test_visits_far_out_keep_their_digits_at_either_end():
    # The sums of incomplete beta functions that the law was computed by before: b geometric numbers given b.
    cycles, state = 797, 9
    q, reached = 1 / (2 * state), np.arange(cycles + 1)
    chances = np.exp([math.lgamma(cycles + 1) - math.lgamma(b + 1) - math.lgamma(cycles - b + 1)
                      + b * math.log(q) + (cycles - b) * math.log1p(-q) for b in reached.tolist()])  # fmt: skip
    for visits in (60, 300, 2_400, 4_000):
        at_most = special.betainc(np.maximum(reached, 1), np.maximum(visits - reached, 0) + 1.0, q)
        at_most = np.where(reached > visits, 0.0, at_most)
        at_most[0] = 1.0
        at_least = special.betaincc(np.maximum(reached, 1), np.maximum(visits - reached, 1), q)
        at_least = np.where(reached >= visits, 1.0, at_least)
        at_least[0] = 0.0
        exact = 2 * min(float(chances @ at_most), float(chances @ at_least))
        assert exact < 1e-3
        assert visits_two_sided(visits, cycles, state) == pytest.approx(exact, rel=1e-9)


def test_occurrences_of_a_template_follow_the_law_of_every_sequence():
    strings = [format(n, "014b") for n in range(1 << 14)]
    counts = np.bincount([text.count("0011") for text in strings]) / len(strings)
    law = occurrence_chances(14, 4)
    assert law[: counts.size].tolist() == pytest.approx(counts.tolist(), abs=1e-12)
    # Two blocks of it: the statistic's tail by the squares of all pairs.
    mean, variance = expectation(14, 4, "exact")
    values = (np.arange(counts.size) - mean) ** 2 / variance
    for statistic in (2.0, 8.0, 13.0):
        reached = (values[:, None] + values[None, :] >= statistic - 0.02) * np.outer(counts, counts)
        tail = statistic_tail(statistic, 14, 4, 2, (mean, variance))
        assert tail == pytest.approx(float(reached.sum()), rel=1e-9)


def unbalanced(length):
    """Good bits of which so many were turned to one that |z| of the ones is 4.5; nothing else is wrong."""
    bits = good.chacha20(12, length) & 1
    wanted = length // 2 + round(2.25 * math.sqrt(length))
    zeros = np.flatnonzero(bits == 0)
    turned = zeros[np.argsort(good.chacha20(13, zeros.size), kind="stable")[: wanted - int(bits.sum())]]
    bits[turned] = 1
    return bits


def test_the_runs_test_keeps_its_published_zero_and_decides_by_the_runs():
    (result,) = sp800_22.run(from_bits(unbalanced(100_000)), tests=["runs"])
    assert isinstance(result, TestResult)
    assert result.p_values == (0.0,)
    assert result.decided[0] > 1e-3
    # So unbalanced a sequence says nothing of its runs: it is evidence neither against the generator nor for it.
    assert conclude([result]).word == "inconclusive"


def test_every_verdict_rests_on_p_values_no_smaller_than_the_exact_tail_allows():
    bits = good.chacha20(14, 1_000_000) & 1
    for result in sp800_22.run(from_bits(bits), constants="exact"):
        if isinstance(result, TestResult) and result.deciding:
            assert len(result.deciding) == len(result.p_values)
            assert all(0 <= p <= 1 for p in result.deciding)


def test_kolmogorov_does_not_overflow_on_large_ranges():
    words = good.chacha20(5, 40_000).astype(np.uint64)
    values = words[::2] << np.uint64(32) | words[1::2]
    for bits in (46, 47, 48, 55, 63, 64):
        (result,) = sequences.run(values >> np.uint64(64 - bits), 1 << bits, ["kolmogorov-smirnov"])
        assert isinstance(result, TestResult)
        assert result.p_values[0] > 1e-4, bits


def test_a_test_of_many_places_takes_no_error_from_the_others():
    places = TestResult((0.5,) * 1_560, suite="cards", test="pairs")
    alone = TestResult((4e-3,), suite="cards", test="alone")
    verdict = conclude([places, alone])
    assert verdict.word == "not satisfied"
    (decision,) = (d for d in verdict.decisions if d.test == "alone")
    assert decision.threshold == pytest.approx(0.005)
    one_of_many = TestResult((1e-5, *(0.5,) * 1_559), suite="cards", test="pairs")
    assert conclude([one_of_many, TestResult((0.5,), suite="cards", test="alone")]).word == "satisfied"

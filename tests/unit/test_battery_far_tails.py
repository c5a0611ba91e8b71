"""No good output is rejected for what a limit law does far out: the tails that verdicts rest on."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from rng.battery import sequences, sp800_22
from rng.battery.bits import from_bits
from rng.battery.far_tails import pearson_tail, visits_two_sided
from rng.battery.planted import good
from rng.battery.result import TestResult
from rng.battery.sp800_22.ones_and_runs import exact_probabilities
from rng.battery.sp800_22.templates import expectation, occurrence_chances, statistic_tail
from rng.battery.sp800_22.walks import visit_probabilities
from rng.battery.verdict import conclude, holm


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


def test_the_corrected_tail_holds_for_excursions_and_longest_runs():
    # 200,000 samples of each law, made from the uniform numbers of a good generator.
    uniform = good.chacha20(3, 400_000).reshape(2, -1) / 2.0**32
    for row, (probabilities, trials) in enumerate(
        [(visit_probabilities(4), 500), (exact_probabilities(10_000, 10, 16), 100)]
    ):
        counts, left, rest = [], np.full(200_000, trials), 1.0
        draw = np.random.default_rng(int(uniform[row][0] * 2**32))
        for p in probabilities[:-1]:
            counts.append(draw.binomial(left, min(1.0, p / rest)))
            left, rest = left - counts[-1], rest - p
        table = np.stack([*counts, left])
        expected = trials * np.array(probabilities)[:, None]
        statistics = np.sort(((table - expected) ** 2 / expected).sum(axis=0))
        for share in (1e-2, 1e-3):
            reached = float(statistics[-int(200_000 * share)])
            ours = pearson_tail(reached, probabilities, trials)
            # Four standard deviations of the share itself below; above, twice is no harm.
            assert share * (1 - 4 / math.sqrt(200_000 * share)) < ours < 2 * share


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


def test_weighted_holm_is_the_closure_of_weighted_bonferroni():
    from itertools import combinations

    weights = [Fraction(1), Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]
    for p_values in ([0.01, 0.002, 0.5, 0.03], [0.2, 0.001, 0.001, 0.9], [0.004, 0.3, 0.3, 0.002]):
        adjusted, _ = holm(p_values, weights)
        for i in range(4):
            subsets = [s for size in range(1, 5) for s in combinations(range(4), size) if i in s]
            closed = max(
                min(1.0, min(p_values[j] * float(sum(weights[k] for k in s) / weights[j]) for j in s))
                for s in subsets
            )
            assert adjusted[i] == pytest.approx(closed)

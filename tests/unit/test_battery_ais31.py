"""Procedures A and B of AIS 20/31: good bits pass, each planted fault fails the test that is meant for it."""

import numpy as np
import pytest

from rng.battery.ais31 import procedures, run_procedure
from rng.battery.bits import from_bits, from_bytes
from rng.battery.planted import good

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
    bits[::20] = 1


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


def biased(bits):
    bits[::16] = 1


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


@pytest.mark.parametrize(("tests", "spoil"), [("T6a T8", biased), ("T6b", sticky), ("T7b", remembers_three)])
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

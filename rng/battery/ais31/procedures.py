"""Procedures A and B of AIS 31, their tests T0 to T8 and their constants.

The constants of AIS 20/31, as printed.

Source: Killmann and Schindler, A proposal for: Functionality classes for random number generators, version 2.0
(BSI, 18 September 2011), 2.4.4; the tests T1 to T4 and their bounds are those of FIPS 140-1.

The tests T0 to T8 of AIS 20/31, each on the bits given to it.

Source: BSI, Functionality classes for random number generators, version 2.0 (2011), 2.4.4.

Test procedures A and B of AIS 20/31: which bits go where, and when a failure may be repeated.

Procedure A is meant for numbers after post-processing, procedure B for raw ones. Either is passed if all its
tests are; if exactly one fails the whole procedure is run once more on fresh bits, and then all must pass.

Source: BSI, Functionality classes for random number generators, version 2.0 (2011), 2.4.4.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rng.array_types import Bytes as Bits, Counts
from rng.battery.bits import BitStream
from rng.battery.minimum_counts import repeated

# T0, disjointness: this many words of this many bits, all different.
DISJOINT_WORDS = 1 << 16
DISJOINT_BITS = 48

# T1 to T5 run on sequences of this length, each so many times in procedure A.
SEQUENCE = 20_000
SEQUENCES = 257

# T1, monobit; T2, poker: passed strictly between the bounds.
MONOBIT = (9_654, 10_346)
POKER = (1.03, 57.4)
# T3, runs of length 1, 2, 3, 4, 5 and 6 or more, of zeros and of ones: passed within the bounds, these included.
RUNS = ((2_267, 2_733), (1_079, 1_421), (502, 748), (223, 402), (90, 223), (90, 223))
# T4: no run as long as this.
LONG_RUN = 34
# T5, autocorrelation: shift chosen on the first half, tested on the second; passed strictly between the bounds.
SHIFTS = 5_000
AUTOCORRELATION = (2_326, 2_674)

# T6, uniform distribution, and T7, homogeneity: so many values of each kind.
VALUES = 100_000
UNIFORM_1 = 0.025
UNIFORM_2 = 0.02
HOMOGENEITY = 15.13

# T8, Coron's entropy: bits of a word, words that start it off, words tested, and what the value must exceed.
WORD = 8
START = 2_560
TESTED = 256_000
ENTROPY = 7.976


@dataclass(frozen=True, slots=True)
class Ais31Outcome:
    """One test on one sequence.

    Args:
        test: ``T0`` to ``T8``, with a letter where the procedure runs it twice.
        sequence: Number of the sequence within the procedure, from 1.
        passed: Whether its statistic is within the bounds.
        statistic: Its value, or the value of what is outside its bounds.
        bounds: What it was compared with, in words.
    """

    test: str
    sequence: int
    passed: bool
    statistic: float
    bounds: str


def disjointness(bits: Bits) -> Ais31Outcome:
    """T0: 65,536 words of 48 bits are all different."""
    octets = np.packbits(bits).reshape(DISJOINT_WORDS, DISJOINT_BITS // 8)
    padded = np.zeros((DISJOINT_WORDS, 8), dtype=np.uint8)
    padded[:, 2:] = octets
    again = repeated(padded.view(">u8").ravel().astype(np.int64))
    return Ais31Outcome("T0", 1, again == 0, again, "no word comes twice")


def monobit(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T1: the number of ones."""
    ones = int(bits.sum(dtype=np.int64))
    low, high = MONOBIT
    return Ais31Outcome("T1", sequence, low < ones < high, ones, f"{low} < ones < {high}")


def poker(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T2: how evenly the sixteen values of four bits are taken."""
    groups = SEQUENCE // 4
    values = bits.reshape(groups, 4).astype(np.int64) @ np.array([8, 4, 2, 1])
    counts = np.bincount(values, minlength=16)
    statistic = 16 / groups * float((counts * counts).sum()) - groups
    low, high = POKER
    return Ais31Outcome("T2", sequence, low < statistic < high, statistic, f"{low} < value < {high}")


def run_lengths(bits: Bits) -> tuple[Bits, Counts]:
    """The bit of each maximal run and its length, in order."""
    starts = np.flatnonzero(np.concatenate(([True], bits[1:] != bits[:-1])))
    return bits[starts], np.diff(np.append(starts, bits.size))


def runs(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T3: runs of each length, of zeros and of ones."""
    values, lengths = run_lengths(bits)
    worst, passed = 0.0, True
    words = "runs of each length within its bounds"
    for value in (0, 1):
        counts = np.bincount(np.minimum(lengths[values == value], len(RUNS)), minlength=len(RUNS) + 1)
        for length, (low, high) in enumerate(RUNS, 1):
            found = int(counts[length])
            if passed and not low <= found <= high:
                passed, worst = False, found
                more = " or more" if length == len(RUNS) else ""
                words = f"{low} to {high} runs of {length}{more} of {value}"
    return Ais31Outcome("T3", sequence, passed, worst, words)


def long_run(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T4: the longest run."""
    longest = int(run_lengths(bits)[1].max())
    return Ais31Outcome("T4", sequence, longest < LONG_RUN, longest, f"no run of {LONG_RUN} or more")


def _agreements(half: Bits) -> Counts:
    """For each shift 1 to 5,000: of the first 5,000 bits those that differ from the bit so much later."""
    # By whole numbers through a transform: counts up to 5,000 are recovered exactly by rounding.
    signs = 1.0 - 2.0 * half.astype(np.float64)
    size = 1 << 15
    first = np.fft.rfft(signs[:SHIFTS], size)
    products = np.fft.irfft(np.conj(first) * np.fft.rfft(signs, size), size)[1 : SHIFTS + 1]
    return np.asarray(((SHIFTS - np.rint(products)) / 2).astype(np.int64))


def autocorrelation(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T5: the shift that is out most in the first half, tested in the second."""
    half = SEQUENCE // 2
    chosen = 1 + int(np.abs(_agreements(bits[:half]) - SHIFTS // 2).argmax())
    second = bits[half:]
    value = int((second[:SHIFTS] ^ second[chosen : chosen + SHIFTS]).sum(dtype=np.int64))
    low, high = AUTOCORRELATION
    return Ais31Outcome(
        "T5", sequence, low < value < high, value, f"{low} < differences at shift {chosen} < {high}"
    )


def uniform(bits: Bits) -> Ais31Outcome:
    """T6a: the share of ones among 100,000 bits."""
    off = abs(float(bits.mean()) - 0.5)
    return Ais31Outcome(
        "T6a", 1, off < UNIFORM_1, off, f"share of ones off one half by less than {UNIFORM_1}"
    )


def transitions(by_context: list[Bits]) -> Ais31Outcome:
    """T6b: the share of ones after a zero, and of zeros after a one, sum to nearly one."""
    off = abs(float(by_context[0].mean()) + (1 - float(by_context[1].mean())) - 1)
    return Ais31Outcome("T6b", 1, off < UNIFORM_2, off, f"shares of changes off one by less than {UNIFORM_2}")


def homogeneity(name: str, number: int, first: Bits, second: Bits) -> Ais31Outcome:
    """T7: whether a bit follows two different pasts with the same distribution: chi-square of two rows."""
    statistic = 0.0
    for value in (0, 1):
        a, b = (int(np.count_nonzero(row == value)) for row in (first, second))
        statistic += (a - b) ** 2 / (a + b) if a + b else 0.0
    return Ais31Outcome(name, number, statistic < HOMOGENEITY, statistic, f"value < {HOMOGENEITY}")


def entropy(bits: Bits) -> Ais31Outcome:
    """T8: Coron's estimate of the entropy of a word of eight bits.

    Source: Coron, On the Security of Random Sources, PKC 1999, LNCS 1560, 29-42.
    """
    words = np.packbits(bits)
    places = np.arange(1, words.size + 1)
    order = np.argsort(words, kind="stable")
    distances = np.empty(words.size, dtype=np.int64)
    same = np.concatenate(([False], words[order][1:] == words[order][:-1]))
    before = np.concatenate(([0], places[order][:-1]))
    # A word not seen before counts from before the first.
    distances[order] = np.where(same, places[order] - before, places[order])
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, words.size + 1))))
    value = float(harmonic[distances[START:] - 1].mean()) / math.log(2)
    return Ais31Outcome("T8", 1, value > ENTROPY, value, f"value > {ENTROPY}")


Procedure = Literal["A", "B"]
Word = Literal["satisfied", "not satisfied", "inconclusive"]

# Bits read at once where a test takes as many as it needs.
PIECE = 1 << 20
# A past expected so many times as often as is needed comes often enough in any good output: the rest is thirty
# standard deviations.
AMPLE = 1.1


class _TooShortError(Exception):
    """The bits ran out before every test had what it needs."""


class _StarvedError(Exception):
    """A past that ought to come often enough hardly comes: a failure of its own.

    Args:
        outcome: What failed, and by how much.
    """

    def __init__(self, outcome: Ais31Outcome) -> None:
        super().__init__(outcome.bounds)
        self.outcome = outcome


class _Supply:
    """Bits handed out in their order, each once."""

    def __init__(self, bits: BitStream) -> None:
        self._bits, self.used = bits, 0

    def take(self, count: int) -> Bits:
        if self.used + count > self._bits.length:
            raise _TooShortError
        taken = self._bits.segment(self.used, count).unpacked()
        self.used += count
        return taken

    def after_contexts(self, test: str, length: int) -> list[Bits]:
        """Of disjoint groups of ``length + 1`` bits: the last bit, by the ``length`` before it, 100,000 of each."""
        found: list[list[Bits]] = [[] for _ in range(1 << length)]
        have = [0] * (1 << length)
        group = length + 1
        places = 1 << np.arange(length - 1, -1, -1)
        groups = 0
        while min(have) < VALUES:
            start = self.used
            if self._left() < group and groups >= AMPLE * (VALUES << length):
                few = f"{VALUES} bits after each past of {length}, {groups >> length} expected"
                raise _StarvedError(Ais31Outcome(test, 1, False, min(have), few))
            rows = self.take(min(PIECE, self._left()) // group * group or group).reshape(-1, group)
            groups += len(rows)
            contexts = rows[:, :length].astype(np.int64) @ places
            needed = 0
            for context in range(1 << length):
                at = np.flatnonzero(contexts == context)[: VALUES - have[context]]
                found[context].append(rows[at, length])
                have[context] += at.size
                needed = max(needed, int(at[-1]) + 1 if at.size else 0)
            if min(have) >= VALUES:
                # What the test did not need is left to the next one.
                self.used = start + needed * group
        return [np.concatenate(parts) for parts in found]

    def _left(self) -> int:
        return self._bits.length - self.used


@dataclass(frozen=True, slots=True)
class ProcedureResult:
    """One procedure on one stream of bits.

    Args:
        procedure: ``A`` or ``B``.
        word: Verdict.
        reason: Why, in one sentence.
        rounds: The outcomes of the procedure, and of its repetition if there was one.
        used: Bits used.
    """

    procedure: Procedure
    word: Word
    reason: str
    rounds: tuple[tuple[Ais31Outcome, ...], ...]
    used: int

    @property
    def failed(self) -> tuple[Ais31Outcome, ...]:
        """What did not pass, in order."""
        return tuple(outcome for outcomes in self.rounds for outcome in outcomes if not outcome.passed)


def _round_a(supply: _Supply) -> tuple[Ais31Outcome, ...]:
    outcomes = [disjointness(supply.take(DISJOINT_WORDS * DISJOINT_BITS))]
    for sequence in range(1, SEQUENCES + 1):
        bits = supply.take(SEQUENCE)
        outcomes += [test(bits, sequence) for test in (monobit, poker, runs, long_run, autocorrelation)]
    return tuple(outcomes)


def _round_b(supply: _Supply) -> tuple[Ais31Outcome, ...]:
    outcomes = [uniform(supply.take(VALUES)), transitions(supply.after_contexts("T6b", 1))]
    for name, length in (("T7a", 2), ("T7b", 3)):
        by_context = supply.after_contexts(name, length)
        # Two pasts that differ in their first bit alone are compared, for each of the rest.
        rest = 1 << (length - 1)
        outcomes += [
            homogeneity(name, tail + 1, by_context[tail], by_context[rest + tail]) for tail in range(rest)
        ]
    outcomes.append(entropy(supply.take(WORD * (START + TESTED))))
    return tuple(outcomes)


def run_procedure(bits: BitStream, procedure: Procedure) -> ProcedureResult:
    """Runs a procedure from the first bit on; a single failure is repeated on the bits that follow.

    Args:
        bits: Output of the generator: internal numbers for A, raw ones for B.
        procedure: ``A`` or ``B``.

    Returns:
        Satisfied, not satisfied, or inconclusive where the bits do not suffice for the procedure, or for the
        repetition that one failure asks for.
    """
    supply, rounds = _Supply(bits), list[tuple[Ais31Outcome, ...]]()
    once = _round_a if procedure == "A" else _round_b

    def result(word: Word, reason: str) -> ProcedureResult:
        return ProcedureResult(procedure, word, reason, tuple(rounds), supply.used)

    for repetition in (False, True):
        try:
            rounds.append(once(supply))
        except _StarvedError as starved:
            rounds.append((starved.outcome,))
            return result("not satisfied", f"{starved.outcome.test} failed: {starved.outcome.bounds}")
        except _TooShortError:
            which = "the repetition that one failure requires" if repetition else f"procedure {procedure}"
            return result("inconclusive", f"{bits.length} bits do not suffice for {which}")
        failed = [outcome for outcome in rounds[-1] if not outcome.passed]
        if not failed:
            return result("satisfied", f"all {len(rounds[-1])} tests passed" + " when repeated" * repetition)
        if repetition or len(failed) > 1:
            names = ", ".join(sorted({outcome.test for outcome in failed}))
            return result(
                "not satisfied",
                f"{len(failed)} of {len(rounds[-1])} tests failed ({names})" + " when repeated" * repetition,
            )
    raise AssertionError("the second round always decides")

"""The tests T0 to T8 of AIS 20/31, each on the bits given to it.

Source: BSI, Functionality classes for random number generators, version 2.0 (2011), 2.4.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rng.battery.ais31 import constants as c
from rng.battery.repeats import repeated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Ais31Outcome:
    """One test on one sequence.

    Args:
        test: ``T0`` to ``T8``, with a letter where the procedure runs it twice.
        sequence: Number of the sequence within the procedure, from 1.
        passed: Whether its statistic lies within the bounds.
        statistic: Its value, or the value of what lies outside its bounds.
        bounds: What it was compared with, in words.
    """

    test: str
    sequence: int
    passed: bool
    statistic: float
    bounds: str


def disjointness(bits: Bits) -> Ais31Outcome:
    """T0: 65,536 words of 48 bits are all different."""
    octets = np.packbits(bits).reshape(c.DISJOINT_WORDS, c.DISJOINT_BITS // 8)
    padded = np.zeros((c.DISJOINT_WORDS, 8), dtype=np.uint8)
    padded[:, 2:] = octets
    again = repeated(padded.view(">u8").ravel().astype(np.int64))
    return Ais31Outcome("T0", 1, again == 0, again, "no word comes twice")


def monobit(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T1: the number of ones."""
    ones = int(bits.sum(dtype=np.int64))
    low, high = c.MONOBIT
    return Ais31Outcome("T1", sequence, low < ones < high, ones, f"{low} < ones < {high}")


def poker(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T2: how evenly the sixteen values of four bits are taken."""
    groups = c.SEQUENCE // 4
    values = bits.reshape(groups, 4).astype(np.int64) @ np.array([8, 4, 2, 1])
    counts = np.bincount(values, minlength=16)
    statistic = 16 / groups * float((counts * counts).sum()) - groups
    low, high = c.POKER
    return Ais31Outcome("T2", sequence, low < statistic < high, statistic, f"{low} < value < {high}")


def run_lengths(bits: Bits) -> tuple[Bits, NDArray[np.int64]]:
    """The bit of each maximal run and its length, in order."""
    starts = np.flatnonzero(np.concatenate(([True], bits[1:] != bits[:-1])))
    return bits[starts], np.diff(np.append(starts, bits.size))


def runs(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T3: runs of each length, of zeros and of ones."""
    values, lengths = run_lengths(bits)
    worst, passed = 0.0, True
    words = "runs of each length within its bounds"
    for value in (0, 1):
        counts = np.bincount(np.minimum(lengths[values == value], len(c.RUNS)), minlength=len(c.RUNS) + 1)
        for length, (low, high) in enumerate(c.RUNS, 1):
            found = int(counts[length])
            if passed and not low <= found <= high:
                passed, worst = False, found
                more = " or more" if length == len(c.RUNS) else ""
                words = f"{low} to {high} runs of {length}{more} of {value}"
    return Ais31Outcome("T3", sequence, passed, worst, words)


def long_run(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T4: the longest run."""
    longest = int(run_lengths(bits)[1].max())
    return Ais31Outcome("T4", sequence, longest < c.LONG_RUN, longest, f"no run of {c.LONG_RUN} or more")


def _agreements(half: Bits) -> NDArray[np.int64]:
    """For each shift 1 to 5,000: of the first 5,000 bits those that differ from the bit so much later."""
    # By whole numbers through a transform: counts up to 5,000 are recovered exactly by rounding.
    signs = 1.0 - 2.0 * half.astype(np.float64)
    size = 1 << 15
    first = np.fft.rfft(signs[: c.SHIFTS], size)
    products = np.fft.irfft(np.conj(first) * np.fft.rfft(signs, size), size)[1 : c.SHIFTS + 1]
    return np.asarray(((c.SHIFTS - np.rint(products)) / 2).astype(np.int64))


def autocorrelation(bits: Bits, sequence: int = 1) -> Ais31Outcome:
    """T5: the shift that stands out most in the first half, tested in the second."""
    half = c.SEQUENCE // 2
    chosen = 1 + int(np.abs(_agreements(bits[:half]) - c.SHIFTS // 2).argmax())
    second = bits[half:]
    value = int((second[: c.SHIFTS] ^ second[chosen : chosen + c.SHIFTS]).sum(dtype=np.int64))
    low, high = c.AUTOCORRELATION
    return Ais31Outcome(
        "T5", sequence, low < value < high, value, f"{low} < differences at shift {chosen} < {high}"
    )


def uniform(bits: Bits) -> Ais31Outcome:
    """T6a: the share of ones among 100,000 bits."""
    off = abs(float(bits.mean()) - 0.5)
    return Ais31Outcome(
        "T6a", 1, off < c.UNIFORM_1, off, f"share of ones off one half by less than {c.UNIFORM_1}"
    )


def transitions(by_context: list[Bits]) -> Ais31Outcome:
    """T6b: the share of ones after a zero, and of zeros after a one, sum to nearly one."""
    off = abs(float(by_context[0].mean()) + (1 - float(by_context[1].mean())) - 1)
    return Ais31Outcome(
        "T6b", 1, off < c.UNIFORM_2, off, f"shares of changes off one by less than {c.UNIFORM_2}"
    )


def homogeneity(name: str, number: int, first: Bits, second: Bits) -> Ais31Outcome:
    """T7: whether a bit follows two different pasts with the same distribution: chi-square of two rows."""
    statistic = 0.0
    for value in (0, 1):
        a, b = (int(np.count_nonzero(row == value)) for row in (first, second))
        statistic += (a - b) ** 2 / (a + b) if a + b else 0.0
    return Ais31Outcome(name, number, statistic < c.HOMOGENEITY, statistic, f"value < {c.HOMOGENEITY}")


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
    value = float(harmonic[distances[c.START :] - 1].mean()) / math.log(2)
    return Ais31Outcome("T8", 1, value > c.ENTROPY, value, f"value > {c.ENTROPY}")

"""Linear complexity of every bit lane of word output: what the large batteries miss in linear generators.

A generator that is linear over the field of two elements (shift registers, Mersenne Twister, additive lagged
generators in their lowest bit) produces, in each bit lane, a sequence of a linear complexity no larger than
its state. Berlekamp-Massey finds it exactly from twice that many words.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray
from scipy import special
from scipy.fft import irfft, rfft

from rng.battery import goodness
from rng.battery.result import TestResult

WordInstruction = Callable[[np.uint64], np.uint64]


@intrinsic
def _ones_in_word(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


ones_in_word = cast(WordInstruction, _ones_in_word)

# Signs +1 and -1; 0 where a place has none.
Signs = NDArray[np.float32]

# So many of the lags that lie farthest out are judged exactly: no other can have the smallest p-value.
JUDGED = 64


@dataclass(frozen=True, slots=True)
class Lagged:
    """What the transforms of some blocks of signs say.

    Args:
        products: ``products[k - 1]`` is the sum of the products of signs k places apart in one block.
        terms: ``terms[k - 1]`` is the number of these products.
        power: Periodogram summed over the blocks: each frequency has mean 1 for each block.
        blocks: Number of blocks.
    """

    products: NDArray[np.int64]
    terms: NDArray[np.int64]
    power: NDArray[np.float64]
    blocks: int


def transform_size(least: int) -> int:
    """A size that is quick to transform: 4, 5 or 6 times a power of two, no smaller than requested.

    Example:
        >>> transform_size(1_000_000), transform_size(300_000)
        (1048576, 327680)
    """
    return min(many << max(0, (-(-least // many) - 1).bit_length()) for many in (4, 5, 6))


def power_of(blocks: Iterable[Signs], size: int) -> tuple[NDArray[np.float64], int]:
    """The squared modulus of every frequency, summed over blocks of padded signs, and the number of blocks."""
    power, count = np.zeros(size // 2 + 1), 0
    for block in blocks:
        spectrum = np.asarray(rfft(block, size))
        power += spectrum.real * spectrum.real + spectrum.imag * spectrum.imag
        count += 1
    return power, count


def lagged_of(power: NDArray[np.float64], blocks: int, length: int, lags: int) -> Lagged:
    """Sums of products at the lags 1 to ``lags``, and the periodogram.

    Args:
        power: Squared modulus of every frequency, as ``power_of`` sums it over the blocks.
        blocks: Number of blocks.
        length: Signs in a block, more than ``lags``.
        lags: Largest lag.
    """
    size = transform_size(length + lags)
    terms = blocks * (length - np.arange(1, lags + 1))
    products = np.rint(irfft(power.astype(np.float32), size)[1 : lags + 1]).astype(np.int64)
    return Lagged(np.clip(products, -terms, terms), terms, power / length, blocks)


def farthest(found: Lagged) -> tuple[float, int]:
    """P-value of the lag that is farthest out, corrected for the number of lags, and that lag.

    The products of independent fair signs k places apart are themselves independent and fair, so that the number of
    those that are negative is binomial with probability 1/2: twice the smaller tail, exactly, and Bonferroni over the
    lags. Where some places have no sign, there are fewer products, and the tail is an upper bound.

    Example:
        >>> farthest(Lagged(np.array([0, 100]), np.array([101, 100]), np.ones(1), 1))[1]
        2
    """
    scores = np.abs(found.products) / np.sqrt(found.terms)
    best, where = 1.0, 0
    for index in np.argsort(scores)[::-1][:JUDGED].tolist():
        terms, excess = int(found.terms[index]), abs(int(found.products[index]))
        # So many of the products, or more, have the sign that prevails.
        tail = 2 * float(special.bdtrc((terms + excess) // 2 - 1, terms, 0.5)) if excess else 1.0
        if not where or tail < best:
            best, where = min(1.0, tail), index + 1
    return min(1.0, best * found.products.size), where


def highest_peak(found: Lagged) -> tuple[float, float]:
    """P-value of the strongest frequency, corrected for their number, and its frequency in cycles a place.

    The strength of one frequency in a block of independent fair signs is exponential with mean 1 in the limit, and its
    moments never exceed those of that law (a sum of signs is less spread than the normal variable); the sum over blocks
    is gamma. Bonferroni over the frequencies; the first and the last have one dimension and are left out.

    Source: Fisher, Proc. Royal Society A 125 (1929), 54-59, with the variance known.
    """
    inner = found.power[1:-1]
    place = int(inner.argmax())
    tail = float(special.gammaincc(found.blocks, inner[place]))
    return min(1.0, inner.size * tail), (place + 1) / (2 * (found.power.size - 1))


def detectable_correlation(terms: int, lags: int, level: float, power: float) -> float:
    """Correlation at one lag that is found among so many with a stated power at a level."""
    return float(special.ndtri(1 - level / (2 * lags)) + special.ndtri(power)) / math.sqrt(terms)


# Words tested: enough for the low bits of a power-of-two generator of period 2^17 (complexity 2^16 + 1).
MOST_WORDS = 140_000
# Lanes tested on all those words; the others on the first 40,000, enough for a state of 19,937 bits.
DEEP_LANES = (0,)
LANE_WORDS = 40_000
LEAST_WORDS = 200


@njit(cache=True, nogil=True)
def shortest_register(current: NDArray[np.uint64], former: NDArray[np.uint64], m: int) -> int:
    """Length of the shortest linear feedback shift register that produces m bits; overwrites both arrays.

    The bits are in ``current``, sixty-four to a word, lowest first, with a word more behind them.

    Massey's algorithm adds to the connection polynomial C a shifted former one B whenever C fails to
    predict the next bit. Only its length L is wanted, so C itself is never kept: ``current`` holds the
    discrepancies C · S from place N on, ``former`` those of B from the place where B failed on. Both then
    begin with a one at a failure, so the shift of the algorithm has already happened, and a stretch without
    failure is one shift by the number of trailing zeros.

    Source: Massey, IEEE Transactions on Information Theory 15 (1969), 122-127, algorithm 2.
    """
    one, size = np.uint64(1), current.size - 1
    # B = 1 is taken to have failed at place -1: its discrepancies are a one and then the sequence itself.
    carry = one
    for i in range(size):
        former[i] = (current[i] << one) | carry
        carry = current[i] >> np.uint64(63)
    current[size] = former[size] = 0
    place = length = 0
    while place < m:
        # One where this place is a failure, and where that lengthens the register: masks, not branches,
        # since a branch on random bits is mispredicted half of the time.
        failure = current[0] & one
        lengthens = failure if 2 * length <= place else np.uint64(0)
        length = place + 1 - length if lengthens else length
        add, keep = np.uint64(0) - failure, np.uint64(0) - lengthens
        low = current[0] ^ (former[0] & add)
        # A whole word of zeros is passed over as 63 bits: the next look finds the rest.
        zeros = min(ones_in_word(~low & (low - one)), np.uint64(63))
        rest = np.uint64(63) - zeros
        for i in range(size):
            high = current[i + 1] ^ (former[i + 1] & add)
            # Adding the new discrepancies to the former ones leaves those that C had before this place.
            former[i] ^= low & keep
            current[i] = (low >> zeros) | ((high << one) << rest)
            low = high
        place += int(zeros)
        # Places from m on hold nothing of the block: words that reach no further place are left behind.
        size = min(size, (m - place + 63) >> 6)
    return length


def packed_rows(rows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return rows of bits as words, the first bit least significant, a word of zeros behind the last."""
    octets = np.packbits(rows, axis=1, bitorder="little")
    packed = np.zeros((len(rows), (octets.shape[1] + 7) // 8 + 1), dtype="<u8")
    packed.view(np.uint8)[:, : octets.shape[1]] = octets
    return packed


@njit(cache=True, nogil=True)
def distances(blocks: NDArray[np.uint8], start: int) -> NDArray[np.int64]:
    """How far back the last equal block is, in blocks; one never seen before counts from before the first.

    Args:
        blocks: Rows of at most 16 bits.
        start: Blocks at the beginning that are only looked back to.
    """
    found = np.empty(len(blocks), dtype=np.int64)
    last = np.zeros(1 << blocks.shape[1], dtype=np.int64)
    for place in range(len(blocks)):
        pattern = 0
        for bit in blocks[place]:
            pattern = 2 * pattern + bit
        found[place] = place + 1 - last[pattern]
        last[pattern] = place + 1
    return found[start:]


@njit(cache=True, nogil=True)
def _complexities(rows: NDArray[np.uint64], m: int) -> NDArray[np.int64]:
    former, lengths = np.empty(rows.shape[1], dtype=np.uint64), np.empty(len(rows), dtype=np.int64)
    for row in range(lengths.size):
        lengths[row] = shortest_register(rows[row], former, m)
    return lengths


def linear_complexities(rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Length of the shortest linear feedback shift register that produces each row of bits.

    Example:
        >>> linear_complexities(np.array([[0, 0, 1, 1, 0, 1, 1, 1, 0, 1]], dtype=np.uint8)).tolist()
        [5]
    """
    return _complexities(packed_rows(rows), rows.shape[1])


def linear_complexity(bits: NDArray[np.uint8]) -> int:
    """Length of the shortest linear feedback shift register that produces the bits."""
    return int(linear_complexities(bits[None])[0])


def complexity_count(n: int, length: int) -> int:
    """Number of the 2^n bit sequences of length n that have a given linear complexity.

    Source: Rueppel, Analysis and Design of Stream Ciphers (1986), proposition 4.1: 2^min(2n-2L, 2L-1).

    Example:
        >>> [complexity_count(3, length) for length in range(4)]
        [1, 2, 4, 1]
    """
    return 1 if length == 0 else int(1 << min(2 * n - 2 * length, 2 * length - 1))


def two_sided_p(n: int, length: int) -> float:
    """Exact two-sided p-value of a linear complexity: twice the smaller tail, at most one.

    Example:
        >>> two_sided_p(64, 32)
        1.0
    """
    lower = sum_of_counts(n, 0, length)
    upper = (1 << n) - lower + complexity_count(n, length)
    return float(min(Fraction(1), 2 * Fraction(min(lower, upper), 1 << n)))


def sum_of_counts(n: int, first: int, last: int) -> int:
    """Number of bit sequences with a linear complexity in a range, ends included.

    Example:
        >>> sum_of_counts(10, 0, 10) == 2**10
        True
    """
    total = 1 if first == 0 else 0
    low, high = max(first, 1), min(last, n // 2)
    if low <= high:  # the sum of 2^(2L-1)
        total += (2 * (4**high - 4 ** (low - 1))) // 3
    low = max(first, n // 2 + 1)
    if low <= last:  # the sum of 4^(n-L)
        total += (4 ** (n - low + 1) - 4 ** (n - last)) // 3
    return total


def lane(words: NDArray[np.unsignedinteger], bit: int) -> NDArray[np.uint8]:
    """One bit of every word, as a sequence of its own."""
    return (words.astype(np.uint64) >> np.uint64(bit) & np.uint64(1)).astype(np.uint8)


def minimum(below: int) -> int | None:
    """Fewest words for the test; None where numbers are not whole words (the range is no power of two)."""
    return LEAST_WORDS if below & (below - 1) == 0 else None


def run(words: NDArray[np.unsignedinteger], below: int) -> TestResult:
    """Berlekamp-Massey on each bit lane: the complexity of n random bits is n/2 give or take a few.

    Args:
        words: Output words in order.
        below: Range of the words, a power of two; it says how many lanes there are.

    Source: Rueppel, Analysis and Design of Stream Ciphers (1986), section 4.1 (exact distribution).
    """
    bits = below.bit_length() - 1
    found, lengths = dict[str, float](), []
    for bit in range(bits):
        used = words[: MOST_WORDS if bit in DEEP_LANES else LANE_WORDS]
        length = int(linear_complexity(lane(used, bit)))
        found[f"bit {bit}: complexity {length} of {len(used)}"] = two_sided_p(len(used), length)
        lengths.append(length)
    tested = min(len(words), LANE_WORDS)
    return TestResult.of(
        found,
        parameters={"words": min(len(words), MOST_WORDS), "bits": bits},
        statistic=float(min(lengths)),
        null="2^min(2n-2L, 2L-1) of 2^n sequences, exact",
        detectable=f"any generator linear over GF(2) with at most {tested // 2 - 10} bits of state"
        f"{goodness.CERTAIN_WORDS}",
    )

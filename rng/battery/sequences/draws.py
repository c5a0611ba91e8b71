"""Numbers under test: unsigned integers below a bound, read in pieces, cut exactly into digits."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rng.battery.minimum_counts import IMPOSSIBLE, ScarcityError, binomial_at_most
from rng.battery.suite import Test
from rng.errors import SampleError

CHUNK = 1 << 20
# What a 64-bit word can hold.
LARGEST_RANGE = 1 << 64

# At most this share of the numbers is left out to cut the rest into equally likely digits.
MOST_LEFT_OUT = 0.05


@dataclass(frozen=True, slots=True)
class IntegerDraws:
    """A sequence of numbers, each meant to be uniform below ``below`` and independent of all others.

    Args:
        values: The numbers, in the order drawn; a memory map will do.
        below: Number of values each may take, 2 to 2^64.

    Raises:
        SampleError: If the numbers are not a one-dimensional unsigned array or one is out of range.
    """

    values: NDArray[np.unsignedinteger]
    below: int

    def __post_init__(self) -> None:
        if not 2 <= self.below <= LARGEST_RANGE:
            raise SampleError(f"expected a range of 2 to 2^64 values, got {self.below}")
        if self.values.ndim != 1 or self.values.dtype.kind != "u":
            raise SampleError(
                f"draws must be a one-dimensional unsigned array, got {self.values.dtype} {self.values.shape}"
            )
        for number, piece in enumerate(self.chunks()):
            wrong = np.flatnonzero(piece > np.uint64(self.below - 1))
            if wrong.size:
                index = number * CHUNK + int(wrong[0])
                raise SampleError(f"draw {index}: {int(self.values[index])} is not below {self.below}")

    @property
    def of(self) -> int:
        """The range of the numbers."""
        return self.below

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return int(self.values.size)

    def chunks(self) -> Iterator[NDArray[np.uint64]]:
        """Yields the numbers in pieces of 2^20, in order."""
        for start in range(0, self.values.size, CHUNK):
            yield self.values[start : start + CHUNK].astype(np.uint64)

    def digits(self, base: int) -> Iterator[NDArray[np.int64]]:
        """Yields leading digits in a base, piece by piece, exactly uniform and independent.

        The numbers of an incomplete last class are left out, which leaves the rest exactly uniform.

        Raises:
            ScarcityError: If more numbers are left out than good output ever leaves out.
        """
        share, kept = base * (self.below // base) / self.below, self.kept(base)
        bound = binomial_at_most(kept, self.size, share)
        if bound < IMPOSSIBLE:
            raise ScarcityError(f"only {kept} of {self.size} numbers lie below {base * (self.below // base)}")
        width = np.uint64(self.below // base)
        last = np.uint64(base * (self.below // base) - 1)
        for piece in self.chunks():
            yield (piece[piece <= last] // width).astype(np.int64)

    def classes(self, piece: NDArray[np.uint64], count: int) -> NDArray[np.int64]:
        """Returns ``value * count // below`` of each value, exactly, whatever the range."""
        if self.below * count <= LARGEST_RANGE:
            return (piece * np.uint64(count) // np.uint64(self.below)).astype(np.int64)
        if self.below % count == 0:
            return (piece // np.uint64(self.below // count)).astype(np.int64)
        # The product would not fit a word: the class is found among the exact bounds instead.
        bounds = np.array([-(-self.below * k // count) for k in range(1, count)], dtype=np.uint64)
        return np.searchsorted(bounds, piece, side="right").astype(np.int64)

    def kept(self, base: int) -> int:
        """Returns how many numbers are left when digits in a base are cut from them."""
        if self.below % base == 0:
            return self.size
        last = np.uint64(base * (self.below // base) - 1)
        return sum(int(np.count_nonzero(piece <= last)) for piece in self.chunks())

    def tuples(self, base: int, length: int) -> Iterator[NDArray[np.int64]]:
        """Yields groups of digits as rows; what does not fill a row in a piece is left out."""
        for piece in self.digits(base):
            rows = len(piece) // length
            yield piece[: rows * length].reshape(rows, length)


SequenceTest = Test[int, IntegerDraws]


def digit_base(below: int, most: int) -> int:
    """Largest base up to ``most`` that leaves out at most one number in twenty.

    Example:
        >>> digit_base(40, 22), digit_base(40, 100), digit_base(2**32, 100)
        (20, 40, 100)
    """
    for base in range(min(most, below), 1, -1):
        if base * (below // base) >= (1 - MOST_LEFT_OUT) * below:
            return base
    return 2


@cache
def class_probabilities(below: int, classes: int) -> tuple[Fraction, ...]:
    """Exact probabilities of ``value * classes // below`` for a uniform value.

    Example:
        >>> class_probabilities(5, 2)
        (Fraction(3, 5), Fraction(2, 5))
    """
    bounds = [-(-below * k // classes) for k in range(classes + 1)]
    return tuple(Fraction(bounds[k + 1] - bounds[k], below) for k in range(classes))


def encode(rows: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """Each row of digits as one number."""
    codes = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        codes = codes * base + column
    return codes

"""Linear complexity of many blocks of bits, on 64-bit words.

Source: Massey, IEEE Trans. Inf. Theory 15(1), 1969; in the form that keeps discrepancies instead of
registers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from rng.battery.compiled import reversed_word, trailing_zeros
from rng.battery.sp800_22.windows import bits_at
from rng.kernels import called_by_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray


@called_by_kernels
def _complexity(current: NDArray[np.uint64], former: NDArray[np.uint64], m: int) -> int:
    """Return the linear complexity of the m bits in ``current``, lowest bit first; overwrites both arrays.

    Massey's algorithm adds to the connection polynomial C a shifted former one B whenever C fails to
    predict the next bit. Only its length L is wanted, so C itself is never kept: ``current`` holds the
    discrepancies C · S from place N on, ``former`` those of B from the place where B failed on. Both then
    begin with a one at a failure, so the shift of the algorithm has already happened, and a stretch without
    failure is one shift by the number of trailing zeros.
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
        zeros = min(trailing_zeros(low), np.uint64(63))
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


@njit(cache=True, nogil=True)
def _complexities(words: NDArray[np.uint64], m: int, lengths: NDArray[np.int64]) -> None:
    size = (m + 63) >> 6
    current = np.empty(size + 1, dtype=np.uint64)
    former = np.empty(size + 1, dtype=np.uint64)
    for block in range(lengths.size):
        for i in range(size):
            width = min(64, m - 64 * i)
            taken = bits_at(words, block * m + 64 * i, width)
            current[i] = reversed_word(taken << np.uint64(64 - width))
        lengths[block] = _complexity(current, former, m)


def linear_complexities(words: NDArray[np.uint64], blocks: int, m: int) -> NDArray[np.int64]:
    """Return the linear complexity of each of the first ``blocks`` blocks of m bits.

    Args:
        words: Packed bits, first bit most significant, followed by two words of zeros.
        blocks: Number of blocks.
        m: Bits in a block.

    Example:
        >>> words = np.array([0b1101011110001 << 51, 0, 0], dtype=np.uint64)
        >>> linear_complexities(words, 1, 13).tolist()
        [4]
    """
    lengths = np.zeros(blocks, dtype=np.int64)
    _complexities(words, m, lengths)
    return lengths

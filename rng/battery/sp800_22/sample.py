"""One sequence under test in every form the fifteen tests read it, each form made once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rng.battery.bits import BitStream


class Sample:
    """A sequence of bits with its words, bytes and counts, computed when a test first asks for them.

    Args:
        bits: The sequence.
    """

    def __init__(self, bits: BitStream) -> None:
        self.bits = bits
        self.length = bits.length

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """64-bit words, first bit most significant, two words of zeros behind the last."""
        return self.bits.words()

    @cached_property
    def octets(self) -> NDArray[np.uint8]:
        """Packed bytes, the bits beyond the sequence cleared."""
        return self.bits.octets()

    @cached_property
    def unpacked(self) -> NDArray[np.uint8]:
        """One byte, 0 or 1, for every bit."""
        return self.bits.unpacked()

    @cached_property
    def ones(self) -> int:
        """Number of ones in the sequence."""
        return int(np.bitwise_count(self.words).sum(dtype=np.int64))

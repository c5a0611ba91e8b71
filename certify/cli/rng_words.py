"""A sample as bits, or as words, for the suites that want it so."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import click

from certify.cli.rng_input import SubmittedOutput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rng.battery.bits import BitStream


def bits_of(submitted: SubmittedOutput) -> BitStream:
    """Returns the bits of a sample, those of each draw from the most significant one on.

    Raises:
        UsageError: The sample has no bits: decks, or draws whose range is no power of two.
    """
    from rng.battery.bits import read_raw

    if submitted.bits is not None:
        return submitted.bits
    below = submitted.source.below
    if submitted.rows is None or submitted.source.kind == "decks" or below & (below - 1):
        raise click.UsageError(
            "--suite sp800-22 takes --bits, or --draws with a range that is a power of two"
        )
    width = below.bit_length() - 1
    packed = read_raw(_DrawBits(submitted.rows, width), source=submitted.source.name)
    return packed.segment(0, submitted.count * width)


class _DrawBits(io.RawIOBase):
    """The bits of draws as a stream of bytes, made piece by piece."""

    PIECE: Final = 1 << 17  # Draws at a time; a multiple of eight, so that each piece fills its bytes.

    def __init__(self, draws: NDArray[Any], width: int) -> None:
        super().__init__()
        self._draws, self._width, self._next = draws, width, 0

    def read(self, size: int = -1, /) -> bytes:
        """Returns the bits of the next piece of draws, whatever size is asked for."""
        import numpy as np

        piece = np.asarray(self._draws[self._next : self._next + self.PIECE]).astype(np.uint64)
        self._next += self.PIECE
        places = np.arange(self._width - 1, -1, -1, dtype=np.uint64)
        bits = (piece[:, None] >> places & np.uint64(1)).astype(np.uint8)
        return np.packbits(bits).tobytes()


def words_of(submitted: SubmittedOutput) -> tuple[NDArray[np.unsignedinteger], int]:
    """Returns the numbers of a sample and their range; bits are cut into words of ``--dtype`` (u32).

    Raises:
        UsageError: The sample has no numbers.
    """
    if submitted.source.kind == "draws" and submitted.rows is not None:
        return submitted.rows, submitted.source.below
    if submitted.bits is None:
        raise click.UsageError("--suite sequences takes --draws, or --bits")
    width = int((submitted.source.dtype or "u32")[1:])
    words = submitted.bits.length // width
    order = ">" if submitted.source.big_endian else "<"
    whole = submitted.bits.packed[: words * width // 8]
    return whole.view(f"{order}u{width // 8}"), 1 << width

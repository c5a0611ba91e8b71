"""Where the decks of a campaign come from: a port, and the adapter over rng."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from certify.families.seven_and_a_half.cards import DECK_SIZE

PURPOSE: Final = "simulation-decks"
"""Purpose of the streams that simulated decks are drawn from."""


class DeckSource(Protocol):
    """Deals shuffled decks; the same stream always deals the same decks, whoever asks."""

    @property
    def purpose(self) -> str:
        """What the streams are drawn for, for the record of a campaign."""
        ...

    @property
    def seed(self) -> str:
        """What distinguishes this source from others of the same purpose, in hexadecimal."""
        ...

    def deal(self, stream_index: int, count: int) -> NDArray[np.uint8]:
        """Returns the first decks of a stream, uint8[count, 40], card ids in dealing order."""
        ...


@dataclass(frozen=True, slots=True)
class StreamDecks:
    """Decks shuffled by rng, one independent stream for each chunk of a campaign.

    Args:
        master_seed: At least 32 bytes.
        purpose: Registered purpose of the streams.
    """

    master_seed: bytes
    purpose: str = PURPOSE

    @property
    def seed(self) -> str:
        """The master seed in hexadecimal."""
        return self.master_seed.hex()

    def deal(self, stream_index: int, count: int) -> NDArray[np.uint8]:
        """Returns the first decks of a stream, uint8[count, 40], card ids in dealing order.

        Args:
            stream_index: Index of the stream.
            count: Number of decks.
        """
        # Only play-through on rng's decks needs rng; other sources do without.
        from rng.shuffle import deal_decks
        from rng.streams import stream

        return deal_decks(stream(self.master_seed, self.purpose, stream_index), count, cards=DECK_SIZE)

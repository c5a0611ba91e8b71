"""Where the rounds of a campaign come from: ports, and the adapters over rng and over whole decks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.model.cards import DECK_SIZE

if TYPE_CHECKING:
    from rng.words import WordSource

PURPOSE: Final = "simulation-decks"
"""Purpose of the streams that simulated decks are drawn from."""


class Counter(Protocol):
    """Plays rounds of one game under one strategy and counts how they end; one for each family."""

    @property
    def cells(self) -> int:
        """Number of joint outcomes."""
        ...

    def count(self, decks: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Returns how many rounds on whole decks end in each joint outcome."""
        ...

    def count_rounds(self, words: WordSource, rounds: int) -> NDArray[np.int64]:
        """Returns how many of the next rounds, dealt card by card from a stream, end in each joint outcome."""
        ...


class Rounds(Protocol):
    """The rounds of one chunk of a campaign, in order."""

    def count(self, counter: Counter, rounds: int) -> NDArray[np.int64]:
        """Returns how the next rounds end."""
        ...


class RoundSource(Protocol):
    """Where the rounds of a campaign come from; the same stream always holds the same rounds, whoever asks."""

    @property
    def purpose(self) -> str:
        """What the streams are drawn for, for the record of a campaign."""
        ...

    @property
    def seed(self) -> str:
        """What distinguishes this source from others of the same purpose, in hexadecimal."""
        ...

    @property
    def dealing(self) -> str:
        """How rounds are dealt, for the record of a campaign."""
        ...

    def rounds(self, stream_index: int, count: int) -> Rounds:
        """Returns the first rounds of a stream."""
        ...


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

    dealing: ClassVar[str] = "card by card, byte-consumption rule 6"

    @property
    def seed(self) -> str:
        """The master seed in hexadecimal."""
        return self.master_seed.hex()

    def rounds(self, stream_index: int, count: int) -> Rounds:
        """Returns the rounds of a stream, each dealt no more cards than it looks at."""
        return _LazyRounds(self.words(stream_index))

    def words(self, stream_index: int) -> WordSource:
        """Returns a stream of words from its beginning."""
        # Only play-through on rng's cards needs rng; other sources do without.
        from rng.streams import stream

        return stream(self.master_seed, self.purpose, stream_index)

    def whole(self, stream_index: int, starts: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Returns the whole decks of rounds that were dealt card by card, uint8[rounds, 40].

        Args:
            stream_index: Index of the stream.
            starts: The words with which the rounds began, in rising order.
        """
        from rng.lazy_rounds import whole_decks  # As above.

        return whole_decks(self.words(stream_index), starts, DECK_SIZE)

    def deal(self, stream_index: int, count: int) -> NDArray[np.uint8]:
        """Returns the first decks of a stream, uint8[count, 40], card ids in dealing order.

        Args:
            stream_index: Index of the stream.
            count: Number of decks.
        """
        from rng.shuffle import deal_decks  # As above.

        return deal_decks(self.words(stream_index), count, cards=DECK_SIZE)


@dataclass(frozen=True, slots=True)
class _LazyRounds:
    words: WordSource

    def count(self, counter: Counter, rounds: int) -> NDArray[np.int64]:
        return counter.count_rounds(self.words, rounds)


@dataclass(frozen=True, slots=True)
class WholeDecks:
    """The rounds on decks that somebody shuffled whole, one deck a round.

    Args:
        decks: Source of the decks.
    """

    decks: DeckSource
    dealing: ClassVar[str] = "whole decks"

    @property
    def purpose(self) -> str:
        """Purpose of the streams of decks."""
        return self.decks.purpose

    @property
    def seed(self) -> str:
        """What distinguishes the source of the decks."""
        return self.decks.seed

    def rounds(self, stream_index: int, count: int) -> Rounds:
        """Returns the rounds on the decks of a stream.

        Raises:
            InputError: The source dealt another number of decks.
        """
        decks = self.decks.deal(stream_index, count)
        if len(decks) != count:
            raise InputError(f"stream {stream_index} dealt {len(decks)} decks, expected {count}")
        return _DeckRounds(decks)


@dataclass(slots=True)
class _DeckRounds:
    decks: NDArray[np.uint8]
    played: int = 0

    def count(self, counter: Counter, rounds: int) -> NDArray[np.int64]:
        counts = counter.count(self.decks[self.played : self.played + rounds])
        self.played += rounds
        return counts

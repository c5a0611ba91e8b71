"""Campaigns on decks that somebody drew whole: what a campaign deals lazily is held against them."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from numpy.typing import NDArray

from certify.errors import InputError


class DeckSource(Protocol):
    """Gives whole rows of draws; the same stream always gives the same rows, whoever asks."""

    @property
    def purpose(self):
        """What the streams are drawn for, for the record of a campaign."""
        ...

    @property
    def seed(self):
        """What distinguishes this source from others of the same purpose, in hexadecimal."""
        ...

    def deal(self, stream_index, count):
        """Returns the first rows of a stream, unsigned integers[count, width]: items in the order drawn."""
        ...


@dataclass(frozen=True, slots=True)
class WholeDecks:
    """The rounds on decks that somebody drew whole, one row a round.

    Args:
        decks: Source of the decks.
    """

    decks: DeckSource
    dealing: ClassVar[str] = "whole decks"

    @property
    def purpose(self):
        """Purpose of the streams of decks."""
        return self.decks.purpose

    @property
    def seed(self):
        """What distinguishes the source of the decks."""
        return self.decks.seed

    def rounds(self, stream_index, count):
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
    decks: NDArray[Any]
    played: int = 0

    def count(self, counter, rounds):
        counts = counter.count(self.decks[self.played : self.played + rounds])
        self.played += rounds
        return counts

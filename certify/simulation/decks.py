"""Where the rounds of a campaign come from: streams of rng."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from certify.families import Counter, LazyCounter
from certify.model import Equipment, Game, JointCounts, ShortCounter
from rng.draws import Draw, Integer, OrderedSample, Permutation, Product, Repetition, draw_from, draw_many
from rng.words import WordSource

PURPOSE: Final = "simulation-decks"
"""Purpose of the streams that simulated rounds are drawn from."""


@dataclass(frozen=True, slots=True)
class StreamDecks:
    """Rounds drawn by rng, one independent stream for each chunk of a campaign.

    Args:
        master_seed: At least 32 bytes.
        equipment: What a round is drawn from.
        purpose: Registered purpose of the streams.
    """

    master_seed: bytes
    equipment: tuple[Equipment, ...]
    purpose: str = PURPOSE

    dealing: ClassVar[str] = (
        "draw by draw where the play-through can, byte-consumption rule 6; else whole rows"
    )

    @classmethod
    def of(cls, game: Game, master_seed: bytes, purpose: str = PURPOSE) -> "StreamDecks":
        """Returns the rounds of a game."""
        return cls(master_seed, game.equipment, purpose)

    @property
    def seed(self) -> str:
        """The master seed in hexadecimal."""
        return self.master_seed.hex()

    @property
    def draw(self) -> Draw:
        """What one row is, with its exact law."""
        return draw_of(self.equipment)

    def rounds(self, stream_index: int, count: int) -> "_StreamRounds":
        """Returns the rounds of a stream, each dealt no more than it looks at where the play-through can."""
        return _StreamRounds(self.words(stream_index), self.draw)

    def words(self, stream_index: int) -> WordSource:
        """Returns a stream of words from its beginning."""
        # Only play-through on rng's draws needs rng; other sources do without.
        from rng.streams import stream

        return stream(self.master_seed, self.purpose, stream_index)

    def whole(self, stream_index: int, starts: NDArray[np.int64]) -> NDArray[Any]:
        """Returns the whole rows of rounds that were drawn as far as they look, unsigned integers[rounds, width].

        Args:
            stream_index: Index of the stream.
            starts: The words with which the rounds began, in rising order.
        """
        return draw_from(self.words(stream_index), self.draw, starts)

    def deal(self, stream_index: int, count: int) -> NDArray[Any]:
        """Returns the first whole rows of a stream, unsigned integers[count, width]: items in the order drawn.

        Args:
            stream_index: Index of the stream.
            count: Number of rows.
        """
        return draw_many(self.words(stream_index), self.draw, count)


@dataclass(frozen=True, slots=True)
class _StreamRounds:
    words: WordSource
    draw: Draw

    def count(self, counter: Counter, rounds: int) -> JointCounts:

        if isinstance(counter, LazyCounter):
            return counter.count_rounds(self.words, rounds)
        looks = counter.looks if isinstance(counter, ShortCounter) else None
        return counter.count(draw_many(self.words, self.draw, rounds, looks))


def draw_of(equipment: tuple[Equipment, ...]) -> Draw:
    """Returns what one row of a round is, piece after piece, each with its exact law."""
    parts = tuple(_part(piece) for piece in equipment)
    return parts[0] if len(parts) == 1 else Product(parts)


def _part(piece: Equipment) -> Draw:

    if not piece.replaced:
        whole = piece.supply == piece.size
        return Permutation(piece.size) if whole else OrderedSample(piece.size, piece.supply)
    return Integer(piece.size) if piece.supply == 1 else Repetition(Integer(piece.size), piece.supply)

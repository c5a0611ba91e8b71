"""Where the rows of draws of a campaign come from: a port, and the adapter over rng."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from certify.model.equipment import Equipment
from certify.model.game import Game

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rng.draws import Draw

PURPOSE: Final = "simulation-decks"
"""Purpose of the streams that simulated rounds are drawn from."""


class DeckSource(Protocol):
    """Gives rows of draws; the same stream always gives the same rows, whoever asks."""

    @property
    def purpose(self) -> str:
        """What the streams are drawn for, for the record of a campaign."""
        ...

    @property
    def seed(self) -> str:
        """What distinguishes this source from others of the same purpose, in hexadecimal."""
        ...

    def deal(self, stream_index: int, count: int) -> NDArray[Any]:
        """Returns the first rows of a stream, unsigned integers[count, width]: items in the order drawn."""
        ...


@dataclass(frozen=True, slots=True)
class StreamDecks:
    """Rows drawn by rng, one independent stream for each chunk of a campaign.

    Args:
        master_seed: At least 32 bytes.
        equipment: What a round is drawn from.
        purpose: Registered purpose of the streams.
    """

    master_seed: bytes
    equipment: tuple[Equipment, ...]
    purpose: str = PURPOSE

    @classmethod
    def of(cls, game: Game, master_seed: bytes, purpose: str = PURPOSE) -> StreamDecks:
        """Returns the rows of a game."""
        return cls(master_seed, game.equipment, purpose)

    @property
    def seed(self) -> str:
        """The master seed in hexadecimal."""
        return self.master_seed.hex()

    @property
    def draw(self) -> Draw:
        """What one row is, with its exact law."""
        return draw_of(self.equipment)

    def deal(self, stream_index: int, count: int) -> NDArray[Any]:
        """Returns the first rows of a stream, unsigned integers[count, width]: items in the order drawn.

        Args:
            stream_index: Index of the stream.
            count: Number of rows.
        """
        # Only play-through on rng's draws needs rng; other sources do without.
        from rng.draws import draw_many
        from rng.streams import stream

        return draw_many(stream(self.master_seed, self.purpose, stream_index), self.draw, count)


def draw_of(equipment: tuple[Equipment, ...]) -> Draw:
    """Returns what one row of a round is, piece after piece, each with its exact law."""
    from rng.draws import Product

    parts = tuple(_part(piece) for piece in equipment)
    return parts[0] if len(parts) == 1 else Product(parts)


def _part(piece: Equipment) -> Draw:
    from rng.draws import Integer, OrderedSample, Permutation, Repetition

    if not piece.replaced:
        whole = piece.supply == piece.size
        return Permutation(piece.size) if whole else OrderedSample(piece.size, piece.supply)
    return Integer(piece.size) if piece.supply == 1 else Repetition(Integer(piece.size), piece.supply)

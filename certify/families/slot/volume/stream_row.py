"""The draws of one round of a stream, as the compiled play-through of a slot takes them: no more than the round needs.

A paid spin that starts nothing has used its own words alone. Where it goes on, the words of a whole row are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from certify.families.slot.volume.arrays import base_draws, groups_of
from rng.uniform import together_below

if TYPE_CHECKING:
    from certify.families.slot.volume.program import SlotTables
    from rng.words import WordSource


class StreamRow(Sequence[int]):
    """A row of which the paid spin is drawn at once, and all the rest with the first draw behind it.

    Args:
        words: The stream.
        program: The tables, which say what a row holds.
        ahead: Words that the paid spin needs.
    """

    def __init__(self, words: WordSource, program: SlotTables, ahead: int) -> None:
        groups = groups_of(program.pieces)
        self._words, self._groups = words, iter(groups)
        self._width, self._base = sum(map(len, groups)), base_draws(program)
        self._drawn = self._from(ahead)

    def _from(self, many: int | None = None) -> list[int]:
        """Returns the draws of so many further words, of all that are left where no number is given."""
        return [item for group in islice(self._groups, many) for item in together_below(self._words, group)]

    def __len__(self) -> int:
        """Returns the draws of a whole row."""
        return self._width

    def __getitem__(self, place: int) -> int:  # type: ignore[override]
        """Returns one draw."""
        if place >= self._base:
            self._drawn += self._from()
        return self._drawn[place]

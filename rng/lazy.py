"""A deck dealt card by card, as a round asks for them: only the words of the cards used are taken.

The cards are those that a full shuffle would have put first. So a round that was dealt lazily is a
round on a whole deck: on the one that `rng.shuffle.shuffle` deals from the word where the round began.

Source: docs/byte-consumption-rule.md, version 1, rule 6.
"""

from collections.abc import Iterator, Sequence
from typing import overload

from rng.errors import RangeError
from rng.shuffle import bound_groups
from rng.uniform import Words, together_below


class LazyDeck(Sequence[int]):
    """The cards 0 to n - 1 in a shuffled order; a card is drawn when it is first looked at.

    >>> from rng.shuffle import shuffle
    >>> from rng.words import recorded_words
    >>> lazy, whole = recorded_words(bytes(range(64))), recorded_words(bytes(range(64)))
    >>> LazyDeck(lazy, 40)[:3] == list(shuffle(whole, 40)[:3])
    True
    >>> lazy.drawn, whole.drawn
    (1, 3)

    Args:
        source: the words to draw from; nothing else may be drawn from it before the round is over.
        cards: cards in the deck, 1 to 65,536.

    Raises:
        RangeError: the number of cards is out of range.
    """

    __slots__ = ("_cards", "_groups", "_moved", "_source", "dealt")

    def __init__(self, source: Words, cards: int) -> None:
        if type(cards) is not int or not 1 <= cards <= 1 << 16:
            raise RangeError(f"deck of {cards!r} cards: an integer from 1 to 65536 expected")
        self._source = source
        self._cards = cards
        self._groups: Iterator[tuple[int, ...]] = iter(bound_groups(cards))
        self._moved: dict[int, int] = {}
        self.dealt: list[int] = []
        """The cards drawn so far; whole groups are drawn at once."""

    def __len__(self) -> int:
        return self._cards

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> list[int]: ...

    def __getitem__(self, place: int | slice) -> int | list[int]:
        wanted = range(self._cards)[place]
        if isinstance(wanted, range):
            return [self[i] for i in wanted]
        while len(self.dealt) <= wanted:
            self._draw_group()
        return self.dealt[wanted]

    def _draw_group(self) -> None:
        group = next(self._groups, None)
        if group is None:  # the last card is the one that is left
            last = self._cards - 1
            self.dealt.append(self._moved.get(last, last))
            return
        for number in together_below(self._source, group):
            position = len(self.dealt)
            other = position + number
            self.dealt.append(self._moved.get(other, other))
            self._moved[other] = self._moved.get(position, position)

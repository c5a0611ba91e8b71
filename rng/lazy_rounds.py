"""Many rounds, each dealt no more cards than it looks at: by rule 6, at the speed of whole columns.

From every waiting word the first few cards are dealt as if a round began there, and the caller plays
all of these rounds at once. Rounds for which the few cards do not suffice are dealt all the cards of
their word, and the rare ones that go on beyond it further words. Then, in the order of the stream, the
rounds are taken that do begin: at no word that was rejected, and at none that a round before has used.

Source: docs/byte-consumption-rule.md, version 1, rule 6.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rng.errors import RangeError
from rng.lazy_kernels import (
    MORE_CARDS,
    NO_CARD,
    NO_WORD,
    begun_rounds,
    deal_from,
    deal_whole,
    first_columns,
    first_group,
    new_pile,
    tally,
    wanting,
)
from rng.shuffle import bound_groups, card_type
from rng.words import WordSource

FEW_CARDS: Final = 6
"""Cards that each round is given at first: enough for most rounds of most games, cheap for all."""

Bytes = NDArray[np.uint8]
Play = Callable[[Bytes], Bytes]
"""Plays rounds: given uint8[cards + 1, rounds], card i of each round in row i and NO_CARD in the last row,
returns the outcome of each, 0 to 254, or MORE_CARDS."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rounds that were played, in the order of the stream.

    Args:
        outcomes: uint8[rounds], as the caller's function said.
        starts: int64[rounds], the number of the word in the stream, from 0, with which each round began.
    """

    outcomes: Bytes
    starts: NDArray[np.int64]


def lazy_rounds(
    source: WordSource, rounds: int, cards: int, play: Play, few: int = FEW_CARDS
) -> Iterator[Batch]:
    """Deals and plays rounds; what is drawn and how rounds end does not depend on how many are given at first.

    Args:
        source: The words; exactly those that the rounds use are taken.
        rounds: Rounds to play.
        cards: Cards in the deck, 2 to 254, shuffled anew for each round.
        play: Plays rounds on their first cards; it must be a function of these cards alone.
        few: Cards that each round is given at first.

    Raises:
        RangeError: A number is out of range.
    """
    if type(rounds) is not int or rounds < 0 or not 2 <= cards <= NO_CARD - 1:
        raise RangeError(f"{rounds!r} rounds on {cards!r} cards: 0 or more on 2 to {NO_CARD - 1} expected")
    dealer = _Dealer(cards, play, few)
    waiting = 1
    while rounds:
        words = source.window(waiting)
        # A round beyond the last is never begun, so that few rounds cost little.
        batch, used = dealer.play(words[: 2 * rounds + 64], rounds, source.drawn)
        waiting = len(words) - used + 1 if used + 64 > len(words) or not len(batch.outcomes) else 1
        source.skip(used)
        rounds -= len(batch.outcomes)
        yield batch


def count_rounds(
    source: WordSource, rounds: int, cards: int, play: Play, outcomes: int, few: int = FEW_CARDS
) -> NDArray[np.int64]:
    """How many of the rounds that `lazy_rounds` plays ended in each outcome.

    Args:
        source: the words.
        rounds: rounds to play.
        cards: cards in the deck.
        play: plays rounds on their first cards.
        outcomes: number of outcomes, at most 255.
        few: cards that each round is given at first.
    """
    counts = np.zeros(256, dtype=np.int64)
    for batch in lazy_rounds(source, rounds, cards, play, few):
        tally(batch.outcomes, counts)
    return counts[:outcomes]


def whole_decks(
    source: WordSource, starts: NDArray[np.int64], cards: int
) -> NDArray[np.unsignedinteger[Any]]:
    """The whole decks on which rounds were dealt, from the words with which the rounds began.

    Args:
        source: the stream of the rounds, from its beginning.
        starts: numbers of the words, in rising order.
        cards: cards in the deck.

    Returns:
        uint8 or uint16[rounds, cards]: what `rng.shuffle.shuffle` deals from these words.
    """
    decks = np.empty((len(starts), cards), dtype=card_type(cards))
    pile = new_pile(cards)
    dealt = np.empty(cards, dtype=np.int64)
    for row, start in zip(decks, starts.tolist(), strict=True):
        source.skip_to(start)
        wanted = len(bound_groups(cards))
        while deal_whole(pile, source.window(wanted), 0, dealt) == NO_WORD:
            wanted += 1
        row[:] = dealt
    return decks


class _Dealer:
    """Deals and plays the rounds of one window after the other."""

    def __init__(self, cards: int, play: Play, few: int) -> None:
        self._cards = cards
        self._play = play
        self._most, self._product, self._threshold = first_group(cards)
        self._few = max(1, min(few, self._most))
        self._pile = new_pile(cards)
        # Cards dealt with each further word; the last card of the deck is settled with the one before it.
        ends = np.cumsum([len(group) for group in bound_groups(cards)]).tolist()
        self._further = (*ends[1:-1], cards)

    def play(self, words: NDArray[np.uint64], wanted: int, drawn: int) -> tuple[Batch, int]:
        """Returns the rounds that begin in the words, at most those wanted, and the words that they used."""
        outcomes = self._first_word(words)
        played = np.empty(min(len(words), wanted), dtype=np.uint8)
        starts = np.empty(len(played), dtype=np.int64)
        made = place = 0
        while True:
            made, place, long = begun_rounds(
                words, place, outcomes, self._product, self._threshold, played, starts, made
            )
            if not long:
                break
            outcome, end = self._further_words(words, place)
            if end == NO_WORD:
                break
            played[made], starts[made] = outcome, place
            made, place = made + 1, end
        return Batch(played[:made], starts[:made] + drawn), place

    def _first_word(self, words: NDArray[np.uint64]) -> Bytes:
        """Plays the round that each word would begin, as far as the cards of that word go."""
        outcomes = self._play(first_columns(words, self._cards, self._few))
        if self._few < self._most:
            again = wanting(outcomes)
            if again.size:
                outcomes[again] = self._play(first_columns(words[again], self._cards, self._most))
        return outcomes

    def _further_words(self, words: NDArray[np.uint64], place: int) -> tuple[int, int]:
        """Plays a round that goes on beyond its first word; returns its outcome and where the next begins."""
        for dealt in self._further:
            column, end = deal_from(self._pile, words, place, dealt)
            if end == NO_WORD:
                return MORE_CARDS, NO_WORD
            outcome = int(self._play(column)[0])
            if outcome != MORE_CARDS:
                return outcome, end
        raise RangeError(f"a round wants more than the {self._cards} cards of the deck")

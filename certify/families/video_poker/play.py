"""Play-through of video poker behind the port of the families: the compiled loop."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np

from certify.analysis.hands.deals import (
    BINOMIAL,
    Deals,
    arrange,
    arrays_of,
    next_hand,
    number_of,
    sort_cards,
)
from certify.analysis.hands.strength import CountedDeck
from certify.array_types import Bytes, Places, Values, Whole, Words
from certify.errors import InputError
from certify.families.port import Counter
from certify.families.video_poker import figures
from certify.families.video_poker.text import BET, LOSE, HoldTable, deck_of, hold_table
from certify.kernels import njit
from certify.model import Axes, Game, JointCounts, Strategy
from rng.kernels import called_by_kernels
from rng.lazy_kernels import NO_WORD, LazyDeck, Pile, draw_card, new_pile, put_back
from rng.words import WordSource

FEW_WORDS: int = 512
"""Words that are taken at once: a round takes one or two, now and then one more."""


@dataclass(frozen=True, slots=True)
class HoldTables:
    """Everything that one round needs.

    Args:
        cards: Cards of the deck.
        holds: uint8[hands], what is held of each hand, as bits over its cards in rising order.
        codes: uint8[hands], the outcome of each hand.
    """

    cards: int
    holds: Bytes
    codes: Bytes


def compiled(deck: CountedDeck, deals: Deals, holds: bytes, codes: Bytes) -> HoldTables:
    """Returns a strategy with the hold of every deal written out.

    Args:
        deck: The deck.
        deals: Its deals.
        holds: The hold of every class of deals, over the places of its arranged hand.
        codes: uint8[hands], the outcome of each hand.
    """
    written = np.empty(len(deals.place), dtype=np.uint8)
    by_class = np.frombuffer(holds, dtype=np.uint8)
    _write_out(deals.place, by_class, *arrays_of(deck), deck.suits, written)
    return HoldTables(deck.size, written, codes)


def play(rows: Values, tables: HoldTables) -> Bytes:
    """Returns the outcome of every round, uint8[rounds].

    Args:
        rows: Unsigned integers[rounds, cards], faces in dealing order.
        tables: Strategy and deck, compiled.

    Raises:
        InputError: The rows hold another number of cards, or a card that the deck lacks.
    """
    cards = tables.cards
    if rows.ndim != 2 or rows.shape[1] != cards or (rows.size and int(rows.max()) >= cards):
        raise InputError(f"rows of {rows.shape}, expected {cards} cards below {cards} each")
    numbers, starts = np.empty(len(rows), dtype=np.int32), np.empty(len(rows), dtype=np.int64)
    looked_at = np.ascontiguousarray(rows[:, :10]).astype(np.int64)
    _play(looked_at, new_pile(cards), np.empty(0, np.uint64), tables.holds, BINOMIAL, numbers, starts, 0)
    return tables.codes[numbers]


def play_rounds(words: WordSource, rounds: int, tables: HoldTables) -> tuple[Bytes, Whole]:
    """Returns the outcomes of rounds that are dealt card by card, and the words where they began.

    Args:
        words: The stream that the cards are drawn from; exactly the words of the rounds are taken.
        rounds: Rounds to play.
        tables: Strategy and deck, compiled.
    """
    pile, none = new_pile(tables.cards), np.empty((0, 0), dtype=np.int64)
    numbers = np.empty(rounds, dtype=np.int32)
    starts = np.empty(rounds, dtype=np.int64)
    made, waiting = 0, 1
    while made < rounds:
        window = words.window(waiting)
        before = words.drawn
        after, used = _play(none, pile, window, tables.holds, BINOMIAL, numbers, starts, made)
        starts[made:after] += before
        words.skip(used)
        # A round that the window broke off is begun again once more words are waiting.
        waiting = min(len(window) - used + 1, FEW_WORDS)
        made = after
    # Final hands are looked up together: no round waits for the table.
    return tables.codes[numbers], starts


@njit(cache=True, nogil=True)
def _write_out(
    place: Places, by_class: Bytes, ranks: Whole, suits: Whole, suit_count: int, written: Bytes
) -> None:
    hand, places, keys = np.arange(5), np.empty(5, dtype=np.int64), np.empty(5, dtype=np.int64)
    masks, labels = np.zeros(suit_count, dtype=np.int64), np.zeros(suit_count, dtype=np.int64)
    for deal in range(written.size):
        hold = by_class[place[deal]]
        for at in range(5):
            places[at] = hand[at]
        arrange(places, ranks, suits, masks, labels, keys)
        bits = 0
        for at in range(5):
            if hold >> at & 1:
                for rising in range(5):
                    if hand[rising] == places[at]:
                        bits |= 1 << rising
        written[deal] = bits
        if deal + 1 < written.size:
            next_hand(hand)


@called_by_kernels
def _numbered(hand: Whole, binomial: Whole) -> Any:
    """Brings five cards into rising order and returns their number."""
    sort_cards(hand)
    return number_of(hand, binomial)


@njit(cache=True, nogil=True)
def _play(
    rows: Whole,
    pile: Pile,
    words: Words,
    holds: Bytes,
    binomial: Whole,
    numbers: Places,
    starts: Whole,
    made: int,
) -> tuple[int, int]:
    """Plays given rows, or rounds drawn until all are played or the words end; returns rounds played, words used."""
    at, given = 0, rows.size > 0
    hand = np.empty(5, dtype=np.int64)
    while made < numbers.size:
        begun, rest, place, held = at, np.uint64(0), 0, np.int64(0)
        for deal in range(2):
            for slot in range(5):
                if held >> slot & 1:
                    continue
                if given:
                    hand[slot] = rows[made, place]
                else:
                    hand[slot], at, rest = draw_card(pile, words, at, rest, place)
                    if hand[slot] == NO_WORD:
                        put_back(pile, place)
                        return made, begun
                place += 1
            if deal == 0:
                held = np.int64(holds[_numbered(hand, binomial)])
        if not given:
            put_back(pile, place)
        numbers[made], starts[made] = _numbered(hand, binomial), begun
        made += 1
    return made, at


SHARES: Final = (
    "rows of hands and their strengths: the implementation of the family and the toolkit of hands",
)
"""What the compiled play-through shares with the exact figures and the reference round, as printed in the evidence."""


@dataclass(frozen=True, slots=True)
class VideoPokerCounter:
    """Plays rounds of video poker under one strategy.

    Args:
        game: The submission.
        strategy: What is held.
        deck: The deck.
        axes: The bet with its outcomes.
        tables: What the compiled loop reads, made when it is first needed.
    """

    game: Game
    strategy: HoldTable
    deck: CountedDeck
    axes: Axes
    tables: list[HoldTables] = field(default_factory=list, compare=False)

    def _tables(self) -> HoldTables:
        if not self.tables:
            counted, ((_, outcomes),) = figures.enumerated(self.game), self.axes
            rows = [figures.row_of_kind(self.game, kind) for kind in range(counted.within.shape[1])]
            codes = np.array([outcomes.index(row) for row in rows], dtype=np.uint8)[counted.kinds]
            self.tables.append(compiled(self.deck, counted.deals, self.strategy.holds, codes))
        return self.tables[0]

    def count(self, rows: Values) -> JointCounts:
        """Returns how many decks end in each outcome."""
        return self._counted(play(rows, self._tables()))

    def outcomes(self, rows: Values) -> list[tuple[str, ...]]:
        """Returns the outcome of every deck, by the kernel."""
        return self._named(play(rows, self._tables()).tolist())

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream, dealt card by card, end in each outcome."""
        return self._counted(play_rounds(words, rounds, self._tables())[0])

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], Whole]:
        """Returns the outcomes of the next rounds by the kernel, and the word with which each began."""
        ended, starts = play_rounds(words, rounds, self._tables())
        return self._named(ended.tolist()), starts

    def row(self, words: WordSource) -> Sequence[int]:
        """Returns the cards of the next round, drawn as they are looked at."""
        return LazyDeck(words, self.deck.size)

    def _named(self, codes: Iterable[int]) -> list[tuple[str, ...]]:
        ((_, outcomes),) = self.axes
        return [(outcomes[code],) for code in codes]

    def _counted(self, codes: Bytes) -> JointCounts:
        return JointCounts.dense(self.axes, np.bincount(codes))


class VideoPokerVolume:
    """Play-through by the kernel."""

    independent_code: tuple[str, ...] = ()
    shares: tuple[str, ...] = SHARES

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rounds of a game under a strategy.

        Raises:
            InputError: The strategy is of another family, or written for another deck.
        """
        table, deck = hold_table(strategy), deck_of(game)
        if table.deck != deck:
            raise InputError(f"strategy {table.name!r} is written for another deck than that of {game.id}")
        return VideoPokerCounter(game, table, deck, ((BET, (*game.wager(BET).paytable.ids, LOSE)),))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the stake."""
        return Fraction(-1) if outcome == LOSE else game.wager(wager).paytable.pays(outcome)

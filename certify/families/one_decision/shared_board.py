"""Two cards each and five on the board, decided on after three of them: counted board by board.

The best five of seven are too many to be met hand against hand. Of every board, up to the names of suits, all pairs of
the other cards are ranked once; how many of the dealer's pairs lie below, tie with and lie above each pair of the
player follows by counting from the weakest pair up, less those that hold a card of the player's. What a board comes to
is added to each situation, two cards and three of the board, that it can arise from. Everything is a whole number.
"""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.analysis.engine.strategies import ConstantChoice
from certify.analysis.hands.deals import BINOMIAL, Whole, deals_of, hand_of, number, number_of, sort_cards
from certify.analysis.hands.strength import Card, CountedDeck, best_five, bits_of, label, labelled
from certify.analysis.hands.strength_bits import best_five_bits
from certify.families.one_decision.hand_vs_dealer import Situations
from certify.families.one_decision.text import BOARD, FLOP, LATER, OWN, SEEN
from certify.model import Strategy

SIGNS: Final = 3
"""How two hands compare: the player's is lower, equal or higher."""


@dataclass(frozen=True)
class Board:
    """What a game tells apart of hands that share a board; edges are strengths from which a hand is of the next class.

    Args:
        seen: Edges of the best five of what the player sees.
        own: Edges of the player's best five of seven.
        other: Edges of the dealer's.
        columns: For each class of the player's hand, class of the dealer's and sign, which end it is; -1 where no
            hands meet so.
        order: Which card each draw is: the player's own, the first three of the board, the other two, the dealer's.
    """

    seen: tuple[int, ...]
    own: tuple[int, ...]
    other: tuple[int, ...]
    columns: tuple[int, ...]
    order: tuple[int, ...] = tuple(range(SEEN + LATER))

    @property
    def classes(self) -> int:
        """Classes of what the player sees."""
        return len(self.seen) + 1

    @property
    def ends(self) -> int:
        """Ways in which two hands meet."""
        return max(self.columns) + 1

    @property
    def togethers(self) -> int:
        """One: nothing is distinguished of both hands together."""
        return 1

    def situations(self, deck: CountedDeck) -> Situations:
        """Returns every situation of a deck, counted."""
        return situations(deck, self)

    def end(self, own: int, other: int) -> int:
        """Returns how hands of two strengths meet, in plain Python."""
        mine, theirs = (
            sum(edge <= one for edge in edges) for edges, one in ((self.own, own), (self.other, other))
        )
        sign = (own >= other) + (own > other)
        return self.columns[(mine * (len(self.other) + 1) + theirs) * SIGNS + sign]

    def met(self, seen: Sequence[Card], later: Sequence[Card]) -> tuple[int, int]:
        """Returns the class of what is seen and the end of a round, -1 where it was given up.

        Args:
            seen: The cards until the decision, in the order drawn.
            later: The cards that came after it.
        """
        kind = sum(edge <= best_five(seen) for edge in self.seen)
        if not later:
            return kind, -1
        cards = self.arranged([*seen, *later])
        board = cards[OWN:-OWN]
        return kind, self.end(best_five([*cards[:OWN], *board]), best_five([*board, *cards[-OWN:]]))

    def arranged(self, drawn: Sequence[Any]) -> list[Any]:
        """Returns what was drawn with the player's own cards first, the board next, the dealer's last."""
        return [drawn[place] for place in np.argsort(self.order[: len(drawn)], kind="stable")]

    def sees(self, seen: Sequence[Card]) -> str:
        """Returns what the player sees, whatever suits are called."""
        cards = self.arranged(seen)
        return label(cards[:OWN], cards[OWN:])

    def hand(self, deck: CountedDeck, situation: int) -> tuple[int, ...]:
        """Returns the faces of a situation: the player's own, then three of the board."""
        flop, own = divmod(situation, comb(deck.size, OWN))
        return (
            *hand_of(own, OWN, deck.size),
            *hand_of(int(deals_of(deck, FLOP).numbers[flop]), FLOP, deck.size),
        )

    def situation(self, deck: CountedDeck, faces: Sequence[int]) -> int:
        """Returns the situation of the player's own cards and three of the board."""
        places, renamed = _flops(deck)
        flop = number(faces[OWN:])
        return int(places[flop]) * comb(deck.size, OWN) + number(
            [int(renamed[flop, face]) for face in faces[:OWN]]
        )

    def chosen(self, deck: CountedDeck, strategy: Strategy, options: tuple[str, ...]) -> NDArray[np.uint8]:
        """Returns for every situation whether a strategy plays it, uint8[situations]."""
        return _chosen(self, deck, strategy, options)

    def of_rows(self, deck: CountedDeck, rows: NDArray[Any]) -> Whole:
        """Returns the situation of every row, int64[rows]."""
        places, renamed = _flops(deck)
        cards = rows[:, np.argsort(self.order)[:SEEN]].astype(np.int64)
        flops = _numbers(cards[:, OWN:])
        own = np.take_along_axis(renamed[flops], cards[:, :OWN], axis=1).astype(np.int64)
        return places[flops] * np.int64(comb(deck.size, OWN)) + _numbers(own)

    def cells(self, deck: CountedDeck, rows: NDArray[Any], played: NDArray[np.uint8]) -> Whole:
        """Returns the cell of every row, int64[rows]: class of what is seen and end, flattened."""
        found = np.empty(len(rows), dtype=np.int64)
        edges = tuple(
            np.array(one, dtype=np.int64) for one in (self.seen, self.own, self.other, self.columns)
        )
        _cells(rows, played, np.argsort(self.order), bits_of(deck), edges, self.ends, found)
        return found

    def rows_from(self, deck: CountedDeck, situation: int) -> NDArray[np.uint8]:
        """Returns every row that begins with a situation, in the order drawn, uint8[rows, draws]."""
        begun = self.hand(deck, situation)
        left = [face for face in range(deck.size) if face not in begun]
        pairs = np.array(list(combinations(left, OWN)), dtype=np.uint8)
        meets = (pairs[:, None, :, None] == pairs[None, :, None, :]).any(axis=(2, 3))
        board, dealer = np.nonzero(~meets)
        begin = np.tile(np.array(begun, dtype=np.uint8), (len(board), 1))
        return np.hstack([begin, pairs[board], pairs[dealer]])[:, list(self.order)]


@dataclass(frozen=True)
class PlayedSituations:
    """A complete strategy: every situation that is played, whatever suits are called.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at.
        deck: The cards.
        told: How situations are numbered.
        played: Whether each is played, a byte each.
    """

    name: str
    strategy_class: str
    deck: CountedDeck
    told: Board
    played: bytes = field(repr=False)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether what is seen is played."""
        return options[self.played[_labelled(self.told, self.deck, str(sees))]]

    def table(self) -> object:
        """Returns the digest of all situations that are played: they are too many to be written out."""
        return {"played": sum(self.played), "sha256": hashlib.sha256(self.played).hexdigest()}


def _labelled(told: Board, deck: CountedDeck, sees: str) -> int:
    faces = {card: face for face, card in enumerate(deck.cards)}
    own, flop = labelled(sees)
    return told.situation(deck, [faces[card] for card in (*own, *flop)])


@lru_cache(maxsize=4)
def _chosen(
    told: Board, deck: CountedDeck, strategy: Strategy, options: tuple[str, ...]
) -> NDArray[np.uint8]:
    size = len(deals_of(deck, FLOP).numbers) * comb(deck.size, OWN)
    if isinstance(strategy, PlayedSituations) and strategy.deck == deck:
        return np.frombuffer(strategy.played, dtype=np.uint8)
    if isinstance(strategy, ConstantChoice):
        return np.full(size, strategy.choose("", options) == options[1], dtype=np.uint8)
    found = np.zeros(size, dtype=np.uint8)
    for situation in range(size):
        faces = told.hand(deck, situation)
        if len(set(faces)) == SEEN:
            sees = label(deck.of(faces[:OWN]), deck.of(faces[OWN:]))
            found[situation] = strategy.choose(sees, options) == options[1]
    return found


@lru_cache(maxsize=4)
def _flops(deck: CountedDeck) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Returns the class of every three cards, and what each card is called where these are the hand of their class."""
    deals, names = deals_of(deck, FLOP), _renamings(deck)
    hands = np.array([hand_of(one, FLOP, deck.size) for one in range(len(deals.place))], dtype=np.int64)
    renamed = np.zeros((len(hands), deck.size), dtype=np.uint8)
    for name in names:
        renamed[_numbers(name[hands]) == deals.numbers[deals.place]] = name
    return deals.place, renamed


def _numbers(hands: Whole) -> Whole:
    """Returns the number of every hand, int64[hands], its cards in any order."""
    numbers: Whole = BINOMIAL[np.sort(hands, axis=1), np.arange(1, hands.shape[1] + 1)].sum(axis=1)
    return numbers


def _renamings(deck: CountedDeck) -> NDArray[np.int64]:
    """Returns what every card is called under each renaming of suits, int64[renamings, cards]."""
    faces = {card: face for face, card in enumerate(deck.cards)}
    return np.array(
        [
            [faces[rank, suits[suit]] for rank, suit in deck.cards]
            for suits in permutations(range(deck.suits))
        ],
        dtype=np.int64,
    )


def situations(deck: CountedDeck, told: Board) -> Situations:
    """Returns every pair of cards with every class of three of the board: how many later cards end it how."""
    met, strengths, weights, dealt = _counted(deck, told.own, told.other, told.columns)
    kinds = np.searchsorted(np.array(told.seen, dtype=np.int64), strengths, side="right").astype(np.uint8)
    nothing, empty = np.zeros(len(met), dtype=np.uint8), np.empty(0, dtype=np.int64)
    return Situations(
        hands=empty,
        classes=empty,
        strengths=strengths,
        hand=np.arange(len(met), dtype=np.int32),
        up=nothing,
        kinds=kinds,
        together=nothing,
        weights=weights,
        met=met,
        dealt=dealt,
        folds=tuple(range(told.ends, 2 * told.ends)),
    )


@lru_cache(maxsize=1)
def _counted(
    deck: CountedDeck, own: tuple[int, ...], other: tuple[int, ...], columns: tuple[int, ...]
) -> tuple[NDArray[np.int32], Whole, Whole, int]:
    """Returns for every situation how often it ends how, its strength, its deals, and in how many ways each goes on.

    Raises:
        ArithmeticError: The counts of some situation are not those of all cards that may follow it.
    """
    boards, flops = deals_of(deck, BOARD), deals_of(deck, FLOP)
    places, renamed = _flops(deck)
    pairs, size = comb(deck.size, OWN), len(flops.numbers) * comb(deck.size, OWN)
    edges = tuple(np.array(one, dtype=np.int64) for one in (own, other, columns))
    added = np.zeros((size, max(columns) + 1), dtype=np.int32)
    drawn, bits = np.sort(boards.hands, axis=1), bits_of(deck)
    upper, lower = np.tril_indices(deck.size - BOARD, -1)
    threes = np.array(list(combinations(range(BOARD), FLOP)))
    _count(drawn, boards.weights, bits, edges, places, renamed, BINOMIAL, pairs, lower, upper, threes, added)
    met, strengths = np.zeros_like(added), np.zeros(size, dtype=np.int64)
    _level(np.sort(flops.hands, axis=1), _renamings(deck), bits, BINOMIAL, pairs, added, met, strengths)
    left, named = deck.size - SEEN, factorial(deck.suits)
    dealt = comb(left, BOARD - FLOP) * comb(left - BOARD + FLOP, OWN)
    counts = met.sum(axis=1, dtype=np.int64)
    valid = counts > 0
    whole = int(valid.sum()) == len(flops.numbers) * comb(deck.size - FLOP, OWN)
    if not whole or (met % named).any() or set(np.unique(counts[valid]).tolist()) != {dealt * named}:
        raise ArithmeticError(f"a board was miscounted: expected {dealt:,} ways to go on from each situation")
    return met // named, strengths, np.where(valid, np.repeat(flops.weights, pairs), 0), dealt


@njit(cache=True, nogil=True)
def _class(edges: Whole, strength: Any) -> Any:
    """Returns how many edges a strength has passed."""
    found = 0
    for edge in edges:
        found += edge <= strength
    return found


@njit(cache=True, nogil=True)
def _pair(one: Any, other: Any, binomial: Whole) -> Any:
    return binomial[min(one, other), 1] + binomial[max(one, other), 2]


@njit(cache=True, nogil=True)
def _meet(
    strengths: Whole, order: Whole, first: Whole, second: Whole, edges: Any, ends: NDArray[np.int32]
) -> None:
    """Counts for every pair of a board how the dealer's pairs meet it, int32[pairs, ends].

    Args:
        strengths: int64[pairs], the best five with the board.
        order: int64[pairs], pairs from the weakest up.
        first: int64[pairs], a card of each pair.
        second: int64[pairs], the other one.
        edges: Edges of the player's hand, of the dealer's, and columns.
        ends: Takes the counts.
    """
    own, other, columns = edges
    pairs, classes = strengths.size, other.size + 1
    # Of pairs below each edge, and below the strength in turn: how many there are, and how many hold each card.
    below = np.zeros((classes + 1, 65), np.int64)
    place = 0
    for edge in range(1, classes + 1):
        below[edge] = below[edge - 1]
        while place < pairs and (edge == classes or strengths[order[place]] < other[edge - 1]):
            below[edge, first[order[place]]] += 1
            below[edge, second[order[place]]] += 1
            below[edge, 64] += 1
            place += 1
    under, until = np.zeros(65, np.int64), np.zeros(65, np.int64)
    begin, lower, upper, held = 0, np.int64(0), np.int64(0), np.zeros(classes + 1, np.int64)
    while begin < pairs:
        strength, end = strengths[order[begin]], begin
        while end < pairs and strengths[order[end]] == strength:
            until[first[order[end]]] += 1
            until[second[order[end]]] += 1
            until[64] += 1
            end += 1
        mine, theirs = _class(own, strength), _class(other, strength)
        for place in range(begin, end):
            pair = order[place]
            a, b = first[pair], second[pair]
            lower = under[64] - under[a] - under[b]
            # The pair itself is taken off twice and counted once.
            upper = until[64] - until[a] - until[b] + 1
            for edge in range(classes + 1):
                held[edge] = below[edge, 64] - below[edge, a] - below[edge, b] + (edge > theirs)
            for kind in range(classes):
                base = (mine * classes + kind) * 3
                if kind < theirs:
                    ends[pair, columns[base + 2]] += held[kind + 1] - held[kind]
                elif kind > theirs:
                    ends[pair, columns[base]] += held[kind + 1] - held[kind]
                else:
                    ends[pair, columns[base + 2]] += lower - held[kind]
                    # The player's own pair is none of the dealer's.
                    ends[pair, columns[base + 1]] += upper - lower
                    ends[pair, columns[base]] += held[kind + 1] - upper
        under[:] = until
        begin = end


@njit(cache=True, nogil=True)
def _count(
    boards: Whole,
    weights: Whole,
    bits: Whole,
    edges: Any,
    places: NDArray[np.int32],
    renamed: NDArray[np.uint8],
    binomial: Whole,
    numbers: int,
    lower: Whole,
    upper: Whole,
    threes: Whole,
    added: NDArray[np.int32],
) -> None:
    """Adds to every situation how the boards that may follow it end, for the hand of each class of boards alone."""
    pairs = lower.size
    strengths, first, second = np.empty(pairs, np.int64), np.empty(pairs, np.int64), np.empty(pairs, np.int64)
    ends, flop = np.zeros((pairs, added.shape[1]), np.int32), np.empty(FLOP, np.int64)
    # Of each pair the few ends that occur, one after the other: most columns stay empty.
    begins, which = np.zeros(pairs + 1, np.int64), np.empty(ends.size, np.int64)
    times = np.empty(ends.size, np.int32)
    for board in range(len(boards)):
        held = np.int64(0)
        for face in boards[board]:
            held |= bits[face]
        left = np.flatnonzero(bits & held == 0)
        for pair in range(pairs):
            first[pair], second[pair] = left[lower[pair]], left[upper[pair]]
            strengths[pair] = best_five_bits(held | bits[first[pair]] | bits[second[pair]])
        ends[:] = 0
        _meet(strengths, np.argsort(strengths), first, second, edges, ends)
        kept = 0
        for pair in range(pairs):
            for end in range(ends.shape[1]):
                if ends[pair, end]:
                    which[kept], times[kept] = end, ends[pair, end] * weights[board]
                    kept += 1
            begins[pair + 1] = kept
        for three in threes:
            for place in range(FLOP):
                flop[place] = boards[board, three[place]]
            here = number_of(flop, binomial)
            names, base = renamed[here], places[here] * numbers
            for pair in range(pairs):
                here = base + _pair(names[first[pair]], names[second[pair]], binomial)
                for end in range(begins[pair], begins[pair + 1]):
                    added[here, which[end]] += times[end]


@njit(cache=True, nogil=True)
def _level(
    flops: Whole,
    renamings: Whole,
    bits: Whole,
    binomial: Whole,
    numbers: int,
    added: NDArray[np.int32],
    met: NDArray[np.int32],
    strengths: Whole,
) -> None:
    """Adds up situations that a renaming of suits leads to from each other, and finds how strong what is seen is."""
    moved = np.empty(FLOP, np.int64)
    for flop in range(len(flops)):
        held = bits[flops[flop, 0]] | bits[flops[flop, 1]] | bits[flops[flop, 2]]
        for names in renamings:
            for place in range(FLOP):
                moved[place] = names[flops[flop, place]]
            sort_cards(moved)
            if (moved == flops[flop]).all():
                for one in range(bits.size):
                    for another in range(one):
                        mine = flop * numbers + _pair(another, one, binomial)
                        met[mine] += added[flop * numbers + _pair(names[another], names[one], binomial)]
        for one in range(bits.size):
            for another in range(one):
                pair = bits[one] | bits[another]
                if held & pair == 0:
                    strengths[flop * numbers + _pair(another, one, binomial)] = best_five_bits(held | pair)


@njit(cache=True, nogil=True)
def _cells(
    rows: NDArray[Any],
    played: NDArray[np.uint8],
    places: Whole,
    bits: Whole,
    edges: Any,
    ends: int,
    found: Whole,
) -> None:
    seen, own, other, columns = edges
    for row in range(rows.shape[0]):
        board = bits[rows[row, places[2]]] | bits[rows[row, places[3]]] | bits[rows[row, places[4]]]
        mine = bits[rows[row, places[0]]] | bits[rows[row, places[1]]]
        kind, column = _class(seen, best_five_bits(board | mine)), 0
        if played[row]:
            board |= bits[rows[row, places[5]]] | bits[rows[row, places[6]]]
            one = best_five_bits(board | mine)
            another = best_five_bits(board | bits[rows[row, places[7]]] | bits[rows[row, places[8]]])
            met = (_class(own, one) * (other.size + 1) + _class(other, another)) * SIGNS
            column = columns[met + (one >= another) + (one > another)]
        found[row] = (kind * 2 + (played[row] == 0)) * ends + column

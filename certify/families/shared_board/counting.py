"""Two cards each and five on the board, decided on as it is opened: counted board by board.

The best five of seven are too many to be met hand against hand. Of every board, up to the names of suits, all pairs of
the other cards are ranked once; how many of the dealer's pairs are below, tie with and are above each pair of the
player follows by counting from the weakest pair up, less those that hold a card of the player's. What a board comes to
under each way through the decisions is added to each situation, two cards and the first of the board, that it can arise
from; there the best option is known, and situations with fewer cards follow in the same way. Everything is a whole
number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import BINOMIAL, Whole, deals_of, number_of, sort_cards
from certify.analysis.hands.strength import CountedDeck, bits_of
from certify.analysis.hands.strength_bits import HELD, best_five_bits
from certify.errors import InputError
from certify.families.shared_board.board import BOARD, OWN, Board
from certify.kernels import njit


@dataclass(frozen=True)
class Opened:
    """Every choice of so many cards of the board, up to the names of suits.

    Args:
        hands: int64[classes, cards], a hand of each class in rising order.
        weights: int64[classes], how many hands are of each class.
        place: int32[hands], the class of every hand by its number.
        renamed: uint8[hands], the renaming of suits that makes each the hand of its class.
    """

    hands: Whole
    weights: Whole
    place: NDArray[np.int32]
    renamed: NDArray[np.uint8]


@lru_cache(maxsize=8)
def opened(deck: CountedDeck, cards: int) -> Opened:
    """Returns every choice of so many cards of the board, up to the names of suits."""
    if not cards:
        one = np.ones(1, dtype=np.int64)
        return Opened(np.zeros((1, 0), np.int64), one, np.zeros(1, np.int32), np.zeros(1, np.uint8))
    deals, names = deals_of(deck, cards), renamings(deck)
    hands = np.sort(deals.hands, axis=1)
    renamed = np.zeros(len(deals.place), dtype=np.uint8)
    inverse = (names == np.argsort(names, axis=1)[:, None]).all(axis=2).argmax(axis=1)
    for name, back in zip(names, inverse, strict=True):
        renamed[numbers_of(name[hands])] = back
    return Opened(hands, deals.weights, deals.place, renamed)


def numbers_of(hands: Whole) -> Whole:
    """Returns the number of every hand, int64[hands], its cards in any order."""
    numbers: Whole = BINOMIAL[np.sort(hands, axis=1), np.arange(1, hands.shape[1] + 1)].sum(axis=1)
    return numbers


def renamings(deck: CountedDeck) -> Whole:
    """Returns what every card is called under each renaming of suits, int64[renamings, cards]."""
    faces = {card: face for face, card in enumerate(deck.cards)}
    return np.array(
        [
            [faces[rank, suits[suit]] for rank, suit in deck.cards]
            for suits in permutations(range(deck.suits))
        ],
        dtype=np.int64,
    )


@lru_cache(maxsize=8)
def renamed_pairs(deck: CountedDeck) -> NDArray[np.uint16]:
    """Returns the number of every two cards under each renaming of suits, uint16[renamings, pairs]."""
    pairs = np.stack(np.tril_indices(deck.size, -1), axis=1)
    return np.array([numbers_of(name[pairs]) for name in renamings(deck)], dtype=np.uint16)


def situations_of(deck: CountedDeck, rows: Whole) -> Whole:
    """Returns the situation of every row of own cards and what is open of the board, int64[rows]."""
    found, names = opened(deck, rows.shape[1] - OWN), renamings(deck)
    board = numbers_of(rows[:, OWN:]) if rows.shape[1] > OWN else np.zeros(len(rows), np.int64)
    own = np.take_along_axis(names[found.renamed[board]], rows[:, :OWN], axis=1)
    return found.place[board] * np.int64(comb(deck.size, OWN)) + numbers_of(own)


def subsets(cards: int, less: int) -> Whole:
    """Returns every choice of so many cards of more."""
    return np.array(list(combinations(range(cards), less)), dtype=np.int64).reshape(comb(cards, less), less)


@njit(cache=True, nogil=True)
def pair_number(one: Any, other: Any, binomial: Whole) -> Any:
    """Returns the number of two cards in any order."""
    return binomial[min(one, other), 1] + binomial[max(one, other), 2]


@njit(cache=True, nogil=True)
def board_held(hand: Whole, bits: Whole) -> Any:
    """Returns some cards as bits."""
    held = np.int64(0)
    for face in hand:
        held |= bits[face]
    return held


_LARGEST: Final = 2**62
"""What sums of whole numbers of this size stay below."""

_NARROW: Final = 2**31
"""The same of numbers of half that size."""

_BLOCK: Final = 1_024
"""Boards whose situations are looked at together."""

ORDERS: Final = 20
"""In how many ways the first three and the fourth of a board may be chosen, at most."""


@dataclass(frozen=True)
class Chosen:
    """What is decided in every situation of a game.

    Args:
        early: For each point with cards to come, uint8[situations]: the place of the option.
        river: uint8[points, bytes]: a bit for each situation of a point at which the whole board is open.
    """

    early: tuple[NDArray[np.uint8], ...]
    river: NDArray[np.uint8]


@dataclass(frozen=True)
class BoardWorth:
    """What every situation is worth under best play, in parts of the stake, against all cards that may follow.

    Args:
        best: What is best decided.
        options: For each point with cards to come, and each option of it, int64[situations].
        counts: For each such point, int64[situations]: the cards that may follow, 0 of no situation.
        total: Worth of all rounds, each as often as the board may be opened.
    """

    best: Chosen
    options: tuple[tuple[Whole, ...], ...] = field(repr=False)
    counts: tuple[Whole, ...] = field(repr=False)
    total: int


Nets = tuple[tuple[int, ...], ...]
"""Net results by way through the decisions and end, in whole parts of the stake."""


@dataclass(frozen=True)
class Loops:
    """What the compiled loops take: the game in arrays.

    Args:
        bits: int64[cards].
        edges: Edges of the player's hand and of the dealer's.
        follow: int64[points, options], -1 behind the last option.
        nets: int64[classes, ways, class of the dealer's hand and sign].
        boards: Every board, up to the names of suits.
    """

    bits: Whole
    edges: tuple[Whole, Whole]
    follow: Whole
    nets: Whole
    boards: Opened


def loops_of(deck: CountedDeck, shared: Board, nets: Nets) -> Loops:
    """Returns what the compiled loops take."""
    edges = np.array(shared.own, dtype=np.int64), np.array(shared.other, dtype=np.int64)
    most = max((len(point.follow) for point in shared.points), default=1)
    follow = np.full((len(shared.points), most), -1, dtype=np.int64)
    for place, point in enumerate(shared.points):
        follow[place, : len(point.follow)] = point.follow
    # An end that no two hands come to is worth nothing.
    by_end = np.array([(*one, 0) for one in nets], dtype=np.int64)
    columns = np.array(shared.columns).reshape(len(shared.own) + 1, -1)
    return Loops(
        bits_of(deck), edges, follow, by_end[:, columns].transpose(1, 0, 2).copy(), opened(deck, BOARD)
    )


@lru_cache(maxsize=2)
def worth_of(deck: CountedDeck, shared: Board, nets: Nets) -> BoardWorth:
    """Returns what every situation is worth under best play.

    Raises:
        InputError: Pays are too large.
        ArithmeticError: The boards of some situation are not all that may follow it.
    """
    if max(abs(net) for one in nets for net in one) * deals(deck) * factorial(deck.suits) * ORDERS > _LARGEST:
        raise InputError("pays are too large or too fine to be added up in whole numbers of 64 bits")
    loops, pairs, moved = loops_of(deck, shared, nets), comb(deck.size, OWN), renamed_pairs(deck)
    origin = np.argsort(moved, axis=1).astype(np.uint16)
    early = [point for point in shared.points if point.opened < BOARD]
    river = np.zeros((len(shared.points) - len(early), -(-len(loops.boards.hands) * pairs // 8)), np.uint8)
    before: list[int] = [*shared.opened]
    taken: dict[int, NDArray[np.uint8]] = {}
    options: dict[int, tuple[Whole, ...]] = {}
    counts: dict[int, Whole] = {}
    level, kept = before.pop() if before else 0, _kept(shared, before_of(shared, BOARD))
    largest = max(abs(net) for one in nets for net in one) * _following(deck, level) * len(moved)
    added = _empty(deck, level, kept, np.int32 if largest < _NARROW else np.int64)
    found = opened(deck, level)
    times = 1
    _value_boards(
        *(loops.boards.hands, loops.boards.weights, loops.bits, BINOMIAL, loops.edges, loops.nets),
        *(loops.follow, len(early), river, subsets(BOARD, level), np.array(kept, dtype=np.int64)),
        *(found.place, found.renamed, origin, added),
    )
    while True:
        _level(found.hands, renamings(deck), moved, added)
        _check(deck, level, added, times)
        worth = dict(zip(kept, added, strict=False))
        for place in reversed([place for place, point in enumerate(shared.points) if point.opened == level]):
            options[place] = tuple(worth[one] for one in shared.points[place].follow)
            worth[place], taken[place] = _best(options[place])
            counts[place] = added[-1]
        if not level:
            break
        upper, above = level, found
        level = before.pop() if before else 0
        times *= comb(BOARD - level, upper - level)
        kept = _kept(shared, before_of(shared, upper))
        values = [*(worth[one] for one in kept), added[-1]]
        added, found = _empty(deck, level, kept), opened(deck, level)
        for rows, block in blocks_of(above, pairs):
            several = np.stack([one[rows] for one in values]).astype(np.int64)
            _lower(
                *(above.hands[block], above.weights[block], BINOMIAL, several, subsets(upper, level)),
                *(found.place, found.renamed, origin, added),
            )
    places = range(len(early))
    best = Chosen(tuple(taken[place] for place in places), river)
    return BoardWorth(
        best,
        tuple(options[place] for place in places),
        tuple(counts[place] for place in places),
        int(worth[0].sum()),
    )


def _best(options: Sequence[Whole]) -> tuple[Whole, NDArray[np.uint8]]:
    """Returns what the best option of every situation is worth, and its place: the first of those worth the same."""
    found, taken = options[0], np.zeros(len(options[0]), dtype=np.uint8)
    for place, option in enumerate(options[1:], 1):
        taken[option > found] = place
        found = np.maximum(found, option)
    return found, taken


def deals(deck: CountedDeck) -> int:
    """Returns in how many ways both hands and the board can be dealt."""
    left = deck.size - OWN
    return comb(deck.size, OWN) * comb(left, BOARD) * comb(left - BOARD, OWN)


def before_of(shared: Board, level: int) -> int:
    """Returns how many cards were open at the last decision before so many do."""
    return max((opened for opened in shared.opened if opened < level), default=0)


def _kept(shared: Board, level: int) -> list[int]:
    """Returns the points and ways that decisions lead to until so many cards are open."""
    entered = {one: point.opened for point in shared.points for one in point.follow}
    after = {place: point.opened for place, point in enumerate(shared.points)}
    return [
        one
        for one in range(len(shared.points) + len(shared.ways))
        if entered.get(one, 0) <= level < after.get(one, BOARD + 1)
    ]


def blocks_of(found: Opened, pairs: int) -> Iterator[tuple[slice, slice]]:
    """Yields all situations in blocks, and the boards of each: of four cards they would take gigabytes at once."""
    for begin in range(0, len(found.hands), _BLOCK):
        end = begin + _BLOCK
        yield slice(begin * pairs, end * pairs), slice(begin, end)


def _empty(deck: CountedDeck, level: int, kept: Sequence[int], size: Any = np.int64) -> NDArray[Any]:
    return np.zeros((len(kept) + 1, len(opened(deck, level).hands) * comb(deck.size, OWN)), dtype=size)


def _following(deck: CountedDeck, level: int) -> int:
    """Returns in how many ways the board and the dealer's hand may follow a situation."""
    left = deck.size - OWN - level
    return comb(left, BOARD - level) * comb(left - BOARD + level, OWN)


def _check(deck: CountedDeck, level: int, added: NDArray[Any], times: int) -> None:
    """Refuses counts that are not those of all cards that may follow each situation."""
    # What follows comes as often as it may be opened in turns.
    expected, counted = _following(deck, level) * times, added[-1]
    hands = len(opened(deck, level).hands) * comb(deck.size - level, OWN)
    if not np.count_nonzero(counted == expected) == np.count_nonzero(counted) == hands:
        raise ArithmeticError(
            f"a board was miscounted: expected {expected:,} ways to go on from each situation"
        )


# --- compiled -------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def class_of(edges: Whole, strength: Any) -> Any:
    """Returns how many edges a strength has passed."""
    found = 0
    for edge in edges:
        found += edge <= strength
    return found


@njit(cache=True, nogil=True)
def meet(
    held: Any, bits: Whole, edges: Whole, under: NDArray[np.int32]
) -> tuple[NDArray[np.uint16], Whole, Whole]:
    """Groups the pairs of cards that a board leaves by the strength that they make with it.

    Args:
        held: The board as bits.
        bits: int64[cards].
        edges: Edges of the dealer's hand.
        under: Takes of the pairs weaker than each group how many hold each card and, last, how many there are,
            int32[pairs + 1, cards + 1].

    Returns:
        uint16[pairs, 4], the cards of every pair, its number and its group; int64[groups], strengths, weakest first;
        int64[classes + 1], the group that each class of the dealer's hand begins with.
    """
    most, shift, ranks = 0, 0, np.empty(bits.size, np.int64)
    for suit in range(0, 52, 13):
        if HELD[held >> suit & 8191] > most:
            most, shift = HELD[held >> suit & 8191], suit
    for card in range(bits.size):
        one = bits[card]
        ranks[card] = HELD[((one | one >> 13 | one >> 26 | one >> 39) & 8191) - 1]
    pairs, made = np.empty((len(under), 4), np.uint16), np.empty(len(under), np.int64)
    known, found, pair, number = np.full((14, 14), -1, np.int64), 0, 0, 0
    for one in range(bits.size):
        for another in range(one):
            every = held | bits[one] | bits[another]
            if (bits[one] | bits[another]) & held == 0:
                # But for a flush and for wild cards, what is made depends on ranks alone.
                alone = every >> 52 > 0 or HELD[every >> shift & 8191] > 4
                place = -1 if alone else known[ranks[one], ranks[another]]
                if place < 0:
                    place = found
                    made[place] = best_five_bits(every) << 12 | place
                    found += 1
                    if not alone:
                        known[ranks[one], ranks[another]] = place
                pairs[pair, 0], pairs[pair, 1], pairs[pair, 2], pairs[pair, 3] = another, one, number, place
                pair += 1
            number += 1
    made[:found].sort()
    group, groups, strengths = np.empty(found, np.int64), 0, np.empty(found, np.int64)
    for place in range(found):
        if groups == 0 or made[place] >> 12 != strengths[groups - 1]:
            strengths[groups] = made[place] >> 12
            groups += 1
        group[made[place] & 4095] = groups - 1
    under[: groups + 1] = 0
    for place in range(pair):
        here = group[pairs[place, 3]]
        pairs[place, 3] = here
        under[here + 1, pairs[place, 0]] += 1
        under[here + 1, pairs[place, 1]] += 1
        under[here + 1, bits.size] += 1
    begins = np.zeros(edges.size + 2, np.int64)
    for here in range(groups):
        for card in range(bits.size + 1):
            under[here + 1, card] += under[here, card]
        for edge in range(edges.size):
            begins[edge + 1] += strengths[here] < edges[edge]
    begins[edges.size + 1] = groups
    return pairs[:pair], strengths[:groups], begins


@njit(cache=True, nogil=True)
def without(counts: Any, here: Any, pairs: NDArray[np.uint16], pair: int) -> Any:
    """Returns how many of the dealer's pairs hold no card of the player's."""
    every = np.int64(counts[here, counts.shape[1] - 1])
    return every - counts[here, pairs[pair, 0]] - counts[here, pairs[pair, 1]]


@njit(cache=True, nogil=True)
def parted(strengths: Whole, edges: Any) -> tuple[Whole, Whole]:
    """Parts groups by the classes of their hands.

    Returns:
        int64[groups], the part of each; int64[parts, 2], its class as the player's hand and as the dealer's.
    """
    part, last = np.empty(strengths.size, np.int64), -1
    classes = np.empty((edges[0].size + edges[1].size + 1, 2), np.int64)
    for group in range(strengths.size):
        own, other = class_of(edges[0], strengths[group]), class_of(edges[1], strengths[group])
        if last < 0 or classes[last, 0] != own or classes[last, 1] != other:
            last += 1
            classes[last, 0], classes[last, 1] = own, other
        part[group] = last
    return part, classes[: last + 1]


@njit(cache=True, nogil=True)
def priced(nets: Whole, classes: Whole, begins: Whole, under: NDArray[np.int32]) -> Whole:
    """Returns what ways are worth to each part against all pairs, and against those that hold each card.

    Of pairs of the same class on both sides it takes none as weaker and none as equal: these a pair adds.

    Returns:
        int64[parts * ways, cards + 1].
    """
    worth = np.zeros((len(classes) * nets.shape[1], under.shape[1]), np.int64)
    for part in range(len(classes)):
        own, other = classes[part, 0], classes[part, 1]
        for way in range(nets.shape[1]):
            for kind in range(begins.size - 1):
                begin, end = begins[kind], begins[kind + 1]
                less, more = (
                    nets[own, way, kind * 3 + 2 * (kind <= other)],
                    nets[own, way, kind * 3 + 2 * (kind < other)],
                )
                for card in range(under.shape[1] * (begin < end)):
                    worth[part * nets.shape[1] + way, card] += (
                        more * under[end, card] - less * under[begin, card]
                    )
            # The pair itself, which is none of the dealer's, is taken off twice and counted once.
            worth[part * nets.shape[1] + way, under.shape[1] - 1] += nets[own, way, other * 3]
    return worth


@njit(cache=True, nogil=True)
def worth_at(
    pairs: NDArray[np.uint16], pair: int, nets: Whole, classes: Whole, part: Whole, under: NDArray[np.int32],
    against: Whole, follow: Whole, early: int, worth: Whole,
) -> None:  # fmt: skip
    """Finds what each way through the decisions is worth on a whole board, and each decision that is due there."""
    points, ways, group = follow.shape[0], nets.shape[1], np.int64(pairs[pair, 3])
    here = part[group]
    own, other = classes[here, 0], classes[here, 1]
    lower, upper = without(under, group, pairs, pair), without(under, group + 1, pairs, pair) + 1
    for way in range(ways):
        same = nets[own, way, other * 3 + 1]
        found = without(against, here * ways + way, pairs, pair) + (same - nets[own, way, other * 3]) * upper
        worth[points + way] = found + (nets[own, way, other * 3 + 2] - same) * lower
    for point in range(points - 1, early - 1, -1):
        worth[point] = worth[follow[point, 0]]
        if follow.shape[1] > 1 and follow[point, 1] >= 0:
            worth[point] = max(worth[point], worth[follow[point, 1]])


@njit(cache=True, nogil=True)
def _spread(
    hand: Whole, values: Whole, subsets: Whole, binomial: Whole, place: Any, renamed: Any,
    origin: NDArray[np.uint16], added: Whole,
) -> None:  # fmt: skip
    """Adds what each pair comes to with some cards of the board to every situation with fewer that it arises from."""
    less = np.empty(subsets.shape[1], np.int64)
    for subset in range(subsets.shape[0]):
        for card in range(less.size):
            less[card] = hand[subsets[subset, card]]
        here = number_of(less, binomial)
        name, base = origin[renamed[here]], place[here] * origin.shape[1]
        for column in range(added.shape[0]):
            block, value = added[column, base : base + origin.shape[1]], values[column]
            for pair in range(block.size):
                block[pair] += value[name[pair]]


@njit(cache=True, nogil=True)
def room(bits: Whole) -> NDArray[np.int32]:
    """Returns the array in which the pairs of a board are counted: for each group, by card."""
    return np.empty((bits.size * (bits.size - 1) // 2 + 1, bits.size + 1), np.int32)


@njit(cache=True, nogil=True)
def _value_boards(
    boards: Whole, weights: Whole, bits: Whole, binomial: Whole, edges: Any, nets: Whole, follow: Whole,
    early: int, river: NDArray[np.uint8], subsets: Whole, kept: Whole, place: Any, renamed: Any,
    origin: NDArray[np.uint16], added: Whole,
) -> None:  # fmt: skip
    """Adds what every board comes to under each way on to the situations that it arises from, and decides on it."""
    size, under = origin.shape[1], room(bits)
    points, worth = follow.shape[0], np.zeros(follow.shape[0] + nets.shape[1], np.int64)
    values = np.empty((kept.size + 1, size), added.dtype)
    for board in range(len(boards)):
        pairs, strengths, begins = meet(board_held(boards[board], bits), bits, edges[1], under)
        part, classes = parted(strengths, edges)
        against = priced(nets, classes, begins, under)
        # Pairs that hold a card of the board are no situation and worth nothing.
        values[:] = 0
        for pair in range(len(pairs)):
            worth_at(pairs, pair, nets, classes, part, under, against, follow, early, worth)
            number = np.int64(pairs[pair, 2])
            for point in range(early, points):
                if follow.shape[1] > 1 and worth[point] > worth[follow[point, 0]]:
                    at = board * size + number
                    river[point - early, at >> 3] |= 1 << (at & 7)
            for column in range(kept.size):
                values[column, number] = weights[board] * worth[kept[column]]
            values[kept.size, number] = weights[board] * (without(under, strengths.size, pairs, pair) + 1)
        _spread(boards[board], values, subsets, binomial, place, renamed, origin, added)


@njit(cache=True, nogil=True)
def _lower(
    hands: Whole, weights: Whole, binomial: Whole, worth: Whole, subsets: Whole, place: Any, renamed: Any,
    origin: NDArray[np.uint16], added: Whole,
) -> None:  # fmt: skip
    """Adds what every situation comes to on to the situations with fewer cards that it arises from."""
    size = origin.shape[1]
    for hand in range(len(hands)):
        values = worth[:, hand * size : (hand + 1) * size] * weights[hand]
        _spread(hands[hand], values, subsets, binomial, place, renamed, origin, added)


@njit(cache=True, nogil=True)
def _level(hands: Whole, names: Whole, pairs: NDArray[np.uint16], added: Whole) -> None:
    """Makes of what was added for one hand of each class what each situation comes to.

    Situations that a renaming of suits leads to from each other are added up; each was met once for every renaming.
    """
    numbers, moved = pairs.shape[1], np.empty(hands.shape[1], np.int64)
    for hand in range(len(hands)):
        block = added[:, hand * numbers : (hand + 1) * numbers]
        before = block.copy()
        block[:] = 0
        for renaming in range(len(names)):
            for place in range(moved.size):
                moved[place] = names[renaming, hands[hand, place]]
            sort_cards(moved)
            if (moved == hands[hand]).all():
                for column in range(len(block)):
                    for pair in range(numbers):
                        block[column, pair] += before[column, pairs[renaming, pair]]
        block //= len(names)

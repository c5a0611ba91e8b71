"""How often rounds that share a board end how, under what is decided; and rows of cards that are played."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import BINOMIAL, Whole, hand_of, number_of, sort_cards
from certify.analysis.hands.strength import KINDS, CountedDeck, bits_of
from certify.analysis.hands.strength_bits import best_five_bits
from certify.families.shared_board.board import BOARD, FLOP, OWN, Board
from certify.families.shared_board.counting import (
    Chosen,
    Nets,
    board_held,
    class_of,
    loops_of,
    meet,
    opened,
    pair_number,
    parted,
    priced,
    renamed_pairs,
    room,
    subsets,
    without,
    worth_at,
)
from certify.kernels import njit

LINE: Final = KINDS * KINDS * 4
"""Lines of a decision on a whole board: kinds of the player's hand and of the board alone, what is best and decided."""


@dataclass(frozen=True)
class Counts:
    """How often rounds end how.

    Args:
        cells: int64[ways, kinds, ends], rounds, each as often as the board may be opened.
        lines: int64[points, LINE, 3]: decisions on a whole board: how often they come, and the worth of either option.
        shown: int64[kinds, ends, 2]: a board, its cards in the order opened, and a pair of the player; -1 if none.
        dealt: Rounds in all.
    """

    cells: Whole
    lines: Whole
    shown: NDArray[np.int64]
    dealt: int


def _tables(deck: CountedDeck, shared: Board, chosen: Chosen) -> tuple[Any, ...]:
    """Returns where the decisions of a situation are kept, as compiled loops take it.

    Returns:
        int64[points], cards that are open; uint8, where what is decided in all situations of points with cards to come
        leads, one point after the other; int64[points], where those of each point begin; uint8[points, bytes], bits of
        what is decided at the others; uint8[situations], the class of what is
        seen of the first three of the board, empty where there is one; int64, how many cards are open where something
        is looked at before all do; int32, the class of every choice of cards of the board, one number of cards after
        the other; uint8, the same for its renaming; int64[numbers of cards], where those of each number of cards begin;
        int64[renamings, pairs], what every two cards are called.
    """
    led = [np.array(to.follow, np.uint8)[one] for one, to in zip(chosen.early, shared.points, strict=False)]
    looked = sorted({*shared.opened, *([FLOP] if shared.seen else [])})
    cards = sorted({*looked, BOARD})
    found = [opened(deck, number) for number in cards]
    tables = np.zeros(BOARD + 1, dtype=np.int64)
    tables[cards] = np.cumsum([0, *(len(one.place) for one in found)])[:-1]
    return (
        np.array([point.opened for point in shared.points], dtype=np.int64),
        np.concatenate([np.zeros(0, dtype=np.uint8), *led]),
        np.array([0, *np.cumsum([len(one) for one in chosen.early])], dtype=np.int64),
        chosen.river,
        _kinds(deck, shared.seen),
        np.array(looked, dtype=np.int64),
        np.concatenate([one.place for one in found]),
        np.concatenate([one.renamed for one in found]),
        tables,
        renamed_pairs(deck),
    )


def strengths(deck: CountedDeck, boards: Whole) -> Whole:
    """Returns the strength of the best five of every situation with these cards of the board, 0 of no situation."""
    pairs = comb(deck.size, OWN)
    made = np.zeros(len(boards) * pairs, dtype=np.int64)
    _strengths(boards, bits_of(deck), BINOMIAL, pairs, made)
    return made


def _kinds(deck: CountedDeck, edges: Sequence[int]) -> NDArray[np.uint8]:
    if not edges:
        return np.zeros(0, dtype=np.uint8)
    edged, made = np.array(edges, dtype=np.int64), strengths(deck, opened(deck, FLOP).hands)
    return np.searchsorted(edged, made, side="right").astype(np.uint8)


def counted(deck: CountedDeck, shared: Board, nets: Nets, chosen: Chosen) -> Counts:
    """Returns how often rounds end how under what is decided."""
    loops, tables = loops_of(deck, shared, nets), _tables(deck, shared, chosen)
    chains = np.array(list(shared.chains()), dtype=np.int64)
    columns = np.array(shared.columns).reshape(len(shared.own) + 1, -1)
    cells = np.zeros((len(shared.ways), shared.kinds, *columns.shape), dtype=np.int64)
    shown = np.full((shared.kinds, *columns.shape, 2), -1, dtype=np.int64)
    lines = np.zeros((len(chosen.river), LINE, 3), dtype=np.int64)
    _count(
        loops.boards.hands, loops.boards.weights, loops.bits, BINOMIAL, loops.edges, loops.nets, loops.follow,
        len(chosen.early), tables, chains, cells, shown, lines,
    )  # fmt: skip
    met = columns >= 0
    if (cells[:, :, ~met] > 0).any():
        raise ArithmeticError("hands met in a way in which no two hands can meet")
    ends = np.zeros((*cells.shape[:2], shared.ends), dtype=np.int64)
    first = np.full((shared.kinds, shared.ends, 2), -1, dtype=np.int64)
    for own, end in np.argwhere(met).tolist():
        ends[:, :, columns[own, end]] += cells[:, :, own, end]
        come = shown[:, own, end, 0] >= 0
        first[come, columns[own, end]] = shown[come, own, end]
    return Counts(ends, lines, first, int(ends.sum()))


def opening(deck: CountedDeck, shared: Board, shown: Sequence[int]) -> tuple[int, ...]:
    """Returns the faces of a pair and a board, in the order opened, that the counting came to."""
    chains = list(shared.chains())
    board, chain = divmod(int(shown[0]), len(chains))
    cards = opened(deck, BOARD).hands[board].tolist()
    return (*hand_of(int(shown[1]), OWN, deck.size), *(cards[place] for place in chains[chain]))


def player(deck: CountedDeck, shared: Board, chosen: Chosen) -> Callable[[NDArray[Any]], Whole]:
    """Returns what finds the cell of every row, int64[rows]: way, class of what is seen and end, flattened."""
    follow = loops_of(deck, shared, ((0,) * shared.ends,) * len(shared.ways)).follow
    edges = tuple(np.array(one, dtype=np.int64) for one in (shared.own, shared.other, shared.columns))
    places, tables = np.argsort(np.array(shared.order, dtype=np.int64)), _tables(deck, shared, chosen)

    def played(rows: NDArray[Any]) -> Whole:
        found = np.empty(len(rows), dtype=np.int64)
        _cells(
            *(rows, places, bits_of(deck), BINOMIAL, edges, follow, len(chosen.early)),
            *(tables, shared.kinds, shared.ends, found),
        )
        return found

    return played


@lru_cache(maxsize=4)
def meeting(deck: CountedDeck, shared: Board, nets: Nets, faces: tuple[int, ...]) -> tuple[int, ...]:
    """Returns what each point and way is worth once the whole board is open, and how many hands the dealer may have.

    Args:
        deck: The cards.
        shared: What is distinguished.
        nets: Net results.
        faces: The player's own cards, then the board.
    """
    loops = loops_of(deck, shared, nets)
    early = sum(point.opened < BOARD for point in shared.points)
    worth = np.zeros(len(shared.points) + len(shared.ways) + 1, dtype=np.int64)
    _one(np.array(faces), loops.bits, loops.edges, loops.nets, loops.follow, early, worth)
    return tuple(worth.tolist())


def reached(deck: CountedDeck, cards: int, less: int, before: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns in how many orders every situation follows from those with fewer cards that lead on to it.

    Args:
        deck: The cards.
        cards: Cards of the board that are open.
        less: How many lay open before.
        before: uint8[situations], in how many orders each of these led on.
    """
    found, under, pairs = opened(deck, cards), opened(deck, less), renamed_pairs(deck)
    ways = np.zeros(len(found.hands) * pairs.shape[1], dtype=np.uint8)
    _reach(found.hands, BINOMIAL, subsets(cards, less), under.place, under.renamed, pairs, before, ways)
    return ways


# --- compiled -------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _strengths(hands: Whole, bits: Whole, binomial: Whole, pairs: int, made: Whole) -> None:
    for hand in range(len(hands)):
        held = board_held(hands[hand], bits)
        for one in range(bits.size):
            for another in range(one):
                pair = bits[one] | bits[another]
                if held & pair == 0:
                    made[hand * pairs + pair_number(another, one, binomial)] = best_five_bits(held | pair)


@njit(cache=True, nogil=True)
def _reach(
    hands: Whole, binomial: Whole, subsets: Whole, place: Any, renamed: Any, pairs: NDArray[np.uint16],
    before: NDArray[np.uint8], ways: NDArray[np.uint8],
) -> None:  # fmt: skip
    numbers = pairs.shape[1]
    less = np.empty(subsets.shape[1], np.int64)
    for hand in range(len(hands)):
        for subset in range(subsets.shape[0]):
            for card in range(less.size):
                less[card] = hands[hand, subsets[subset, card]]
            here = number_of(less, binomial)
            name, base = pairs[renamed[here]], place[here] * numbers
            for pair in range(numbers):
                ways[hand * numbers + pair] += before[base + name[pair]]


@njit(cache=True, nogil=True)
def _one(faces: Whole, bits: Whole, edges: Any, nets: Whole, follow: Whole, early: int, worth: Whole) -> None:
    under = room(bits)
    pairs, strengths, begins = meet(board_held(faces[2:], bits), bits, edges[1], under)
    part, classes = parted(strengths, edges)
    against = priced(nets, classes, begins, under)
    for pair in range(len(pairs)):
        if pairs[pair, 0] == min(faces[0], faces[1]) and pairs[pair, 1] == max(faces[0], faces[1]):
            worth_at(pairs, pair, nets, classes, part, under, against, follow, early, worth)
            worth[worth.size - 1] = without(under, strengths.size, pairs, pair) + 1


@njit(cache=True, nogil=True)
def _ends(
    cards: Any, lower: Any, upper: Any, other: int, begins: Whole, under: NDArray[np.int32], met: Whole
) -> None:
    """Counts how the dealer's pairs meet some of the player's whose hands are of one class on both sides.

    Args:
        cards: How many pairs of the player there are, last, less those that hold each card.
        lower: The dealer's pairs that are weaker, summed.
        upper: The dealer's pairs that are not stronger, summed.
        other: The class of the player's hands as the dealer's.
        begins: The group that each class of the dealer's hand begins with.
        under: Pairs weaker than each group, by card.
        met: Takes the counts, by class of the dealer's hand and sign.
    """
    met[:] = 0
    less = np.int64(0)
    for kind in range(begins.size - 1):
        more = cards[cards.size - 1] * (kind >= other)
        for card in range(cards.size):
            more += cards[card] * under[begins[kind + 1], card]
        if kind == other:
            met[kind * 3], met[kind * 3 + 1], met[kind * 3 + 2] = more - upper, upper - lower, lower - less
        else:
            met[kind * 3 + 2 * (kind < other)] = more - less
        less = more


@njit(cache=True, nogil=True)
def _looked(
    hand: Whole, chain: Whole, binomial: Whole, numbers: int, tables: Any, bases: Whole, called: Whole
) -> None:
    """Finds where the situations of a board begin that is opened in some order, and how its suits are renamed."""
    _, _, _, _, _, looked, place, renamed, begins, _ = tables
    for number in looked:
        less = np.empty(number, np.int64)
        for card in range(number):
            less[card] = hand[chain[card]]
        sort_cards(less)
        here = begins[number] + number_of(less, binomial)
        bases[number], called[number] = place[here] * numbers, renamed[here]


@njit(cache=True, nogil=True)
def _gather(
    values: NDArray[np.uint8], name: NDArray[np.uint16], pairs: NDArray[np.uint16], to: NDArray[np.uint8]
) -> None:
    """Reads what is kept of the situation that each pair is in."""
    for pair in range(len(pairs)):
        to[pair] = values[name[pairs[pair, 2]]]


@njit(cache=True, nogil=True)
def _count(
    boards: Whole, weights: Whole, bits: Whole, binomial: Whole, edges: Any, nets: Whole, follow: Whole,
    early: int, tables: Any, chains: Whole, cells: Whole, shown: Whole, lines: Whole,
) -> None:  # fmt: skip
    """Counts how every pair of the player on every board, opened in every order, meets the dealer's pairs."""
    size, points, under = binomial[bits.size, 2], follow.shape[0], room(bits)
    bases, called = np.zeros((len(chains), 5), np.int64), np.zeros((len(chains), 5), np.int64)
    ways, classes, several = cells.shape[0], cells.shape[1], edges[0].size + edges[1].size + 1
    times, worth = (
        np.zeros((len(under), (points + ways) * classes), np.uint8),
        np.zeros(points + ways, np.int64),
    )
    # Of each pair in each order: the point or way that it came to, and the class of what is seen.
    at, kind_of = np.zeros(len(under), np.uint8), np.zeros((len(chains), len(under)), np.uint8)
    leads = np.zeros((early, len(chains), len(under)), np.uint8)
    due, met = np.zeros(points, np.int64), np.zeros(cells.shape[3], np.int64)
    # Of each part, way and class of what is seen: pairs by card, then dealer's pairs that are weaker and not stronger.
    come = np.zeros((several, ways, classes, bits.size + 3), np.int64)
    one, new = np.zeros(bits.size + 1, np.int64), np.zeros((several, classes), np.bool_)
    levels, led, begins, river, kinds, _, _, _, _, moved = tables
    for board in range(len(boards)):
        held, weight = board_held(boards[board], bits), weights[board]
        pairs, strengths, groups = meet(held, bits, edges[1], under)
        part, parts = parted(strengths, edges)
        against = priced(nets, parts[: len(parts) * (early < points)], groups, under)
        alone = best_five_bits(held) >> 26
        for chain in range(len(chains)):
            _looked(boards[board], chains[chain], binomial, size, tables, bases[chain], called[chain])
        new[:] = False
        for here in range(len(parts)):
            for kind in range(classes):
                for end in range(met.size):
                    missing = (
                        groups[end // 3] < groups[end // 3 + 1] and shown[kind, parts[here, 0], end, 0] < 0
                    )
                    meets = end % 3 == 2 * (end // 3 < parts[here, 1]) or end // 3 == parts[here, 1]
                    new[here, kind] |= missing and meets
        times[:] = 0
        for chain in range(len(chains)):
            at[:] = 0
            for point in range(early):
                level, same = levels[point], 0
                while (
                    bases[same, level] != bases[chain, level] or called[same, level] != called[chain, level]
                ):
                    same += 1
                to = leads[point, same]
                if same == chain:
                    _gather(
                        led[begins[point] + bases[chain, level] :], moved[called[chain, level]], pairs, to
                    )
                for pair in range(at.size):
                    # Both are read, whichever is taken, so that the loop goes by many pairs at a time.
                    here, there = at[pair], to[pair]
                    at[pair] = there if here == np.uint8(point) else here
            if kinds.size:
                _gather(kinds[bases[chain, 3] :], moved[called[chain, 3]], pairs, kind_of[chain])
            for pair in range(len(pairs)):
                times[pair, at[pair] * classes + kind_of[chain, pair]] += 1
        for pair in range(len(pairs)):
            number, group = np.int64(pairs[pair, 2]), np.int64(pairs[pair, 3])
            last, here = board * size + number, part[group]
            own, other = parts[here, 0], parts[here, 1]
            for point in range(early, points):
                due[point] = 0
                to = follow[point, river[point - early, last >> 3] >> (last & 7) & 1]
                for kind in range(classes):
                    due[point] += times[pair, point * classes + kind]
                    times[pair, to * classes + kind] += times[pair, point * classes + kind]
            lower = without(under, group, pairs, pair)
            upper = without(under, group + 1, pairs, pair) + 1
            for way in range(ways):
                for kind in range(classes):
                    comes = np.int64(times[pair, (points + way) * classes + kind])
                    if comes:
                        come[here, way, kind, pairs[pair, 0]] -= comes
                        come[here, way, kind, pairs[pair, 1]] -= comes
                        come[here, way, kind, bits.size] += comes
                        come[here, way, kind, bits.size + 1] += comes * lower
                        come[here, way, kind, bits.size + 2] += comes * upper
                        if new[here, kind]:
                            one[:] = 0
                            one[pairs[pair, 0]], one[pairs[pair, 1]], one[bits.size] = -1, -1, 1
                            _ends(one, lower, upper, other, groups, under, met)
                            for end in range(met.size):
                                if met[end] and shown[kind, own, end, 0] < 0:
                                    chain = len(chains) - 1
                                    while kind_of[chain, pair] != kind:
                                        chain -= 1
                                    shown[kind, own, end, 0] = board * len(chains) + chain
                                    shown[kind, own, end, 1] = number
            if due.any():
                worth_at(pairs, pair, nets, parts, part, under, against, follow, early, worth)
                for point in range(early, points):
                    if due[point]:
                        first, second = worth[follow[point, 0]], worth[follow[point, 1]]
                        decided = (second > first) * 2 + (river[point - early, last >> 3] >> (last & 7) & 1)
                        line = ((strengths[group] >> 26) * KINDS + alone) * 4 + decided
                        comes = due[point] * weight
                        lines[point - early, line, 0] += comes * (
                            without(under, strengths.size, pairs, pair) + 1
                        )
                        lines[point - early, line, 1] += comes * first
                        lines[point - early, line, 2] += comes * second
        for here in range(len(parts)):
            for way in range(ways):
                for kind in range(classes):
                    to = come[here, way, kind]
                    if to[bits.size]:
                        cards, beneath, beyond = to[: bits.size + 1], to[bits.size + 1], to[bits.size + 2]
                        _ends(cards, beneath, beyond, parts[here, 1], groups, under, met)
                        for end in range(met.size):
                            cells[way, kind, parts[here, 0], end] += met[end] * weight
                        to[:] = 0


@njit(cache=True, nogil=True)
def _cells(
    rows: NDArray[Any], places: Whole, bits: Whole, binomial: Whole, edges: Any, follow: Whole, early: int,
    tables: Any, classes: int, ends: int, found: Whole,
) -> None:  # fmt: skip
    own, other, columns = edges
    numbers, chain = binomial[bits.size, 2], np.arange(5)
    bases, called = np.zeros(5, np.int64), np.zeros(5, np.int64)
    hand, board = np.empty(9, np.int64), np.empty(5, np.int64)
    levels, led, begins, river, kinds, _, place_of, renamed, first, moved = tables
    for row in range(rows.shape[0]):
        for place in range(9):
            hand[place] = rows[row, places[place]]
        board[:] = hand[2:7]
        _looked(board, chain, binomial, numbers, tables, bases, called)
        sort_cards(board)
        here = first[5] + number_of(board, binomial)
        pair = pair_number(hand[0], hand[1], binomial)
        last = place_of[here] * numbers + moved[renamed[here], pair]
        point, kind = np.int64(0), 0
        while point < levels.size:
            if point >= early:
                point = follow[point, river[point - early, last >> 3] >> (last & 7) & 1]
            else:
                here = bases[levels[point]] + moved[called[levels[point]], pair]
                point = np.int64(led[begins[point] + here])
        if kinds.size:
            kind = kinds[bases[3] + moved[called[3], pair]]
        held = board_held(board, bits)
        one = best_five_bits(held | bits[hand[0]] | bits[hand[1]])
        another = best_five_bits(held | bits[hand[7]] | bits[hand[8]])
        met = (class_of(own, one) * (other.size + 1) + class_of(other, another)) * 3
        end = columns[met + (one >= another) + (one > another)]
        found[row] = ((point - levels.size) * classes + kind) * ends + end

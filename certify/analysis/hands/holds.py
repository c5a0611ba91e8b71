"""Draw poker: how the places of a hand are numbered, holds by name, and the value of every hold of every deal.

Values are whole numbers.
A hold draws from the cards that were neither held nor thrown away, so that its final hands follow by inclusion and
exclusion over what was thrown away (:mod:`certify.analysis.hands.deals`); values of holds are compared over their
least common denominator. What a hand is, its kind, the game says; that it does not hang on the names of suits is
checked on every hand.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import (
    BINOMIAL,
    SIZES,
    Deals,
    Whole,
    deals_of,
    excluded,
    offsets_of,
    require_equal_cards,
    set_numbers,
    sort_cards,
    within,
)
from certify.analysis.hands.strength import NATURAL, WILD, CountedDeck, labelled
from certify.by_key import summed
from certify.errors import InputError
from certify.kernels import njit
from certify.model import Equipment, Game, Outcome, WagerFigures


def of_wager(
    game: Game,
    wager: str,
    chances: Mapping[tuple[str, ...], Fraction],
    ends: Iterable[Outcome],
    *,
    grows: bool,
) -> WagerFigures:
    """Returns the distribution of one wager, added up from the joint one.

    Args:
        game: The submission.
        wager: Id of the wager.
        chances: Probability of each joint outcome, in the order of the wagers.
        ends: Every outcome of the wager.
        grows: Whether a round may add to its stake, so that what is staked in all is reported.
    """
    place = [one.id for one in game.wagers].index(wager)
    own = summed((outcomes[place], chance) for outcomes, chance in chances.items())
    found = tuple(replace(end, probability=own.get(end.id, Fraction(0))) for end in ends)
    if not grows:
        return WagerFigures(wager, found)
    return WagerFigures(wager, found, sum((one.staked * one.probability for one in found), Fraction(0)))


def faces_labelled(
    deck: CountedDeck, piece: Equipment, text: str, number: int, words: str
) -> tuple[int, ...]:
    """Returns the faces of a hand as a player sees it (see ``deck.label``), or of different cards that a text names.

    Args:
        deck: The deck as it is counted.
        piece: The deck.
        text: The text.
        number: How many cards are expected.
        words: What is expected, in words.

    Raises:
        InputError: The text is no such hand, and does not name so many different cards of the deck.
    """
    try:
        cards = [card for part in labelled(text) for card in part]
    except ValueError:
        cards = []
    faces = tuple(deck.cards.index(card) for card in cards if card in deck.cards)
    return faces if len(set(faces)) == len(cards) == number else faces_named(piece, text, number, words)


def faces_named(piece: Equipment, text: str, number: int, words: str) -> tuple[int, ...]:
    """Returns the faces of different cards that a text names, apart by commas.

    Args:
        piece: The deck.
        text: The text.
        number: How many cards are expected.
        words: What is expected, in words.

    Raises:
        InputError: The text does not name so many different cards of the deck.
    """
    named = [name.strip() for name in text.split(",")]
    if len(named) != number or len(set(named)) != number or any(name not in piece.faces for name in named):
        raise InputError(
            f'"{text}": nothing is decided on that, expected {words} such as "{", ".join(piece.faces[:number])}"'
        )
    return tuple(piece.faces.index(name) for name in named)


HAND: Final = 5
"""Cards of a hand."""

HOLDS: Final = tuple(range(31, -1, -1))
"""Every hold as bits, the first place the lowest one; all cards first, which commits to no draw."""


def arranged(deck: CountedDeck, faces: Sequence[int]) -> tuple[int, ...]:
    """Returns a hand in the order in which its places are numbered.

    Wild cards come first, then cards from the highest rank down; cards of one rank in the order of what else is
    held of their suits, so that hands which differ in the names of suits alone are numbered in the same way.
    """
    labels = suit_labels(deck, faces)

    def place(face: int) -> tuple[bool, int, int, int]:
        rank, suit = deck.cards[face]
        return rank != WILD, -rank, labels.get(suit, 0), face

    return tuple(sorted(faces, key=place))


def suit_labels(deck: CountedDeck, *parts: Sequence[int]) -> dict[int, int]:
    """Returns the suits held by new numbers: first the suit whose cards are, as a set of ranks, the highest.

    Args:
        deck: The deck.
        parts: Faces that are distinguished, such as those kept and those gone; suits that are equal in the first part
            are ordered by the next, so that none is put first for its name where that would tell two hands apart.
    """
    masks = [[0] * len(parts) for _ in range(deck.suits)]
    for place, faces in enumerate(parts):
        for rank, suit in deck.of(faces):
            if rank != WILD:
                masks[suit][place] |= 1 << rank
    order = sorted(range(deck.suits), key=lambda suit: ([-mask for mask in masks[suit]], suit))
    return {suit: label for label, suit in enumerate(order)}


def equal_hand(deck: CountedDeck, faces: Sequence[int]) -> tuple[int, ...]:
    """Returns the hand that represents all that differ from this one in the names of suits or wild cards alone."""
    return equal_cards(deck, faces, suit_labels(deck, faces))


def equal_cards(deck: CountedDeck, faces: Sequence[int], labels: dict[int, int]) -> tuple[int, ...]:
    """Returns cards under new names of the suits, arranged; wild cards are the first ones of the deck."""
    wild = [face for face, (rank, _) in enumerate(deck.cards) if rank == WILD]
    natural = [(rank, suit) for rank, suit in deck.of(faces) if rank != WILD]
    places = _faces(deck)
    named = sorted((-rank, labels[suit]) for rank, suit in natural)
    return (*wild[: len(faces) - len(natural)], *(places[-rank, label] for rank, label in named))


@lru_cache(maxsize=32)
def _faces(deck: CountedDeck) -> dict[tuple[int, int], int]:
    return {card: face for face, card in enumerate(deck.cards)}


def hold_id(hold: int) -> str:
    """Returns a hold as submissions and records name it.

    >>> hold_id(0b00011), hold_id(0)
    ('hold-12', 'hold-none')
    """
    places = "".join(str(place + 1) for place in range(HAND) if hold >> place & 1)
    return f"hold-{places or 'none'}"


HOLD_IDS: Final = tuple(hold_id(hold) for hold in HOLDS)
HOLD_OF: Final = {name: hold for hold, name in zip(HOLDS, HOLD_IDS, strict=True)}
"""Bits of a hold by its name."""

HOLD_COUNT: Final = 32
_ROOM: Final = 1 << 62
"""Values of holds stay below this, so that no sum overflows."""


@dataclass(frozen=True, slots=True)
class Enumeration:
    """All deals of a deck with what their holds can lead to, before anything is paid.

    Args:
        deck: The deck.
        deals: The deals by classes.
        kinds: uint8[hands], the kind of every hand.
        within: int64[sets, kinds], for every set of up to four cards how many hands that hold it are of each kind.
        offsets: int64[6], where the sets of so many cards begin.
        shares: int64[6], what one draw of so many cards counts over the common denominator.
        denominator: The common denominator of the draws.
    """

    deck: CountedDeck
    deals: Deals
    kinds: NDArray[np.uint8]
    within: Whole
    offsets: Whole
    shares: Whole
    denominator: int

    @property
    def total(self) -> int:
        """Orders, if they may be called so, of deal and draw: the denominator of every probability."""
        return comb(self.deck.size, HAND) * self.denominator


def enumerated(deck: CountedDeck, kind_of: Callable[[int, int], int], kinds: int) -> Enumeration:
    """Returns all deals of a deck, counted once for every paytable over the same hands.

    Args:
        deck: The deck.
        kind_of: Returns the kind of a hand by its strength and its number of wild cards.
        kinds: Number of kinds.

    Raises:
        InputError: Hands that differ in the names of suits alone are of two kinds.
    """
    deals = deals_of(deck, HAND)
    kind = kinds_by(deals, kind_of)
    draws = [comb(deck.size - HAND, drawn) for drawn in range(HAND + 1)]
    denominator = lcm(*draws)
    shares = np.array([denominator // draw for draw in draws], dtype=np.int64)
    counted = within(deck.size, HAND, kind, kinds)
    return Enumeration(deck, deals, kind, counted, offsets_of(deck.size, HAND), shares, denominator)


def kinds_by(deals: Deals, kind_of: Callable[[int, int], int]) -> NDArray[np.uint8]:
    """Returns the kind of every hand, uint8[hands]; it is found once for each strength and number of wild cards.

    Raises:
        InputError: Hands that differ in the names of suits alone are not of one number of wild cards.
    """
    wild = SIZES[deals.bits >> NATURAL]
    require_equal_cards(wild, deals.numbers, deals.place)
    graded, at = np.unique(deals.strengths[deals.numbers] << 3 | wild[deals.numbers], return_inverse=True)
    found = np.array([kind_of(one >> 3, one & 7) for one in graded.tolist()], dtype=np.uint8)
    return found[at][deals.place]


def pays_of_kinds(counted: Enumeration, returns: Sequence[Fraction]) -> Whole:
    """Returns what each kind returns, as whole numbers over one denominator, int64[kinds].

    Args:
        counted: The deals.
        returns: What each kind returns, stake included.

    Raises:
        InputError: Pays so high or so fine that sums would not fit into 64 bits.
    """
    unit = lcm(*(value.denominator for value in returns))
    whole = [int(value * unit) for value in returns]
    # Inclusion and exclusion adds 32 terms at most, each a sum over all hands.
    if (
        max(whole) * len(counted.kinds) * HOLD_COUNT * int(counted.shares.max())
        >= _ROOM * int(counted.shares.max())
        or max(whole) * counted.denominator * 2 >= _ROOM
    ):
        raise InputError(
            f"pays of {max(returns)} with a denominator of {unit}: too high or too fine to be enumerated"
        )
    return np.array(whole, dtype=np.int64)


def best_holds(counted: Enumeration, pays: Whole, *, calm: bool = True) -> NDArray[np.uint8]:
    """Returns the best hold of every class of deals, uint8[classes].

    Of holds that are worth the same it is the one whose return varies least, and of these the one that holds more
    cards; where squares of pays would not fit into 64 bits, the one that holds more cards.

    Args:
        counted: The deals.
        pays: What each kind returns, in whole numbers.
        calm: Whether equal holds are reported by the lesser spread; by the greater one where not.
    """
    holds = np.empty(len(counted.deals.numbers), dtype=np.uint8)
    within = counted.within
    squares = pays * pays if int(pays.max()) ** 2 * counted.denominator * 2 < _ROOM else pays
    _best(
        counted.deals.hands,
        within @ pays,
        within @ squares if calm else -(within @ squares),
        pays,
        squares if calm else -squares,
        counted.kinds,
        BINOMIAL,
        counted.offsets,
        counted.shares,
        holds,
    )
    return holds


def values_of(counted: Enumeration, pays: Whole) -> Whole:
    """Returns the value of every hold of every class over the common denominator, int64[classes, 32]."""
    found = np.empty((len(counted.deals.numbers), HOLD_COUNT), dtype=np.int64)
    values = counted.within @ pays
    _all_values(
        counted.deals.hands, values, pays, counted.kinds, BINOMIAL, counted.offsets, counted.shares, found
    )
    return found


def kinds_reached(counted: Enumeration, holds: NDArray[np.uint8]) -> tuple[int, ...]:
    """Returns how often each kind ends a round under a strategy, over :attr:`Enumeration.total`.

    Args:
        counted: The deals.
        holds: uint8[classes], the hold of every class.
    """
    ends = np.zeros(counted.within.shape[1], dtype=np.int64)
    deals = counted.deals
    _reached(
        deals.hands,
        deals.weights,
        holds,
        counted.within,
        counted.kinds,
        BINOMIAL,
        counted.offsets,
        counted.shares,
        ends,
    )
    return tuple(ends.tolist())


@njit(cache=True, nogil=True)
def _numbers(hand: Whole, binomial: Whole, room: Whole, numbers: Whole) -> None:
    """Sets the number of every set of places of an arranged hand.

    Args:
        hand: The cards as arranged.
        binomial: Binomial coefficients of cards and places.
        room: int64[4, 32], overwritten.
        numbers: int64[32], overwritten.
    """
    rising, by_rising, shifted, place_of = room[0, :5], room[1], room[2], room[3]
    for place in range(5):
        rising[place] = hand[place]
    sort_cards(rising)
    set_numbers(rising, binomial, by_rising, shifted)
    place_of[0] = 0
    for place in range(5):
        bit = 1 << place
        at = 0
        while rising[at] != hand[place]:
            at += 1
        for lower in range(bit):
            place_of[bit | lower] = place_of[lower] | 1 << at
    for mask in range(32):
        numbers[mask] = by_rising[place_of[mask]]


@njit(cache=True, nogil=True)
def _values(
    hand: Whole,
    values: Whole,
    pays: Whole,
    kinds: NDArray[np.uint8],
    binomial: Whole,
    offsets: Whole,
    shares: Whole,
    room: Whole,
    numbers: Whole,
    found: Whole,
) -> None:
    """Sets the value of every hold of one hand over the common denominator."""
    _numbers(hand, binomial, room, numbers)
    for mask in range(31):
        found[mask] = values[offsets[SIZES[mask]] + numbers[mask]]
    found[31] = pays[kinds[numbers[31]]]
    # What is thrown away is not drawn again: from every hold the hands that hold it too are taken off.
    excluded(found)
    for mask in range(32):
        found[mask] *= shares[5 - SIZES[mask]]


@njit(cache=True, nogil=True)
def _scratch() -> tuple[Whole, Whole]:
    """Returns room for the sets of places of a hand, and for their numbers."""
    return np.empty((4, 32), dtype=np.int64), np.empty(32, dtype=np.int64)


@njit(cache=True, nogil=True)
def _best(
    hands: Whole,
    values: Whole,
    spreads: Whole,
    pays: Whole,
    squares: Whole,
    kinds: NDArray[np.uint8],
    binomial: Whole,
    offsets: Whole,
    shares: Whole,
    holds: NDArray[np.uint8],
) -> None:
    room, numbers = _scratch()
    found, spread = np.empty(32, dtype=np.int64), np.empty(32, dtype=np.int64)
    for index in range(hands.shape[0]):
        hand = hands[index]
        _values(hand, values, pays, kinds, binomial, offsets, shares, room, numbers, found)
        highest = found.max()
        equal = 0
        for mask in range(32):
            if found[mask] == highest:
                equal += 1
                holds[index] = mask
        if equal == 1:
            continue
        _values(hand, spreads, squares, kinds, binomial, offsets, shares, room, numbers, spread)
        best = int(holds[index])
        for mask in range(31, -1, -1):
            if found[mask] == highest and (
                spread[mask] < spread[best] or (spread[mask] == spread[best] and SIZES[mask] > SIZES[best])
            ):
                best = mask
        holds[index] = best


@njit(cache=True, nogil=True)
def _all_values(
    hands: Whole,
    values: Whole,
    pays: Whole,
    kinds: NDArray[np.uint8],
    binomial: Whole,
    offsets: Whole,
    shares: Whole,
    found: Whole,
) -> None:
    room, numbers = _scratch()
    for index in range(hands.shape[0]):
        _values(hands[index], values, pays, kinds, binomial, offsets, shares, room, numbers, found[index])


@njit(cache=True, nogil=True)
def _reached(
    hands: Whole,
    weights: Whole,
    holds: NDArray[np.uint8],
    within: Whole,
    kinds: NDArray[np.uint8],
    binomial: Whole,
    offsets: Whole,
    shares: Whole,
    ends: Whole,
) -> None:
    room, numbers = _scratch()
    for index in range(hands.shape[0]):
        _numbers(hands[index], binomial, room, numbers)
        held = np.int64(holds[index])
        thrown = 31 & ~held
        factor = weights[index] * shares[5 - SIZES[held]]
        part = thrown
        while True:
            whole = held | part
            sign = factor if (SIZES[whole] - SIZES[held]) % 2 == 0 else -factor
            if whole == 31:
                ends[kinds[numbers[31]]] += sign
            else:
                row = within[offsets[SIZES[whole]] + numbers[whole]]
                for kind in range(ends.size):
                    ends[kind] += sign * row[kind]
            if part == 0:
                break
            part = (part - 1) & thrown

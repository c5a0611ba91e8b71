"""Ordinary numba loops that play 7 e Mezzo and punto banco and draw lazily: what play-through is measured against.

Xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021),
partial Fisher-Yates on a deck that is kept as the last round left it, the main wager only; 7 e Mezzo stands on 4½. It
is no generator for a game of money, its scaling is biased by up to 2^-32, and it cannot be replayed from the middle.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

MATTA = 36
"""The King of Denari; a card's id is four times its rank, from the ace, plus its suit."""

_MATTA = 64
HANDS = np.array([_MATTA if card == MATTA else 2 * (card // 4 + 1) if card < 28 else 1 for card in range(40)])
"""What each card adds to a hand: its half points, and 64 for the matta."""


def _total(plain: int, matta: bool) -> int:
    """Returns the half points of a hand, at most 16; the matta is worth what serves best, a half point or 1 to 7."""
    worth = (1, *range(2, 15, 2)) if matta else (0,)
    kept = [plain + one for one in worth if plain + one <= 15]
    return max(kept, default=16)


TOTALS = np.array([_total(hand % _MATTA, hand >= _MATTA) for hand in range(2 * _MATTA)])
"""The total of each hand, 16 for a bust one."""


@njit(inline="always")  # type: ignore[untyped-decorator]
def _draw(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, deck: NDArray[np.unsignedinteger], place: int
) -> tuple[np.unsignedinteger, np.uint64, np.uint64, np.uint64, np.uint64]:
    mixed = a + d
    word = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a
    shifted = b << np.uint64(17)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << np.uint64(45)) | (d >> np.uint64(19))
    own = np.uint64(place)
    other = own + (((word >> np.uint64(32)) * (np.uint64(deck.size) - own)) >> np.uint64(32))
    card = deck[other]
    deck[other] = deck[own]
    deck[own] = card
    return card, a, b, c, d


@njit(nogil=True)
def play(
    state: NDArray[np.uint64], rounds: int, hands: NDArray[np.int64], totals: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns how often the main wager was bust, won, lost and won with the King of Denari.

    Args:
        state: uint64[4], the state of the generator, changed.
        rounds: Rounds to play.
        hands: HANDS.
        totals: TOTALS.
    """
    a, b, c, d = state[0], state[1], state[2], state[3]
    deck = np.arange(40).astype(np.uint8)
    counts = np.zeros(4, dtype=np.int64)
    for _ in range(rounds):
        first, a, b, c, d = _draw(a, b, c, d, deck, 0)
        shown, a, b, c, d = _draw(a, b, c, d, deck, 1)
        place = 2
        hand = hands[first]
        player = totals[hand]
        while player < 9 or (place == 2 and first >= 28):
            card, a, b, c, d = _draw(a, b, c, d, deck, place)
            place += 1
            hand += hands[card]
            player = totals[hand]
        if player > 15:
            counts[0] += 1
            continue
        natural = player == 15 and hand >= 64 and place == 3
        target = 15 if player == 15 else 6
        taken = place
        hand = hands[shown]
        dealer = totals[hand]
        while dealer < target or (place == taken and shown >= 28):
            card, a, b, c, d = _draw(a, b, c, d, deck, place)
            place += 1
            hand += hands[card]
            dealer = totals[hand]
        if natural:
            counts[3] += 1
        elif dealer > 15 or dealer < player:
            counts[1] += 1
        else:
            counts[2] += 1
    state[0], state[1], state[2], state[3] = a, b, c, d
    return counts


POINTS = np.array([card // 4 + 1 if card < 36 else 0 for card in range(52)])
"""What each card of a deck counts in punto banco: an ace one, tens and court cards nothing."""

_TABLEAU = (
    "11111111111",
    "11111111111",
    "11111111111",
    "11111111011",
    "00111111001",
    "00001111001",
    "00000011000",
)
_DRAWS = np.array([[int(draws) for draws in row] for row in (*_TABLEAU, "0" * 11)])
"""Whether the banker draws, by its total and the player's third card; the last column where there is none."""


@njit(nogil=True)
def punto_banco(
    state: NDArray[np.uint64], rounds: int, points: NDArray[np.int64], draws: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns how often the player lost, tied and won, from a shoe of eight decks.

    Args:
        state: uint64[4], the state of the generator, changed.
        rounds: Rounds to play.
        points: POINTS.
        draws: _DRAWS.
    """
    a, b, c, d = state[0], state[1], state[2], state[3]
    deck = np.arange(416).astype(np.uint16)
    counts = np.zeros(3, dtype=np.int64)
    for _ in range(rounds):
        one, a, b, c, d = _draw(a, b, c, d, deck, 0)
        two, a, b, c, d = _draw(a, b, c, d, deck, 1)
        three, a, b, c, d = _draw(a, b, c, d, deck, 2)
        four, a, b, c, d = _draw(a, b, c, d, deck, 3)
        own = (points[one % 52] + points[three % 52]) % 10
        other = (points[two % 52] + points[four % 52]) % 10
        if own < 8 and other < 8:
            third, place = 10, 4
            if own < 6:
                card, a, b, c, d = _draw(a, b, c, d, deck, 4)
                third, place = points[card % 52], 5
                own = (own + third) % 10
            if draws[other, third] == 1:
                card, a, b, c, d = _draw(a, b, c, d, deck, place)
                other = (other + points[card % 52]) % 10
        counts[0 if own < other else 1 if own == other else 2] += 1
    state[0], state[1], state[2], state[3] = a, b, c, d
    return counts


def play_punto_banco(state: NDArray[np.uint64], rounds: int) -> NDArray[np.int64]:
    """Returns how often the player lost, tied and won."""
    return np.asarray(punto_banco(state, rounds, POINTS, _DRAWS))

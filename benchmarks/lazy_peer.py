"""An ordinary numba loop that plays 7 e Mezzo and draws lazily: what play-through is measured against.

Xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021),
partial Fisher-Yates on a deck that is kept as the last round left it, the main wager only, stand on 4½. It is no
generator for a game of money, its scaling is biased by up to 2^-32, and it cannot be replayed from the middle.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.sette_e_mezzo.volume.settlement import CLASS_OF, POINTS, best_total
from certify.families.seven_and_a_half.cards import DECK_SIZE, MATTA

_MATTA = 64
_CARDS = np.uint64(DECK_SIZE)
HANDS = np.array([_MATTA * (card == MATTA) + POINTS[CLASS_OF[card]] for card in range(DECK_SIZE)])
"""What each card adds to a hand: its half points, and 64 for the matta."""

TOTALS = np.array([best_total(hand % _MATTA, hand >= _MATTA) for hand in range(2 * _MATTA)])
"""The total of each hand, 16 for a bust one."""


@njit(inline="always")  # type: ignore[untyped-decorator]
def _draw(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, deck: NDArray[np.uint8], place: int
) -> tuple[np.uint8, np.uint64, np.uint64, np.uint64, np.uint64]:
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
    other = own + (((word >> np.uint64(32)) * (_CARDS - own)) >> np.uint64(32))
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

"""Shuffles, one correct and many wrong, each driven by given random words."""

from functools import cmp_to_key
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.planted.good import Source, Words, numbers
from rng.shuffle import CARDS, card_type

Decks = NDArray[Any]  # one byte a card up to 256 cards, two above


def ordered(count: int, cards: int = CARDS) -> Decks:
    """New decks in the order of their ids."""
    return np.tile(np.arange(cards, dtype=card_type(cards)), (count, 1))


def swap_by(draws: NDArray[np.integer], positions: range, cards: int = CARDS) -> Decks:
    """Decks made from id order by swapping each position in turn with the drawn one.

    Args:
        draws: ``draws[t, k]`` is the position that the k-th of ``positions`` is swapped with in deck t.
        positions: Positions in the order they are treated.
        cards: Number of cards.
    """
    decks = ordered(len(draws), cards)
    rows = np.arange(len(draws))
    for k, position in enumerate(positions):
        drawn = draws[:, k].astype(np.int64)
        held = decks[:, position].copy()
        decks[:, position] = decks[rows, drawn]
        decks[rows, drawn] = held
    return decks


def draws_below(source: Source, seed: int, count: int, bounds: list[int]) -> NDArray[np.uint32]:
    """Unbiased draws, one column for each bound."""
    slack = 64 + count // 1000
    words = source(seed, (count + slack) * len(bounds)).reshape(len(bounds), count + slack)
    return np.stack([numbers(row, bound, count) for row, bound in zip(words, bounds, strict=True)], axis=1)


def fisher_yates(source: Source, seed: int, count: int, cards: int = CARDS) -> Decks:
    """The correct shuffle.

    Source: Knuth, The Art of Computer Programming 2, 3.4.2, algorithm P.
    """
    return downwards(source, seed, count, range(cards - 1, 0, -1), cards)


def downwards(source: Source, seed: int, count: int, positions: range, cards: int = CARDS) -> Decks:
    """The same loop over some positions alone: it may begin one too late, or end one too early."""
    return swap_by(draws_below(source, seed, count, [i + 1 for i in positions]), positions, cards)


def swap_with_any(source: Source, seed: int, count: int) -> Decks:
    """Naive shuffle: every position is swapped with any position; 40^40 is no multiple of 40!."""
    return swap_by(draws_below(source, seed, count, [CARDS] * CARDS), range(CARDS))


def sattolo(source: Source, seed: int, count: int) -> Decks:
    """Off by one (j < i): only cyclic permutations come out."""
    positions = range(CARDS - 1, 0, -1)
    return swap_by(draws_below(source, seed, count, list(positions)), positions)


def by_modulo(words: NDArray[np.integer], count: int) -> Decks:
    """Fisher-Yates with draws ``word % (i + 1)``: biased unless the range divides the word."""
    positions = range(CARDS - 1, 0, -1)
    table = words[: count * (CARDS - 1)].reshape(count, CARDS - 1)
    return swap_by(table % np.arange(CARDS, 1, -1), positions)


def by_words(words: NDArray[np.integer], bits: int, *, scaled: bool = False) -> Decks:
    """Fisher-Yates with draws that are the share of a word, or its remainder where the range is no power of two.

    Args:
        words: A word a draw, of so many bits.
        bits: The bits.
        scaled: Whether all draws are shares.

    Source: Java SE API, java.util.Random.nextInt(bound), java.util.Collections.shuffle.
    """
    below = np.arange(CARDS, 1, -1)
    table = words.reshape(-1, CARDS - 1).astype(np.int64)
    shares = scaled | (below & (below - 1) == 0)
    return swap_by(np.where(shares, table * below >> bits, table % below), range(CARDS - 1, 0, -1))


def one_draw_sticks(source: Source, seed: int, count: int, position: int, one_in: int) -> Decks:
    """Fisher-Yates whose draw for one position is zero in one case of so many more than expected."""
    positions = range(CARDS - 1, 0, -1)
    draws = draws_below(source, seed, count, [i + 1 for i in positions])
    stuck = source(seed + 1, count) < np.uint32((1 << 32) // one_in)
    draws[stuck, CARDS - 1 - position] = 0
    return swap_by(draws, positions)


def random_sort_keys(source: Source, seed: int, count: int, bits: int) -> Decks:
    """Cards sorted by random keys that are too short: ties keep the original order."""
    keys = source(seed, count * CARDS).reshape(count, CARDS) >> np.uint32(32 - bits)
    return np.argsort(keys, axis=1, kind="stable").astype(np.uint8)


@njit(cache=True)
def _inserted_by_coin(coins: NDArray[np.uint32], decks: NDArray[np.uint8]) -> None:
    toss = 0
    for deck in decks:
        for i in range(1, deck.size):
            j = i
            while j > 0 and coins[toss] >> 31:
                deck[j - 1], deck[j] = deck[j], deck[j - 1]
                j -= 1
                toss += 1
            toss += 1


def insertion_by_coin(coins: Words, count: int) -> Decks:
    """``sort(() => random() - 0.5)`` where the sort inserts one card after the other."""
    decks = ordered(count)
    _inserted_by_coin(coins, decks)
    return decks


def timsort_by_coin(source: Source, seed: int, count: int) -> Decks:
    """``sort(() => random() - 0.5)`` by Timsort, which Python, Java and V8 have."""
    coins = iter((source(seed, count * CARDS * 8) >> np.uint32(31)).tolist())
    tossed = cmp_to_key(lambda _one, _other: -1 if next(coins) else 1)
    return np.array([sorted(range(CARDS), key=tossed) for _ in range(count)], dtype=np.uint8)


def riffles(source: Source, seed: int, count: int, times: int) -> Decks:
    """Gilbert-Shannon-Reeds riffles of a new deck; r riffles are one 2^r-shuffle.

    Source: Bayer and Diaconis, Annals of Applied Probability 2 (1992), lemma 1.
    """
    labels = source(seed, count * CARDS).reshape(count, CARDS) >> np.uint32(32 - times)
    places = np.argsort(labels, axis=1, kind="stable")
    return np.argsort(places, axis=1).astype(np.uint8)


def carried_over(source: Source, seed: int, count: int, transpositions: int) -> Decks:
    """Each deck is the one before with a few random transpositions."""
    pairs = draws_below(source, seed, count * transpositions, [CARDS, CARDS])
    deck = fisher_yates(source, seed + 1, 1)[0]
    decks = ordered(count)
    for t in range(count):
        for i, j in pairs[t * transpositions : (t + 1) * transpositions]:
            deck[i], deck[j] = deck[j], deck[i]
        decks[t] = deck
    return decks


def with_card(deck: Decks, card: int, place: int) -> Decks:
    """The deck with a card in a place, in exchange for the card that lay there."""
    return swapped(deck, int(np.argmax(deck == card)), place)


def swapped(deck: Decks, one: int, other: int) -> Decks:
    """The deck with the cards of two places exchanged."""
    places = np.arange(deck.size)
    places[[one, other]] = other, one
    return deck[places]


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A good 64-bit mixing function, so that only the size of the seed is at fault.

    Source: Steele, Lea and Flood, OOPSLA 2014, figure 17 (SplitMix).
    """
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)


def small_seed(source: Source, seed: int, count: int, bits: int) -> Decks:
    """A fresh seed of few bits for every deck, and a good generator started from it."""
    seeds = (source(seed, count) >> np.uint32(32 - bits)).astype(np.uint64)
    indices = np.arange(1, CARDS, dtype=np.uint64)
    words = mixed(mixed(seeds[:, None]) + indices * np.uint64(0x9E3779B97F4A7C15))
    return by_modulo(words.reshape(-1), count)


def slow_drift(source: Source, seed: int, count: int, worst: float) -> Decks:
    """Fisher-Yates whose draws stick to the own position more and more often, up to ``worst`` at the end."""
    positions = range(CARDS - 1, 0, -1)
    draws = draws_below(source, seed, count, [i + 1 for i in positions])
    odds = draws_below(source, seed + 1, count, [1 << 30] * (CARDS - 1)) / (1 << 30)
    sticking = odds < worst * (np.arange(count) / count)[:, None]
    return swap_by(np.where(sticking, np.array(list(positions)), draws), positions)


def repeated_block(source: Source, seed: int, count: int, block: int) -> Decks:
    """The first decks are dealt again at the end."""
    decks = fisher_yates(source, seed, count)
    decks[-block:] = decks[:block]
    return decks

"""Faults between one round and another, and hands that are not what they should be, in decks that look well mixed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery.planted.good import Source, uniform_numbers
from rng.battery.planted.shuffles import Decks, fisher_yates, ordered, riffles
from rng.shuffle import CARDS

RANKS, SUITS = CARDS // 4, 4


def chosen(source: Source, seed: int, count: int, one_in: int) -> NDArray[np.bool_]:
    """Rounds that a fault strikes: one in so many, at random."""
    return np.asarray(uniform_numbers(source, seed + 1_000, one_in, count) == 0)


def bring(deck: Decks, card: int, place: int) -> None:
    """Puts a card in a place of a deck, in exchange for the card that lay there."""
    other = int(np.flatnonzero(deck == card)[0])
    deck[other], deck[place] = deck[place], deck[other]


def copied(
    source: Source, seed: int, count: int, one_in: int, before: int, from_place: int, to_place: int
) -> Decks:
    """In one round of so many a place holds the card that another held some rounds before."""
    decks = fisher_yates(source, seed, count)
    struck = chosen(source, seed, count, one_in)
    for t in np.flatnonzero(struck[before:]) + before:
        bring(decks[t], int(decks[t - before, from_place]), to_place)
    return decks


def one_at(source: Source, seed: int, count: int, deck: Decks) -> Decks:
    """Good decks, one of which is another."""
    decks = fisher_yates(source, seed, count)
    decks[count * 2 // 3] = deck
    return decks


def one_in_order(source: Source, seed: int, count: int) -> Decks:
    """One deck that was not shuffled at all."""
    return one_at(source, seed, count, ordered(1)[0])


def new_deck() -> Decks:
    """A deck as it is bought: suit by suit, two suits from the ace up and two from the king down."""
    ranks = [*range(RANKS)]
    order = [4 * rank + suit for suit in range(SUITS) for rank in (ranks if suit < 2 else ranks[::-1])]
    return np.array(order, dtype=np.uint8)


def one_new_deck(source: Source, seed: int, count: int) -> Decks:
    """One deck in the order it was bought in."""
    return one_at(source, seed, count, new_deck())


def one_riffled(source: Source, seed: int, count: int, times: int) -> Decks:
    """One deck that was riffled only so many times."""
    return one_at(source, seed, count, riffles(source, seed + 1_001, 1, times)[0])


def one_copy(disguise: str, source: Source, seed: int, count: int) -> Decks:
    """One deck that is an earlier one in disguise."""
    decks = fisher_yates(source, seed, count)
    earlier = decks[count // 3].copy()
    names = np.array([2, 0, 3, 1])
    made = {
        "reversed": earlier[::-1],
        "cut": np.roll(earlier, 13),
        "mirrored": CARDS - 1 - earlier,
        "renamed": earlier // 4 * 4 + names[earlier % 4],
    }
    decks[count * 2 // 3] = made[disguise]
    return decks


def shared_opening(source: Source, seed: int, count: int, length: int) -> Decks:
    """One deck whose first cards are those of an earlier one."""
    decks = fisher_yates(source, seed, count)
    deck = decks[count * 2 // 3]
    for place, card in enumerate(decks[count // 3, :length].tolist()):
        bring(deck, card, place)
    return decks


def suits_balanced(source: Source, seed: int, count: int, one_in: int) -> Decks:
    """In one round of so many the third card is exchanged so that the suits of the first three sum to 0 modulo 4."""
    decks = fisher_yates(source, seed, count)
    for t in np.flatnonzero(chosen(source, seed, count, one_in)):
        wanted = -(int(decks[t, 0]) + int(decks[t, 1])) % 4
        later = next(place for place in range(2, CARDS) if decks[t, place] % 4 == wanted)
        bring(decks[t], int(decks[t, later]), 2)
    return decks


def pairs_avoided(source: Source, seed: int, count: int, one_in: int) -> Decks:
    """In one round of so many a pair among the first three cards is broken up by the fourth card."""
    decks = fisher_yates(source, seed, count)
    for t in np.flatnonzero(chosen(source, seed, count, one_in)):
        first = decks[t, :3] // 4
        if len(set(first.tolist())) < 3:
            bring(decks[t], int(decks[t, 3]), 2)
    return decks

"""Faults planted in tables and rows: one table's draws in another, and draws that echo earlier ones."""

from collections.abc import Callable, Mapping

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.planted.good import (
    Make,
    Source,
    altered,
    behind,
    below_a_bound,
    later,
    struck,
    uniform_numbers,
)
from rng.battery.planted.shuffles import Decks, fisher_yates, riffles, swapped, with_card
from rng.battery.sequences.lagged import WHEELS
from rng.shuffle import CARDS

RANKS, SUITS = CARDS // 4, 4


def copied(one_in: int, before: int, from_place: int, to_place: int) -> Make:
    """In one round of so many a place holds the card that another held some rounds before."""
    return altered(
        fisher_yates,
        one_in,
        1_000,
        later(before),
        ...,
        lambda decks, t: with_card(decks[t], decks[t - before, from_place], to_place),
    )


def one_at(source: Source, seed: int, count: int, deck: Decks) -> Decks:
    """Good decks, one of which is another."""
    decks = fisher_yates(source, seed, count)
    decks[count * 2 // 3] = deck
    return decks


def new_deck() -> Decks:
    """A deck as it is bought: suit by suit, two suits from the ace up and two from the king down."""
    ranks = [*range(RANKS)]
    order = [4 * rank + suit for suit in range(SUITS) for rank in (ranks if suit < 2 else ranks[::-1])]
    return np.array(order, dtype=np.uint8)


DISGUISES: Mapping[str, Callable[[Decks], Decks]] = {
    "reversed": lambda earlier: earlier[::-1],
    "cut": lambda earlier: np.roll(earlier, 13),
    "mirrored": lambda earlier: CARDS - 1 - earlier,
    "renamed": lambda earlier: earlier // 4 * 4 + np.array([2, 0, 3, 1])[earlier % 4],
}


def one_copy(disguise: str, source: Source, seed: int, count: int) -> Decks:
    """One deck that is an earlier one in disguise."""
    decks = fisher_yates(source, seed, count)
    decks[count * 2 // 3] = DISGUISES[disguise](decks[count // 3])
    return decks


def one_inverted(source: Source, seed: int, count: int) -> Decks:
    """One deck is an earlier one with places and cards exchanged."""
    decks = fisher_yates(source, seed, count)
    decks[3 * count // 4] = np.argsort(decks[count // 4])
    return decks


def shared_opening(source: Source, seed: int, count: int, length: int) -> Decks:
    """One deck whose first cards are those of an earlier one."""
    decks = fisher_yates(source, seed, count)
    for place, card in enumerate(decks[count // 3, :length].tolist()):
        decks[count * 2 // 3] = with_card(decks[count * 2 // 3], card, place)
    return decks


def suits_balanced(decks: Decks, t: int) -> Decks:
    """A deck whose third card is exchanged so that the suits of the first three sum to 0 modulo 4."""
    sums = decks[t, 0] + decks[t, 1] + decks[t, 2:]
    return swapped(decks[t], 2, 2 + int(np.argmax(sums % 4 == 0)))


def is_natural(decks: Decks, one: int = 0, other: int = 1) -> NDArray[np.bool_]:
    """Rounds in which two places hold an ace and a face card."""
    ranks = decks[:, [one, other]] // 4
    return np.asarray((ranks.min(axis=1) == 0) & (ranks.max(axis=1) >= 7))


def one_draw_fills(decks: Decks) -> NDArray[np.bool_]:
    """Rounds in which four of the first five cards are of one suit and the sixth card is of it too."""
    suits = decks[:, :6] % 4
    middle = np.sort(suits[:, :5], axis=1)[:, 2]
    return np.asarray(((suits[:, :5] == middle[:, None]).sum(axis=1) == 4) & (suits[:, 5] == middle))


def exchanged(decks: Decks, rounds: NDArray[np.int64], place: int, other: int = CARDS // 2) -> Decks:
    """Decks of which some rounds have the cards of two places exchanged; one of the middle is not dealt."""
    decks[rounds, place], decks[rounds, other] = decks[rounds, other], decks[rounds, place].copy()
    return decks


def withheld(
    source: Source,
    seed: int,
    count: int,
    place: int,
    one_in: int,
    where: Callable[[Decks], NDArray[np.bool_]],
) -> Decks:
    """Where a round is such, in one case of so many, the card of a place is exchanged for one of the middle."""
    decks = fisher_yates(source, seed, count)
    return exchanged(decks, struck(source, seed + 7_000, one_in, where(decks)), place)


def pairs_avoided(source: Source, seed: int, count: int, one_in: int) -> Decks:
    """In one round of so many a pair among the first three cards is broken up by the fourth card."""
    decks = fisher_yates(source, seed, count)
    first = np.sort(decks[:, :3] // 4, axis=1)
    paired = (first[:, 1:] == first[:, :-1]).any(axis=1)
    return exchanged(decks, struck(source, seed + 1_000, one_in, paired), 2, 3)


def drifting_card(source: Source, seed: int, count: int, card: int, worst: float) -> Decks:
    """A card that is dealt first more and more seldom, in a share ``worst`` of its rounds less at the end."""
    decks = fisher_yates(source, seed, count)
    odds = uniform_numbers(source, seed + 1, 1 << 30, count) / (1 << 30)
    faded = (decks[:, 0] == card) & (odds < worst * np.arange(count) / count)
    return exchanged(decks, np.flatnonzero(faded), 0)


def all_high(decks: Decks, *places: int) -> NDArray[np.bool_]:
    """Rounds in which some places hold high cards alone."""
    return np.asarray((decks[:, places] // 4 >= 7).all(axis=1), dtype=np.bool_)


def after(where: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The rounds behind those."""
    return np.concatenate(([False], where[:-1]))


def colour_follows(decks: Decks, t: int) -> Decks:
    """A deck whose first card has the colour of the last card of the round before."""
    return swapped(decks[t], 0, int(np.argmax((decks[t] % 4 < 2) == (decks[t - 1, -1] % 4 < 2))))


def sticky(source: Source, seed: int, count: int, one_in: int) -> Decks:
    """In one round of so many two neighbours of the round before stay together: the second is put behind the first."""
    decks = fisher_yates(source, seed, count)
    places = uniform_numbers(source, seed + 1, CARDS - 1, count)
    for t in struck(source, seed + 7_000, one_in, behind(count, 1)):
        first, second = decks[t - 1, places[t] : places[t] + 2]
        others = decks[t][decks[t] != second]
        decks[t] = np.insert(others, int(np.flatnonzero(others == first)[0]) + 1, second)
    return decks


def riffled_on(source: Source, seed: int, count: int, times: int) -> Decks:
    """Each deck is the one before, riffled so many times."""
    decks = riffles(source, seed, count, times)
    for t in range(1, count):
        decks[t] = decks[t - 1][decks[t]]
    return decks


Numbers = NDArray[np.unsignedinteger]


def echoed(below: int, one_in: int, lag: int, rule: Callable[[list[int]], int], offset: int = 7_000) -> Make:
    """In one case of so many a number is made of those of so many draws before, the farthest first."""
    return altered(
        below_a_bound(below),
        one_in,
        offset,
        later(lag),
        ...,
        lambda values, i: rule(values[i - lag : i].tolist()) % below,
    )


@njit(cache=True)
def _broken(values: NDArray[np.uint32], odds: NDArray[np.uint32], longest: int) -> NDArray[np.uint32]:
    run = 1
    for i in range(1, values.size):
        alike = values[i] % 2 == values[i - 1] % 2
        if alike and run >= longest and odds[i] == 0:
            values[i] ^= 1
            alike = False
        run = run + 1 if alike else 1
    return values


def streaks_broken(source: Source, seed: int, count: int, below: int, longest: int, one_in: int) -> Numbers:
    """After so many odd or so many even numbers in a row the next is turned into the other in one case of so many."""
    values = uniform_numbers(source, seed, below, count).astype(np.uint32)
    return _broken(values, uniform_numbers(source, seed + 1, one_in, count).astype(np.uint32), longest)


def one_of_the_last(source: Source, seed: int, count: int, below: int, one_in: int) -> Numbers:
    """In one case of so many a number is one of as many before as there are numbers."""
    values = uniform_numbers(source, seed, below, count)
    back = uniform_numbers(source, seed + 1, below, count)
    for i in struck(source, seed + 7_000, one_in, behind(count, below)):
        values[i] = values[i - 1 - int(back[i])]
    return values


def equal_throws(source: Source, seed: int, count: int, one_in: int) -> Numbers:
    """In one case of so many a number of the wheel is twelve to sixteen pockets on from the last one."""
    values, wheel = uniform_numbers(source, seed, 37, count), WHEELS[37]
    places, step = np.argsort(wheel), uniform_numbers(source, seed + 1, 5, count)
    for i in struck(source, seed + 7_000, one_in, behind(count, 1)):
        values[i] = wheel[(places[values[i - 1]] + 12 + int(step[i])) % 37]
    return values


def equal_far_apart(decks: Decks, t: int) -> Decks:
    """A deck whose twelfth card is changed to the rank of the ninth."""
    alike = (decks[t] // 4 == decks[t, 8] // 4) & (np.arange(CARDS) != 8)
    return swapped(decks[t], 11, int(np.argmax(alike)))


def aces_together(decks: Decks, t: int) -> Decks:
    """A deck whose second ace is moved behind the first."""
    first, second = np.flatnonzero(decks[t] < 4)[:2].tolist()
    return swapped(decks[t], first + 1, second)

"""Planted faults of what is dealt beside one deck of forty: shoes, wheels, dice, reels and balls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rng.battery import balls, cards, rows
from rng.battery.planted.good import Source, aes_ctr, uniform_numbers
from rng.battery.planted.known import dotnet_next, java_next_int
from rng.battery.planted.shuffles import draws_below, fisher_yates, swap_by
from rng.battery.result import NotRun, TestResult
from rng.draws import Draw, Integer, OrderedSample, Permutation, Repetition

Rows = NDArray[np.unsignedinteger]
SHOE = Permutation(8 * 52)
WHEEL, DICE, REELS = Integer(37), Repetition(Integer(6), 2), Repetition(Integer(24), 5)
BALLS, KENO = OrderedSample(49, 6), OrderedSample(80, 20)


@dataclass(frozen=True, slots=True)
class EquipmentFault:
    """Bad output of one piece of equipment, and the test that must find it.

    Args:
        name: Name of the fault, in kebab case.
        defect: What is wrong, in one sentence.
        draw: What is drawn.
        make: (good source, seed, sample) -> rows.
        caught_by: Suite and test.
        sample: Rows at which the test must catch it.
    """

    name: str
    defect: str
    draw: Draw
    make: Callable[[Source, int, int], Rows]
    caught_by: tuple[str, str]
    sample: int

    @property
    def found_by(self) -> str:
        """Suite and test that must catch it."""
        return " ".join(self.caught_by)

    @property
    def kind(self) -> str:
        """What its sample counts."""
        return "rows"

    def results(self, seed: int, source: Source = aes_ctr) -> tuple[TestResult | NotRun, ...]:
        """The results of the test that must catch it."""
        suite, test = self.caught_by
        made = self.make(source, seed, self.sample)
        if suite == "cards":
            return cards.run(made.astype(np.uint16), [test], shoe=cards.shoe_of(13, 4, decks=8))
        if isinstance(self.draw, OrderedSample):
            return balls.run(self.draw, made, (test,))
        found = (
            rows.run_rows(self.draw, made, (test,))
            if suite == "sequences"
            else rows.beside(self.draw, made, tests=(test,))
        )
        return tuple(result for result in found if (result.suite, result.test) == self.caught_by)


def half_a_shoe(source: Source, seed: int, count: int) -> Rows:
    """The lower half of the shoe is shuffled by itself: a shoe that was cut and never mixed."""
    half = SHOE.items // 2
    decks = np.concatenate(
        [
            fisher_yates(source, seed, count, half),
            fisher_yates(source, seed + 1, count, half) + np.uint16(half),
        ],
        axis=1,
    )
    return decks.astype(np.uint16)


def byte_positions(source: Source, seed: int, count: int) -> Rows:
    """Fisher-Yates whose draws are one byte: positions beyond 255 are never exchanged with the front."""
    n = SHOE.items
    positions = range(n - 1, 0, -1)
    bounds = [min(i + 1, 256) for i in positions]
    return swap_by(draws_below(source, seed, count, bounds), positions, n)


def byte_wheel(source: Source, seed: int, count: int) -> Rows:
    """A byte modulo 37."""
    return ((source(seed, count) >> np.uint32(24)) % np.uint32(37))[:, None]


def tied_dice(source: Source, seed: int, count: int) -> Rows:
    """The second die repeats the first in one roll of twelve."""
    made = np.stack([uniform_numbers(source, seed + i, 6, count) for i in range(2)], axis=1)
    same = uniform_numbers(source, seed + 2, 12, count) == 0
    made[same, 1] = made[same, 0]
    return made


def sticky_reel(source: Source, seed: int, count: int) -> Rows:
    """The third reel stays where it was in one spin of ten."""
    made = np.stack([uniform_numbers(source, seed + i, 24, count) for i in range(5)], axis=1)
    for spin in np.flatnonzero(uniform_numbers(source, seed + 5, 10, count)[1:] == 0) + 1:
        made[spin, 2] = made[spin - 1, 2]
    return made


def _samples(source: Source, seed: int, count: int) -> Rows:
    keys = source(seed, count * BALLS.items).reshape(count, BALLS.items)
    return np.argsort(keys, axis=1)[:, : BALLS.size].astype(np.uint8)


def sorted_balls(source: Source, seed: int, count: int) -> Rows:
    """Balls reported in the order of their numbers as if drawn so."""
    return np.sort(_samples(source, seed, count), axis=1)


def heavy_ball(source: Source, seed: int, count: int) -> Rows:
    """Ball 7 takes the last place in one draw of fifty that would not have held it."""
    made = _samples(source, seed, count)
    held = (made == 7).any(axis=1)
    made[~held & (uniform_numbers(source, seed + 1, 50, count) == 0), -1] = 7
    return made


def returned_balls(source: Source, seed: int, count: int) -> Rows:
    """One draw of twenty keeps the balls of the draw before."""
    made = _samples(source, seed, count)
    for row in np.flatnonzero(uniform_numbers(source, seed + 1, 20, count)[1:] == 0) + 1:
        made[row] = made[row - 1]
    return made


def _paired_balls(source: Source, seed: int, count: int) -> Rows:
    made = _samples(source, seed, count)
    ordered = np.flatnonzero(uniform_numbers(source, seed + 1, 10, count) == 0)
    made[ordered[:, None], np.arange(2)] = np.sort(made[ordered, :2], axis=1)
    return made


def one_new_shoe(source: Source, seed: int, count: int) -> Rows:
    """One shoe whose decks lie as they were bought, one after the other."""
    made = fisher_yates(source, seed, count, SHOE.items).astype(np.uint16)
    deck = [4 * rank + suit for suit in range(4) for rank in (range(13) if suit < 2 else range(12, -1, -1))]
    made[count // 2] = [52 * copy + card for copy in range(8) for card in deck]
    return made


def burnt_card_returns(source: Source, seed: int, count: int) -> Rows:
    """In one shoe of ten the first card is the last one of the shoe before."""
    made = fisher_yates(source, seed, count, SHOE.items).astype(np.uint16)
    for row in np.flatnonzero(uniform_numbers(source, seed + 1, 10, count)[1:] == 0) + 1:
        place = int(np.flatnonzero(made[row] == made[row - 1, -1])[0])
        made[row, [0, place]] = made[row, [place, 0]]
    return made


def dice_of_dotnet(_source: Source, seed: int, count: int) -> Rows:
    """Two dice that take the outputs of .NET's System.Random in turn."""
    return dotnet_next(seed, 2 * count, 6).reshape(-1, 2)


def reels_of_java(_source: Source, seed: int, count: int) -> Rows:
    """Five reels that take the outputs of java.util.Random in turn."""
    return java_next_int(seed, 5 * count, 24).reshape(-1, 5)


def keno_neighbours(source: Source, seed: int, count: int) -> Rows:
    """In one draw of five the last ball is the next number after the first, where it was not drawn."""
    keys = source(seed, count * KENO.items).reshape(count, KENO.items)
    made = np.argsort(keys, axis=1)[:, : KENO.size].astype(np.uint8)
    struck = uniform_numbers(source, seed + 1, 5, count) == 0
    for row in np.flatnonzero(struck & (made[:, 0] + 1 < KENO.items)):
        if made[row, 0] + 1 not in made[row]:
            made[row, -1] = made[row, 0] + 1
    return made


def near_misses(source: Source, seed: int, count: int) -> Rows:
    """After two stops that would win, the third reel stops beside the third in two cases of three."""
    made = np.stack([uniform_numbers(source, seed + i, 24, count) for i in range(5)], axis=1)
    missed = uniform_numbers(source, seed + 5, 3, count)
    for row in np.flatnonzero((made[:, 0] == 3) & (made[:, 1] == 7) & (missed > 0)):
        made[row, 2] = 10 + missed[row]
    return made


def fourth_broken(source: Source, seed: int, count: int) -> Rows:
    """After three equal stops of five reels of ten the fourth is another in every second case."""
    made = np.stack([uniform_numbers(source, seed + i, 10, count) for i in range(5)], axis=1)
    four = (made[:, :4] == made[:, :1]).all(axis=1) & (uniform_numbers(source, seed + 5, 2, count) == 0)
    made[four, 3] = (made[four, 3] + 1) % 10
    return made


def fifth_from_two(source: Source, seed: int, count: int) -> Rows:
    """In one spin of forty the fifth reel stops where the first and third together point."""
    made = np.stack([uniform_numbers(source, seed + i, 24, count) for i in range(5)], axis=1)
    struck = uniform_numbers(source, seed + 5, 40, count) == 0
    made[struck, 4] = (made[struck, 0] + made[struck, 2]) % 24
    return made


def same_tray(source: Source, seed: int, count: int) -> Rows:
    """In one draw of thirty the second ball is from the same ten numbers as the first."""
    made = _samples(source, seed, count)
    for row in np.flatnonzero(uniform_numbers(source, seed + 1, 30, count) == 0):
        other = made[row, 0] // 10 * 10 + made[row, 1] % 10
        if other < BALLS.items and other not in made[row]:
            made[row, 1] = other
    return made


def friends(source: Source, seed: int, count: int) -> Rows:
    """Balls 4 and 40 come together in one draw of a hundred beside their due."""
    made = _samples(source, seed, count)
    for row in np.flatnonzero(uniform_numbers(source, seed + 1, 100, count) == 0):
        if not {4, 40} & set(made[row].tolist()):
            made[row, :2] = 4, 40
    return made


def compensating_balls(source: Source, seed: int, count: int) -> Rows:
    """A ball that was missing for forty draws takes the last place in one draw of five."""
    made, last = _samples(source, seed, count), np.full(BALLS.items, -1)
    struck = uniform_numbers(source, seed + 1, 5, count) == 0
    for row in range(count):
        due = np.flatnonzero(row - last > 40)
        if struck[row] and due.size and due[0] not in made[row]:
            made[row, -1] = due[0]
        last[made[row]] = row
    return made


def shoe_of_layers(source: Source, seed: int, count: int) -> Rows:
    """In a shoe one card of a hundred is the same face as that of fifty-two places before: packs hardly mixed."""
    made = fisher_yates(source, seed, count, SHOE.items).astype(np.uint16)
    struck = uniform_numbers(source, seed + 1, 100, made.size).reshape(made.shape) == 0
    struck[:, :52] = False
    for row, place in zip(*np.nonzero(struck), strict=True):
        alike = np.flatnonzero(made[row] % 52 == made[row, place - 52] % 52)
        other = int(alike[alike != place - 52][0])
        made[row, [place, other]] = made[row, [other, place]]
    return made


def reel_follows_reel(source: Source, seed: int, count: int) -> Rows:
    """In one spin of a hundred the third reel stops where the second stood the spin before."""
    made = np.stack([uniform_numbers(source, seed + i, 24, count) for i in range(5)], axis=1)
    for spin in np.flatnonzero(uniform_numbers(source, seed + 5, 100, count)[1:] == 0) + 1:
        made[spin, 2] = made[spin - 1, 1]
    return made


def rare_symbols_apart(source: Source, seed: int, count: int) -> Rows:
    """Where three reels would show one of their first four stops, the third is drawn again in two cases of three."""
    made = np.stack([uniform_numbers(source, seed + i, 24, count) for i in range(5)], axis=1)
    again, chance = (uniform_numbers(source, seed + 6 + i, below, count) for i, below in enumerate((24, 3)))
    struck = (made[:, :3] < 4).all(axis=1) & (chance > 0)
    made[struck, 2] = again[struck]
    return made


def five_alike(source: Source, seed: int, count: int) -> Rows:
    """In one throw of 1,200 all five dice show the face of the first."""
    made = np.stack([uniform_numbers(source, seed + i, 6, count) for i in range(5)], axis=1)
    struck = uniform_numbers(source, seed + 5, 1_200, count) == 0
    made[struck] = made[struck, :1]
    return made


def balls_of_three_before(source: Source, seed: int, count: int) -> Rows:
    """In one draw of fourteen the last ball is one of those drawn three draws before."""
    made = _samples(source, seed, count)
    for row in np.flatnonzero(uniform_numbers(source, seed + 1, 14, count)[3:] == 0) + 3:
        earlier = np.setdiff1d(made[row - 3], made[row])
        if earlier.size:
            made[row, -1] = earlier[row % earlier.size]
    return made


FAULTS = (
    EquipmentFault(
        "shoe-of-layers",
        "cards come again after fifty-two others",
        SHOE,
        shoe_of_layers,
        ("cards", "alike-apart"),
        600,
    ),
    EquipmentFault(
        "reel-follows-reel",
        "a reel stops where another stood before",
        REELS,
        reel_follows_reel,
        ("rows", "column-matches"),
        40_000,
    ),
    EquipmentFault(
        "rare-symbols-apart",
        "three rare symbols are too rare",
        REELS,
        rare_symbols_apart,
        ("rows", "column-triples"),
        60_000,
    ),
    EquipmentFault(
        "five-alike",
        "five dice are alike too often",
        Repetition(Integer(6), 5),
        five_alike,
        ("rows", "columns-alike"),
        100_000,
    ),
    EquipmentFault(
        "balls-of-three-before",
        "balls that come back after three draws",
        BALLS,
        balls_of_three_before,
        ("balls", "common-with-last"),
        20_000,
    ),
    EquipmentFault(
        "keno-neighbours",
        "a ball pulls its neighbour",
        KENO,
        keno_neighbours,
        ("balls", "compositions"),
        10_000,
    ),
    EquipmentFault(
        "fourth-reel-broken",
        "three equal stops are seldom four",
        Repetition(Integer(10), 5),
        fourth_broken,
        ("rows", "columns-alike"),
        100_000,
    ),
    EquipmentFault(
        "fifth-from-two",
        "the fifth reel follows from two others",
        REELS,
        fifth_from_two,
        ("rows", "lagged-sums"),
        40_000,
    ),
    EquipmentFault(
        "same-tray",
        "the second ball comes from the tray of the first",
        BALLS,
        same_tray,
        ("balls", "compositions"),
        20_000,
    ),
    EquipmentFault("friends", "two balls come together", BALLS, friends, ("balls", "together"), 20_000),
    EquipmentFault(
        "compensating-balls",
        "missing balls are helped",
        BALLS,
        compensating_balls,
        ("balls", "due-balls"),
        10_000,
    ),
    EquipmentFault(
        "near-misses",
        "the third reel stops beside the win",
        REELS,
        near_misses,
        ("rows", "column-triples"),
        40_000,
    ),
    EquipmentFault("cut-shoe", "the halves are never mixed", SHOE, half_a_shoe, ("cards", "inversions"), 64),
    EquipmentFault(
        "byte-positions",
        "draws of a byte in a shoe of 416",
        SHOE,
        byte_positions,
        ("cards", "inversions"),
        64,
    ),
    EquipmentFault("byte-wheel", "a byte modulo 37", WHEEL, byte_wheel, ("sequences", "frequency"), 200_000),
    EquipmentFault(
        "tied-dice", "the second die follows the first", DICE, tied_dice, ("rows", "column-pairs"), 10_000
    ),
    EquipmentFault(
        "sticky-reel", "a reel that sticks", REELS, sticky_reel, ("sequences", "serial-dimensions"), 40_000
    ),
    EquipmentFault(
        "sorted-balls", "balls in the order of their numbers", BALLS, sorted_balls, ("balls", "places"), 500
    ),
    EquipmentFault("heavy-ball", "one ball too often", BALLS, heavy_ball, ("balls", "places"), 20_000),
    EquipmentFault(
        "returned-balls", "draws that come back", BALLS, returned_balls, ("balls", "common-with-last"), 2_000
    ),
    EquipmentFault(
        "returned-balls-by-gaps",
        "draws that come back",
        BALLS,
        returned_balls,
        ("balls", "due-balls"),
        20_000,
    ),
    EquipmentFault(
        "paired-balls", "two first balls put in order", BALLS, _paired_balls, ("balls", "places"), 60_000
    ),
    EquipmentFault(
        "one-new-shoe",
        "one shoe was not shuffled",
        SHOE,
        one_new_shoe,
        ("cards", "unshuffled-deck"),
        1_000,
    ),
    EquipmentFault(
        "burnt-card-returns",
        "the first card is at times the last of the shoe before",
        SHOE,
        burnt_card_returns,
        ("cards", "lagged-places"),
        512,
    ),
    EquipmentFault(
        "dice-of-dotnet",
        "two dice from System.Random of .NET in turn",
        DICE,
        dice_of_dotnet,
        ("rows", "known-lags"),
        512,
    ),
    EquipmentFault(
        "reels-of-java",
        "five reels from nextInt of Java",
        REELS,
        reels_of_java,
        ("rows", "congruential"),
        200,
    ),
)

"""Planted faults of what is dealt next to one deck of forty: shoes, wheels, dice, reels and balls."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rng.battery.planted.fault import PlantedFault
from rng.battery.planted.good import Make, Output, Source, altered, behind, later, struck, uniform_numbers
from rng.battery.planted.known import dotnet_next, java_next_int, msvc_rand
from rng.battery.planted.shuffles import draws_below, fisher_yates, swap_by, with_card
from rng.draws import Draw, Integer, OrderedSample, Permutation, Repetition

Rows = NDArray[np.unsignedinteger]
SHOE = Permutation(8 * 52)
WHEEL, DICE, REELS = Integer(37), Repetition(Integer(6), 2), Repetition(Integer(24), 5)
BALLS, KENO = OrderedSample(49, 6), OrderedSample(80, 20)
# A shoe that a cut card ends; from so many cards on, rank by rank, they count ten.
CUT, TENS = OrderedSample(SHOE.items, 350), 9 * 32


def byte_positions(source: Source, seed: int, count: int) -> Rows:
    """Fisher-Yates whose draws are one byte: positions beyond 255 are never exchanged with the front."""
    n = SHOE.items
    positions = range(n - 1, 0, -1)
    bounds = [min(i + 1, 256) for i in positions]
    return swap_by(draws_below(source, seed, count, bounds), positions, n)


def _rolled(source: Source, seed: int, count: int, below: int = 24, width: int = 5) -> Rows:
    """Reels or dice of one range next to each other."""
    return np.stack([uniform_numbers(source, seed + i, below, count) for i in range(width)], axis=1)


def _samples(source: Source, seed: int, count: int, draw: OrderedSample = BALLS) -> Rows:
    keys = source(seed, count * draw.items).reshape(count, draw.items)
    return np.argsort(keys, axis=1)[:, : draw.size].astype(np.uint8)


def _shoes(source: Source, seed: int, count: int) -> Rows:
    return fisher_yates(source, seed, count, SHOE.items).astype(np.uint16)


def tens_behind_the_cut(source: Source, seed: int, count: int) -> Rows:
    """In every shoe a card that counts ten is behind the cut card, in exchange for one that does not."""
    made = _shoes(source, seed, count)
    for shoe in made:
        ten = int(np.argmax(shoe >= TENS))
        behind_it = CUT.size + int(np.argmax(shoe[CUT.size :] < TENS))
        shoe[[ten, behind_it]] = shoe[[behind_it, ten]]
    return made[:, : CUT.size]


def one_new_shoe(source: Source, seed: int, count: int) -> Rows:
    """One shoe whose decks lie as they were bought, one after the other."""
    made = _shoes(source, seed, count)
    deck = [4 * rank + suit for suit in range(4) for rank in (range(13) if suit < 2 else range(12, -1, -1))]
    made[count // 2] = [52 * copy + card for copy in range(8) for card in deck]
    return made


def reels_of_java(_source: Source, seed: int, count: int) -> Rows:
    """Five reels that take the outputs of java.util.Random in turn."""
    return java_next_int(seed, 5 * count, 24).reshape(-1, 5)


def balls_of_microsoft(_source: Source, seed: int, count: int) -> Rows:
    """Balls from the remainder of Microsoft's ``rand()``; one that was drawn already is drawn again."""
    numbers = iter(((msvc_rand(seed, 20 * BALLS.size * count) & 0x7FFF) % BALLS.items).tolist())
    made = np.empty((count, BALLS.size), dtype=np.uint8)
    for row in made:
        drawn = dict[int, None]()
        while len(drawn) < BALLS.size:
            drawn[next(numbers)] = None
        row[:] = list(drawn)
    return made


def near_misses(source: Source, seed: int, count: int) -> Rows:
    """After two stops that would win, the third reel stops next to the third in two cases of three."""
    made = _rolled(source, seed, count)
    missed = uniform_numbers(source, seed + 5, 3, count)
    for row in np.flatnonzero((made[:, 0] == 3) & (made[:, 1] == 7) & (missed > 0)):
        made[row, 2] = 10 + missed[row]
    return made


def compensating_balls(source: Source, seed: int, count: int) -> Rows:
    """A ball that was missing for forty draws takes the last place in one draw of five."""
    made, last = _samples(source, seed, count), np.full(BALLS.items, -1)
    helped = uniform_numbers(source, seed + 1, 5, count) == 0
    for row in range(count):
        due = np.flatnonzero(row - last > 40)
        if helped[row] and due.size and due[0] not in made[row]:
            made[row, -1] = due[0]
        last[made[row]] = row
    return made


def shoe_of_layers(source: Source, seed: int, count: int) -> Rows:
    """In a shoe one card of a hundred is the same face as that of fifty-two places before: packs hardly mixed."""
    made = _shoes(source, seed, count)
    later = np.tile(behind(SHOE.items, 52), count)
    for row, place in zip(*divmod(struck(source, seed + 1, 100, later), SHOE.items), strict=True):
        alike = np.flatnonzero(made[row] % 52 == made[row, place - 52] % 52)
        other = int(alike[alike != place - 52][0])
        made[row, [place, other]] = made[row, [other, place]]
    return made


def rare_symbols_apart(source: Source, seed: int, count: int) -> Rows:
    """Where three reels would show one of their first four stops, the third is drawn again in two cases of three."""
    made = _rolled(source, seed, count)
    again, chance = (uniform_numbers(source, seed + 6 + i, below, count) for i, below in enumerate((24, 3)))
    rare = (made[:, :3] < 4).all(axis=1) & (chance > 0)
    made[rare, 2] = again[rare]
    return made


def balls_of_three_before(source: Source, seed: int, count: int) -> Rows:
    """In one draw of fourteen the last ball is one of those drawn three draws before."""
    made = _samples(source, seed, count)
    for row in struck(source, seed + 1, 14, behind(count, 3)):
        earlier = np.setdiff1d(made[row - 3], made[row])
        if earlier.size:
            made[row, -1] = earlier[row % earlier.size]
    return made


def _not_drawn(balls: Callable[[Output], Output], of: int) -> Callable[[Output], NDArray[np.bool_]]:
    """The draws of which a ball that there is was not drawn: (draws) -> that ball of each."""

    def may(made: Output) -> NDArray[np.bool_]:
        ball = balls(made)
        return np.asarray((ball < of) & ~(made == ball[:, None]).any(axis=1))

    return may


def _of_the_first_tray(made: Output) -> Output:
    """The ball that is in the tray of ten of the first ball where the second is in its own."""
    return made[:, 0] // 10 * 10 + made[:, 1] % 10


def _altered_reels(
    one_in: int,
    place: int | slice,
    rule: Callable[[Output, int], Any],
    may: Callable[[Output], NDArray[np.bool_]] = later(0),  # noqa: B008 - a function of no state
    below: int = 24,
    width: int = 5,
) -> Make:
    return altered(partial(_rolled, below=below, width=width), one_in, width, may, place, rule)


_RETURNED = altered(_samples, 20, 1, later(1), ..., lambda made, row: made[row - 1])


def _rows(
    suite: str, caught_by: str, sample: int, name: str, defect: str, draw: Draw, make: Make
) -> PlantedFault:
    return PlantedFault(name, defect, "rows", make, caught_by, sample, draw=draw, suite=suite)


FAULTS = (
    _rows(
        "cards",
        "alike-apart",
        600,
        "shoe-of-layers",
        "cards come again after fifty-two others",
        SHOE,
        shoe_of_layers,
    ),
    _rows(
        "rows",
        "column-matches",
        40_000,
        "reel-follows-reel",
        "a reel stops where another stopped before",
        REELS,
        _altered_reels(100, 2, lambda made, row: made[row - 1, 1], later(1)),
    ),
    _rows(
        "rows",
        "column-triples",
        60_000,
        "rare-symbols-apart",
        "three rare symbols are too rare",
        REELS,
        rare_symbols_apart,
    ),
    _rows(
        "rows",
        "columns-alike",
        100_000,
        "five-alike",
        "five dice are equal too often",
        Repetition(Integer(6), 5),
        _altered_reels(1_200, slice(None), lambda made, row: made[row, 0], below=6),
    ),
    _rows(
        "balls",
        "common-with-last",
        20_000,
        "balls-of-three-before",
        "balls that come back after three draws",
        BALLS,
        balls_of_three_before,
    ),
    _rows(
        "balls",
        "compositions",
        10_000,
        "keno-neighbours",
        "a ball pulls its neighbour",
        KENO,
        altered(
            partial(_samples, draw=KENO),
            5,
            1,
            _not_drawn(lambda made: made[:, 0] + 1, KENO.items),
            -1,
            lambda made, row: made[row, 0] + 1,
        ),
    ),
    _rows(
        "rows",
        "columns-alike",
        100_000,
        "fourth-reel-broken",
        "three equal stops are seldom four",
        Repetition(Integer(10), 5),
        _altered_reels(
            2,
            3,
            lambda made, row: (made[row, 3] + 1) % 10,
            lambda made: np.asarray((made[:, :4] == made[:, :1]).all(axis=1)),
            below=10,
        ),
    ),
    _rows(
        "rows",
        "lagged-sums",
        40_000,
        "fifth-from-two",
        "the fifth reel follows from two others",
        REELS,
        _altered_reels(40, 4, lambda made, row: (made[row, 0] + made[row, 2]) % 24),
    ),
    _rows(
        "balls",
        "compositions",
        20_000,
        "same-tray",
        "the second ball comes from the tray of the first",
        BALLS,
        altered(
            _samples,
            30,
            1,
            _not_drawn(_of_the_first_tray, BALLS.items),
            1,
            lambda made, row: _of_the_first_tray(made[row : row + 1])[0],
        ),
    ),
    _rows(
        "balls",
        "compositions",
        2_000,
        "tens-behind-the-cut",
        "a card that counts ten is held back behind the cut card",
        CUT,
        tens_behind_the_cut,
    ),
    _rows(
        "balls",
        "together",
        20_000,
        "friends",
        "two balls come together",
        BALLS,
        altered(
            _samples,
            100,
            1,
            lambda made: np.asarray(~np.isin(made, (4, 40)).any(axis=1)),
            slice(2),
            lambda _made, _row: (4, 40),
        ),
    ),
    _rows(
        "balls",
        "due-balls",
        10_000,
        "compensating-balls",
        "missing balls are helped",
        BALLS,
        compensating_balls,
    ),
    _rows(
        "rows",
        "column-triples",
        40_000,
        "near-misses",
        "the third reel stops next to the win",
        REELS,
        near_misses,
    ),
    _rows(
        "cards", "inversions", 64, "byte-positions", "draws of a byte in a shoe of 416", SHOE, byte_positions
    ),
    _rows(
        "sequences",
        "frequency",
        200_000,
        "byte-wheel",
        "a byte modulo 37",
        WHEEL,
        lambda s, seed, n: ((s(seed, n) >> np.uint32(24)) % np.uint32(37))[:, None],
    ),
    _rows(
        "rows",
        "column-pairs",
        10_000,
        "tied-dice",
        "the second die follows the first",
        DICE,
        _altered_reels(12, 1, lambda made, row: made[row, 0], below=6, width=2),
    ),
    _rows(
        "sequences",
        "serial-dimensions",
        40_000,
        "sticky-reel",
        "a reel that sticks",
        REELS,
        _altered_reels(10, 2, lambda made, row: made[row - 1, 2], later(1)),
    ),
    _rows(
        "balls",
        "places",
        500,
        "sorted-balls",
        "balls in the order of their numbers",
        BALLS,
        lambda s, seed, n: np.sort(_samples(s, seed, n), axis=1),
    ),
    _rows(
        "balls",
        "places",
        20_000,
        "heavy-ball",
        "one ball too often",
        BALLS,
        altered(_samples, 50, 1, lambda made: ~(made == 7).any(axis=1), -1, lambda _made, _row: 7),
    ),
    _rows("balls", "common-with-last", 2_000, "returned-balls", "draws that come back", BALLS, _RETURNED),
    _rows("balls", "due-balls", 20_000, "returned-balls-by-gaps", "draws that come back", BALLS, _RETURNED),
    _rows(
        "balls",
        "places",
        60_000,
        "paired-balls",
        "two first balls put in order",
        BALLS,
        altered(_samples, 10, 1, later(0), slice(2), lambda made, row: np.sort(made[row, :2])),
    ),
    _rows(
        "balls",
        "known-generators",
        200,
        "balls-of-microsoft",
        "6 of 49 from rand() of Microsoft, equal ones drawn again",
        BALLS,
        balls_of_microsoft,
    ),
    _rows("cards", "unshuffled-deck", 1_000, "one-new-shoe", "one shoe was not shuffled", SHOE, one_new_shoe),
    _rows(
        "cards",
        "lagged-places",
        512,
        "burnt-card-returns",
        "the first card is at times the last of the shoe before",
        SHOE,
        altered(_shoes, 10, 1, later(1), ..., lambda made, row: with_card(made[row], made[row - 1, -1], 0)),
    ),
    _rows(
        "rows",
        "known-lags",
        512,
        "dice-of-dotnet",
        "two dice from System.Random of .NET in turn",
        DICE,
        lambda _s, seed, n: dotnet_next(seed, 2 * n, 6).reshape(-1, 2),
    ),
    _rows(
        "rows", "congruential", 200, "reels-of-java", "five reels from nextInt of Java", REELS, reels_of_java
    ),
)

"""Copies of earlier decks in disguise: cut, reversed, mirrored, inverted, suits renamed, or only their first cards."""

from __future__ import annotations

from math import factorial, perm

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels
from rng.battery.cards.decks import CHUNK, Decks, DeckShoe, of_shoe
from rng.battery.cards.duplicates import fingerprints
from rng.battery.repeats import repeated
from rng.battery.result import TestResult

FORMS = (
    "cut or reversed",
    "ids mirrored",
    "suits renamed",
    "same opening",
    "same ending",
    "places and cards exchanged",
)
# Openings are so long that in all the sample fewer pairs than this are expected to share one.
RARE = 1e-9


def faces(shoe: DeckShoe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What is left of each card when its suit has no name, and its suit.

    Equal cards of several decks keep what tells them apart; without ranks each card is its own.

    Example:
        >>> faces(DeckShoe(4, ranks=(0, 0, 1, 1), suits=(0, 1, 0, 1)))[0].tolist()
        [0, 0, 1, 1]
    """
    if not shoe.ranks:
        return np.arange(shoe.cards), np.zeros(shoe.cards, dtype=np.int64)
    seen: dict[tuple[int, int], int] = {}
    face, ranks = [], max(shoe.ranks) + 1
    suits = shoe.suits or (0,) * shoe.cards
    for pair in zip(shoe.ranks, suits, strict=True):
        copy = seen[pair] = seen.get(pair, -1) + 1
        face.append(copy * ranks + pair[0])
    return np.array(face), np.array(suits)


def opening_length(cards: int, pairs: float) -> int:
    """Fewest cards that hardly any two decks begin with alike.

    Example:
        >>> opening_length(40, 200_000**2 / 2)
        13
    """
    return next((k for k in range(1, cards) if pairs <= RARE * perm(cards, k)), cards)


def codes_of(decks: Decks, shoe: DeckShoe, length: int) -> NDArray[np.uint64]:
    """For each form a 64-bit code of each deck, which its copies share."""
    face, suits = faces(shoe)
    codes = np.empty((len(FORMS), len(decks)), dtype=np.uint64)
    for start in range(0, len(decks), CHUNK):
        # In one type and layout: the kernel is compiled anew for each.
        piece = decks[start : start + CHUNK].astype(np.uint16, order="C")
        told = np.empty((len(FORMS) - 1, len(piece)), dtype=np.uint64)
        kernels.copy_codes(piece, face, suits, length, told)
        codes[:-1, start : start + CHUNK] = told
    # A deck and its inverse: where each card lies, read as if it were what lies at each place.
    pair = np.sort([fingerprints(decks), fingerprints(kernels.inverse(np.ascontiguousarray(decks)))], axis=0)
    codes[-1] = pair[0] ^ np.square(pair[1])
    return codes


def run(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Copies of earlier decks: codes that a disguise does not change, none of which may come back.

    The number of equal pairs is Poisson with a mean of at most N(N-1)/2 times the chance that two decks are alike in
    this way, or only their 64-bit codes.
    """
    n, size = decks.shape[1], len(decks)
    pairs = size * (size - 1) / 2
    length = opening_length(n, pairs)
    suits = max(shoe.suits, default=0) + 1
    alike = (
        2 * n / factorial(n),
        2 / factorial(n),
        factorial(suits) / factorial(n),
        1 / perm(n, length),
        1 / perm(n, length),
        2 / factorial(n),
    )
    again = [repeated(codes) for codes in codes_of(decks, shoe, length)]
    p_values = tuple(
        goodness.poisson_at_least(count, pairs * (chance + 2.0**-64)) if count else 1.0
        for count, chance in zip(again, alike, strict=True)
    )
    return TestResult(
        p_values=p_values,
        labels=FORMS,
        parameters={"opening": length},
        statistic=float(max(again)),
        null="Poisson with mean N(N-1)/2 times the chance of two decks alike or two equal codes (a bound)",
        discrete=True,
        detectable=f"one copy of an earlier deck, or of its first or last {length} cards{goodness.CERTAIN_WORDS}",
    )


TESTS = (of_shoe("disguised-copies", lambda _shoe: 2, run),)

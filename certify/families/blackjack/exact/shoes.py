"""A shoe without replacement as a weighted sum of endless decks near to it, from below.

Cards of a value that come c times from n of them come in n (n-1) ... (n-c+1) ways; from an endless deck in y^c. The
rule of level l takes the ways of 2 l + 1 endless decks, so weighted that it is right for c up to 2 l + 1. Beyond that
it is above the ways where l is even and below them where l is odd, which is tried here for every c that is needed.
Rules of all values together are cut off where their levels come to more than some J. For odd J that still is below
the ways, whatever cards come: what is left out of a product of alternating sums has the sign of the first terms that
are left out (by induction over the values).

All ways to draw m cards from N, by which is divided, are an integral over endless decks of every size. A sum over a few
sizes is no more than that (Gauss-Laguerre: every even derivative of t^-m is positive).

Sources: Bonferroni, Teoria statistica delle classi e calcolo delle probabilita (1936), for the cut; Smolyak, Quadrature
and interpolation formulas for tensor products of certain classes of functions, Doklady 4 (1963), for the decks; Golub
and Welsch, Calculation of Gauss quadrature rules, Math. Comp. 23 (1969), for the sizes.

Exact chances by remainders: counted modulo several primes at once, put together to the one fraction they fit.

A chance that is computed here is a whole number over the ways to draw so many cards in order. Its remainders modulo
enough primes say which number that is, for it is between nought and those ways (Chinese remainder theorem). So
compiled loops count exactly what does not fit a machine word.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import comb, isqrt, perm, prod
from typing import Final, NamedTuple

import numpy as np

from certify.array_types import Floats, Values

SIZES: Final = 6
"""Sizes of endless decks that are looked at; twice as many for a shoe of a hundred cards or fewer."""


DECKS: Final = 2500
"""Endless decks that are looked at, at most, but for the lowest level that serves."""


class Near(NamedTuple):
    """Endless decks near a shoe, so weighted that no number of ways comes to more than it does from the shoe.

    Args:
        decks: Cards by value as parts of the shoe's size, a row each; a part may lie below nought.
        weights: Weight of each.
        sizes: Sizes, one over each as a part of the shoe's.
        shares: Weight of each size.
    """

    decks: Floats
    weights: Floats
    sizes: Floats
    shares: Floats


def _ways(powers: list[Fraction], many: int) -> Fraction:
    """Returns a polynomial, its powers replaced by the ways to draw so many cards."""
    return sum((power * perm(many, cards) for cards, power in enumerate(powers)), Fraction(0))


def _without(powers: list[Fraction], root: Fraction) -> list[Fraction]:
    """Returns a polynomial times what is nought at a root."""
    return [
        raised - root * same
        for raised, same in zip([Fraction(0), *powers], [*powers, Fraction(0)], strict=True)
    ]


@lru_cache(maxsize=512)
def _decks(many: int, level: int) -> tuple[Fraction, ...]:
    """Returns the numbers of cards of a value in the endless decks of a level."""
    if not level or not many:
        return (Fraction(many),)
    before = _decks(many, level - 1)
    fewer = Fraction(many - level * max(isqrt(many - 1) + 2, 3))
    powers = [Fraction(1)]
    for deck in (*before, fewer):
        powers = _without(powers, deck)
    # So that one number of cards more is right.
    return (*before, fewer, _ways([Fraction(0), *powers], many) / _ways(powers, many))


@lru_cache(maxsize=512)
def rule(many: int, level: int) -> dict[Fraction, Fraction]:
    """Returns weights of endless decks by how many cards of a value they hold.

    >>> {str(deck): str(weight) for deck, weight in rule(4, 1).items()}
    {'4': '7/3', '1': '-1/3', '5': '-1'}
    """
    decks = _decks(many, level)
    found = {}
    for deck in decks:
        # By Lagrange: the polynomial that is one here and nought at the others.
        powers, below = [Fraction(1)], Fraction(1)
        for other in decks:
            if other != deck:
                powers, below = _without(powers, other), below * (deck - other)
        found[deck] = _ways(powers, many) / below
    return found


@lru_cache(maxsize=4096)
def _off(many: int, level: int, cards: int) -> Fraction:
    """Returns by how much the rule of a level counts more ways to draw so many cards than there are."""
    ways = sum((weight * deck**cards for deck, weight in rule(many, level).items()), Fraction(0))
    return ways - perm(many, cards)


@lru_cache(maxsize=512)
def _steps(many: int, most: int, level: int) -> tuple[Floats, Floats]:
    """Returns endless decks, and what each level adds to their weights in the rule before it, a row each.

    It ends with the level that is right for so many cards.

    Raises:
        ValueError: A rule is on the wrong side of the ways.
    """
    found, before = list[dict[Fraction, Fraction]](), dict[Fraction, Fraction]()
    for number in range(level + 1):
        weights = rule(many, number)
        off = [_off(many, number, cards) for cards in range(most + 1)]
        if min(off) < 0 if number % 2 == 0 else max(off) > 0:
            raise ValueError(f"{many} cards of a value: the rule of level {number} is on the wrong side")
        found.append({deck: weight - before.get(deck, 0) for deck, weight in weights.items()})
        before = weights
        if not any(off):
            break
    decks = sorted({deck for step in found for deck in step})
    steps = [[float(step.get(deck, 0)) for deck in decks] for step in found]
    return np.array([float(deck) for deck in decks]), np.array(steps)


def cut(values: int) -> int:
    """Returns where the levels of so many values are cut off: odd, and as high as there are not too many decks.

    >>> cut(10), cut(4)
    (3, 7)
    """
    level = 1
    while _number(values, level + 2) <= DECKS:
        level += 2
    return level


def _number(values: int, level: int) -> int:
    """Returns how many decks there are, of which each step in a value makes two."""
    return sum(comb(values, many) * comb(level, many) * 2**many for many in range(min(values, level) + 1))


def near(left: tuple[int, ...], most: tuple[int, ...], level: int) -> Near:
    """Returns endless decks near a shoe.

    Args:
        left: Cards of each value.
        most: How many of each are needed at most.
        level: Where levels are cut off; odd, so that nothing is counted too often.
    """
    size, decks, weights = sum(left), np.zeros((1, 0)), np.zeros((1, level + 1))
    weights[0, 0] = 1.0
    for many, cards in zip(left, most, strict=True):
        counts, steps = _steps(many, cards, level)
        grown = np.zeros((len(counts), *weights.shape))
        for number, step in enumerate(steps):
            grown[:, :, number:] += weights[:, : level + 1 - number] * step[:, None, None]
        kept = grown.any(axis=2)
        places, rows = np.nonzero(kept)
        decks, weights = np.column_stack([decks[rows], counts[places]]), grown[kept]
    return Near(decks / size, weights.sum(axis=1), *_sizes(size))


def _sizes(size: int) -> tuple[Floats, Floats]:
    """Returns sizes of endless decks as parts of a size, one over each, and their weights."""
    many = min(SIZES if size > 100 else 2 * SIZES, (size + 1) // 2)
    power = size - 2 * many + 1
    across = np.diag([2.0 * place + 1 + power for place in range(many)])
    beside = np.diag([(place * (place + power)) ** 0.5 for place in range(1, many)], 1)
    sizes, vectors = np.linalg.eigh(across + beside + beside.T)
    shares = vectors[0] ** 2 * (sizes / size) ** (2 * many - 1)
    # The weights sum to what the ways to draw 2 many - 1 cards ask for.
    ways = float(Fraction(size ** (2 * many - 1), perm(size, 2 * many - 1)))
    return size / sizes, shares * ways


BITS: Final = 48
"""Primes lie below two to this power, so that a quotient of two remainders' product in floats is off by one at most."""


@lru_cache(maxsize=64)
def primes(bits: int) -> tuple[int, ...]:
    """Returns so many primes below two to the power of BITS that their product has enough bits.

    >>> primes(60)
    (281474976710597, 281474976710591)
    """
    found: list[int] = []
    candidate = (1 << BITS) - 1
    while not found or prod(found).bit_length() <= bits + 1:
        if _is_prime(candidate):
            found.append(candidate)
        candidate -= 2
    return tuple(found)


def _is_prime(number: int) -> bool:
    """Returns whether an odd number below 2^48 is prime, by the bases that decide it there.

    Source: Jaeschke, On strong pseudoprimes to several bases, Math. Comp. 61 (1993): the first seven primes decide
    it below 341550071728321.
    """
    odd = number - 1
    twos = (odd & -odd).bit_length() - 1
    odd >>= twos
    for base in (2, 3, 5, 7, 11, 13, 17):
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def together(remainders: Sequence[int], moduli: tuple[int, ...], whole: int) -> Fraction:
    """Returns the chance, or the worth, whose whole number, over so many ways, leaves these remainders.

    Args:
        remainders: Remainder by modulus, ways divided out.
        moduli: The primes; their product exceeds twice the size of the whole number.
        whole: All ways.

    >>> together([pow(2, -1, 7), pow(2, -1, 11)], (7, 11), 6)
    Fraction(1, 2)
    >>> together([-pow(2, -1, 7), -pow(2, -1, 11)], (7, 11), 6)
    Fraction(-1, 2)
    """
    product, units = _units(moduli)
    number = (
        sum(remainder * unit for remainder, unit in zip(remainders, units, strict=True)) * whole % product
    )
    return Fraction(number - product if 2 * number > product else number, whole)


@lru_cache(maxsize=64)
def _units(moduli: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Returns the product of primes, and for each the number that leaves one by it and nothing by all others."""
    product = prod(moduli)
    return product, tuple(product // one * pow(product // one, -1, one) for one in moduli)


class Numbers(NamedTuple):
    """What compiled loops count in: floats, or remainders by a prime.

    Args:
        inverse: One over each small number, and nought for nought.
        modulus: The prime, none for floats.
        share: One over the prime.
    """

    inverse: Values
    modulus: int | None
    share: float


FLOATS: Final = Numbers(np.array([0.0, *(1.0 / number for number in range(1, 512))]), None, 0.0)
"""Floats."""


@cache
def remainders(modulus: int) -> Numbers:
    """Returns remainders by a prime."""
    inverse = [0, *(pow(number, -1, modulus) for number in range(1, 512))]
    return Numbers(np.array(inverse, np.int64), modulus, 1.0 / modulus)

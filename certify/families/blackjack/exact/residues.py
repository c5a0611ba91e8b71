"""Exact chances by remainders: counted modulo several primes at once, put together to the one fraction they fit.

A chance that is computed here is a whole number over the ways to draw so many cards in order. Its remainders modulo
enough primes say which number that is, for it is between nought and those ways (Chinese remainder theorem). So
compiled loops count exactly what does not fit a machine word.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

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

    inverse: NDArray[Any]
    modulus: int | None
    share: float


FLOATS: Final = Numbers(np.array([0.0, *(1.0 / number for number in range(1, 512))]), None, 0.0)
"""Floats."""


@cache
def remainders(modulus: int) -> Numbers:
    """Returns remainders by a prime."""
    inverse = [0, *(pow(number, -1, modulus) for number in range(1, 512))]
    return Numbers(np.array(inverse, np.int64), modulus, 1.0 / modulus)

"""Word generators of the past, none of them fit for a game."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Words = NDArray[np.uint32]


@njit(cache=True)
def congruential(
    state: int, multiplier: int, increment: int, mask: int, shift: int, count: int
) -> NDArray[np.uint32]:
    """A linear congruential generator modulo a power of two (``mask`` + 1), output shifted down."""
    result = np.empty(count, dtype=np.uint32)
    current = np.uint64(state)
    for i in range(count):
        current = (current * np.uint64(multiplier) + np.uint64(increment)) & np.uint64(mask)
        result[i] = np.uint32((current >> np.uint64(shift)) & np.uint64(0xFFFFFFFF))
    return result


def randu(seed: int, count: int) -> Words:
    """RANDU: x = 65539 x modulo 2^31; triples lie on fifteen planes.

    Source: IBM System/360 Scientific Subroutine Package, version III; Knuth 3.3.4.
    """
    return congruential(seed | 1, 65539, 0, (1 << 31) - 1, 0, count)


def lcg32(seed: int, count: int) -> Words:
    """A 32-bit congruential generator, all bits put out: 1664525 x + 1013904223 modulo 2^32.

    Source: Press et al., Numerical Recipes, 2nd edition, section 7.1.
    """
    return congruential(seed & 0xFFFFFFFF, 1664525, 1013904223, (1 << 32) - 1, 0, count)


def java_random(seed: int, count: int) -> Words:
    """``java.util.Random.nextInt()`` as unsigned words: a 48-bit generator, upper 32 bits.

    Source: Java SE API, java.util.Random (``setSeed`` and ``next``).
    """
    state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)
    return congruential(state, 0x5DEECE66D, 11, (1 << 48) - 1, 16, count)


def msvc_rand(seed: int, count: int) -> Words:
    """``rand()`` of Microsoft's C library: fifteen bits of a 32-bit generator."""
    return congruential(seed & 0xFFFFFFFF, 214013, 2531011, (1 << 31) - 1, 16, count)


@njit(cache=True)
def glibc_random(seed: int, count: int) -> NDArray[np.uint32]:
    """``random()`` of the GNU C library, type 3: an additive generator r(i-3) + r(i-31), lowest bit dropped.

    Source: GNU C Library, stdlib/random_r.c (initialisation by 16807 modulo 2^31 - 1, 310 outputs dropped).
    """
    total = 344 + count
    state = np.empty(total, dtype=np.int64)
    state[0] = seed
    for i in range(1, 31):
        state[i] = 16807 * state[i - 1] % 2147483647
    for i in range(31, 34):
        state[i] = state[i - 31]
    for i in range(34, total):
        state[i] = (state[i - 31] + state[i - 3]) & 0xFFFFFFFF
    return (state[344:] >> 1).astype(np.uint32)


@njit(cache=True)
def mt19937(seed: int, count: int) -> NDArray[np.uint32]:
    """The Mersenne Twister, 32 bits.

    Source: Matsumoto and Nishimura, ACM TOMACS 8 (1998), and their 2002 initialisation (init_genrand).
    """
    state = np.empty(624, dtype=np.uint32)
    state[0] = seed
    for i in range(1, 624):
        mixed = np.int64(state[i - 1] ^ (state[i - 1] >> 30))
        state[i] = (1812433253 * mixed + i) & 0xFFFFFFFF
    result = np.empty(count, dtype=np.uint32)
    for i in range(count):
        k = i % 624
        joined = (state[k] & 0x80000000) | (state[(k + 1) % 624] & 0x7FFFFFFF)
        twisted = state[(k + 397) % 624] ^ (joined >> 1)
        if joined & 1:
            twisted ^= 0x9908B0DF
        state[k] = twisted
        word = np.int64(state[k])
        word ^= word >> 11
        word ^= (word << 7) & 0x9D2C5680
        word ^= (word << 15) & 0xEFC60000
        word ^= word >> 18
        result[i] = word & 0xFFFFFFFF
    return result


@njit(cache=True)
def xorshift32(seed: int, count: int) -> NDArray[np.uint32]:
    """Xorshift with 32 bits of state.

    Source: Marsaglia, J. Statistical Software 8(14) (2003), section 3 (13, 17, 5).
    """
    result = np.empty(count, dtype=np.uint32)
    x = np.int64(seed)
    for i in range(count):
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        result[i] = x
    return result


@njit(cache=True)
def xorshift128(seed: int, count: int) -> NDArray[np.uint32]:
    """Xorshift with 128 bits of state.

    Source: Marsaglia, J. Statistical Software 8(14) (2003), section 4 (11, 8, 19).
    """
    result = np.empty(count, dtype=np.uint32)
    x, y, z, w = np.int64(seed), np.int64(362436069), np.int64(521288629), np.int64(88675123)
    for i in range(count):
        t = (x ^ (x << 11)) & 0xFFFFFFFF
        x, y, z = y, z, w
        w = (w ^ (w >> 19)) ^ (t ^ (t >> 8))
        result[i] = w
    return result


@njit(cache=True)
def xorshift128plus_low(seed: int, count: int) -> NDArray[np.uint32]:
    """Lower words of xorshift128+, whose lowest bit is linear.

    Source: Vigna, J. Computational and Applied Mathematics 315 (2017), section 3 (23, 17, 26).
    """
    result = np.empty(count, dtype=np.uint32)
    first, second = np.uint64(seed), np.uint64(seed ^ 0x5DEECE66D)
    for i in range(count):
        x, y = first, second
        result[i] = np.uint32((x + y) & np.uint64(0xFFFFFFFF))
        first = y
        x ^= x << np.uint64(23)
        second = x ^ y ^ (x >> np.uint64(17)) ^ (y >> np.uint64(26))
    return result


@njit(cache=True)
def rc4(keys: NDArray[np.uint8], length: int) -> NDArray[np.uint8]:
    """First bytes of RC4 under each of many keys, nothing dropped.

    Source: Mantin and Shamir, FSE 2001: the second byte is zero twice as often as it should be.
    """
    result = np.empty((keys.shape[0], length), dtype=np.uint8)
    state = np.empty(256, dtype=np.int64)
    for t in range(keys.shape[0]):
        for i in range(256):
            state[i] = i
        j = 0
        for i in range(256):
            j = (j + state[i] + keys[t, i % keys.shape[1]]) & 255
            state[i], state[j] = state[j], state[i]
        i = 0
        j = 0
        for k in range(length):
            i = (i + 1) & 255
            j = (j + state[i]) & 255
            state[i], state[j] = state[j], state[i]
            result[t, k] = state[(state[i] + state[j]) & 255]
    return result

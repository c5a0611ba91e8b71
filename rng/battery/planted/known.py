"""Random numbers of programming languages, as programs draw them: scaled to a range, or a remainder."""

import numpy as np
from cryptography.hazmat.decrepit.ciphers.algorithms import ARC4
from cryptography.hazmat.primitives.ciphers import Cipher
from numba import njit
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Numbers = NDArray[np.unsignedinteger]


LARGEST_INT = (1 << 31) - 1


@njit(cache=True)
def congruential(
    state: int, multiplier: int, increment: int, modulus: int | np.uint64, shift: int, count: int
) -> NDArray[np.uint32]:
    """A linear congruential generator, output shifted down; the modulus divides 2^64, or no product reaches that."""
    result = np.empty(count, dtype=np.uint32)
    current = np.uint64(state)
    for i in range(count):
        current = (current * np.uint64(multiplier) + np.uint64(increment)) % np.uint64(modulus)
        result[i] = np.uint32((current >> np.uint64(shift)) & np.uint64(0xFFFFFFFF))
    return result


def randu(seed: int, count: int) -> Words:
    """RANDU: x = 65539 x modulo 2^31; triples lie on fifteen planes.

    Source: IBM System/360 Scientific Subroutine Package, version III; Knuth 3.3.4.
    """
    return congruential(seed | 1, 65539, 0, 1 << 31, 0, count)


def lcg32(seed: int, count: int) -> Words:
    """A 32-bit congruential generator, all bits put out: 1664525 x + 1013904223 modulo 2^32.

    Source: Press et al., Numerical Recipes, 2nd edition, section 7.1.
    """
    return congruential(seed & 0xFFFFFFFF, 1664525, 1013904223, 1 << 32, 0, count)


def msvc_rand(seed: int, count: int) -> Words:
    """``rand()`` of Microsoft's C library: fifteen bits of a 32-bit generator."""
    return congruential(seed & 0xFFFFFFFF, 214013, 2531011, 1 << 31, 16, count)


def java_next(seed: int, count: int, bits: int, steps: int = 1) -> Words:
    """``next(bits)`` of java.util.Random, every so many steps, the first of each.

    Source: Java SE API, java.util.Random (``setSeed`` and ``next``).
    """
    first = (seed ^ 0x5DEECE66D) % (1 << 48)
    return congruential(first, 0x5DEECE66D, 11, 1 << 48, 48 - bits, steps * count)[::steps]


def java_random(seed: int, count: int) -> Words:
    """``java.util.Random.nextInt()`` as unsigned words: a 48-bit generator, upper 32 bits."""
    return java_next(seed, count, 32)


@njit(cache=True)
def additive(start: Words, count: int, long: int, short: int) -> NDArray[np.uint32]:
    """x(n) = x(n - long) + x(n - short) modulo 2^32, from given first words, which are not put out."""
    state = np.empty(long + count, dtype=np.uint32)
    state[:long] = start[:long]
    for i in range(long, state.size):
        state[i] = np.uint32((np.int64(state[i - long]) + np.int64(state[i - short])) & 0xFFFFFFFF)
    return state[long:]


def glibc_random(seed: int, count: int) -> Words:
    """``random()`` of the GNU C library, type 3: an additive generator r(i-3) + r(i-31), lowest bit dropped.

    Source: GNU C Library, stdlib/random_r.c (initialisation by 16807 modulo 2^31 - 1, 310 outputs dropped).
    """
    state = [seed, *minstd(seed, 30, 16807).tolist()]
    # The first three words of the table come again behind it.
    start = np.array(state[3:31] + state[:3], dtype=np.uint32)
    return np.asarray(additive(start, 310 + count, 31, 3)[310:] >> np.uint32(1))


def mt19937(seed: int, count: int) -> Words:
    """The Mersenne Twister, 32 bits, as NumPy has it.

    Source: Matsumoto and Nishimura, ACM TOMACS 8 (1998), and their 2002 initialisation (init_genrand).
    """
    return np.frombuffer(np.random.RandomState(seed).bytes(4 * count), dtype="<u4").astype(np.uint32)


@njit(cache=True)
def php_5_mt_rand(seed: int, count: int) -> NDArray[np.uint32]:
    """Words of ``mt_rand`` of PHP before 7.1, of which it puts out the upper 31 bits.

    Source: PHP, ext/standard/mt_rand.c (MT_RAND_PHP: the lowest bit of the earlier of two words decides).
    """
    states, result = np.empty(624 + count, dtype=np.int64), np.empty(count, dtype=np.uint32)
    states[0] = seed & 0xFFFFFFFF
    for i in range(1, 624):
        states[i] = (1_812_433_253 * (states[i - 1] ^ (states[i - 1] >> 30)) + i) & 0xFFFFFFFF
    for i in range(count):
        both = (states[i] & 0x80000000) | (states[i + 1] & 0x7FFFFFFF)
        word = states[i + 397] ^ (both >> 1) ^ (0x9908B0DF * (states[i] & 1))
        states[i + 624] = word
        word ^= word >> 11
        word ^= (word << 7) & 0x9D2C5680
        word ^= (word << 15) & 0xEFC60000
        result[i] = word ^ (word >> 18)
    return result


def java_absolute_long(seed: int, count: int, below: int) -> Numbers:
    """``Math.abs(nextLong()) % below`` of java.util.Random: two words of 32 bits with a sign, added up."""
    words = java_next(seed, 2 * count, 32).view(np.int32).astype(np.int64)
    return modulo(np.abs((words[::2] << 32) + words[1::2]), below)


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
def xorshift128plus(first: np.uint64, second: np.uint64, count: int) -> NDArray[np.uint64]:
    """The words of state of xorshift128+ one after the other: each output is the sum of two that follow each other.

    Source: Vigna, J. Computational and Applied Mathematics 315 (2017), section 3 (23, 17, 26).
    """
    states = np.empty(count + 2, dtype=np.uint64)
    states[0], states[1] = first, second
    for i in range(count):
        x, y = states[i], states[i + 1]
        x ^= x << np.uint64(23)
        states[i + 2] = x ^ y ^ (x >> np.uint64(17)) ^ (y >> np.uint64(26))
    return states


def xorshift128plus_low(seed: int, count: int) -> Words:
    """Lower words of xorshift128+, whose lowest bit is linear."""
    states = xorshift128plus(np.uint64(seed), np.uint64(seed ^ 0x5DEECE66D), count)
    return (states[:count] + states[1 : count + 1]).astype(np.uint32)


def rc4(keys: NDArray[np.uint8], length: int) -> NDArray[np.uint8]:
    """First bytes of RC4 under each of many keys, nothing dropped.

    Source: Mantin and Shamir, FSE 2001: the second byte is zero twice as often as it should be.
    """
    streams = (Cipher(ARC4(key.tobytes()), None).encryptor().update(bytes(length)) for key in keys)
    return np.frombuffer(b"".join(streams), dtype=np.uint8).reshape(-1, length)


@njit(cache=True)
def dotnet_samples(seed: int, count: int) -> NDArray[np.int64]:
    """``System.Random.InternalSample()`` of .NET with a seed: a subtractive generator of lags 55 and 34.

    Source: .NET reference source, System/Random.cs (Knuth's generator of lags 55 and 24, its second lag mistaken).
    """
    largest = 2147483647
    state = np.zeros(56, dtype=np.int64)
    before = 161803398 - abs(seed)
    state[55] = before
    drawn = 1
    for i in range(1, 55):
        place = 21 * i % 55
        state[place] = drawn
        drawn = before - drawn
        if drawn < 0:
            drawn += largest
        before = state[place]
    for _ in range(4):
        for i in range(1, 56):
            # The sum is one of 32 bits in the original, which never overflows here.
            state[i] -= state[1 + (i + 30) % 55]
            if state[i] < 0:
                state[i] += largest
    result = np.empty(count, dtype=np.int64)
    first, second = 0, 21
    for k in range(count):
        first = first + 1 if first < 55 else 1
        second = second + 1 if second < 55 else 1
        value = state[first] - state[second]
        if value == largest:
            value -= 1
        if value < 0:
            value += largest
        state[first] = value
        result[k] = value
    return result


def dotnet_next(seed: int, count: int, below: int) -> Numbers:
    """``Random.Next(below)`` of .NET: the sample over 2^31 - 1, scaled."""
    samples = dotnet_samples(seed, count)
    return (samples * (1.0 / LARGEST_INT) * below).astype(np.uint32)


def modulo(words: NDArray[np.integer], below: int) -> Numbers:
    """Words by their remainder."""
    return np.asarray(words % below, dtype=np.uint32)


def scaled(words: NDArray[np.integer], bits: int, below: int) -> Numbers:
    """Words of so many bits as their share of a range."""
    return (words.astype(np.uint64) * np.uint64(below) >> np.uint64(bits)).astype(np.uint32)


def java_next_int(seed: int, count: int, below: int) -> Numbers:
    """``nextInt(below)`` of java.util.Random for ranges that are no power of two: a remainder of 31 bits.

    The outputs that the original throws away are fewer than one in forty million at these ranges, and kept here.
    """
    return modulo(java_next(seed, count, 31), below)


def minstd(seed: int, count: int, multiplier: int) -> NDArray[np.int64]:
    """MINSTD: x = 16807 x (or 48271 x) modulo 2^31 - 1.

    Source: Park and Miller, Comm. ACM 31 (1988), 1192-1201; ISO C++ minstd_rand0 and minstd_rand.
    """
    return congruential(seed, multiplier, 0, LARGEST_INT, 0, count).astype(np.int64)


def newlib_remainder(seed: int, count: int, below: int) -> Numbers:
    """``rand() % below`` of newlib: bits 32 to 62 of a generator of 64 bits.

    Source: newlib, libc/stdlib/rand.c (the multiplier of Knuth's MMIX).
    """
    outputs = congruential(seed, 6364136223846793005, 1, np.uint64(1 << 63), 32, count)
    return modulo(outputs & np.uint32(LARGEST_INT), below)


def wichmann_hill(seed: int, count: int, below: int) -> Numbers:
    """Wichmann and Hill's generator, scaled.

    Source: Wichmann and Hill, Applied Statistics 31 (1982), 188-190.
    """
    parts = ((30_000, 1, 171, 30_269), (29_000, 2, 172, 30_307), (28_000, 3, 170, 30_323))
    x, y, z = (
        congruential(seed % below_seed + least, a, 0, m, 0, count) / m for below_seed, least, a, m in parts
    )
    return ((x + y + z) % 1 * below).astype(np.uint32)


def v8_words(seed: int, count: int) -> NDArray[np.uint64]:
    """First state words of V8's xorshift128+, as Math.random hands them out: caches of 64, each from its end.

    Source: V8, src/base/utils/random-number-generator.h and src/numbers/math-random.cc.
    """
    size = (count + 63) // 64 * 64
    second = ~seed * 0x9E3779B97F4A7C15 % (1 << 64)
    made = xorshift128plus(np.uint64(seed), np.uint64(second), size)[1 : size + 1]
    return made.reshape(-1, 64)[:, ::-1].reshape(-1)[:count]


def v8_random(seed: int, count: int, below: int) -> Numbers:
    """``Math.floor(Math.random() * below)`` of V8 since 2016: 52 bits of the first word."""
    fractions = (v8_words(seed + 1, count) >> np.uint64(12)).astype(np.float64) * 2.0**-52
    return np.floor(fractions * below).astype(np.uint32)


def v8_old_words(seed: int, count: int) -> Words:
    """Outputs of V8's Math.random before 2016: two generators that multiply with carry, 16 bits each.

    To multiply by a with carry is to multiply by a modulo a · 2^16 - 1.

    Source: V8, src/math.js before December 2015 (multipliers 18273 and 36969).
    """
    one, two = (
        congruential(first, a, 0, (a << 16) - 1, 0, count)
        for first, a in ((seed * 2654435761 % 1000000007 + 1, 18273), (seed * 40503 % 998244353 + 1, 36969))
    )
    return (one << np.uint32(14)) + (two & np.uint32(0x3FFFF))


@njit(cache=True)
def xoroshiro128plus(first: np.uint64, second: np.uint64, count: int) -> NDArray[np.uint64]:
    """64-bit outputs of xoroshiro128+ (24, 16, 37).

    Source: Blackman and Vigna, ACM TOMS 47 (2021), figure 1; xoroshiro128plus.c of 2018.
    """
    result = np.empty(count, dtype=np.uint64)
    for i in range(count):
        result[i] = first + second
        second ^= first
        turned = (first << np.uint64(24)) | (first >> np.uint64(40))
        first = turned ^ second ^ (second << np.uint64(16))
        second = (second << np.uint64(37)) | (second >> np.uint64(27))
    return result

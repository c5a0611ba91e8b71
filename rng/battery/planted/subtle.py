"""Faults planted that are hard to see: small shifts, and numbers that depend on those before."""

from functools import partial

import numpy as np

from rng.array_types import Numbers
from rng.battery.planted import known, tables
from rng.battery.planted.fault import of_bits, of_decks, of_language, of_numbers
from rng.battery.planted.good import Source, altered, behind, later, packed, struck, uniform_numbers
from rng.battery.planted.known import additive, xoroshiro128plus
from rng.battery.planted.shuffles import fisher_yates, ordered, riffles


def hot_pair(source: Source, seed: int, count: int, below: int, one_in: int) -> Numbers:
    """One pair of draws in so many is replaced by the same two numbers."""
    values = uniform_numbers(source, seed, below, count)
    pairs = struck(source, seed + 1, one_in, behind(count // 2))
    values[2 * pairs], values[2 * pairs + 1] = below // 3, below // 5
    return values


def even_sixes(source: Source, seed: int, count: int, one_in: int) -> Numbers:
    """In one group of six tosses in so many the last is turned so that the number of heads is even."""
    tosses = source(seed, count) >> np.uint32(31)
    groups = tosses[: count // 6 * 6].reshape(-1, 6)
    rows = struck(source, seed + 1, one_in, behind(len(groups)))
    groups[rows, 5] = groups[rows, :5].sum(axis=1) % 2
    return tosses


def wave(source: Source, seed: int, count: int, size: float, period: float) -> Numbers:
    """Bits whose probability of a one swings by ``size`` about one half."""
    chance = 0.5 + size * np.cos(2 * np.pi * np.arange(count) / period + 0.7)
    return np.packbits(source(seed, count) < np.floor(chance * 2.0**32))


def long_register(source: Source, seed: int, count: int, long: int, short: int) -> Numbers:
    """The keystream of a long shift register."""
    start = source(seed, long) >> np.uint32(31)
    return np.packbits(additive(start, count, long, short).astype(np.uint8) & 1)


def xoroshiro_words(_source: Source, seed: int, count: int) -> Numbers:
    """Words of xoroshiro128+, 64 bits each, in little-endian bytes."""
    words = xoroshiro128plus(np.uint64(seed + 1), np.uint64(0x9E3779B97F4A7C15), -(-count // 64))
    return words.astype("<u8").view(np.uint8)


DECKS = (
    of_decks(
        "first-from-last",
        "lagged-places",
        512,
        "in one round of ten the first card is the last card of the round before",
        tables.copied(10, 1, -1, 0),
    ),
    of_decks(
        "first-from-seven-rounds-before",
        "lagged-places",
        512,
        "in one round of ten the first card is that of seven rounds before",
        tables.copied(10, 7, 0, 0),
    ),
    of_decks(
        "second-from-ninety-rounds-before",
        "dispersion",
        65_536,
        "in one round of ten the second card is that of ninety rounds before",
        tables.copied(10, 90, 1, 1),
    ),
    of_decks(
        "one-unshuffled-deck",
        "unshuffled-deck",
        20_000,
        "one deck was not shuffled",
        lambda s, seed, n: tables.one_at(s, seed, n, ordered(1)[0]),
    ),
    of_decks(
        "one-new-deck",
        "unshuffled-deck",
        20_000,
        "one deck is in the order of purchase",
        lambda s, seed, n: tables.one_at(s, seed, n, tables.new_deck()),
    ),
    of_decks(
        "one-deck-riffled-twice",
        "unshuffled-deck",
        20_000,
        "one deck was riffled twice only",
        lambda s, seed, n: tables.one_at(s, seed, n, riffles(s, seed + 1_001, 1, 2)[0]),
    ),
    *(
        of_decks(
            f"one-deck-{disguise}",
            "disguised-copies",
            20_000,
            words,
            partial(tables.one_copy, disguise),
        )
        for disguise, words in (
            ("reversed", "one deck is an earlier one from back to front"),
            ("cut", "one deck is an earlier one, cut"),
            ("mirrored", "one deck is an earlier one with the ids counted from the other end"),
            ("renamed", "one deck is an earlier one with other names for the suits"),
        )
    ),
    of_decks(
        "shared-opening",
        "disguised-copies",
        20_000,
        "the first sixteen cards of one deck are those of an earlier one",
        lambda s, seed, n: tables.shared_opening(s, seed, n, 16),
    ),
    of_decks(
        "suits-that-sum-to-zero",
        "hand-compositions",
        4_096,
        "in one round of ten the suits of the first three cards sum to 0 modulo 4",
        altered(fisher_yates, 10, 1_000, later(0), ..., tables.suits_balanced),
    ),
    of_decks(
        "pairs-broken-up",
        "hand-compositions",
        8_192,
        "in one round of three a pair among the first three cards is broken up",
        lambda s, seed, n: tables.pairs_avoided(s, seed, n, 3),
    ),
)

NUMBERS = (
    of_language(
        "dotnet-random",
        "known-lags",
        512,
        6,
        "System.Random of .NET, seeded: lags 55 and 34",
        known.dotnet_next,
    ),
    of_language(
        "glibc-rand-of-six",
        "known-lags",
        512,
        6,
        "rand() % 6 of the GNU C library",
        lambda seed, n, below: known.modulo(known.glibc_random(seed, n), below),
    ),
    of_numbers(
        "go-math-rand",
        "known-lags",
        1_024,
        52,
        "an additive generator of lags 607 and 273, as in Go",
        lambda s, seed, n: known.scaled(known.additive(s(seed, 607), n, 607, 273), 32, 52),
    ),
    of_language(
        "java-next-int-of-52", "congruential", 400, 52, "nextInt(52) of java.util.Random", known.java_next_int
    ),
    of_language(
        "java-next-int-of-37", "congruential", 400, 37, "nextInt(37) of java.util.Random", known.java_next_int
    ),
    of_language(
        "java-next-double",
        "congruential",
        400,
        37,
        "(int) (nextDouble() * 37) of java.util.Random",
        lambda seed, n, below: known.scaled(known.java_next(seed, n, 26, 2), 26, below),
    ),
    of_language(
        "msvc-rand-of-six",
        "congruential",
        400,
        6,
        "rand() % 6 of Microsoft's C library",
        lambda seed, n, below: known.modulo(known.msvc_rand(seed, n), below),
    ),
    of_language(
        "msvc-rand-of-37",
        "congruential",
        400,
        37,
        "rand() % 37 of Microsoft's C library",
        lambda seed, n, below: known.modulo(known.msvc_rand(seed, n), below),
    ),
    of_language(
        "minstd-of-37",
        "congruential",
        400,
        37,
        "MINSTD modulo 37",
        lambda seed, n, below: known.modulo(known.minstd(seed, n, 16807), below),
    ),
    of_language(
        "minstd-of-six",
        "congruential",
        400,
        6,
        "MINSTD modulo 6",
        lambda seed, n, below: known.modulo(known.minstd(seed, n, 16807), below),
    ),
    of_language(
        "minstd-scaled",
        "congruential",
        400,
        52,
        "MINSTD scaled to 52",
        lambda seed, n, below: np.asarray(
            (known.minstd(seed, n, 48271) - 1) * below // (known.LARGEST_INT - 1), dtype=np.uint32
        ),
    ),
    of_language(
        "v8-before-2016",
        "congruential",
        400,
        52,
        "Math.floor(Math.random() * 52) of V8 before 2016",
        lambda seed, n, below: known.scaled(known.v8_old_words(seed, n), 32, below),
    ),
    of_language(
        "v8-random", "linear-halves", 512, 52, "Math.floor(Math.random() * 52) of V8", known.v8_random
    ),
    of_language(
        "v8-random-of-37", "linear-halves", 512, 37, "Math.floor(Math.random() * 37) of V8", known.v8_random
    ),
    of_language(
        "mersenne-twister-scaled",
        "linear-halves",
        32_768,
        37,
        "MT19937 scaled to 37",
        lambda seed, n, below: known.scaled(known.mt19937(seed, n), 32, below),
    ),
    of_language(
        "java-parity",
        "power-of-two-lags",
        140_000,
        52,
        "nextInt(52) of java.util.Random: odd and even come round",
        known.java_next_int,
    ),
    of_numbers(
        "hot-number",
        "fullest-cell",
        1_024,
        1_000,
        "one draw of fifty is the same number",
        lambda s, seed, n: np.where(
            uniform_numbers(s, seed + 1, 50, n) == 0, np.uint32(333), uniform_numbers(s, seed, 1_000, n)
        ),
    ),
    of_numbers(
        "hot-pair",
        "fullest-cell",
        8_192,
        40,
        "one pair of a hundred is the same two numbers",
        lambda s, seed, n: hot_pair(s, seed, n, 40, 100),
    ),
    of_numbers(
        "even-sixes",
        "serial-dimensions",
        32_768,
        2,
        "in one group of six tosses of five the number of heads is even",
        lambda s, seed, n: even_sixes(s, seed, n, 5),
    ),
    of_numbers(
        "echo",
        "lagged-sums",
        65_536,
        37,
        "one number of twenty repeats that of 12,345 draws before",
        tables.echoed(37, 20, 12_345, lambda past: past[0], offset=1),
    ),
)

BITS = (
    of_bits(
        "bit-echo",
        "autocorrelation",
        1 << 18,
        "one bit of fifty repeats that of 77,777 places before",
        packed(
            altered(
                lambda source, seed, bits: source(seed, bits) >> np.uint32(31),
                50,
                1,
                later(77_777),
                ...,
                lambda bits, place: bits[place - 77_777],
            )
        ),
    ),
    of_bits(
        "wave",
        "periodogram",
        1 << 20,
        "the share of ones swings by 1 % in a wave of 101.3 bits",
        lambda s, seed, n: wave(s, seed, n, 0.01, 101.3),
    ),
    of_bits(
        "long-shift-register",
        "long-linear-complexity",
        1 << 16,
        "the keystream of a shift register of 9,689 bits",
        lambda s, seed, n: long_register(s, seed, n, 9_689, 4_187),
    ),
    of_bits(
        "xoroshiro128plus",
        "word-lanes",
        1 << 15,
        "words of xoroshiro128+: their lowest bits are linear",
        xoroshiro_words,
    ),
)

FAULTS = (*DECKS, *NUMBERS, *BITS)

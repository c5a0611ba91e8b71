"""The planted faults: for each, who must catch it, and at what sample."""

import numpy as np

from rng.battery.planted import directed, known, scaled, shuffles, subtle
from rng.battery.planted.fault import PlantedFault, of_decks, of_numbers
from rng.battery.planted.good import uniform_numbers
from rng.shuffle import CARDS

WORD = 1 << 32


SHUFFLES = (
    of_decks(
        "swap-with-any",
        "card-position",
        1024,
        "every position is swapped with any position",
        shuffles.swap_with_any,
    ),
    of_decks(
        "sattolo", "fixed-points", 32, "off by one (j < i): only one long cycle comes out", shuffles.sattolo
    ),
    of_decks(
        "sattolo-parity", "inversions", 400, "off by one (j < i): only odd permutations", shuffles.sattolo
    ),
    of_decks(
        "last-card-never-moved",
        "fullest-cell",
        32,
        "the loop starts one position too late",
        lambda s, seed, n: shuffles.downwards(s, seed, n, range(CARDS - 2, 0, -1)),
    ),
    of_decks(
        "final-swap-skipped",
        "fisher-yates-draws",
        400,
        "the loop ends one position too early",
        lambda s, seed, n: shuffles.downwards(s, seed, n, range(CARDS - 1, 1, -1)),
    ),
    of_decks(
        "comparator-insertion-sort",
        "inversions",
        32,
        "sorted by a comparator that tosses a coin",
        lambda s, seed, n: shuffles.insertion_by_coin(s(seed, n * CARDS * CARDS // 2), n),
    ),
    of_decks(
        "comparator-timsort",
        "inversions",
        256,
        "sorted by a comparator that tosses a coin",
        shuffles.timsort_by_coin,
    ),
    of_decks(
        "eight-bit-sort-keys",
        "descents",
        512,
        "sorted by random keys of eight bits: ties keep their order",
        lambda s, seed, n: shuffles.random_sort_keys(s, seed, n, 8),
    ),
    of_decks(
        "eight-bit-modulo",
        "fisher-yates-draws",
        8192,
        "draws are a byte modulo the range",
        lambda s, seed, n: shuffles.by_modulo(s(seed, n * (CARDS - 1)) >> np.uint32(24), n),
    ),
    of_decks(
        "eight-bit-modulo-by-its-form",
        "scaling",
        1024,
        "draws are a byte modulo the range",
        lambda s, seed, n: shuffles.by_modulo(s(seed, n * (CARDS - 1)) >> np.uint32(24), n),
    ),
    of_decks(
        "ten-bit-modulo",
        "scaling",
        20_000,
        "draws are ten bits modulo the range",
        lambda s, seed, n: shuffles.by_modulo(s(seed, n * (CARDS - 1)) >> np.uint32(22), n),
    ),
    of_decks(
        "collections-shuffle",
        "known-generators",
        24,
        "Collections.shuffle of a java.util.Random seeded by the clock for each deck",
        lambda _s, seed, n: shuffles.by_words(
            np.array(
                [known.java_next(1_700_000_000_000 + 61_007 * (seed + k), CARDS - 1, 31) for k in range(n)]
            ),
            31,
        ),
    ),
    of_decks(
        "delphi-shuffle",
        "known-generators",
        24,
        "draws of Delphi's Random seeded by the millisecond of the day for each deck",
        lambda _s, seed, n: shuffles.by_words(
            np.array(
                [
                    known.congruential((seed + k) * 61_007 % 86_400_000, 134775813, 1, 1 << 32, 0, CARDS - 1)
                    for k in range(n)
                ]
            ),
            32,
            scaled=True,
        ),
    ),
    of_decks(
        "v8-shuffle",
        "known-generators",
        24,
        "draws of Math.random of V8, one generator for all decks",
        lambda _s, seed, n: shuffles.by_words(
            known.v8_words(seed, n * (CARDS - 1)) >> np.uint64(12), 52, scaled=True
        ),
    ),
    of_decks(
        "dotnet-shuffle",
        "known-generators",
        24,
        "draws of System.Random of Microsoft with a seed, one generator for all decks",
        lambda _s, seed, n: shuffles.by_words(
            known.dotnet_samples(seed, n * (CARDS - 1)).astype(np.uint64), 31, scaled=True
        ),
    ),
    of_decks(
        "one-draw-sticks",
        "fisher-yates-draws",
        8_000,
        "the draw for position 21 is zero in one case of thirty more than expected",
        lambda s, seed, n: shuffles.one_draw_sticks(s, seed, n, 20, 30),
    ),
    of_decks(
        "seed-of-24-bits",
        "duplicates",
        16_384,
        "a 24-bit seed for every deck",
        lambda s, seed, n: shuffles.small_seed(s, seed, n, 24),
    ),
    of_decks(
        "seed-of-32-bits",
        "duplicates",
        262_144,
        "a 32-bit seed for every deck",
        lambda s, seed, n: shuffles.small_seed(s, seed, n, 32),
    ),
    of_decks(
        "congruential-low-bits",
        "inversions",
        64,
        "draws are the low bits of a congruential generator",
        lambda _s, seed, n: shuffles.by_modulo(known.lcg32(seed, 39 * n), n),
    ),
    of_decks(
        "seven-riffles",
        "rising-sequences",
        1024,
        "seven riffles of a new deck",
        lambda s, seed, n: shuffles.riffles(s, seed, n, 7),
    ),
    of_decks(
        "ten-riffles",
        "rising-sequences",
        65_536,
        "ten riffles of a new deck",
        lambda s, seed, n: shuffles.riffles(s, seed, n, 10),
    ),
    of_decks(
        "carried-over-60",
        "matches-next-deck",
        64,
        "the last deck with 60 random transpositions",
        lambda s, seed, n: shuffles.carried_over(s, seed, n, 60),
    ),
    of_decks(
        "carried-over-100",
        "matches-next-deck",
        2048,
        "the last deck with 100 random transpositions",
        lambda s, seed, n: shuffles.carried_over(s, seed, n, 100),
    ),
    of_decks(
        "shuffle-drift",
        "dispersion",
        20_000,
        "draws stick more and more often, in one case of five at the end",
        lambda s, seed, n: shuffles.slow_drift(s, seed, n, 0.2),
    ),
    of_decks(
        "repeated-decks",
        "duplicates",
        5_000,
        "the first ten decks are dealt again at the end",
        lambda s, seed, n: shuffles.repeated_block(s, seed, n, 10),
    ),
)

NUMBERS = (
    of_numbers(
        "modulo-8-bits",
        "frequency",
        20_000,
        40,
        "a byte modulo 40",
        lambda s, seed, n: scaled.by_modulo(s, seed, n, 8, 40),
    ),
    of_numbers(
        "modulo-8-bits-by-its-form",
        "fullest-cell",
        40_000,
        37,
        "a byte modulo 37",
        lambda s, seed, n: scaled.by_modulo(s, seed, n, 8, 37),
    ),
    of_numbers(
        "modulo-16-bits",
        "frequency",
        200_000,
        10_000,
        "a 16-bit word modulo 10,000",
        lambda s, seed, n: scaled.by_modulo(s, seed, n, 16, 10_000),
    ),
    of_numbers(
        "randu",
        "serial-dimensions",
        400_000,
        1 << 31,
        "triples of RANDU lie on fifteen planes",
        lambda _s, seed, n: known.randu(seed, n),
    ),
    of_numbers(
        "randu-low-bits",
        "linear-complexity",
        200,
        1 << 31,
        "the low bits of RANDU hardly change",
        lambda _s, seed, n: known.randu(seed, n),
    ),
    of_numbers(
        "congruential-32",
        "linear-complexity",
        1_000,
        WORD,
        "a congruential generator modulo 2^32, low bits put out",
        lambda _s, seed, n: known.lcg32(seed, n),
    ),
    of_numbers(
        "java-util-random",
        "linear-complexity",
        140_000,
        WORD,
        "java.util.Random: the lowest bit has period 2^17",
        lambda _s, seed, n: known.java_next(seed, n, 32),
    ),
    of_numbers(
        "msvc-rand",
        "linear-complexity",
        140_000,
        1 << 15,
        "rand() of Microsoft's C library",
        lambda _s, seed, n: known.msvc_rand(seed, n),
    ),
    of_numbers(
        "glibc-random",
        "linear-complexity",
        2_000,
        1 << 31,
        "random() of the GNU C library",
        lambda _s, seed, n: known.glibc_random(seed, n),
    ),
    of_numbers(
        "mersenne-twister",
        "linear-complexity",
        40_000,
        WORD,
        "MT19937: 19,937 bits of linear state",
        lambda _s, seed, n: known.mt19937(seed, n),
    ),
    of_numbers(
        "xorshift32",
        "linear-complexity",
        1_000,
        WORD,
        "xorshift, 32 bits",
        lambda _s, seed, n: known.xorshift32(seed, n),
    ),
    of_numbers(
        "xorshift128plus",
        "linear-complexity",
        1_000,
        WORD,
        "lower words of xorshift128+",
        lambda _s, seed, n: known.xorshift128plus_low(seed, n),
    ),
    of_numbers(
        "rc4-openings",
        "subsequences",
        640_000,
        256,
        "RC4 under a fresh key every 16 bytes: the second byte is zero too often",
        lambda s, seed, n: scaled.rc4_openings(s, seed, n, 16),
    ),
    of_numbers(
        "stuck-bit",
        "linear-complexity",
        200,
        WORD,
        "one bit of the word is always zero",
        lambda s, seed, n: s(seed, n) & np.uint32(0xFFFFFFFF ^ 1 << 17),
    ),
    of_numbers(
        "sticky-top-bit",
        "serial-correlation",
        20_000,
        WORD,
        "the top bit repeats itself in one case of eight",
        lambda s, seed, n: scaled.sticky_bit(s, seed, n, 31),
    ),
    of_numbers(
        "slow-drift",
        "dispersion",
        100_000,
        40,
        "zero comes more and more often, by 5 % at the end",
        lambda s, seed, n: scaled.slow_drift(s, seed, n, 40, 0.05),
    ),
    of_numbers(
        "repeated-blocks",
        "duplicates",
        20_000,
        40,
        "a block of 100 numbers comes back",
        lambda s, seed, n: scaled.repeated_block(s, seed, n, 40, 100),
    ),
    of_numbers(
        "repeats-avoided",
        "adjacency",
        20_000,
        40,
        "a number equal to the last is drawn once more",
        lambda s, seed, n: scaled.previous_avoided(s, seed, n, 40),
    ),
    of_numbers(
        "short-period",
        "duplicates",
        20_000,
        40,
        "the numbers come round after 19,000",
        lambda s, seed, n: np.resize(uniform_numbers(s, seed, 40, 19_000), n),
    ),
    of_numbers(
        "congruential-spacings",
        "power-of-two-lags",
        200_000,
        WORD,
        "words of a congruential generator modulo 2^32, their spacings equal too often",
        lambda _s, seed, n: known.lcg32(seed, n),
    ),
)

# Output that leaves some tests nothing to look at: each must say so with a p-value, and stop no other.
DEGENERATE = (
    of_numbers(
        "constant-draws",
        "gap",
        2_000,
        40,
        "the same number for ever",
        lambda _s, seed, n: np.full(n, seed % 40, dtype=np.uint32),
    ),
    of_numbers(
        "highest-number-only",
        "coupon-collector",
        3_000,
        WORD,
        "every bit of every word is set",
        lambda _s, _seed, n: np.full(n, WORD - 1, dtype=np.uint32),
    ),
    of_numbers(
        "stuck-top-bit",
        "gap",
        2_000,
        WORD,
        "the top bit of the word is always zero",
        lambda s, seed, n: uniform_numbers(s, seed, 1 << 31, n),
    ),
    of_numbers(
        "sorted-draws",
        "coupon-collector",
        3_000,
        40,
        "good numbers, sorted",
        lambda s, seed, n: np.sort(uniform_numbers(s, seed, 40, n)),
    ),
    of_numbers(
        "lower-half-only",
        "gap",
        2_000,
        40,
        "only the lower half of the range is reached",
        lambda s, seed, n: uniform_numbers(s, seed, 20, n),
    ),
    of_numbers(
        "dice-counted-from-one",
        "gap",
        2_000,
        7,
        "dice of 1 to 6 declared as 0 to 6",
        lambda s, seed, n: uniform_numbers(s, seed, 6, n) + np.uint32(1),
    ),
    of_numbers(
        "twelve-bits-as-sixteen",
        "gap",
        2_000,
        1 << 16,
        "values of twelve bits declared as words of sixteen",
        lambda s, seed, n: uniform_numbers(s, seed, 1 << 12, n),
    ),
    of_numbers(
        "all-bits-zero",
        "permutation",
        200,
        WORD,
        "every bit is zero",
        lambda _s, _seed, n: np.zeros(n, dtype=np.uint32),
    ),
    of_numbers(
        "half-of-the-bits-zero",
        "poisson",
        20_000,
        WORD,
        "the first half of the words is zero",
        scaled.half_zero,
    ),
    of_numbers(
        "counter",
        "runs",
        1_000,
        WORD,
        "a counter handed in as random words",
        lambda _s, seed, n: np.arange(seed, seed + n, dtype=np.uint32),
    ),
)

FAULTS: tuple[PlantedFault, ...] = (*SHUFFLES, *NUMBERS, *DEGENERATE, *directed.FAULTS, *subtle.FAULTS)

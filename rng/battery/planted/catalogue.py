"""The planted faults: for each, who must catch it, and at what sample."""

from __future__ import annotations

from rng.battery.planted import degenerate, scaled, shuffles, subtle, words
from rng.battery.planted.fault import Make, PlantedFault

WORD = 1 << 32


def _decks(name: str, caught_by: str, sample: int, defect: str, make: Make) -> PlantedFault:
    return PlantedFault(name, defect, "decks", make, caught_by, sample)


def _numbers(name: str, caught_by: str, sample: int, below: int, defect: str, make: Make) -> PlantedFault:
    return PlantedFault(name, defect, "numbers", make, caught_by, sample, below)


SHUFFLES = (
    _decks(
        "swap-with-any",
        "card-position",
        1024,
        "every position is swapped with any position",
        shuffles.swap_with_any,
    ),
    _decks(
        "sattolo", "fixed-points", 32, "off by one (j < i): only one long cycle comes out", shuffles.sattolo
    ),
    _decks("sattolo-parity", "parity", 32, "off by one (j < i): only odd permutations", shuffles.sattolo),
    _decks(
        "last-card-never-moved",
        "fullest-cell",
        32,
        "the loop starts one position too late",
        shuffles.last_never_moved,
    ),
    _decks(
        "final-swap-skipped",
        "fisher-yates-draws",
        400,
        "the loop ends one position too early",
        shuffles.final_swap_skipped,
    ),
    _decks(
        "comparator-insertion-sort",
        "inversions",
        32,
        "sorted by a comparator that tosses a coin",
        shuffles.sort_by_coin_insertion,
    ),
    _decks(
        "comparator-merge-sort",
        "inversions",
        256,
        "sorted by a comparator that tosses a coin",
        shuffles.sort_by_coin_merge,
    ),
    _decks(
        "eight-bit-sort-keys",
        "descents",
        512,
        "sorted by random keys of eight bits: ties keep their order",
        lambda s, seed, n: shuffles.random_sort_keys(s, seed, n, 8),
    ),
    _decks(
        "eight-bit-modulo",
        "fisher-yates-draws",
        8192,
        "draws are a byte modulo the range",
        shuffles.modulo_eight_bits,
    ),
    _decks(
        "seed-of-24-bits",
        "duplicates",
        16_384,
        "a 24-bit seed for every deck",
        lambda s, seed, n: shuffles.small_seed(s, seed, n, 24),
    ),
    _decks(
        "seed-of-32-bits",
        "duplicates",
        262_144,
        "a 32-bit seed for every deck",
        lambda s, seed, n: shuffles.small_seed(s, seed, n, 32),
    ),
    _decks(
        "congruential-low-bits",
        "inversions",
        64,
        "draws are the low bits of a congruential generator",
        lambda _s, seed, n: shuffles.from_words(words.lcg32(seed, 39 * n), n),
    ),
    _decks(
        "seven-riffles",
        "rising-sequences",
        1024,
        "seven riffles of a new deck",
        lambda s, seed, n: shuffles.riffles(s, seed, n, 7),
    ),
    _decks(
        "ten-riffles",
        "rising-sequences",
        65_536,
        "ten riffles of a new deck",
        lambda s, seed, n: shuffles.riffles(s, seed, n, 10),
    ),
    _decks(
        "carried-over-60",
        "matches-next-deck",
        64,
        "the last deck with 60 random transpositions",
        lambda s, seed, n: shuffles.carried_over(s, seed, n, 60),
    ),
    _decks(
        "carried-over-100",
        "matches-next-deck",
        2048,
        "the last deck with 100 random transpositions",
        lambda s, seed, n: shuffles.carried_over(s, seed, n, 100),
    ),
    _decks(
        "shuffle-drift",
        "drift",
        20_000,
        "draws stick more and more often, in one case of five at the end",
        lambda s, seed, n: shuffles.slow_drift(s, seed, n, 0.2),
    ),
    _decks(
        "repeated-decks",
        "duplicates",
        5_000,
        "the first ten decks are dealt again at the end",
        lambda s, seed, n: shuffles.repeated_block(s, seed, n, 10),
    ),
)

NUMBERS = (
    _numbers(
        "modulo-8-bits",
        "frequency",
        20_000,
        40,
        "a byte modulo 40",
        lambda s, seed, n: scaled.by_modulo(s, seed, n, 8, 40),
    ),
    _numbers(
        "modulo-16-bits",
        "frequency",
        200_000,
        10_000,
        "a 16-bit word modulo 10,000",
        lambda s, seed, n: scaled.by_modulo(s, seed, n, 16, 10_000),
    ),
    _numbers(
        "randu",
        "serial-triples",
        400_000,
        1 << 31,
        "triples of RANDU lie on fifteen planes",
        lambda _s, seed, n: words.randu(seed, n),
    ),
    _numbers(
        "randu-low-bits",
        "linear-complexity",
        200,
        1 << 31,
        "the low bits of RANDU hardly change",
        lambda _s, seed, n: words.randu(seed, n),
    ),
    _numbers(
        "congruential-32",
        "linear-complexity",
        1_000,
        WORD,
        "a congruential generator modulo 2^32, low bits put out",
        lambda _s, seed, n: words.lcg32(seed, n),
    ),
    _numbers(
        "java-util-random",
        "linear-complexity",
        140_000,
        WORD,
        "java.util.Random: the lowest bit has period 2^17",
        lambda _s, seed, n: words.java_random(seed, n),
    ),
    _numbers(
        "msvc-rand",
        "linear-complexity",
        140_000,
        1 << 15,
        "rand() of Microsoft's C library",
        lambda _s, seed, n: words.msvc_rand(seed, n),
    ),
    _numbers(
        "glibc-random",
        "linear-complexity",
        2_000,
        1 << 31,
        "random() of the GNU C library",
        lambda _s, seed, n: words.glibc_random(seed, n),
    ),
    _numbers(
        "mersenne-twister",
        "linear-complexity",
        40_000,
        WORD,
        "MT19937: 19,937 bits of linear state",
        lambda _s, seed, n: words.mt19937(seed, n),
    ),
    _numbers(
        "xorshift32",
        "linear-complexity",
        1_000,
        WORD,
        "xorshift, 32 bits",
        lambda _s, seed, n: words.xorshift32(seed, n),
    ),
    _numbers(
        "xorshift128",
        "linear-complexity",
        1_000,
        WORD,
        "xorshift, 128 bits",
        lambda _s, seed, n: words.xorshift128(seed, n),
    ),
    _numbers(
        "xorshift128plus",
        "linear-complexity",
        1_000,
        WORD,
        "lower words of xorshift128+",
        lambda _s, seed, n: words.xorshift128plus_low(seed, n),
    ),
    _numbers(
        "rc4-openings",
        "subsequences",
        640_000,
        256,
        "RC4 under a fresh key every 16 bytes: the second byte is zero too often",
        lambda s, seed, n: scaled.rc4_openings(s, seed, n, 16),
    ),
    _numbers(
        "stuck-bit",
        "bit-frequency",
        200,
        WORD,
        "one bit of the word is always zero",
        lambda s, seed, n: scaled.stuck_bit(s, seed, n, 17),
    ),
    _numbers(
        "sticky-top-bit",
        "serial-correlation",
        20_000,
        WORD,
        "the top bit repeats itself in one case of eight",
        lambda s, seed, n: scaled.sticky_bit(s, seed, n, 31),
    ),
    _numbers(
        "slow-drift",
        "drift",
        100_000,
        40,
        "zero comes more and more often, by 5 % at the end",
        lambda s, seed, n: scaled.slow_drift(s, seed, n, 40, 0.05),
    ),
    _numbers(
        "repeated-blocks",
        "duplicates",
        20_000,
        40,
        "a block of 100 numbers comes back",
        lambda s, seed, n: scaled.repeated_block(s, seed, n, 40, 100),
    ),
    _numbers(
        "repeats-avoided",
        "adjacency",
        20_000,
        40,
        "a number equal to the last is drawn once more",
        lambda s, seed, n: scaled.previous_avoided(s, seed, n, 40),
    ),
    _numbers(
        "short-period",
        "duplicates",
        20_000,
        40,
        "the numbers come round after 19,000",
        lambda s, seed, n: scaled.short_period(s, seed, n, 40, 19_000),
    ),
    _numbers(
        "congruential-spacings",
        "birthday-spacings",
        200_000,
        WORD,
        "equal spacings of a congruential generator modulo 2^32",
        lambda _s, seed, n: words.lcg32(seed, n),
    ),
)

# Output that leaves some tests nothing to look at: each must say so with a p-value, and stop no other.
DEGENERATE = (
    _numbers(
        "constant-draws",
        "gap",
        2_000,
        40,
        "the same number for ever",
        lambda s, seed, n: degenerate.constant(s, seed, n, 40),
    ),
    _numbers(
        "highest-number-only",
        "coupon-collector",
        3_000,
        WORD,
        "every bit of every word is set",
        lambda s, seed, n: degenerate.highest(s, seed, n, WORD),
    ),
    _numbers(
        "stuck-top-bit",
        "gap",
        2_000,
        WORD,
        "the top bit of the word is always zero",
        lambda s, seed, n: degenerate.narrowed(s, seed, n, 1 << 31),
    ),
    _numbers(
        "sorted-draws",
        "coupon-collector",
        3_000,
        40,
        "good numbers, sorted",
        lambda s, seed, n: degenerate.ordered(s, seed, n, 40),
    ),
    _numbers(
        "lower-half-only",
        "gap",
        2_000,
        40,
        "only the lower half of the range is reached",
        lambda s, seed, n: degenerate.narrowed(s, seed, n, 20),
    ),
    _numbers(
        "dice-counted-from-one",
        "gap",
        2_000,
        7,
        "dice of 1 to 6 declared as 0 to 6",
        lambda s, seed, n: degenerate.from_one(s, seed, n, 6),
    ),
    _numbers(
        "twelve-bits-as-sixteen",
        "gap",
        2_000,
        1 << 16,
        "values of twelve bits declared as words of sixteen",
        lambda s, seed, n: degenerate.narrowed(s, seed, n, 1 << 12),
    ),
    _numbers(
        "all-bits-zero",
        "permutation",
        200,
        WORD,
        "every bit is zero",
        lambda s, _seed, n: degenerate.constant(s, 0, n, WORD),
    ),
    _numbers(
        "half-of-the-bits-zero",
        "poisson",
        20_000,
        WORD,
        "the first half of the words is zero",
        degenerate.half_zero,
    ),
    _numbers(
        "counter",
        "runs",
        1_000,
        WORD,
        "a counter handed in as random words",
        degenerate.counter,
    ),
)

FAULTS: tuple[PlantedFault, ...] = (*SHUFFLES, *NUMBERS, *DEGENERATE, *subtle.FAULTS)

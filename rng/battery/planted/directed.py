"""Faults planted against single tests: in numbers, decks and words."""

import numpy as np

from rng.array_types import Numbers
from rng.battery.planted import known, scaled, tables
from rng.battery.planted.fault import PlantedFault, of_bits, of_decks, of_language, of_numbers
from rng.battery.planted.good import Source, altered, below_a_bound, in_words, later, packed, uniform_numbers
from rng.battery.planted.scaled import without_repetition
from rng.battery.planted.shuffles import fisher_yates


def permuted_words(source: Source, seed: int, count: int) -> Numbers:
    """Words of 16 bits in a shuffled order, each once before any comes again."""
    rounds = -(-count // (16 << 16))
    parts = [without_repetition(source, seed + i, 1 << 16, 16) for i in range(rounds)]
    return np.concatenate(parts).astype(np.uint16)[: count // 16].view(np.uint8)


def small_cipher(source: Source, seed: int, count: int) -> Numbers:
    """A counter under a Feistel cipher of 32 bits in eight rounds: no word comes again."""
    counter = np.arange(count // 32, dtype=np.uint32)
    left, right = counter >> np.uint32(16), counter & np.uint32(0xFFFF)
    for key in source(seed, 8):
        mixed = (right * np.uint32(0x85EB) + key) * np.uint32(0xC2B2AE35)
        mixed = (mixed ^ mixed >> np.uint32(15)) * np.uint32(0x27D4EB2F)
        left, right = right, left ^ (mixed ^ mixed >> np.uint32(13)) & np.uint32(0xFFFF)
    return (left << np.uint32(16) | right).astype(np.uint32).view(np.uint8)


def stuck_once(source: Source, seed: int, count: int, length: int) -> Numbers:
    """Once so many bytes in a row are zero."""
    octets = source(seed, count // 32).view(np.uint8)
    octets[octets.size // 3 + 1 :][:length] = 0
    return octets


def repeated_blocks(source: Source, seed: int, count: int, length: int, blocks: int) -> Numbers:
    """A few blocks of so many bytes that come again somewhere later, at any byte."""
    octets = source(seed, count // 32).view(np.uint8)
    places = uniform_numbers(source, seed + 1, octets.size // 2 - length, 2 * blocks).astype(np.int64)
    for first, second in places.reshape(-1, 2).tolist():
        octets[octets.size // 2 + second :][:length] = octets[first : first + length]
    return octets


def runs_broken_up(source: Source, seed: int, count: int, longest: int) -> Numbers:
    """Bits of which none after so many equal ones is equal again."""
    bits = np.unpackbits(source(seed, count // 32).view(np.uint8))
    run = 0
    last = -1
    for place, bit in enumerate(bits.tolist()):
        run = run + 1 if bit == last else 1
        if run > longest:
            bits[place], bit, run = 1 - bit, 1 - bit, 1
        last = bit
    return np.packbits(bits)


AT_TABLES = (
    of_decks(
        "naturals-too-rare",
        "dealt-pairs",
        100_000,
        "of the hands of an ace and a face card one in five is broken up",
        lambda s, seed, n: tables.withheld(s, seed, n, 1, 5, tables.is_natural),
    ),
    of_decks(
        "pairs-too-rare",
        "dealt-pairs",
        100_000,
        "of the pairs at the first and third place one in ten is broken up",
        lambda s, seed, n: tables.withheld(s, seed, n, 2, 10, lambda d: d[:, 0] // 4 == d[:, 2] // 4),
    ),
    of_decks(
        "colour-follows",
        "signs-between-rounds",
        50_000,
        "in one round of twenty the first card has the colour of the last card of the round before",
        altered(fisher_yates, 20, 7_000, later(1), ..., tables.colour_follows),
    ),
    of_decks(
        "low-after-two-high",
        "dealt-triples",
        50_000,
        "after two high cards a third is exchanged in one case of four",
        lambda s, seed, n: tables.withheld(s, seed, n, 2, 4, lambda d: tables.all_high(d, 0, 1, 2)),
    ),
    of_decks(
        "no-ace-after-a-natural",
        "after-hands",
        30_000,
        "the round after an ace and a face card never opens with an ace",
        lambda s, seed, n: tables.withheld(
            s, seed, n, 0, 1, lambda d: tables.after(tables.is_natural(d)) & (d[:, 0] // 4 == 0)
        ),
    ),
    of_decks(
        "no-ace-up-after-a-natural",
        "after-hands",
        20_000,
        "the round after a natural of the first and third card never turns up an ace as the fourth",
        lambda s, seed, n: tables.withheld(
            s, seed, n, 3, 1, lambda d: tables.after(tables.is_natural(d, 0, 2)) & (d[:, 3] // 4 == 0)
        ),
    ),
    of_decks(
        "low-after-two-high-dealt-in-turn",
        "dealt-triples",
        50_000,
        "after two high cards at the first and third place a high fifth is exchanged in one case of four",
        lambda s, seed, n: tables.withheld(s, seed, n, 4, 4, lambda d: tables.all_high(d, 0, 2, 4)),
    ),
    of_decks(
        "flush-withheld",
        "hand-compositions",
        50_000,
        "of the draws that fill four of one suit among five cards every second one is exchanged",
        lambda s, seed, n: tables.withheld(s, seed, n, 5, 2, tables.one_draw_fills),
    ),
    of_decks(
        "drifting-card",
        "dispersion",
        100_000,
        "one card is dealt first more and more seldom, in six tenths less of its rounds at the end",
        lambda s, seed, n: tables.drifting_card(s, seed, n, 17, 0.6),
    ),
    of_decks(
        "sticky-neighbours",
        "since-last-deck",
        4_000,
        "in one round of five two neighbours of the round before stay together",
        lambda s, seed, n: tables.sticky(s, seed, n, 5),
    ),
    of_decks(
        "eight-riffles-a-round",
        "since-last-deck",
        500,
        "each deck is the one before, riffled eight times",
        lambda s, seed, n: tables.riffled_on(s, seed, n, 8),
    ),
)


def _bag(below: int, size: int, sample: int) -> PlantedFault:
    return of_numbers(
        f"bag-of-{size}-for-{below}",
        "dispersion",
        sample,
        below,
        f"numbers below {below} from a bag of {size:,} that is emptied before it is filled again",
        lambda s, seed, n: scaled.bag(s, seed, n, below, size),
    )


EVEN = (
    of_numbers(
        "never-thrice",
        "adjacency",
        60_000,
        37,
        "a number that would come for the third time in a row is drawn once more",
        lambda s, seed, n: scaled.never_thrice(s, seed, n, 37),
    ),
    *(
        _bag(below, size, sample)
        for below, size, sample in (
            (6, 60, 2_000),
            (6, 600, 20_000),
            (6, 6_000, 200_000),
            (37, 370, 2_000),
            (37, 3_700, 20_000),
            (37, 37_000, 100_000),
        )
    ),
    of_numbers(
        "rare-numbers-made-up-for",
        "dispersion",
        60_000,
        37,
        "every tenth number is the rarer so far of two",
        lambda s, seed, n: scaled.compensated(s, seed, n, 37),
    ),
    of_numbers(
        "due-numbers-avoided",
        "due-numbers",
        300_000,
        37,
        "a number missing for 185 draws is drawn once more in one case of five",
        lambda s, seed, n: scaled.due_avoided(s, seed, n, 37, 185, 5),
    ),
    of_numbers(
        "words-each-once",
        "dispersion",
        3_000,
        1 << 16,
        "words of sixteen bits in a shuffled order, none twice",
        lambda s, seed, n: scaled.without_repetition(s, seed, n, 16),
    ),
    of_numbers(
        "wheel-without-chance",
        "frequency",
        6_000,
        37,
        "a wheel whose numbers all come equally often: chi-square far too small",
        lambda s, seed, n: scaled.bag(s, seed, n // 37 * 37, 37, n // 37 * 37),
    ),
)


IN_WORDS = (
    of_bits(
        "parity-of-words",
        "word-parity",
        1 << 18,
        "the parity of 32-bit words is even in 55 % of them",
        in_words("u4", 10, lambda words: words ^ (np.bitwise_count(words) & 1).astype(np.uint32)),
    ),
    of_bits(
        "permutation-of-words",
        "word-dispersion",
        1 << 20,
        "16-bit words, each once before any comes again",
        permuted_words,
    ),
    of_bits(
        "cipher-of-a-counter",
        "word-repetitions",
        1 << 24,
        "a 32-bit cipher of a counter: no word comes again",
        small_cipher,
    ),
    of_bits(
        "cleared-bit",
        "word-bits",
        1 << 24,
        "one bit of each 32-bit word is cleared in one case of fifty",
        in_words("u4", 50, lambda words: words & np.uint32(0xFFFFFFFF ^ (1 << 13))),
    ),
    of_bits(
        "stuck-once",
        "longest-run-of-all",
        1 << 24,
        "once 64 bytes in a row are zero",
        lambda s, seed, n: stuck_once(s, seed, n, 64),
    ),
    of_bits(
        "repeated-short-blocks",
        "longest-repeat",
        1 << 24,
        "five blocks of 16 bytes come again somewhere",
        lambda s, seed, n: repeated_blocks(s, seed, n, 16, 5),
    ),
    of_bits(
        "bytes-coming-round",
        "longest-repeat",
        1 << 20,
        "the bytes come round again after 100,003",
        lambda s, seed, n: np.resize(s(seed, 25_001).view(np.uint8)[:100_003], n // 8),
    ),
    of_bits(
        "runs-broken-up",
        "longest-run-of-all",
        1 << 18,
        "a run of twelve equal bits is never longer",
        lambda s, seed, n: runs_broken_up(s, seed, n, 12),
    ),
    of_bits(
        "one-word-too-often",
        "word-frequency",
        1 << 22,
        "one 16-bit word in five hundred is the same",
        in_words("u2", 500, lambda words: np.full_like(words, 0xBEEF)),
    ),
)


BY_FAMILY = (
    *(
        of_language(name, caught_by, sample, 37, defect, draw)
        for name, caught_by, sample, defect, draw in (
            (
                "every-second-minstd",
                "congruential",
                192,
                "every second output of MINSTD modulo 37",
                lambda seed, n, below: known.modulo(known.minstd(seed, 2 * n, 16807)[::2], below),
            ),
            (
                "every-second-minstd-scaled",
                "known-lags",
                4_096,
                "every second output of MINSTD scaled to 37",
                lambda seed, n, below: known.scaled(known.minstd(seed, 2 * n, 16807)[::2], 31, below),
            ),
            (
                "wichmann-hill",
                "congruential",
                192,
                "Wichmann and Hill's generator scaled to 37",
                known.wichmann_hill,
            ),
            (
                "numerical-recipes",
                "congruential",
                192,
                "the generator of Numerical Recipes modulo 37",
                lambda seed, n, below: known.modulo(known.lcg32(seed, n), below),
            ),
            (
                "unlisted-multiplier",
                "power-of-two-lags",
                4_096,
                "every third output of an unlisted multiplier modulo 2^32, upper bits modulo 37",
                lambda seed, n, below: known.modulo(
                    known.congruential(seed, 2891336453, 12345677, 1 << 32, 16, 3 * n)[::3], below
                ),
            ),
            ("newlib-rand", "power-of-two-lags", 131_072, "rand() % 37 of newlib", known.newlib_remainder),
            (
                "mersenne-twister-of-a-small-seed",
                "seeds",
                128,
                "the Mersenne Twister of a seed below 50,000, modulo 37",
                lambda seed, n, below: known.modulo(known.mt19937(seed % 50_000, n), below),
            ),
            (
                "xorshift-scaled",
                "linear-halves",
                4_096,
                "xorshift32 scaled to 37",
                lambda seed, n, below: known.scaled(
                    known.xorshift32(seed * 2654435761 % known.LARGEST_INT + 1, n), 32, below
                ),
            ),
            (
                "php-5-mt-rand",
                "linear-halves",
                32_768,
                "mt_rand(0, 36) of PHP 5 under a seed of 32 bits",
                lambda seed, n, below: known.scaled(
                    known.php_5_mt_rand(seed * 2654435761, n) >> np.uint32(1), 31, below
                ),
            ),
            (
                "java-absolute-long",
                "known-lags",
                40_000,
                "Math.abs(nextLong()) % 37 of java.util.Random",
                known.java_absolute_long,
            ),
        )
    ),
)

SHARED = (
    of_numbers(
        "polled-at-random",
        "congruential",
        100_000,
        37,
        "MINSTD scaled to 37, from which others take none to three outputs between any two",
        lambda s, seed, n: scaled.polled(s, seed, n, 37),
    ),
    of_numbers(
        "forked-workers",
        "copies",
        20_000,
        37,
        "two forked workers with one stream, served at random",
        lambda s, seed, n: scaled.forked(s, seed, n, 37),
    ),
)

ECHOED = (
    of_numbers(
        "opposite-number",
        "lagged-sums",
        60_000,
        37,
        "one number of a hundred and fifty is eighteen pockets on from the one before",
        tables.echoed(37, 150, 1, lambda past: past[0] + 18),
    ),
    of_numbers(
        "turned-round",
        "lagged-sums",
        60_000,
        37,
        "one number of a hundred is that of 5,001 draws before, counted from the other end",
        tables.echoed(37, 100, 5_001, lambda past: 36 - past[0]),
    ),
    of_numbers(
        "three-that-sum-up",
        "lagged-sums",
        60_000,
        37,
        "in one case of a hundred and twenty three numbers in a row sum up to a multiple of 37",
        tables.echoed(37, 120, 2, lambda past: -past[0] - past[1]),
    ),
    of_numbers(
        "streaks-broken",
        "after-streaks",
        100_000,
        36,
        "after five odd or five even numbers the next is turned into the other in one case of six",
        lambda s, seed, n: tables.streaks_broken(s, seed, n, 36, 5, 6),
    ),
    of_decks(
        "alike-far-apart",
        "position-pairs",
        20_000,
        "in one deck of forty the twelfth card has the rank of the ninth",
        altered(fisher_yates, 40, 7_000, later(0), ..., tables.equal_far_apart),
    ),
    of_decks(
        "aces-together",
        "dealt-pairs",
        30_000,
        "in one deck of twenty-five the second ace is moved behind the first",
        altered(fisher_yates, 25, 7_000, later(0), ..., tables.aces_together),
    ),
    of_decks(
        "one-deck-inverted",
        "disguised-copies",
        20_000,
        "one deck is an earlier one with places and cards exchanged",
        tables.one_inverted,
    ),
    of_bits(
        "tied-bits",
        "word-relations",
        1 << 23,
        "in one word of 64 bits of twenty one bit repeats another",
        in_words(
            "u8", 20, lambda words: words & ~np.uint64(1 << 17) | words >> np.uint64(63) << np.uint64(17)
        ),
    ),
)


CONDITIONED = (
    of_language(
        "java-booleans",
        "known-lags",
        8_192,
        2,
        "nextBoolean() of java.util.Random",
        lambda seed, n, _below: known.java_next(seed, n, 1),
    ),
    of_numbers(
        "starts-alike",
        "subsequences",
        60_000,
        37,
        "a generator starts anew after 1,000 numbers, in every second case with the same number",
        altered(
            below_a_bound(37),
            2,
            7_000,
            lambda made: np.arange(len(made)) % 1_000 == 0,
            ...,
            lambda _made, _i: 5,
        ),
    ),
    of_numbers(
        "key-taken-again",
        "lagged-sums",
        60_000,
        37,
        "one number of fifty is that of 20,011 draws before, by the same key",
        tables.echoed(37, 50, 20_011, lambda past: past[0]),
    ),
    of_numbers(
        "one-of-the-last",
        "due-numbers",
        60_000,
        37,
        "one number of thirty is one of the thirty-seven before",
        lambda s, seed, n: tables.one_of_the_last(s, seed, n, 37, 30),
    ),
    of_numbers(
        "thrown-alike",
        "lagged-sums",
        60_000,
        37,
        "in one spin of thirty the ball lands twelve to sixteen pockets on from the last number",
        lambda s, seed, n: tables.equal_throws(s, seed, n, 30),
    ),
    of_bits(
        "block-after-block",
        "word-relations",
        1 << 23,
        "in one block of 512 bits of ten one bit repeats another of the block before",
        packed(
            altered(
                lambda source, seed, bits: np.unpackbits(source(seed, bits // 32).view(np.uint8)).reshape(
                    -1, 512
                ),
                10,
                7_000,
                later(1),
                100,
                lambda blocks, i: blocks[i - 1, 300],
            )
        ),
    ),
)

FAULTS = (*CONDITIONED, *EVEN, *IN_WORDS, *AT_TABLES, *BY_FAMILY, *SHARED, *ECHOED)

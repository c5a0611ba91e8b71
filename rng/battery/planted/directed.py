"""Planted faults for the tests that look where a fault is: too even, in words, at the tables, generators by family."""

from __future__ import annotations

from collections.abc import Callable

from rng.battery.planted import echoed, even, in_words, known, tables
from rng.battery.planted.fault import Output, PlantedFault, of_bits, of_decks, of_numbers

AT_TABLES = (
    of_decks(
        "naturals-too-rare",
        "dealt-pairs",
        100_000,
        "of the hands of an ace and a face card one in five is broken up",
        lambda s, seed, n: tables.rare_naturals(s, seed, n, 5),
    ),
    of_decks(
        "pairs-too-rare",
        "dealt-pairs",
        100_000,
        "of the pairs at the first and third place one in ten is broken up",
        lambda s, seed, n: tables.rare_pairs(s, seed, n, 10),
    ),
    of_decks(
        "colour-follows",
        "signs-between-rounds",
        50_000,
        "in one round of twenty the first card has the colour of the last card of the round before",
        lambda s, seed, n: tables.colour_follows(s, seed, n, 20),
    ),
    of_decks(
        "low-after-two-high",
        "dealt-triples",
        50_000,
        "after two high cards a third is exchanged in one case of four",
        lambda s, seed, n: tables.low_after_high(s, seed, n, 4),
    ),
    of_decks(
        "no-ace-after-a-natural",
        "after-hands",
        30_000,
        "the round after an ace and a face card never opens with an ace",
        tables.no_ace_after_natural,
    ),
    of_decks(
        "drifting-card",
        "card-trends",
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
        lambda s, seed, n: even.bag(s, seed, n, below, size),
    )


EVEN = (
    of_numbers(
        "never-thrice",
        "adjacency",
        60_000,
        37,
        "a number that would come for the third time in a row is drawn once more",
        lambda s, seed, n: even.never_thrice(s, seed, n, 37),
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
        lambda s, seed, n: even.compensated(s, seed, n, 37),
    ),
    of_numbers(
        "due-numbers-avoided",
        "due-numbers",
        300_000,
        37,
        "a number missing for 185 draws is drawn once more in one case of five",
        lambda s, seed, n: even.due_avoided(s, seed, n, 37, 185, 5),
    ),
    of_numbers(
        "words-each-once",
        "dispersion",
        3_000,
        1 << 16,
        "words of sixteen bits in a shuffled order, none twice",
        lambda s, seed, n: even.without_repetition(s, seed, n, 16),
    ),
    of_numbers(
        "wheel-without-chance",
        "frequency",
        6_000,
        37,
        "a wheel whose numbers all come equally often: chi-square far too small",
        lambda s, seed, n: even.bag(s, seed, n // 37 * 37, 37, n // 37 * 37),
    ),
)


IN_WORDS = (
    of_bits(
        "parity-of-words",
        "word-parity",
        1 << 18,
        "the parity of 32-bit words is even in 55 % of them",
        lambda s, seed, n: in_words.uneven_parity(s, seed, n, 10),
    ),
    of_bits(
        "permutation-of-words",
        "word-dispersion",
        1 << 20,
        "16-bit words, each once before any comes again",
        in_words.permuted_words,
    ),
    of_bits(
        "cipher-of-a-counter",
        "word-repetitions",
        1 << 24,
        "a 32-bit cipher of a counter: no word comes again",
        in_words.small_cipher,
    ),
    of_bits(
        "cleared-bit",
        "word-bits",
        1 << 24,
        "one bit of each 32-bit word is cleared in one case of fifty",
        lambda s, seed, n: in_words.cleared_bit(s, seed, n, 13, 50),
    ),
    of_bits(
        "stuck-once",
        "longest-run-of-all",
        1 << 24,
        "once 64 bytes in a row are zero",
        lambda s, seed, n: in_words.stuck_once(s, seed, n, 64),
    ),
    of_bits(
        "repeated-short-blocks",
        "longest-repeat",
        1 << 24,
        "five blocks of 16 bytes come again somewhere",
        lambda s, seed, n: in_words.repeated_blocks(s, seed, n, 16, 5),
    ),
    of_bits(
        "bytes-coming-round",
        "longest-repeat",
        1 << 20,
        "the bytes come round again after 100,003",
        lambda s, seed, n: in_words.coming_round(s, seed, n, 100_003),
    ),
    of_bits(
        "runs-broken-up",
        "longest-run-of-all",
        1 << 18,
        "a run of twelve equal bits is never longer",
        lambda s, seed, n: in_words.runs_broken_up(s, seed, n, 12),
    ),
    of_bits(
        "one-word-too-often",
        "word-frequency",
        1 << 22,
        "one 16-bit word in five hundred is the same",
        lambda s, seed, n: in_words.hot_word(s, seed, n, 500),
    ),
)


def _of_37(
    name: str, caught_by: str, sample: int, defect: str, make: Callable[[int, int, int], Output]
) -> PlantedFault:
    return of_numbers(name, caught_by, sample, 37, defect, lambda _s, seed, n: make(seed, n, 37))


BY_FAMILY = (
    *(
        _of_37(*fault)
        for fault in (
            (
                "every-second-minstd",
                "congruential",
                192,
                "every second output of MINSTD modulo 37",
                known.every_second_minstd,
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
                known.numerical_recipes,
            ),
            (
                "unlisted-multiplier",
                "power-of-two-lags",
                4_096,
                "every third output of an unlisted multiplier modulo 2^32, upper bits modulo 37",
                known.unlisted_remainder,
            ),
            ("newlib-rand", "power-of-two-lags", 131_072, "rand() % 37 of newlib", known.newlib_remainder),
            (
                "mersenne-twister-of-a-small-seed",
                "seeds",
                128,
                "the Mersenne Twister of a seed below 50,000, modulo 37",
                known.mersenne_remainder,
            ),
            ("xorshift-scaled", "linear-halves", 4_096, "xorshift32 scaled to 37", known.xorshift_scaled),
        )
    ),
)

ECHOED = (
    of_numbers(
        "opposite-number",
        "lagged-sums",
        60_000,
        37,
        "one number of a hundred and fifty is eighteen pockets on from the one before",
        lambda s, seed, n: echoed.stepped(s, seed, n, 37, 18, 1, 150),
    ),
    of_numbers(
        "turned-round",
        "lagged-sums",
        60_000,
        37,
        "one number of a hundred is that of 5,001 draws before, counted from the other end",
        lambda s, seed, n: echoed.turned_round(s, seed, n, 37, 5_001, 100),
    ),
    of_numbers(
        "three-that-sum-up",
        "lagged-sums",
        60_000,
        37,
        "in one case of a hundred and twenty three numbers in a row sum up to a multiple of 37",
        lambda s, seed, n: echoed.summing_up(s, seed, n, 37, 120),
    ),
    of_numbers(
        "streaks-broken",
        "after-streaks",
        100_000,
        36,
        "after five odd or five even numbers the next is turned into the other in one case of six",
        lambda s, seed, n: echoed.streaks_broken(s, seed, n, 36, 5, 6),
    ),
    of_decks(
        "alike-far-apart",
        "position-pairs",
        20_000,
        "in one deck of forty the twelfth card has the rank of the ninth",
        lambda s, seed, n: echoed.alike_far_apart(s, seed, n, 40),
    ),
    of_decks(
        "aces-together",
        "dealt-pairs",
        30_000,
        "in one deck of twenty-five the second ace is brought behind the first",
        lambda s, seed, n: echoed.aces_together(s, seed, n, 25),
    ),
    of_decks(
        "one-deck-inverted",
        "disguised-copies",
        20_000,
        "one deck is an earlier one with places and cards exchanged",
        echoed.one_inverted,
    ),
    of_bits(
        "tied-bits",
        "word-relations",
        1 << 23,
        "in one word of 64 bits of twenty one bit repeats another",
        lambda s, seed, n: echoed.tied_bits(s, seed, n, 20),
    ),
)


FAULTS = (*EVEN, *IN_WORDS, *AT_TABLES, *BY_FAMILY, *ECHOED)

"""How the error of a verdict is divided: twice as much for a test that finds what all others miss.

The table of ``docs/methods/power.md`` says which these are, over all planted faults; a test holds the two together.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

ALONE: Final = frozenset(
    {
        *(f"balls {test}" for test in ("common-with-last", "compositions", "due-balls")),
        *(
            f"cards {test}"
            for test in (
                "after-hands",
                "alike-apart",
                "dealt-pairs",
                "dealt-triples",
                "descents",
                "disguised-copies",
                "fixed-points",
                "fullest-cell",
                "hand-compositions",
                "lagged-places",
                "matches-next-deck",
                "scaling",
                "signs-between-rounds",
                "since-last-deck",
                "unshuffled-deck",
            )
        ),
        *(
            f"rows {test}"
            for test in ("column-matches", "column-triples", "columns-alike", "congruential", "known-lags")
        ),
        *(
            f"sequences {test}"
            for test in (
                "adjacency",
                "after-streaks",
                "congruential",
                "dispersion",
                "due-numbers",
                "fullest-cell",
                "known-lags",
                "lagged-sums",
                "linear-complexity",
                "linear-halves",
                "power-of-two-lags",
                "seeds",
                "serial-dimensions",
                "subsequences",
            )
        ),
        *(
            f"whole-stream {test}"
            for test in (
                "autocorrelation",
                "long-linear-complexity",
                "longest-repeat",
                "longest-run-of-all",
                "periodogram",
                "word-lanes",
                "word-parity",
                "word-relations",
                "word-repetitions",
            )
        ),
    }
)


def weight_of(suite: str, test: str) -> Fraction:
    """How much of the error a test has, beside others.

    Args:
        suite: Family of the test.
        test: Its name.

    Source: Holm, Scandinavian Journal of Statistics 6 (1979), 65-70, section 4; Genovese, Roeder and Wasserman,
    Biometrika 93 (2006), 509-524 (weights fixed before the data).

    Example:
        >>> weight_of("sequences", "congruential"), weight_of("sequences", "poker")
        (Fraction(2, 1), Fraction(1, 1))
    """
    return Fraction(2 if f"{suite} {test}" in ALONE else 1)

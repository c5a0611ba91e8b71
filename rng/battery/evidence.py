"""Bets that no player wins against fair draws: what a bet has won is evidence against them, exactly, at any size.

A bet on the next outcome at its fair price is a martingale, whatever was seen before and however the bet is chosen from
it. The capital that it has become, started with one unit, exceeds 1/p with probability at most p: no number of
observations is needed, no independence of the contexts, no limit law.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

# Bets as if the share of hits were spread about the fair one like that of so many observations: strong faults are won
# on by the first, weak ones by the last; the unit is divided equally among them.
STRENGTHS = (8.0, 128.0, 2_048.0)


def log_capital(hits: NDArray[np.int64], trials: NDArray[np.int64], chance: Floats) -> Floats:
    """Logarithm of what a unit has become that was bet on and against an event, trial by trial, at its fair price.

    Args:
        hits: How often the event came in each context.
        trials: How often the context came; each context is bet on by itself.
        chance: Probability of the event in one trial, the same whatever came before.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, Testing by betting, J. R. Stat.
    Soc. A 184 (2021), 407-431.

    Example:
        Betting on 200 tosses that were all heads; and on 100 of each:

        >>> log_capital(np.array([200, 100]), np.array([200, 200]), np.array([0.5, 0.5])).round(1).tolist()
        [123.0, -0.5]
    """
    parts = []
    for strength in STRENGTHS:
        on, against = strength * chance, strength * (1 - chance)
        parts.append(
            special.betaln(hits + on, trials - hits + against)
            - special.betaln(on, against)
            - special.xlogy(hits, chance)
            - special.xlog1py(trials - hits, -chance)
        )
    return np.asarray(special.logsumexp(np.stack(parts), axis=0) - math.log(len(parts)))


def p_value(logarithm: float) -> float:
    """Upper bound on the probability that a fair bet ever wins so much.

    Example:
        >>> round(p_value(math.log(20)), 12), p_value(-3.0)
        (0.05, 1.0)
    """
    return math.exp(-max(0.0, logarithm))


def mean_log(logarithms: Floats) -> float:
    """Logarithm of the mean of several capitals: a unit divided equally among them."""
    return float(special.logsumexp(logarithms)) - math.log(logarithms.size)

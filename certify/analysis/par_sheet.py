"""PAR sheet of a wager: combinations, odds, bands of the observed return, losing runs, ruin, and who has the edge."""

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from operator import itemgetter
from typing import Final

import numpy as np

from certify.analysis.mean_bands import (
    HOUSE,
    PLAYER,
    PLAYER_BANKROLLS,
    StakedAs,
    long_run_evidence,
    mean_band,
    ruin_is_carried,
    steps_of,
)
from certify.array_types import Floats
from certify.errors import InputError
from certify.evidence import Band, Edge, LosingRun, Methods, ParRow, ParSheet, RuinWithin, TopAward
from certify.exact import format_odds, outward_texts
from certify.messages import say, worded
from certify.model import (
    BY_PAYS,
    VOLATILITY_Z,
    Bracket,
    Claim,
    Figure,
    Verdict,
    Wager,
    WagerFigures,
    ends_of,
    figure_between,
    parse_claim,
    prints_as,
)


def cut_off(metric: str, printed: str, exact: Figure | None) -> str:
    """Returns what to add to a printed figure that is wrong as rounded and right with further digits cut off.

    >>> cut_off("return", "85.0 %", Fraction(850602, 10**6))
    'it holds cut off after its digits: rounding = "truncated"'
    >>> cut_off("return", "85.1 %", Fraction(850402, 10**6))
    ''
    """
    if not isinstance(exact, Fraction) or printed.startswith("-"):
        return ""
    holds = parse_claim(metric, printed, truncated=True).stands_for(exact)
    return 'it holds cut off after its digits: rounding = "truncated"' if holds else ""


def claim_status(claim: Claim, wager: Wager, exact: Figure) -> Verdict:
    """Returns the status of a printed return, which is the same wherever it is reported.

    A figure is never confirmed by what was derived from it; that it is contradicted still counts.

    Args:
        claim: The printed return.
        wager: The wager that it speaks about.
        exact: The exact return that it is held against.
    """
    if not prints_as(claim, exact):
        low, high = ends_of(exact)
        apart = high < claim.printed.interval[0] or low >= claim.printed.interval[1]
        return Verdict.NOT_SATISFIED if apart or low == high else Verdict.INCONCLUSIVE
    fitted = wager.pays_are_recovered and claim.metric in BY_PAYS
    return Verdict.FITTED if fitted else Verdict.SATISFIED


def edge_evidence(
    figures: WagerFigures, strategy: str, banked_by: str = "house", stake: str = "stake"
) -> Edge:
    """Returns who has the edge, per unit of the initial stake and of everything staked, with one plain sentence.

    Where a player banks there is no house: the other side is the bank.

    Args:
        figures: Exact figures of the wager.
        strategy: Name of the strategy that they are counted under.
        banked_by: Who banks, ``house`` or ``player``.
        stake: What the initial stake is called.
    """
    if figures.bracket is not None:
        return _proven_edge(figures.bracket, banked_by, stake)
    net = figures.expectation
    side, bank, holder = _sides(net, banked_by)
    size = abs(net)
    # An approximation is reported as one where it is tabulated, and never in a plain sentence.
    total = None if figures.near else figures.total_wagered
    part = None if total is None else size / total
    if part is None:
        sentence = say(f"edge.{holder}", size=size, stake=stake, strategy=strategy)
    else:
        sentence = say(f"edge.{holder}-of-total", size=size, part=part, stake=stake, strategy=strategy)
    return Edge(
        side=side,
        bank=bank,
        per_stake=size,
        per_total_wagered=part,
        **worded(sentence=sentence),
    )


def edge_among(returns: Sequence[tuple[str, Fraction]], banked_by: str) -> Edge:
    """Returns who has the edge where several configurations may be staked: no sentence is of one of them alone.

    Args:
        returns: The highest return of each configuration, by its name. Even ones give nobody an edge, and are counted.
        banked_by: Who banks, ``house`` or ``player``.

    >>> edge_among([("main", Fraction(9, 10)), ("buy", Fraction(19, 20)), ("gamble", Fraction(1))], "house").sentence
    'The bank has the edge in 2 of 3 wagering configurations: 5.0000 % of what is staked in “buy”, the least of these; \
the others return exactly what is staked.'
    """
    uneven = [(named, returned) for named, returned in returns if returned != 1]
    named, highest = max(uneven or returns, key=itemgetter(1))
    side, bank, holder = _sides(highest - 1, banked_by)
    size, count = abs(highest - 1), len(returns)
    if holder == "player":
        above = sum(returned > 1 for _, returned in returns)
        sentence = say("edge.player-among", size=size, configuration=named, above=above, count=count)
    elif len(uneven) in (0, count):
        sentence = say(f"edge.{holder}-among", size=size, configuration=named)
    else:
        sentence = say("edge.bank-among-even", size=size, configuration=named, below=len(uneven), count=count)
    return Edge(side=side, bank=bank, per_stake=size, **worded(sentence=sentence))


def _sides(net: Fraction, banked_by: str) -> tuple[str, str, str]:
    """Returns who has the edge, what the other side is called, and which sentence says it."""
    bank = "house" if banked_by == "house" else "bank"
    side = "player" if net > 0 else bank if net < 0 else "nobody"
    return side, bank, side if side in ("player", "nobody") else "bank"


def _proven_edge(proven: Bracket, banked_by: str, stake: str) -> Edge:
    """Returns who has the edge where a second party decides too: its size is the least that is proven."""
    below, above = min(proven.upper - 1, Fraction(0)), max(proven.lower - 1, Fraction(0))
    side, bank, holder = _sides(below + above, banked_by)
    nearest, farthest = sorted((abs(1 - proven.lower), abs(1 - proven.upper)))
    ends = (proven.lower, proven.upper) if side == "nobody" else (nearest, farthest)
    low, high = outward_texts(100 * ends[0], 100 * ends[1], 4)
    return Edge(
        side=side,
        bank=bank,
        per_stake=abs(below + above),
        **worded(sentence=say(f"edge.{holder}-proven", low=low, high=high, stake=stake)),
    )


BAND_ROUNDS: Final = tuple(10**power for power in range(3, 8))
"""Numbers of rounds for which bands of the observed return are given: 10^3 to 10^7 handle pulls."""

RUN_ROUNDS: Final = tuple(10**power for power in range(3, 10))
"""Numbers of rounds for which losing runs are given."""

RUN_CHANCE: Final = Fraction(1, 100)
"""A losing run is called longest when a longer one has at most this probability."""

RUIN_ROUNDS: Final = (100, 1000)

HOUSE_CELLS: Final = 30_000
"""Largest table that is carried for the house's bankroll; beyond it the bounds of the long run stand alone."""


CONFIDENCES: Final = tuple((label, Fraction(int(label.split()[0]), 100)) for label, _ in VOLATILITY_Z)


def bands(figures: WagerFigures) -> tuple[Band, ...]:
    """Returns bands of the observed return: exact quantiles of the distribution of its mean, or bounds from outside."""
    return tuple(
        Band(rounds, label, _down(band.low), -_down(-band.high), band.covers, band.bound or None)
        for rounds in BAND_ROUNDS
        for label, confidence in CONFIDENCES
        for band in (mean_band(figures, rounds, confidence),)
    )


def _down(value: Fraction) -> float:
    """Returns the highest float that is not above a number."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def longest_losing_run(figures: WagerFigures, rounds: int, chance: Fraction = RUN_CHANCE) -> int:
    """Returns a length that no losing run in a number of rounds exceeds but with a small probability.

    A losing round is one that loses money, whatever comes back of it. A run longer than k begins in round one, or
    after a round that did not lose: its probability is at most p^(k+1) (1 + (rounds - 1 - k) (1 - p)). The bound is
    exact arithmetic, and errs on the side of longer runs.

    Args:
        figures: Exact figures of the wager.
        rounds: Number of rounds.
        chance: Highest probability of a longer run.
    """
    losing = ends_of(figures.loss_frequency)[1]
    if losing == 1:
        return rounds
    length, power = 0, losing
    while length < rounds and power * (1 + (rounds - 1 - length) * (1 - losing)) > chance:
        length += 1
        power *= losing
        # Long fractions are rounded up, so that the bound stays a bound.
        if power.denominator.bit_length() > 4096:
            power = Fraction(math.ceil(power * 2**2048), 2**2048)
    return length


def ruin(figures: WagerFigures, bankroll: int, rounds: int, holder: str = PLAYER) -> float:
    """Returns the probability that a bankroll no longer covers a round within a number of rounds.

    One unit is staked every round; where the player may add to it, a round asks for the most that it can lose.
    The house's bankroll has to cover the highest award.
    The distribution of the bankroll is carried from round to round; a bankroll that still covers a round
    after losing all rounds to come cannot be ruined, so it need not be kept.

    Args:
        figures: Exact figures of the wager.
        bankroll: Units at the start.
        rounds: Rounds played at most.
        holder: Whose bankroll it is, ``player`` or ``house``.

    Raises:
        InputError: The bankroll or the number of rounds is not positive.
    """
    if bankroll < 1 or rounds < 1:
        raise InputError("ruin needs a bankroll of at least one unit and at least one round")
    net = steps_of(figures, holder)
    unit, asked = net.unit, net.asked
    steps = [(step, float(probability)) for step, probability in net.results]
    top = (rounds + 1) * asked
    if bankroll * unit >= top:
        return 0.0
    if bankroll * unit < asked:
        return 1.0
    held = np.zeros(top + 1)
    held[bankroll * unit] = 1.0
    ruined = 0.0
    for played in range(1, rounds + 1):
        after = np.zeros_like(held)
        for step, probability in steps:
            _move(held, after, step, probability)
        ruined += float(after[:asked].sum())
        after[:asked] = 0.0
        # A bankroll that all rounds still to come cannot bring below what a round asks for is safe.
        after[(rounds - played + 1) * asked :] = 0.0
        held = after
    # Nothing is exactly 0 but what cannot happen, which was seen above; what floats cannot hold is not nothing.
    return ruined or sys.float_info.min


def _move(held: Floats, after: Floats, step: int, probability: float) -> None:
    if step >= len(held):
        return
    if step >= 0:
        after[step:] += probability * held[: len(held) - step]
    else:
        after[:step] += probability * held[-step:]


def top_award_evidence(figures: WagerFigures) -> TopAward:
    """Returns the award that pays most for what is staked on it, with its odds.

    An outcome that was added to pays on the first stake and on what was added: what counts is what one unit is paid.
    Outcomes that pay the same are taken together, the most frequent one named.
    """
    if figures.top is not None:
        top = figures.top
        return TopAward(
            outcome=top.rows[0],
            outcomes=top.rows,
            pays=format_odds(top.amount - 1),
            probability=figure_between(*top.chances, "proven at least, and the expected number at most")
            if top.chance is None
            else top.chance,
            one_in=1 / top.times,
            expected=top.times,
        )
    rates = {end.id: end.pays / end.staked for end in figures.outcomes if end.probability}
    highest = max(rates.values())
    ends = [end for end in figures.outcomes if rates.get(end.id) == highest]
    probability = sum((end.probability for end in ends), Fraction(0))
    return TopAward(
        outcome=max(ends, key=lambda end: end.probability).id,
        outcomes=tuple(end.id for end in ends),
        pays=format_odds(highest),
        probability=probability,
        one_in=1 / probability,
    )


def par_sheet_evidence(figures: WagerFigures, strategy: str, staked: StakedAs = StakedAs.ALONE) -> ParSheet:
    """Returns the PAR sheet of a wager.

    Args:
        figures: Exact figures of the wager under one strategy.
        strategy: Name of that strategy.
        staked: How the round is staked.
    """
    return replace(_sheet(replace(figures, wager=""), staked), wager=figures.wager, strategy=strategy)


@lru_cache(maxsize=256)
def _sheet(figures: WagerFigures, staked: StakedAs) -> ParSheet:
    """Returns the PAR sheet of a distribution, made once for all wagers with the same ends: a layout has hundreds."""
    carried = ruin_is_carried(figures) and staked is not StakedAs.METERED
    cycle = math.lcm(*(end.probability.denominator for end in figures.outcomes))
    of_mean = bands(figures)
    ruined = tuple(
        RuinWithin(bankroll, rounds, ruin(figures, bankroll, rounds))
        for bankroll in PLAYER_BANKROLLS
        for rounds in RUIN_ROUNDS
        if carried
    )
    return ParSheet(
        wager=figures.wager,
        cycle=str(cycle),
        hit_frequency=figures.hit_frequency,
        win_frequency=figures.win_frequency,
        loss_frequency=figures.loss_frequency,
        variance=figures.variance,
        standard_deviation=figures.standard_deviation,
        volatility_index={label: figures.volatility_index(z) for label, z in VOLATILITY_Z},
        top_award=top_award_evidence(figures),
        rows=tuple(
            ParRow(
                outcome=end.id,
                pays=format_odds(end.pays),
                combinations=end.probability * cycle,
                probability=end.probability,
                one_in=1 / end.probability if end.probability else None,
                contribution=(1 + end.pays) * end.probability,
            )
            for end in figures.outcomes
        ),
        awards=figures.awards or None,
        bands=of_mean,
        losing_runs=tuple(
            LosingRun(rounds, longest_losing_run(figures, rounds), RUN_CHANCE) for rounds in RUN_ROUNDS
        ),
        ruin=ruined,
        house_ruin=tuple(
            RuinWithin(bankroll, rounds, ruin(figures, bankroll, rounds, HOUSE))
            for bankroll in (100, 500, 1000)
            for rounds in RUIN_ROUNDS
            if carried and steps_of(figures, HOUSE).asked * (rounds + 1) <= HOUSE_CELLS
        ),
        long_run=long_run_evidence(figures, staked),
        methods=Methods(
            **worded(
                bands=say(
                    "par.method-bands-bounded" if any(one.bound for one in of_mean) else "par.method-bands"
                ),
                losing_runs=say("par.method-losing-runs"),
                ruin=say("par.method-ruin" if ruined else "par.method-ruin-not-given"),
            )
        ),
        strategy="",
        near=figures.near or None,
    )

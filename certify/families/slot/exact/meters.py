"""Meters of jackpots: what they pay at a stated meter and in the long run, and at which meter the round is even."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from certify.families.slot.purchases import BetLevel, Jackpot
from certify.families.slot.rules import Per, SlotRules


def level_rules(rules: SlotRules, level: BetLevel) -> SlotRules:
    """Returns the rules at a bet level: its lines and cost, every pay of a line in coins in all."""
    own, lines = dict(level.pays), rules.lines[: level.lines]
    coins = {Per.BET: level.cost, Per.LINE: level.coins, Per.LINES: level.coins * len(lines)}

    def pays(row: str, each: Sequence[int], times: int) -> tuple[int, ...]:
        return tuple(own.get(f"{row}-{count}", one * times) for count, one in enumerate(each, start=1))

    # With one coin as the bet on a line, whatever is paid per line is stated in coins in all.
    return replace(
        rules,
        lines=lines,
        line_bet=1,
        cost=level.cost,
        line_pays=tuple(replace(one, pays=pays(one.id, one.pays, level.coins)) for one in rules.line_pays),
        patterns=tuple(replace(one, pays=own.get(one.id, one.pays * level.coins)) for one in rules.patterns),
        scatter_pays=tuple(
            replace(one, per=Per.LINE, pays=pays(one.id, one.pays, coins[one.per]))
            for one in rules.scatter_pays
        ),
        bonuses=tuple(
            replace(
                one,
                per=Per.LINE,
                full=one.full * coins[one.per],
                prizes=tuple(replace(prize, pays=prize.pays * coins[one.per]) for prize in one.prizes),
            )
            for one in rules.bonuses
        ),
        bet_levels=(),
    )


def chance_at(jackpot: Jackpot, meter: Fraction, times: Fraction) -> Fraction:
    """Returns how often the next round wins a meter.

    Args:
        jackpot: The jackpot.
        meter: Its meter, in total bets.
        times: How often a round wins the row that it hangs on; says nothing where it must hit by an amount.
    """
    if jackpot.must_hit_by is None:
        return times
    return min(Fraction(1), jackpot.increment / (jackpot.must_hit_by - meter))


def paid_at(jackpot: Jackpot, meter: Fraction, times: Fraction) -> Fraction:
    """Returns what the next round is paid from a meter on average, in total bets.

    An amount by which a meter must hit is drawn evenly between seed and that bound. The round whose increment takes the
    meter to it pays it: what is left of the increment is not carried over.

    Args:
        jackpot: The jackpot.
        meter: Its meter.
        times: How often a round wins the row that it hangs on.
    """
    chance = chance_at(jackpot, meter, times)
    if jackpot.must_hit_by is None:
        return chance * meter
    return chance * (meter + min(meter + jackpot.increment, jackpot.must_hit_by)) / 2


def long_run(jackpot: Jackpot, times: Fraction) -> tuple[Fraction, Fraction]:
    """Returns how often a meter is won in the long run, and what it adds to the return.

    Args:
        jackpot: The jackpot.
        times: How often a round wins the row that it hangs on.
    """
    if jackpot.must_hit_by is None:
        return times, jackpot.seed * times + jackpot.increment
    room = jackpot.must_hit_by - jackpot.seed
    rounds = math.ceil(room / jackpot.increment)
    # Rounds of a cycle on average: the chance that it goes on after each of them but the last, and the first.
    mean = rounds - jackpot.increment * rounds * (rounds - 1) / (2 * room)
    return 1 / mean, (jackpot.seed + jackpot.must_hit_by) / 2 / mean


def break_even(jackpot: Jackpot, returned: Fraction, times: Fraction) -> Fraction:
    """Returns the least meter at which the next round returns its stake.

    Args:
        jackpot: The jackpot.
        returned: Return of the round without it.
        times: How often a round wins the row that it hangs on.
    """
    if jackpot.must_hit_by is None:
        return max(Fraction(0), (1 - returned) / times)
    # The chance of the next round times the middle of its increment is what the round lacks.
    lacks, by = 1 - returned, jackpot.increment
    return (
        max(jackpot.seed, (jackpot.must_hit_by * lacks - by * by / 2) / (lacks + by))
        if lacks > 0
        else jackpot.seed
    )

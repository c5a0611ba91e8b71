"""What a wheel, picks, a ladder, hold and win, or the meter of a jackpot pays.

The distribution of prizes is exact. A meter pays at a stated meter and in the long run, and has a meter at which the
round is even.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, gcd, lcm
from typing import NamedTuple

from certify.by_key import summed
from certify.errors import InputError
from certify.families.slot.purchases import BetLevel, Jackpot
from certify.families.slot.rules import BonusPrizes, Per, Prize, PrizeDraws, SlotRules

Law = dict[Fraction, Fraction]
"""Chance of every sum of prizes."""


class PrizeLaw(NamedTuple):
    """What a bonus pays, in whole numbers: places that are held make fractions of thousands of digits.

    Args:
        whole: Weight of all sums of prizes together.
        weights: Weight of every sum, in the unit of the bonus.
    """

    whole: int
    weights: Mapping[Fraction, int]

    def moment(self, power: int) -> Fraction:
        """Returns the mean of a power of the sum."""
        return (
            sum((weight * value**power for value, weight in self.weights.items()), Fraction(0)) / self.whole
        )


MOST_PICKED = 200_000
"""Different ways in which picks may stand, at most; different sums of prizes that are held."""


@lru_cache(maxsize=256)
def prize_law(bonus: BonusPrizes, held: int = 0) -> PrizeLaw:
    """Returns how often every sum of prizes comes, in the unit of the bonus and in the smallest whole numbers.

    Args:
        bonus: The bonus.
        held: Places of hold and win that are held at first.

    Raises:
        InputError: There are too many different ways of picking, or sums of what is held.

    >>> from certify.families.slot.rules import Trigger
    >>> prizes = Prize("a", Fraction(2), 3), Prize("b", Fraction(5))
    >>> wheel = BonusPrizes("b", PrizeDraws.WHEEL, 1, prizes, Trigger(("x",), (1,)), ())
    >>> prize_law(wheel)
    PrizeLaw(whole=4, weights={Fraction(2, 1): 3, Fraction(5, 1): 1})
    """
    weights = _weights(bonus, held)
    by = gcd(*weights.values())
    return PrizeLaw(sum(weights.values()) // by, {value: weight // by for value, weight in weights.items()})


def _weights(bonus: BonusPrizes, held: int) -> Mapping[Fraction, int]:
    if bonus.draws is PrizeDraws.LADDER:
        law = _ladder(bonus.prizes)
        whole = lcm(*(chance.denominator for chance in law.values()))
        return {value: int(chance * whole) for value, chance in law.items()}
    if bonus.draws is PrizeDraws.WHEEL:
        return _wheel(bonus.prizes, bonus.times)
    if bonus.draws is PrizeDraws.HOLD:
        return _held(bonus, held)
    if bonus.draws is PrizeDraws.PICK:
        ways = _picks(bonus.prizes, bonus.times)
        return {value: number for (taken, value), number in ways.items() if taken == bonus.times}
    return _until(bonus.prizes)


def prize_amounts(bonus: BonusPrizes) -> set[Fraction]:
    """Returns amounts of which everything that a bonus pays is made up by adding, in its unit."""
    if bonus.draws is PrizeDraws.HOLD:
        return {bonus.full, *(one.pays for one in bonus.prizes)}
    return set(prize_law(bonus).weights)


def _wheel(prizes: tuple[Prize, ...], times: int) -> Mapping[Fraction, int]:
    weights = {Fraction(0): 1}
    for _ in range(times):
        weights = summed(
            (value + one.pays, weight * one.weight) for value, weight in weights.items() for one in prizes
        )
    return weights


def _ladder(prizes: tuple[Prize, ...]) -> Law:
    """A step that is won goes on to the next; the last step that was won pays."""
    ends, reached, value = list[tuple[Fraction, Fraction]](), Fraction(1), Fraction(0)
    for one in prizes:
        ends.append((value, reached * (1 - one.chance)))
        reached, value = reached * one.chance, one.pays
    return {value: chance for value, chance in summed([*ends, (value, reached)]).items() if chance}


def _picks(prizes: tuple[Prize, ...], most: int) -> dict[tuple[int, Fraction], int]:
    """So many prizes of a sum, up to the most that are picked: the order does not matter."""
    ways: dict[tuple[int, Fraction], int] = {(0, Fraction(0)): 1}
    for one in prizes:
        ways = summed(
            ((taken + count, value + count * one.pays), number * comb(one.weight, count))
            for (taken, value), number in ways.items()
            for count in range(min(one.weight, most - taken) + 1)
        )
        if len(ways) > MOST_PICKED:
            raise InputError(f"more than {MOST_PICKED:,} different ways of picking: too many to count")
    return ways


def _until(prizes: tuple[Prize, ...]) -> Mapping[Fraction, int]:
    """Picks without putting back until one ends them; that one pays too."""
    ending = [one for one in prizes if one.ends]
    going = tuple(one for one in prizes if not one.ends)
    free = sum(one.weight for one in going)
    boxes = free + sum(one.weight for one in ending)
    # In which of all orders so many come first, and which one next: the least common multiple holds each in whole.
    whole = lcm(*range(1, boxes + 1))
    return summed(
        (value + one.pays, number * one.weight * (whole // (boxes * comb(boxes - 1, taken))))
        for (taken, value), number in _picks(going, free).items()
        for one in ending
    )


def _held(bonus: BonusPrizes, held: int) -> Mapping[Fraction, int]:
    """Places that are held at the end, as a Markov chain; each shows one of the prizes by itself, whenever it came."""
    parts = lcm(*(one.denominator for one in (bonus.full, *(prize.pays for prize in bonus.prizes))))
    # Sums are in whole parts: fractions as keys take eight times as long.
    showing = [(int(one.pays * parts), one.weight) for one in bonus.prizes if one.pays]
    weight = sum(much for _, much in showing)
    ends = held_at_the_end(bonus, held)
    whole = lcm(*(chance.denominator for chance in ends.values()))
    sums = {0: 1}
    weights: list[tuple[int, int]] = []
    for number in range(bonus.places + 1):
        share = int(ends.get(number, Fraction(0)) * whole) * weight ** (bonus.places - number)
        more = int(bonus.full * parts) if number == bonus.places else 0
        weights += [(value + more, share * ways) for value, ways in sums.items() if share]
        sums = summed((value + pays, ways * much) for value, ways in sums.items() for pays, much in showing)
        if len(sums) > MOST_PICKED:
            raise InputError(f"more than {MOST_PICKED:,} different sums of {bonus.id!r}: too many to count")
    return {Fraction(value, parts): much for value, much in summed(weights).items()}


@lru_cache(maxsize=64)
def held_at_the_end(bonus: BonusPrizes, held: int) -> Mapping[int, Fraction]:
    """Returns the chance of each number of places of hold and win that are held in the end.

    Args:
        bonus: The bonus.
        held: Places that are held at first.
    """
    total = sum(one.weight for one in bonus.prizes)
    stays = Fraction(sum(one.weight for one in bonus.prizes if not one.pays), total)
    reached, ends = {held: Fraction(1)}, {}
    for number in range(held, bonus.places):
        places = bonus.places - number
        none = stays**places
        over = none**bonus.times
        ends[number] = reached[number] * over
        for new in range(1, places + 1):
            chance = comb(places, new) * (1 - stays) ** new * stays ** (places - new) / (1 - none)
            then = reached.get(number + new, Fraction(0)) + reached[number] * (1 - over) * chance
            reached[number + new] = then
    ends[bonus.places] = reached[bonus.places]
    return ends


def prize_times(bonus: BonusPrizes, held: int = 0) -> Law:
    """Returns how often each single prize comes on average, in the unit of the bonus; nothing is no prize.

    Args:
        bonus: The bonus.
        held: Places of hold and win that are held at first.

    >>> from certify.families.slot.rules import Trigger
    >>> prizes = Prize("a", Fraction(2), 3), Prize("b", Fraction(5), ends=True)
    >>> picks = BonusPrizes("b", PrizeDraws.PICK_UNTIL, 1, prizes, Trigger(("x",), (1,)), ())
    >>> {str(value): str(times) for value, times in prize_times(picks).items()}
    {'2': '3/2', '5': '1'}
    """
    if bonus.draws is PrizeDraws.LADDER:
        found = _ladder(bonus.prizes)
    else:
        filled = bonus.draws is PrizeDraws.HOLD and held_at_the_end(bonus, held).get(bonus.places)
        each = [(one.pays, _times(bonus, one, held)) for one in bonus.prizes]
        found = summed([*each, (bonus.full, filled or Fraction(0))])
    return {value: times for value, times in found.items() if value and times}


def _times(bonus: BonusPrizes, prize: Prize, held: int) -> Fraction:
    """Returns how often one prize is drawn on average; prizes of a ladder are not drawn."""
    if bonus.draws is PrizeDraws.PICK_UNTIL:
        ends = sum(one.weight for one in bonus.prizes if one.ends)
        # What does not end them comes before the first that does in one of so many orders and one.
        return Fraction(prize.weight, ends if prize.ends else ends + 1)
    if bonus.draws is PrizeDraws.HOLD:
        many = sum((number * chance for number, chance in held_at_the_end(bonus, held).items()), Fraction(0))
        return many * Fraction(prize.weight, sum(one.weight for one in bonus.prizes if one.pays))
    return Fraction(bonus.times * prize.weight, sum(one.weight for one in bonus.prizes))


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
    rounds = ceil(room / jackpot.increment)
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

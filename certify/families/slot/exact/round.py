"""The round: outcomes, contributions and the distribution, from the law of a spin and what features are worth."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import count

from certify.by_key import gathered, summed
from certify.families.slot.exact.branching import Branching, Sums, branching, expected_games
from certify.families.slot.exact.ends import highest_of_feature, highest_win
from certify.families.slot.exact.limited import (
    Limited,
    feature_frequencies,
    frequencies,
    limited_feature,
    limited_round,
)
from certify.families.slot.exact.prizes import long_run, prize_law, prize_times
from certify.families.slot.exact.spin import SpinLaw, Starts, spin_law
from certify.families.slot.purchases import Purchase
from certify.families.slot.rows import LIMIT, outcome_ids, outcome_of, paytable_of
from certify.families.slot.rules import (
    BASE,
    BonusPrizes,
    FreeGames,
    LinePay,
    PrizeDraws,
    ScatterPay,
    SlotRules,
    SpinKind,
    award_unit,
    starts_in,
    unit_in,
)
from certify.model import (
    AdvertisedAward,
    Award,
    Distribution,
    Figure,
    Outcome,
    RoundOdds,
    WagerFigures,
    ends_of,
    figure_between,
)


@lru_cache(maxsize=32)
def round_figures(rules: SlotRules, wager: str) -> WagerFigures:
    """Returns the exact figures of a paid round, in total bets.

    Raises:
        InputError: The game cannot be counted within bounds.
    """
    return _Round(rules, wager).figures()


_Part = tuple[Sums, Fraction, Fraction | None]
"""Sums of a part of all rounds, and the least and the most coins of them; no most where there is no end."""


class _Round:
    """Adds up one round."""

    def __init__(self, rules: SlotRules, wager: str) -> None:
        self.rules, self.wager = rules, wager
        self.base: SpinLaw = spin_law(rules, BASE)
        self.stage: SpinKind = rules.stage(BASE)
        self.worth: Branching = branching(rules)

    def figures(self) -> WagerFigures:
        """Returns the figures."""
        limited = None if self.rules.most is None else limited_round(self.rules)
        nothing = (0,) * len(self.rules.features)
        # Each amount that is paid, with its chance: all of them under a limit, else those of spins that start nothing.
        alone = self.base.wins.get(nothing, {}).items()
        paid = {nothing: {Fraction(win): Fraction(weight, self.base.total) for win, weight in alone}}
        if limited is not None:
            paid = {starts: limited.paid(starts) for starts in limited.by_starts}
        chances = summed(one for law in paid.values() for one in law.items())
        parts: list[tuple[str, _Part]] = [
            (
                outcome_of(coins / self.rules.cost, self._begun(starts)),
                ((chance, chance * coins, chance * coins * coins), coins, coins),
            )
            for starts, law in paid.items()
            for coins, chance in law.items()
        ]
        parts += [
            (outcome_of(Fraction(0), self._begun(starts)), (sums, *self._limits(starts)))
            for starts, sums in (self.worth.by_starts(self.stage).items() if limited is None else ())
            if any(starts)
        ]
        classes = gathered(parts)
        outcomes = tuple(
            self._outcome(name, classes[name]) for name in outcome_ids(self.rules) if name in classes
        )
        listed = tuple((coins / self.rules.cost - 1, chance) for coins, chance in sorted(chances.items()))
        rest = 1 - sum((chance for _, chance in listed), Fraction(0))
        return WagerFigures(
            self.wager,
            outcomes,
            awards=(
                *_awards(self.rules, expected_spins(self.rules)),
                *(() if limited is None else self._taken(limited, outcomes)),
            ),
            distribution=Distribution(listed, rest),
            odds=self._odds(),
        )

    def _odds(self) -> RoundOdds:
        """Returns hit frequency, odds of features, and the highest win with its odds."""
        highest = highest_win(self.rules)
        named = tuple((name, chance) for name, chance in feature_odds(self.rules).items() if chance)
        chances = frequencies(self.rules)
        top = advertised(self.rules)
        if highest is None:
            return RoundOdds(*chances, named, top=top)
        return RoundOdds(*chances, named, highest.coins / self.rules.cost - 1, highest.chance, top)

    def _begun(self, starts: Starts) -> list[str]:
        """Returns the features that were started so often."""
        return [one.id for one, times in zip(self.rules.features, starts, strict=True) if times]

    def _limits(self, starts: Starts) -> tuple[Fraction, Fraction | None]:
        """Returns the least and the most coins of spins that start so much; no most where a series has no end."""
        least, most = Fraction(min(self.base.wins[starts])), Fraction(max(self.base.wins[starts]))
        for feature, times in zip(self.rules.features, starts, strict=True):
            if not times:
                continue
            if isinstance(feature, FreeGames):
                return least, None
            several, held = feature.begun(times)
            law = prize_law(feature, held).weights
            unit = unit_in(self.rules, feature, self.stage)
            least += int(several * unit * min(law))
            most += math.ceil(several * unit * max(law))
        return least, most

    def _outcome(self, name: str, parts: Sequence[_Part]) -> Outcome:
        cost = self.rules.cost
        chance, one, two = self.worth.either(sums for sums, _, _ in parts)
        mean, ends = one / chance, [most for _, _, most in parts if most is not None]
        return Outcome(
            name,
            mean / cost - 1,
            chance,
            variance=(two / chance - mean * mean) / cost**2,
            least=min(least for _, least, _ in parts) / cost - 1,
            most=max(ends) / cost - 1 if len(ends) == len(parts) else None,
        )

    def _taken(self, limited: Limited, outcomes: tuple[Outcome, ...]) -> Iterator[Award]:
        """Yields what the limit takes away: the return with it less that without."""
        with_limit = 1 + sum((one.pays * one.probability for one in outcomes), Fraction(0))
        if limited.above:
            yield Award(LIMIT, limited.above, with_limit - self.worth.spin(self.stage)[0] / self.rules.cost)


@lru_cache(maxsize=64)
def bought_figures(rules: SlotRules, wager: str, bought: Purchase) -> WagerFigures:
    """Returns the exact figures of a feature that is bought, in its price.

    Raises:
        InputError: It cannot be counted within bounds.
    """
    place = [one.id for one in rules.features].index(bought.feature)
    feature, base, price = rules.features[place], rules.stage(BASE), bought.price * rules.cost
    mean, variance = branching(rules).feature(base, place, bought.starts)
    awards = list(_awards(rules, spins_of(rules, feature, bought.starts), bought.price))
    if isinstance(feature, BonusPrizes):
        several, _ = feature.begun(bought.starts)
        awards.append(Award(feature.id, Fraction(several), mean / price, BASE))
    if rules.most is not None:
        limited, unlimited = limited_feature(rules, place, bought.starts), mean
        paid = limited.paid(()).items()
        mean = sum((coins * chance for coins, chance in paid), Fraction(0))
        variance = sum((coins**2 * chance for coins, chance in paid), Fraction(0)) - mean**2
        if limited.above:
            awards.append(Award(LIMIT, limited.above, (mean - unlimited) / price))
    highest = highest_of_feature(rules, place, bought.starts)
    most = None if highest is None else highest.coins / price - 1
    outcome = Outcome(
        feature.id, mean / price - 1, Fraction(1), variance=variance / price**2, least=Fraction(-1), most=most
    )
    hits, wins = feature_frequencies(rules, place, bought.starts, price)
    between = figure_between(Fraction(0), ends_of(hits)[1], "no more often than anything comes back")
    odds = RoundOdds(hits, between, between if wins is None else wins, highest=most)
    return WagerFigures(
        wager,
        (outcome,),
        awards=tuple(awards),
        distribution=Distribution((), Fraction(1)),
        odds=odds,
    )


def _awards(
    rules: SlotRules, all_spins: Mapping[str, Fraction], price: Fraction = Fraction(1)
) -> Iterator[Award]:
    """Yields what rows and bonuses win in so many spins of each stage, in a price that is stated in total bets."""
    cost = price * rules.cost
    for stage, spins in all_spins.items():
        for row, (times, coins) in spin_law(rules, stage).shares.items():
            if times:
                yield Award(row, spins * times, spins * coins / cost, stage)
    for bonus, stage, times, coins in expected_bonuses(rules, all_spins):
        yield Award(bonus.id, times, coins / cost, stage)


@lru_cache(maxsize=64)
def expected_spins(rules: SlotRules) -> dict[str, Fraction]:
    """Returns how many spins of each stage a paid round comes to on average."""
    return summed([(BASE, Fraction(1)), *_following(rules, rules.stage(BASE), Fraction(1))])


def spins_of(rules: SlotRules, feature: FreeGames | BonusPrizes, starts: int) -> dict[str, Fraction]:
    """Returns the same of so many starts of a feature by themselves."""
    return {} if isinstance(feature, BonusPrizes) else summed(_series(rules, feature, starts, Fraction(1)))


def _series(
    rules: SlotRules, feature: FreeGames, starts: int, times: Fraction
) -> Iterator[tuple[str, Fraction]]:
    """Yields the stages of a series that begins so many times, and of all that follows, with their spins."""
    for name, share in feature.stages:
        spins = times * share * expected_games(rules, feature, name, starts)
        yield name, spins
        yield from _following(rules, rules.stage(name), spins)


def _following(rules: SlotRules, stage: SpinKind, spins: Fraction) -> Iterator[tuple[str, Fraction]]:
    """Yields what so many spins of a stage lead to, its own series left out: that was counted when it began."""
    for starts, (chance, _, _) in spin_law(rules, stage.id).moments().items():
        for place, feature in enumerate(rules.free_games):
            if starts[place] and stage.id not in dict(feature.stages):
                yield from _series(rules, feature, starts[place], spins * chance)


def expected_bonuses(
    rules: SlotRules, all_spins: Mapping[str, Fraction]
) -> Iterator[tuple[BonusPrizes, str, Fraction, Fraction]]:
    """Yields for each bonus and stage how often so many spins come to it on average, and the coins that it wins."""
    for place, bonus in enumerate(rules.bonuses, start=len(rules.free_games)):
        for name, spins in all_spins.items():
            stage = rules.stage(name)
            if starts_in(bonus, stage):
                unit = unit_in(rules, bonus, stage)
                times = coins = Fraction(0)
                for starts, (chance, _, _) in spin_law(rules, name).moments().items():
                    several, held = bonus.begun(starts[place])
                    times += several * chance
                    coins += several * chance * unit * prize_law(bonus, held).moment(1) if several else 0
                yield bonus, name, spins * times, spins * coins


def advertised(rules: SlotRules) -> AdvertisedAward | None:
    """Returns the highest single award that the paytable or a bonus states, and how often a round comes to it.

    Rows are taken as they are printed, before wilds and stages multiply them; one that wins a meter with its seed, and
    a meter that must hit by an amount with that amount: it is won at less, so that its chance is not above that of any
    win of the meter, and nothing is proven of it.
    """
    seeds = {one.row: one.seed for one in rules.jackpots}
    printed = {row.id: row.pays + seeds.get(row.id, Fraction(0)) for row in paytable_of(rules).rows}
    found: list[tuple[tuple[Fraction, str], Fraction]] = []
    for stage, spins in expected_spins(rules).items():
        shares = spin_law(rules, stage).shares.items()
        found += [
            ((printed[row], row), spins * times) for row, (times, _) in shares if times and row in printed
        ]
        for bonus, place in zip(rules.bonuses, count(len(rules.free_games))):
            unit = Fraction(award_unit(rules, bonus.per), rules.cost)
            for starts, (chance, _, _) in spin_law(rules, stage).moments().items():
                several, held = bonus.begun(starts[place])
                found += [
                    ((value * unit, bonus.id), spins * chance * several * times)
                    for value, times in (prize_times(bonus, held) if several else {}).items()
                ]
    found += [
        ((meter.must_hit_by, meter.id), long_run(meter, Fraction(0))[0])
        for meter in rules.jackpots
        if meter.must_hit_by is not None
    ]
    won = summed(found)
    if not won:
        return None
    amount = max(paid for paid, _ in won)
    rows = {row: times for (paid, row), times in won.items() if paid == amount}
    ordered = sorted(rows, key=lambda row: -rows[row])
    times, once = sum(rows.values(), Fraction(0)), at_least_once(rules, rows, amount)
    return AdvertisedAward(tuple(ordered), amount, times, once, _proven(rules, rows, amount))


def _proven(rules: SlotRules, rows: Mapping[str, Fraction], amount: Fraction) -> Fraction:
    """Returns a chance that a round has at least of winning some rows: what it wins with its first window alone.

    The prizes of hold and win are as many as its places at most, and what filling them pays.
    """
    window = replace(rules, cascades=(), free_games=(), bonuses=(), jackpots=())
    first = at_least_once(window, rows)
    least = Fraction(0) if first is None else ends_of(first)[0]
    for place, bonus in enumerate(rules.bonuses, len(rules.free_games)):
        if bonus.draws is PrizeDraws.HOLD and bonus.id in rows:
            value = amount * rules.cost / award_unit(rules, bonus.per)
            won = Fraction(0)
            for starts, (chance, _, _) in spin_law(rules, BASE).moments().items():
                several, held = bonus.begun(starts[place])
                won += chance * prize_times(bonus, held).get(value, Fraction(0)) if several else 0
            least = max(least, won / (bonus.places + 1))
    return least


def at_least_once(rules: SlotRules, rows: Collection[str], amount: Fraction = Fraction(-1)) -> Figure | None:
    """Returns how often a round wins one of some rows at least once: anything at all, where all else pays nothing.

    Nothing where what pays changes more than what is paid, as where wins fall, and where a row is not the one that a
    line is paid for as often as before.

    Args:
        rules: Rules of the slot.
        rows: The rows.
        amount: What a prize of a bonus pays that counts too, in total bets; none does where left out.
    """

    def alone(one: LinePay | ScatterPay) -> tuple[int, ...]:
        return tuple(int(f"{one.id}-{count}" in rows) for count in range(1, len(one.pays) + 1))

    bonuses = tuple(
        replace(
            bonus,
            full=Fraction(0),
            prizes=tuple(
                replace(one, pays=Fraction(one.pays * award_unit(rules, bonus.per) == amount * rules.cost))
                for one in bonus.prizes
            ),
        )
        for bonus in rules.bonuses
    )
    only = replace(
        rules,
        most=None,
        full_reels=(),
        line_pays=tuple(replace(one, pays=alone(one)) for one in rules.line_pays),
        patterns=tuple(replace(one, pays=int(one.id in rows)) for one in rules.patterns),
        scatter_pays=tuple(replace(one, pays=alone(one)) for one in rules.scatter_pays),
        bonuses=bonuses,
    )
    held = any(one.draws is PrizeDraws.HOLD for one in rules.bonuses)
    if rules.cascades or held or any(meter.id in rows for meter in rules.jackpots):
        return None
    for stage in expected_spins(rules):
        before, after = spin_law(rules, stage).shares, spin_law(only, stage).shares
        if {row: times for row, (times, _) in after.items() if times} != {
            row: times for row, (times, _) in before.items() if times and row in rows
        }:
            return None
    return frequencies(only)[0]


def feature_odds(rules: SlotRules) -> dict[str, Fraction]:
    """Returns the chance that a paid spin begins each feature."""
    return summed(
        (one.id, chance if times else Fraction(0))
        for starts, (chance, _, _) in spin_law(rules, BASE).moments().items()
        for one, times in zip(rules.features, starts, strict=True)
    )

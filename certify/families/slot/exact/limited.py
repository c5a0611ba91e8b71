"""The win of a whole round up to an amount, win by win, in whole numbers: features are put together exactly."""

import decimal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, gcd, lcm
from typing import Final

from certify.by_key import summed
from certify.errors import InputError
from certify.families.slot.exact.branching import OverFeatures
from certify.families.slot.exact.prizes import PrizeLaw, prize_amounts
from certify.families.slot.exact.spin import SpinLaw, Starts, spin_law
from certify.families.slot.rules import BASE, FreeGames, SlotRules, SpinKind, unit_in
from certify.model import Figure, figure_between

MOST_DIGITS: Final = 300_000_000
"""Decimal digits of all products together, at most: some minutes of one core."""

FEW: Final = 100_000
"""Pairs of wins up to which a product is made pair by pair."""

MOST_PAIRS: Final = 20_000_000
"""Pairs of wins of all products together of which the ends of a chance are found: some seconds."""

LONG: Final = 4096
"""Binary digits beyond which weights are rounded where two ends of a chance will do."""

DIGITS: Final = 160
"""Binary digits to which they are rounded then."""

NEAR: Final = Fraction(1, 1 << (DIGITS - 16))
"""Chances that differ by less are not refined any further."""

MOST_STEPS: Final = 64
"""Wins up to the price of a feature that are distinguished, at most."""

METHOD: Final = "win by win up to the stake, weights rounded outwards to 160 binary digits"

_EXACT: Final = decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


@dataclass(frozen=True, slots=True)
class UpTo:
    """What a part of all rounds wins, up to a limit.

    Args:
        whole: Weight of all rounds.
        mass: Weight of this part of them.
        wins: Weight of each win that is not above the limit, in steps.
    """

    whole: int
    mass: int
    wins: Mapping[int, int]

    @property
    def above(self) -> Fraction:
        """Chance of this part with a win above the limit."""
        return Fraction(self.mass - sum(self.wins.values()), self.whole)

    def within(self, steps: Fraction) -> int:
        """Returns the weight of wins of at most so many steps."""
        return sum(weight for win, weight in self.wins.items() if win <= steps)

    def near(self, other: "UpTo") -> bool:
        """Returns whether another has the same wins, of weights that differ in their last digits alone."""
        return self.wins.keys() == other.wins.keys() and all(
            abs(Fraction(weight, self.whole) - Fraction(other.wins[win], other.whole)) < NEAR
            for win, weight in self.wins.items()
        )

    @property
    def reduced(self) -> "UpTo":
        """The same in the smallest whole numbers."""
        by = gcd(self.whole, self.mass, *self.wins.values())
        return UpTo(
            self.whole // by, self.mass // by, {win: weight // by for win, weight in self.wins.items()}
        )


@dataclass(frozen=True, slots=True)
class Limited:
    """What a round pays that has a limit, in coins.

    Args:
        step: Coins of one step.
        limit: The limit.
        by_starts: What rounds win, by the features that their paid spin starts.
    """

    step: Fraction
    limit: Fraction
    by_starts: Mapping[Starts, UpTo]

    @property
    def above(self) -> Fraction:
        """Chance that a round wins more than the limit."""
        return sum((one.above for one in self.by_starts.values()), Fraction(0))

    def paid(self, starts: Starts) -> dict[Fraction, Fraction]:
        """Returns the chance of each amount that is paid to rounds that start so much."""
        law = self.by_starts[starts]
        found = {self.step * win: Fraction(weight, law.whole) for win, weight in law.wins.items()}
        if law.above:
            found[self.limit] = found.get(self.limit, Fraction(0)) + law.above
        return found

    def at_least(self, coins: Fraction) -> Fraction:
        """Returns the chance that a round is paid at least so much."""
        if coins > self.limit:
            return Fraction(0)
        within = (
            Fraction(sum(weight for win, weight in law.wins.items() if self.step * win >= coins), law.whole)
            for law in self.by_starts.values()
        )
        return self.above + sum(within, Fraction(0))


@lru_cache(maxsize=16)
def limited_round(rules: SlotRules) -> Limited:
    """Returns what a round pays that has a limit.

    Raises:
        InputError: It cannot be counted within bounds.
    """
    made = _Made(rules, Fraction(rules.most or 0) * rules.cost)
    return Limited(made.step, made.limit, made.by_starts(rules.stage(BASE)))


@lru_cache(maxsize=64)
def frequencies(rules: SlotRules) -> tuple[Figure, Figure, Figure]:
    """Returns the chances that anything comes back, at least the stake, and more than it, features included.

    They are exact, or between two ends where a series may go on for ever or takes numbers too long to count with.

    Raises:
        InputError: They cannot be counted within bounds.
    """
    if rules.most is not None:
        return _of_limited(limited_round(rules), Fraction(rules.cost))
    return _up_to(rules, Fraction(rules.cost), lambda made: made.by_starts(rules.stage(BASE)))


@lru_cache(maxsize=16)
def limited_feature(rules: SlotRules, place: int, starts: int) -> Limited:
    """Returns what so many starts of a feature pay by themselves, where a round has a limit."""
    made = _Made(rules, Fraction(rules.most or 0) * rules.cost)
    return Limited(made.step, made.limit, {(): made.started(rules.stage(BASE), place, starts)})


def feature_frequencies(
    rules: SlotRules, place: int, starts: int, price: Fraction
) -> tuple[Figure, Figure | None]:
    """Returns the chances that anything comes back of a feature bought at a price in coins, and more than the price.

    The second one is not counted where wins up to the price are too many to be distinguished in a moment.

    Raises:
        InputError: They cannot be counted within bounds.
    """
    if rules.most is not None:
        hits, _, wins = _of_limited(limited_feature(rules, place, starts), price)
        return hits, wins

    def law(made: "_Made") -> Mapping[Starts, UpTo]:
        return {(): made.started(rules.stage(BASE), place, starts)}

    hits, _, _ = _up_to(rules, Fraction(0), law)
    return hits, _up_to(rules, price, law)[2] if price <= MOST_STEPS * unit_of(rules) else None


def _of_limited(limited: Limited, price: Fraction) -> tuple[Figure, Figure, Figure]:
    above_price = (price // limited.step + 1) * limited.step
    return limited.at_least(limited.step), limited.at_least(price), limited.at_least(above_price)


def _up_to(
    rules: SlotRules, price: Fraction, law: "Callable[[_Made], Mapping[Starts, UpTo]]"
) -> tuple[Figure, Figure, Figure]:
    laws = [law(made := _Made(rules, price, up)) for up in (False, True)]

    def above(coins: Fraction) -> Figure:
        most, least = (
            sum((Fraction(one.within(coins / made.step), one.whole) for one in end.values()), Fraction(0))
            for end in laws
        )
        return figure_between(max(Fraction(0), 1 - least), 1 - most, METHOD)

    # The greatest win below the price is a whole number of steps.
    return above(Fraction(0)), above((ceil(price / made.step) - 1) * made.step), above(price)


class _Made(OverFeatures[UpTo]):
    """Puts spins and features together.

    Args:
        rules: Rules of the slot.
        limit: The amount in coins up to which wins are distinguished.
        up: Where ends will do, whether the chance of so much and less is bounded from above, else from below; exact
            where left out.
    """

    nothing = UpTo(1, 1, {0: 1})

    def __init__(self, rules: SlotRules, limit: Fraction, up: bool | None = None) -> None:
        super().__init__(rules)
        self.limit, self.up = limit, up
        self.step = unit_of(rules)
        self.most = int(self.limit / self.step)
        self.digits = self.pairs = 0

    def wins(self, law: SpinLaw, wins: Mapping[int, int]) -> UpTo:
        """Returns the part of a spin's law that wins of given weights are."""
        steps = ((int(win / self.step), weight) for win, weight in wins.items())
        kept = summed((step, weight) for step, weight in steps if step <= self.most)
        return UpTo(law.total, sum(wins.values()), kept)

    def prizes(self, law: PrizeLaw, unit: int) -> UpTo:
        """Returns the law of one bonus, of which a prize of one is so many coins."""
        wins = {int(value * unit / self.step): weight for value, weight in law.weights.items()}
        kept = {step: weight for step, weight in wins.items() if step <= self.most}
        return UpTo(law.whole, law.whole, kept)

    def mixed(self, parts: Sequence[tuple[Fraction, UpTo]]) -> UpTo:
        """Returns the law of what comes to one of several, each with its chance."""
        return self.either(
            UpTo(
                part.whole * share.denominator,
                part.mass * share.numerator,
                _scaled(part.wins, share.numerator),
            )
            for share, part in parts
        )

    def endless(self, feature: FreeGames, stage: SpinKind, parts: Mapping[int, UpTo]) -> UpTo:
        """Returns what a game of a series without a limit wins with all games that it leads to.

        Where each game that grants further ones wins something, a win within the limit has room for so many of them
        alone: each turn of the loop settles the wins that one more of them leads to.

        Raises:
            InputError: A game may grant further ones and win nothing.
        """
        if self.up is None and any(0 in part.wins for number, part in parts.items() if number):
            raise InputError(
                f"a limit on the win together with the series {feature.id!r}: "
                "a game that grants further ones may win nothing"
            )
        # At first nothing is known of what a game wins: all of it counts as above the limit, or as nothing. Each turn
        # brings the chance of so much and less nearer, from below or from above. What is exact is never near enough.
        found, before = UpTo(1, 1, {0: 1} if self.up else {}), None
        while found != before and (self.up is None or before is None or not found.near(before)):
            before, squares = found, [found]
            found = self.either(
                self.both(part, self.power(found, number, squares)) for number, part in parts.items()
            ).reduced
        return found

    # --- laws ---

    def either(self, parts: Iterable[UpTo]) -> UpTo:
        """Returns parts that exclude each other as one."""
        some = list(parts)
        whole = lcm(*(part.whole for part in some))
        wins = summed(one for part in some for one in _scaled(part.wins, whole // part.whole).items())
        return self._short(UpTo(whole, sum(part.mass * (whole // part.whole) for part in some), wins))

    def _short(self, one: UpTo) -> UpTo:
        """Returns the same with weights of few digits, rounded to the side that is given."""
        if self.up is None or one.whole.bit_length() <= LONG:
            return one
        whole = 1 << DIGITS
        # Whole numbers: as fractions each would be reduced first.
        more = one.whole - 1 if self.up else 0
        wins = {win: (weight * whole + more) // one.whole for win, weight in one.wins.items()}
        return UpTo(whole, (one.mass * whole + more) // one.whole, wins)

    def power(self, one: UpTo, times: int, squares: list[UpTo] | None = None) -> UpTo:
        """Returns what so many of one kind win together.

        Args:
            one: The kind.
            times: How many.
            squares: What one, two, four and so on win, as far as it is known; more are added.
        """
        made, known = UpTo(1, 1, {0: 1}), [one] if squares is None else squares
        for place in range(times.bit_length()):
            if place == len(known):
                known.append(self.both(known[-1], known[-1]))
            if times >> place & 1:
                made = self.both(made, known[place])
        return made

    def both(self, one: UpTo, other: UpTo) -> UpTo:
        """Returns what two win together, up to the limit."""
        return self._short(
            UpTo(one.whole * other.whole, one.mass * other.mass, self._product(one.wins, other.wins))
        )

    def _product(self, one: Mapping[int, int], other: Mapping[int, int]) -> Mapping[int, int]:
        if not one or not other:
            return {}
        if len(one) * len(other) <= FEW:
            self.pairs += 0 if self.up is None else len(one) * len(other)
            if self.pairs > MOST_PAIRS:
                raise InputError(f"chances of a round: more than {MOST_PAIRS:,} pairs of wins to be counted")
            return summed(
                (win + more, weight * much)
                for win, weight in one.items()
                for more, much in other.items()
                if win + more <= self.most
            )
        # One long number holds all weights of a law, so wide apart that none of the product runs into the next.
        width = len(_digits(min(len(one), len(other)) * max(one.values()) * max(other.values())))
        self.digits += width * (max(one) + max(other))
        if self.digits > MOST_DIGITS:
            raise InputError(
                f"a limit on the win of rounds of so many games: more than {MOST_DIGITS:,} digits to be counted with"
            )
        text = str(_EXACT.multiply(_packed(one, width), _packed(other, width)))
        wins = range(min(self.most, (len(text) - 1) // width) + 1)
        digits = (text[max(0, len(text) - (win + 1) * width) : len(text) - win * width] for win in wins)
        weights = (int(_EXACT.create_decimal(one)) for one in digits)
        return {win: weight for win, weight in enumerate(weights) if weight}


def unit_of(rules: SlotRules) -> Fraction:
    """Returns the largest amount of coins of which every win is a whole multiple."""
    amounts = {
        Fraction(win) for stage in rules.stages for w in spin_law(rules, stage.id).wins.values() for win in w
    }
    for bonus in rules.bonuses:
        units = {unit_in(rules, bonus, stage) for stage in rules.stages}
        amounts |= {value * unit for value in prize_amounts(bonus) for unit in units}
    denominator = lcm(*(one.denominator for one in amounts))
    return Fraction(gcd(*(int(one * denominator) for one in amounts)) or 1, denominator)


def _packed(wins: Mapping[int, int], width: int) -> decimal.Decimal:
    digits = "".join(_digits(wins.get(win, 0)).zfill(width) for win in range(max(wins), -1, -1))
    return _EXACT.create_decimal(digits)


def _digits(number: int) -> str:
    """Returns the decimal digits of a number, however long: what ``str`` writes is bounded."""
    return str(_EXACT.create_decimal(number))


def _scaled(wins: Mapping[int, int], by: int) -> Mapping[int, int]:
    return wins if by == 1 else {win: weight * by for win, weight in wins.items()}

"""Money in minor units: postings between accounts, and payouts that do not divide evenly."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from certify.model import Limits, WagerFigures


class Account(StrEnum):
    """Where money of a round can lie."""

    PLAYER = "player"
    """Funds the player may stake or withdraw."""
    HELD = "held"
    """Stakes of rounds that are not complete (GLI-19 4.16.2: held until completion)."""
    HOUSE = "house"
    """What the house has won, less what it has lost."""
    CASHIER = "cashier"
    """Money that entered the game from outside, counted negative."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One side of a booking: an account and the signed amount it changes by, in minor units."""

    account: Account
    amount: int


def transfer(amount: int, source: Account, target: Account) -> tuple[Posting, ...]:
    """Returns the two postings that move an amount; nothing where the amount is zero.

    >>> [(p.account.value, p.amount) for p in transfer(5, Account.PLAYER, Account.HELD)]
    [('player', -5), ('held', 5)]
    """
    if amount < 0:
        raise ValueError(f"cannot move {amount} from {source} to {target}: amounts are not negative")
    return () if amount == 0 else (Posting(source, -amount), Posting(target, amount))


def balance_of(account: Account, postings: Iterable[Posting]) -> int:
    """Returns what an account holds after some postings, in minor units."""
    return sum(posting.amount for posting in postings if posting.account is account)


class Rounding(StrEnum):
    """What happens to a fraction of the smallest coin in a payout."""

    DOWN = "down"
    """The fraction stays with the house."""
    UP = "up"
    """The fraction is made whole for the player."""
    HALF_EVEN = "half-even"
    """To the nearest coin, an exact half to the even one."""


def rounded(amount: Fraction, rule: Rounding) -> int:
    """Returns an amount of minor units as whole units by a rule.

    >>> [rounded(Fraction(5, 2), rule) for rule in Rounding]
    [2, 3, 2]
    """
    return _whole(amount.numerator, amount.denominator, rule)


def _whole(numerator: int, denominator: int, rule: Rounding) -> int:
    match rule:
        case Rounding.DOWN:
            return numerator // denominator
        case Rounding.UP:
            return -(-numerator // denominator)
        case Rounding.HALF_EVEN:
            return round(Fraction(numerator, denominator))


def returned_on(stake: int, net: Fraction, rule: Rounding, added: int = 0) -> int:
    """Returns what a wager gives back: its stakes and its net pay, never less than nothing.

    Args:
        stake: Stake accepted at the deal, minor units.
        net: Net result of the whole round per unit of that stake; a lost bet is -1, a push 0, and a round
            lost with twice the stake added -3.
        rule: What happens to a fraction of the smallest coin; what was added is whole coins and is not rounded.
        added: What decisions added during the round, minor units.

    >>> returned_on(1, Fraction(3, 2), Rounding.DOWN)
    2
    >>> returned_on(100, Fraction(3), Rounding.DOWN, 200), returned_on(100, Fraction(-3), Rounding.DOWN, 200)
    (600, 0)
    """
    # In whole numbers: every wager of every round is paid here.
    parts = stake * (net.numerator + net.denominator)
    if parts + added * net.denominator < 0:
        raise ValueError(
            f"a net result of {net} per unit takes more than the stake"
            f"{' and what was added' if added else ''}: expected {Fraction(-stake - added, stake)} or more"
        )
    return added + _whole(parts, net.denominator, rule)


def return_at_stake(figures: WagerFigures, stake: int, rule: Rounding) -> Fraction:
    """Returns the exact return to player of a wager at one stake, the rounding of payouts included.

    The return of the paytable holds where every payout divides; at stakes where it does not, the
    player gets this return instead (GLI-19 4.7.1(a): for every wagering configuration). It is counted per
    unit of the stake accepted at the deal, as the figures are; an added stake returned is not a gain.
    """
    if stake <= 0:
        raise ValueError(f"no return at a stake of {stake}: expected a positive number of minor units")
    paid = sum(
        # What is added is whole coins, so it neither rounds nor shifts how the rest is rounded.
        (rounded(stake * (1 + net), rule) * chance for net, chance in _results(figures)),
        Fraction(0),
    )
    return paid / stake


def _results(figures: WagerFigures) -> tuple[tuple[Fraction, Fraction], ...]:
    """Returns net results with their probabilities: single ones, where outcomes are classes and all are listed."""
    return (
        figures.listed
        if figures.varies and figures.all_listed
        else tuple((outcome.pays, outcome.probability) for outcome in figures.outcomes)
    )


LADDER: Final = Fraction(1, 10_000)
"""N.J.A.C. 13:69E-1.28A(d): the return may fall by 0.01 percentage points as the wager grows."""


LONGEST_PERIOD: Final = 10_000
"""Pays that repeat after more stakes are not those of a table; they decide nothing."""


_MOST_ROUNDED: Final = 200 * LONGEST_PERIOD
"""Payouts that are rounded one by one, at most."""


FAR: Final = int(2 / LADDER)
"""Beyond this stake no two returns differ by more than LADDER: less than one coin in each is rounded."""


def returns_by_stake(figures: WagerFigures, limits: Limits, rule: Rounding) -> Iterator[tuple[int, Fraction]]:
    """Yields the exact return at every stake from the least to the greatest, in minor units.

    What rounding adds or takes depends on the stake modulo twice the common denominator of the pays only
    (twice, because rounding to even looks at the parity of the coin), so that it is computed once for each
    remainder. Where it adds and takes nothing, the ends of the range represent all stakes. At stakes a whole
    period beyond FAR the same remainders weigh less than at those before, and are left out.
    """
    exact, shifts, tried = figures.return_to_player, _shifts(figures, limits, rule), _tried(figures, limits)
    if not any(shifts.values()):
        yield from ((stake, exact) for stake in sorted({limits.minimum, limits.maximum}))
        return
    period = _period(figures, limits)
    for stake in tried:
        rounding = shifts[stake % period]
        yield stake, exact + rounding / stake if rounding else exact


def _shifts(figures: WagerFigures, limits: Limits, rule: Rounding) -> dict[int, Fraction]:
    """Returns by the remainder of a stake what rounding adds to its return, times the stake."""
    exact, period = figures.return_to_player, _period(figures, limits)
    first = limits.stakes[: period // limits.step]
    return {stake % period: stake * (return_at_stake(figures, stake, rule) - exact) for stake in first}


def _tried(figures: WagerFigures, limits: Limits) -> range:
    last = min(limits.maximum, max(limits.minimum, FAR) + _period(figures, limits))
    return range(limits.minimum, last + 1, limits.step)


def _period(figures: WagerFigures, limits: Limits) -> int:
    """Returns after how many minor units rounding repeats itself."""
    return math.lcm(limits.step, 2 * math.lcm(*(net.denominator for net, _ in _results(figures))))


def period_of(figures: WagerFigures, limits: Limits) -> int:
    """Returns after how many stakes that the limits allow rounding repeats itself."""
    return _period(figures, limits) // limits.step


def longest_period(figures: WagerFigures) -> int:
    """Returns the most stakes that are tried before pays repeat: fewer, the more single pays are rounded at each."""
    return min(LONGEST_PERIOD, _MOST_ROUNDED // len(_results(figures)))


def too_fine(figures: WagerFigures, limits: Limits) -> bool:
    """Tells whether pays are too many, too fine or not known one by one, so that not every stake can be tried."""
    return period_of(figures, limits) > longest_period(figures) or not figures.all_listed


def within_a_coin(figures: WagerFigures, limits: Limits, rule: Rounding) -> tuple[Fraction, Fraction]:
    """Returns bounds of the return at every stake, where single results are too many to be rounded one by one.

    Rounding changes what a round returns by less than one minor unit, and where nothing is returned by nothing; that
    is most of the least stake.
    """
    returned = sum((one.probability for one in figures.outcomes if one.pays > -1 or one.varies), Fraction(0))
    exact, coin = figures.return_to_player, returned / limits.minimum
    return exact - (0 if rule is Rounding.UP else coin), exact + (0 if rule is Rounding.DOWN else coin)


@dataclass(frozen=True, slots=True)
class AtStake:
    """A return with the stake in minor units of the currency at which it holds."""

    value: Fraction
    stake: int
    currency: str


def extreme_returns(figures: WagerFigures, limits: Limits, rule: Rounding) -> tuple[AtStake, AtStake]:
    """Returns the least and the greatest return at any stake that the limits allow, each at the least such stake.

    Where the pays are too fine for every stake to be tried, the return at the least stake represents them: there a
    coin is the greatest part of the stake.
    """
    if too_fine(figures, limits):
        only = AtStake(return_at_stake(figures, limits.minimum, rule), limits.minimum, limits.currency)
        return only, only
    exact, shifts, tried = figures.return_to_player, _shifts(figures, limits, rule), _tried(figures, limits)
    period, count = _period(figures, limits), period_of(figures, limits)
    # What rounding does to the stakes of one remainder becomes less with each: the first and the last are the extremes.
    ends = {*tried[:count], *tried[-count:]}
    every = [
        AtStake(exact + shifts[stake % period] / stake, stake, limits.currency) for stake in sorted(ends)
    ]
    return min(every, key=lambda one: (one.value, one.stake)), max(
        every, key=lambda one: (one.value, -one.stake)
    )

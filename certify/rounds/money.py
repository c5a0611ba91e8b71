"""Money in minor units: postings between accounts, and payouts that do not divide evenly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from certify.model.figures import WagerFigures


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
    if amount == 0:
        return ()
    return (Posting(source, -amount), Posting(target, amount))


def balance_of(account: Account, postings: Iterable[Posting]) -> int:
    """Returns what an account holds after some postings, in minor units."""
    total = 0
    for posting in postings:
        if posting.account is account:
            total += posting.amount
    return total


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
        (rounded(stake * (1 + outcome.pays), rule) * outcome.probability for outcome in figures.outcomes),
        Fraction(0),
    )
    return paid / stake

"""Who banks in the long run: the passing of the bank as an exact Markov chain over the people at a table."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import perm, prod
from operator import add

from certify.analysis.engine.distribution import solve_loops
from certify.by_key import summed
from certify.errors import InputError, Refusing
from certify.families.free_bank.exact.best_bank import bank_plans, requesting_player, situations
from certify.families.free_bank.exact.hands import (
    BUST,
    PLAIN,
    REALE,
    BankTerms,
    Cards,
    End,
    bank_hands,
    cards_of,
    own_hands,
)
from certify.families.free_bank.rules import SWAPPED, FreeBankRules, Passing, total
from certify.families.free_bank.strategy import Conduct
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, NO_CARDS, POINTS, Hand, plus

NO_PLAY = -1
"""In place of the bank's end where nobody is left in and the bank does not play."""


@dataclass(frozen=True)
class Ends:
    """How both hands end, with exact chances that sum to one.

    Args:
        terms: What ends are settled by.
        chances: Chance of each pair (end of the player's hand, end of the bank's or NO_PLAY).
    """

    terms: BankTerms
    chances: Mapping[tuple[End, End], Fraction]

    @property
    def net(self) -> Mapping[Fraction, Fraction]:
        """Chance of each net result in stakes, lowest first."""
        found = summed((self.terms.net(*ends), chance) for ends, chance in self.chances.items())
        return dict(sorted(found.items()))

    @property
    def expectation(self) -> Fraction:
        """Expected net result of the player, in stakes."""
        return sum((net * chance for net, chance in self.net.items()), Fraction(0))


def joint(terms: BankTerms, player: Conduct, bank: Conduct, without: Cards | None = None) -> Ends:
    """Returns the exact joint distribution of how both hands end.

    Args:
        terms: Deck, rules and pays.
        player: How the player plays; without splitting, see ``splitting``.
        bank: How the bank plays.
        without: Cards in the order dealt: rounds in which the hand begins so are left out.

    Raises:
        InputError: One of them has no answer to something that it sees.
    """
    return Ends(terms, _chances(terms.of_hands, player, bank, without))


@lru_cache(maxsize=8)
def _chances(
    terms: BankTerms, player: Conduct, bank: Conduct, without: Cards | None
) -> Mapping[tuple[End, End], Fraction]:
    """Returns the chance of each pair of ends, which does not depend on what is paid."""
    own, plans = own_hands(terms), bank_plans(bank_hands(terms), bank)
    bust, situated = situations(own, requesting_player(own, player), without)
    met = summed(
        ((plans.plan(view), gone, end), share)
        for view, situation in situated.items()
        for (gone, end), share in situation.items()
    )
    ended = (
        ((end, bank_end), each * count)
        for (plan, gone, end), chance in met.items()
        for counts, over in (plans.counted(plan, gone),)
        for each in (chance / over,)
        for bank_end, count in counts.items()
    )
    return dict(sorted(summed([*([((BUST, NO_PLAY), bust)] if bust else []), *ended]).items()))


def most_cards(rules: FreeBankRules, seats_stand_on: int, bank_stands_on: int) -> int:
    """Returns a number of cards that no round exceeds, first cards and cards swapped away included.

    A hand draws while it is below the total that it stands on, so all its cards but the last add up to less. The
    smallest cards of the deck fill that room first, a matta counting a half; each hand has one last card in addition.

    Args:
        rules: Rules of play; every seat plays one hand.
        seats_stand_on: Total in half points on which the seats stand at the latest.
        bank_stands_on: The same of the bank.

    >>> [most_cards(FreeBankRules(seats=seats), 10, 10) for seats in (1, 2, 10, 11)]
    [17, 20, 39, 41]
    """
    room = rules.seats * (seats_stand_on - 1) + bank_stands_on - 1
    small, held = 0, rules.deck
    kinds = sorted(
        (POINTS[CLASS_FACE if card == CLASS_MATTA else card], there) for card, there in enumerate(held)
    )
    for points, there in kinds:
        taken = min(there, room // points)
        small, room = small + taken, room - taken * points
    swaps = sum(held[card] for card in SWAPPED)
    swapped = min(rules.seats if rules.swap else 0, swaps)
    return min(small + rules.seats + 1 + swapped, sum(held) + 1)


MOST_SEATS = 3
"""Seats next to the bank up to which the first with 7½ is counted: each more takes some fifty times as long."""


def passes(terms: BankTerms, player: End, bank: End) -> bool:
    """Returns whether a hand takes the bank for the next round.

    Args:
        terms: Rules.
        player: How the hand ended.
        bank: How the bank's hand ended, negative where it did not play.
    """
    rules = terms.rules
    if rules.passing is Passing.NEVER:
        return False
    takes = (REALE,) if rules.passing is Passing.REALE else (PLAIN, REALE)
    return player in takes and (rules.passes_when_bank_has_it or bank not in takes)


def chance_of_passing(terms: BankTerms, ends: Ends) -> Fraction:
    """Returns the exact chance that the bank passes to the one seat at the table after a round.

    Args:
        terms: Rules, among them the one by which the bank passes.
        ends: How both hands end, which does not depend on that rule.
    """
    return sum((chance for pair, chance in ends.chances.items() if passes(terms, *pair)), Fraction(0))


def passing_rules(rules: FreeBankRules) -> Iterator[FreeBankRules]:
    """Yields the rules with every way in which the bank may pass, the adopted one first where it may."""
    kinds = (Passing.SEVEN_AND_A_HALF, *((Passing.REALE,) if rules.reale else ()))
    every = [
        replace(rules, passing=kind, passes_when_bank_has_it=always)
        for kind in kinds
        for always in (True, False)
    ]
    yield from sorted(every, key=lambda one: one != rules)


def shares(passing: Sequence[Sequence[Fraction]]) -> tuple[Fraction, ...]:
    """Returns the long-run share of rounds that each person banks.

    Args:
        passing: For each person as banker: the chance that each person banks the next round; rows sum to one.

    Raises:
        ValueError: A row does not sum to one, or who banks in the long run depends on who begins.

    >>> shares(((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 2), Fraction(1, 2))))
    (Fraction(2, 3), Fraction(1, 3))
    """
    people = range(len(passing))
    if any(sum(row) != 1 or len(row) != len(passing) for row in passing):
        raise ValueError("chances of passing the bank do not sum to one for every banker")
    # Rounds that each banks between two of the first person's, who banks one of them.
    steps = [{other: Fraction(passing[other][at]) for other in people[1:]} for at in people[1:]]
    steps = [{other - 1: chance for other, chance in row.items() if chance} for row in steps]
    ends = [{0: Fraction(passing[0][at])} for at in people[1:]]
    with Refusing(InputError, ValueError, "who banks in the long run depends on who begins", words=None):
        solved = solve_loops(steps, ends)
    banked = (Fraction(1), *(one.get(0, Fraction(0)) for one in solved))
    return tuple(rounds / sum(banked) for rounds in banked)


def two_at_the_table(terms: BankTerms, first_banks: Ends, second_banks: Ends) -> tuple[Fraction, Fraction]:
    """Returns the long run of two people who take the bank from each other.

    It is the share of rounds that the first banks, and the first's expected net result per round in stakes.

    Args:
        terms: Rules, among them the one by which the bank passes.
        first_banks: How hands end when the first banks and the second plays.
        second_banks: How they end the other way round.

    Raises:
        ValueError: The bank never passes.
    """
    taken = tuple(chance_of_passing(terms, ends) for ends in (first_banks, second_banks))
    share, other = shares(((1 - taken[0], taken[0]), (taken[1], 1 - taken[1])))
    net = other * second_banks.expectation - share * first_banks.expectation
    return share, net


@lru_cache(maxsize=8)
def first_to_take(terms: BankTerms, least: int, seats: int) -> tuple[Fraction, ...]:
    """Returns for each seat in the order of play the chance that it takes the bank, when all stand on one total.

    It holds where the bank passes whatever it has itself, and as long as the deck lasts. The rest to one is the chance
    that the bank stays. Everybody who plays the same banks the same share of rounds in the long run, because a
    table looks the same from every banker: these chances say how long a bank lasts.

    Raises:
        ValueError: More seats than are counted, or the bank keeps what it has.
    """
    rules = terms.rules
    if not 1 <= seats <= MOST_SEATS or not rules.passes_when_bank_has_it or rules.passing is Passing.NEVER:
        raise ValueError(f"counted for 1 to {MOST_SEATS} seats and a bank that passes whatever it has")
    orders = _orders(terms, least)
    none_yet: dict[Hand, Fraction] = {NO_CARDS: Fraction(1)}
    found = []
    for _ in range(seats):
        taken = Fraction(0)
        kept: dict[Hand, Fraction] = defaultdict(Fraction)
        for gone, chance in none_yet.items():
            left = [there - out for there, out in zip(terms.deck, gone, strict=True)]
            for hand, (takes, ways) in orders.items():
                deals = ways * prod(perm(there, held) for there, held in zip(left, hand, strict=True))
                if deals:
                    share = chance * Fraction(deals, perm(sum(left), sum(hand)))
                    if takes:
                        taken += share
                    else:
                        kept[tuple(map(add, gone, hand))] += share
        found.append(taken)
        none_yet = kept
    return tuple(found)


def _orders(terms: BankTerms, least: int) -> dict[Hand, tuple[bool, int]]:
    """Returns the final hands of a seat that stands on a total: whether each takes the bank, and how it may have come.

    In how many orders its classes of cards may come does not depend on what else is out of the deck.
    """
    level, final = {NO_CARDS: 1}, dict[Hand, int]()
    while level:
        final |= level
        level = summed(
            (plus(hand, card), ways)
            for hand, ways in level.items()
            if total(cards_of(hand)) < least
            for card, there in enumerate(terms.deck)
            if hand[card] < there
        )
    final = {hand: ways for hand, ways in final.items() if total(cards_of(hand)) >= least}
    return {hand: (passes(terms, terms.end(cards_of(hand)), BUST), ways) for hand, ways in final.items()}

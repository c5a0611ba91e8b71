"""The joint distribution of how both hands end, for any pair of strategies, by counting ordered deals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from certify.families.free_bank.exact.bank_hands import BankPlan, bank_hands
from certify.families.free_bank.exact.player_hands import own_hands, removed, shown, stood
from certify.families.free_bank.exact.settlement import BUST, PLAIN, BankTerms, Cards, End
from certify.families.free_bank.exact.strategy_tables import asked_player, bank_plans
from certify.families.free_bank.strategy import Conduct
from certify.families.seven_and_a_half.counting import Hand

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
        found: dict[Fraction, Fraction] = defaultdict(Fraction)
        for (player, bank), chance in self.chances.items():
            found[self.terms.net(player, bank)] += chance
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
    own, hands = own_hands(terms), bank_hands(terms)
    plays, plans = asked_player(own, player), bank_plans(hands, bank)
    met: dict[tuple[BankPlan, Hand, End], Fraction] = defaultdict(Fraction)
    bust = Fraction(0)
    for place, node in enumerate(own.nodes):
        if without is not None and node.cards[: len(without)] == without:
            continue
        stands, draws = plays.stands(place), plays.draws(place)
        if stands:
            met[plans.plan(stood(terms, node)), node.removed, node.end] += stands * own.dealt(node)
        if not draws:
            continue
        each = draws * Fraction(node.ways, own.deals(node, 1))
        for follow in node.follows:
            if follow.end == BUST:
                bust += each * follow.left
            elif follow.end >= PLAIN:
                cards = (*node.cards, follow.card)
                key = (
                    plans.plan(shown(terms, cards, node.given_up)),
                    removed(cards, node.given_up),
                    follow.end,
                )
                met[key] += each * follow.left
    chances: dict[tuple[End, End], Fraction] = defaultdict(Fraction)
    if bust:
        chances[BUST, NO_PLAY] = bust
    for (plan, gone, end), chance in met.items():
        counts, over = plans.counted(plan, gone)
        each = chance / over
        for bank_end, count in counts.items():
            chances[end, bank_end] += each * count
    return dict(sorted(chances.items()))

"""The player's best answer to any bank, by composition of the own cards: exact, from the last card backwards."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import lcm

from certify.families.free_bank.exact.bank_hands import BankPlan, bank_hands
from certify.families.free_bank.exact.best_bank import BankPlans, PlayedConduct, bank_plans, played
from certify.families.free_bank.exact.player_hands import (
    FIRST,
    OwnHands,
    View,
    own_hands,
    removed,
    shown,
    stood,
)
from certify.families.free_bank.exact.settlement import BUST, PLAIN, BankTerms, Cards, End
from certify.families.free_bank.strategy import Conduct
from certify.families.seven_and_a_half.counting import Hand


@dataclass(frozen=True, eq=False)
class AgainstBank:
    """What each end of a player's hand is worth against a bank that plays in a given way.

    Args:
        terms: Deck, rules and pays.
        plans: How the bank answers what it sees.
    """

    terms: BankTerms
    plans: BankPlans
    _worth: dict[tuple[BankPlan, Hand, End], Fraction] = field(default_factory=dict, repr=False)
    _net: dict[End, tuple[Mapping[End, int], int]] = field(default_factory=dict, repr=False)

    def worth(self, view: View, gone: Hand, end: End) -> Fraction:
        """Returns the exact expected net result of a hand that has ended.

        Args:
            view: What the bank sees of it.
            gone: Cards of the player by class, one given up included.
            end: How it ended.
        """
        if end == BUST:
            return self.terms.net(BUST, BUST)
        key = self.plans.plan(view), gone, end
        found = self._worth.get(key)
        if found is None:
            counts, over = self.plans.counted(key[0], gone)
            nets, pays = self._nets(end)
            found = Fraction(sum(nets[bank] * count for bank, count in counts.items()), over * pays)
            self._worth[key] = found
        return found

    def _nets(self, end: End) -> tuple[Mapping[End, int], int]:
        """Returns what a hand gets for each end of the bank's, in whole numbers over a denominator."""
        if end not in self._net:
            nets = {bank: self.terms.net(end, bank) for bank in range(1, BUST + 1)}
            pays = lcm(*(net.denominator for net in nets.values()))
            self._net[end] = {bank: int(net * pays) for bank, net in nets.items()}, pays
        return self._net[end]

    def drawn(self, cards: Cards, given_up: int, end: End) -> Fraction:
        """Returns the worth of a hand that a card has just ended, by 7½ or beyond it."""
        return self.worth(shown(cards, given_up), removed(cards, given_up), end)


@dataclass(frozen=True, slots=True)
class PlayerWorth:
    """What each decision on a hand is worth, in stakes, when everything after it is played best.

    Args:
        stand: Standing.
        hit: Drawing; nothing where no card is left to draw.
        swap: Swapping; nothing where the rules allow none.
    """

    stand: Fraction
    hit: Fraction | None
    swap: Fraction | None = None

    @property
    def best(self) -> Fraction:
        """The worth of the best decision."""
        return max(worth for worth in (self.stand, self.hit, self.swap) if worth is not None)


@dataclass(frozen=True)
class PlayerAnswer:
    """The player's best answer and what it brings.

    Args:
        own: The hands.
        value: Exact expected net result of the round, in stakes.
        worths: Worth of each decision on each hand.
        plays: A best way of playing: where decisions are worth the same it stands, and keeps its first card.
    """

    own: OwnHands
    value: Fraction
    worths: tuple[PlayerWorth, ...]
    plays: PlayedConduct


@lru_cache(maxsize=4)
def player_best_response(terms: BankTerms, bank: Conduct) -> PlayerAnswer:
    """Returns the best answer of a player who never splits to a bank that plays in a given way.

    Args:
        terms: Deck, rules and pays.
        bank: How the bank plays.

    Raises:
        InputError: The bank's conduct has no answer to something that it sees.
    """
    own = own_hands(terms)
    against = AgainstBank(terms, bank_plans(bank_hands(terms), bank))
    worths: list[PlayerWorth] = [PlayerWorth(Fraction(0), None)] * len(own.nodes)
    best = [Fraction(0)] * len(own.nodes)
    for place in reversed(range(len(own.nodes))):
        worths[place] = _worth(own, against, best, place)
        best[place] = worths[place].best
    value = sum(
        (best[place] * own.dealt(node) for place, node in enumerate(own.nodes) if node.before == FIRST),
        Fraction(0),
    )
    swaps = tuple(
        Fraction(worth.swap is not None and worth.swap == worth.best > _kept(worth)) for worth in worths
    )
    hits = tuple(Fraction(worth.hit is not None and worth.hit > worth.stand) for worth in worths)
    return PlayerAnswer(own, value, tuple(worths), played(own, hits, swaps))


def _kept(worth: PlayerWorth) -> Fraction:
    return worth.stand if worth.hit is None else max(worth.stand, worth.hit)


def _worth(own: OwnHands, against: AgainstBank, best: list[Fraction], place: int) -> PlayerWorth:
    node = own.nodes[place]
    stand = against.worth(stood(node), node.removed, node.end)
    hit = swap = None
    lost = against.terms.net(BUST, BUST)
    left = own.terms.size - sum(node.removed)
    if node.follows:
        gained = Fraction(0)
        for follow in node.follows:
            if follow.end == BUST:
                worth = lost
            elif follow.end >= PLAIN:
                worth = against.drawn((*node.cards, follow.card), node.given_up, follow.end)
            else:
                worth = best[follow.to]
            gained += follow.left * worth
        hit = gained / left
    if node.swap:
        swap = sum((own.nodes[to].ways * best[to] for to in node.swap), Fraction(0)) / (node.ways * left)
    return PlayerWorth(stand, hit, swap)

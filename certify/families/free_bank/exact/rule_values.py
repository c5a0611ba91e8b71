"""What players ask of a game with a free bank: what the bank is worth, each first card, each rule, a simple habit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from certify.families.free_bank.exact.best_bank import bank_best_response
from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.equilibrium import FULL_WIDTH, equilibrium
from certify.families.free_bank.exact.figures import values_of
from certify.families.free_bank.exact.joint import joint
from certify.families.free_bank.exact.own_hands import FIRST
from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.strategy import Conduct, StandOn
from certify.model.figures import Bracket


@dataclass(frozen=True, slots=True)
class FirstCard:
    """What a first card is worth against a bank, everything after it played best.

    Args:
        card: Its class.
        chance: How often it comes.
        values: Exact expected net result of each decision, in stakes.
    """

    card: int
    chance: Fraction
    values: Mapping[str, Fraction]

    @property
    def best(self) -> str:
        """The best decision; standing where it is no worse."""
        return max(self.values, key=lambda option: self.values[option])

    @property
    def value(self) -> Fraction:
        """What the card is worth."""
        return self.values[self.best]


def first_cards(terms: BankTerms, bank: Conduct) -> tuple[FirstCard, ...]:
    """Returns what each first card is worth against a bank; a player never splits here."""
    found = player_best_response(terms, bank)
    return tuple(
        FirstCard(node.cards[0], found.own.dealt(node), values_of(worth))
        for node, worth in zip(found.own.nodes, found.worths, strict=True)
        if node.before == FIRST
    )


def gain_of_choosing_stakes(terms: BankTerms, bank: Conduct, most: int) -> Fraction:
    """Returns what a player gains per round by staking up to ``most`` units after the first card.

    The bank goes on as it did before. A bank that draws its conclusions from the stake gives less.
    """
    return sum(
        ((most - 1) * card.chance * max(card.value, Fraction(0)) for card in first_cards(terms, bank)),
        Fraction(0),
    )


@dataclass(frozen=True, slots=True)
class Habit:
    """A fixed habit of a player.

    Args:
        player: The habit.
        against_equilibrium: Expected net result against the bank of an equilibrium.
        secured: Expected net result against the best answer of a bank that knows the habit.
    """

    player: StandOn
    against_equilibrium: Fraction
    secured: Fraction


def habits(terms: BankTerms, bank: Conduct, totals: range = range(8, 13)) -> tuple[Habit, ...]:
    """Returns what standing on one total brings, the habit that secures most first."""
    swaps = (True, False) if terms.rules.swap else (False,)
    found = []
    for least in totals:
        for swap in swaps:
            player = StandOn(f"stand on {least}", least, swaps=swap)
            found.append(
                Habit(player, joint(terms, player, bank).expectation, bank_best_response(terms, player).value)
            )
    return tuple(sorted(found, key=lambda habit: -habit.secured))


@dataclass(frozen=True, slots=True)
class RuleWorth:
    """What one rule is worth to the player, as an interval that is proven to contain it.

    Args:
        rule: What is taken away.
        without: Bracket of the game without it.
        least: The least that the rule is worth, in stakes.
        most: The most.
    """

    rule: str
    without: Bracket
    least: Fraction
    most: Fraction


SEVEN_AND_A_HALF_TWICE = "double-seven-and-a-half"


def without_rules(terms: BankTerms) -> dict[str, BankTerms]:
    """Returns the terms without the swap, the matta, the reale and the double 7½, as far as the game knows them."""
    rules, without = terms.rules, {}
    if rules.swap:
        without["swap"] = replace(terms, rules=replace(rules, swap=False))
    if rules.matta:
        *others, faces, mattas = terms.deck
        deck = (*others, faces + mattas, 0)
        without["matta"] = replace(terms, rules=replace(rules, matta=False), deck=deck)
    if rules.reale:
        without["reale"] = replace(terms, rules=replace(rules, reale=False))
    if terms.seven_and_a_half > terms.win or rules.bank_collects > 1:
        single = replace(rules, bank_collects=1, bank_collects_from_seven_and_a_half=1)
        without[SEVEN_AND_A_HALF_TWICE] = replace(terms, rules=single, seven_and_a_half=terms.win)
    return without


@lru_cache(maxsize=8)
def rule_worths(terms: BankTerms, width: Fraction = FULL_WIDTH) -> tuple[RuleWorth, ...]:
    """Returns what the swap, the matta, the reale and the double 7½ are worth, by solving the game without each."""
    value = equilibrium(terms, width).bracket
    found = []
    for rule, changed in without_rules(terms).items():
        proven = equilibrium(changed, width).bracket
        found.append(RuleWorth(rule, proven, value.lower - proven.upper, value.upper - proven.lower))
    return tuple(found)

"""The tree behind one decision of a player against a free bank, with its fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from certify.analysis.explanation import Branch, Explanation
from certify.errors import InputError
from certify.families.free_bank.chart_files import cards_text, parse_cards
from certify.families.free_bank.exact.bank_hands import bank_hands
from certify.families.free_bank.exact.best_player import AgainstBank, PlayerAnswer, player_best_response
from certify.families.free_bank.exact.conduct import bank_plans
from certify.families.free_bank.exact.figures import values_of
from certify.families.free_bank.exact.names import bank_conduct
from certify.families.free_bank.exact.own_hands import PlayersHand, stood
from certify.families.free_bank.exact.settlement import BUST, PLAIN, outcome_of, terms_of
from certify.families.free_bank.rules import total as points_of
from certify.families.free_bank.strategy import Own
from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF
from certify.model.game import Game
from certify.model.strategy import AGAINST, EQUILIBRIUM

SETTLED = "settled"


def explain(game: Game, text: str) -> Explanation:
    """Returns the tree behind the decision on a hand such as ``3 A``, the hidden card first.

    The bank plays its equilibrium, or what is named: ``3 A against stand-on:5``. Everything after the decision is
    played best.

    Raises:
        InputError: The text names no hand on which something is decided, or no strategy of the bank.
    """
    held, _, named = text.partition(AGAINST)
    terms = terms_of(game)
    cards = parse_cards(held.strip(), terms.deck)
    bank = bank_conduct(terms, named or EQUILIBRIUM)
    found = player_best_response(terms, bank)
    place = found.own.index.get(Own((cards,)))
    if place is None:
        raise InputError(f'on "{held}" nothing is decided: expected a hand below 7½ such as "3 A"')
    node, worth = found.own.nodes[place], found.worths[place]
    plans = bank_plans(bank_hands(terms), bank)
    ends: dict[str, Fraction] = defaultdict(Fraction)
    for end, chance in plans.hands.ended(plans.plan(stood(terms, node)), node.removed).items():
        ends[outcome_of(node.end, end)] += chance
    values = values_of(worth)
    return Explanation(
        cards_text(cards),
        node.end,
        terms.size - sum(node.removed),
        tuple(ends.items()),
        worth.stand,
        tuple(_branches(found, AgainstBank(terms, plans), node)),
        worth.hit,
        max(values, key=lambda option: values[option]),
        tuple(values.items()),
    )


def _branches(found: PlayerAnswer, against: AgainstBank, node: PlayersHand) -> Iterator[Branch]:
    left = found.own.terms.size - sum(node.removed)
    for follow in node.follows:
        cards = (*node.cards, follow.card)
        if follow.end < PLAIN:
            worth = found.worths[follow.to]
            values = values_of(worth)
            then, value, total = max(values, key=lambda option: values[option]), worth.best, follow.end
        else:
            value = against.drawn(cards, node.given_up, follow.end)
            then, total = SETTLED, SEVEN_AND_A_HALF
            if follow.end == BUST:
                then, total = "bust", points_of(cards)
        yield Branch(
            CLASSES[follow.card],
            follow.left,
            Fraction(follow.left, left),
            cards_text(cards),
            total,
            then,
            value,
        )

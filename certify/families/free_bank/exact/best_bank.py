"""The bank's best answer to any player, on exactly what it sees.

All hands that look alike to the bank form one situation, each with the share of rounds in which the player holds it and
stands. For every hand of its own the bank compares what it loses by stopping there, added over all of them, with the
best that a further card leads to. Shares of rounds stay whole numbers over one denominator, so sums are exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.free_bank.exact.bank_hands import BankHands, Plan, bank_hands, standing_plan
from certify.families.free_bank.exact.conduct import Played, asked_player
from certify.families.free_bank.exact.own_hands import OwnHands, View, own_hands, removed, shown, stood
from certify.families.free_bank.exact.settlement import BUST, PLAIN, End, Terms
from certify.families.free_bank.strategy import Conduct
from certify.families.seven_and_a_half.counting import Hand

Held = tuple[Hand, End]
"""Cards of the player that are out of the deck, and how the hand ended."""

Situation = Mapping[Held, Fraction]
"""For each hand that looks so: the share of rounds in which the bank meets it."""


@dataclass(frozen=True)
class BankAnswer:
    """The bank's best answer and what it leaves to the player.

    Args:
        value: Exact expected net result of the player, in stakes.
        plans: The bank's plan in every situation that it can meet.
    """

    value: Fraction
    plans: Mapping[View, Plan]


def situations(own: OwnHands, plays: Played) -> tuple[Fraction, dict[View, dict[Held, Fraction]]]:
    """Returns the share of rounds in which the player's hand exceeds 7½, and all situations of the bank."""
    terms, bust = own.terms, Fraction(0)
    met: dict[View, dict[Held, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for place, node in enumerate(own.nodes):
        stands, draws = plays.stands(place), plays.draws(place)
        if stands:
            met[stood(terms, node)][node.removed, node.end] += stands * own.dealt(node)
        each = draws * Fraction(node.ways, own.deals(node, 1)) if draws else Fraction(0)
        for follow in node.follows if draws else ():
            if follow.end == BUST:
                bust += each * follow.left
            elif follow.end >= PLAIN:
                cards = (*node.cards, follow.card)
                view = shown(terms, cards, node.given_up)
                met[view][removed(cards, node.given_up), follow.end] += each * follow.left
    return bust, {view: dict(held) for view, held in met.items()}


def bank_best_response(terms: Terms, player: Conduct) -> BankAnswer:
    """Returns the best answer of the bank to a player who plays one seat in a given way, without splitting.

    Args:
        terms: Deck, rules and pays.
        player: How the player plays.

    Raises:
        InputError: The player's conduct has no answer to something that it sees.
    """
    own = own_hands(terms)
    return answer_to(own, asked_player(own, player))


def answer_to(own: OwnHands, plays: Played) -> BankAnswer:
    """Returns the bank's best answer to chances at every hand of the player."""
    terms, hands = own.terms, bank_hands(own.terms)
    bust, met = situations(own, plays)
    value, plans = bust * terms.net(BUST, BUST), {}
    draw_on = standing_plan(hands, PLAIN)
    for view, situation in met.items():
        if all(end >= PLAIN for _, end in situation) and not terms.rules.bank_swaps:
            # Whatever is below 7½ loses to a hand that shows it: drawing on is never worse.
            plans[view] = draw_on
            value += _valued(hands, draw_on, situation)
        else:
            found, plans[view] = best_plan(hands, situation)
            value += found
    return BankAnswer(value, plans)


def _valued(hands: BankHands, plan: Plan, situation: Situation) -> Fraction:
    value = Fraction(0)
    for (gone, end), share in situation.items():
        for bank, chance in hands.ended(plan, gone).items():
            value += share * chance * hands.terms.net(end, bank)
    return value


def best_plan(hands: BankHands, situation: Situation) -> tuple[Fraction, Plan]:
    """Returns the bank's best plan in one situation, and what it leaves to the player over its share of rounds."""
    terms = hands.terms
    scale = lcm(*(share.denominator * hands.common(gone) for (gone, _), share in situation.items()))
    pays = lcm(*(terms.pay(end).denominator for _, end in situation))
    stop = _zeros(hands)
    bust = Fraction(0)
    for (gone, end), share in situation.items():
        weight = share.numerator * (scale // (share.denominator * hands.common(gone)))
        bust += share * terms.net(end, BUST)
        # Everything is held against a bank that exceeds 7½, so that such cards need no counting.
        less = _zeros(hands)
        for bank_end, places in hands.by_end.items():
            less[places] = weight * int((terms.net(end, bank_end) - terms.net(end, BUST)) * pays)
        stop += less * hands.ways(gone)
    left = {hands.left(gone) for gone, _ in situation}
    if min(left) <= hands.deepest and len(left) > 1:
        raise ValueError("the deck may run out in hands of several lengths that the bank cannot tell apart")
    best, plan = _backward(hands, stop, min(left))
    return bust + Fraction(int(best), scale * pays), plan


def _zeros(hands: BankHands) -> NDArray[Any]:
    zeros = np.zeros(len(hands.nodes), dtype=object)
    zeros[:] = 0
    return zeros


def _backward(hands: BankHands, stop: NDArray[Any], left: int) -> tuple[int, Plan]:
    """Returns the least that can be reached from the first card on, and where the bank draws for it."""
    best = [0] * len(hands.nodes)
    hits, swaps = [Fraction(0)] * len(best), [Fraction(0)] * len(best)
    for place in reversed(range(len(best))):
        drawn = sum(best[to] for _, to in hands.draws[place])
        if not any(hands.nodes[place].hand):
            best[place] = drawn
            continue
        best[place] = stop[place]
        if hands.chooses(place) and hands.dealt[place] < left and drawn < stop[place]:
            best[place], hits[place] = drawn, Fraction(1)
        swap = hands.swaps[place]
        if swap >= 0 and hands.dealt[place] < left and best[swap] < best[place]:
            best[place], swaps[place], hits[place] = best[swap], Fraction(1), Fraction(0)
    return best[0], Plan(tuple(hits), tuple(swaps) if any(swaps) else ())

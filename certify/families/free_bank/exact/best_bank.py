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
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.free_bank.charts import ALWAYS, NEVER
from certify.families.free_bank.exact.bank_hands import BankHands, BankPlan, bank_hands, column, standing_plan
from certify.families.free_bank.exact.player_hands import OwnHands, View, own_hands, removed, shown, stood
from certify.families.free_bank.exact.settlement import BUST, PLAIN, REALE, BankTerms, End
from certify.families.free_bank.exact.strategy_tables import PlayedConduct, asked_player
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
    plans: Mapping[View, BankPlan]


def situations(own: OwnHands, plays: PlayedConduct) -> tuple[Fraction, dict[View, dict[Held, Fraction]]]:
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


def bank_best_response(terms: BankTerms, player: Conduct) -> BankAnswer:
    """Returns the best answer of the bank to a player who plays one seat in a given way, without splitting.

    Args:
        terms: Deck, rules and pays.
        player: How the player plays.

    Raises:
        InputError: The player's conduct has no answer to something that it sees.
    """
    own = own_hands(terms)
    return answer_to(terms, own, asked_player(own, player))


def answer_to(terms: BankTerms, own: OwnHands, plays: PlayedConduct) -> BankAnswer:
    """Returns the bank's best answer to chances at every hand of the player."""
    hands = bank_hands(terms)
    bust, met = situations(own, plays)
    value, plans = bust * terms.net(BUST, BUST), {}
    draw_on = standing_plan(hands, PLAIN)
    for view, situation in met.items():
        if all(end >= PLAIN for _, end in situation) and not terms.rules.bank_swaps:
            # Whatever is below 7½ loses to a hand that shows it: drawing on is never worse.
            plans[view] = draw_on
            value += _valued(terms, hands, draw_on, situation)
        else:
            found, plans[view] = best_plan(terms, hands, situation)
            value += found
    return BankAnswer(value, plans)


def _valued(terms: BankTerms, hands: BankHands, plan: BankPlan, situation: Situation) -> Fraction:
    value = Fraction(0)
    for (gone, end), share in situation.items():
        for bank, chance in hands.ended(plan, gone).items():
            value += share * chance * terms.net(end, bank)
    return value


def best_plan(terms: BankTerms, hands: BankHands, situation: Situation) -> tuple[Fraction, BankPlan]:
    """Returns the bank's best plan in one situation, and what it leaves to the player over its share of rounds."""
    pays, less = _less(terms, hands)
    scale = lcm(*(share.denominator * hands.common(gone) for (gone, _), share in situation.items()))
    stop: NDArray[Any] = np.zeros(len(hands.nodes), dtype=object)
    bust = Fraction(0)
    for (gone, end), share in situation.items():
        weight = share.numerator * (scale // (share.denominator * hands.common(gone)))
        bust += share * terms.net(end, BUST)
        # Everything is held against a bank that exceeds 7½, so that such cards need no counting.
        stop += less[end] * (hands.ways(gone) * weight)
    left = {hands.left(gone) for gone, _ in situation}
    if min(left) <= hands.deepest and len(left) > 1:
        raise ValueError("the deck may run out in hands of several lengths that the bank cannot tell apart")
    best, plan = _backward(hands, stop, min(left))
    return bust + Fraction(int(best), scale * pays), plan


@lru_cache(maxsize=16)
def _less(terms: BankTerms, hands: BankHands) -> tuple[int, Mapping[End, NDArray[Any]]]:
    """Returns for each end of a player's hand what each stop of the bank leaves to it less than a bust of the bank.

    In whole numbers over the common denominator of all net results, which stands in front.
    """
    pays = lcm(*(pay.denominator for pay in (terms.win, terms.seven_and_a_half, terms.reale)))
    found = {}
    for end in range(1, REALE + 1):
        nets = {at: int((terms.net(end, at) - terms.net(end, BUST)) * pays) for at in hands.by_end}
        found[end] = column(
            [0 if dealing else nets[at] for at, dealing in zip(hands.ends, hands.dealing, strict=True)]
        )
    return pays, found


def _backward(hands: BankHands, stop: NDArray[Any], left: int) -> tuple[int, BankPlan]:
    """Returns the least that can be reached from the first card on, and where the bank draws for it."""
    best: list[int] = stop.tolist()
    hits, swaps = [NEVER] * len(best), [NEVER] * len(best)
    choosing, dealing, follows = hands.choosing, hands.dealing, hands.follows
    for place in reversed(range(len(best))):
        if dealing[place]:
            best[place] = sum([best[to] for to in follows[place]])
            continue
        if not choosing[place] or hands.dealt[place] >= left:
            continue
        drawn = sum([best[to] for to in follows[place]])
        if drawn < best[place]:
            best[place], hits[place] = drawn, ALWAYS
        swap = hands.swaps[place]
        if swap >= 0 and best[swap] < best[place]:
            best[place], swaps[place], hits[place] = best[swap], ALWAYS, NEVER
    return best[0], BankPlan(tuple(hits), tuple(swaps) if any(swaps) else ())

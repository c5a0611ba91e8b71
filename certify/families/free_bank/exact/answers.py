"""Best answers of either side as charts, so that they can be played, written to a file and read back."""

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from certify.families.free_bank.charts import BankChart, ChartLine, OwnHandBank, PlayerChart
from certify.families.free_bank.exact.bank_hands import BankHands, BankPlan, bank_hands
from certify.families.free_bank.exact.best_bank import (
    BankAnswer,
    Held,
    bank_best_response,
    best_plan,
    requesting_player,
    situations,
)
from certify.families.free_bank.exact.best_player import PlayerAnswer, player_best_response
from certify.families.free_bank.exact.equilibrium import bank_chart, line_of, player_chart
from certify.families.free_bank.exact.player_hands import own_hands
from certify.families.free_bank.exact.settlement import BankTerms
from certify.families.free_bank.strategy import Conduct, HandEnd

COMPOSITION: Final = "composition-dependent"
"""What a best answer of a player looks at."""

EVERYTHING: Final = "everything that the bank sees"
"""What a best answer of the bank looks at."""


@lru_cache(maxsize=32)
def player_answer(terms: BankTerms, bank: Conduct, name: str) -> PlayerChart:
    """Returns the best answer of a player who never splits, as a chart."""
    return answer_chart(player_best_response(terms, bank), name)


def answer_chart(answer: PlayerAnswer, name: str) -> PlayerChart:
    """Returns a best answer as a chart, single hands where it differs from its general line."""
    swaps = (swap or None for swap in answer.plays.swaps)
    return player_chart(answer.own, answer.plays.hits, swaps, name, COMPOSITION)


@lru_cache(maxsize=32)
def bank_answer(terms: BankTerms, player: Conduct, name: str) -> BankChart:
    """Returns the best answer of the bank as a chart."""
    return bank_answer_chart(terms, bank_best_response(terms, player), name)


@lru_cache(maxsize=32)
def own_hand_answer(terms: BankTerms, player: Conduct, name: str) -> OwnHandBank:
    """Returns the best answer of a bank that looks at its own hand alone.

    Against several seats that play the same, each by its own cards, it is the best one too, as long as the deck
    lasts: the law of one seat's hand and the bank's is that of a table of one seat, and what the bank gives away is the
        sum.
    """
    own, hands = own_hands(terms), bank_hands(terms)
    every: dict[Held, Fraction] = defaultdict(Fraction)
    for situation in situations(own, requesting_player(own, player))[1].values():
        for held, share in situation.items():
            every[held] += share
    return OwnHandBank(name, plan_line(hands, best_plan(terms, hands, every)[1]))


def bank_answer_chart(terms: BankTerms, answer: BankAnswer, name: str) -> BankChart:
    """Returns a best answer as a chart: a line for each open total, and one for single open cards.

    What it never meets falls to the general lines.
    """
    hands = bank_hands(terms)
    stood = {
        view: plan_line(hands, plan)
        for view, plan in answer.plans.items()
        if view.hands[0].end is HandEnd.STOOD
    }
    return bank_chart(stood, dict.fromkeys(stood, 1.0), name, EVERYTHING)


def plan_line(hands: BankHands, plan: BankPlan) -> ChartLine:
    """Returns a plan without lots as a line of a chart."""
    comes = hands.flow(plan).comes.astype(np.float64)
    chances = np.array([float(hit) for hit in plan.hits])
    return line_of(hands, comes, chances)

"""Ways of playing as exact tables: chances at every hand of a player, and the bank's plan for everything it sees."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from certify.families.free_bank.charts import ALWAYS, NEVER, BankChart, ChartLine, OwnHandBank
from certify.families.free_bank.exact.bank_hands import BankHand, BankHands, BankPlan, cards_of, standing_plan
from certify.families.free_bank.exact.player_hands import FIRST, OwnHands, View, removed
from certify.families.free_bank.exact.settlement import End
from certify.families.free_bank.strategy import (
    HIT,
    STAND,
    SWAP,
    BankSees,
    Conduct,
    PlayerSees,
    StandOn,
)
from certify.families.seven_and_a_half.counting import Hand


@dataclass(frozen=True, eq=False)
class PlayedConduct:
    """How a player plays every hand.

    Args:
        hits: Chance of drawing on each hand, once no swap was made.
        swaps: Chance of swapping it.
        comes: Share of the player's own choices that lead to the hand, whatever is dealt.
    """

    hits: tuple[Fraction, ...]
    swaps: tuple[Fraction, ...]
    comes: tuple[Fraction, ...]

    def draws(self, place: int) -> Fraction:
        """Returns the share of choices by which the player comes to a hand and draws."""
        hit = self.hits[place]
        return self._kept(place) * hit if hit else hit

    def stands(self, place: int) -> Fraction:
        """Returns the share of choices by which the player comes to a hand and stands."""
        hit = self.hits[place]
        return self._kept(place) * (1 - hit) if hit else self._kept(place)

    def _kept(self, place: int) -> Fraction:
        swap = self.swaps[place]
        return self.comes[place] * (1 - swap) if swap else self.comes[place]


def played(own: OwnHands, hits: tuple[Fraction, ...], swaps: tuple[Fraction, ...]) -> PlayedConduct:
    """Returns chances at every hand together with how often choices lead there."""
    comes = [Fraction(1)] * len(own.nodes)
    for place, node in enumerate(own.nodes):
        if node.before == FIRST:
            continue
        before = comes[node.before]
        if node.by_swap:
            comes[place] = before * swaps[node.before]
        else:
            comes[place] = before * (1 - swaps[node.before]) * hits[node.before] if before else before
    return PlayedConduct(hits, swaps, tuple(comes))


def asked_player(own: OwnHands, conduct: Conduct) -> PlayedConduct:
    """Returns how a player plays every hand, by asking at each what it sees.

    Raises:
        InputError: The conduct has no answer.
    """
    hits, swaps = [], []
    for node in own.nodes:
        options = (STAND, *((HIT,) if node.follows else ()), *((SWAP,) if node.swap else ()))
        chances = dict(conduct.chances(PlayerSees(node.own), options)) if len(options) > 1 else {}
        swap, hit = chances.get(SWAP, NEVER), chances.get(HIT, NEVER)
        hits.append(hit if not swap else hit / (1 - swap) if swap < 1 else NEVER)
        swaps.append(swap)
    return played(own, tuple(hits), tuple(swaps))


@lru_cache(maxsize=4)
def bank_plans(hands: BankHands, conduct: Conduct) -> BankPlans:
    """Returns the plans of a bank, the same for everything that is counted against it.

    Raises:
        InputError: Later, the conduct has no answer to something that it sees.
    """
    return BankPlans(hands, conduct)


@dataclass(frozen=True, eq=False)
class BankPlans:
    """The plans by which a bank answers what it sees, each asked for once.

    Args:
        hands: The hands that the bank can come to.
        conduct: How it plays.
    """

    hands: BankHands
    conduct: Conduct
    _plans: dict[Hashable, BankPlan] = field(default_factory=dict, repr=False)
    _ends: dict[tuple[BankPlan, Hand], tuple[Mapping[End, int], int]] = field(
        default_factory=dict, repr=False
    )

    def counted(self, plan: BankPlan, gone: Hand) -> tuple[Mapping[End, int], int]:
        """Returns in how many ordered deals the bank's hand ends in each way, and of how many; counted once."""
        key = plan, gone
        if key not in self._ends:
            self._ends[key] = self.hands.counted(plan, gone)
        return self._ends[key]

    def plan(self, view: View) -> BankPlan:
        """Returns the plan against what is seen of the seat.

        Raises:
            InputError: The conduct has no answer.
        """
        if isinstance(self.conduct, StandOn):
            return standing_plan(self.hands, self.conduct.least)
        line = self.conduct.line(view) if isinstance(self.conduct, BankChart | OwnHandBank) else None
        # Lines are told apart as objects: the conduct holds them, and comparing their fractions would cost more.
        key = view if line is None else id(line)
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._asked(view) if line is None else self._lined(line)
        return found

    def _lined(self, line: ChartLine) -> BankPlan:
        """Returns the plan that a line of a chart states: the same as asking it hand by hand, and quicker."""
        totals = dict(line.totals)
        hits = [totals.get(end, ALWAYS if end < line.least else NEVER) for end in self.hands.ends]
        for cards, given_up, chance in line.draws:
            place = self.hands.index.get(BankHand(removed(cards, -1), given_up))
            if place is not None:
                hits[place] = chance
        if not line.swaps:
            return BankPlan(tuple(hits))
        swaps = [
            line.swap(cards_of(node.hand), node.given_up) if to >= 0 else NEVER
            for node, to in zip(self.hands.nodes, self.hands.swaps, strict=True)
        ]
        kept = [hit * (1 - swap) if swap else hit for hit, swap in zip(hits, swaps, strict=True)]
        return BankPlan(tuple(kept), tuple(swaps))

    def _asked(self, view: View) -> BankPlan:
        table = () if view is None else (view,)
        hits, swaps = [], []
        for place, node in enumerate(self.hands.nodes):
            chances = {}
            if self.hands.chooses(place):
                options = (STAND, HIT, *((SWAP,) if self.hands.swaps[place] >= 0 else ()))
                sees = BankSees(cards_of(node.hand), table, node.given_up)
                chances = dict(self.conduct.chances(sees, options))
            hits.append(chances.get(HIT, NEVER))
            swaps.append(chances.get(SWAP, NEVER))
        return BankPlan(tuple(hits), tuple(swaps) if any(swaps) else ())

"""The bank's best answer to any player, on exactly what it sees.

All hands that look the same to the bank form one situation, each with the share of rounds in which the player holds it
and stands. For every hand of its own the bank compares what it loses by stopping there, added over all of them, with
the best that a further card leads to. Shares of rounds stay whole numbers over one denominator, so sums are exact.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.free_bank.charts import ALWAYS, NEVER, BankChart, ChartLine, OwnHandBank
from certify.families.free_bank.exact.hands import (
    BUST,
    FIRST,
    PLAIN,
    REALE,
    BankHands,
    BankPlan,
    BankTerms,
    Cards,
    End,
    OwnHands,
    View,
    bank_hands,
    cards_of,
    column,
    own_hands,
    removed,
    shown,
    standing_plan,
    stood,
)
from certify.families.free_bank.rules import SWAPPED
from certify.families.free_bank.strategy import (
    HIT,
    STAND,
    SWAP,
    BankSees,
    Conduct,
    PlayerSees,
    StandOn,
)
from certify.families.seven_and_a_half.cards import NO_CARDS, Hand, plus


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


def requesting_player(own: OwnHands, conduct: Conduct) -> PlayedConduct:
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
def bank_plans(hands: BankHands, conduct: Conduct) -> "BankPlans":
    """Returns the plans of a bank, the same for everything that is counted against it.

    Raises:
        InputError: Later, the conduct has no answer to something that it sees.
    """
    return BankPlans(hands, conduct)


@dataclass(frozen=True, eq=False)
class BankPlans:
    """The plans by which a bank answers what it sees, each computed once.

    Args:
        hands: The hands that the bank can come to.
        conduct: How it plays.
    """

    hands: BankHands
    conduct: Conduct
    _plans: dict[Hashable, BankPlan] = field(default_factory=dict, repr=False)

    @cached_property
    def counted(self) -> Callable[[BankPlan, Hand], tuple[Mapping[End, int], int]]:
        """In how many ordered deals the bank's hand ends in each way, and of how many; counted once."""
        return cache(self.hands.counted)

    def plan(self, view: View) -> BankPlan:
        """Returns the plan against what is seen of the seat.

        Raises:
            InputError: The conduct has no answer.
        """
        if isinstance(self.conduct, StandOn):
            return standing_plan(self.hands, self.conduct.least)
        line = self.conduct.line(view) if isinstance(self.conduct, BankChart | OwnHandBank) else None
        # Lines are distinguished as objects: the conduct holds them, and comparing their fractions would cost more.
        key = view if line is None else id(line)
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._asked(view) if line is None else self._lined(line)
        return found

    def _lined(self, line: ChartLine) -> BankPlan:
        """Returns the plan that a line of a chart states: the same as asking it hand by hand, and quicker."""
        totals = dict(line.totals)
        hits = [totals.get(end, ALWAYS if end < line.least else NEVER) for end in self.hands.ends]
        for cards, _, chance in line.draws:
            place = self.hands.index.get(removed(cards, -1))
            if place is not None:
                hits[place] = chance
        return BankPlan(tuple(hits))

    def _asked(self, view: View) -> BankPlan:
        asked = (
            dict(self.conduct.chances(BankSees(cards_of(hand), (view,)), (STAND, HIT))) if chooses else {}
            for hand, chooses in zip(self.hands.nodes, self.hands.choosing, strict=True)
        )
        return BankPlan(tuple(chances.get(HIT, NEVER) for chances in asked))


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


def situations(
    own: OwnHands, plays: PlayedConduct, without: Cards | None = None
) -> tuple[Fraction, dict[View, dict[Held, Fraction]]]:
    """Returns the share of rounds in which the player's hand exceeds 7½, and all situations of the bank.

    Args:
        own: The player's hands.
        plays: How they are played.
        without: Cards in the order dealt: rounds in which the hand begins so are left out.
    """
    bust = Fraction(0)
    met: dict[View, dict[Held, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for place, node in enumerate(own.nodes):
        if without is not None and node.cards[: len(without)] == without:
            continue
        stands, draws = plays.stands(place), plays.draws(place)
        if stands:
            met[stood(node)][node.removed, node.end] += stands * own.dealt(node)
        each = draws * Fraction(node.ways, own.deals(node, 1)) if draws else Fraction(0)
        for follow in node.follows if draws else ():
            if follow.end == BUST:
                bust += each * follow.left
            elif follow.end >= PLAIN:
                cards = (*node.cards, follow.card)
                view = shown(cards, node.given_up)
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
    return answer_to(terms, own, requesting_player(own, player))


def answer_to(terms: BankTerms, own: OwnHands, plays: PlayedConduct) -> BankAnswer:
    """Returns the bank's best answer to chances at every hand of the player."""
    hands = bank_hands(terms)
    bust, met = situations(own, plays)
    value, plans = bust * terms.net(BUST, BUST), {}
    draw_on = standing_plan(hands, PLAIN)
    for view, situation in met.items():
        if all(end >= PLAIN for _, end in situation):
            # Whatever is below 7½ loses to a hand that shows it: drawing on is never worse.
            plans[view] = draw_on
            value += _valued(terms, hands, draw_on, situation)
        else:
            found, plans[view] = best_plan(terms, hands, situation)
            value += found
    return BankAnswer(value, plans)


def _valued(terms: BankTerms, hands: BankHands, plan: BankPlan, situation: Situation) -> Fraction:
    ends = (
        share * chance * terms.net(end, bank)
        for (gone, end), share in situation.items()
        for bank, chance in hands.ended(plan, gone).items()
    )
    return sum(ends, Fraction(0))


def worth_to_a_bank_that_swaps(terms: BankTerms, player: Conduct) -> Fraction:
    """Returns what a player keeps, in stakes, against the best answer of a bank that may swap a first 3 or 4 once.

    Such a bank goes on as one that never had the card: it is out of the deck, as the player's cards are.
    """
    own, hands = own_hands(terms), bank_hands(terms)
    bust, met = situations(own, requesting_player(own, player))
    value = bust * terms.net(BUST, BUST)
    for situation in met.values():
        offset, unit, best, _ = _solved(terms, hands, situation)
        value += offset + Fraction(best[0], unit)
        for card in SWAPPED:
            came = {
                (plus(gone, card), end): share * Fraction(terms.deck[card] - gone[card], hands.left(gone))
                for (gone, end), share in situation.items()
                if terms.deck[card] > gone[card]
            }
            if came:
                kept = Fraction(best[hands.index[plus(NO_CARDS, card)]], unit)
                kept += sum((share * terms.net(end, BUST) for (_, end), share in came.items()), Fraction(0))
                value += min(best_plan(terms, hands, came)[0] - kept, Fraction(0))
    return value


def best_plan(terms: BankTerms, hands: BankHands, situation: Situation) -> tuple[Fraction, BankPlan]:
    """Returns the bank's best plan in one situation, and what it leaves to the player over its share of rounds."""
    bust, unit, best, plan = _solved(terms, hands, situation)
    return bust + Fraction(best[0], unit), plan


def _solved(
    terms: BankTerms, hands: BankHands, situation: Situation
) -> tuple[Fraction, int, list[int], BankPlan]:
    """Returns what a bust of the bank leaves, by how much less each hand comes to, in units, and the plan."""
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
        raise ValueError("the deck may run out in hands of several lengths that look the same to the bank")
    best, plan = _backward(hands, stop, min(left))
    return bust, scale * pays, best, plan


@lru_cache(maxsize=16)
def _less(terms: BankTerms, hands: BankHands) -> tuple[int, Mapping[End, NDArray[Any]]]:
    """Returns for each end of a player's hand what each stop of the bank leaves to it less than a bust of the bank.

    In whole numbers over the common denominator of all net results, which comes first.
    """
    pays = lcm(*(pay.denominator for pay in (terms.win, terms.seven_and_a_half, terms.reale)))
    found = {}
    for end in range(1, REALE + 1):
        nets = {at: int((terms.net(end, at) - terms.net(end, BUST)) * pays) for at in hands.by_end}
        found[end] = column([nets[at] if place else 0 for place, at in enumerate(hands.ends)])
    return pays, found


def _backward(hands: BankHands, stop: NDArray[Any], left: int) -> tuple[list[int], BankPlan]:
    """Returns the least that can be reached from each hand on, and where the bank draws for it."""
    best: list[int] = stop.tolist()
    hits = [NEVER] * len(best)
    choosing, follows = hands.choosing, hands.follows
    for place in reversed(range(1, len(best))):
        if choosing[place] and hands.dealt[place] < left:
            drawn = sum([best[to] for to in follows[place]])
            if drawn < best[place]:
                best[place], hits[place] = drawn, ALWAYS
    best[0] = sum([best[to] for to in follows[0]])
    return best, BankPlan(tuple(hits))

"""How much every card seen could add to play of split hands: a bound from above.

Hands of a split pair are played one after the other, and a player who looks at all that lies on the table knows the
cards of the hands that are finished. A strategy that looks at the hand alone is compared with the best that looks at
everything, in four steps.

1.  What the better one returns more is the sum, over its decisions, of what its choice is worth more than the
    strategy's, the strategy playing on from there (Kakade and Langford 2002, lemma 6.1). A choice on a hand does not
    change what other hands are worth by what was seen, for cards that come are exchangeable.
2.  Which hands are come to at all is bounded by drawing to each. Cards of finished hands, some n of them at most,
    are any n of those that are not in the hand; that they were stopped at some earlier card is worth no more.
3.  By how much n cards move such an advantage: its expectation with n of N cards seen is a martingale in n, and its
    variance a sum of parts w(k) C(n, k) / C(N - n, k), none below nought (the Hoeffding decomposition without
    replacement; k is how many cards act together). The first w(k) follow from every one and two cards, of small
    shoes from every three. All later ones together are no more than the mean square of what is decided about, with as
    many cards seen as may be seen, times the share that the next part has of it, which falls with k.
4.  Of a mean m and a variance v, what lies above nought is (m + sqrt(m^2 + v)) / 2 at most (Scarf 1958).

Hands with more than n cards before them are counted with all that a decision can change, by how probable they are
at most.

Sources: Kakade and Langford, Approximately optimal approximate reinforcement learning, ICML 2002; Scarf, A min-max
solution of an inventory problem, 1958; Bloznelis and Goetze, Orthogonal decomposition of finite population statistics,
Annals of Statistics 29 (2001).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations_with_replacement
from math import comb
from typing import Final

import numpy as np

from certify.errors import InputError
from certify.families.blackjack.cards import ACE, VALUES, Counts
from certify.families.blackjack.exact import kernels
from certify.families.blackjack.exact.dealer_chances import FURTHER
from certify.families.blackjack.exact.hands import KEYS
from certify.families.blackjack.exact.search import (
    Floats,
    Marks,
    OpenCardValues,
    Places,
    Plan,
    SplitHand,
    shown,
)
from certify.families.blackjack.exact.search import against as against_of
from certify.families.blackjack.exact.splits import split_value
from certify.families.blackjack.exact.terms import BlackjackGame

LARGE: Final = 90
"""Cards of a shoe beyond which every two cards are looked at; of smaller ones every three."""

MOST: Final = 40
"""Cards of finished hands that are looked at, at most."""

Chance_ = Callable[[int], float]


class Fewer(OpenCardValues):
    """What hands are worth where some cards were seen; the dealer's chances stand in one table for all of them.

    Args:
        whole: The same where none was seen.
        seen: The cards.
        table: Cards gone as one number each, in order, and the dealer's chances with them.
    """

    def __init__(self, whole: OpenCardValues, seen: Counts, table: tuple[Places, Floats]) -> None:
        super().__init__(whole.terms, whole.up)
        self._seconds: dict[tuple[int, int], Floats] = {}
        self._left = self._left - np.array(seen, np.int64)
        self.size -= sum(seen)
        self._gone, self._ends = table
        self._key = int(np.array(seen, np.int64) @ KEYS)
        self.doubles = whole.doubles

    def dealer_rows(self, value: int, further: int) -> tuple[Places, Floats]:
        """Returns the row of each hand with the seen cards gone besides, and the dealer's chances by row."""
        belongs = np.nonzero(self.hands.counts[:, value])[0]
        gone = self.hands.keys[belongs] + (further * KEYS[value] + self._key)
        rows = np.minimum(np.searchsorted(self._gone, gone), len(self._gone) - 1)
        found = np.full(len(self.hands.held), -1)
        found[belongs] = np.where(self._gone[rows] == gone, rows, -1)
        return found, self._ends

    def second_card_values(self, value: int, gone: int, plays: Places, rescued: Marks | None) -> Floats:
        """Returns what a split hand is worth by its second card under the plan, kept."""
        if (value, gone) not in self._seconds:
            self._seconds[value, gone] = super().second_card_values(value, gone, plays, rescued)
        return self._seconds[value, gone]


@dataclass(frozen=True)
class Moments:
    """How an advantage moves with cards that are seen.

    Args:
        mean: What it is with none.
        parts: The w(1), w(2), ... that follow from few cards.
        size: Cards that may be seen.
        needed: Cards on which it depends at most.
        span: What it can come to at most, either way.
    """

    mean: Floats
    parts: tuple[Floats, ...]
    size: Places
    needed: Places
    span: float

    @classmethod
    def of(
        cls, found: Floats, ways: Floats, many: Places, size: Places, needed: Places, span: float
    ) -> Moments:
        """Returns how advantages move.

        Args:
            found: What they are with some cards seen, a row each; none in the first row.
            ways: How probable each row is among those with as many cards.
            many: Number of cards seen, by row.
            size: Cards that may be seen.
            needed: Cards on which an advantage depends at most.
            span: What it can come to at most, either way.

        Raises:
            ValueError: An advantage is no martingale in the cards that are seen.
        """
        mean, parts = found[0], list[Floats]()
        for number in range(1, int(many.max()) + 1):
            here = many == number
            if np.abs((ways[here] * (found[here] - mean)).sum(axis=0)).max(initial=0.0) > 1e-9:
                raise ValueError("what a decision adds is no martingale in the cards that are seen")
            spread = (ways[here] * (found[here] - mean) ** 2).sum(axis=0)
            for order, part in enumerate(parts, 1):
                spread = spread - part * _weight(order, number, size)
            parts.append(np.maximum(spread, 0.0) / _weight(number, number, size))
        return cls(mean, tuple(parts), size, needed, span)

    def spread(self, many: int) -> Floats:
        """Returns the variance with so many cards seen, at most; of no use where fewer cards are left than needed."""
        number, most = len(self.parts), self.size - self.needed
        found = np.zeros_like(self.mean)
        for order, part in enumerate(self.parts, 1):
            found += part * _weight(order, many, self.size)
        if many > number:
            later = _weight(number + 1, np.minimum(many, most), self.size)
            with np.errstate(divide="ignore", invalid="ignore"):
                share = later / _weight(number + 1, most, self.size)
            found += np.where(many < most, self.span**2 * share, 0.0)
        return found

    def above(self, many: int) -> Floats:
        """Returns what lies above nought with so many cards seen, at most."""
        if not many:
            return np.maximum(self.mean, 0.0)
        found = (self.mean + np.sqrt(self.mean**2 + self.spread(many))) / 2
        return np.where(many < self.size - self.needed, np.minimum(found, self.span), self.span)


def _weight(order: int, many: Places | int, size: Places) -> Floats:
    """Returns the share of a part of so many cards together in the variance with many of so many cards seen."""
    found = np.ones(len(size))
    for one in range(order):
        found *= np.maximum(many - one, 0) / np.maximum(size - many - one, 1)
    return found


class AllSeen:
    """What looking at all cards could add to split hands against one open card.

    Args:
        whole: What hands are worth.
        plan: How they are played, alike whatever came before.
        pairs: Values of the pairs that are asked for.
        orders: How many cards are looked at that act together.
    """

    def __init__(self, whole: OpenCardValues, plan: Plan, pairs: Collection[int], orders: int) -> None:
        self._whole, self._plan, self._terms = whole, plan, whole.terms
        self._pairs, self._orders = pairs, orders
        # Kept with what asks, not with the functions: all this is let go when one open card is done.
        self._decided, self._again = cache(self._on_one_hand), cache(self._of_a_pair)
        pays = whole.terms.pays
        self._unit = float(max(pays.win, pays.charlie if whole.terms.rules.charlie else 0, 1))

    def added(self, value: int) -> float:
        """Returns what a split pair of a value is worth more where all cards are seen, at most."""
        cases = self._whole.pair_shares[value]
        share = sum(part for part, _ in cases)
        return sum(float(part / share) * self._added(value, alike) for part, alike in cases if part)

    def _added(self, value: int, alike: int) -> float:
        most, total = self._terms.most_hands(value), 0.0
        again = self._chance(alike, 0)
        for (came, waiting, finished), chance in _played(most, again).items():
            total += chance * self._hand(value, came, finished)
            if came + 2 < most and (pair := again(came)):
                total += chance * pair * self._kept(value, alike, came, waiting, finished)
        # Sums of some thousand floats of the size of a stake: their rounding lies far below this.
        return total * (1 + 1e-9) + 1e-10

    def _chance(self, alike: int, seen: int) -> Chance_:
        size, endless = self._whole.size - seen, self._terms.shoe.endless
        return lambda gone: max(alike - (0 if endless else gone), 0) / (size - (0 if endless else 2 + gone))

    # --- cards seen --------------------------------------------------------------------------------------

    @cached_property
    def _sets(self) -> tuple[Counts, ...]:
        """Every few cards, none first."""
        left, orders = self._whole.left_before(), self._orders
        if self._terms.shoe.endless:
            return ((0,) * VALUES,)
        sets = (
            tuple(cards.count(value) for value in range(VALUES))
            for many in range(orders + 1)
            for cards in combinations_with_replacement(range(VALUES), many)
        )
        return tuple(one for one in sets if all(few <= all_ for few, all_ in zip(one, left, strict=True)))

    @cached_property
    def _many(self) -> Places:
        return np.array([sum(seen) for seen in self._sets])

    @cached_property
    def _fewer(self) -> tuple[OpenCardValues, ...]:
        """What hands are worth with each of these gone."""
        if self._terms.shoe.endless:
            return (self._whole,)
        whole = self._whole
        held = [
            whole.hands.keys[whole.hands.counts[:, value] > 0] + further * KEYS[value]
            for value in self._pairs
            for further in range(1, FURTHER + 2)
        ]
        seen = np.array(self._sets, np.int64) @ KEYS
        gone = np.unique(np.unique(np.concatenate(held))[:, None] + seen)
        left = np.array(whole.left_before()) - gone[:, None] // KEYS % KEYS[1]
        gone, left = gone[(left >= 0).all(axis=1)], left[(left >= 0).all(axis=1)]
        ends = kernels.chances(left, *whole.dealer.dealt.tree, False)
        return tuple(Fewer(whole, seen, (gone, ends)) for seen in self._sets)

    def _ways(self, left: Places) -> Floats:
        """Returns how probable each of these sets is among as many cards, for rows of cards that are left."""
        found = np.empty((len(self._sets), len(left)))
        size = left.sum(axis=1)
        for place, seen in enumerate(self._sets):
            ways = np.ones(len(left))
            for value, few in enumerate(seen):
                for drawn in range(few):
                    ways *= np.maximum(left[:, value] - drawn, 0) / (drawn + 1)
            for drawn in range(sum(seen)):
                ways *= (drawn + 1) / np.maximum(size - drawn, 1)
            found[place] = ways
        return found

    # --- one hand ----------------------------------------------------------------------------------------

    def _hand(self, value: int, came: int, finished: int) -> float:
        """Returns what play of one hand is worth more, so many hands being finished and further cards having come."""
        if value == ACE and not self._terms.rules.draw_to_aces:
            return 0.0
        reached, moments = self._decided(value, came)
        longer = self._longer(self._left(value, 2 + came), value, finished)
        return min(
            sum(float(reached @ one.above(many)) for one in moments) + (2 * self._unit + 2) * chance
            for many, chance in enumerate(longer)
        )

    def _left(self, value: int, gone: int) -> Places:
        left = np.array(self._whole.left_before(), np.int64)
        if not self._terms.shoe.endless:
            left[value] -= gone
        return left

    def _on_one_hand(self, value: int, came: int) -> tuple[Floats, tuple[Moments, ...]]:
        """Returns how probably hands are come to at most, and how what each other option on them adds moves."""
        hands, rules = self._whole.hands, self._terms.rules
        reached = self._reached(value, came)
        plays = self._plan.after_split(value, came)
        decided = np.nonzero((reached > 0) & (hands.cards >= 2) & (hands.totals < 21))[0]
        if rules.charlie:
            decided = decided[hands.cards[decided] < rules.charlie]
        options = np.stack(
            [one.split_hands(value, came, plays, self._plan.rescued).options[decided] for one in self._fewer]
        )
        left = self._left(value, 1 + came) - hands.counts[decided]
        if self._terms.shoe.endless:
            left = np.tile(self._left(value, 0), (len(decided), 1))
        ways, size = self._ways(left), left.sum(axis=1)
        draws = self._draws(plays)
        found = []
        played = options[:, np.arange(len(decided)), plays[decided]]
        for option in (kernels.STAND, kernels.HIT, kernels.DOUBLE):
            found_here = np.where(plays[decided] == option, 0.0, options[:, :, option] - played)
            if option == kernels.DOUBLE:
                found_here = np.where(self._whole.doubles[True][decided], found_here, 0.0)
            after = hands.after[decided]
            further = np.where(after >= 0, draws[np.maximum(after, 0)], 0).max(axis=1) + 1
            needed = np.maximum(draws[decided], further) + self._dealer
            found.append(Moments.of(found_here, ways, self._many, size, needed, 4 * self._unit))
        return reached[decided], tuple(found)

    def _reached(self, value: int, came: int) -> Floats:
        """Returns how probably each hand is come to where every card is taken."""
        hands, charlie = self._whole.hands, self._terms.rules.charlie
        orders = np.zeros(len(hands.held))
        first = hands.place[tuple(int(one == value) for one in range(VALUES))]
        orders[first] = 1.0
        left = self._left(value, 2 + came)
        for place in range(first, len(hands.held)):
            if orders[place] and hands.totals[place] < 21 and not (charlie and hands.cards[place] >= charlie):
                for then in hands.after[place].tolist():
                    if then >= 0:
                        orders[then] += orders[place]
        drawn = hands.counts.copy()
        drawn[:, value] -= 1
        whole = left.sum()
        for place in np.nonzero(orders)[0].tolist():
            number = 0
            for one, few in enumerate(drawn[place].tolist()):
                for before in range(few):
                    if self._terms.shoe.endless:
                        orders[place] *= left[one] / whole
                    else:
                        orders[place] *= max(left[one] - before, 0) / (whole - number)
                    number += 1
        return orders

    def _draws(self, plays: Places) -> Places:
        """Returns how many cards play from each hand on takes at most."""
        hands = self._whole.hands
        found = np.zeros(len(hands.held), np.int64)
        for place in range(len(hands.held) - 1, -1, -1):
            if plays[place] == kernels.HIT:
                found[place] = 1 + max((found[then] for then in hands.after[place] if then >= 0), default=0)
            elif plays[place] == kernels.DOUBLE:
                found[place] = 1
        return found

    def _longer(self, left: Places, value: int, finished: int) -> tuple[float, ...]:
        """Returns how probably finished hands hold more than 0, 1, ... cards that tell something, at most."""
        if not finished or self._terms.shoe.endless:
            return (0.0,)
        return _longer_than(tuple(left.tolist()), value, finished)

    @cached_property
    def _dealer(self) -> int:
        """Cards that the dealer draws at most."""
        drawn = self._whole.dealer.dealt.drawn
        fits = (drawn <= np.array(self._whole.left_before())).all(axis=1) | self._terms.shoe.endless
        return int(drawn[fits].sum(axis=1).max())

    # --- pairs that are not split again ------------------------------------------------------------------

    def _kept(self, value: int, alike: int, came: int, waiting: int, finished: int) -> float:
        """Returns what a pair is worth more that is not split again where that is better, at most."""
        moments = self._again(value, alike, came, waiting)
        longer = self._longer(self._left(value, 3 + came), value, finished)
        return min(
            float(moments.above(many)[0]) + moments.span * chance for many, chance in enumerate(longer)
        )

    def _of_a_pair(self, value: int, alike: int, came: int, waiting: int) -> Moments:
        endless, most = self._terms.shoe.endless, self._terms.most_hands(value)
        left = self._left(value, 3 + came)
        same = alike - (0 if endless else came + 1)
        ways, number = self._ways(left[None])[:, 0], int(left[value])
        rows = [
            (
                place,
                few,
                float(ways[place]) * comb(same, few) * comb(number - same, seen[value] - few) / whole,
            )
            for place, seen in enumerate(self._sets)
            if (whole := comb(number, seen[value]))
            for few in range(seen[value] + 1)
            if ways[place] and comb(same, few) * comb(number - same, seen[value] - few)
        ]
        found = np.array([[self._less(value, place, alike - few, came, waiting)] for place, few, _ in rows])
        needed = 2 * most + int(self._draws(self._plan.after_split(value, came)).max()) + self._dealer
        return Moments.of(
            found, np.array([[chance] for _, _, chance in rows]), self._many[[place for place, _, _ in rows]],
            np.array([left.sum()]), np.array([needed]), 4 * self._unit * most,
        )  # fmt: skip

    def _less(self, value: int, place: int, alike: int, came: int, waiting: int) -> float:
        """Returns what a pair that is kept is worth more than one that is split again, with other hands that wait."""
        fewer, plan, most = self._fewer[place], self._plan, self._terms.most_hands(value)
        chance = self._chance(alike, sum(self._sets[place]))
        hand = SplitHand(fewer, value, plan.after_split(value, came), plan.rescued, chance)
        kept = fewer.second_card_values(value, came, plan.after_split(value, came), plan.rescued)[value]
        # A card of the pair more is gone, but no hand more is made of it.
        others = split_value(most + 1, chance, lambda _: hand, 0.0, pairs=came + 1, waiting=waiting - 1)
        again = split_value(most, chance, lambda _: hand, 0.0, pairs=came + 1, waiting=waiting + 1)
        return float(kept + others - again)


def _played(most: int, chance: Chance_) -> Mapping[tuple[int, int, int], float]:
    """Returns how often hands are played by further cards of the pair, hands that wait and are finished, at most."""
    found: dict[tuple[int, int, int], float] = {}
    growing = {(0, 2, 0): 1.0}
    while growing:
        longer: dict[tuple[int, int, int], float] = {}
        for (came, waiting, finished), reached in growing.items():
            found[came, waiting, finished] = found.get((came, waiting, finished), 0.0) + reached
            after = [((came, waiting - 1, finished + 1), 1.0)] if waiting > 1 else []
            # Where no card of the pair is left, none comes.
            if came + 2 < most and (pair := chance(came)):
                after.append(((came + 1, waiting + 1, finished), pair))
            for state, part in after:
                longer[state] = longer.get(state, 0.0) + reached * part
        growing = longer
    return found


@cache
def _longer_than(left: tuple[int, ...], value: int, hands: int) -> tuple[float, ...]:
    """Returns how probably hands that draw to everything take more than so many cards together, at most."""
    size, found = sum(left), list[float]()
    growing = {(hands, value + 1): 1.0}
    for drawn in range(MOST):
        found.append(min(sum(growing.values()), 1.0))
        longer: dict[tuple[int, int], float] = {}
        for (number, total), chance in growing.items():
            for card, many in enumerate(left):
                more = total + card + 1
                state = (number, more) if more < 21 else (number - 1, value + 1)
                if state[0]:
                    # Cards of a value that are gone are counted as if they were left.
                    part = chance * many / max(size - drawn, 1)
                    longer[state] = longer.get(state, 0.0) + part
        growing = longer
    return tuple(found)


def added(terms: BlackjackGame, plans: Mapping[int, Plan]) -> float:
    """Returns what a round is worth more where split hands are played by every card seen, at most.

    Pairs that the plans do not split are counted too, where splitting them could become better by that.

    Args:
        terms: What decides the figures.
        plans: The play by open card; split hands alike, whatever came before.

    Raises:
        InputError: Doubled hands may be given up, or split hands are played by how many they become.
    """
    if terms.rules.double_rescue:
        raise InputError("no bound is known here where doubled hands may be given up")
    for plan in plans.values():
        pairs: dict[int, Places] = {}
        if any(
            pairs.setdefault(after.value, plays) is not plays for after, plays in plan.split_plays.items()
        ):
            raise InputError("split hands are played by how many they become: no player can")
    return sum(float(chance) * _added(against_of(terms, up), plans[up]) for up, chance in shown(terms))


def _added(whole: OpenCardValues, plan: Plan) -> float:
    pairs = {hand.index(2): (hand, chance) for hand, chance in whole.starts() if 2 in hand}
    split = [value for value in pairs if value in plan.splits]
    others = [value for value in pairs if whole.may_split(value) and value not in plan.splits]
    # The fewer cards a shoe has, the more each tells.
    every = AllSeen(whole, plan, split, 2 if whole.size > LARGE else 3)
    first = AllSeen(whole, plan, others, 1)
    total, unsplit = 0.0, whole.unsplit(plan.plays, plan.rescued)
    for value in split:
        share = float(sum(part for part, _ in whole.pair_shares[value]))
        total += pairs[value][1] * share * every.added(value)
    for value in others:
        hand, chance = pairs[value]
        now = whole.round_value(hand, plan, unsplit)
        then = replace(plan, splits=plan.splits | {value}, early=frozenset())
        # What is worth less than the pair as it is played, even so, is not split.
        share = float(sum(part for part, _ in whole.pair_shares[value]))
        split_now = whole.round_value(hand, then, unsplit) + share * first.added(value)
        total += chance * max(split_now - now, 0.0)
    return total

"""The search in floats: what hands and splits are worth against every open card, under a strategy or at best.

What is found here is a plan, a play for every hand; what the plan returns is counted in whole numbers elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact import kernels
from certify.families.blackjack.exact.dealer_chances import Hands, dealer_chances
from certify.families.blackjack.exact.terms import SEVEN, BlackjackGame, Convention, split_value
from certify.families.blackjack.rules import SplitTens, Surrender, Taken
from certify.families.blackjack.side_bets import ACE, TEN, VALUES, Counts

Places = NDArray[np.int64]
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]

PLAYS: Final = (ids.STAND, ids.HIT, ids.DOUBLE, ids.SURRENDER)
"""Plays by their numbers."""

_LAWS: Final = {
    Taken.ALL: (kernels.WHOLE, kernels.WHOLE),
    Taken.ORIGINAL: (kernels.BETS, kernels.ORIGINAL),
    Taken.ORIGINAL_AND_SPLIT: (kernels.BETS, kernels.BETS),
    Taken.ORIGINAL_AND_BUSTED: (kernels.BUSTED, kernels.BUSTED_APART),
}
"""What a natural takes that shows after play, of a hand that was not split and of one that was."""


class AfterSplit(NamedTuple):
    """Hands of a split pair that are played alike: the pair, and how many further cards of it came."""

    value: int
    came: int


@dataclass(frozen=True)
class Plan:
    """A play for every hand against one open card.

    Args:
        up: Place of the value of the open card.
        plays: Play on each hand that did not come of a split, by its place; a double or surrender where it is allowed.
        split_plays: The same for hands of a split pair.
        splits: Values whose pairs are split.
        early: Places of the first two cards that are given up before the dealer looks.
        insured: Places of the first two cards that are insured.
        rescued: Whether each hand is given up once it was doubled, by its place; none where that is not allowed.
    """

    up: int
    plays: Places = field(repr=False)
    split_plays: Mapping[AfterSplit, Places] = field(repr=False)
    splits: frozenset[int]
    early: frozenset[int] = frozenset()
    insured: frozenset[int] = frozenset()
    rescued: Marks | None = field(default=None, repr=False)

    def after_split(self, value: int, came: int) -> Places:
        """Returns the plays on hands of a split pair of which so many further cards came."""
        return self.split_plays[AfterSplit(value, came)]

    def first_alike(self, value: int, came: int) -> int:
        """Returns with how few further cards of a pair its hands are played as with so many: those are counted once."""
        plays = self.after_split(value, came)
        return next(one for one in range(came + 1) if self.after_split(value, one) is plays)


@dataclass(frozen=True)
class HandValues:
    """What hands are worth against one open card, the shares of a dealer's natural within.

    Args:
        values: Value of each hand by its place.
        options: Standing, hitting, doubling, giving up; -9 where not allowed.
        plays: The play taken.
        rescued: Whether it is given up once it was doubled.
    """

    values: Floats
    options: Floats
    plays: Places
    rescued: Marks


class OpenCardValues:
    """Everything that is worth something against one open card."""

    def __init__(self, terms: BlackjackGame, up: int) -> None:
        self.terms, self.up = terms, up
        self.dealer = dealer_chances(terms.shoe.counts, terms.shoe.endless, up, terms.rules.hits_soft_17)
        self.hands: Hands = self.dealer.hands
        self._left = self.dealer.left
        self.size = int(self._left.sum())

    @cached_property
    def _split_values(self) -> tuple[int, ...]:
        return tuple(value for value in range(VALUES) if self.may_split(value))

    def left_before(self) -> list[int]:
        """Returns the cards left by value, the open card gone."""
        left: list[int] = self._left.tolist()
        return left

    # --- hands -------------------------------------------------------------------------------------------

    @property
    def looked(self) -> bool:
        """Whether the dealer looks for a natural before anybody plays."""
        return self.terms.peeked(self.up)

    @property
    def natural(self) -> bool:
        """Whether the dealer may hold a natural."""
        return self.up in (ACE, TEN)

    def law(self, *, split: bool) -> int:
        """Returns what a natural takes of a hand."""
        if self.looked:
            return kernels.LOOKED
        return _LAWS[self.terms.rules.natural_takes][split]

    @cached_property
    def doubles(self) -> tuple[Marks, Marks]:
        """Whether each hand may be doubled, unsplit and after a split."""
        whole = self.hands
        return tuple(  # type: ignore[return-value]
            np.array(
                [
                    self.terms.doubles(total, soft, cards, split)
                    for total, soft, cards in zip(
                        whole.totals.tolist(), whole.soft.tolist(), whole.cards.tolist(), strict=True
                    )
                ]
            )
            for split in (False, True)
        )

    @cached_property
    def surrenders(self) -> Marks:
        """Whether each hand may be given up after the dealer looked."""
        rule = self.terms.rules.surrender
        late = {
            Surrender.NONE: False,
            Surrender.LATE: True,
            Surrender.EARLY: False,
            Surrender.EARLY_TEN: self.up != TEN,
            Surrender.EARLY_ACE: self.up != ACE,
            Surrender.EARLY_NOT_ACE: False,
        }[rule]
        return np.asarray((self.hands.cards == 2) & late)

    @property
    def early(self) -> bool:
        """Whether hands may be given up before the dealer looks."""
        rule = self.terms.rules.surrender
        return (
            rule == Surrender.EARLY
            or (rule == Surrender.EARLY_TEN and self.up == TEN)
            or (rule == Surrender.EARLY_ACE and self.up == ACE)
            or (rule == Surrender.EARLY_NOT_ACE and self.up != ACE)
        )

    def unsplit(self, plays: Places | None = None, rescued: Marks | None = None) -> HandValues:
        """Returns what hands are worth that did not come of a split; at best, where no plays are given."""
        return self._worth(-1, 0, plays, rescued)

    def split_hands(
        self, value: int, gone: int, plays: Places | None = None, rescued: Marks | None = None
    ) -> HandValues:
        """Returns what hands of a split pair are worth with so many further cards of it gone."""
        return self._worth(value, gone + 1, plays, rescued)

    def _worth(self, value: int, further: int, plays: Places | None, rescued: Marks | None) -> HandValues:
        split = value >= 0
        left = self._left.copy()
        size = self.size
        if further and not self.terms.shoe.endless:
            left[value] -= further
            size -= further
        number, pays = len(self.hands.held), self.terms.pays
        acts = np.zeros(number, np.int64) if plays is None else plays.copy()
        values, options = np.zeros(number), np.full((number, 4), -9.0)
        given = np.zeros(number, np.bool_) if rescued is None else rescued
        sevens, paid = -1, self.terms.sevens_pay
        if paid is not None and not split:
            sevens = self.hands.place.get(tuple(3 * int(one == SEVEN) for one in range(VALUES)), -1)
        nobody = np.zeros(number, np.bool_)
        kernels.play(
            self.hands.counts, self.hands.after, self.hands.totals, self.doubles[split],
            nobody if split else self.surrenders, self.dealer.rows(value, further), self.dealer.ends, left,
            size, self.up, self.terms.shoe.endless, self.law(split=split), float(pays.win),
            self.terms.rules.charlie, float(pays.charlie), sevens, float(paid or 0),
            self.terms.rules.double_rescue, plays is None,
            given, acts, values, options,
        )  # fmt: skip
        return HandValues(values, options, acts, given)

    # --- splits ------------------------------------------------------------------------------------------

    def may_split(self, value: int) -> bool:
        """Tells whether pairs of a value may be split."""
        enough = self.terms.shoe.endless or self._left[value] >= 2
        return bool(enough) and self.terms.most_hands(value) > 1

    @cached_property
    def pair_shares(self) -> Mapping[int, tuple[tuple[Fraction, int], ...]]:
        """For each value: how probably two cards of it are a pair, and how many like them then are left, by case."""
        return {value: self._shares(value) for value in range(VALUES)}

    def _shares(self, value: int) -> tuple[tuple[Fraction, int], ...]:
        many, endless = int(self._left[value]), self.terms.shoe.endless
        if value != TEN or self.terms.rules.split_tens != SplitTens.RANK:
            return ((Fraction(1), many if endless else many - 2),)
        found: dict[int, Fraction] = {}
        ranks = self.terms.shoe.tens
        whole = sum(ranks)
        for place, count in enumerate(ranks):
            # Where the open card counts ten too, it is one of the ranks, each as often as it comes.
            shown = range(len(ranks)) if self.up == TEN and not endless else (-1,)
            for open_rank in shown:
                share = Fraction(ranks[open_rank], whole) if open_rank >= 0 else Fraction(1)
                left = count - (open_rank == place)
                ways, pairs = (
                    (many * many, left * left) if endless else (many * (many - 1), left * (left - 1))
                )
                after = left if endless else left - 2
                found[after] = found.get(after, Fraction(0)) + share * Fraction(pairs, ways)
        return tuple((share, after) for after, share in found.items())

    def splitting(self, value: int, plan: Plan) -> float:
        """Returns what a pair is worth that is split, the two cards being one."""
        cases = self.pair_shares[value]
        whole = sum(share for share, _ in cases)
        return float(sum(float(share / whole) * self._split_of(value, plan, alike) for share, alike in cases))

    def _split_of(self, value: int, plan: Plan, alike: int) -> float:
        endless = self.terms.shoe.endless
        size = self.size - (0 if endless else 2)

        def chance(gone: int) -> float:
            return max(alike - (0 if endless else gone), 0) / (size - (0 if endless else gone))

        def hand(came: int) -> SplitHand:
            return SplitHand(self, value, plan.after_split(value, came), plan.rescued, chance)

        return float(split_value(self.terms.most_hands(value), chance, hand, 0.0))

    def left_after_split(self, value: int, gone: int) -> tuple[list[int], int]:
        """Returns the cards left for the second card of a split hand, and how many they are."""
        left = self._left.tolist()
        if self.terms.shoe.endless:
            return left, self.size
        left[value] -= 2 + gone
        return left, self.size - 2 - gone

    def second_card_values(self, value: int, gone: int, plays: Places, rescued: Marks | None) -> Floats:
        """Returns what a split hand is worth by its second card, with so many further cards of the pair gone."""
        worth = self.split_hands(value, gone, plays, rescued)
        stands = value == ACE and not self.terms.rules.draw_to_aces
        found = np.zeros(VALUES)
        for second in range(VALUES):
            hand = tuple(int(value == one) + int(second == one) for one in range(VALUES))
            place = self.hands.place.get(hand, -1)
            if place >= 0:
                found[second] = worth.options[place, kernels.STAND] if stands else worth.values[place]
        return found

    def plan_after_split(
        self, value: int, convention: Convention, unsplit: HandValues
    ) -> dict[AfterSplit, Places]:
        """Returns the plays on hands of a split pair by a convention."""
        came = range(self.terms.most_hands(value) - 1)
        if convention == Convention.AS_UNSPLIT:
            plays = self._as_unsplit(unsplit)
            return {AfterSplit(value, number): plays for number in came}
        if convention == Convention.FIRST:
            plays = self.split_hands(value, 0).plays
            return {AfterSplit(value, number): plays for number in came}
        return {AfterSplit(value, number): self.split_hands(value, number).plays for number in came}

    def _as_unsplit(self, unsplit: HandValues) -> Places:
        options = unsplit.options.copy()
        options[~self.doubles[True], kernels.DOUBLE] = -9
        options[:, kernels.SURRENDER] = -9
        options[self.hands.totals == 21, kernels.HIT :] = -9
        plays: Places = options.argmax(axis=1)
        return plays

    # --- the round ---------------------------------------------------------------------------------------

    def hidden(self, hand: Counts) -> float:
        """Returns the chance of a dealer's natural, with the cards of a hand gone."""
        if not self.natural:
            return 0.0
        hole = TEN if self.up == ACE else ACE
        if self.terms.shoe.endless:
            return float(self._left[hole]) / self.size
        return float(self._left[hole] - hand[hole]) / (self.size - sum(hand))

    def best_plan(self, convention: Convention) -> Plan:
        """Returns the best composition-dependent plan, split hands played by a convention."""
        unsplit = self.unsplit()
        split_plays: dict[AfterSplit, Places] = {}
        for value in self._split_values:
            split_plays |= self.plan_after_split(value, convention, unsplit)
        plan = Plan(
            self.up, unsplit.plays, split_plays, frozenset(self._split_values), rescued=unsplit.rescued
        )
        early, insured, splits = set[int](), set[int](), set[int]()
        for hand, _ in self.starts():
            place = self.hands.place[hand]
            apart = self.hidden(hand) if self.looked else 0.0
            worth = float(unsplit.values[place]) - apart
            pair = int(self.hands.pairs[place])
            if pair in plan.splits:
                split = self.splitting(pair, plan) - self.split_apart(hand)
                if split > worth + 1e-13:
                    splits.add(pair)
                    worth = split
            if self.hands.totals[place] == 21:
                worth = float(self.terms.natural_pays) * (1 - self.hidden(hand))
            if self.early and worth < -0.5:
                early.add(place)
            if self.up == ACE and self.terms.rules.insurance and self.insurance(hand) > 0:
                insured.add(place)
        return replace(plan, splits=frozenset(splits), early=frozenset(early), insured=frozenset(insured))

    def split_apart(self, hand: Counts) -> float:
        """Returns the stake that a natural costs a split round as a whole."""
        law = self.law(split=True)
        return self.hidden(hand) if law in (kernels.LOOKED, kernels.BUSTED_APART, kernels.ORIGINAL) else 0.0

    def insurance(self, hand: Counts) -> float:
        """Returns what insuring half the stake is worth, in stakes."""
        chance = self.hidden(hand)
        return (chance * (float(self.terms.pays.insurance) + 1) - 1) / 2

    def starts(self) -> list[tuple[Counts, float]]:
        """Returns every two first cards with how probable they are."""
        found: list[tuple[Counts, float]] = []
        endless = self.terms.shoe.endless
        left = self._left.tolist()
        for one in range(VALUES):
            for other in range(one, VALUES):
                again = left[other] - (0 if endless or one != other else 1)
                ways = left[one] * again * (1 if one == other else 2)
                if ways > 0:
                    hand = tuple(int(one == value) + int(other == value) for value in range(VALUES))
                    found.append((hand, ways / self.size / (self.size if endless else self.size - 1)))
        return found

    def expected(self, plan: Plan) -> float:
        """Returns what a round is worth against this open card under a plan."""
        unsplit = self.unsplit(plan.plays, plan.rescued)
        return sum(chance * self.round_value(hand, plan, unsplit) for hand, chance in self.starts())

    def round_value(self, hand: Counts, plan: Plan, unsplit: HandValues) -> float:
        """Returns what a round of two first cards is worth under a plan."""
        place = self.hands.place[hand]
        hidden = self.hidden(hand)
        bonus = self.insurance(hand) if place in plan.insured else 0.0
        if place in plan.early:
            return bonus - 0.5
        if self.hands.totals[place] == 21:
            return bonus + float(self.terms.natural_pays) * (1 - hidden)
        value = float(unsplit.values[place]) - (hidden if self.looked else 0.0)
        pair = int(self.hands.pairs[place])
        if pair not in plan.splits:
            return bonus + value
        share = float(sum(part for part, _ in self.pair_shares[pair]))
        split = self.splitting(pair, plan) - self.split_apart(hand)
        return bonus + share * split + (1 - share) * value


class SplitHand:
    """Values of one hand of a split pair in floats."""

    def __init__(
        self,
        against: OpenCardValues,
        value: int,
        plays: Places,
        rescued: Marks | None,
        chance: Callable[[int], float],
    ) -> None:
        self._against, self._value, self._plays, self._rescued, self._chance = (
            against,
            value,
            plays,
            rescued,
            chance,
        )
        self._values: dict[int, Floats] = {}

    def any_card(self, gone: int) -> float:
        """Returns what the hand is worth with so many further cards of the pair gone, whatever its second card is."""
        left, size = self._against.left_after_split(self._value, gone)
        return sum(count / size * self._with(value, gone) for value, count in enumerate(left) if count > 0)

    def pair(self, gone: int) -> float:
        """Returns the part of it where the second card is one of the pair."""
        return self._chance(gone) * self._with(self._value, gone)

    def _with(self, value: int, gone: int) -> float:
        if gone not in self._values:
            self._values[gone] = self._against.second_card_values(
                self._value, gone, self._plays, self._rescued
            )
        return float(self._values[gone][value])


@lru_cache(maxsize=64)
def against(terms: BlackjackGame, up: int) -> OpenCardValues:
    """Returns what is worth something against one open card, kept."""
    return OpenCardValues(terms, up)


def shown(terms: BlackjackGame) -> list[tuple[int, Fraction]]:
    """Returns every open card with its chance."""
    shoe = terms.shoe
    return [(up, Fraction(count, shoe.size)) for up, count in enumerate(shoe.counts) if count]


def expected(terms: BlackjackGame, plans: Mapping[int, Plan]) -> float:
    """Returns the net result of a round under plans, in floats."""
    return sum(float(chance) * against(terms, up).expected(plans[up]) for up, chance in shown(terms))


def best_plans(terms: BlackjackGame, convention: Convention) -> dict[int, Plan]:
    """Returns the best composition-dependent plans, split hands played by a convention."""
    return {up: against(terms, up).best_plan(convention) for up, _ in shown(terms)}

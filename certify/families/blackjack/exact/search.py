"""The search in floats: what hands and splits are worth against every open card, under a strategy or at best.

What is found here is a plan, a play for every hand; what the plan returns is counted in whole numbers elsewhere.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import combinations_with_replacement, product
from typing import Final, NamedTuple

import numpy as np

from certify.array_types import Floats, Marks, Values, Whole
from certify.by_key import summed
from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact import kernels, shoes
from certify.families.blackjack.exact.dealer_chances import Hands, dealer_chances
from certify.families.blackjack.exact.kernels import LEAST, NATURAL
from certify.families.blackjack.exact.splits import Value, split_value
from certify.families.blackjack.exact.terms import RUN, SEVEN, BlackjackGame, Convention
from certify.families.blackjack.rules import Peek, SplitTens, Surrender, Taken
from certify.families.blackjack.side_bets import ACE, TEN, VALUES, Counts

Zero: Final = Fraction(0)

Cell = tuple[int, int, int, int]
"""Place of one of the CELLS."""

PLAYS: Final = (ids.STAND, ids.HIT, ids.DOUBLE, ids.SURRENDER)
"""Plays by their numbers."""

_ROWS: Final = {
    kernels.WINS_AT_ONCE: ids.CHARLIE,
    kernels.SEVENS: ids.SEVENS,
    kernels.RUN: ids.RUN,
    kernels.SUITED_RUN: ids.SUITED_RUN,
    kernels.SPADE_RUN: ids.SPADE_RUN,
    **{kernels.LONG + number: row for number, row in enumerate(ids.LONG)},
}
"""Rows of hands that win at once, by how play ended."""

_LAWS: Final = {
    Taken.ALL: (kernels.WHOLE, kernels.WHOLE),
    Taken.ORIGINAL: (kernels.BETS, kernels.ORIGINAL),
    Taken.ORIGINAL_AND_SPLIT: (kernels.BETS, kernels.BETS),
    Taken.ORIGINAL_AND_BUSTED: (kernels.BUSTED, kernels.BUSTED_APART),
}
"""What a natural takes that shows after play, of a hand that was not split and of one that was."""


class AfterSplit(NamedTuple):
    """Hands of a split pair that are played in the same way: the pair, and how many further cards of it came."""

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
        early: Whole of the first two cards that are given up before the dealer looks.
        insured: Whole of the first two cards that are insured.
        rescued: Whether each hand is given up once it was doubled, by its place; none where that is not allowed.
    """

    up: int
    plays: Whole = field(repr=False)
    split_plays: Mapping[AfterSplit, Whole] = field(repr=False)
    splits: frozenset[int]
    early: frozenset[int] = frozenset()
    insured: frozenset[int] = frozenset()
    rescued: Marks | None = field(default=None, repr=False)

    def after_split(self, value: int, came: int) -> Whole:
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
        options: Standing, hitting, doubling, giving up by the place of a hand; -9 where not allowed.
        plays: The play taken.
        rescued: Whether it is given up once it was doubled.
    """

    options: Floats
    plays: Whole
    rescued: Marks


class Ended(NamedTuple):
    """How a hand, or a round, ended.

    Args:
        row: Row of the paytable, or how else it ended.
        net: Net result in units of the initial stake.
        staked: Everything staked, in the same.
    """

    row: str
    net: Fraction
    staked: Fraction


class OpenCardValues:
    """The rules against one open card, and everything that is worth something there."""

    def __init__(self, terms: BlackjackGame, up: int) -> None:
        self.terms, self.up = terms, up
        draws = terms.rules.hits_soft_17, terms.rules.pushes_22
        self.dealer = dealer_chances(terms.shoe.counts, terms.shoe.endless, up, draws)
        self.hands: Hands = self.dealer.hands
        self.endless = terms.shoe.endless
        self.left = self.dealer.left
        self.size = int(self.left.sum())
        self.less = 0 if self.endless else 1

    @cached_property
    def _split_values(self) -> tuple[int, ...]:
        return tuple(value for value in range(VALUES) if self.may_split(value))

    def deck(self, begun: int = -1, gone: int = 0) -> kernels.Deck:
        """Returns the cards left; for a hand of a split pair with so many further cards of it gone than its two."""
        left = self.left.copy()
        if begun >= 0:
            left[begun] -= self.less * (2 + gone)
        return kernels.Deck(left, begun, self.hole, self.endless)

    # --- hands -------------------------------------------------------------------------------------------

    @property
    def looked(self) -> bool:
        """Whether the dealer looks for a natural before anybody plays."""
        peek = self.terms.rules.peek
        return (peek == Peek.BOTH and self.hole >= 0) or (peek == Peek.ACE and self.up == ACE)

    @property
    def hole(self) -> int:
        """Value that makes a natural of the open card, -1 where none does."""
        return {ACE: TEN, TEN: ACE}.get(self.up, -1)

    def law(self, *, split: bool) -> int:
        """Returns what a natural takes of a hand."""
        if self.looked:
            return kernels.LOOKED
        return _LAWS[self.terms.rules.natural_takes][split]

    def offered(self, *, split: bool) -> Marks:
        """Returns whether each play is allowed on each hand, unsplit or after a split."""
        found = np.ones((len(self.hands.held), 4), np.bool_)
        found[:, kernels.DOUBLE] = self.doubles[split]
        found[:, kernels.SURRENDER] = False if split else self.surrenders
        return found

    @cached_property
    def doubles(self) -> tuple[Marks, Marks]:
        """Whether each hand may be doubled, unsplit and after a split."""
        whole = self.hands
        totals = list(zip(whole.totals.tolist(), whole.soft.tolist(), whole.cards.tolist(), strict=True))
        plain, after = (
            np.array([self.terms.doubles(*one, split) for one in totals]) for split in (False, True)
        )
        return plain, after

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

    def worth(
        self, begun: int = -1, gone: int = 0, plays: Whole | None = None, rescued: Marks | None = None
    ) -> HandValues:
        """Returns what hands are worth in floats; at best, where no plays are given.

        Args:
            begun: Value of the card of a split pair that they began with, -1 for none.
            gone: How many further cards of the pair are gone.
            plays: The play on each hand.
            rescued: Whether each is given up once it was doubled.
        """
        number, split = len(self.hands.held), begun >= 0
        best = 0 if plays is not None else 1 + self.terms.rules.double_rescue
        plays = np.zeros(number, np.int64) if plays is None else plays.copy()
        rescued = np.zeros(number, np.bool_) if rescued is None else rescued
        offered = self.offered(split=split)
        options: Floats = kernels.worths(
            self.hands.tables, np.arange(number)[::-1], offered, plays, rescued, best,
            self.dealer.rows(begun, gone + 1 if split else 0), self.dealer.ends, self.deck(begun, gone),
            self._paid[split], shoes.FLOATS,
        )  # fmt: skip
        options[~offered] = -9
        return HandValues(options, plays, rescued)

    # --- settlement --------------------------------------------------------------------------------------

    @cached_property
    def nets(self) -> tuple[Mapping[Cell, Fraction], Mapping[Cell, Fraction]]:
        """What is won in each cell, unsplit and after a split; nothing where the dealer found a natural before play."""
        return dict(self._nets(split=False)), dict(self._nets(split=True))

    def _nets(self, *, split: bool) -> Iterable[tuple[Cell, Fraction]]:
        kinds, _, totals, ends = kernels.CELLS
        for kind, stake, end in product(range(kinds), (1, 2), range(ends)):
            if end == NATURAL and self.looked:
                continue
            for total in range(totals) if kind == kernels.STANDS else (0,):
                ended = self.settled(kind, stake, total, end, split=split)
                three = {kernels.SEVENS: ids.SEVENS, kernels.RUN: ids.RUN}.get(kind)
                paid = stake * (self.terms.three_pay(three) or Zero) if three else ended.net
                yield (kind, stake, total, end), paid

    @cached_property
    def _paid(self) -> tuple[kernels.PaidHands, kernels.PaidHands]:
        found = np.zeros((2, *kernels.CELLS))
        for split, nets in enumerate(self.nets):
            for cell, net in nets.items():
                found[split, *cell] = net
        return self.paid(found[0], split=False), self.paid(found[1], split=True)

    def paid(self, nets: Values, *, split: bool) -> kernels.PaidHands:
        """Returns what hands are paid, by what is won in each cell."""
        return kernels.PaidHands(nets, self.at_once[split])

    @cached_property
    def at_once(self) -> tuple[Whole, Whole]:
        """How play ends on hands that win at once, 0 on all others: by whether doubled, unsplit and after a split."""
        return self._at_once(split=False), self._at_once(split=True)

    def _at_once(self, *, split: bool) -> Whole:
        paid, whole, charlie = self.terms.paid, self.hands, self.terms.rules.charlie
        found = np.zeros((2, len(whole.held)), np.int64)
        if charlie:
            found[:, whole.cards >= charlie] = kernels.WINS_AT_ONCE
        for number, row in enumerate(ids.LONG):
            longer = whole.cards >= 5 + number if number == 2 else whole.cards == 5 + number
            if row in paid:
                found[0, longer & (whole.totals == 21)] = kernels.LONG + number
        run, sevens = (
            whole.place.get(tuple(cards.count(value) for value in range(VALUES)))
            for cards in (RUN, (SEVEN,) * 3)
        )
        if run is not None and ids.RUN in paid:
            found[0, run] = kernels.RUN
        if sevens is not None and ids.SEVENS in paid and not split:
            found[:, sevens] = kernels.SEVENS
        return found

    def settled(self, kind: int, stake: int, total: int, end: int, *, split: bool) -> Ended:
        """Returns how a hand ends: how play of it ended, stake, total where it stands, end of the dealer's hand."""
        if end != NATURAL or (self._always_wins(kind, total) and not self.looked):
            return self._plain(kind, stake, total, end)
        return self._natural(self.law(split=split), kind, stake)

    def _always_wins(self, kind: int, total: int) -> bool:
        return self.terms.rules.wins_21 and kind == kernels.STANDS and total == 21

    def _plain(self, kind: int, stake: int, total: int, end: int) -> Ended:
        """Returns how a hand ends against a dealer without a natural, or one that wins against all."""
        pays, many = self.terms.pays, Fraction(stake)
        if kind == kernels.STANDS:
            busts = end in (kernels.BUST, kernels.TWENTY_TWO)
            if (
                end == kernels.TWENTY_TWO
                and self.terms.rules.pushes_22
                and not self._always_wins(kind, total)
            ):
                return Ended(ids.PUSH, Zero, many)
            if busts or total > end + LEAST or self._always_wins(kind, total):
                return Ended(ids.WIN, many * pays.win, many)
            return Ended(ids.PUSH, Zero, many) if total == end + LEAST else Ended(ids.LOSE, -many, many)
        if kind == kernels.BUSTS:
            return Ended(ids.LOSE, -many, many)
        if kind in _ROWS:
            return Ended(_ROWS[kind], many * self.terms.paid.get(_ROWS[kind], Zero), many)
        if kind == kernels.GIVEN_UP:
            return Ended(ids.SURRENDERED, Fraction(-1, 2), many)
        return Ended(ids.LOSE, Fraction(-1), many)

    def _natural(self, law: int, kind: int, stake: int) -> Ended:
        """Returns how a hand ends against a dealer's natural."""
        if law == kernels.LOOKED:
            return Ended(ids.LOSE, Fraction(-1), Fraction(1))
        staked, bust = Fraction(stake), kind == kernels.BUSTS
        if kind in _ROWS:
            return self._plain(kind, stake, 0, NATURAL)
        if kind in (kernels.GIVEN_UP, kernels.RESCUED):
            return Ended(ids.LOSE, Fraction(-1), staked)
        if law == kernels.WHOLE or (bust and law in (kernels.BUSTED, kernels.BUSTED_APART)):
            return Ended(ids.LOSE, -staked, staked)
        # The one stake that a split round loses as a whole is no matter of a hand of it.
        whole = law in (kernels.BUSTED_APART, kernels.ORIGINAL)
        return Ended(ids.LOSE, Fraction(0 if whole else -1), staked)

    # --- splits ------------------------------------------------------------------------------------------

    def may_split(self, value: int) -> bool:
        """Returns whether pairs of a value may be split."""
        enough = self.terms.shoe.endless or self.left[value] >= 2
        return bool(enough) and self.terms.most_hands(value) > 1

    @cached_property
    def pair_shares(self) -> Mapping[int, tuple[tuple[Fraction, int], ...]]:
        """For each value: how probably two cards of it are a pair, and how many like them then are left, by case."""
        return {value: self._shares(value) for value in range(VALUES)}

    def _shares(self, value: int) -> tuple[tuple[Fraction, int], ...]:
        many, endless = int(self.left[value]), self.terms.shoe.endless
        if value != TEN or self.terms.rules.split_tens != SplitTens.RANK:
            return ((Fraction(1), many if endless else many - 2),)
        ranks, less = self.terms.shoe.tens, self.less
        # Where the open card counts ten too, it is one of the ranks, each as often as it comes.
        shown = {-1: Fraction(1)}
        if self.up == TEN and not endless:
            shown = {rank: Fraction(count, sum(ranks)) for rank, count in enumerate(ranks)}
        found = summed(
            (left - 2 * less, share * Fraction(left * (left - less), many * (many - less)))
            for place, count in enumerate(ranks)
            for open_rank, share in shown.items()
            for left in (count - (open_rank == place),)
        )
        return tuple((share, after) for after, share in found.items())

    def plan_after_split(
        self, value: int, convention: Convention, unsplit: HandValues
    ) -> dict[AfterSplit, Whole]:
        """Returns the plays on hands of a split pair by a convention."""
        came = range(self.terms.most_hands(value) - 1)
        if convention == Convention.AS_UNSPLIT:
            plays = self._as_unsplit(unsplit)
            return {AfterSplit(value, number): plays for number in came}
        if convention == Convention.FIRST:
            plays = self.worth(value).plays
            return {AfterSplit(value, number): plays for number in came}
        return {AfterSplit(value, number): self.worth(value, number).plays for number in came}

    def _as_unsplit(self, unsplit: HandValues) -> Whole:
        options = unsplit.options.copy()
        options[~self.doubles[True], kernels.DOUBLE] = -9
        options[:, kernels.SURRENDER] = -9
        options[self.hands.totals == 21, kernels.HIT :] = -9
        plays: Whole = options.argmax(axis=1)
        return plays

    # --- the round ---------------------------------------------------------------------------------------

    def hidden(self, hand: Counts) -> Fraction:
        """Returns the chance of a dealer's natural, with the cards of a hand gone."""
        if self.hole < 0:
            return Zero
        gone, cards = self.less * hand[self.hole], self.less * sum(hand)
        return Fraction(int(self.left[self.hole]) - gone, self.size - cards)

    def natural_wins(self, hand: Counts) -> Fraction:
        """Returns the chance that a natural of the player is paid."""
        return Fraction(1) if self.terms.rules.wins_21 else 1 - self.hidden(hand)

    def apart(self, hand: Counts) -> Fraction:
        """Returns the stake that a natural costs a split round as a whole."""
        whole = (kernels.LOOKED, kernels.BUSTED_APART, kernels.ORIGINAL)
        return self.hidden(hand) if self.law(split=True) in whole else Zero

    def insurance(self, hand: Counts) -> Fraction:
        """Returns what insuring half the stake is worth with the cards of a hand gone, in stakes."""
        return (self.hidden(hand) * (self.terms.pays.insurance + 1) - 1) / 2

    @cached_property
    def starts(self) -> Mapping[Counts, Fraction]:
        """Every two first cards with their chance."""
        left, whole = self.left.tolist(), self.size * (self.size - self.less)
        ways = {
            (one, other): left[one] * (left[other] - self.less * (one == other)) * (1 if one == other else 2)
            for one, other in combinations_with_replacement(range(VALUES), 2)
        }
        return {two_cards(*pair): Fraction(many, whole) for pair, many in ways.items() if many > 0}

    def best_plan(self, convention: Convention) -> Plan:
        """Returns the best composition-dependent plan, split hands played by a convention."""
        unsplit = self.worth()
        split_plays = {
            after: plays
            for value in self._split_values
            for after, plays in self.plan_after_split(value, convention, unsplit).items()
        }
        plan = Plan(
            self.up, unsplit.plays, split_plays, frozenset(self._split_values), rescued=unsplit.rescued
        )
        early, insured, splits = set[int](), set[int](), set[int]()
        values = PlanValues(self, plan)
        for hand in self.starts:
            place = self.hands.place[hand]
            apart = float(self.hidden(hand)) if self.looked else 0.0
            worth = float(unsplit.options[place, unsplit.plays[place]]) - apart
            pair = int(self.hands.pairs[place])
            if pair in plan.splits:
                split = float(values.splitting(pair) - self.apart(hand))
                if split > worth + 1e-13:
                    splits.add(pair)
                    worth = split
            if self.hands.totals[place] == 21:
                worth = float(self.terms.natural_pays * self.natural_wins(hand))
            if self.early and worth < -0.5:
                early.add(place)
            if self.up == ACE and self.terms.rules.insurance and self.insurance(hand) > 0:
                insured.add(place)
        return replace(plan, splits=frozenset(splits), early=frozenset(early), insured=frozenset(insured))


class PlanValues:
    """What hands, splits and rounds are worth under a plan against one open card: in floats, unless counted exactly."""

    def __init__(self, against: OpenCardValues, plan: Plan) -> None:
        self.against, self.plan, self.terms = against, plan, against.terms
        # Kept here, and let go with this: caches of a class keep all its objects for good.
        self.split_hand = cache(self._split_hand)

    def worth(self, begun: int = -1, came: int = 0, gone: int = 0) -> Callable[[int, int], Value]:
        """Returns what a play on a hand is worth, by the place of the hand and the play.

        Args:
            begun: Value of the card of a split pair that the hand began with, -1 for none.
            came: With how many further cards of the pair the plan reckons.
            gone: How many further cards of the pair are gone.
        """
        return self.against.worth(begun, gone, self.plays(begun, came), self.plan.rescued).options.item

    def plays(self, begun: int, came: int) -> Whole:
        """Returns the play on each hand, by the same."""
        if begun < 0:
            return self.plan.plays
        plays = self.plan.after_split(begun, came)
        return np.zeros_like(plays) if begun == ACE and not self.terms.rules.draw_to_aces else plays

    @cached_property
    def unsplit(self) -> Callable[[int, int], Value]:
        """What a play on a hand is worth that did not come of a split."""
        return self.worth()

    def _split_hand(self, value: int, came: int, gone: int) -> tuple[Value, Value]:
        """Returns what one hand of a split pair is worth, and the part of it where its second card is one of the pair.

        Args:
            value: The pair.
            came: How many further cards of the pair the plan reckons with.
            gone: How many further cards of the pair are gone.
        """
        first = self.plan.first_alike(value, came)
        if first < came:
            return self.split_hand(value, first, gone)
        worth, plays = self.worth(value, came, gone), self.plays(value, came)
        left, parts = self.against.deck(value, gone).left, dict[int, Value]()
        for second in range(VALUES):
            place = self.against.hands.place.get(two_cards(value, second))
            if place is not None and left[second] > 0:
                chance = Fraction(int(left[second]), int(left.sum()))
                parts[second] = chance * worth(place, int(plays[place]))
        return sum(parts.values()), parts.get(value, 0)

    def splitting(self, value: int) -> Value:
        """Returns what splitting a pair is worth, but for a stake that the round loses as a whole."""
        cases = self.against.pair_shares[value]
        return sum(share * self._splitting(value, same) for share, same in cases) / self.share(value)

    def _splitting(self, value: int, same: int) -> Value:
        less, most = self.against.less, self.terms.most_hands(value)
        size, left = self.against.size - 2 * less, int(self.against.left[value]) - 2 * less

        def chance(gone: int) -> Fraction:
            return Fraction(max(same - less * gone, 0), size - less * gone)

        def free(came: int, gone: int) -> Value:
            return self.split_hand(value, came, gone)[0]

        def closed(came: int, gone: int) -> Value:
            # Tens of another rank are no pair, though they count the same.
            whole, pair = self.split_hand(value, came, gone)
            return whole - Fraction(same - less * gone, left - less * gone or 1) * pair

        return split_value(most, chance, free, closed)

    def share(self, value: int) -> Fraction:
        """Returns which share of two cards of a value are a pair."""
        return sum((share for share, _ in self.against.pair_shares[value]), Zero)

    def share_split(self, value: int) -> Fraction:
        """Returns which share of two cards of a value are a pair that is split under the plan."""
        return self.share(value) if value in self.plan.splits else Zero

    def expected(self) -> Value:
        """Returns the net result of a round, in initial stakes."""
        return sum(chance * self._begun(hand) for hand, chance in self.against.starts.items())

    def _begun(self, hand: Counts) -> Value:
        """Returns the net result of a round of two first cards."""
        against, place = self.against, self.against.hands.place[hand]
        hidden = against.hidden(hand)
        insured = against.insurance(hand) if place in self.plan.insured else Zero
        if place in self.plan.early:
            return insured - Fraction(1, 2)
        if against.hands.totals[place] == 21:
            return insured + against.natural_wins(hand) * self.terms.natural_pays
        share = self.share_split(hand.index(2)) if 2 in hand else Zero
        total: Value = insured
        if share:
            total += share * (self.splitting(hand.index(2)) - against.apart(hand))
        if share < 1:
            whole = self.unsplit(place, int(self.plan.plays[place]))
            total += (1 - share) * (whole - hidden if against.looked else whole)
        return total


def two_cards(one: int, other: int) -> Counts:
    """Returns a hand of two cards."""
    return tuple(int(one == value) + int(other == value) for value in range(VALUES))


@lru_cache(maxsize=64)
def against(terms: BlackjackGame, up: int) -> OpenCardValues:
    """Returns what is worth something against one open card, kept."""
    return OpenCardValues(terms, up)


def shown(terms: BlackjackGame) -> list[tuple[int, Fraction]]:
    """Returns every open card with its chance."""
    shoe = terms.shoe
    return [(up, Fraction(count, shoe.size)) for up, count in enumerate(shoe.counts) if count]


@lru_cache(maxsize=4)
def best_plans(terms: BlackjackGame, convention: Convention) -> Mapping[int, Plan]:
    """Returns the best composition-dependent plans, split hands played by a convention, kept."""
    return {up: against(terms, up).best_plan(convention) for up, _ in shown(terms)}

"""A round of blackjack dealt card by card from a small shoe, every order of it: what counting must come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import perm

from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact.search import Plan, PlanValues, against, shown
from certify.families.blackjack.exact.terms import BlackjackGame, Shoe
from certify.families.blackjack.rules import Peek, Surrender, Taken
from certify.families.blackjack.side_bets import ACE, TEN, VALUES, Counts, Seen, total_of
from certify.model.strategy import Strategy


@dataclass(frozen=True)
class Held:
    """A hand that is finished: its cards, its stake, and whether it was given up."""

    cards: Counts
    stake: int
    given: bool = False


Left = tuple[int, ...]
Then = Callable[[tuple[Held, ...], Left], Fraction]


def counts(*values: int) -> Counts:
    return tuple(values.count(value) for value in range(VALUES))


def draws(left: Left) -> Iterator[tuple[int, Fraction, Left]]:
    whole = sum(left)
    for value, count in enumerate(left):
        if count:
            yield value, Fraction(count, whole), (*left[:value], count - 1, *left[value + 1 :])


class DealtOut:
    """The mean of what net results, and what is left, are valued at under a strategy, by dealing every order."""

    def __init__(
        self,
        terms: BlackjackGame,
        strategy: Strategy,
        valued: Callable[[Fraction, Left], Fraction] = lambda net, _: net,
    ) -> None:
        self.terms, self.rules, self.strategy, self.valued = terms, terms.rules, strategy, valued

    def expected(self) -> Fraction:
        total = Fraction(0)
        for up, chance, left in draws(self.terms.shoe.counts):
            for one, part, rest in draws(left):
                for other, share, after in draws(rest):
                    for hole, hidden, end in draws(after):
                        total += chance * part * share * hidden * self.round(up, hole, (one, other), end)
        return total

    def round(self, up: int, hole: int, two: tuple[int, int], left: Left) -> Fraction:
        hand, natural = counts(*two), {up, hole} == {ACE, TEN}
        if total_of(hand)[0] == 21:
            return self.valued(Fraction(0) if natural else self.terms.pays.natural, left)
        early = {
            Surrender.EARLY: True, Surrender.EARLY_TEN: up == TEN, Surrender.EARLY_ACE: up == ACE,
            Surrender.EARLY_NOT_ACE: up != ACE,
        }.get(self.rules.surrender, False)  # fmt: skip
        pair = two[0] == two[1] and self.terms.most_hands(two[0]) > 1
        options = (ids.DECLINE, ids.SURRENDER)
        if early and self.strategy.choose(Seen(up, hand, pair), options) == ids.SURRENDER:
            return self.valued(Fraction(-1, 2), left)
        looked = (up == ACE and self.rules.peek != Peek.NEVER) or (up == TEN and self.rules.peek == Peek.BOTH)
        if natural and looked:
            return self.valued(Fraction(-1), left)
        return self.play(
            up,
            hand,
            -1,
            1,
            (),
            (),
            left,
            lambda held, rest: self.settle(up, hole, held, rest, natural=natural),
        )

    def play(
        self, up: int, hand: Counts, begun: int, hands: int, waiting: tuple[int, ...], done: tuple[Held, ...],
        left: Left, then: Then,
    ) -> Fraction:  # fmt: skip
        """Plays one hand, those that wait for their second card after it; split hands began with a card of a pair."""

        def next_hand(finished: Held, rest: Left) -> Fraction:
            if not waiting:
                return then((*done, finished), rest)
            return sum(
                (
                    chance
                    * self.play(
                        up, counts(begun, card), begun, hands, waiting[1:], (*done, finished), after, then
                    )
                    for card, chance, after in draws(rest)
                ),
                Fraction(0),
            )

        total, soft = total_of(hand)
        split, two = hands > 1, sum(hand) == 2
        if total >= 21 or (self.rules.charlie and sum(hand) >= self.rules.charlie):
            return next_hand(Held(hand, 1), left)
        pair = hand.index(2) if 2 in hand and two else -1
        may_split = pair >= 0 and hands < self.terms.most_hands(pair)
        if begun == ACE and two and not self.rules.draw_to_aces:
            if not (may_split and pair == ACE):
                return next_hand(Held(hand, 1), left)
            options: tuple[str, ...] = (ids.STAND, ids.SPLIT)
        else:
            options = (ids.STAND, ids.HIT)
            if self.terms.doubles(total, soft, sum(hand), split):
                options = (*options, ids.DOUBLE)
            if self.rules.surrender == Surrender.LATE and two and not split:
                options = (*options, ids.SURRENDER)
            if may_split:
                options = (*options, ids.SPLIT)
        option = self.strategy.choose(
            Seen(up, hand, pair >= 0 and self.terms.most_hands(pair) > 1, split), options
        )
        if option == ids.STAND:
            return next_hand(Held(hand, 1), left)
        if option == ids.SURRENDER:
            return next_hand(Held(hand, 1, given=True), left)
        worth = Fraction(0)
        for card, chance, rest in draws(left):
            more = tuple(count + (value == card) for value, count in enumerate(hand))
            if option == ids.SPLIT:
                first = counts(pair, card)
                worth += chance * self.play(up, first, pair, hands + 1, (pair, *waiting), done, rest, then)
            elif option == ids.DOUBLE:
                worth += chance * next_hand(Held(more, 2), rest)
            else:
                worth += chance * self.play(up, more, begun, hands, waiting, done, rest, then)
        return worth

    def settle(self, up: int, hole: int, held: tuple[Held, ...], left: Left, *, natural: bool) -> Fraction:
        if natural:
            return self.valued(self.late_natural(held), left)
        live = [
            hand
            for hand in held
            if not hand.given and total_of(hand.cards)[0] <= 21 and not self.charlie(hand)
        ]
        worth = sum((self.settled(hand) for hand in held if hand not in live), Fraction(0))
        return self.against(counts(up, hole), left, live, worth) if live else self.valued(worth, left)

    def charlie(self, hand: Held) -> bool:
        return (
            bool(self.rules.charlie)
            and sum(hand.cards) >= self.rules.charlie
            and total_of(hand.cards)[0] <= 21
        )

    def settled(self, hand: Held) -> Fraction:
        if hand.given:
            return Fraction(-1, 2)
        return hand.stake * (self.terms.pays.charlie if self.charlie(hand) else Fraction(-1))

    def against(self, dealer: Counts, left: Left, live: list[Held], worth: Fraction) -> Fraction:
        total, soft = total_of(dealer)
        if total < 17 or (total == 17 and soft and self.rules.hits_soft_17):
            return sum(
                (
                    chance
                    * self.against(tuple(n + (v == card) for v, n in enumerate(dealer)), rest, live, worth)
                    for card, chance, rest in draws(left)
                ),
                Fraction(0),
            )
        for hand in live:
            lead = total_of(hand.cards)[0] - (total if total <= 21 else 0)
            worth += hand.stake * ((lead > 0) - (lead < 0))
        return self.valued(worth, left)

    def late_natural(self, held: tuple[Held, ...]) -> Fraction:
        paid = [hand for hand in held if self.charlie(hand)]
        if paid:
            rest = tuple(hand for hand in held if hand not in paid)
            return sum(
                (self.settled(hand) for hand in paid), self.late_natural(rest) if rest else Fraction(0)
            )
        if self.rules.natural_takes == Taken.ORIGINAL:
            return Fraction(-1)
        if self.rules.natural_takes == Taken.ORIGINAL_AND_SPLIT:
            return Fraction(-len(held))
        return sum((Fraction(-1) if hand.given else Fraction(-hand.stake) for hand in held), Fraction(0))


def whole_decks(decks: int) -> Shoe:
    """Returns so many whole decks, or with 0 the endless one."""
    many = decks or 1
    counts = (*((4 * many,) * (VALUES - 1)), 16 * many)
    share = Fraction(1, 16) if not decks else Fraction(4 * perm(many, 3), perm(4 * many, 3))
    return Shoe(counts, not decks, (4 * many,) * 4, Fraction(1, 4), share)


def searched(terms: BlackjackGame, plans: Mapping[int, Plan]) -> float:
    """Returns the net result of a round under plans, in the floats of the search."""
    return sum(
        float(chance) * PlanValues(against(terms, up), plans[up]).expected() for up, chance in shown(terms)
    )

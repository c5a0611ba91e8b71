"""A game of blackjack under a strategy as arrays for the kernel, filled by asking the reference round.

What follows a card is computed when a round first comes to it. A hand that waits for a card is a number; the card
leads to the next such hand, to a split or to how the hand ended, with everything that the strategy decides on the way.
Hands of the same cards by value against the same open card are one; rank and suit stay as far as the rules look at
them.

Then how rounds end by the ends of hands: codes of them, the settlement of the reference round, and every outcome.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, product
from math import prod
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.array_types import Bytes, Places, Whole
from certify.families.blackjack import rules as ids
from certify.families.blackjack.reference import BlackjackRound, OwnHand, RoundState, reference
from certify.families.blackjack.rulebook import EndedDealer, EndedHand, How, MainEnd, by_sign, settled
from certify.families.blackjack.rules import Peek, SplitTens, outcome_of
from certify.families.blackjack.side_bets import ACE, ROWS, TEN, VALUES, outcome, paid_rows, total_of
from certify.families.port import Choice
from certify.model import FRENCH_RANKS, FRENCH_SUITS, Game, Strategy

NATURAL, SUITED_NATURAL, BUST, GIVEN_UP, AT_ONCE = range(22, 27)
"""How a hand ended; less than these: what it counts, held against the dealer's."""

_AT_ONCE: Final = (ids.CHARLIE, *reversed(ids.BY_SUITS[ids.SEVENS]), *ids.BY_SUITS[ids.RUN], *ids.LONG)

KINDS: Final = AT_ONCE + len(_AT_ONCE)

ENDS: Final = 2 * KINDS + 1
"""More than there are codes of hands; 0 is none in a key."""

NAMED: Final = {
    ids.NATURAL: NATURAL,
    ids.SUITED_NATURAL: SUITED_NATURAL,
    **{row: code for code, row in enumerate(_AT_ONCE, AT_ONCE)},
}
"""Ends that are a row of the paytable by themselves."""

LEAST_TOTAL, DEALER_BUST, DEALER_NATURAL, DEALER_22, DEALER_ENDS = 17, 5, 6, 7, 8
"""How the dealer's hand ends: 17 to 21 from nought on, bust, a natural, or bust with twenty-two."""

_Kind = tuple[Fraction, Fraction, int]
"""What a hand nets, what of it is lost once, and its stake."""


@dataclass(frozen=True)
class Settlement:
    """The settlement of the main wager, hand by hand.

    What several hands net is what each nets, less what is lost once for all of them: that is how much less two such
    hands lose than twice one of them.

    Args:
        round: The reference round.
    """

    round: BlackjackRound

    @cached_property
    def ends(self) -> tuple[EndedHand, ...]:
        """A hand for each end and stake, in the order of codes: twice the end, one more where it is doubled."""
        rows = {code: row for row, code in NAMED.items()}
        how = {BUST: How.BUST, GIVEN_UP: How.GIVEN_UP, **dict.fromkeys(range(AT_ONCE, KINDS), How.PAID)}
        return tuple(
            EndedHand(how.get(end, How.STOOD), stake, min(end, 21), rows.get(end, ""))
            for end in range(KINDS)
            for stake in (1, 2)
        )

    def main_end(
        self, hands: tuple[EndedHand, ...], up: int, dealer: int, *, insured: bool = False
    ) -> MainEnd:
        """Returns how the main wager ends by the reference round's rulebook."""
        total = {DEALER_BUST: 23, DEALER_NATURAL: 21, DEALER_22: 22}.get(dealer, LEAST_TOTAL + dealer)
        ended = EndedDealer(total, dealer == DEALER_NATURAL, self.round.looks(up))
        rules, early = self.round.rules, self.round.keeps_half(up)
        return settled(hands, ended, self.round.paytable, rules, insured=insured, early=early)

    @cached_property
    def singles(self) -> dict[tuple[int, int, int], MainEnd]:
        """How a round of one hand ends, by open card, dealer's end and code of the hand."""
        return {
            (up, dealer, code): self.main_end((hand,), up, dealer)
            for up, dealer in product(range(VALUES), range(DEALER_ENDS))
            for code, hand in enumerate(self.ends)
        }

    @cached_property
    def once(self) -> dict[tuple[int, int, int], Fraction]:
        """What is lost once however many such hands there are, by the same."""
        return {
            (up, dealer, code): 2 * one.net - self.main_end((self.ends[code],) * 2, up, dealer).net
            for (up, dealer, code), one in self.singles.items()
        }

    @cached_property
    def _insurance(self) -> tuple[MainEnd, MainEnd]:
        """How a round ends in which nothing but insurance is won or lost, without and with a natural."""
        push = self.ends[2 * NATURAL], self.ends[2 * 21]
        apart = (
            (self.main_end((hand,), ACE, end), self.main_end((hand,), ACE, end, insured=True))
            for hand, end in zip((push[1], push[0]), (4, DEALER_NATURAL), strict=True)
        )
        without, with_natural = (
            MainEnd("", insured.net - bare.net, insured.staked - bare.staked) for bare, insured in apart
        )
        return without, with_natural

    @cached_property
    def hands(self) -> int:
        """Most hands of a round."""
        return max(self.round.rules.split_hands, 1)

    def outcomes(self) -> tuple[str, ...]:
        """Returns every outcome that the main wager may have, some of which no round may reach."""
        named = {code for code, hand in enumerate(self.ends) if self._may_end(hand)}
        found = {one.outcome for (_, _, code), one in self.singles.items() if code in named}
        alike = {
            (
                frozenset(
                    (self.singles[up, dealer, code].net, self.once[up, dealer, code], self.ends[code].stake)
                    for code in named
                ),
                self._insurance[dealer == DEALER_NATURAL]
                if self.round.rules.insurance and up == ACE
                else None,
            )
            for up, dealer in product(range(VALUES), range(DEALER_ENDS))
            if dealer != DEALER_NATURAL or up in (ACE, TEN)
        }
        return tuple(sorted(found.union(*(self._of_several(*one) for one in alike))))

    def _may_end(self, hand: EndedHand) -> bool:
        """Returns whether a hand may end so: naturals are not doubled, and other rows are named by the paytable."""
        natural = hand.row in (ids.NATURAL, ids.SUITED_NATURAL)
        return not (natural and hand.stake > 1) and hand.row in ("", ids.NATURAL, *self.round.paytable.ids)

    def _of_several(self, kinds: frozenset[_Kind], insured: MainEnd | None) -> Iterator[str]:
        """Yields the outcomes of rounds of several hands, and of insured ones."""
        for number in range(1, self.hands + 1):
            for hands in combinations_with_replacement(sorted(kinds), number):
                lost = [once for _, once, _ in hands if once]
                net = sum((one for one, _, _ in hands), Fraction(0)) - sum(lost[1:], Fraction(0))
                staked = Fraction(sum(stake for _, _, stake in hands))
                if number > 1:
                    yield outcome_of(by_sign(net), net, staked)
                if insured is not None:
                    yield outcome_of(by_sign(net + insured.net), net + insured.net, staked + insured.staked)


UNKNOWN: Final = -(1 << 30)
"""In place of what follows: the reference round did not compute it yet."""

SPLIT: Final = -1
"""In place of what follows: the hand is split. Below it the hand ended, by its code: total or kind, and stake."""

_ROOM: Final = 1024


class Tables(NamedTuple):
    """What the kernel reads; the last two axes of what hands on a card are by its class.

    Args:
        value: Place of the value of each item.
        rank: Place of its rank.
        suit: Place of its suit.
        column: Its class: what the rules tell apart.
        first: int32[10, classes, classes, 3], by open card and first two cards what follows, how the hand ended if a
            natural was seen before play, and whether it is insured.
        starts: int32[10, classes, hands], the hand of one card of a split, by open card, card and hands of the round.
        follow: int32[hands, classes], what follows a card on each hand.
        looks: uint8[10], whether the dealer looks under each open card.
        bank: int32[dealer's hands, 10], the dealer's hand after a card of each value.
        draws: uint8[2, dealer's hands], whether the dealer draws, with nothing and something left to beat.
        ends: uint8[dealer's hands], how the dealer's hand ends.
        sides: uint16[2, 52, 52, 52], joint end of the side bets by the first cards, without and with a natural;
            one entry each where none is bet.
        numbers: int64, what is counted in, by the places below.
    """

    value: Bytes
    rank: Bytes
    suit: Bytes
    column: Bytes
    first: Places
    starts: Places
    follow: Places
    looks: Bytes
    bank: Places
    draws: Bytes
    ends: Bytes
    sides: NDArray[np.uint16]
    numbers: Whole


HOLE, SIDES, SUPPLY = range(3)
"""Places in ``numbers``: whether a hidden card is dealt, joint ends of side bets, and the cards of a row."""


@lru_cache(maxsize=16)
def settlement_of(game: Game) -> Settlement:
    """Returns how rounds of a game end."""
    return Settlement(reference(game))


def _bytes(values: Any) -> Bytes:
    return np.array(list(values), dtype=np.uint8)


def side_axes(game: Game) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns the side bets of a game with their outcomes, in the order of the joint end."""
    betted = [wager.id for wager in game.wagers if wager.id in ROWS]
    return tuple((wager, (*paid_rows(game, wager), ids.LOSE)) for wager in betted)


@lru_cache(maxsize=4)
def _sides(game: Game) -> NDArray[np.uint16]:
    """Returns the joint end of the side bets for each three cards, by rank and suit."""
    axes = side_axes(game)
    if not axes:
        return np.zeros((2, 1), dtype=np.uint16)
    cards = [(rank, suit) for rank in range(len(FRENCH_RANKS)) for suit in FRENCH_SUITS]
    found = np.zeros((2, len(cards), len(cards), len(cards)), dtype=np.uint16)
    for wager, outcomes in axes:
        found *= len(outcomes)
        named = outcomes[:-1]
        for natural in (False, True):
            if wager == ids.TWENTY_ONE_THREE:
                # In whatever order the three come.
                three = {
                    key: outcomes.index(outcome(wager, named, *(cards[one] for one in key), natural=natural))
                    for key in product(range(len(cards)), repeat=3)
                    if key[0] <= key[1] <= key[2]
                }
                places = product(range(len(cards)), repeat=3)
                ends = np.array([three[tuple(sorted(key))] for key in places], dtype=np.uint16)
                found[int(natural)] += ends.reshape((len(cards),) * 3)
            else:
                # The open card decides nothing here.
                two = [
                    [outcomes.index(outcome(wager, named, a, b, a, natural=natural)) for b in cards]
                    for a in cards
                ]
                found[int(natural)] += np.array(two, dtype=np.uint16)[:, :, None]
    return found.reshape(2, -1)


class FilledTables:
    """The tables of a game under a strategy, as far as rounds have come.

    Args:
        game: The submission.
        strategy: The player's strategy.
    """

    def __init__(self, game: Game, strategy: Strategy) -> None:
        piece, self.settlement, self.sides = game.equipment[0], settlement_of(game), side_axes(game)
        self.round, self.strategy = self.settlement.round, strategy
        self.hole = self.round.rules.peek is not Peek.NEVER
        named = self.round.paytable.ids
        self.suited = not set(ids.SUITED_ROWS).isdisjoint(named)
        classes = [self._class(face) for face in range(len(piece.faces))]
        first = {one: face for face, one in reversed(list(enumerate(classes)))}
        self.faces = tuple(sorted(first.values()))
        columns = {classes[face]: column for column, face in enumerate(self.faces)}
        self.columns = [columns[one] for one in classes]
        values = self.round.values
        self.of_value = {value: face for face, value in reversed(list(enumerate(values)))}
        self.hands: list[RoundState] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._filling = Lock()
        bank, draws, ends = self._dealer()
        joint = prod(len(outcomes) for _, outcomes in self.sides)
        shows = [self.round.cards[face] for face in piece.shows]
        count = len(self.faces)
        self.tables = Tables(
            value=_bytes(values[face] for face in piece.shows),
            rank=_bytes(rank for rank, _ in shows),
            suit=_bytes(FRENCH_SUITS.index(suit) if suit else 0 for _, suit in shows),
            column=_bytes(self.columns[face] for face in piece.shows),
            first=np.full((VALUES, count, count, 3), UNKNOWN, dtype=np.int32),
            starts=np.full((VALUES, count, self.settlement.hands + 1), UNKNOWN, dtype=np.int32),
            follow=np.full((_ROOM, count), UNKNOWN, dtype=np.int32),
            looks=_bytes(map(self.round.looks, range(VALUES))),
            bank=bank,
            draws=draws,
            ends=ends,
            sides=_sides(game),
            numbers=np.array([self.hole, joint, piece.supply], dtype=np.int64),
        )
        for up, column, hands in product(self.of_value, range(count), range(2, self.settlement.hands + 1)):
            own = OwnHand((self.faces[column],))
            self.tables.starts[up, column, hands] = self._number(RoundState((own,) * hands, self._shown(up)))

    def fill(self, missing: Sequence[int]) -> None:
        """Asks the reference round what the kernel did not know.

        Args:
            missing: Open card and classes of the first two cards; or a hand, the class of a card, and -1.
        """
        one, two, three = missing
        with self._filling:
            if three < 0:
                after = self.round.drawn(self.hands[one], self.faces[two])
                then = self._followed(after)
                self.tables.follow[one, two] = then
            else:
                self.tables.first[one, two, three] = self._first(one, self.faces[two], self.faces[three])

    def _first(self, up: int, one: int, two: int) -> tuple[int, int, bool]:
        begun = self.round.drawn(RoundState((OwnHand((one,)),), (self.of_value[up],)), two)
        state = RoundState(begun.hands, self._shown(up))
        while isinstance(node := self.round.node(state), Choice) and ids.DECLINE in node.ids:
            state = self.round.decided(state, self.strategy.choose(node.sees, node.ids))
        return self._followed(state), self._ended(state), bool(state.insured)

    def _followed(self, state: RoundState) -> int:
        """Returns what follows on the first hand of a table once everything is decided that can be."""
        while isinstance(node := self.round.node(state), Choice):
            (option, *others) = node.ids
            option = self.strategy.choose(node.sees, node.ids) if others else option
            if option == ids.SPLIT:
                return SPLIT
            state = self.round.decided(state, option)
        return self._number(state) if state.hands[0].how is How.DRAWS else self._ended(state)

    def _ended(self, state: RoundState) -> int:
        """Returns how the first hand of a table ended, below what is a split."""
        hand = state.hands[0]
        kinds = {How.BUST: BUST, How.GIVEN_UP: GIVEN_UP}
        total, _ = total_of(self.round.counts(hand.faces))
        end = kinds.get(hand.how, NAMED.get(self.round.row_of(hand, split=state.split), total))
        return SPLIT - 1 - 2 * end - (hand.stake - 1)

    def _number(self, state: RoundState) -> int:
        """Returns the number of the first hand of a table, which waits for a card."""
        hand, values = state.hands[0], self.round.values
        # One card may become a pair, two sevens three of one suit: of all others values alone matter.
        three = self.suited and self.round.may_be_three(hand.faces, split=state.split)
        whole = len(hand.faces) == 1 or three
        cards = sorted((self.columns if whole else values)[face] for face in hand.faces)
        hands = len(state.hands) if len(hand.faces) == 1 else 1 + state.split
        key = (values[state.dealer[0]], hand.stake, hands, whole, *cards)
        number = self._numbers.setdefault(key, len(self.hands))
        if number == len(self.hands):
            self.hands.append(state)
            if number == len(self.tables.follow):
                # Whoever plays meanwhile reads on in the array that it has, to which nothing is added any more.
                longer = np.full_like(self.tables.follow, UNKNOWN)
                self.tables = self.tables._replace(follow=np.concatenate([self.tables.follow, longer]))
        return number

    def _shown(self, up: int) -> tuple[int, ...]:
        """Returns the dealer's cards while the player plays: what is face down is no natural."""
        return (self.of_value[up],) * (1 + self.hole)

    def _class(self, face: int) -> tuple[object, ...]:
        rank, suit = self.round.cards[face]
        by_rank = self.round.rules.split_tens is SplitTens.RANK
        return (self.round.values[face], rank if by_rank else 0, suit if self.suited else "")

    def _dealer(self) -> tuple[Places, Bytes, Bytes]:
        """Returns the dealer's hands: what a card of each value makes of them, whether they draw, and how they end."""
        own = (next(iter(self.of_value.values())),) * 2
        hands: list[tuple[int, ...]] = [()]
        numbers = {(0, 0, False): 0}
        bank, draws, ends = [], [], []
        for cards in hands:
            total, _ = total_of(self.round.counts(cards))
            row = [0] * VALUES
            for value, face in self.of_value.items() if total <= 21 else ():
                more = (*cards, face)
                key = (min(len(more), 3), *total_of(self.round.counts(more)))
                row[value] = numbers.setdefault(key, len(hands))
                hands += [more] if row[value] == len(hands) else []
            bank.append(row)
            tables = [RoundState((OwnHand(own, how),), cards, False, True) for how in (How.BUST, How.STOOD)]
            draws.append([bool(cards) and self.round.dealer_draws(one) for one in tables])
            busts = DEALER_22 if total == 22 else DEALER_BUST
            end = busts if total > 21 else max(total - LEAST_TOTAL, 0)
            ends.append(DEALER_NATURAL if self.round.dealer_natural(tables[0]) else end)
        return np.array(bank, dtype=np.int32), np.array(draws, dtype=np.uint8).T.copy(), _bytes(ends)

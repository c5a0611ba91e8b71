"""A game of blackjack under a strategy as arrays for the kernel, filled by asking the reference round.

What follows a card is computed when a round first comes to it. A hand that waits for a card is a number; the card
leads to the next such hand, to a split or to how the hand ended, with everything that the strategy decides on the way.
Hands of the same cards by value against the same open card are one; rank and suit stay as far as the rules look at
them.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import prod
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack import rules as ids
from certify.families.blackjack.reference import OwnHand, RoundState, reference
from certify.families.blackjack.rulebook import How
from certify.families.blackjack.rules import Peek, SplitTens
from certify.families.blackjack.side_bets import ROWS, VALUES, outcome, paid_rows, total_of
from certify.families.blackjack.volume.settlement import (
    BUST,
    DEALER_BUST,
    DEALER_NATURAL,
    GIVEN_UP,
    LEAST_TOTAL,
    NAMED,
    Settlement,
)
from certify.families.port import Choice
from certify.model import FRENCH_RANKS, FRENCH_SUITS, Game, Strategy

UNKNOWN: Final = -(1 << 30)
"""In place of what follows: the reference round did not compute it yet."""

SPLIT: Final = -1
"""In place of what follows: the hand is split. Below it the hand ended, by its code: total or kind, and stake."""

_SEVEN: Final = 6
_ROOM: Final = 1024

Bytes = NDArray[np.uint8]
Places = NDArray[np.int32]


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
    numbers: NDArray[np.int64]


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
        self.suited = not {ids.SUITED_NATURAL, ids.SUITED_SEVENS}.isdisjoint(named)
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
        sevens = self.suited and not state.split and all(values[face] == _SEVEN for face in hand.faces)
        whole = len(hand.faces) == 1 or sevens
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
            end = DEALER_BUST if total > 21 else max(total - LEAST_TOTAL, 0)
            ends.append(DEALER_NATURAL if self.round.dealer_natural(tables[0]) else end)
        return np.array(bank, dtype=np.int32), np.array(draws, dtype=np.uint8).T.copy(), _bytes(ends)

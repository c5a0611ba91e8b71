"""A game of blackjack under a strategy as arrays for the kernel, each made by asking the reference round.

The reference round is brought to every point that a strategy comes to, told apart as the kernel tells them apart, and
asked what is offered, how a hand stands after a card, and whether the dealer draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack import rules as ids
from certify.families.blackjack.reference import DEALER, BlackjackRound, OwnHand, RoundState, reference
from certify.families.blackjack.rulebook import How
from certify.families.blackjack.side_bets import ACE, ROWS, TEN, VALUES, outcome, paid_rows, total_of
from certify.families.blackjack.volume.settlement import (
    DEALER_BUST,
    DEALER_NATURAL,
    LEAST_TOTAL,
    NAMED,
    Settlement,
)
from certify.families.port import Chance, Choice
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS
from certify.model.game import Game
from certify.model.strategy import Strategy

UNSPLIT, UNSPLIT_PAIR, OF_SPLIT, SPLIT_PAIR, LAST_PAIR = range(5)
"""What a hand of two cards is besides them: whether it came of a split, is a pair, and whether another is allowed."""

STAND, HIT, DOUBLE, SPLIT, SURRENDER = range(len(ids.OPTIONS))
CODES: Final = {option: code for code, option in enumerate(ids.OPTIONS)}
"""What may be decided on a hand, as the kernel knows it."""

PLAYS, STANDS, BUSTS, ASKS = range(4)
"""How a hand stands after a card; else it ended, as its code says. One that asks was doubled and may be given up."""

BUST_STATE: Final = 0
EMPTY_STATE: Final = 1
STAKES: Final = 18
"""Half units that may be staked in a round, and one: four doubled hands and insurance."""

MOST: Final = 21

Bytes = NDArray[np.uint8]
Values = tuple[int, ...]
"""Cards of a hand by the places of their values, in rising order."""


class Tables(NamedTuple):
    """Everything that a round needs.

    Args:
        value: Place of the value of each item.
        rank: Place of its rank.
        suit: Place of its suit.
        pairs: uint8[13, 13], whether cards of two ranks may be split.
        most: uint8[10], how many hands a pair of a value may become.
        follow: uint16[states * 10], hand after a card of each value.
        total: What each hand counts.
        first: uint8[2, states], end of the first two cards that end a hand by themselves, else 0; of one suit last.
        dealt: uint8[contexts, open cards, 10, 10], what is decided on two cards; of a split hand its own card first.
        action: uint8[2, open cards, states], what is decided on a longer hand, unsplit and of a split.
        after: uint8[2, 2, 2, states], how a hand stands after a card: split, doubled, of one suit.
        insured: uint8[2, states], whether a hand is insured, no pair and pair.
        early: uint8[2, open cards, states], whether a hand is surrendered before the dealer looks.
        rescued: uint8[2, open cards, states], whether a doubled hand is given up, unsplit and of a split.
        looks: uint8[10], whether the dealer looks under each open card.
        draws: uint8[2, states], whether the dealer draws, with nothing and something left to beat.
        ends: uint8[states], how the dealer's hand ends.
        sides: uint16[2, 52, 52, 52], joint end of the side bets by the first cards, without and with a natural;
            one entry each where none is bet.
        nets: int64[3, open cards, dealer's ends, codes], see Settlement.table.
        insurance: int64[2], what insurance nets without and with a natural.
        numbers: int64, what is counted in, by the places below.
    """

    value: Bytes
    rank: Bytes
    suit: Bytes
    pairs: Bytes
    most: Bytes
    follow: NDArray[np.uint16]
    total: Bytes
    first: Bytes
    dealt: Bytes
    action: Bytes
    after: Bytes
    insured: Bytes
    early: Bytes
    rescued: Bytes
    looks: Bytes
    draws: Bytes
    ends: Bytes
    sides: NDArray[np.uint16]
    nets: NDArray[np.int64]
    insurance: NDArray[np.int64]
    numbers: NDArray[np.int64]


HOLE, SIDES, LOW, WIDTH, SUPPLY = range(5)
"""Places in ``numbers``: whether a hidden card is dealt, joint ends of side bets, the least net result, how many there
are, and the cards of a row."""


def hands_below() -> tuple[Values, ...]:
    """Returns every hand that is not bust, the empty one first."""
    found: list[Values] = [()]
    for hand in found:
        low = sum(hand) + len(hand)
        found += ((*hand, value) for value in range(hand[-1] if hand else 0, VALUES) if low + value < MOST)
    return tuple(found)


HANDS: Final = hands_below()
NUMBER: Final = {hand: place + EMPTY_STATE for place, hand in enumerate(HANDS)}
STATES: Final = len(HANDS) + EMPTY_STATE


def after_card(hand: Values, value: int) -> Values:
    """Returns a hand with one card more."""
    return tuple(sorted((*hand, value)))


def counts(hand: Iterable[int]) -> tuple[int, ...]:
    """Returns a hand counted by value."""
    held = list(hand)
    return tuple(held.count(value) for value in range(VALUES))


@lru_cache(maxsize=16)
def settlement_of(game: Game) -> Settlement:
    """Returns the settlement of a game."""
    return Settlement(reference(game))


def compiled(game: Game, strategy: Strategy) -> Tables:
    """Returns a game under a strategy.

    Raises:
        InputError: The strategy names no decision for a hand that it comes to.
    """
    piece, settlement = game.equipment[0], settlement_of(game)
    names = [piece.name_of(item).split(" of ") for item in range(piece.size)]
    ranks = [FRENCH_RANKS.index(rank) for rank, _ in names]
    points = _Points(settlement.round)
    decided = _Decided(points, strategy)
    dealt, action = decided.played()
    joint, most = prod(len(outcomes) for _, outcomes in side_axes(game)), settlement.most
    return Tables(
        value=_bytes(min(rank, TEN) for rank in ranks),
        rank=_bytes(ranks),
        suit=_bytes(FRENCH_SUITS.index(suit) for _, suit in names),
        pairs=points.pairs,
        most=_bytes(points.most(value) for value in range(VALUES)),
        follow=_follow(),
        total=_bytes([99, *(total_of(counts(hand))[0] for hand in HANDS)]),
        first=points.first,
        dealt=dealt,
        action=action,
        after=points.after,
        insured=decided.first_two(ids.INSURE)[:, ACE],
        early=decided.first_two(ids.SURRENDER),
        rescued=decided.rescued(),
        looks=_bytes(settlement.round.looks(up) for up in range(VALUES)),
        draws=points.draws,
        ends=points.ends,
        sides=_sides(game),
        nets=settlement.table(),
        insurance=settlement.insured(),
        numbers=np.array([points.hole, joint, -most, 2 * most + 1, piece.supply], dtype=np.int64),
    )


def _bytes(values: Any) -> Bytes:
    return np.array(list(values), dtype=np.uint8)


def _follow() -> NDArray[np.uint16]:
    rows = [[BUST_STATE] * VALUES]
    rows += [[NUMBER.get(after_card(hand, value), BUST_STATE) for value in range(VALUES)] for hand in HANDS]
    return np.array(rows, dtype=np.uint16).ravel()


def side_axes(game: Game) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns the side bets of a game with their outcomes, lost ones last."""
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


def keys_of(numbers: NDArray[np.int64], rows: int) -> int:
    """Returns how many keys of joint ends there are."""
    return rows * STAKES * int(numbers[WIDTH]) * int(numbers[SIDES])


@dataclass(frozen=True)
class _Points:
    """Points of rounds, by what the kernel tells apart.

    Args:
        round: The reference round.
    """

    round: BlackjackRound

    @cached_property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        """Faces by value."""
        values = self.round.values
        return tuple(
            tuple(face for face, value in enumerate(values) if value == one) for one in range(VALUES)
        )

    @cached_property
    def values(self) -> tuple[int, ...]:
        """Values that the shoe holds."""
        return tuple(value for value, faces in enumerate(self.faces) if faces)

    @cached_property
    def hole(self) -> bool:
        """Whether the dealer takes a hidden card before anybody plays."""
        face = self.faces[self.values[0]][0]
        node = self.round.node(
            RoundState((OwnHand((face, face), How.PLAYS),), (face,), insured=False, kept=True)
        )
        return isinstance(node, Chance) and node.to == DEALER and not node.shown

    def table(
        self, up: int, *hands: OwnHand, insured: bool | None = False, kept: bool | None = True
    ) -> RoundState:
        """Returns a table at which the player is to decide; of equal cards the dealer has no natural."""
        face = self.faces[up][0]
        return RoundState(hands, (face,) * (2 if self.hole else 1), insured, kept, hands[0].faces[:1] * 2)

    def two(self, one: int, two: int, *, pair: bool) -> tuple[int, int] | None:
        """Returns two faces of these values that are a pair or none; nothing where there are none."""
        found = product(self.faces[one], self.faces[two])
        return next((faces for faces in found if self.round.is_pair(faces) == pair), None)

    def cards_of(self, hand: Values) -> tuple[int, ...]:
        """Returns faces of a hand, aces last: no longer hand begins with a split ace that is not drawn to."""
        return tuple(self.faces[value][0] for value in reversed(hand))

    def held(self, hand: Values, *, suited: bool) -> tuple[int, ...] | None:
        """Returns faces of a hand, of one suit or not; nothing where there are none."""
        suits = {suit for _, suit in self.round.cards}
        for suit in sorted(suits):
            found = [
                next((face for face in self.faces[value] if self.round.cards[face][1] == suit), -1)
                for value in hand
            ]
            if not suited:
                others = (face for face in self.faces[hand[-1]] if self.round.cards[face][1] != suit)
                found[-1] = next(others, -1)
            if min(found) >= 0:
                return tuple(found)
        return None

    def most(self, value: int) -> int:
        """Returns how many hands a pair of a value may become."""
        faces = self.two(value, value, pair=True)
        number = 1
        while faces is not None and ids.SPLIT in self._offered(faces, number):
            number += 1
        return number

    def _offered(self, faces: tuple[int, int], hands: int) -> tuple[str, ...]:
        others = (OwnHand(faces[:1]),) * (hands - 1)
        node = self.round.node(self.table(self.values[0], OwnHand(faces, How.PLAYS), *others))
        return node.ids if isinstance(node, Choice) else ()

    @cached_property
    def pairs(self) -> Bytes:
        """Whether cards of two ranks may be split."""
        size = len(FRENCH_RANKS)
        found = np.zeros((size, size), dtype=np.uint8)
        for (one, (rank, _)), (two, (other, _)) in product(enumerate(self.round.cards), repeat=2):
            found[rank, other] = self.round.is_pair((one, two))
        return found

    @cached_property
    def first(self) -> Bytes:
        """End of the first two cards that end a hand by themselves."""
        found = np.zeros((2, STATES), dtype=np.uint8)
        for suited, hand in product((False, True), (one for one in self.below if len(one) == 2)):
            faces = self.held(hand, suited=suited)
            row = self.round.row_of(OwnHand(faces), split=False) if faces is not None else ""
            found[int(suited), NUMBER[hand]] = NAMED.get(row, 0)
        return found

    @cached_property
    def below(self) -> tuple[Values, ...]:
        """Hands of the shoe's values that are not bust."""
        return tuple(hand for hand in HANDS if set(hand) <= set(self.values))

    @cached_property
    def after(self) -> Bytes:
        """How a hand of three cards or more stands after its last one."""
        found = np.full((2, 2, 2, STATES), BUSTS, dtype=np.uint8)
        for hand in (one for one in self.below if len(one) > 2):
            for split, doubled in product((False, True), repeat=2):
                place = found[int(split), int(doubled), :, NUMBER[hand]]
                place[:] = self._stands(self.cards_of(hand), split=split, doubled=doubled)
                # Three sevens may be paid by their suits.
                for suited in (False, True) if len(hand) == 3 else ():
                    faces = self.held(hand[::-1], suited=suited)
                    if faces is not None:
                        place[int(suited)] = self._stands(faces, split=split, doubled=doubled)
        return found

    def _stands(self, faces: tuple[int, ...], *, split: bool, doubled: bool) -> int:
        others = (OwnHand(faces[:1]),) if split else ()
        before = self.table(self.values[0], OwnHand(faces[:-1], stake=2 if doubled else 1), *others)
        hand = self.round.drawn(before, faces[-1]).hands[0]
        codes = {How.PLAYS: PLAYS, How.STOOD: STANDS, How.BUST: BUSTS, How.DOUBLED: ASKS}
        return NAMED[self.round.row_of(hand, split=split)] if hand.how is How.PAID else codes[hand.how]

    @cached_property
    def draws(self) -> Bytes:
        """Whether the dealer draws, with nothing and something left to beat."""
        found = np.zeros((2, STATES), dtype=np.uint8)
        own = (self.faces[self.values[0]][0],) * 2
        for live, hand in product((False, True), self.below[1:]):
            state = RoundState(
                (OwnHand(own, How.STOOD if live else How.BUST),), self.cards_of(hand), False, True
            )
            found[int(live), NUMBER[hand]] = self.round.dealer_draws(state)
        return found

    @cached_property
    def ends(self) -> Bytes:
        """How the dealer's hand ends."""
        found = np.full(STATES, DEALER_BUST, dtype=np.uint8)
        for hand in self.below[1:]:
            state = RoundState(dealer=tuple(self.faces[value][0] for value in hand))
            total = max(total_of(counts(hand))[0] - LEAST_TOTAL, 0)
            found[NUMBER[hand]] = DEALER_NATURAL if self.round.dealer_natural(state) else total
        return found


@dataclass(frozen=True)
class _Decided:
    """What a strategy decides, asked only for hands that it comes to.

    Args:
        points: Points of rounds.
        strategy: The strategy.
    """

    points: _Points
    strategy: Strategy

    def takes(self, state: RoundState, option: str, otherwise: str = ids.STAND) -> bool:
        """Returns whether an option is taken where it is offered, and one other beside it."""
        node = self.points.round.node(state)
        if not isinstance(node, Choice) or set(node.ids) != {option, otherwise}:
            return False
        return self.strategy.choose(node.sees, node.ids) == option

    def choose(self, state: RoundState) -> int:
        """Returns the code of what is decided at a table; to stand where nothing is."""
        node = self.points.round.node(state)
        if not isinstance(node, Choice):
            return STAND
        return CODES[node.ids[0] if len(node.ids) == 1 else self.strategy.choose(node.sees, node.ids)]

    def _two(self, value: int) -> Iterator[tuple[int, bool, tuple[int, int]]]:
        """Yields every second card, with whether it makes a pair, and the faces."""
        for other, pair in product(self.points.values, (False, True)):
            faces = self.points.two(value, other, pair=pair)
            if faces is not None:
                yield other, pair, faces

    def played(self) -> tuple[Bytes, Bytes]:
        """Returns what is decided on two cards, and on longer hands."""
        dealt = np.zeros((5, VALUES, VALUES, VALUES), dtype=np.uint8)
        action = np.zeros((2, VALUES, STATES), dtype=np.uint8)
        for up in self.points.values:
            drawn, parted = set[Values](), set[int]()
            for value in self.points.values:
                for other, pair, faces in self._two(value):
                    option = self.choose(self._unsplit(up, faces))
                    dealt[UNSPLIT_PAIR if pair else UNSPLIT, up, value, other] = option
                    drawn |= {after_card((value,), other)} if option == HIT else set()
                    parted |= {value} if option == SPLIT else set()
            self._go_on(action, up, drawn, split=False)
            drawn = set()
            for value in parted:
                most = self.points.most(value)
                for other, pair, faces in self._two(value):
                    contexts = ((SPLIT_PAIR, 2), (LAST_PAIR, most)) if pair else ((OF_SPLIT, 2),)
                    for context, hands in contexts:
                        own = self.points.table(up, OwnHand(faces[:1]), *(OwnHand(faces[:1]),) * (hands - 1))
                        option = self.choose(self.points.round.drawn(own, faces[1]))
                        dealt[context, up, value, other] = option
                        drawn |= {after_card((value,), other)} if option == HIT else set()
            self._go_on(action, up, drawn, split=True)
        return dealt, action

    def _unsplit(
        self, up: int, faces: tuple[int, int], *, insured: bool | None = False, kept: bool | None = True
    ) -> RoundState:
        first = RoundState((OwnHand(faces[:1]),), (self.points.faces[up][0],))
        hand = self.points.round.drawn(first, faces[1]).hands[0]
        return self.points.table(up, hand, insured=insured, kept=kept)

    def _go_on(self, action: Bytes, up: int, drawn: set[Values], *, split: bool) -> None:
        """Writes what is decided on hands that others are drawn to."""
        waiting, met = list(drawn), set[Values]()
        others = (OwnHand((self.points.faces[self.points.values[0]][0],)),) if split else ()
        while waiting:
            hand = waiting.pop()
            for value in self.points.values:
                longer = after_card(hand, value)
                if longer in met or longer not in NUMBER:
                    continue
                met.add(longer)
                own = OwnHand(self.points.cards_of(longer), How.PLAYS)
                if PLAYS in self.points.after[int(split), 0, :, NUMBER[longer]]:
                    option = self.choose(self.points.table(up, own, *others))
                    action[int(split), up, NUMBER[longer]] = option
                    waiting += [longer] if option == HIT else []

    def first_two(self, option: str) -> Bytes:
        """Returns where the first two cards are insured, or given up early, uint8[2, open cards, states]."""
        found = np.zeros((2, VALUES, STATES), dtype=np.uint8)
        insured = None if option == ids.INSURE else False
        for up, value in product(self.points.values, repeat=2):
            for other, pair, faces in self._two(value):
                state = self._unsplit(up, faces, insured=insured, kept=None)
                place = int(pair), up, NUMBER[after_card((value,), other)]
                found[place] |= self.takes(state, option, ids.DECLINE)
        return found

    def rescued(self) -> Bytes:
        """Returns where a doubled hand is given up, uint8[2, open cards, states]."""
        found = np.zeros((2, VALUES, STATES), dtype=np.uint8)
        others = OwnHand((self.points.faces[self.points.values[0]][0],))
        for split, up in product((False, True), self.points.values):
            for hand in self.points.below:
                if ASKS in self.points.after[int(split), 1, :, NUMBER[hand]]:
                    own = OwnHand(self.points.cards_of(hand), How.DOUBLED, 2)
                    state = self.points.table(up, own, *((others,) if split else ()))
                    found[int(split), up, NUMBER[hand]] = self.takes(state, ids.RESCUE)
        return found

"""A strategy and the rules of blackjack, compiled into the arrays that the kernel looks things up in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack import rules as ids
from certify.families.blackjack.cards import VALUES, Seen
from certify.families.blackjack.rules import BlackjackRules, Peek, Taken
from certify.families.blackjack.side_bets import ROWS, paid_rows
from certify.families.blackjack.volume.rulebook import (
    ACE,
    CODES,
    MOST,
    SETTLED_ROWS,
    TEN,
    PaysInParts,
    Values,
    best,
    keeps_half,
    looks_under,
    most_hands,
    offered,
    pays_of_game,
    side_row,
    surrenders_before_the_look,
    tens_pair,
)
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS, Equipment
from certify.model.game import Game
from certify.model.strategy import Strategy

UNSPLIT, UNSPLIT_PAIR, OF_SPLIT, SPLIT_PAIR, LAST_PAIR = range(5)
"""What a hand is besides its cards: whether it came of a split, is a pair, and whether another hand is allowed."""

CONTEXTS: Final = 5
BUST_STATE: Final = 0
EMPTY_STATE: Final = 1
STAKES: Final = 18
"""Half units that may be staked in a round, and one: four doubled hands and insurance."""

Bytes = NDArray[np.uint8]


class Tables(NamedTuple):
    """Everything that a round needs.

    Args:
        value: Place of the value of each item.
        rank: Place of its rank.
        suit: Place of its suit.
        follow: uint16[states * 10], hand after a card of each value.
        total: What each hand counts.
        cards: Its number of cards.
        action: uint8[contexts, open cards, states], what is decided.
        locked: uint8[open cards], what is decided on a pair of split aces that are not drawn to.
        insured: uint8[2, states], whether a hand is insured, no pair and pair.
        early: uint8[2, open cards, states], whether a hand is surrendered before the dealer looks.
        rescued: uint8[2, open cards, states], whether a doubled hand is given up, unsplit and of a split.
        early_open: uint8[10], whether surrender before the look is offered.
        halves: uint8[10], whether what is surrendered keeps half the stake against a natural.
        looks: uint8[10], whether the dealer looks under each open card.
        sides: uint8[2, 52, 52, 52], joint end of the side bets by the first cards, without and with a natural;
            one entry each where none is bet.
        pays: int64[rows], parts of a unit that each row pays.
        numbers: int64, the rules as numbers, by the places below.
    """

    value: Bytes
    rank: Bytes
    suit: Bytes
    follow: NDArray[np.uint16]
    total: Bytes
    cards: Bytes
    action: Bytes
    locked: Bytes
    insured: Bytes
    early: Bytes
    rescued: Bytes
    early_open: Bytes
    halves: Bytes
    looks: Bytes
    sides: NDArray[np.uint16]
    pays: NDArray[np.int64]
    numbers: NDArray[np.int64]


(
    UNIT,
    INSURED,
    HITS_SOFT,
    HOLE,
    INSURANCE,
    RESCUES,
    SPLITS,
    ACES,
    DRAWS_ACES,
    EQUAL_TENS,
    OTHER_TENS,
    CHARLIES,
    HAS_SEVENS,
    HAS_SUITED_SEVENS,
    HAS_SUITED_NATURAL,
    TAKES,
    SIDES,
    LOW,
    WIDTH,
    SUPPLY,
) = range(20)
"""Places of the rules in ``numbers``."""

TAKEN: Final = {taken: code for code, taken in enumerate(Taken)}


def hands_below() -> tuple[Values, ...]:
    """Returns every hand that is not bust, the empty one first."""
    found: list[Values] = [()]
    for hand in found:
        found += (
            (*hand, value) for value in range(hand[-1] if hand else 1, TEN + 1) if sum(hand) + value <= MOST
        )
    return tuple(found)


HANDS: Final = hands_below()
NUMBER: Final = {hand: place + EMPTY_STATE for place, hand in enumerate(HANDS)}
STATES: Final = len(HANDS) + EMPTY_STATE


def counts(hand: Sequence[int]) -> tuple[int, ...]:
    """Returns a hand as strategies see it, counted by value."""
    return tuple(hand.count(value) for value in range(1, VALUES + 1))


def compiled(game: Game, strategy: Strategy) -> Tables:
    """Returns a game under a strategy.

    Raises:
        InputError: The strategy names no decision for a hand that it comes to.
    """
    rules, pays, piece = ids.rules_of(game), pays_of_game(game), game.equipment[0]
    ranks = [FRENCH_RANKS.index(piece.name_of(item).split(" of ")[0]) for item in range(piece.size)]
    suits = [FRENCH_SUITS.index(piece.name_of(item).split(" of ")[1]) for item in range(piece.size)]
    ups = range(1, VALUES + 1)
    decided = _decided(rules, strategy)
    return Tables(
        value=_bytes(min(rank, TEN - 1) for rank in ranks),
        rank=_bytes(ranks),
        suit=_bytes(suits),
        follow=_follow(),
        total=_bytes([99, *map(best, HANDS)]),
        cards=_bytes([0, *map(len, HANDS)]),
        action=decided.actions,
        locked=decided.locked,
        insured=decided.first_two((ids.DECLINE, ids.INSURE), [rules.insurance and up == ACE for up in ups])[
            :, 0
        ],
        early=decided.first_two(
            (ids.DECLINE, ids.SURRENDER), [surrenders_before_the_look(rules, up) for up in ups]
        ),
        rescued=decided.rescued,
        early_open=_bytes(surrenders_before_the_look(rules, up) for up in ups),
        halves=_bytes(keeps_half(rules, up) for up in ups),
        looks=_bytes(looks_under(rules, up) for up in ups),
        sides=_sides(game),
        pays=np.array(pays.rows, dtype=np.int64),
        numbers=_numbers(rules, pays, piece, game),
    )


@lru_cache(maxsize=16)
def _decided(rules: BlackjackRules, strategy: Strategy) -> _Decided:
    """Returns what a strategy decides: games that differ in their pays alone share it."""
    return _Decided(rules, strategy)


def _bytes(values: Any) -> Bytes:
    return np.array(list(values), dtype=np.uint8)


@cache
def _follow() -> NDArray[np.uint16]:
    rows = [[BUST_STATE] * VALUES]
    rows += [
        [NUMBER.get(tuple(sorted((*hand, value))), BUST_STATE) for value in range(1, VALUES + 1)]
        for hand in HANDS
    ]
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
    cards = [(rank, suit) for rank in range(len(FRENCH_RANKS)) for suit in range(len(FRENCH_SUITS))]
    found = np.zeros((2, len(cards), len(cards), len(cards)), dtype=np.uint16)
    for wager, outcomes in axes:
        named = outcomes[:-1]
        found *= len(outcomes)
        if wager == ids.TWENTY_ONE_THREE:
            ends = [
                [[side_row(wager, named, (a, b, c), natural=False) for c in cards] for b in cards]
                for a in cards
            ]
            found += np.array(ends, dtype=np.uint16)[None]
        else:
            # The open card decides nothing here.
            for natural in (False, True):
                pairs = [[side_row(wager, named, (a, b, a), natural=natural) for b in cards] for a in cards]
                found[int(natural)] += np.array(pairs, dtype=np.uint16)[:, :, None]
    return found.reshape(2, -1)


def _numbers(rules: BlackjackRules, pays: PaysInParts, piece: Equipment, game: Game) -> NDArray[np.int64]:
    most = rules.split_hands * 2 * max(*map(abs, pays.rows), pays.unit) + abs(pays.insured) + pays.unit
    sides = 1
    for _, outcomes in side_axes(game):
        sides *= len(outcomes)
    found = dict.fromkeys(range(SUPPLY + 1), 0) | {
        UNIT: pays.unit,
        INSURED: pays.insured,
        HITS_SOFT: rules.hits_soft_17,
        HOLE: rules.peek != Peek.NEVER,
        INSURANCE: rules.insurance,
        RESCUES: rules.double_rescue,
        SPLITS: most_hands(rules, TEN),
        ACES: most_hands(rules, ACE),
        DRAWS_ACES: rules.draw_to_aces,
        EQUAL_TENS: tens_pair(rules, equal=True),
        OTHER_TENS: tens_pair(rules, equal=False),
        CHARLIES: rules.charlie if ids.CHARLIE in pays.named else 0,
        HAS_SEVENS: ids.SEVENS in pays.named,
        HAS_SUITED_SEVENS: ids.SUITED_SEVENS in pays.named,
        HAS_SUITED_NATURAL: ids.SUITED_NATURAL in pays.named,
        TAKES: TAKEN[rules.natural_takes],
        SIDES: sides,
        LOW: -most,
        WIDTH: 2 * most + 1,
        SUPPLY: piece.supply,
    }
    return np.array([int(found[place]) for place in range(SUPPLY + 1)], dtype=np.int64)


def keys_of(numbers: NDArray[np.int64]) -> int:
    """Returns how many keys of joint ends there are."""
    return len(SETTLED_ROWS) * STAKES * int(numbers[WIDTH]) * int(numbers[SIDES])


class _Decided:
    """What a strategy decides, asked only for hands that it comes to."""

    def __init__(self, rules: BlackjackRules, strategy: Strategy) -> None:
        self.rules = rules
        self.strategy = strategy

    def choose(self, up: int, hand: Values, options: Sequence[str], *, pair: bool, split: bool) -> str:
        if len(options) == 1:
            return options[0]
        return self.strategy.choose(Seen(up - 1, counts(hand), pair, split), options)

    @cached_property
    def actions(self) -> Bytes:
        """What is decided on every hand that is come to."""
        found = np.zeros((CONTEXTS, VALUES, STATES), dtype=np.uint8)
        for up in range(1, VALUES + 1):
            splits = self._fill(found, up, list(self._dealt()), split=False)
            while splits:
                value = splits.pop()
                again = self._fill(found, up, list(self._after_split(value)), split=True)
                splits |= again - {value}
        return found

    def _dealt(self) -> Iterator[tuple[Values, bool]]:
        for one in range(1, TEN + 1):
            for two in range(one, TEN + 1):
                yield from ((((one, two)), pair) for pair in self._pairs(one, two))

    def _pairs(self, one: int, two: int) -> set[bool]:
        if one != two:
            return {False}
        return (
            {True} if one != TEN else {tens_pair(self.rules, equal=True), tens_pair(self.rules, equal=False)}
        )

    def _after_split(self, value: int) -> Iterator[tuple[Values, bool]]:
        if value == ACE and not self.rules.draw_to_aces:
            return
        for other in range(1, TEN + 1):
            one, two = sorted((value, other))
            yield from ((((one, two)), pair) for pair in self._pairs(one, two))

    def _fill(self, found: Bytes, up: int, begun: list[tuple[Values, bool]], *, split: bool) -> set[int]:
        """Writes the decisions on hands and those that they are drawn to; returns the values that are split."""
        splits, met = set[int](), set(begun)
        for hand, pair in begun:
            if best(hand) == MOST:
                continue
            for context, more in _contexts(split=split, pair=pair):
                few = most_hands(self.rules, hand[0]) < 2
                options = offered(self.rules, hand, up, pair=pair, split=split, more=more and not few)
                option = self.choose(up, hand, options, pair=pair, split=split)
                found[context, up - 1, NUMBER[hand]] = CODES[option]
                if option == ids.SPLIT:
                    splits.add(hand[0])
                if option == ids.HIT:
                    further = {
                        (after, False)
                        for value in range(1, TEN + 1)
                        if (after := tuple(sorted((*hand, value)))) in NUMBER
                    }
                    begun += further - met
                    met |= further
        return splits

    @cached_property
    def locked(self) -> Bytes:
        """What is decided on split aces that came as a pair again and are not drawn to."""
        if self.rules.draw_to_aces or self.rules.ace_hands < 3:
            return np.zeros(VALUES, dtype=np.uint8)
        options = (ids.STAND, ids.SPLIT)
        return _bytes(
            CODES[self.choose(up, (ACE, ACE), options, pair=True, split=True)] for up in range(1, VALUES + 1)
        )

    def first_two(self, options: tuple[str, str], opened: Sequence[bool]) -> Bytes:
        """Returns where the second of two options is taken on the first two cards, uint8[2, open cards, states]."""
        found = np.zeros((2, VALUES, STATES), dtype=np.uint8)
        for up in (up for up in range(1, VALUES + 1) if opened[up - 1]):
            for hand, pair in self._dealt():
                if best(hand) < MOST or options[1] == ids.INSURE:
                    option = self.choose(up, hand, options, pair=pair, split=False)
                    found[int(pair), up - 1, NUMBER[hand]] = option == options[1]
        return found

    @cached_property
    def rescued(self) -> Bytes:
        """Where a doubled hand is given up, uint8[2, open cards, states]."""
        found = np.zeros((2, VALUES, STATES), dtype=np.uint8)
        if self.rules.double_rescue:
            options = (ids.STAND, ids.RESCUE)
            for hand in (hand for hand in HANDS if len(hand) > 2):
                for up in range(1, VALUES + 1):
                    for split in (False, True):
                        option = self.choose(up, hand, options, pair=False, split=split)
                        found[int(split), up - 1, NUMBER[hand]] = option == ids.RESCUE
        return found


def _contexts(*, split: bool, pair: bool) -> Iterator[tuple[int, bool]]:
    """Yields the contexts of a hand, each with whether another hand is allowed in it."""
    if not pair:
        yield (OF_SPLIT if split else UNSPLIT), False
    elif split:
        yield from ((SPLIT_PAIR, True), (LAST_PAIR, False))
    else:
        yield UNSPLIT_PAIR, True

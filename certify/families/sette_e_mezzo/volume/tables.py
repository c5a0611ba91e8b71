"""A strategy and the rules compiled into the arrays that the kernel walks through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.sette_e_mezzo.rules import SetteEMezzoRules
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.sette_e_mezzo.volume.settlement import (
    CLASS_OF,
    FULL,
    KING,
    OVER,
    POINTS,
    best_total,
    dealer_draws,
    main_code,
    pair_code,
    poker_code,
)
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    CLASSES,
    DECK_SIZE,
    MATTA,
    RANK_KING,
    card_id,
    rank_of,
)

TYPES: Final = 11
"""Types of cards that a strategy can tell apart: the ten ranks, and the King of Denari by itself."""

TYPE_MATTA: Final = 10

WIDTH: Final = 64
"""Columns of one state: the ids of cards, padded to a power of two."""

NONE: Final = WIDTH - 1
"""Column of what lies after the last card dealt: it ends every hand as SHORT."""

MOST_STATES: Final = 1 << 15
"""States beyond which a strategy is refused: 8 MiB of entries."""

ENDED: Final = 1 << 31
"""Entries from here on end the hand; the lower bits are the code of its total."""

SHORT: Final = 31
"""The code of a hand that wants a card which was not dealt."""

CLASS_OF_TYPE: Final = (*(CLASS_OF[card_id(rank, 1)] for rank in range(10)), CLASS_MATTA)
"""Class of each type of card."""

_COPIES: Final = (4, 4, 4, 4, 4, 4, 4, 11, 1)
_LONE_FACES: Final = (CLASS_FACE, CLASS_MATTA)


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that one round needs, as arrays.

    Args:
        steps: uint32, states × 64 flattened: the entry for a card is 64 × the next state, or ENDED
            plus the code of the total on which the hand ends.
        player: Entry of the empty player's hand.
        dealer: uint32[2], entry of the empty dealer's hand against a player below 7½ and on 7½.
        main: uint8[32 × 32], outcome of the main wager by codes of the player's and the dealer's totals.
        pairs: uint8[2 × 16], outcome of Partita Perfetta for a pair of each rank, not bust and bust.
        poker: uint8[2 × 1024], outcome of Mano di Poker by suitedness and set of ranks.
    """

    steps: NDArray[np.uint32]
    player: int
    dealer: NDArray[np.uint32]
    main: NDArray[np.uint8]
    pairs: NDArray[np.uint8]
    poker: NDArray[np.uint8]

    @property
    def states(self) -> int:
        """Number of states of the player's and the dealer's hands together."""
        return len(self.steps) // WIDTH


def compile_tables(strategy: HitTable, rules: SetteEMezzoRules) -> Tables:
    """Compiles a strategy and the rules.

    Args:
        strategy: Hands, counted by class, on which the player draws.
        rules: Rules of play.

    Raises:
        InputError: The dealer's rule cannot be played, or a hand of the strategy is malformed.
    """
    check(strategy, rules)
    states = _States()
    player = _player_hands(states, strategy, rules)
    dealer = [_dealer_hands(states, against, rules) for against in (FULL - 1, FULL)]
    pairs = [
        [pair_code(4 * (rank % 10), 4 * (rank % 10) + 1, bust, rules) for rank in range(16)]
        for bust in (False, True)
    ]
    main = [[_main(player, dealer, rules) for dealer in range(32)] for player in range(32)]
    poker = [[poker_code(ranks, suited) for ranks in range(1024)] for suited in (False, True)]
    return Tables(
        steps=_by_card(states.rows).ravel(),
        player=player,
        dealer=np.array(dealer, dtype=np.uint32),
        main=np.array(main, dtype=np.uint8).ravel(),
        pairs=np.array(pairs, dtype=np.uint8).ravel(),
        poker=np.array(poker, dtype=np.uint8).ravel(),
    )


def _by_card(rows: list[tuple[int, ...]]) -> NDArray[np.uint32]:
    """Returns the entries of each state by id of the card instead of by its type."""
    by_type = np.array(rows, dtype=np.uint32)
    steps = np.full((len(rows), WIDTH), ENDED | OVER, dtype=np.uint32)
    steps[:, :DECK_SIZE] = by_type[:, [type_of(card) for card in range(DECK_SIZE)]]
    steps[:, NONE] = ENDED | SHORT
    return steps


def check(strategy: HitTable, rules: SetteEMezzoRules) -> None:
    """Refuses rules and strategies that cannot be played."""
    if not 1 <= rules.dealer_stands_on <= FULL:
        raise InputError(f"the dealer stands on {rules.dealer_stands_on} half points, expected 1 to {FULL}")
    for hand in (*strategy.draws, *(hand for _, _, hand in strategy.draws_by_first)):
        if len(hand) != len(CLASSES) or not all(
            0 <= held <= copies for held, copies in zip(hand, _COPIES, strict=True)
        ):
            raise InputError(
                f"strategy {strategy.name!r} names the hand {hand}: expected counts of {len(CLASSES)} classes"
            )


def type_of(card: int) -> int:
    """Returns the type of a card: its rank, or TYPE_MATTA for the King of Denari."""
    return TYPE_MATTA if card == MATTA else rank_of(card)


class _States:
    """Rows of the automaton; hands with equal futures share one row."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self._entries: dict[tuple[int, ...], int] = {}

    def entry(self, row: list[int]) -> int:
        """Returns the entry of a row with one entry a type, adding it if it is new."""
        types = tuple(row)
        if types not in self._entries:
            self._entries[types] = WIDTH * len(self.rows)
            self.rows.append(types)
            if len(self.rows) > MOST_STATES:
                raise InputError(f"the strategy needs more than {MOST_STATES} states")
        return self._entries[types]


@dataclass(frozen=True, slots=True)
class _Hand:
    """What a strategy may know of the player's hand.

    Args:
        counts: Cards by class.
        first: Rank of the first card, where the strategy looks at it.
        same: Further cards of that rank, where the strategy looks at them.
    """

    counts: tuple[int, ...]
    first: int | None = None
    same: int = 0

    def grown(self, drawn: int, looks: bool) -> _Hand:
        """Returns the hand with one more card of a type."""
        counts = tuple(held + (index == CLASS_OF_TYPE[drawn]) for index, held in enumerate(self.counts))
        if not looks:
            return _Hand(counts)
        rank = RANK_KING if drawn == TYPE_MATTA else drawn
        if self.first is None:
            return _Hand(counts, rank)
        return _Hand(counts, self.first, self.same + (rank == self.first))

    def drawn_on(self, strategy: HitTable) -> bool:
        """Tells whether a strategy draws on the hand."""
        if self.first is None:
            return self.counts in strategy.draws
        return (self.first, self.same, self.counts) in strategy.draws_by_first


def _player_hands(states: _States, strategy: HitTable, rules: SetteEMezzoRules) -> int:
    looks = strategy.looks_at_first_card
    seen: dict[_Hand, int] = {}

    def entry(hand: _Hand) -> int:
        if hand not in seen:
            seen[hand] = states.entry([after(hand.grown(drawn, looks)) for drawn in range(TYPES)])
        return seen[hand]

    def after(hand: _Hand) -> int:
        counts = hand.counts
        if any(held > copies for held, copies in zip(counts, _COPIES, strict=True)):
            return ENDED | OVER  # The deck holds no such hand: never reached.
        total = _total(counts)
        if total < FULL and (_draws_by_rule(counts, rules) or hand.drawn_on(strategy)):
            return entry(hand)
        natural = total == FULL and sum(counts) == 2 and counts[CLASS_MATTA] == 1
        return ENDED | (KING if natural else total)

    return entry(_Hand((0,) * len(CLASSES)))


def _draws_by_rule(hand: tuple[int, ...], rules: SetteEMezzoRules) -> bool:
    return rules.player_draws_on_first_face and sum(hand) == 1 and any(hand[face] for face in _LONE_FACES)


def _total(hand: tuple[int, ...]) -> int:
    plain = sum(held * points for held, points in zip(hand, POINTS, strict=True))
    return best_total(plain, hand[CLASS_MATTA] == 1)


def _dealer_hands(states: _States, against: int, rules: SetteEMezzoRules) -> int:
    seen: dict[tuple[int, bool], int] = {}

    def entry(plain: int, matta: bool, empty: bool) -> int:
        if empty or (plain, matta) not in seen:
            made = states.entry([after(plain, matta, empty, CLASS_OF_TYPE[drawn]) for drawn in range(TYPES)])
            if empty:
                return made
            seen[plain, matta] = made
        return seen[plain, matta]

    def after(plain: int, matta: bool, empty: bool, drawn: int) -> int:
        if matta and drawn == CLASS_MATTA:
            return ENDED | OVER  # There is only one King of Denari: never reached.
        grown, wild = plain + POINTS[drawn], matta or drawn == CLASS_MATTA
        total = best_total(grown, wild)
        if total != OVER and dealer_draws(total, against, empty and drawn in _LONE_FACES, rules):
            return entry(grown, wild, False)
        return ENDED | total

    return entry(0, False, True)


def _main(player: int, dealer: int, rules: SetteEMezzoRules) -> int:
    return main_code(min(player, KING), min(dealer, OVER), rules)

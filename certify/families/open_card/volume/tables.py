"""A strategy against an open dealer's card, compiled into the arrays that the kernel walks through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.open_card.rules import OpenCardRules
from certify.families.open_card.strategy import OpenCardTable
from certify.families.open_card.volume.outcomes import FINAL_BETS
from certify.families.open_card.volume.settlement import FULL, POINTS

KINDS: Final = len(POINTS)

MOVE_STAND, MOVE_HIT, MOVE_FOLD, MOVE_UNKNOWN = range(4)
MOVES: Final = {"stand": MOVE_STAND, "hit": MOVE_HIT, "fold": MOVE_FOLD}


@dataclass(frozen=True, slots=True)
class OpenCardTables:
    """Everything that one round needs, as arrays; a state is a hand of the player counted by class.

    Args:
        steps: int32[states, 8], the state after one more card of each class; -1 where none is taken.
        totals: uint8[states], total of each state in half points.
        moves: uint8[8, states], what the player does against each open card.
        bets: uint8[8, states], final bet in antes placed with that decision.
        first: int32[8], the state of each first card.
        dealer: int64[3], total the dealer stands on, most cards, and 1 where a second card is always taken.
    """

    steps: NDArray[np.int32]
    totals: NDArray[np.uint8]
    moves: NDArray[np.uint8]
    bets: NDArray[np.uint8]
    first: NDArray[np.int32]
    dealer: NDArray[np.int64]


def compile_open_card(strategy: OpenCardTable, rules: OpenCardRules) -> OpenCardTables:
    """Returns a strategy and the rules as arrays.

    Raises:
        InputError: The strategy names a decision or a final bet that the kernel does not know.
    """
    chosen = {(opened, hand): _move(strategy, decision) for opened, hand, decision in strategy.by_open_card}
    firsts = [tuple(int(kind == held) for held in range(KINDS)) for kind in range(KINDS)]
    states: dict[tuple[int, ...], int] = {}
    queue = list(firsts)
    steps: list[list[int]] = []
    while queue:
        hand = queue.pop()
        if hand in states:
            continue
        states[hand] = len(states)
        if any(chosen.get((opened, hand), (MOVE_STAND, 0))[0] == MOVE_HIT for opened in range(KINDS)):
            queue += [_with(hand, kind) for kind in range(KINDS)]
    for hand in states:
        steps.append([states.get(_with(hand, kind), -1) for kind in range(KINDS)])
    moves = np.full((KINDS, len(states)), MOVE_STAND, dtype=np.uint8)
    bets = np.zeros((KINDS, len(states)), dtype=np.uint8)
    for hand, state in states.items():
        for opened in range(KINDS):
            known = chosen.get((opened, hand))
            if known is not None:
                moves[opened, state], bets[opened, state] = known
            elif _decides(hand, rules):
                # A hand that the strategy never comes to against this card; the kernel refuses to play it.
                moves[opened, state] = MOVE_UNKNOWN
    return OpenCardTables(
        steps=np.array(steps, dtype=np.int32),
        totals=np.array([min(_total(hand), 255) for hand in states], dtype=np.uint8),
        moves=moves,
        bets=bets,
        first=np.array([states[hand] for hand in firsts], dtype=np.int32),
        dealer=np.array(
            [rules.dealer_stands_on, rules.dealer_maximum_cards, int(rules.dealer_always_draws)],
            dtype=np.int64,
        ),
    )


def _move(strategy: OpenCardTable, decision: str) -> tuple[int, int]:
    move, _, bet = decision.partition("-")
    if move not in MOVES or (bet and (not bet.isdigit() or int(bet) not in FINAL_BETS)):
        raise InputError(
            f"strategy {strategy.name!r} decides {decision!r}: the kernel knows no such decision"
        )
    return MOVES[move], int(bet or 0)


def _decides(hand: tuple[int, ...], rules: OpenCardRules) -> bool:
    return sum(hand) < rules.player_maximum_cards and _total(hand) < FULL


def _with(hand: tuple[int, ...], kind: int) -> tuple[int, ...]:
    return (*hand[:kind], hand[kind] + 1, *hand[kind + 1 :])


def _total(hand: tuple[int, ...]) -> int:
    return sum(held * points for held, points in zip(hand, POINTS, strict=True))

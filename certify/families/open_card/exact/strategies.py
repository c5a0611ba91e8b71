"""Strategies for games with an open dealer's card, as complete tables of decisions."""

from __future__ import annotations

from collections.abc import Callable

from certify.errors import InputError
from certify.families.open_card.exact.first_card_strategy import decides_once, own_card_decisions
from certify.families.open_card.exact.optimal import FOLD, HIT, STAND, OpenSolution
from certify.families.open_card.exact.thresholds import best_thresholds
from certify.families.open_card.exact.tree import OpenTree
from certify.families.open_card.strategy import OpenCardTable
from certify.families.seven_and_a_half.cards import CLASS_FACE
from certify.families.seven_and_a_half.counting import Hand, single
from certify.families.seven_and_a_half.strategy_names import (
    ALWAYS_SECOND_CARD,
    COMPOSITION,
    FIXED,
    LOWEST_BET,
    MIMIC_DEALER,
    ONE_TOTAL,
    OWN_CARD,
    OWN_FIRST_CARD,
    STAND_ON,
    THRESHOLDS,
    TIME_OUT,
    TOTAL,
    parse_strategy_name,
)
from certify.model.strategy import FILE, MAIN_OPTIMAL

Chooses = Callable[[int, Hand], str]
"""Decision on a hand against an open card."""


def open_strategy(tree: OpenTree, solution: OpenSolution, name: str) -> OpenCardTable:
    """Returns a named strategy.

    ``main-optimal`` (or ``optimal``) is best for the net result per ante; ``stand-on-by-open-card`` is the best
    that looks at the player's total and the open card alone, with one total to stand on for each open card;
    ``best-by-own-card`` is the best that never looks at the open card, where the first decision is the only one.
    The others place the lowest final bet and never fold, and their class says so; ``time-out`` is what a
    platform decides for a player who is gone: no further bet and no further card.

    Raises:
        InputError: No such strategy for a game with one wager and an open card.
    """
    parsed = parse_strategy_name(name)
    if parsed.kind == MAIN_OPTIMAL:
        return table_of(tree, MAIN_OPTIMAL, COMPOSITION, solution.best)
    if parsed.kind in (STAND_ON, MIMIC_DEALER):
        # One total whatever lies open: the open card is not looked at.
        draws = _mimics(tree) if parsed.kind == MIMIC_DEALER else lambda hand: tree.total(hand) < parsed.total
        return table_of(tree, name, _unchosen(tree, ONE_TOTAL), _lowest(tree, draws))
    if parsed.kind == ALWAYS_SECOND_CARD:
        return table_of(
            tree,
            name,
            # Where the second card is the last one nothing is left to look at.
            _unchosen(tree, FIXED if decides_once(tree) else COMPOSITION),
            lambda open_card, hand: (
                _move(tree, hand, HIT) if sum(hand) == 1 else solution.best(open_card, hand)
            ),
        )
    if parsed.kind == THRESHOLDS:
        best = best_thresholds(tree, solution)
        return table_of(tree, THRESHOLDS, TOTAL, lambda open_card, hand: best[open_card].decision(tree, hand))
    if parsed.kind == OWN_CARD:
        own = own_card_decisions(tree, solution)
        return table_of(tree, name, OWN_FIRST_CARD, lambda open_card, hand: own[hand])
    if parsed.kind == TIME_OUT:
        gone = FOLD if tree.rules.final_bets else STAND
        return table_of(tree, name, FIXED, lambda open_card, hand: gone)
    raise InputError(
        f"no strategy {name!r} for a game with an open card: expected {MAIN_OPTIMAL}, {ALWAYS_SECOND_CARD}, "
        f"{THRESHOLDS}, {OWN_CARD}, {MIMIC_DEALER}, {TIME_OUT}, {STAND_ON}TOTAL or {FILE}PATH.toml"
    )


def _mimics(tree: OpenTree) -> Callable[[Hand], bool]:
    """Returns when the dealer's rule draws, applied to the player's hand: forced draws and most cards included.

    A player who has no such duty takes it on. The other reading, that only the dealer's total is copied, is
    ``stand-on`` with that total.
    """
    rules = tree.rules

    def draws(hand: Hand) -> bool:
        cards = sum(hand)
        if cards >= rules.dealer_maximum_cards:
            return False
        return tree.total(hand) < rules.dealer_stands_on or (rules.dealer_always_draws and cards == 1)

    return draws


def _unchosen(tree: OpenTree, strategy_class: str) -> str:
    """Returns the class of a strategy that always places the lowest final bet, saying so where there is one."""
    return f"{strategy_class}{LOWEST_BET}" if tree.rules.final_bets else strategy_class


def _lowest(tree: OpenTree, draws: Callable[[Hand], bool]) -> Chooses:
    def choose(open_card: int, hand: Hand) -> str:
        forced = not tree.may_stand(hand)
        return _move(tree, hand, HIT if draws(hand) or forced else STAND)

    return choose


def _move(tree: OpenTree, hand: Hand, move: str) -> str:
    bets = tree.rules.final_bets
    return f"{move}-{min(bets)}" if bets and sum(hand) == 1 else move


def table_of(tree: OpenTree, name: str, strategy_class: str, choose: Chooses) -> OpenCardTable:
    """Returns the table of the hands that the strategy comes to."""
    decided: set[tuple[int, tuple[int, ...], str]] = set()
    for first, open_card, _ in tree.first_deals():
        level = {single(first)}
        while level:
            longer: set[Hand] = set()
            for hand in level:
                if tree.may_draw(hand):
                    decision = choose(open_card, hand)
                    decided.add((open_card, hand[: CLASS_FACE + 1], decision))
                    if decision.partition("-")[0] == HIT:
                        longer |= {grown for _, grown in tree.draws(hand, open_card)}
            level = longer
    return OpenCardTable(name, strategy_class, by_open_card=frozenset(decided))


def decisions_of(table: OpenCardTable) -> dict[tuple[int, tuple[int, ...]], str]:
    """Returns a strategy table as decisions by open card and hand."""
    return {(open_card, hand): decision for open_card, hand, decision in table.by_open_card}

"""A strategy table given by the submitter: complete and unambiguous, or refused with every mistake named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from certify.analysis.strategy_file import StrategyFile
from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.sette_e_mezzo.exact.game_tree import GameTree
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.seven_and_a_half.counting import Hand, hand_name
from certify.families.seven_and_a_half.strategy_files import (
    KEYS,
    decided_totals,
    is_built_in,
    parse_hand,
)
from certify.families.seven_and_a_half.strategy_names import PRINTED_CARD

HIT, STAND = "hit", "stand"


def parse_strategy(text: str, source: str, tree: GameTree) -> HitTable:
    """Returns the strategy that a TOML text states.

    The text names what to do on each total (``[totals]`` with the lists ``hit`` and ``stand``) and may name
    hands that are played otherwise (``[hands]``, such as ``"3+face" = "stand"``).

    Args:
        text: The TOML text.
        source: Name of the text in messages.
        tree: The game that it is for.

    Raises:
        InputError: The text is no TOML, has unknown keys, decides something twice, leaves a hand that the
            player can hold undecided, or decides on a hand that cannot occur. All mistakes are named at once.
    """
    found = StrategyFile.parsed(text, source, KEYS)
    name = found.name(is_built_in)
    totals = _totals(found.document.get("totals", {}), found.problems)
    hands = _hands(found.table("hands", "table of hands"), tree, found.problems)
    draws = _draws(tree, totals, hands, found.problems)
    found.check()
    return HitTable(name, PRINTED_CARD, draws)


def _totals(section: Any, problems: list[str]) -> dict[int, str]:
    if not isinstance(section, dict) or set(section) - {HIT, STAND}:
        problems.append("[totals] holds something else than the lists hit and stand")
        return {}
    return decided_totals("[totals]", section, problems)


def _hands(section: Mapping[str, Any], tree: GameTree, problems: list[str]) -> dict[Hand, str]:
    decided: dict[Hand, str] = {}
    for text, decision in section.items():
        try:
            hand = parse_hand(text)
        except InputError as error:
            problems.append(f"[hands] {error}")
            continue
        if decision not in (HIT, STAND):
            problems.append(f"[hands] {text} is decided {decision!r}: expected hit or stand")
        elif hand not in tree.hands.totals or not tree.hands.is_decision(hand):
            problems.append(f"[hands] {text} leaves the player no decision")
        elif hand in decided:
            problems.append(f"[hands] {hand_name(hand)} is decided twice")
        else:
            decided[hand] = decision
    return decided


def _draws(
    tree: GameTree, totals: dict[int, str], hands: dict[Hand, str], problems: list[str]
) -> frozenset[Hand]:
    draws = set()
    undecided: dict[int, Hand] = {}
    possible = {total for hand, total in tree.hands.totals.items() if tree.hands.is_decision(hand)}
    for total in sorted(set(totals) - possible):
        problems.append(f"[totals] no hand with a decision totals {format_half_points(total)}")
    for hand, total in tree.hands.totals.items():
        if not tree.hands.is_decision(hand):
            continue
        decision = hands.get(hand, totals.get(total))
        if decision is None:
            undecided.setdefault(total, hand)
        elif decision == HIT:
            draws.add(hand)
    for total, hand in sorted(undecided.items()):
        problems.append(
            f"nothing is decided on the total {format_half_points(total)}, such as {hand_name(hand)}"
        )
    return frozenset(draws)

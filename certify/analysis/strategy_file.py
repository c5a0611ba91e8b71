"""A strategy table given by the submitter: complete and unambiguous, or refused with every mistake named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from certify.analysis.counting import Hand, hand_name, plus
from certify.analysis.game_tree import GameTree
from certify.analysis.strategies import PRINTED_CARD, parse_strategy_name
from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.model.cards import CLASSES
from certify.model.figures import StrategyTable
from certify.submission.outside import TomlError, bounded_toml

SCHEMA = "certify-strategy/1"
HIT, STAND = "hit", "stand"


def parse_strategy(text: str, source: str, tree: GameTree) -> StrategyTable:
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
    document = parse_toml(text, source)
    problems: list[str] = []
    unknown = sorted(set(document) - {"schema", "name", "totals", "hands"})
    if unknown:
        problems.append(f"unknown keys {', '.join(unknown)}: expected schema, name, totals, hands")
    if document.get("schema") != SCHEMA:
        problems.append(f'schema is {document.get("schema")!r}: expected "{SCHEMA}"')
    name = named_table(document, problems)
    totals = _totals(document.get("totals", {}), problems)
    hands = _hands(document.get("hands", {}), tree, problems)
    draws = _draws(tree, totals, hands, problems)
    if problems:
        raise InputError("\n".join(f"{source}: {problem}" for problem in problems))
    return StrategyTable(name, PRINTED_CARD, draws)


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Returns the document that a TOML text holds.

    Raises:
        InputError: The text is no TOML.
    """
    try:
        return bounded_toml(text)
    except TomlError as error:
        raise InputError(f"{source}: not TOML: {error}") from error


def named_table(document: dict[str, Any], problems: list[str]) -> str:
    """Returns the name of a submitted table, which must not be the name of a strategy of our own."""
    name = document.get("name")
    if not isinstance(name, str) or not name:
        problems.append("no name: expected a text")
        return ""
    try:
        parse_strategy_name(name)
    except InputError:
        return name
    problems.append(f"the name {name!r} is that of a built-in strategy: expected another one")
    return name


def _totals(section: Any, problems: list[str]) -> dict[int, str]:
    if not isinstance(section, dict) or set(section) - {HIT, STAND}:
        problems.append("[totals] holds something else than the lists hit and stand")
        return {}
    return decided_totals("[totals]", section, problems)


def decided_totals(where: str, section: Mapping[str, Any], problems: list[str]) -> dict[int, str]:
    """Returns the decision on each total of a section, and notes what cannot be read or is decided twice.

    Args:
        where: The section as it stands in the file.
        section: Lists of totals by decision.
        problems: Grows by what is wrong.
    """
    decided: dict[int, str] = {}
    for decision, entries in section.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            try:
                total = parse_half_points(str(entry))
            except InputError as error:
                problems.append(f"{where} {decision}: {error}")
                continue
            if total in decided:
                problems.append(f"{where} the total {format_half_points(total)} is decided twice")
            decided[total] = decision
    return decided


def _hands(section: Any, tree: GameTree, problems: list[str]) -> dict[Hand, str]:
    decided: dict[Hand, str] = {}
    if not isinstance(section, dict):
        problems.append("[hands] is no table of hands")
        return decided
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


def parse_hand(text: str) -> Hand:
    """Returns the hand that a text such as ``A+3+face`` names, in any order of cards.

    Raises:
        InputError: The text names something that is no class of cards.

    >>> parse_hand("face+A")
    (1, 0, 0, 0, 0, 0, 0, 1, 0)
    """
    hand = (0,) * len(CLASSES)
    for name in text.split("+"):
        if name.strip() not in CLASSES:
            raise InputError(
                f"no card {name.strip()!r} in {text!r}: expected {', '.join(CLASSES)} joined by +"
            )
        hand = plus(hand, CLASSES.index(name.strip()))
    return hand

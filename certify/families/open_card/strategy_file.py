"""A submitted strategy table against an open dealer's card: complete and unambiguous, or refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from certify.analysis.strategy_file import StrategyFile
from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.open_card.text import KINDS, Hand, total_of
from certify.families.seven_and_a_half.cards import CLASSES
from certify.families.seven_and_a_half.counting import hand_name
from certify.families.seven_and_a_half.strategy_files import KEYS, decided_totals, is_built_in, parse_hand

OPEN_CARDS: Final = CLASSES[:KINDS]

Offered = Mapping[tuple[int, Hand], Sequence[str]]
"""Options by what is seen: the class of the open card, and the hand by class."""


@dataclass(frozen=True, slots=True)
class FileSection:
    """What a table says for one open card, or for all that have no section of their own.

    Args:
        where: Name of the section in messages.
        totals: Decision on each total in half points.
        hands: Decision on single hands, which goes before that on their totals.
    """

    where: str
    totals: Mapping[int, str]
    hands: Mapping[Hand, str]

    def decision(self, hand: Hand) -> str | None:
        """Returns the decision on a hand, or nothing where the section names none."""
        return self.hands.get(hand, self.totals.get(total_of(hand)))


def parse_card(text: str, source: str, offered: Offered) -> tuple[str, dict[tuple[int, Hand], str]]:
    """Returns name and decisions of the strategy that a TOML text states for a game with an open dealer's card.

    ``[totals]`` and ``[hands]`` say what to do whatever lies open. ``[against.CARD.totals]`` and
    ``[against.CARD.hands]`` say it for one open card, and then alone: nothing is taken over from the general
    part, so that no two sentences compete. Decisions are ``hit`` and ``stand``, and where there is a final bet
    ``fold``, ``hit-1``, ``stand-2`` and so on.

    Args:
        text: The TOML text.
        source: Name of the text in messages.
        offered: Options by open card and hand, for every decision that some play comes to.

    Raises:
        InputError: The text is no TOML, has unknown keys, decides something twice, leaves a hand undecided that
            the player can hold, or names a decision that the hand does not allow. All mistakes are named at once.
    """
    found = StrategyFile.parsed(text, source, (*KEYS, "against"))
    name = found.name(is_built_in)
    chosen = _chosen(offered, _sections(found.document, found.problems), found.problems)
    found.check()
    return name, chosen


def _sections(document: Mapping[str, Any], problems: list[str]) -> dict[int, FileSection]:
    """Returns the section that holds for each open card."""
    general = _section("", document, problems)
    against = document.get("against", {})
    if not isinstance(against, dict):
        problems.append("[against] is no table of open cards")
        against = {}
    strangers = sorted(set(against) - set(OPEN_CARDS))
    if strangers:
        problems.append(f"[against] no open card {', '.join(strangers)}: expected {', '.join(OPEN_CARDS)}")
    own = {card: _own(card, against[card], problems) for card in OPEN_CARDS if card in against}
    if len(own) == len(OPEN_CARDS) and (general.totals or general.hands):
        problems.append("[totals] and [hands] never hold: every open card has a section of its own")
    return {index: own.get(card, general) for index, card in enumerate(OPEN_CARDS)}


def _own(card: str, section: Any, problems: list[str]) -> FileSection:
    where = f"against.{card}."
    if not isinstance(section, dict) or set(section) - {"totals", "hands"}:
        problems.append(f"[against.{card}] holds something else than the tables totals and hands")
        return FileSection(where, {}, {})
    return _section(where, section, problems)


def _section(where: str, section: Mapping[str, Any], problems: list[str]) -> FileSection:
    totals = _totals(f"[{where}totals]", section.get("totals", {}), problems)
    return FileSection(where, totals, _hands(f"[{where}hands]", section.get("hands", {}), problems))


def _totals(where: str, section: Any, problems: list[str]) -> dict[int, str]:
    if not isinstance(section, dict):
        problems.append(f"{where} is no table of decisions with lists of totals")
        return {}
    return decided_totals(where, section, problems)


def _hands(where: str, section: Any, problems: list[str]) -> dict[Hand, str]:
    decided: dict[Hand, str] = {}
    if not isinstance(section, dict):
        problems.append(f"{where} is no table of hands")
        return decided
    for text, decision in section.items():
        try:
            hand = parse_hand(text)
        except InputError as error:
            problems.append(f"{where} {error}")
            continue
        if hand in decided:
            problems.append(f"{where} {hand_name(hand)} is decided twice")
        decided[hand] = str(decision)
    return decided


def _chosen(
    offered: Offered, sections: Mapping[int, FileSection], problems: list[str]
) -> dict[tuple[int, Hand], str]:
    """Returns the decision on every hand against every open card, and notes what is missing or not allowed."""
    chosen: dict[tuple[int, Hand], str] = {}
    missing: dict[tuple[str, int], str] = {}
    wrong: dict[str, None] = {}
    used: dict[str, set[int | Hand]] = {section.where: set() for section in sections.values()}
    for (open_card, seen), allowed in offered.items():
        hand = (*seen, 0)
        section, total = sections[open_card], total_of(seen)
        decision = section.decision(hand)
        used[section.where] |= {total, hand}
        if len(allowed) == 1:
            decision = allowed[0]
        named = hand_name(hand)
        if decision is None:
            where = f"against {OPEN_CARDS[open_card]}" if section.where else "in the general part"
            missing.setdefault(
                (section.where, total),
                f"nothing is decided {where} on the total {format_half_points(total)}, such as {named}",
            )
        elif decision not in allowed:
            wrong[
                f"{section.where or 'general part: '}{named} is decided {decision!r}: "
                f"expected {', '.join(allowed)}"
            ] = None
        else:
            chosen[open_card, seen] = decision
    problems += [*missing.values(), *wrong]
    for section in {section.where: section for section in sections.values()}.values():
        known = used[section.where]
        problems += [
            f"[{section.where}totals] no hand with a decision totals {format_half_points(total)}"
            for total in section.totals
            if total not in known
        ]
        problems += [
            f"[{section.where}hands] {hand_name(hand)} leaves the player no decision"
            for hand in section.hands
            if hand not in known
        ]
    return chosen

"""Strategies from files that decide on totals and on hands, whatever card the dealer shows or against each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from certify.analysis.strategy_file import StrategyFile
from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF, Hand, hand_name, plus, total
from certify.model import FILE, JOINTLY_OPTIMAL, MAIN_OPTIMAL, Decision

ALWAYS_SECOND_CARD = "always-second-card"
MIMIC_DEALER = "mimic-dealer"
TIME_OUT = "time-out"
STAND_ON = "stand-on:"
THRESHOLDS = "stand-on-by-open-card"
OWN_CARD = "best-by-own-card"

COMPOSITION = "composition-dependent"
FIRST_CARD = "composition-dependent with first card"
TOTAL = "total-dependent"
PRINTED_CARD = "printed card"
ONE_TOTAL = "one total"
OWN_FIRST_CARD = "own card alone"
FIXED = "fixed"
LOWEST_BET = ": always the lowest final bet, never a fold"
"""Added to the class of a strategy that leaves nothing to choose about the final bet."""


_NAMES = (
    MAIN_OPTIMAL,
    JOINTLY_OPTIMAL,
    ALWAYS_SECOND_CARD,
    MIMIC_DEALER,
    TIME_OUT,
    THRESHOLDS,
    OWN_CARD,
)


@dataclass(frozen=True, slots=True)
class StrategyName:
    """A strategy name as on the command line, taken apart.

    Args:
        kind: Name up to a colon.
        total: Total to stand on in half points, for ``stand-on``.
        path: File of the table, for ``file``.
    """

    kind: str
    total: int = 0
    path: str = ""


def parse_strategy_name(name: str) -> StrategyName:
    """Returns a strategy name taken apart.

    Raises:
        InputError: No such strategy.

    >>> parse_strategy_name("stand-on:4.5")
    StrategyName(kind='stand-on:', total=9, path='')
    """
    if name == "optimal":
        return StrategyName(MAIN_OPTIMAL)
    if name.startswith(STAND_ON):
        text = name.removeprefix(STAND_ON)
        points = text[: -len(".5")] + "½" if text.endswith(".5") else text
        total = parse_half_points(points.removeprefix("0") if len(points) > 1 else points)
        if total > SEVEN_AND_A_HALF:
            raise InputError(f"{name}: no hand stands above 7½, expected a total up to that")
        return StrategyName(STAND_ON, total)
    if name.startswith(FILE):
        return StrategyName(FILE, path=name.removeprefix(FILE))
    if name in _NAMES:
        return StrategyName(name)
    raise InputError(
        f"no strategy {name!r}: expected {MAIN_OPTIMAL}, {JOINTLY_OPTIMAL}, {ALWAYS_SECOND_CARD}, "
        f"{MIMIC_DEALER}, {TIME_OUT}, {THRESHOLDS}, {OWN_CARD}, {STAND_ON}TOTAL such as {STAND_ON}4.5, or "
        f"{FILE}PATH.toml"
    )


_LAST: Final = 100
"""Half points no total of a hand has: hands with the matta stand below the others."""


def charted_by_total(decision: Decision) -> tuple[int, str]:
    """Returns place and name of the row of a chart for a hand: the total of its cards, with the matta next to it.

    >>> charted_by_total(Decision("3+matta", (0, 0, 1, 0, 0, 0, 0, 0, 1), None, "stand", {}))
    (106, '3 + matta')
    """
    *others, matta = decision.composition
    plain = total((*others, 0))
    parts = ([format_half_points(plain)] if plain or not matta else []) + (["matta"] if matta else [])
    return plain + _LAST * bool(matta), " + ".join(parts)


_KEYS: Final = ("schema", "name", "totals", "hands")

Offered = Mapping[tuple[int, Hand], Sequence[str]]
"""Options by what is seen: the place of the card that is open, 0 where none is, and the hand by class."""

Chosen = dict[tuple[int, Hand], str]
"""The option by what is seen."""


@dataclass(frozen=True, slots=True)
class _Section:
    """What a file says for one open card, or for all that have no section of their own.

    Args:
        where: Name of the section in messages.
        totals: Decision on each total in half points.
        hands: Decision on single hands, which goes before that on their totals.
    """

    where: str
    totals: Mapping[int, str]
    hands: Mapping[Hand, str]


def parse_card(
    text: str,
    source: str,
    offered: Offered,
    total_of: Callable[[Hand], int],
    open_cards: Sequence[str] = (),
) -> tuple[str, Chosen]:
    """Returns name and decisions of the strategy that a TOML text states.

    ``[totals]`` and ``[hands]`` say what to do whatever is open. ``[against.CARD.totals]`` and
    ``[against.CARD.hands]`` say it for one open card, and then alone: nothing is taken over from the general
    part, so that no two sentences compete. Decisions are ``hit`` and ``stand``, and where there is a final bet
    ``fold``, ``hit-1``, ``stand-2`` and so on.

    Args:
        text: The TOML text.
        source: Name of the text in messages.
        offered: Options by open card and hand, for every decision that some play comes to.
        total_of: Returns the total of a hand in half points.
        open_cards: Cards that the dealer may show; none where all lie face down.

    Raises:
        InputError: The text is no TOML, has unknown keys, decides something twice, leaves a hand undecided that
            the player can hold, or names a decision that the hand does not allow. All mistakes are named at once.
    """
    found = StrategyFile.parsed(text, source, (*_KEYS, "against") if open_cards else _KEYS)
    name = found.name(is_built_in)
    sections = _sections(found, open_cards)
    chosen = _chosen(offered, sections, total_of, open_cards, found.problems)
    found.check()
    return name, chosen


def is_built_in(name: str) -> bool:
    """Returns whether a name is that of a strategy of our own."""
    try:
        parse_strategy_name(name)
    except InputError:
        return False
    return True


def _sections(found: StrategyFile, open_cards: Sequence[str]) -> Sequence[_Section]:
    """Returns the section that holds for each open card."""
    general = _section("", found.document, found)
    if not open_cards:
        return [general]
    against = found.table("against", "table of open cards")
    strangers = sorted(set(against) - set(open_cards))
    found.refuse_where(
        strangers, f"[against] no open card {', '.join(strangers)}: expected {', '.join(open_cards)}"
    )
    own = {card: _own(card, against[card], found) for card in open_cards if card in against}
    found.refuse_where(
        len(own) == len(open_cards) and (general.totals or general.hands),
        "[totals] and [hands] never hold: every open card has a section of its own",
    )
    return [own.get(card, general) for card in open_cards]


def _own(card: str, section: Any, found: StrategyFile) -> _Section:
    if not isinstance(section, dict) or set(section) - {"totals", "hands"}:
        found.problems.append(f"[against.{card}] holds something else than the tables totals and hands")
        section = {}
    return _section(f"against.{card}.", section, found)


def _section(where: str, section: Mapping[str, Any], found: StrategyFile) -> _Section:
    totals: dict[int, str] = {}
    for decision, entries in found.table(
        f"{where}totals", "table of decisions with lists of totals", section
    ).items():
        for entry in entries if isinstance(entries, list) else [entries]:
            total = found.attempt(f"[{where}totals] {decision}", None, parse_half_points, str(entry))
            if total is not None:
                found.refuse_where(
                    total in totals,
                    f"[{where}totals] the total {format_half_points(total)} is decided twice",
                )
                totals[total] = decision
    hands: dict[Hand, str] = {}
    for text, decision in found.table(f"{where}hands", "table of hands", section).items():
        hand = found.attempt(f"[{where}hands]", None, parse_hand, text)
        if hand is not None:
            found.refuse_where(hand in hands, f"[{where}hands] {hand_name(hand)} is decided twice")
            hands[hand] = str(decision)
    return _Section(where, totals, hands)


def _chosen(
    offered: Offered,
    sections: Sequence[_Section],
    total_of: Callable[[Hand], int],
    open_cards: Sequence[str],
    problems: list[str],
) -> Chosen:
    """Returns the decision on every hand against every open card, and notes what is missing or not allowed."""
    chosen: Chosen = {}
    missing: dict[tuple[str, int], str] = {}
    wrong: dict[str, None] = {}
    used: dict[str, set[int | Hand]] = {section.where: set() for section in sections}
    for (place, hand), allowed in offered.items():
        section, total, named = sections[place], total_of(hand), hand_name(hand)
        decision = section.hands.get(hand, section.totals.get(total))
        used[section.where] |= {total, hand}
        if len(allowed) == 1:
            decision = allowed[0]
        if decision is None:
            general = " in the general part" if open_cards else ""
            where = f" against {open_cards[place]}" if section.where else general
            missing.setdefault(
                (section.where, total),
                f"nothing is decided{where} on the total {format_half_points(total)}, such as {named}",
            )
        elif decision not in allowed:
            general = "general part: " if open_cards else ""
            wrong[
                f"{section.where or general}{named} is decided {decision!r}: expected {', '.join(allowed)}"
            ] = None
        else:
            chosen[place, hand] = decision
    problems += [*missing.values(), *wrong]
    for section in {section.where: section for section in sections}.values():
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

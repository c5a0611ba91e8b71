"""The strategy chart: the best decision for every hand, compact where hands are told by their cards."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from certify.messages import name_of, statements, tell
from certify.model.figures import Decision
from certify.report import figures
from certify.report.chapters.shown_card import against_shown_card, by_hand, by_name, by_total, exact_list
from certify.report.formats import decimal, grouped
from certify.report.layout import Column, Figure, PageCell, PageTable, listed
from certify.report.words import decision_mark, decision_title, shortened

_LISTED = 60
_CLOSEST = 6
_CHARTED = 16
_NUMBER_CARDS = ("A", "2", "3", "4", "5", "6", "7")
_FACES, _WILD = 7, 8
_KINDS = 9


@dataclass(frozen=True, slots=True)
class Chart:
    """The best decisions and how close they are.

    Args:
        introduction: Whose decisions these are.
        chart: Every hand, or every kind of hand.
        listed: Every decision with its exact value, or those that depart from the chart.
        closest: The decisions that matter least, where not every hand is listed.
        advantage: What one decision gains over the other.
    """

    introduction: str
    chart: PageTable | None
    listed: PageTable | None
    closest: PageTable | None
    advantage: Figure | None


def strategy_chart(decisions: tuple[Decision, ...], full: str = "", notes: str = "") -> Chart | None:
    """Returns the chart for the decisions that a player can meet.

    Args:
        decisions: Every decision of the strategy.
        full: Name of the data file that lists them all; empty where there is none.
        notes: Sentences for the foot of a chart against a shown card.
    """
    met = tuple(decision for decision in decisions if decision.reachable)
    if not met:
        return None
    if against_shown_card(met):
        return _shown_chart(met, full, notes)
    return _chart(met)


def _shown_chart(met: tuple[Decision, ...], full: str, notes: str) -> Chart:
    """Returns the chart against a shown card: by hand where hands are few, otherwise by total."""
    introduction = tell("strategy.the-decision-that-returns-most")
    hands = len({decision.hand for decision in met})
    if hands <= _CHARTED:
        marks = sorted({(decision_mark(d.best), decision_title(d.best)) for d in met})
        told = statements(f"{mark}: {title}" for mark, title in marks if mark != title)
        remark = " ".join(part for part in (f"{told[:1].upper()}{told[1:]}." if told else "", notes) if part)
        return Chart(introduction, by_hand(met, remark), exact_list(met), None, None)
    closest = _closest_of(met)
    where = tell("strategy.all-of-them-are-in", full=full) if full else ""
    charted = by_total(met, where, notes) or by_name(met, where, notes)
    if charted is None:
        return Chart(introduction, _first_hands(met), None, closest, None)
    return Chart(introduction, *charted, closest, None)


def _chart(met: tuple[Decision, ...]) -> Chart:
    """Returns the chart of a game in which the dealer shows nothing."""
    introduction = tell("strategy.the-decisions-that-are-best")
    if len(met) <= _LISTED:
        return Chart(
            introduction,
            _list(met, tell("strategy.best-decision-for-every-hand")),
            None,
            None,
            _advantage(met, tell("strategy.hand-by-hand")),
        )
    if all(len(decision.composition) == _KINDS for decision in met):
        return Chart(introduction, _by_composition(met), None, _closest_of(met), None)
    drawn = _advantage(_closest(met), tell("strategy.the-closest-decisions-b"))
    return Chart(introduction, _first_hands(met), None, None, drawn)


def _closest_of(met: tuple[Decision, ...]) -> PageTable | None:
    """Tabulates the decisions that matter least, and says how many there are of all."""
    listed = _closest(met)[:_CLOSEST]
    caption = tell("strategy.the-closest-decisions", listed=len(listed), met=grouped(len(met)))
    return _list(listed, caption)


def _first_hands(met: tuple[Decision, ...]) -> PageTable | None:
    """Tabulates as many decisions as a reader may look through, and says how many there are."""
    return _list(
        met[:_LISTED], tell("strategy.best-decision-the-first-of", listed=_LISTED, met=grouped(len(met)))
    )


def _values(decision: Decision) -> dict[str, float]:
    return {name: float(value) for name, value in decision.values.items()}


def _gain(decision: Decision) -> float:
    """Returns by how much the best decision beats the next one; nothing where there is no choice."""
    ordered = sorted(_values(decision).values(), reverse=True)
    return ordered[0] - ordered[1] if len(ordered) > 1 else float("inf")


def _closest(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    with_choice = [decision for decision in decisions if len(_values(decision)) > 1]
    return tuple(sorted(with_choice, key=_gain)[:_CHARTED])


def _hand(decision: Decision) -> str:
    dealer = decision.dealer
    return shortened(decision.hand) + (f" {tell('strategy.against', dealer=dealer)}" if dealer else "")


def _list(decisions: tuple[Decision, ...], caption: str) -> PageTable | None:
    rows = []
    for decision in decisions:
        ordered = sorted(decision.values.values(), reverse=True)
        values = decision.values.items()
        each = ", ".join(f"{decision_title(name)} {decimal(value, 5)}" for name, value in values)
        gain = decimal(ordered[0] - ordered[1], 5) if len(ordered) > 1 else tell("shown-card.no-choice")
        rows.append((_hand(decision), decision.best, each, gain))
    return listed(
        caption,
        "hand:28 best-decision:17:decision!strong expected-result-of-each-decision!note #gain:14",
        rows,
        tell("strategy.expected-net-results-in-initial"),
    )


def _by_composition(decisions: tuple[Decision, ...]) -> PageTable:
    """Tabulates number cards down and faces across; a row on which only the usual decision stands is left out."""
    best = {entry.composition: entry.best for entry in decisions}
    usual, _ = Counter(best.values()).most_common(1)[0]
    rows: dict[tuple[int, ...], dict[int, str]] = {}
    for composition, word in best.items():
        rows.setdefault((*composition[:_FACES], composition[_WILD]), {})[composition[_FACES]] = word
    shown = {cards: words for cards, words in rows.items() if set(words.values()) != {usual}}
    left_out = sum(len(words) for cards, words in rows.items() if cards not in shown)
    width = max(faces for words in shown.values() for faces in words) + 1
    made = tuple(
        (
            PageCell(_cards(cards), "strong"),
            *(_decision(words.get(faces, ""), usual) for faces in range(width)),
        )
        for cards, words in shown.items()
    )
    head = (
        Column(tell("strategy.cards-beside-faces"), width=26),
        *(Column(str(faces), "centre") for faces in range(width)),
    )
    marks = ", ".join(
        f"{decision_title(word)[:1].upper()} {decision_title(word)}" for word in sorted(set(best.values()))
    )
    remark = tell(
        "strategy.columns-number-of-face-cards",
        best=grouped(len(best)),
        left_out=grouped(left_out),
        usual=decision_title(usual),
        marks=marks,
    )
    return PageTable(tell("strategy.best-decision-by-the-cards"), head, made, remark)


def _cards(cards: tuple[int, ...]) -> str:
    names = [name for name, count in zip(_NUMBER_CARDS, cards, strict=False) for _ in range(count)]
    return " ".join([*names, *([name_of("card", "wild", "wild")] * cards[-1])]) or tell("strategy.no-card")


def _decision(word: str, usual: str) -> PageCell:
    if not word:
        return PageCell("", "centre")
    return PageCell(decision_title(word)[:1].upper(), "centre" if word == usual else "marked")


def _advantage(decisions: tuple[Decision, ...], which: str) -> Figure | None:
    rows = [
        (_hand(decision), values["hit"] - values["stand"])
        for decision in decisions
        if {"hit", "stand"} <= set(values := _values(decision))
    ]
    ordered = sorted(rows, key=lambda row: -row[1])
    return (
        figures.advantage(ordered, decision_title("hit"), decision_title("stand"), which)
        if len(rows) > 1
        else None
    )

"""Terms of the game: malfunction, voiding after 90 days, interruption, exercised one by one."""

from __future__ import annotations

from dataclasses import dataclass

from certify.messages import tell, translated
from certify.report.chapters.recovery import described
from certify.report.formats import clock, grouped, money, prose
from certify.report.layout import PageCell, PageTable, columns, judged, note, number
from certify.report.node import Node
from certify.report.order import file_of, wager_titles
from certify.report.words import decision_title, without_samples

_RECALL = "data/recall.csv"


@dataclass(frozen=True, slots=True)
class TermsView:
    """What the terms promise, what was done to rounds, and what the rounds did.

    Args:
        how_much: On what the terms were exercised, and how often.
        promises: The terms, as printed and as taken.
        policy: What the terms leave open, as the jurisdictions make it.
        injected: What was injected, where in a round, and how often.
        situations: Every situation with its status.
        told: A voided and an expired round, step by step.
        people: Rounds of several people, person by person.
        recalled: A recorded round as recall shows it.
    """

    how_much: str
    promises: PageTable | None
    policy: PageTable | None
    injected: PageTable | None
    situations: PageTable | None
    told: tuple[PageTable, ...]
    people: PageTable | None
    recalled: PageTable | None


def terms(evidence: Node) -> TermsView | None:
    """Returns the chapter, or nothing where no terms were submitted."""
    node = evidence.at("terms")
    if not node and not evidence.at("rounds"):
        return None
    printed = {name: f"“{text.plain()}”" for name, text in node.at("printed").items() if text}
    adopted = {
        name: described(value)
        for name, value in node.items()
        if name != "printed" and value.value is not None
    }
    promises = tuple(
        (
            PageCell(_label(name)),
            PageCell(adopted.get(name, "–")),
            *((PageCell(printed.get(name, "–")),) if printed else ()),
        )
        for name in dict.fromkeys((*adopted, *printed))
    )
    rows = tuple(
        (
            PageCell(situation.sentence("situation"), detail=_adopted(situation)),
            note(prose(situation.sentence("expected"))),
            note(prose(_observed(situation))),
            judged(situation.text("verdict"), f"situation/{situation.text('id')}"),
        )
        for situation in evidence.at("rounds").each("situations")
    )
    head = columns("situation:27", "expected:33", "observed:22", "verdict:18")
    table = PageTable(tell("terms.situations-exercised"), head, rows, dense=True) if rows else None
    terms_head = columns(
        "term:28", "taken-as:14" if printed else "taken-as", *(("as-printed",) if printed else ())
    )
    rounds = evidence.at("rounds")
    return TermsView(
        _how_much(rounds, evidence.at("run").at("profile")),
        PageTable(tell("terms.terms-of-a-round"), terms_head, promises, dense=True) if promises else None,
        _policy(rounds.at("policy")),
        _injected(rounds.each("situations")),
        table,
        tuple(_told(one, wager_titles(evidence)) for one in rounds.each("told")),
        _people(rounds.each("people"), evidence),
        None if file_of(evidence, _RECALL) else _recalled(rounds.each("recalled")),
    )


_KINDS = {
    "malfunction": ("malfunction", "void-is-final"),
    "disconnection": ("resume", "settled-while-disconnected", "previous-wins"),
    "clock": ("unresolved", "settle-after-term", "expired-once", "clock-set-back", "result-known"),
    "restart": ("restart",),
    "generator": ("unavailable", "open-round-while-unavailable"),
    "repetition": ("settlement", "settled-once", "one-round-at-a-time", "bets-"),
}
"""Beginnings of the ids of situations, by what is injected in them."""


def _how_much(rounds: Node, profile: Node) -> str:
    """Returns on how many decks, points and rounds the terms were exercised, and on what."""
    if not rounds.has("decks"):
        return ""
    decks = rounds.integer("decks")
    dealt = min(profile.integer("exercise_decks"), decks) if profile.has("exercise_decks") else decks
    return prose(
        tell(
            "terms.how-much",
            decks=decks,
            dealt=dealt,
            named=decks - dealt,
            points=rounds.integer("points"),
            rounds=rounds.integer("rounds"),
            item=tell("item.short.reference-round-machine"),
        )
    )


def _observed(situation: Node) -> str:
    """Returns what was observed without the sample of states behind it, which the data file and the evidence hold."""
    return translated(without_samples(situation.text("observed")))


def _adopted(situation: Node) -> str:
    """Returns that a situation was judged by a term that the source does not print; empty where it prints one."""
    return tell("terms.adopted-terms") if situation.flag("adopted_terms") else ""


def _injected(situations: tuple[Node, ...]) -> PageTable | None:
    """Tabulates what was injected, where in a round, and in how many comparisons."""
    counted = {
        kind: sum(one.integer("trials") for one in situations if one.text("id").startswith(beginnings))
        for kind, beginnings in _KINDS.items()
    }
    rows = tuple(
        (
            PageCell(tell(f"terms.injected.{kind}")),
            note(tell(f"terms.injected.{kind}.how")),
            number(grouped(trials)),
        )
        for kind, trials in counted.items()
        if trials
    )
    head = columns("injected:20", "how:64", "#comparisons:16")
    return PageTable(tell("terms.injected"), head, rows, sortable=False, dense=True) if rows else None


def _told(told: Node, titles: dict[str, str]) -> PageTable:
    """Tabulates a round step by step: when, what, what lay open, and the player's money after it."""
    currency = told.text("currency")
    rows = tuple(
        (
            PageCell(clock(step.text("at"))),
            PageCell(_step(step, titles, currency)),
            PageCell("", "note", lines=tuple(hand.said() for hand in step.each("hands"))),
            number(money(step.integer("held"), currency)),
            number(money(step.integer("balance"), currency)),
        )
        for step in told.each("steps")
    )
    head = columns("time:19", "what-happened:27", "on-the-table:26", "#held:13", "#balance:15")
    remark = tell("terms.opening", opening=money(told.integer("opening"), currency))
    return PageTable(tell(f"terms.{told.text('ending')}"), head, rows, remark, sortable=False, dense=True)


def _people(entries: tuple[Node, ...], evidence: Node) -> PageTable | None:
    """Tabulates rounds of several people as they stand in the history of each."""
    if not entries:
        return None
    currencies = [wager.at("limits").text("currency", "") for wager in evidence.each("wagers")]
    currency = next(iter(currencies), "")
    rows = tuple(
        (
            number(grouped(entry.integer("round"))),
            PageCell(
                translated(entry.text("person")), detail=tell("terms.banks") if entry.flag("banked") else ""
            ),
            PageCell(translated(entry.text("ended")), detail=translated(entry.text("origin"))),
            note(", ".join(_decision(option.plain()) for option in entry.each("decisions"))),
            number(money(entry.integer("staked"), currency)),
            number(money(entry.integer("net"), currency)),
        )
        for entry in entries
    )
    head = columns("#round:8", "person:18", "how-it-ended:26", "decided:18", "#put-up:15", "#won:15")
    remark = tell("terms.people-remark")
    return PageTable(tell("terms.people"), head, rows, remark, sortable=False, dense=True)


def _decision(option: str) -> str:
    """Returns a decision; what was taken for somebody who was away keeps its asterisk."""
    away = "*" if option.startswith("*") else ""
    return f"{away}{decision_title(option.removeprefix('*'))}"


def _step(step: Node, titles: dict[str, str], currency: str) -> str:
    """Returns what was asked in one step, and that it was refused where it was."""
    action, wager = step.text("action"), step.text("wager")
    match action:
        case "place":
            told = tell(
                "terms.step.place",
                amount=money(step.integer("amount"), currency),
                wager=titles.get(wager, wager),
            )
        case "decide":
            told = tell("terms.step.decide", decision=decision_title(step.text("decision")))
        case _:
            told = tell(f"terms.step.{action}")
    return told if step.flag("done") else tell("terms.step.refused", step=told)


def _policy(policy: Node) -> PageTable | None:
    """Tabulates the choices that the terms leave open, as the jurisdictions make them, in two groups."""
    pairs = [(_label(name), value.said()) for name, value in policy.items()]
    head = columns("choice:28", "made:22", "choice:28", "made:22")
    return (
        PageTable(tell("terms.choices-under-which-the-rounds"), head, _paired(pairs), dense=True)
        if pairs
        else None
    )


def _recalled(records: tuple[Node, ...]) -> PageTable | None:
    """Tabulates one recorded round as recall shows it, in two groups."""
    if not records:
        return None
    pairs = [(_label(name), prose(value.said())) for name, value in records[0].items()]
    head = columns("field:15", "content:35", "field:15", "content:35")
    remark = tell("terms.the-first-of-records-that", records=len(records))
    caption = tell("terms.a-recorded-round-as-recall")
    return PageTable(caption, head, _paired(pairs), remark, sortable=False, dense=True)


def _paired(pairs: list[tuple[str, str]]) -> tuple[tuple[PageCell, ...], ...]:
    """Returns names and values in two groups side by side."""
    half = -(-len(pairs) // 2)
    cells = [(PageCell(name), note(value)) for name, value in pairs] + [(PageCell(""), PageCell(""))] * (
        len(pairs) % 2
    )
    return tuple((*cells[place], *cells[half + place]) for place in range(half))


def _label(name: str) -> str:
    return translated(name.replace("_", " ").capitalize())

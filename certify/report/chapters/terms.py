"""Terms of the game: malfunction, voiding after 90 days, interruption, exercised one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from certify.evidence.document import Evidence
from certify.evidence.life import SITUATIONS, Rounds, Situation, ToldRound, ToldStep
from certify.evidence.run import Profile
from certify.messages import tell, translated
from certify.model.game import Terms
from certify.report.formats import clock, grouped, money, prose
from certify.report.layout import PageCell, PageTable, columns, judged, note, number, tabled
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
        recalled: A recorded round as recall shows it.
    """

    how_much: str
    promises: PageTable | None
    policy: PageTable | None
    injected: PageTable | None
    situations: PageTable | None
    told: tuple[PageTable, ...]
    recalled: PageTable | None


def terms(evidence: Evidence) -> TermsView:
    """Returns the chapter."""
    printed = {name: f"“{text}”" for name, text in evidence.terms.printed.items() if text}
    adopted = _adopted_terms(evidence.terms)
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
            PageCell(translated(situation.situation), detail=_adopted(situation)),
            note(prose(translated(situation.expected))),
            note(prose(_observed(situation))),
            judged(situation.verdict, f"situation/{situation.id}"),
        )
        for situation in evidence.rounds.situations
    )
    head = columns("situation:27", "expected:33", "observed:22", "verdict:18")
    table = tabled(tell("terms.situations-exercised"), head, rows, dense=True)
    terms_head = columns(
        "term:28", "taken-as:14" if printed else "taken-as", *(("as-printed",) if printed else ())
    )
    rounds = evidence.rounds
    return TermsView(
        _how_much(rounds, evidence.run.profile),
        tabled(tell("terms.terms-of-a-round"), terms_head, promises, dense=True),
        _policy(rounds.policy),
        _injected(rounds.situations),
        table,
        tuple(_told(one, wager_titles(evidence)) for one in rounds.told),
        None if file_of(evidence, _RECALL) else _recalled(rounds.recalled),
    )


def _adopted_terms(terms: Terms) -> dict[str, str]:
    """Returns what the terms are taken as, by the name of each."""
    taken = {field.name: getattr(terms, field.name) for field in fields(terms) if field.name != "printed"}
    return {
        name: tell("value.yes" if value else "value.no") if isinstance(value, bool) else str(value)
        for name, value in sorted(taken.items())
    }


def _how_much(rounds: Rounds, profile: Profile) -> str:
    """Returns on how many decks, points and rounds the terms were exercised, and on what."""
    decks = rounds.decks
    dealt = min(profile.exercise_decks, decks)
    return prose(
        tell(
            "terms.how-much",
            decks=decks,
            dealt=dealt,
            named=decks - dealt,
            points=rounds.points,
            rounds=rounds.rounds,
            item=tell("item.short.reference-round-machine"),
        )
    )


def _observed(situation: Situation) -> str:
    """Returns what was observed without the sample of states behind it, which the data file and the evidence hold."""
    return translated(without_samples(situation.observed))


def _adopted(situation: Situation) -> str:
    """Returns that a situation was judged by a term that the source does not print; empty where it prints one."""
    return tell("terms.adopted-terms") if situation.adopted_terms else ""


def _injected(situations: tuple[Situation, ...]) -> PageTable | None:
    """Tabulates what was injected, where in a round, and in how many comparisons."""
    counted = dict.fromkeys((kind for kind, _, _ in SITUATIONS), 0)
    for kind, _, beginnings in SITUATIONS:
        counted[kind] += sum(one.trials for one in situations if one.id.startswith(beginnings))
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
    return tabled(tell("terms.injected"), head, rows, sortable=False, dense=True)


def _told(told: ToldRound, titles: dict[str, str]) -> PageTable:
    """Tabulates a round step by step: when, what, what lay open, and the player's money after it."""
    currency = told.currency
    rows = tuple(
        (
            PageCell(clock(step.at)),
            PageCell(_step(step, titles, currency)),
            PageCell("", "note", lines=tuple(map(translated, step.hands))),
            number(money(step.held, currency)),
            number(money(step.balance, currency)),
        )
        for step in told.steps
    )
    head = columns("time:19", "what-happened:27", "on-the-table:26", "#held:13", "#balance:15")
    remark = tell("terms.opening", opening=money(told.opening, currency))
    return PageTable(tell(f"terms.{told.ending}"), head, rows, remark, sortable=False, dense=True)


def _step(step: ToldStep, titles: dict[str, str], currency: str) -> str:
    """Returns what was asked in one step, and that it was refused where it was."""
    action, wager = step.action, step.wager
    match action:
        case "place":
            told = tell(
                "terms.step.place",
                amount=money(step.amount, currency),
                wager=titles.get(wager, wager),
            )
        case "decide":
            told = tell("terms.step.decide", decision=decision_title(step.decision))
        case _:
            told = tell(f"terms.step.{action}")
    return told if step.done else tell("terms.step.refused", step=told)


def _policy(policy: Mapping[str, str]) -> PageTable | None:
    """Tabulates the choices that the terms leave open, as the jurisdictions make them, in two groups."""
    pairs = [(_label(name), translated(value)) for name, value in policy.items()]
    head = columns("choice:28", "made:22", "choice:28", "made:22")
    return (
        PageTable(tell("terms.choices-under-which-the-rounds"), head, _paired(pairs), dense=True)
        if pairs
        else None
    )


def _recalled(records: tuple[Mapping[str, str], ...]) -> PageTable | None:
    """Tabulates one recorded round as recall shows it, in two groups."""
    if not records:
        return None
    pairs = [(_label(name), prose(translated(value))) for name, value in records[0].items()]
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

"""Terms of the game: malfunction, voiding after 90 days, interruption, exercised one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import zip_longest

from certify.evidence.document import Evidence
from certify.evidence.life import SITUATIONS, Rounds, Situation, ToldRound, ToldStep
from certify.evidence.report import Profile
from certify.messages import tell, translated
from certify.model.game import Terms
from certify.report.formats import clock, money, prose
from certify.report.layout import PageCell, PageTable, judged, listed
from certify.report.words import decision_title, file_of, wager_titles, without_samples

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
    told: tuple[PageTable | None, ...]
    recalled: PageTable | None


def terms(evidence: Evidence) -> TermsView:
    """Returns the chapter."""
    printed = {name: f"“{text}”" for name, text in evidence.terms.printed.items() if text}
    adopted, rounds = _adopted_terms(evidence.terms), evidence.rounds
    return TermsView(
        _how_much(rounds, evidence.run.profile),
        listed(
            tell("terms.terms-of-a-round"),
            "term:28 taken-as:14 as-printed" if printed else "term:28 taken-as",
            (
                (_label(name), adopted.get(name), *((printed.get(name),) if printed else ()))
                for name in dict.fromkeys((*adopted, *printed))
            ),
            dense=True,
        ),
        listed(
            tell("terms.choices-under-which-the-rounds"),
            "choice:28 made:22!note choice:28 made:22!note",
            _paired([(_label(name), translated(value)) for name, value in rounds.policy.items()]),
            dense=True,
        ),
        _injected(rounds.situations),
        listed(
            tell("terms.situations-exercised"),
            "situation:27 expected:33:prose!note observed:22!note verdict:18",
            (
                (
                    PageCell(
                        translated(one.situation),
                        detail=tell("terms.adopted-terms") if one.adopted_terms else "",
                    ),
                    one.expected,
                    # Without the sample of states behind it, which the data file and the evidence hold.
                    prose(translated(without_samples(one.observed))),
                    judged(one.verdict, f"situation/{one.id}"),
                )
                for one in rounds.situations
            ),
            dense=True,
        ),
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


def _injected(situations: tuple[Situation, ...]) -> PageTable | None:
    """Tabulates what was injected, where in a round, and in how many comparisons."""
    counted = dict.fromkeys((kind for kind, _, _ in SITUATIONS), 0)
    for kind, _, beginnings in SITUATIONS:
        counted[kind] += sum(one.trials for one in situations if one.id.startswith(beginnings))
    return listed(
        tell("terms.injected"),
        "injected:20 how:64!note #comparisons:16:grouped",
        (
            (tell(f"terms.injected.{kind}"), tell(f"terms.injected.{kind}.how"), trials)
            for kind, trials in counted.items()
            if trials
        ),
        sortable=False,
        dense=True,
    )


def _told(told: ToldRound, titles: dict[str, str]) -> PageTable | None:
    """Tabulates a round step by step: when, what, what lay open, and the player's money after it."""
    currency = told.currency
    return listed(
        tell(f"terms.{told.ending}"),
        "time:19 what-happened:27 on-the-table:26 #held:13 #balance:15",
        (
            (
                clock(step.at),
                _step(step, titles, currency),
                PageCell("", "note", lines=tuple(map(translated, step.hands))),
                money(step.held, currency),
                money(step.balance, currency),
            )
            for step in told.steps
        ),
        tell("terms.opening", opening=money(told.opening, currency)),
        sortable=False,
        dense=True,
    )


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


def _recalled(records: tuple[Mapping[str, str], ...]) -> PageTable | None:
    """Tabulates one recorded round as recall shows it, in two groups."""
    pairs = [(_label(name), prose(translated(value))) for one in records[:1] for name, value in one.items()]
    return listed(
        tell("terms.a-recorded-round-as-recall"),
        "field:15 content:35!note field:15 content:35!note",
        _paired(pairs),
        tell("terms.the-first-of-records-that", records=len(records)),
        sortable=False,
        dense=True,
    )


def _paired(pairs: list[tuple[str, str]]) -> Iterator[tuple[object, ...]]:
    """Yields names and values in two groups side by side."""
    half, blank = -(-len(pairs) // 2), (PageCell(""), PageCell(""))
    return ((*left, *right) for left, right in zip_longest(pairs[:half], pairs[half:], fillvalue=blank))


def _label(name: str) -> str:
    return translated(name.replace("_", " ").capitalize())

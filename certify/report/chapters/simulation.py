"""Play-through against exact figures, and the agreement of all engines on the same draws."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from certify.evidence import (
    DERIVED,
    SHARED_CODE,
    DeckAudit,
    Equivalence,
    Evidence,
    Simulation,
    SourceText,
    StatedCampaign,
    StatedRound,
    Texts,
    WagerAgreement,
)
from certify.messages import statements, tell, translated
from certify.report import figures
from certify.report.formats import decimal, grouped, outward, prose, statistic
from certify.report.layout import Fact, PageCell, PageParts, PageTable, fact, listed, mono
from certify.report.words import decision_title, outcome_title, said, wager_titles
from certify.simulation import DETECTED, ShownEffect, shown_effects

_TABLE = "table"
"""Whom the draws of a game are given to that nobody holds."""
_CAME = re.compile(rf"{_TABLE} (?!decides|ends)\w+ (?P<face>.+?)(?:: total (?P<total>.+))?")
_DECIDED = re.compile(r"(?P<who>\S+) decides (?P<option>\S+)(?: on (?P<total>.+))?")
_SETTLED = re.compile(
    r"(?P<wager>\S+)\ssettles\sas\s(?P<outcome>\S+),\s(?P<net>\S+)\snet(?:\son\s(?P<staked>\S+)\sstaked)?"
)


def steps(trace: Sequence[str], titles: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the steps of a round: what comes to the table in one, wagers and decisions by their titles.

    Args:
        trace: The steps as the evidence holds them.
        titles: Title of each wager by its id.

    >>> steps(["table draws 7", "table draws 12", "pick-2 settles as lose, -1 net"], {"pick-2": "Pick 2"})
    ('drawn: 7, 12', 'Pick 2: Lose, net −1')
    >>> steps(["table throws 3", "table throws 1: total point 4", "table throws 6: total point 4"], {})
    ('drawn: 3, 1 (point 4), 6',)
    """
    return tuple(_told(trace, titles))


def _told(trace: Sequence[str], titles: Mapping[str, str]) -> Iterator[str]:
    came: list[str] = []
    stands = ""
    for step in trace:
        if found := _CAME.fullmatch(step):
            face, total = translated(found["face"]), translated(found["total"] or "")
            came.append(face if total in ("", stands) else tell("trace.stands", face=face, total=total))
            stands = total
            continue
        yield from _drawn(came)
        came = []
        yield _step(step, titles)
    yield from _drawn(came)


def _drawn(came: Sequence[str]) -> Iterator[str]:
    if came:
        yield tell("trace.drawn", faces=", ".join(came))


def _who(holder: str) -> str:
    """Returns who decides, in the words of the house for those whom it knows."""
    return tell(f"trace.who.{holder}") if holder in ("player", "dealer", "bank") else holder


def _step(step: str, titles: Mapping[str, str]) -> str:
    if found := _DECIDED.fullmatch(step):
        who, option = _who(found["who"]), decision_title(found["option"])
        if found["total"]:
            return tell("trace.decides-on", who=who, option=option, total=translated(found["total"]))
        return tell("trace.decides", who=who, option=option)
    if found := _SETTLED.fullmatch(step):
        wager = titles.get(found["wager"], found["wager"])
        said = {"wager": wager, "outcome": outcome_title(found["outcome"]), "net": prose(found["net"])}
        if found["staked"]:
            return tell("trace.settles-on", **said, staked=found["staked"])
        return tell("trace.settles", **said)
    return prose(translated(step))


def simulation(evidence: Evidence) -> PageParts:
    """Returns the chapter."""
    node, titles = evidence.simulation, wager_titles(evidence)
    apart = node.configurations or ()
    shown = tuple(shown_effects(node, evidence.run.alpha))
    return PageParts(
        campaigns=tuple(
            _campaign(one, evidence, shown, first=place == 0) for place, one in enumerate(node.campaigns)
        ),
        apart=tuple(_apart(apart, shown)) if apart else (),
        risk=_risk(shown),
        shared_code=statements(map(translated, node.shared_code)),
        independent_code=statements(map(translated, node.independent_code)),
        agreement=PageParts(
            decks=grouped(evidence.agreement.decks),
            legs=tuple(map(translated, evidence.agreement.legs)),
            compared=tuple(titles.get(thing, translated(thing)) for thing in evidence.agreement.compared),
            differences=grouped(evidence.agreement.differences),
        ),
        played_by=tell(f"simulation.played-by-{_played_by(node)}"),
        texts=_texts(evidence.texts) if evidence.texts else (),
        audit=_audit(evidence.deck_audit),
        rule=prose(said(node, "borderline_rule")),
        first=tuple(
            _judgement(
                tell("simulation.first-borderline-campaign", strategy=first.strategy),
                first.wagers,
                titles,
            )
            for first in node.borderline_first
        ),
        example=_example(evidence.played_rounds, titles),
    )


def _campaign(
    campaign: StatedCampaign, evidence: Evidence, shown: Sequence[ShownEffect], *, first: bool
) -> PageParts:
    titles = wager_titles(evidence)
    strategy = campaign.strategy
    wagers = campaign.wagers
    charts = tuple(
        figures.convergence(campaign, wager.wager, titles.get(wager.wager, wager.wager))
        for wager in wagers[:1]
        if campaign.convergence and first
    )
    return PageParts(
        strategy=translated(strategy),
        facts=tell(
            "simulation.played",
            rounds=grouped(campaign.rounds),
            purpose=campaign.purpose,
            streams=campaign.streams,
        ),
        judgement=_judgement(strategy, wagers, titles, [one for one in shown if one.campaign is campaign]),
        margins=_margins(strategy, wagers, titles),
        residuals=figures.residuals(strategy, _residuals(wagers, titles)) if first else None,
        convergence=charts,
        listed=first,
    )


def _apart(campaigns: Sequence[StatedCampaign], shown: Sequence[ShownEffect]) -> Iterator[PageTable | None]:
    """Yields what campaigns of single configurations came to, one row each, and what they would object to."""
    rows = [replace(one.wagers[0], wager=one.configuration or "") for one in campaigns]
    yield _judgement(tell("simulation.apart"), rows, {})
    yield listed(
        tell("simulation.apart-rounds"),
        "configuration:30 #rounds:20:grouped #smallest-difference-shown:30:statistic-3",
        (
            (one.campaign.configuration, one.campaign.rounds, 100 * one.difference)
            for one in shown
            if one.campaign.configuration
        ),
    )


def _played_by(node: Simulation) -> str:
    """Returns the end of the name of the sentence that says what played the rounds, by the code that it shares."""
    if DERIVED in node.shared_code:
        return "the-table"
    return "an-engine-apart" if set(node.shared_code) <= set(SHARED_CODE) else "an-engine-that-shares"


def _residuals(wagers: tuple[WagerAgreement, ...], titles: dict[str, str]) -> list[tuple[str, str, float]]:
    """Returns wager, outcome and standardised residual of every outcome counted."""
    return [
        (
            titles.get(wager.wager, wager.wager),
            outcome_title(outcome.outcome),
            outcome.residual,
        )
        for wager in wagers
        for outcome in wager.outcomes
        if outcome.residual is not None
    ]


def _audit(node: DeckAudit) -> tuple[Fact, ...]:
    """Returns what was found when every dealt deck and every recorded round was looked at again."""
    decks = tell(
        "simulation.of-which-not-forty-different",
        decks=grouped(node.decks),
        broken=grouped(node.broken),
    )
    replays = tell(
        "simulation.rounds-differences",
        replays=grouped(node.replays),
        replay_differences=grouped(node.replay_differences),
    )
    stakes = tell(
        "simulation.rounds-differences-b",
        stake_runs=grouped(node.stake_runs),
        stake_differences=grouped(node.stake_differences),
    )
    return (
        fact("fact.decks-audited", decks),
        fact("fact.replayed-from-their-record", replays),
        fact("fact.with-other-stakes-and-players", stakes),
    )


def _example(played: tuple[StatedRound, ...], titles: dict[str, str]) -> PageParts | None:
    """Returns the recorded round with the most steps, the first of equals: it shows most."""
    if not played:
        return None
    chosen = max(played, key=lambda entry: len(entry.trace))
    place = tell(
        "simulation.stream-deck-purpose",
        stream=str(chosen.stream),
        deck=str(chosen.deck),
        purpose=chosen.purpose,
    )
    return PageParts(place=place, steps=steps(chosen.trace, titles))


def _judgement(
    strategy: str,
    wagers: Sequence[WagerAgreement],
    titles: dict[str, str],
    shown: Sequence[ShownEffect] = (),
) -> PageTable | None:
    """Tabulates played against exact, and, where it is stated, what z and chi-square would object to at this volume."""
    effects = {one.wager: one for one in shown}
    rows = []
    for wager in wagers:
        mean, chi = wager.mean, wager.chi_square
        least, most = (100 * Fraction(repr(end)) for end in mean.interval_99)
        low, high = outward(least, most, 3)
        rows.append(
            (
                titles.get(wager.wager, wager.wager),
                100 * mean.return_,
                100 * mean.exact_return,
                tell("number.range", low=low, high=high),
                mean.z,
                mean.p_value,
                f"{statistic(chi.statistic, 2)} ({chi.degrees_of_freedom})" if chi else None,
                chi.p_value if chi else None,
                *(_effect(effects.get(wager.wager)) if shown else ()),
                _margin(wager.equivalence),
                wager.verdict,
            )
        )
    return listed(
        tell("simulation.judgement-per-wager", strategy=strategy),
        "wager #played:statistic-4 #exact-b:decimal-4 #99-interval #z:statistic-2 #p:p #df-b #p:p "
        f"{'#z-objects #df-b-objects ' if shown else ''}#margin verdict!judged",
        rows,
    )


def _effect(shown: ShownEffect | None) -> tuple[str | None, str | None]:
    """Returns the least deviations that z and chi-square would object to: of the return and of the probabilities."""
    if shown is None:
        return None, None
    deviation = shown.deviation
    return statistic(100 * shown.difference, 3), None if deviation is None else statistic(100 * deviation, 3)


def _risk(shown: Sequence[ShownEffect]) -> str:
    """Returns what the least deviations shown mean, and how likely one of just that size is passed over; once."""
    risk = tell("randomness.at-most", alpha=statistic(100 * (1 - DETECTED), 0))
    return tell("simulation.risk", risk=risk, level=statistic(shown[0].level, 5)) if shown else ""


def _margin(margin: Equivalence) -> str | None:
    """Returns the margin in points of return; where equivalence was not requested, nothing."""
    return f"±{decimal(100 * margin.margin, 2)}" if margin.asked else None


def _margins(strategy: str, wagers: tuple[WagerAgreement, ...], titles: dict[str, str]) -> PageTable | None:
    """Tabulates the margins that were fixed before the first round, with their reason and the rounds they take."""
    rows: list[tuple[object, ...]] = []
    reason = ""
    for one in wagers:
        margin = one.equivalence
        if margin.asked:
            again, reason = reason == said(margin, "reason"), said(margin, "reason")
            shown = tell("simulation.as-above") if again else reason
            rows.append((titles.get(one.wager, one.wager), _margin(margin), shown, margin.rounds_needed))
    return listed(
        tell("simulation.margins", strategy=strategy),
        "wager:18 #margin:10 reason:54!note #rounds-it-takes:18:grouped",
        rows,
        dense=True,
    )


def _texts(node: Texts) -> tuple[Fact, ...]:
    """Returns what is stated of the two implementations of a game."""
    facts = list(_source(node.first, "first"))
    merging = node.merging
    if merging:
        proved = tell(
            "simulation.merging-proved",
            moments=grouped(merging.moments),
            states=grouped(merging.states),
            arrows=grouped(merging.arrows),
            rounds=grouped(merging.rounds),
            pairs=grouped(merging.hidden_pairs),
        )
        facts.append(fact("fact.merging", proved))
    if node.second is None:
        return (*facts, fact("fact.second-text", tell("simulation.no-second-text")))
    compared = tell(
        "simulation.texts-compared" if merging else "simulation.texts-compared-dealt",
        **({"deals": grouped(node.deals)} if merging else {}),
        dealt=grouped(node.dealt),
        differing=grouped(node.differing),
        shared=len(node.shared),
    )
    return (*facts, *_source(node.second, "second"), fact("fact.texts-compared", compared))


def _source(source: SourceText, which: str) -> tuple[Fact, Fact]:
    """Returns the module of a text and the digest of its source."""
    return (
        Fact(tell(f"fact.{which}-text"), mono(source.module)),
        Fact(tell(f"fact.digest-of-{which}-text"), PageCell(source.sha256, "hash")),
    )

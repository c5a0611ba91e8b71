"""Every wagering configuration by itself: its figures, what was tried of it, and what each jurisdiction comes to."""

from collections.abc import Mapping
from typing import Final

from certify.by_key import gathered
from certify.evidence import Evidence, StatedConfiguration, StatedJurisdiction
from certify.messages import NARROW, statements, tell, translated
from certify.model import HOUSE_EDGE, REFERENCE, Verdict, worst
from certify.report.chapters.returns import METERED, bank_of, of_returns
from certify.report.formats import (
    as_printed,
    decimal,
    frequency,
    grouped,
    money,
    percent,
    percent_range,
    sentence,
)
from certify.report.layout import Column, PageCell, PageTable, judged, listed, verdict
from certify.report.words import wager_titles

_PLAYED: Final = ("wager", *METERED)
"""Kinds of configurations that campaigns play: the round as it is submitted."""

_PLACES = 6
"""Places of a return and an edge: as many as are usually printed, so that both can be compared by eye."""


def configurations(evidence: Evidence) -> PageTable | None:
    """Tabulates every wagering configuration by itself, where there are more than wagers as submitted."""
    found = evidence.configurations or ()
    if all(one.kind == "wager" for one in found):
        return None
    titles, currency = wager_titles(evidence), evidence.exposure.currency
    remarks = [tell("returns.configurations-remark")]
    if any(one.kind in METERED for one in found):
        remarks.append(tell("returns.without-meters"))
    return listed(
        tell("returns.configurations"),
        "configuration:16 kind:14 #price:8 #return:14 #hit-frequency:15 #net-wins:15 #round-costs-at-most!note",
        (
            (
                _title(one, titles),
                _kind(one),
                PageCell(decimal(one.price, 2), "number"),
                _returned(one),
                *(
                    "–" if each is None else frequency(each, 4)
                    for each in (one.hit_frequency, one.win_frequency)
                ),
                tell("returns.no-end")
                if one.endless
                else "–"
                if one.exposure is None
                else money(one.exposure, currency),
            )
            for one in found
        ),
        " ".join(remarks),
    )


def _title(one: StatedConfiguration, titles: Mapping[str, str]) -> str:
    """Returns what a configuration is called; its kind, which is next to it, need not be in its name again."""
    return titles.get(one.id) or one.id.partition("@")[0]


def _kind(one: StatedConfiguration) -> str:
    return tell(f"configuration.{one.kind.replace(' ', '-')}")


def _returned(one: StatedConfiguration) -> str:
    least, most = percent(one.return_, _PLACES), percent(one.highest_return or one.return_, _PLACES)
    # Ends that are rounded to the same digits have every value between them rounded to these.
    return least if least == most else tell("returns.from-to", least=least, most=most)


def accepted(evidence: Evidence, most: int | None = None) -> PageTable | None:
    """Tabulates configurations by jurisdictions: printed and exact return, edge, what was tried, and each verdict.

    The last row is the statement for each jurisdiction by itself. A configuration is judged by the checks that name it
    among those that the jurisdiction's clauses ask for, and by those of the harness.

    Args:
        evidence: The evidence.
        most: Configurations that are shown, the first ones; all where left out.
    """
    found, titles = evidence.configurations, wager_titles(evidence)
    if not found:
        return None
    places, own = evidence.regime.jurisdictions, evidence.report.statement.jurisdictions or {}
    verdicts = [_verdicts(evidence, place) for place in places]
    words: list[list[str | None]] = [[seen.get(one.id) for seen in verdicts] for one in found[:most]]
    words.append([own.get(place.name) for place in places])
    firsts: list[tuple[object, ...]] = [
        (
            PageCell(_title(one, titles), detail="" if one.kind in ("wager", one.id) else _kind(one)),
            _printed(one),
            *_exact(evidence, one),
            _tried(evidence, one),
        )
        for one in found[:most]
    ]
    firsts.append((PageCell(tell("accepted.statement"), "strong"), *[PageCell("")] * 4))
    remarks = [tell("accepted.left-out", left=left)] if (left := len(found) - len(words) + 1) else []
    remarks.append(tell("accepted.remark"))
    if len(places) > 1:
        marks = dict.fromkeys(verdict(word) for row in words for word in row if word is not None)
        remarks.append(sentence(statements(f"{mark.mark} {mark.label}" for mark in marks)))
    return listed(
        tell("accepted.caption"),
        (
            "configuration:20 #printed:12 #exact-return:14 #edge:12 #played-rounds:14",
            *(Column(translated(place.title)) for place in places),
        ),
        (
            (*first, *(word and _judged(word, alone=len(places) == 1) for word in row))
            for first, row in zip(firsts, words, strict=True)
        ),
        " ".join(remarks),
        sortable=False,
        dense=True,
        bank=bank_of(evidence),
    )


def _printed(one: StatedConfiguration) -> PageCell | None:
    """Returns the printed returns of a configuration, each with the mark of what it is worth; else printed edges."""
    claims = of_returns(one.claims)
    edges = [] if claims else [claim for claim in one.claims if claim.metric == HOUSE_EDGE]
    shown = [
        " ".join(
            (
                verdict(claim.status or Verdict.INCONCLUSIVE).mark,
                as_printed(claim.printed).replace(" %", f"{NARROW}%"),
            )
        )
        for claim in claims or edges
    ]
    if not shown:
        return None
    alone = claims[0].status if len(claims) == 1 and one.kind == "wager" else None
    fact = f"claim/{one.wager}" if alone is not None else ""
    detail = tell(f"metric.{HOUSE_EDGE}") if edges else ""
    return PageCell(
        shown[0], "number", detail=detail, lines=tuple(shown[1:]), fact=fact, status=str(alone or "")
    )


def _judged(word: str, *, alone: bool) -> PageCell:
    """Returns a verdict in words, or by its mark where several stand next to each other and a legend below."""
    return judged(word) if alone else PageCell(verdict(word).mark, "centre", status=word)


def _exact(evidence: Evidence, one: StatedConfiguration) -> tuple[str, str]:
    """Returns the exact return of a configuration and the bank's edge, or between what they are proven to be."""
    figures = evidence.analysis.get(evidence.strategy_of.get(one.wager, ""))
    bracket = figures.wagers[one.wager].bracket if figures is not None and one.kind == "wager" else None
    if bracket is not None:
        low, high = bracket.lower, bracket.upper
        return percent_range(low, high, _PLACES), percent_range(1 - high, 1 - low, _PLACES)
    return _returned(one), percent(one.house_edge, _PLACES)


def _tried(evidence: Evidence, one: StatedConfiguration) -> PageCell:
    """Returns how many rounds of a configuration were played, and that its bands are not counted where they are not."""
    apart = [each for each in evidence.simulation.configurations or () if each.configuration == one.id]
    if one.kind not in _PLAYED and not apart:
        return PageCell(tell("accepted.not-tried"), "note")
    played = sum(each.rounds for each in apart) or sum(
        campaign.rounds
        for campaign in evidence.simulation.campaigns
        if any(wager.wager == one.wager for wager in campaign.wagers)
    )
    sheet = evidence.par.get(one.wager)
    detail = "" if sheet and sheet.bands else tell("accepted.no-bands")
    if one.kind != "gamble" and any(each.kind in METERED for each in evidence.configurations or ()):
        detail = tell("accepted.without-meters")
    return PageCell(grouped(played) if played else tell("accepted.not-tried"), "number", detail=detail)


def _verdicts(evidence: Evidence, place: StatedJurisdiction) -> Mapping[str, Verdict]:
    """Returns for each configuration what the checks came to that name it and count for a jurisdiction."""
    read = evidence.regime.standards[place.name]
    checks = {check for clause in evidence.clauses if clause.standard in read for check in clause.checks}
    checks |= {check.check for check in evidence.run.plan if check.own}
    seen = gathered(
        (one.subject.partition(", ")[0], one.verdict)
        for one in evidence.observations
        if one.check in checks and one.item not in REFERENCE and one.verdict is not Verdict.NOT_APPLICABLE
    )
    return {subject: worst(found) for subject, found in seen.items()}

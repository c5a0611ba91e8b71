"""Cover and summary: what a reader with two minutes needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.analysis import StatedAnalysis, StatedFigures
from certify.evidence.document import Evidence, by_wager
from certify.evidence.operator import Brought
from certify.evidence.report import NOTHING_STATED, Report
from certify.messages import NARROW, said_of, statements, tell, translated
from certify.model.finding import CONDITION, OPERATOR, Finding, worst
from certify.report.chapters.printed import printed
from certify.report.chapters.readings import combinations_sentence, edge_sentence, readings_sentence
from certify.report.chapters.returns import bank_of, habits, of_returns
from certify.report.chapters.scope import items
from certify.report.formats import day, grouped, instant, percent, percent_range, prose
from certify.report.layout import (
    Column,
    Fact,
    PageCell,
    PageTable,
    VerdictMark,
    digest,
    fact,
    judged,
    listed,
    number,
    severity,
    verdict,
)
from certify.report.words import file_of, findings_in_order, said, strategies, unit_of, wager_titles

_STRATEGIES = 4


@dataclass(frozen=True, slots=True)
class Headline:
    """A finding in one line."""

    id: str
    severity: VerdictMark
    title: str
    status: str


@dataclass(frozen=True, slots=True)
class ConditionView:
    """What somebody else must still confirm, and the finding that tells why."""

    id: str
    action: str


@dataclass(frozen=True, slots=True)
class Cover:
    """The first page.

    Args:
        sentence: The overall statement.
        verdict: The same as a verdict.
        counts: How many clauses have which status.
        conditions: What somebody else must still confirm.
        alarms: The critical findings: nobody may read past them.
        facts: Number, dates, item.
        said: Parties and places: what the issuer states, and nobody verifies.
    """

    sentence: str
    verdict: VerdictMark
    counts: str
    conditions: tuple[ConditionView, ...]
    alarms: tuple[Headline, ...]
    facts: tuple[Fact, ...]
    said: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The second page: returns, who has the edge, lines of evidence, findings.

    Args:
        edge: Who has the edge, where the evidence says it in words.
        readings: What would bring the return to what is staked, or below it.
        printed: What the printed tables of the source are worth, in total.
        items: The items under test, with version and digest.
        severities: How the severity of a finding is judged.
        returns: Returns of the wagers, printed and exact.
        lines: Independent lines of evidence.
        headlines: The findings, the gravest first.
        checker: Whether the checker counts the game from its table, in words.
    """

    edge: str
    readings: str
    printed: str
    items: PageTable | None
    severities: str
    returns: PageTable | None
    lines: PageTable | None
    headlines: tuple[Headline, ...]
    checker: str


def cover(evidence: Evidence, evidence_digest: str) -> Cover:
    """Returns the cover."""
    report, item, tool = evidence.report, evidence.item, evidence.tool
    statement, engagement = report.statement, report.engagement or NOTHING_STATED
    tested = tell("front.tested", start=instant(report.tested_from), end=instant(report.tested_to))
    facts = (
        fact(
            "fact.report-number", tell("front.revision", number=report.number, revision=str(report.revision))
        ),
        fact("fact.issued", instant(report.issued)),
        fact("fact.tested", tested),
        fact("fact.item", tell("front.version", title=item.title, version=item.version)),
        fact("fact.supplier", item.supplier),
        *_jurisdictions(evidence),
        fact("fact.requirements", _standards(evidence)),
        fact("fact.test-profile", report.profile),
        fact("fact.software", f"{tool.name} {tool.version}"),
        fact("fact.evidence-sha-256", digest(evidence_digest)),
    )
    stated_by_issuer = (
        fact("fact.issuer", _joined(issuer(report), report.issuer.address)),
        fact("fact.client", _joined(stated(report.client), engagement.client_address)),
        *_told(engagement.tested_by, "fact.tested-by"),
        *_told(engagement.reviewed_by, "fact.reviewed-by"),
        fact("fact.place-of-testing", stated(engagement.place)),
        *_told(engagement.received and day(f"{engagement.received}T00:00:00Z"), "front.received"),
    )
    alarms = tuple(entry for entry in headlines(evidence) if entry.severity.word == "critical")
    return Cover(
        said(statement, "sentence"),
        verdict(statement.verdict),
        said(statement, "counted"),
        conditions(evidence),
        alarms,
        facts,
        stated_by_issuer,
    )


def action_of(finding: Finding) -> str:
    """Returns who must do what about a finding."""
    action = prose(said(finding, "required_action"))
    if not (action and finding.who):
        return action
    return tell("finding.who-does-what", who=tell(f"who.{finding.who}"), action=action)


def conditions(evidence: Evidence) -> tuple[ConditionView, ...]:
    """Returns what somebody else must still confirm, in the order of the findings."""
    return tuple(
        ConditionView(finding.id, action_of(finding))
        for finding in findings_in_order(evidence)
        if finding.status == CONDITION
    )


def issuer(report: Report) -> str:
    """Returns the name of the issuer; where none is given, nobody but the user of the program stands behind it."""
    return report.issuer.name if named(report) else tell("front.not-stated-self-assessment")


def named(report: Report) -> bool:
    """Tells whether the issuer has a name."""
    return report.issuer.name.lower() not in ("", "not stated")


def stated(text: str) -> str:
    """Returns what was stated, or says that it was not.

    >>> stated("Not stated"), stated("Ms Example")
    ('not stated', 'Ms Example')
    """
    return text if text and text.lower() != "not stated" else tell("front.not-stated")


def _told(text: str, label: str) -> tuple[Fact, ...]:
    """Returns what not every report states; nothing where it was not."""
    return (Fact(tell(label), PageCell(text)),) if text else ()


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _jurisdictions(evidence: Evidence) -> tuple[Fact, ...]:
    """Returns the jurisdictions whose requirements were chosen, each with its own verdict where there are several."""
    places, own = evidence.regime.jurisdictions, evidence.report.statement.jurisdictions or {}
    titles = [
        said_of(translated(entry.title), verdict(own[entry.name]).label)
        if len(places) > 1 and entry.name in own
        else translated(entry.title)
        for entry in places
    ]
    return (fact("fact.jurisdictions", statements(titles)),) if titles else ()


def _standards(evidence: Evidence) -> str:
    """Returns each standard that the clause matrix cites, once."""
    names = [f"{clause.standard} {clause.edition}".strip() for clause in evidence.clauses]
    return statements(dict.fromkeys(names)) or tell("front.none-cited")


def headlines(evidence: Evidence) -> tuple[Headline, ...]:
    """Returns every finding in one line, the gravest first."""
    return tuple(
        Headline(
            finding.id,
            severity(finding.severity),
            prose(said(finding, "title")),
            tell(f"finding.status.{finding.status}"),
        )
        for finding in findings_in_order(evidence)
    )


def summary(evidence: Evidence) -> Summary:
    """Returns the second page."""
    tables = printed(evidence)
    return Summary(
        edge_sentence(evidence),
        " ".join(part for part in (readings_sentence(evidence), combinations_sentence(evidence)) if part),
        tables.sentence if tables else "",
        items(evidence),
        tell("front.severities"),
        _returns(evidence),
        _lines(evidence),
        headlines(evidence),
        _counted_by_the_checker(evidence),
    )


def _counted_by_the_checker(evidence: Evidence) -> str:
    """Tells whether the table of the game lies in the pack, from which the checker of the pack counts."""
    table = file_of(evidence, "data/automaton.csv")
    return tell("summary.checker-table", file=table) if table else tell("summary.checker-no-table")


def _returns(evidence: Evidence) -> PageTable | None:
    """Tabulates the returns: of several wagers one row each, of a single one by way of playing."""
    analyses = strategies(evidence)
    if not analyses:
        return None
    wagers = by_wager(evidence, analyses[0][1].wagers)
    if len(wagers) == 1:
        return _of_one_wager(evidence, wagers[0][0], analyses)
    return _of_wagers(evidence, [wager for wager, _ in wagers], analyses[:_STRATEGIES])


def _of_wagers(
    evidence: Evidence, wagers: list[str], analyses: tuple[tuple[str, StatedAnalysis], ...]
) -> PageTable | None:
    """Tabulates each wager's printed return, if any, and the exact one under every analysed strategy."""
    titles = wager_titles(evidence)
    claimed = {claim.wager: claim.printed for claim in of_returns(evidence.claims)}
    rows: list[tuple[object, ...]] = [
        (
            titles.get(wager, wager),
            *((_as_printed(claimed, wager),) if claimed else ()),
            *(_exact(one.wagers.get(wager), _claim_of(evidence, wager, name)) for name, one in analyses),
        )
        for wager in wagers
    ]
    # What comes back of one unit on each wager together, for one and the same player.
    joint = {name: evidence.joint[name].total_return for name, _ in analyses if name in evidence.joint}
    whole = (percent(joint[name], 4) if name in joint else None for name, _ in analyses)
    rows += [(tell("front.whole-stake"), *((None,) if claimed else ()), *whole)] if joint else []
    remark = tell("front.one-player-follows-one-strategy")
    return listed(
        tell(f"front.returns-to-the-player-{'printed' if claimed else 'exact'}"),
        (
            "wager #printed" if claimed else "wager",
            *(Column(tell("front.exact", name=name), "number") for name, _ in analyses),
        ),
        rows,
        tell("front.a-tick-marks-an-exact", remark=remark) if claimed else remark,
    )


def _as_printed(returns: dict[str, str], wager: str) -> str:
    return returns.get(wager, "–").replace(" %", f"{NARROW}%")


def _of_one_wager(
    evidence: Evidence, wager: str, analyses: tuple[tuple[str, StatedAnalysis], ...]
) -> PageTable | None:
    """Tabulates the returns of a single wager, one row per way of playing, with whose the edge is."""
    unit = unit_of(evidence)
    claimed = {claim.wager: claim.printed for claim in of_returns(evidence.claims)}
    found = [(name, analysis.wagers[wager]) for name, analysis in analyses]
    staked = any(figures.return_on_total_wagered is not None for _, figures in found)
    return listed(
        tell(f"front.returns-to-the-player-{'printed' if claimed else 'exact'}"),
        f"way-of-playing!mono {'#printed' if claimed else ''} #return-per "
        f"{'#return-per-unit-of-everything:percent-4' if staked else ''} who-has-the-edge",
        (
            (
                name,
                *((_as_printed(claimed, wager),) if claimed else ()),
                _exact(figures, _claim_of(evidence, wager, name)),
                *((figures.return_on_total_wagered,) if staked else ()),
                _edge_of(figures, bank_of(evidence)),
            )
            for name, figures in found
        ),
        tell("front.the-edge-is-the-difference", unit=unit, habits=habits(analyses)).strip(),
        unit=unit,
    )


def _edge_of(figures: StatedFigures, bank: str) -> str:
    """Returns who has the edge and how large it is, or between what it is proven to be."""
    if figures.bracket is None:
        return _edge(figures.return_, bank)
    low, high = figures.bracket.lower, figures.bracket.upper
    if low < 1 < high:
        return tell("edge.holder-undecided")
    holder = bank if high <= 1 else tell("edge.holder-player")
    return f"{holder}, {percent_range(min(abs(1 - low), abs(1 - high)), max(abs(1 - low), abs(1 - high)), 4)}"


def _edge(exact: Fraction, bank: str) -> str:
    """Returns who has the edge and how large it is.

    >>> _edge(Fraction(3, 2), "house").replace(NARROW, " ")
    'player, 50.0000 %'
    """
    if exact == 1:
        return tell("edge.holder-nobody")
    return f"{tell('edge.holder-player') if exact > 1 else bank}, {percent(abs(exact - 1), 4)}"


def _claim_of(evidence: Evidence, wager: str, strategy: str) -> str:
    """Returns the name of the fact that a printed return is, where it is read under this strategy."""
    read = any(claim.wager == wager and claim.strategy == strategy for claim in evidence.claims)
    return f"claim/{wager}" if read else ""


def _exact(figures: StatedFigures | None, fact: str) -> PageCell:
    """Returns an exact return, marked where it prints as the source's figure, and by what that is worth."""
    if figures is None:
        return number("–")
    if figures.bracket is not None:
        return number(percent_range(figures.bracket.lower, figures.bracket.upper, 4))
    text = percent(figures.return_, 4)
    found = worst(
        [claim.status for claim in of_returns(figures.claims) if claim.holds and claim.status] or ["none"]
    )
    if found not in ("satisfied", "fitted"):
        return number(text)
    kind = "fit" if found == "satisfied" else "fitted"
    return PageCell(f"{verdict(found).mark} {text}", kind, fact=fact, status=found if fact else "")


def _lines(evidence: Evidence) -> PageTable | None:
    """Tabulates the independent lines of evidence with their volume and status, which is that of their checks."""
    head = (
        Column(tell("front.line-of-evidence")),
        Column(tell("front.volume")),
        Column(tell("front.verdict"), width=22),
    )
    rows = (*_ours(evidence), *_brought(evidence.brought))
    return listed(tell("front.lines-of-evidence"), head, rows, dense=True)


def _ours(evidence: Evidence) -> Iterator[tuple[PageCell, ...]]:
    """Yields a line for each thing that this software did."""
    for campaign in evidence.simulation.campaigns:
        played = tell("front.rounds", rounds=grouped(campaign.rounds))
        name = tell("front.play-through-against-exact-figures", strategy=campaign.strategy)
        yield _line(name, played, worst(wager.verdict for wager in campaign.wagers))
    legs, answers, dealt = evidence.agreement, evidence.rng.known_answers, evidence.randomness
    told = tell("front.decks-differences", decks=grouped(legs.decks), differences=grouped(legs.differences))
    yield _checked(evidence, "front.engines-on-the-same", told, "agreement.three-settlements")
    tests, passed = sum(one.tests for one in answers), sum(one.passed for one in answers)
    if tests:
        told = tell("front.of-reproduced", passed=grouped(passed), tests=grouped(tests))
        yield _checked(evidence, "front.published-known-answers-of-the", told, "rng.known-answers")
    told = tell("front.decks-tests", decks=grouped(dealt.decks), tests=len(dealt.tests))
    yield _checked(evidence, "front.randomness-of-the-cards-dealt", told, "randomness.collective")
    situations = evidence.rounds.situations
    if situations:
        told = tell("front.situations", count=len(situations))
        name = tell("front.terms-malfunction-voiding-interruption")
        yield _line(name, told, worst(one.verdict for one in situations))


def _brought(brought: Brought) -> Iterator[tuple[PageCell, ...]]:
    """Yields a line for each item that the operator brought, with the end of its own tests."""
    for output in brought.outputs:
        amount = tell(f"brought.amount.{output.kind}", count=grouped(output.count))
        name = tell("front.output-of-the-operators-generator", name=output.name)
        yield _line(name, amount, output.verdict)
    if (system := brought.system) is not None:
        told = tell("front.stories", count=grouped(system.fixed_told + system.stories))
        yield _line(tell("front.the-operators-round-system"), told, system.verdict)


def _line(name: str, volume: str, word: str, fact: str = "") -> tuple[PageCell, ...]:
    return PageCell(name), PageCell(volume), judged(word, fact)


def _checked(evidence: Evidence, message: str, volume: str, check: str) -> tuple[PageCell, ...]:
    """Returns a line of evidence with what its check saw on items of this software; the operator's have their own."""
    seen = [entry for entry in evidence.observations if entry.check == check]
    ours = [entry.verdict for entry in seen if entry.item not in OPERATOR]
    return _line(tell(message), volume, worst(ours), f"check/{check}" if len(ours) == len(seen) else "")

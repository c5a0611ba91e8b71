"""Cover and summary: what a reader with two minutes needs."""

from collections.abc import Iterator

from certify.evidence import NOTHING_STATED, Brought, Evidence, Report
from certify.messages import said_of, statements, tell, translated
from certify.model import CONDITION, OPERATOR, Finding, Verdict, worst
from certify.report.chapters.configurations import accepted
from certify.report.chapters.readings import combinations_sentence, edge_sentence, readings_sentence
from certify.report.chapters.scope import items
from certify.report.formats import day, grouped, instant, prose
from certify.report.layout import (
    Column,
    Fact,
    PageCell,
    PageParts,
    PageTable,
    digest,
    fact,
    judged,
    listed,
    overall_mark,
    severity,
)
from certify.report.words import file_of, findings_in_order, said

ON_COVER = 9
"""Configurations and conditions that the cover has room for together; five configurations it shows in any case."""


def cover(evidence: Evidence, evidence_digest: str) -> PageParts:
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
        fact("fact.requirements", standards(evidence)),
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
    return PageParts(
        # The overall statement.
        sentence=said(statement, "sentence"),
        # The same as a verdict.
        verdict=overall_mark(statement, statement.verdict),
        # How many clauses have which status.
        counts=said(statement, "counted"),
        # What somebody else must still confirm.
        conditions=conditions(evidence),
        # The critical findings: nobody may read past them.
        alarms=alarms,
        # Configurations by jurisdictions, the first ones.
        returns=accepted(evidence, _on_cover(evidence)),
        # Number, dates, item.
        facts=facts,
        # Parties and places: what the issuer states, and nobody verifies.
        said=stated_by_issuer,
    )


def action_of(finding: Finding) -> str:
    """Returns who must do what about a finding."""
    action = prose(said(finding, "required_action"))
    if not (action and finding.who):
        return action
    return tell("finding.who-does-what", who=tell(f"who.{finding.who}"), action=action)


def conditions(evidence: Evidence) -> tuple[PageParts, ...]:
    """Returns what somebody else must still confirm, in the order of the findings."""
    return tuple(
        PageParts(id=finding.id, action=action_of(finding))
        for finding in findings_in_order(evidence)
        if finding.status == CONDITION
    )


def issuer(report: Report) -> str:
    """Returns the name of the issuer; where none is given, only the user of the program is responsible."""
    return report.issuer.name if named(report) else tell("front.not-stated-self-assessment")


def named(report: Report) -> bool:
    """Returns whether the issuer has a name."""
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
        said_of(translated(entry.title), overall_mark(evidence.report.statement, own[entry.name]).label)
        if len(places) > 1 and entry.name in own
        else translated(entry.title)
        for entry in places
    ]
    return (fact("fact.jurisdictions", statements(titles)),) if titles else ()


def standards(evidence: Evidence) -> str:
    """Returns each standard that the clause matrix cites, once."""
    names = [f"{clause.standard} {clause.edition}".strip() for clause in evidence.clauses]
    return statements(dict.fromkeys(names)) or tell("front.none-cited")


def headlines(evidence: Evidence) -> tuple[PageParts, ...]:
    """Returns every finding in one line, the gravest first."""
    return tuple(
        PageParts(
            id=finding.id,
            severity=severity(finding),
            title=prose(said(finding, "title")),
            status=tell(f"finding.status.{finding.status}"),
        )
        for finding in findings_in_order(evidence)
    )


def summary(evidence: Evidence, printed: str) -> PageParts:
    """Returns the second page.

    Args:
        evidence: The evidence.
        printed: What the printed tables of the source are worth, in total; empty where there are none.
    """
    return PageParts(
        # Who has the edge, where the evidence says it in words.
        edge=edge_sentence(evidence),
        # What would bring the return to what is staked, or below it.
        readings=" ".join(
            part for part in (readings_sentence(evidence), combinations_sentence(evidence)) if part
        ),
        printed=printed,
        # The items under test, with version and digest.
        items=items(evidence),
        # Configurations by jurisdictions, where the cover does not hold all of them.
        returns=accepted(evidence) if len(evidence.configurations or ()) > _on_cover(evidence) else None,
        # Independent lines of evidence.
        lines=_lines(evidence),
        # The findings, the gravest first.
        headlines=headlines(evidence),
        # Whether the checker counts the game from its table, in words.
        checker=_counted_by_the_checker(evidence),
    )


def _counted_by_the_checker(evidence: Evidence) -> str:
    """Returns whether the table of the game is in the pack, from which the checker of the pack counts."""
    table = file_of(evidence, "data/automaton.csv")
    return tell("summary.checker-table", file=table) if table else tell("summary.checker-no-table")


def _on_cover(evidence: Evidence) -> int:
    """Returns how many configurations the cover shows."""
    return max(5, ON_COVER - len(conditions(evidence)))


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
        tried = [one for one in situations if one.verdict != Verdict.NOT_APPLICABLE]
        told = tell("front.situations", count=len(tried))
        name = tell("front.terms-malfunction-voiding-interruption")
        yield _line(name, told, worst(one.verdict for one in situations))


def _brought(brought: Brought) -> Iterator[tuple[PageCell, ...]]:
    """Yields a line for each item that the operator submitted, with the end of its own tests."""
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

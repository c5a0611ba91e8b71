"""Cover and summary: what a reader with two minutes needs."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.formats import NARROW, fraction, grouped, instant, percent, prose
from certify.report.layout import (
    VERDICTS,
    Cell,
    Column,
    Fact,
    Table,
    Verdict,
    columns,
    digest,
    judged,
    number,
    severity,
    verdict,
)
from certify.report.node import Node
from certify.report.order import by_wager, strategies, wager_titles

_STRATEGIES = 4


@dataclass(frozen=True, slots=True)
class Cover:
    """The first page.

    Args:
        sentence: The overall statement.
        verdict: The same as a verdict.
        counts: How many checks ended how, as text.
        facts: Number, dates, parties, item.
    """

    sentence: str
    verdict: Verdict
    counts: tuple[tuple[Verdict, str], ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Headline:
    """A finding in one line."""

    id: str
    severity: Verdict
    title: str
    status: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The second page: returns, lines of evidence, findings."""

    returns: Table | None
    lines: Table | None
    headlines: tuple[Headline, ...]


def cover(evidence: Node, evidence_digest: str) -> Cover:
    """Returns the cover."""
    report, item, tool = evidence.at("report"), evidence.at("item"), evidence.at("tool")
    statement = report.at("statement")
    checks = statement.at("checks")
    counts = tuple(
        (verdict(word), grouped(checks.integer(word))) for word in VERDICTS if checks.text(word, "0") != "0"
    )
    tested = f"{instant(report.text('tested_from'))} to {instant(report.text('tested_to'))}"
    facts = (
        Fact("Report number", Cell(f"{report.text('number')}, revision {report.text('revision')}")),
        Fact("Issued", Cell(instant(report.text("issued")))),
        Fact("Tested", Cell(tested)),
        *_optional(report, "received", "Received"),
        Fact("Place of testing", Cell(tool.text("platform"))),
        Fact("Item", Cell(f"{item.text('title')}, version {item.text('version')}")),
        Fact("Supplier", Cell(item.text("supplier", "not stated"))),
        Fact("Client", Cell(stated(report.text("client", "")))),
        Fact("Issuer", Cell(_joined(issuer(report), report.at("issuer").text("address", "")))),
        *_jurisdictions(evidence),
        Fact("Requirements", Cell(_standards(evidence))),
        Fact("Test profile", Cell(report.text("profile"))),
        Fact("Software", Cell(f"{tool.text('name')} {tool.text('version')}")),
        Fact("Evidence (SHA-256)", digest(evidence_digest)),
    )
    return Cover(statement.text("sentence"), verdict(statement.text("verdict")), counts, facts)


def issuer(report: Node) -> str:
    """Returns the name of the issuer; where none is given, nobody but the user of the program stands behind it."""
    return stated(report.at("issuer").text("name", ""), "not stated (self-assessment)")


def stated(text: str, otherwise: str = "not stated") -> str:
    """Returns what was stated, or says that it was not.

    >>> stated("Not stated"), stated("Ms Example")
    ('not stated', 'Ms Example')
    """
    return text if text and text.lower() != "not stated" else otherwise


def _optional(report: Node, key: str, label: str) -> tuple[Fact, ...]:
    """Returns a date that not every report has."""
    return (Fact(label, Cell(instant(report.text(key)))),) if report.has(key) else ()


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _jurisdictions(evidence: Node) -> tuple[Fact, ...]:
    """Returns the jurisdictions whose requirements were chosen, where the evidence names them."""
    titles = [entry.text("title") for entry in evidence.at("regime").each("jurisdictions")]
    return (Fact("Jurisdictions", Cell("; ".join(titles))),) if titles else ()


def _standards(evidence: Node) -> str:
    """Returns each standard that the clause matrix cites, once."""
    names = [
        f"{clause.text('standard')} {clause.text('edition', '')}".strip()
        for clause in evidence.each("clauses")
    ]
    return "; ".join(dict.fromkeys(names)) or "none cited"


def summary(evidence: Node) -> Summary:
    """Returns the second page."""
    headlines = tuple(
        Headline(
            finding.text("id"),
            severity(finding.text("severity")),
            prose(finding.text("title")),
            finding.text("status", "open"),
        )
        for finding in evidence.each("findings")
    )
    return Summary(_returns(evidence), _lines(evidence), headlines)


def _returns(evidence: Node) -> Table | None:
    """Tabulates each wager's printed return and the exact one under every analysed strategy."""
    analyses = strategies(evidence)[:_STRATEGIES]
    if not analyses:
        return None
    titles = wager_titles(evidence)
    printed = {claim.text("wager"): claim.text("printed") for claim in evidence.each("claims")}
    rows = tuple(
        (
            Cell(titles.get(wager, wager)),
            number(printed.get(wager, "–").replace(" %", f"{NARROW}%")),
            *(_exact(analysis.at("wagers").at(wager)) for _, analysis in analyses),
        )
        for wager, _ in by_wager(evidence, analyses[0][1].at("wagers"))
    )
    remark = (
        "A tick marks an exact return that prints as the source's figure. One player follows one strategy for all "
        "wagers together, so a player's returns stand in one column."
    )
    head = (*columns("Wager", "#Printed"), *(Column(f"Exact, {name}", "number") for name, _ in analyses))
    return Table("Returns to the player, printed and exact", head, rows, remark)


def _exact(figures: Node) -> Cell:
    """Returns an exact return, marked where it prints as the source's figure."""
    if not figures:
        return number("–")
    text = percent(fraction(figures.text("return")), 4)
    holds = any(claim.flag("holds") for claim in figures.each("claims"))
    return Cell(f"✓ {text}", "fit") if holds else number(text)


def _lines(evidence: Node) -> Table | None:
    """Tabulates the independent lines of evidence with their volume and verdict."""
    rows: list[tuple[Cell, ...]] = []
    for campaign in evidence.at("simulation").each("campaigns"):
        verdicts = [wager.text("verdict") for wager in campaign.each("wagers")]
        rows.append(
            (
                Cell(f"Play-through against exact figures ({campaign.text('strategy')})"),
                Cell(f"{grouped(campaign.integer('rounds'))} rounds"),
                judged(_worst(verdicts)),
            )
        )
    agreement = evidence.at("agreement")
    if agreement:
        differences = agreement.integer("differences")
        found = f"{grouped(agreement.integer('decks'))} decks, {grouped(differences)} differences"
        rows.append(
            (Cell("Independent engines on the same decks"), Cell(found), judged(_none_differ(differences)))
        )
    for answers in (evidence.at("rng").each("known_answers"),):
        tests, passed = sum(a.integer("tests") for a in answers), sum(a.integer("passed") for a in answers)
        if tests:
            rows.append(
                (
                    Cell("Published known answers of the generator"),
                    Cell(f"{grouped(passed)} of {grouped(tests)} reproduced"),
                    judged("satisfied" if passed == tests else "not satisfied"),
                )
            )
    randomness = evidence.at("randomness")
    if randomness:
        volume = f"{grouped(randomness.integer('decks'))} decks, {len(randomness.each('tests'))} tests"
        rows.append((Cell("Randomness of the cards dealt"), Cell(volume), judged(randomness.text("verdict"))))
    situations = evidence.at("rounds").each("situations")
    if situations:
        worst = _worst([situation.text("verdict") for situation in situations])
        rows.append(
            (
                Cell("Terms: malfunction, voiding, interruption"),
                Cell(f"{len(situations)} situations"),
                judged(worst),
            )
        )
    head = (Column("Line of evidence"), Column("Volume"), Column("Verdict", width=18))
    return Table("Lines of evidence", head, tuple(rows)) if rows else None


def _none_differ(differences: int) -> str:
    return "not satisfied" if differences else "satisfied"


def _worst(verdicts: list[str]) -> str:
    """Returns the verdict that decides a group: one failure fails it."""
    order = ("not satisfied", "inconclusive", "satisfied", "not applicable")
    return next((word for word in order if word in verdicts), "inconclusive")

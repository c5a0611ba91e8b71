"""Scope: rules with their provenance, readings adopted, what stays open, what falls to the operator."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from certify.characters import texts_in
from certify.clauses import NOT_KNOWN, references
from certify.evidence import (
    NOTHING_STATED,
    Evidence,
    Rule,
    StatedFigures,
    StatedRow,
    StatedWager,
    Tool,
    schedule_digest,
    stated_in,
)
from certify.messages import said_of, tell, translated
from certify.model import Coverage, Covered, Kind, LaidPiece, Provenance, Source, TableLayout, UnderTest
from certify.report.chapters.returns import bank_of
from certify.report.figures import layout_of_bets, layout_of_table
from certify.report.figures.bets import Bet, Mark, returned
from certify.report.figures.pieces import LayoutSpot, lines_of, stops_of
from certify.report.formats import grouped, money, odds, prose
from certify.report.layout import (
    Fact,
    Figure,
    PageCell,
    PageParts,
    PageTable,
    digest,
    fact,
    listed,
    mono,
    note,
)
from certify.report.words import awarding_wagers, clauses_named, said, strategies, wager_titles


def of_table(evidence: Evidence) -> Figure | None:
    """Draws the table as the submission tells it."""
    titles = wager_titles(evidence)
    places = [
        LayoutSpot(
            titles[wager.id],
            _pays(wager, awarded=wager.id in awarding_wagers(evidence)),
            tell(
                "layout.limits",
                least=money(wager.limits.minimum, wager.limits.currency),
                most=money(wager.limits.maximum, wager.limits.currency),
            ),
        )
        for wager in evidence.wagers
    ]
    return layout_of_table(bank_of(evidence), places, _pieces(evidence))


def kinds(evidence: Evidence) -> tuple[Kind, ...]:
    """Returns the kinds of what is drawn from, each once; nothing where the evidence does not tell."""
    return tuple(dict.fromkeys(piece.kind for piece in _pieces(evidence)))


def _pieces(evidence: Evidence) -> tuple[LaidPiece, ...]:
    return evidence.layout.pieces if evidence.layout else ()


def _pays(wager: StatedWager, *, awarded: bool) -> str:
    """Returns what a wager pays: its one pay, or the least and the most of the rows that win."""
    stated = {_paid(row.pays): row.pays for row in wager.paytable}
    pays = sorted({value: pay for value, pay in stated.items() if value > 0}.items())
    if not pays:
        return ""
    if len(pays) == 1:
        return odds(pays[0][1], awarded=awarded)
    least, most = (odds(pay, awarded=awarded) for _, pay in (pays[0], pays[-1]))
    return tell("layout.pays", least=least, most=most)


def _paid(pays: str) -> Fraction:
    wins, _, stake = pays.partition(" to ")
    return Fraction(int(wins), int(stake))


def of_reels(layout: TableLayout | None) -> tuple[Figure, ...]:
    """Draws reels: their stops, and of the first ones the lines."""
    figures = []
    for number, reels in enumerate((layout and layout.reels) or (), start=1):
        figures.append(stops_of(f"stops-{number}", reels.name, reels.stops, reels.weights))
        if reels.lines:
            figures.append(lines_of(f"lines-{number}", reels.rows, reels.lines))
    return tuple(figures)


def of_bets(evidence: Evidence) -> tuple[Figure, ...]:
    """Draws which draws win each wager, one figure for everything that is read from a draw."""
    titles, analyses = wager_titles(evidence), strategies(evidence)
    found = analyses[0][1].wagers if analyses else {}
    return tuple(
        _panel(panel, f"layout-of-bets-{number}", titles, found)
        for number, panel in enumerate(evidence.layout.coverage if evidence.layout else (), start=1)
    )


def _panel(panel: Coverage, name: str, titles: dict[str, str], found: Mapping[str, StatedFigures]) -> Figure:
    wagers = panel.wagers
    chances = {wager.chances for wager in wagers}
    bets = [
        Bet(
            titles.get(wager.wager, wager.wager),
            _returned(found.get(wager.wager)),
            _marks(wager),
        )
        for wager in wagers
    ]
    caption = tell(f"layout.bets.{panel.reading}")
    same = chances.pop() if len(chances) == 1 else ()
    if len(set(same)) > 1:
        caption = f"{caption} {tell('layout.bets.bars')}"
    return layout_of_bets(name, caption, panel.columns, same, bets)


def _returned(figures: StatedFigures | None) -> str:
    return returned(figures.return_) if figures else "–"


def _marks(wager: Covered) -> dict[int, Mark]:
    """Returns what a wager comes to, by column."""
    marks: dict[int, Mark] = {}
    for spot in wager.spots:
        column, share, net = spot.column, spot.share, spot.net
        before = marks.get(column)
        won = share if net is not None and net > 0 else Fraction(0)
        marks[column] = Mark(
            won + (before.won if before else 0),
            share - won + (before.kept if before else 0),
            str(net) if won and before is None else "",
        )
    return marks


def item(evidence: Evidence) -> PageParts:
    """Returns the chapter."""
    subject = evidence.item
    facts = (
        fact("fact.game", subject.title),
        fact("fact.identifier", mono(subject.game)),
        fact("fact.version", subject.version),
        fact("fact.supplier", subject.supplier),
        fact("fact.family-of-rules", mono(subject.family)),
    )
    return PageParts(
        facts=facts,
        # Reels are drawn stop by stop: the table would show three stops of each once more.
        layout=None if evidence.layout and evidence.layout.reels else of_table(evidence),
        bets=of_bets(evidence),
        reels=of_reels(evidence.layout),
        files=listed(
            tell("item.files-under-test"),
            "file=name!mono #bytes=bytes_:grouped sha-256=sha256!hash",
            subject.files,
            tell("item.the-report-relates-only-to"),
        ),
        schedule=schedule(evidence, _FILES),
        sources=listed(
            tell("item.source-texts-the-submission-rests"),
            "id:14!mono title:31 sha-256:55",
            ((source.id, source.title, _kept(source)) for source in subject.sources),
        ),
        tool=_tool(evidence.tool),
    )


def schedule(evidence: Evidence, most: int) -> PageTable | None:
    """Tabulates the files of the product under test; the first of them, where there are more than are shown."""
    files = evidence.brought.files or ()
    remark = tell("item.schedule-digest", files=grouped(len(files)), digest=schedule_digest(files))
    if len(files) > most:
        remark = f"{tell('item.schedule-first', shown=most, file='data/critical-files.csv')} {remark}"
    return listed(
        tell("item.schedule"),
        "file=path!mono #bytes=bytes_:grouped sha-256=sha256!hash",
        files[:most],
        remark,
        dense=True,
    )


_FILES = 40
"""Files of the product that the report shows."""


def items(evidence: Evidence) -> PageTable | None:
    """Tabulates the items that checks were made on, with version and digest."""
    unstated = PageCell(tell("front.not-stated"))
    return listed(
        tell("item.items-under-test"),
        "item:31 version:15 sha-256:54!hash",
        (
            # The game keeps the title that its submission gives it, a number in it included.
            (
                title if one.id == UnderTest.SUBMISSION else prose(title),
                one.version or unstated,
                one.sha256 or unstated,
            )
            for one in evidence.items
            for title in (said(one, "title"),)
        ),
        tell("item.what-holds-on-a-reference"),
        sortable=False,
        dense=True,
    )


def _kept(source: Source) -> PageCell:
    """Returns the digest of a source; of a page that nobody kept the submission gives noughts."""
    stated = source.sha256
    return digest(stated) if set(stated) != {"0"} else note(tell("item.no-text-kept"))


def _tool(tool: Tool) -> tuple[Fact, ...]:
    return (
        fact("fact.software", f"{tool.name} {tool.version}"),
        fact("fact.source-digest-sha-256", digest(tool.source_sha256)),
        fact("fact.lock-digest-sha-256", digest(tool.lock_sha256)),
        fact("fact.python", tool.python),
        fact("fact.platform", tool.platform),
        fact("fact.libraries", ", ".join(f"{name} {version}" for name, version in tool.packages.items())),
    )


_PROVENANCES = ("printed", "adopted", "recovered")


def scope(evidence: Evidence) -> PageParts:
    """Returns the chapter."""
    readings = tuple(
        replace(
            entry,
            question=said(entry, "question"),
            adopted=said(entry, "adopted"),
            because=said(entry, "because"),
            alternatives=tuple(translated(other) for other in entry.alternatives),
            clauses=clauses_named(evidence, entry.clauses),
        )
        for entry in evidence.readings
    )
    open_points = tuple(said(entry, "text") for entry in evidence.not_established)
    noted = {clause.note for clause in evidence.clauses}
    engagement = evidence.report.engagement or NOTHING_STATED
    return PageParts(
        readings=readings,
        not_established=open_points,
        stated=tuple(
            tell(f"scope.word.{part}")
            for part in dict.fromkeys(where.split("/")[2] for where, _ in stated_in(evidence))
        ),
        obligations=listed(
            tell("scope.obligations-passed-to-the-operator"),
            "clause:27!mono what-the-operator-must-do=text:translated",
            (one for one in evidence.obligations if one.text not in noted),
            dense=True,
        ),
        references=_references(evidence),
        declarations=engagement.declarations,
        source_review=engagement.source_review,
        deviations=engagement.deviations,
        recommendation=engagement.recommendation,
        operators=bool(evidence.brought.outputs or evidence.brought.system),
    )


def _references(evidence: Evidence) -> tuple[PageTable | None, str]:
    """Returns what the report cites with edition and date: a table of what has clauses, the others in a sentence."""
    told = "\n".join(text for _, text in texts_in(evidence))
    clauses = Counter(clause.standard for clause in evidence.clauses)
    editions = {clause.standard: clause.edition for clause in evidence.clauses}
    cited = [
        one for one in references() if one.short in clauses or not one.catalogue or one.is_cited_in(told)
    ]
    others = tuple(
        # Each part once: of some standards the edition is the short name, or is not known.
        ", ".join(
            text
            for text in dict.fromkeys((one.short, one.title, one.edition, one.published))
            if text != NOT_KNOWN
        )
        for one in cited
        if one.short not in clauses
    )
    return listed(
        tell("scope.normative-references"),
        "standard:18!strong title:42 edition:17 date:12 #clauses-cited:11:grouped",
        (
            (
                one.short,
                one.title,
                translated(editions.get(one.short, "")) or _known(one.edition),
                _known(one.published),
                clauses[one.short],
            )
            for one in sorted(cited, key=lambda one: not one.catalogue)
            if one.short in clauses
        ),
        dense=True,
    ), tell("scope.what-is-cited", cited=others)


def _known(text: str) -> str:
    return tell("scope.not-known") if text == NOT_KNOWN else text


def origin(stated: Rule | StatedRow) -> PageCell:
    """Returns where a value comes from, with the warning that a recovered value need not be the only one."""
    word = tell(f"provenance.{stated.provenance}")
    by = re.sub(r"^[^/\s]+/(?=\d)", "", translated(stated.by)).replace(
        "reading/", f"{tell('scope.reading')} "
    )
    text = said_of(word, by) if by else word
    if stated.provenance is Provenance.RECOVERED:
        text += f" · {tell('scope.unique' if stated.unique else 'scope.not-unique')}"
    return note(text)


def _value(value: str | bool) -> str:
    if isinstance(value, bool):
        return tell("value.yes" if value else "value.no")
    return translated(value)


def rules(evidence: Evidence) -> PageTable | None:
    """Tabulates the rules of play with their provenance."""
    kinds = {rule.provenance for rule in evidence.rules}
    return listed(
        tell("scope.rules-of-play"),
        "rule:50:translated value:14 provenance",
        ((rule.title, _value(rule.value), origin(rule)) for rule in evidence.rules),
        " ".join(tell(f"provenance.{kind}-is") for kind in _PROVENANCES if kind in kinds),
    )

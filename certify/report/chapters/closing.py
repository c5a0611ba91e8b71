"""What changed since an earlier certified pack, and what that does to every figure."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from certify.by_key import gathered
from certify.evidence import NOTHING_STATED, EarlierReport, Evidence, Moved, Since
from certify.messages import tell, terms_of, translated
from certify.report.chapters.front import action_of, issuer as issuer_name, stated
from certify.report.formats import DASH, day, decimal, grouped, instant, money, percent, prose, signed
from certify.report.layout import (
    Annex,
    Fact,
    PageCell,
    PageParts,
    PageTable,
    digest,
    fact,
    judged,
    listed,
    mono,
    severity,
)
from certify.report.words import clauses_named, findings_in_order, said, wager_titles


def findings(evidence: Evidence) -> tuple[PageParts, ...]:
    """Returns the register of findings, the gravest first."""
    return tuple(
        PageParts(
            id=entry.id,
            severity=severity(entry),
            title=prose(said(entry, "title")),
            detail=prose(said(entry, "detail")),
            clauses=clauses_named(evidence, entry.clauses),
            again=entry.reproduce.startswith(evidence.run.command),
            reproduce=entry.reproduce.removeprefix(evidence.run.command).strip(),
            status=tell(f"finding.status.{entry.status}"),
            action=action_of(entry),
            check=entry.check,
        )
        for entry in findings_in_order(evidence)
    )


def files(evidence: Evidence) -> tuple[tuple[str, str], ...]:
    """Returns the data files that belong to the report: name, and what it holds with its size."""
    return tuple(
        (one.name, tell("closing.file-of", holds=translated(one.description), size=grouped(one.bytes_)))
        for one in evidence.files
    )


def glossary() -> tuple[tuple[str, str], ...]:
    """Returns the terms of the report and of the family of the game, by the alphabet of the language."""
    return tuple(sorted(terms_of("glossary"), key=lambda term: term[0].casefold()))


def authorisation(evidence: Evidence) -> tuple[Fact, ...]:
    """Returns the facts next to the signature."""
    report = evidence.report
    issuer, engagement = report.issuer, report.engagement or NOTHING_STATED
    return (
        fact("fact.issuer", issuer_name(report)),
        fact("fact.tested-by", stated(engagement.tested_by)),
        fact("fact.reviewed-by", stated(engagement.reviewed_by)),
        fact("fact.authorised-by", stated(report.authorised_by or "")),
        fact("fact.signature-of", tell("closing.to-be-signed")),
        fact("fact.accreditation", engagement.accreditation or tell("closing.no-accreditation")),
        fact("fact.address", stated(issuer.address)),
        fact("fact.date-of-issue", day(report.issued)),
        fact("fact.form-of-signature", tell("closing.pades-signature")),
        fact("fact.later-changes", tell("closing.none-permitted-docmdp-level-1")),
    )


def revisions(evidence: Evidence) -> PageTable | None:
    """Tabulates this revision of the report, and whether it replaces earlier ones."""
    report = evidence.report
    change = tell(f"closing.{'first-issue' if report.revision == 1 else 'replaces-the-earlier-revisions-of'}")
    row = (report.revision, day(report.issued), change)
    return listed(tell("closing.revision-history"), "#revision:14 issued:26 change", (row,))


_PLACES: Final = 6
_RETURNS: Final = ("return", "return_on_total_wagered", "bracket/lower", "bracket/upper")
_OTHERS: Final = ("hit_frequency", "win_frequency", "variance", "total_wagered", "top_award/probability")
_PLAIN: Final = frozenset({"variance", "total_wagered"})
"""Figures that are no share of one."""


def since(evidence: Evidence, annex: Annex) -> PageParts | None:
    """Returns the chapter; none where the run was not compared with an earlier pack."""
    told = evidence.since
    if not told:
        return None
    return PageParts(
        text=prose(said(told, "text")),
        earlier=_earlier(told.earlier),
        changes=listed(
            tell("since.what-is-stated-otherwise"),
            "what-changed:24 where:26!mono before:25!note now:25!note",
            (
                (
                    tell(f"since.kind-{one.kind}"),
                    one.subject,
                    _stated(one.before, one.kind),
                    _stated(one.after, one.kind),
                )
                for one in told.changes
            ),
            sortable=False,
            dense=True,
        ),
        statuses=listed(
            tell("since.what-was-concluded-otherwise"),
            "of-what:46 before:27 now:27",
            (
                (
                    tell(f"since.status-{one.kind}", **({"of": one.subject} if one.subject else {})),
                    _status(one.before),
                    _status(one.after),
                )
                for one in told.statuses
            ),
            sortable=False,
        ),
        returns=_returns(evidence, told, annex),
        others=_others(evidence, told),
        same=_same(told),
    )


def _earlier(report: EarlierReport) -> tuple[Fact, ...]:
    """Returns what is known of the earlier report, and how far its signature was trusted."""
    trust = "since.signer-trusted" if report.established else "since.signer-not-established"
    if report.demonstration_key:
        trust = "since.signer-demonstration"
    return (
        fact("fact.report-number", mono(report.number)),
        fact("fact.issued", instant(report.issued)),
        fact("fact.version", report.version),
        fact("fact.software", report.software),
        fact("fact.submission-sha-256", digest(report.submission_sha256)),
        fact("fact.evidence-sha-256", digest(report.evidence_sha256)),
        fact("fact.signed-by", tell(trust, signer=report.signer)),
    )


def _stated(value: str | None, kind: str) -> str | None:
    """Returns a value as the submission states it; the titles of checks are this software's own words."""
    return translated(value) if value is not None and kind == "check-changed" else value


def _status(word: str | None) -> PageCell | None:
    return word if word is None else judged(word)


def _figures(told: Since, names: tuple[str, ...]) -> Iterator[tuple[str, str, str, Moved]]:
    """Yields the figures of wagers that moved, by these names: strategy, wager, name and figure."""
    for figure in told.figures:
        at = figure.at
        if at[0] == "analysis" and at[2] == "wagers" and "/".join(at[4:]) in names:
            yield at[1], at[3], "/".join(at[4:]), figure


def _returns(evidence: Evidence, told: Since, annex: Annex) -> PageTable | None:
    """Tabulates the returns that moved, with the exact difference."""
    titles = wager_titles(evidence)
    return listed(
        tell("since.returns-that-moved"),
        "strategy:17:translated wager:18 #before:16 #now:16 #difference:15 exact:18",
        (
            (
                strategy,
                PageCell(titles.get(wager, wager), detail="" if name == "return" else _name(name)),
                *_ends(figure, name),
                figure.difference
                if figure.difference is None
                else annex.cell(
                    figure.difference,
                    tell(
                        "since.difference-of",
                        figure=_name(name),
                        wager=titles.get(wager, wager),
                        strategy=strategy,
                    ),
                    off=figure.off[-1] if figure.off else Fraction(0),
                ),
            )
            for strategy, wager, name, figure in _figures(told, _RETURNS)
        ),
        tell("since.differences-are-in-points"),
    )


def _others(evidence: Evidence, told: Since) -> PageTable | None:
    """Tabulates what else moved of the wagers, and the most that one round can cost."""
    titles, currency = wager_titles(evidence), evidence.exposure.currency
    rows: list[tuple[object, ...]] = [
        (strategy, titles.get(wager, wager), _name(name), *_ends(figure, name))
        for strategy, wager, name, figure in _figures(told, _OTHERS)
    ]
    rows += [
        (PageCell(DASH), name, _name("return"), *_ends(figure, "return"))
        for figure in told.figures
        # A configuration is named by its id and its wager; a wager as submitted has its row by strategy.
        if figure.at[0] == "configurations"
        if (name := figure.at[1].partition(" ")[0]) not in titles
    ]
    rows += [
        (
            PageCell(DASH),
            None,
            _name("exposure"),
            *(end and money(int(end), currency) for end in (figure.before, figure.after, figure.difference)),
        )
        for figure in told.figures
        if figure.at == ("exposure", "amount")
    ]
    remark = tell("since.every-figure-is-in", moved=told.moved, compared=told.compared)
    if any(figure.near is not None for figure in told.figures):
        remark = f"{remark} {tell('since.between')}"
    head = "strategy:17:translated wager:16 figure:22 #before:15 #now:15 #difference:15"
    return listed(tell("since.what-else-moved"), head, rows, remark)


def _name(figure: str) -> str:
    return tell(f"since.figure-{figure.replace('_', '-').replace('/', '-')}")


def _ends(figure: Moved, name: str) -> tuple[str | None, str | None, str | None]:
    """Returns a figure before and now, and the difference in points."""
    about = "≈" if figure.near is not None else ""
    before, after = (
        None if end is None else about + (decimal(end, _PLACES) if name in _PLAIN else percent(end, _PLACES))
        for end in (figure.before, figure.after)
    )
    return before, after, _move(figure, name)


def _move(figure: Moved, name: str) -> str | None:
    """Returns how far a figure moved; what six places would show as nothing is shown with as many as it needs."""
    if figure.difference is None:
        return None
    moved = figure.difference * (1 if name in _PLAIN else 100)
    places = next((more for more in range(_PLACES, 30) if abs(moved) * 10**more >= 1), 30)
    return signed(moved, places)


def _same(told: Since) -> PageTable | None:
    """Tabulates what is the same by its digest in both packs, and what is not."""
    named = gathered(
        (
            (one.of, one.same),
            tell(f"since.basis-{one.name.replace('_', '-')}") if one.of == "basis" else one.name,
        )
        for one in told.digests
    )
    return listed(
        tell("since.by-their-digests"),
        "of-what:20 the-same:40!note otherwise:40!note",
        (
            (
                tell(f"since.digests-{of}"),
                *(", ".join(named.get((of, same), ())) or None for same in (True, False)),
            )
            for of in dict.fromkeys(one.of for one in told.digests)
        ),
        tell("since.digests-are-in"),
        sortable=False,
    )

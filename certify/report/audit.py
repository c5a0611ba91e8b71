"""The report on an audit of played rounds: PDF and HTML twin, both from its numbers alone."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from certify.evidence.played import Audit, ListedRow, Returned
from certify.messages import tell
from certify.report.formats import DASH, grouped, percent, printable_within
from certify.report.layout import (
    PageCell,
    PageParts,
    PageTable,
    digest,
    fact,
    listed,
    verdict,
)
from certify.report.markup import render_markup
from certify.report.pdf import finish, typeset
from certify.seal.layout import AUDIT

TEMPLATE: Final = "audit.html.j2"

_SHOWN: Final = 20
"""Rows of a table; the numbers hold more."""

_LONGEST: Final = 60
"""Characters of what a log holds in a cell."""


def render_audit(found: Audit, numbers: bytes, moment: datetime) -> tuple[bytes, bytes]:
    """Renders an audit as an unsigned PDF with the field of a signature, and as one HTML file.

    Args:
        found: What the audit found.
        numbers: The same in canonical form, to be attached.
        moment: When it will be signed.

    Raises:
        RenderError: The renderer warned, or something that must be printed is missing.
        MissingPartError: A native library is missing; the message names the command that installs it.
    """
    report = audit_report(found)
    markup = render_markup(report, "print", template=TEMPLATE)
    pdf = typeset(markup, {}, finish, [(AUDIT, numbers, moment)])
    return pdf, render_markup(report, "screen", template=TEMPLATE).encode()


def audit_report(found: Audit) -> PageParts:
    """Returns the view model of an audit."""
    again = found.settled_again
    whole = [one for one in found.returns if not one.day]
    daily = [one for one in found.returns if one.day]
    facts = [
        fact("fact.game", found.game),
        fact("fact.submission-sha-256", digest(found.game_sha256)),
        fact("fact.software", found.tool),
        fact("head.rows", grouped(found.rows)),
        fact("fact.family-wise-error", f"{found.alpha:g}"),
    ]
    if again is not None:
        of = {"rounds": grouped(again.rounds), "of": grouped(again.of)}
        facts.append(fact("audit.settled-again", tell("audit.rounds-of", **of)))
    return PageParts(
        title=tell("audit.title", game=found.game),
        verdict=verdict(str(found.verdict)),
        sentence=tell("audit.sentence", rows=grouped(found.rows), tests=grouped(found.tests)),
        reasons=tuple(map(printable_within, found.reasons)),
        demonstration=found.demonstration_key,
        facts=tuple(facts),
        files=listed(
            tell("audit.files"),
            "file!mono sha-256!hash",
            ((printable_within(one.name), one.sha256) for one in found.files),
        ),
        laws=listed(
            tell("audit.law-of-each"),
            "wager!mono #amounts:grouped #exact-return why:40!note",
            (
                (one.of, one.pays, DASH if one.returned is None else percent(one.returned), one.unjudged)
                for one in found.laws
            ),
        ),
        deviations=tuple(_deviations(found)),
        play=listed(
            tell("audit.play"),
            "wager!mono #rounds:grouped #decisions:grouped #errors:grouped #cost:percent-4 #best-play:percent-4 "
            "#return:percent-4 #printed as-most-strategy:20!mono",
            (
                (
                    one.of,
                    one.rounds,
                    one.decisions,
                    one.errors,
                    one.cost,
                    one.best,
                    one.returned,
                    one.printed or DASH,
                    f"{one.closest} ({one.agreeing:,})",
                )
                for one in (again.play if again is not None else ())
            ),
            tell("audit.play-is-of"),
        ),
        told=tuple(tuple(map(printable_within, lines)) for lines in again.told) if again else (),
        tests=listed(
            tell("audit.smallest-p", count=grouped(found.tests)),
            "of!mono rows-that!note test #rows:grouped #seen #expected #p:p #adjusted-p:p",
            (
                (
                    one.of,
                    printable_within(one.part or tell("audit.all-rows"), _LONGEST),
                    one.test,
                    one.rows,
                    f"{one.seen:.6g}",
                    f"{one.expected:.6g}",
                    one.p,
                    one.adjusted,
                )
                for one in found.worst[:_SHOWN]
            ),
            tell("audit.kinds-of-tests"),
        ),
        returns=_returns(whole, tell("audit.returns-of-all-days")),
        days=_returns(sorted(daily, key=lambda one: (-one.rows, one.day)), tell("audit.returns-by-day")),
        not_judged=tuple(map(printable_within, found.not_judged)),
        # The attached numbers, which the signature is over.
        signed=AUDIT,
    )


def _deviations(found: Audit) -> Iterator[PageTable]:
    """Yields a table for each deviation, the worst first."""
    for one in found.deviations:
        printed, remarks = one.worst[:_SHOWN], [tell("audit.smallest-coin")]
        if len(printed) < one.count:
            counts = {"shown": grouped(len(printed)), "count": grouped(one.count)}
            remarks.insert(0, tell("audit.first-printed", **counts))
        made = listed(
            tell("audit.times", count=grouped(one.count), what=printable_within(one.words)),
            "log!note #row:grouped round!note wager!note #stake #win #off why:22!note",
            map(_row, printed),
            " ".join(remarks),
        )
        if made is not None:
            yield made


def _row(one: ListedRow) -> tuple[object, ...]:
    texts = (printable_within(text or "", _LONGEST) for text in (one.log, one.round, one.wager, one.why))
    log, round_, wager, why = texts
    stake, win, off = (None if n is None else grouped(n) for n in (one.stake, one.win, one.off))
    return log, one.row, round_, wager, stake, win, off, why


def _returns(cells: Iterable[Returned], caption: str) -> PageTable | None:
    first = [one for one, _ in zip(cells, range(_SHOWN), strict=False)]
    return listed(
        caption,
        "of!mono rows-that!note #rows:grouped #return:percent-4 #exact-return",
        (
            (
                one.of,
                printable_within(one.part, _LONGEST),
                one.rows,
                one.returned,
                PageCell(DASH if one.expected is None else percent(one.expected, 4), "number"),
            )
            for one in first
        ),
    )

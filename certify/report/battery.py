"""The battery's own chapter, for output that was handed in without a game: PDF and HTML twin."""

from collections.abc import Sequence
from datetime import datetime

from certify.evidence import PieceResiduals, TestedSample, TestLeftOut, TestOfSample
from certify.messages import tell
from certify.report import figures
from certify.report.figures.played import histogram
from certify.report.formats import grouped, printable
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
    verdict,
)
from certify.report.markup import render_markup
from certify.report.pdf import drawings_of, finish, finish_unsigned, typeset
from certify.seal.tested import NUMBERS

TEMPLATE = "battery.html.j2"
# Fewer p-values than this make no histogram worth looking at.
_ENOUGH = 20
# GLI-19 v3.0, 3.4.2 asks for this many outcomes, or for a statement that there were fewer.
_OUTCOMES = 10_000


def render_battery(
    made: TestedSample, numbers: bytes | None = None, moment: datetime | None = None
) -> tuple[bytes, bytes]:
    """Renders what `certify rng test` found as PDF and as one HTML file.

    Args:
        made: What `certify rng test` found.
        numbers: The same as its JSON is written, to be attached to a PDF that will be signed.
        moment: When it will be signed.

    Returns:
        The PDF (PDF/A-3a, PDF/UA-1, undated, or with the field of a signature) and its HTML twin, the same bytes
        for the same.

    Raises:
        RenderError: The renderer warned, or something that must be printed is missing.
        MissingPartError: A native library is missing; the message names the command that installs it.
    """
    report = battery_report(made)
    finisher, attached = finish_unsigned, []
    if numbers is not None and moment is not None:
        report.signed = NUMBERS
        finisher, attached = finish, [(NUMBERS, numbers, moment)]
    markup = render_markup(report, "print", template=TEMPLATE)
    pdf = typeset(markup, drawings_of(report), finisher, attached)
    return pdf, render_markup(report, "screen", template=TEMPLATE).encode()


def battery_report(made: TestedSample) -> PageParts:
    """Returns the view model of one tested sample."""
    values = [(test.test, test.uniform) for test in made.run if not test.discrete]
    every = [p for _, p_values in values for p in p_values]
    drawn = [histogram(every)] if len(every) >= _ENOUGH else []
    many = [(name, list(p_values)) for name, p_values in values if len(p_values) >= _ENOUGH]
    if many:
        drawn.append(figures.quantiles(many, made.alpha))
    # Bounds stand at one where nothing is wrong: they would lift the curve of a good sample out of the band.
    if len(every) >= _ENOUGH:
        drawn.append(figures.ordered_p_values(every, made.alpha))
    tables, fresh = made.residuals or (), made.fresh
    return PageParts(
        title=tell("battery.randomness-of-submitted", kind=made.input.kind),
        source=printable(made.input.source),
        verdict=verdict(made.verdict),
        rule=made.rule,
        reasons=tuple(printable(reason) for reason in made.reasons),
        limits=_limits(made.input.count, made.input.kind),
        facts=_facts(made),
        tests=_tests(made.run, tell("randomness.tests-of-randomness")),
        not_run=listed(
            tell("battery.tests-that-were-not-run"),
            "suite!mono test reason!note verdict!judged",
            made.left_out,
        ),
        fresh=_tests(fresh.tests, tell("battery.the-fresh-sample-which-decides")) if fresh else None,
        power=listed(
            tell("randomness.what-each-test-assumes-and"),
            "test:24 null-distribution:36!note smallest-effect-this-amount-of!note",
            ((test.test, test.null, test.detectable or None) for test in made.run),
        ),
        figures=tuple(drawn),
        maps=tuple(_map(place, table) for place, table in enumerate(tables, 1)),
        # The largest residuals of each table, with the size that chance alone reaches.
        largest=listed(
            tell("heat.largest"),
            "piece!mono where outcome #observed:grouped #expected:statistic-1 #residual:statistic-2 "
            "#by-chance:statistic-2",
            (
                (
                    printable(table.piece),
                    tell(
                        "heat.at-place" if table.axis == "place" else "heat.in-block",
                        number=str(cell.row + 1),
                        of=str(len(table.rows)),
                    ),
                    printable(table.columns[cell.column]),
                    cell.observed,
                    cell.expected,
                    cell.residual,
                    table.due,
                )
                for table in tables
                for cell in table.largest
            ),
            tell("heat.largest-foot"),
        ),
        signed="",
    )


def _map(place: int, table: PieceResiduals) -> Figure:
    rows, names = ([printable(name) for name in names] for names in (table.rows, table.columns))
    return figures.heat(f"map-{place}", table.axis, rows, names, table.residuals)


_MOST_PRINTED = 400
"""Characters of one piece of equipment: its names are whatever somebody wrote."""


def _limits(count: int, kind: str) -> tuple[str, ...]:
    """Returns what the amount of data does not allow to say (GLI-19 v3.0, 3.4.2)."""
    few = (
        [
            tell(
                "battery.only-were-tested-fewer-than",
                count=grouped(count),
                kind=kind,
                outcomes=grouped(_OUTCOMES),
            )
        ]
        if count < _OUTCOMES
        else []
    )
    always = tell("battery.that-no-test-rejects-does")
    return (*few, always)


def _facts(made: TestedSample) -> tuple[Fact, ...]:
    given = made.input
    facts = [
        fact("fact.file", mono(printable(given.source))),
        Fact("SHA-256", digest(given.sha256)),
        Fact(tell("fact.amount", kind=given.kind), PageCell(grouped(given.count))),
    ]
    if given.range_ is not None:
        facts.append(fact("fact.range", tell("battery.below", range=grouped(given.range_))))
    facts += [fact("fact.drawn-from", printable(piece)[:_MOST_PRINTED]) for piece in given.equipment or ()]
    if given.streams is not None and given.length is not None:
        amounts = {"streams": grouped(given.streams), "length": grouped(given.length)}
        facts.append(fact("fact.sequences", tell("battery.of-bits", **amounts)))
        left = given.count - given.streams * given.length
        if given.kind == "bits" and left:
            facts.append(fact("fact.bits-in-no-sequence", grouped(left)))
    facts += [
        fact("fact.p-values-decided-together", grouped(made.family_size)),
        Fact(tell("fact.verdict-at", percent=f"{100 * made.alpha:g}"), PageCell(verdict(made.verdict).label)),
        Fact(
            tell("fact.verdict-at", percent=f"{100 * made.second_alpha:g}"),
            PageCell(verdict(made.second_verdict).label),
        ),
    ]
    if made.plan_sha256 is not None:
        facts.append(fact("fact.plan-fixed-beforehand-sha-256", digest(made.plan_sha256)))
    return tuple(facts)


def _tests(tests: Sequence[TestOfSample | TestLeftOut], caption: str) -> PageTable | None:
    return listed(
        caption,
        "suite=of.suite!mono test=of.test #n=of.sample_size?:grouped #statistic=of.statistic?:statistic-3 "
        "#df=of.degrees_of_freedom?:grouped #p-values=of.p_values:len #smallest=least:p #threshold=of.threshold?:p "
        "#adjusted=of.adjusted_p?:p verdict=of.verdict!judged",
        (
            {"of": test, "least": min(test.deciding) if isinstance(test, TestOfSample) else None}
            for test in tests
        ),
        tell("battery.p-values-are-those-on"),
    )

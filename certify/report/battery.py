"""The battery's own chapter, for output that was handed in without a game: PDF and HTML twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from certify.messages import statements, tell
from certify.report import figures
from certify.report.figures.histograms import histogram, histograms
from certify.report.finish import finish, finish_unsigned
from certify.report.formats import grouped, p_value, statistic
from certify.report.layout import (
    Fact,
    Figure,
    PageCell,
    PageTable,
    VerdictMark,
    columns,
    digest,
    judged,
    mono,
    note,
    number,
    verdict,
)
from certify.report.markup import render_markup
from certify.report.node import Node
from certify.report.pdf import drawings_of, typeset

TEMPLATE = "battery.html.j2"
NUMBERS = "battery.json"
# Fewer p-values than this make no histogram worth looking at.
_ENOUGH = 20
# GLI-19 v3.0, 3.4.2 asks for this many outcomes, or for a statement that there were fewer.
_OUTCOMES = 10_000


@dataclass(frozen=True, slots=True)
class BatteryReport:
    """Everything that the template prints; ``signed`` names the attached numbers of a report that will be signed."""

    title: str
    source: str
    verdict: VerdictMark
    rule: str
    reasons: tuple[str, ...]
    limits: tuple[str, ...]
    facts: tuple[Fact, ...]
    tests: PageTable
    not_run: PageTable | None
    fresh: PageTable | None
    others: PageTable | None
    power: PageTable | None
    figures: tuple[Figure, ...]
    maps: tuple[Figure, ...]
    largest: PageTable | None
    signed: str = ""


def render_battery(
    document: Mapping[str, object], numbers: bytes | None = None, moment: datetime | None = None
) -> tuple[bytes, bytes]:
    """Renders what `certify rng test` found as PDF and as one HTML file.

    Args:
        document: The JSON object of `certify rng test`.
        numbers: The same as it is written, to be attached to a PDF that will be signed.
        moment: When it will be signed.

    Returns:
        The PDF (PDF/A-3a, PDF/UA-1, undated, or with the field of a signature) and its HTML twin, the same bytes
        for the same document.

    Raises:
        RenderError: The renderer warned, or something that must be printed is missing.
        MissingPartError: A native library is missing; the message names the command that installs it.
    """
    report = battery_report(Node(dict(document)))
    finisher, attached = finish_unsigned, []
    if numbers is not None and moment is not None:
        report = replace(report, signed=NUMBERS)
        finisher, attached = finish, [(NUMBERS, numbers, moment)]
    markup = render_markup(report, "print", template=TEMPLATE)
    pdf = typeset(markup, drawings_of(report), finisher, attached)
    return pdf, render_markup(report, "screen", template=TEMPLATE).encode()


def battery_report(node: Node) -> BatteryReport:
    """Returns the view model of one tested sample."""
    run = [test for test in node.each("tests") if test.each("p_values")]
    values = [(test.text("test"), _uniform(test)) for test in run if not test.flag("discrete")]
    every = [p for _, p_values in values for p in p_values]
    drawn = [histogram(every)] if len(every) >= _ENOUGH else []
    many = [(name, p_values) for name, p_values in values if len(p_values) >= _ENOUGH]
    if many:
        drawn.append(histograms(many))
    decided = [p for test in run for p in _values(test)]
    if len(decided) >= _ENOUGH:
        drawn.append(figures.ordered_p_values(decided, node.number("alpha")))
    tables = node.each("residuals") if node.has("residuals") else ()
    fresh = node.at("fresh") if node.has("fresh") else None
    return BatteryReport(
        title=tell("battery.randomness-of-submitted", kind=node.at("input").text("kind")),
        source=_printable(node.at("input").text("source")),
        verdict=verdict(node.text("verdict")),
        rule=node.text("rule"),
        reasons=tuple(_printable(reason.plain()) for reason in node.each("reasons")),
        limits=_limits(node),
        facts=_facts(node),
        tests=_tests(run, tell("randomness.tests-of-randomness")),
        not_run=_not_run(node),
        fresh=_tests(list(fresh.each("tests")), tell("battery.the-fresh-sample-which-decides"))
        if fresh
        else None,
        others=_others(node),
        power=_power(run),
        figures=tuple(drawn),
        maps=tuple(_map(place, table) for place, table in enumerate(tables, 1)),
        largest=_largest(tables),
    )


def _map(place: int, table: Node) -> Figure:
    values = [[float(str(value.plain())) for value in row.each()] for row in table.each("residuals")]
    rows, names = ([_printable(str(name.plain())) for name in table.each(key)] for key in ("rows", "columns"))
    return figures.heat(f"map-{place}", table.text("axis"), rows, names, values)


def _largest(tables: Sequence[Node]) -> PageTable | None:
    """Returns the largest residuals of each table, with the size that chance alone reaches."""
    rows = tuple(
        (
            mono(_printable(table.text("piece"))),
            PageCell(
                tell(
                    "heat.at-place" if table.text("axis") == "place" else "heat.in-block",
                    number=str(cell.integer("row") + 1),
                    of=str(len(table.each("rows"))),
                )
            ),
            PageCell(_printable(str(table.each("columns")[cell.integer("column")].plain()))),
            number(grouped(cell.integer("observed"))),
            number(statistic(cell.number("expected"), 1)),
            number(statistic(cell.number("residual"), 2)),
            number(statistic(table.number("due"), 2)),
        )
        for table in tables
        for cell in table.each("largest")
    )
    head = columns("piece", "where", "outcome", "#observed", "#expected", "#residual", "#by-chance")
    return PageTable(tell("heat.largest"), head, rows, tell("heat.largest-foot")) if rows else None


def _values(test: Node) -> list[float]:
    """Returns the p-values that decide: those said to, else those with exact constants, where both are given."""
    return _first_of(test, ("p_values_deciding", "p_values_exact", "p_values"))


def _uniform(test: Node) -> list[float]:
    """Returns the p-values as published, with exact constants: those that sound randomness spreads evenly."""
    return _first_of(test, ("p_values_exact", "p_values"))


def _first_of(test: Node, keys: tuple[str, ...]) -> list[float]:
    key = next(key for key in keys if test.has(key))
    return [float(value.plain()) for value in test.each(key)]


_MOST_PRINTED = 400
"""Characters of one piece of equipment: its names are whatever somebody wrote."""


def _printable(text: str) -> str:
    """Returns text in ASCII: a file may be named with characters that the bundled faces lack."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _limits(node: Node) -> tuple[str, ...]:
    """Returns what the amount of data does not allow to say (GLI-19 v3.0, 3.4.2)."""
    count, kind = node.at("input").integer("count"), node.at("input").text("kind")
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


def _facts(node: Node) -> tuple[Fact, ...]:
    given = node.at("input")
    facts = [
        Fact(tell("fact.file"), mono(_printable(given.text("source")))),
        Fact("SHA-256", digest(given.text("sha256"))),
        Fact(tell("fact.amount", kind=given.text("kind")), PageCell(grouped(given.integer("count")))),
    ]
    if given.has("range"):
        facts.append(
            Fact(tell("fact.range"), PageCell(tell("battery.below", range=grouped(given.integer("range")))))
        )
    if given.has("equipment"):
        facts += [
            Fact(tell("fact.drawn-from"), PageCell(_printable(piece.plain())[:_MOST_PRINTED]))
            for piece in given.each("equipment")
        ]
    if given.has("streams"):
        streams, length = given.integer("streams"), given.integer("length")
        facts.append(
            Fact(
                tell("fact.sequences"),
                PageCell(tell("battery.of-bits", streams=grouped(streams), length=grouped(length))),
            )
        )
        left = given.integer("count") - streams * length
        if given.text("kind") == "bits" and left:
            facts.append(Fact(tell("fact.bits-in-no-sequence"), PageCell(grouped(left))))
    first, second = node.number("alpha"), node.number("second_alpha")
    facts += [
        Fact(tell("fact.p-values-decided-together"), PageCell(grouped(node.integer("family_size")))),
        Fact(
            tell("fact.verdict-at", percent=f"{100 * first:g}"), PageCell(verdict(node.text("verdict")).label)
        ),
        Fact(
            tell("fact.verdict-at", percent=f"{100 * second:g}"),
            PageCell(verdict(node.text("second_verdict")).label),
        ),
    ]
    if node.has("plan_sha256"):
        facts.append(Fact(tell("fact.plan-fixed-beforehand-sha-256"), digest(node.text("plan_sha256"))))
    return tuple(facts)


def _tests(tests: list[Node], caption: str) -> PageTable:
    rows = tuple(
        (
            mono(test.text("suite")),
            PageCell(test.text("test")),
            number(grouped(test.integer("sample_size")) if test.has("sample_size") else "–"),
            number(_statistic(test)),
            number(_freedom(test)),
            number(grouped(len(test.each("p_values")))),
            number(p_value(min(_values(test))) if test.each("p_values") else "–"),
            number(p_value(test.number("threshold")) if test.has("threshold") else "–"),
            number(p_value(test.number("adjusted_p")) if test.has("adjusted_p") else "–"),
            judged(test.text("verdict")),
        )
        for test in tests
    )
    head = columns(
        "suite",
        "test",
        "#n",
        "#statistic",
        "#df",
        "#p-values",
        "#smallest",
        "#threshold",
        "#adjusted",
        "verdict",
    )
    return PageTable(
        caption,
        head,
        rows,
        tell("battery.p-values-are-those-on"),
    )


def _statistic(test: Node) -> str:
    value = test.at("statistic").value
    return statistic(float(value), 3) if isinstance(value, int | float) else "–"


def _freedom(test: Node) -> str:
    value = test.at("degrees_of_freedom").value
    return grouped(int(value)) if isinstance(value, int | float) else "–"


def _not_run(node: Node) -> PageTable | None:
    rows = tuple(
        (
            mono(test.text("suite")),
            PageCell(test.text("test")),
            note(test.text("reason")),
            judged(test.text("verdict")),
        )
        for test in node.each("tests")
        if not test.each("p_values")
    )
    return (
        PageTable(
            tell("battery.tests-that-were-not-run"), columns("suite", "test", "reason", "verdict"), rows
        )
        if rows
        else None
    )


def _others(node: Node) -> PageTable | None:
    """Returns what other batteries say, which takes no part in the verdict."""
    rows = tuple(_other(one) for one in node.each("others")) if node.has("others") else ()
    head = columns("battery:16", "ran-as:24", "#counted", "#failed", "#weak", "#set-aside", "remarks", "says")
    foot = tell("battery.other-batteries-on-the-same")
    return PageTable(tell("battery.beside-our-tests-other-batteries"), head, rows, foot) if rows else None


def _other(one: Node) -> tuple[PageCell, ...]:
    version = one.text("version") if one.has("version") else ""
    ran = {
        "run": lambda: " ".join(str(part.plain()) for part in one.each("command")),
        "log": lambda: tell("battery.log-sha-256", log=one.text("log"), sha=one.text("sha256")),
    }.get(one.text("from"), lambda: one.text("from"))()
    failed = (
        [tell("battery.failed", test=test.plain()) for test in one.each("failed")]
        if one.has("failed")
        else []
    )
    remarks = statements((*failed, *(str(remark.plain()) for remark in one.each("notes"))))
    amounts = [number(grouped(one.integer(key)) if one.has(key) else "–") for key in ("counted", "set_aside")]
    lengths = [number(grouped(len(one.each(key))) if one.has(key) else "–") for key in ("failed", "weak")]
    return (
        PageCell(_printable(f"{one.text('program')} {version}".strip())),
        mono(_printable(ran)),
        amounts[0],
        *lengths,
        amounts[1],
        note(_printable(remarks)),
        judged(one.text("verdict")),
    )


def _power(run: list[Node]) -> PageTable | None:
    rows = tuple(
        (PageCell(test.text("test")), note(test.text("null", "–")), note(test.text("detectable", "–") or "–"))
        for test in run
    )
    head = columns("test:24", "null-distribution:36", "smallest-effect-this-amount-of")
    return PageTable(tell("randomness.what-each-test-assumes-and"), head, rows) if rows else None

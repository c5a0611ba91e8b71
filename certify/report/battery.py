"""The battery's own chapter, for output that was handed in without a game: PDF and HTML twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from certify.messages import statements, tell
from certify.report import figures
from certify.report.chapters.randomness import figure
from certify.report.figures.histograms import histogram
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
    fact,
    judged,
    mono,
    note,
    number,
    tabled,
    verdict,
)
from certify.report.markup import render_markup
from certify.report.pdf import drawings_of, typeset
from certify.seal.tested import NUMBERS

TEMPLATE = "battery.html.j2"
# Fewer p-values than this make no histogram worth looking at.
_ENOUGH = 20
# GLI-19 v3.0, 3.4.2 asks for this many outcomes, or for a statement that there were fewer.
_OUTCOMES = 10_000


Document = Mapping[str, Any]
"""The JSON object of ``certify rng test``, or a part of it, as the command writes it."""


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
    document: Document, numbers: bytes | None = None, moment: datetime | None = None
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
    report = battery_report(document)
    finisher, attached = finish_unsigned, []
    if numbers is not None and moment is not None:
        report = replace(report, signed=NUMBERS)
        finisher, attached = finish, [(NUMBERS, numbers, moment)]
    markup = render_markup(report, "print", template=TEMPLATE)
    pdf = typeset(markup, drawings_of(report), finisher, attached)
    return pdf, render_markup(report, "screen", template=TEMPLATE).encode()


def battery_report(node: Document) -> BatteryReport:
    """Returns the view model of one tested sample."""
    run = [test for test in node["tests"] if test["p_values"]]
    values = [(test["test"], _uniform(test)) for test in run if not test["discrete"]]
    every = [p for _, p_values in values for p in p_values]
    drawn = [histogram(every)] if len(every) >= _ENOUGH else []
    many = [(name, p_values) for name, p_values in values if len(p_values) >= _ENOUGH]
    if many:
        drawn.append(figures.quantiles(many, node["alpha"]))
    # Bounds stand at one where nothing is wrong: they would lift the curve of a good sample out of the band.
    if len(every) >= _ENOUGH:
        drawn.append(figures.ordered_p_values(every, node["alpha"]))
    tables = node.get("residuals", ())
    fresh = node.get("fresh")
    return BatteryReport(
        title=tell("battery.randomness-of-submitted", kind=node["input"]["kind"]),
        source=_printable(node["input"]["source"]),
        verdict=verdict(node["verdict"]),
        rule=node["rule"],
        reasons=tuple(_printable(reason) for reason in node["reasons"]),
        limits=_limits(node),
        facts=_facts(node),
        tests=_tests(run, tell("randomness.tests-of-randomness")),
        not_run=_not_run(node),
        fresh=_tests(fresh["tests"], tell("battery.the-fresh-sample-which-decides")) if fresh else None,
        others=_others(node),
        power=_power(run),
        figures=tuple(drawn),
        maps=tuple(_map(place, table) for place, table in enumerate(tables, 1)),
        largest=_largest(tables),
    )


def _map(place: int, table: Document) -> Figure:
    values = table["residuals"]
    rows, names = ([_printable(name) for name in table[key]] for key in ("rows", "columns"))
    return figures.heat(f"map-{place}", table["axis"], rows, names, values)


def _largest(tables: Sequence[Document]) -> PageTable | None:
    """Returns the largest residuals of each table, with the size that chance alone reaches."""
    rows = tuple(
        (
            mono(_printable(table["piece"])),
            PageCell(
                tell(
                    "heat.at-place" if table["axis"] == "place" else "heat.in-block",
                    number=str(cell["row"] + 1),
                    of=str(len(table["rows"])),
                )
            ),
            PageCell(_printable(table["columns"][cell["column"]])),
            number(grouped(cell["observed"])),
            number(statistic(cell["expected"], 1)),
            number(statistic(cell["residual"], 2)),
            number(statistic(table["due"], 2)),
        )
        for table in tables
        for cell in table["largest"]
    )
    head = columns("piece", "where", "outcome", "#observed", "#expected", "#residual", "#by-chance")
    return tabled(tell("heat.largest"), head, rows, tell("heat.largest-foot"))


def _values(test: Document) -> list[float]:
    """Returns the p-values that decide: those said to, else those with exact constants, where both are given."""
    return _first_of(test, ("p_values_deciding", "p_values_exact", "p_values"))


def _uniform(test: Document) -> list[float]:
    """Returns the p-values as published, with exact constants: those that sound randomness spreads evenly."""
    return _first_of(test, ("p_values_exact", "p_values"))


def _first_of(test: Document, keys: tuple[str, ...]) -> list[float]:
    key = next(key for key in keys if key in test)
    return list(test[key])


_MOST_PRINTED = 400
"""Characters of one piece of equipment: its names are whatever somebody wrote."""


def _printable(text: str) -> str:
    """Returns text in ASCII: a file may be named with characters that the bundled faces lack."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _limits(node: Document) -> tuple[str, ...]:
    """Returns what the amount of data does not allow to say (GLI-19 v3.0, 3.4.2)."""
    count, kind = node["input"]["count"], node["input"]["kind"]
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


def _facts(node: Document) -> tuple[Fact, ...]:
    given = node["input"]
    facts = [
        fact("fact.file", mono(_printable(given["source"]))),
        Fact("SHA-256", digest(given["sha256"])),
        Fact(tell("fact.amount", kind=given["kind"]), PageCell(grouped(given["count"]))),
    ]
    if given.get("range") is not None:
        facts.append(fact("fact.range", tell("battery.below", range=grouped(given["range"]))))
    if "equipment" in given:
        facts += [fact("fact.drawn-from", _printable(piece)[:_MOST_PRINTED]) for piece in given["equipment"]]
    if "streams" in given:
        streams, length = given["streams"], given["length"]
        facts.append(
            fact("fact.sequences", tell("battery.of-bits", streams=grouped(streams), length=grouped(length)))
        )
        left = given["count"] - streams * length
        if given["kind"] == "bits" and left:
            facts.append(fact("fact.bits-in-no-sequence", grouped(left)))
    first, second = node["alpha"], node["second_alpha"]
    facts += [
        fact("fact.p-values-decided-together", grouped(node["family_size"])),
        Fact(tell("fact.verdict-at", percent=f"{100 * first:g}"), PageCell(verdict(node["verdict"]).label)),
        Fact(
            tell("fact.verdict-at", percent=f"{100 * second:g}"),
            PageCell(verdict(node["second_verdict"]).label),
        ),
    ]
    if "plan_sha256" in node:
        facts.append(fact("fact.plan-fixed-beforehand-sha-256", digest(node["plan_sha256"])))
    return tuple(facts)


def _tests(tests: Sequence[Document], caption: str) -> PageTable:
    rows = tuple(
        (
            mono(test["suite"]),
            PageCell(test["test"]),
            number(figure(test.get("sample_size"))),
            number(figure(test.get("statistic"), 3)),
            number(figure(test.get("degrees_of_freedom"))),
            number(grouped(len(test["p_values"]))),
            number(p_value(min(_values(test))) if test["p_values"] else "–"),
            number(p_value(test["threshold"]) if "threshold" in test else "–"),
            number(p_value(test["adjusted_p"]) if "adjusted_p" in test else "–"),
            judged(test["verdict"]),
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


def _not_run(node: Document) -> PageTable | None:
    rows = tuple(
        (
            mono(test["suite"]),
            PageCell(test["test"]),
            note(test["reason"]),
            judged(test["verdict"]),
        )
        for test in node["tests"]
        if not test["p_values"]
    )
    return tabled(
        tell("battery.tests-that-were-not-run"), columns("suite", "test", "reason", "verdict"), rows
    )


def _others(node: Document) -> PageTable | None:
    """Returns what other batteries say, which takes no part in the verdict."""
    rows = tuple(map(_other, node.get("others", ())))
    head = columns("battery:16", "ran-as:24", "#counted", "#failed", "#weak", "#set-aside", "remarks", "says")
    foot = tell("battery.other-batteries-on-the-same")
    return tabled(tell("battery.beside-our-tests-other-batteries"), head, rows, foot)


def _other(one: Document) -> tuple[PageCell, ...]:
    version = one.get("version") or ""
    ran = {
        "run": lambda: " ".join(one["command"]),
        "log": lambda: tell("battery.log-sha-256", log=one["log"], sha=one["sha256"]),
    }.get(one["from"], lambda: one["from"])()
    failed = [tell("battery.failed", test=test) for test in one.get("failed", ())]
    remarks = statements((*failed, *one["notes"]))
    amounts = [number(grouped(one[key]) if key in one else "–") for key in ("counted", "set_aside")]
    lengths = [number(grouped(len(one[key])) if key in one else "–") for key in ("failed", "weak")]
    return (
        PageCell(_printable(f"{one['program']} {version}".strip())),
        mono(_printable(ran)),
        amounts[0],
        *lengths,
        amounts[1],
        note(_printable(remarks)),
        judged(one["verdict"]),
    )


def _power(run: Sequence[Document]) -> PageTable | None:
    rows = tuple(
        (PageCell(test["test"]), note(test.get("null", "–")), note(test.get("detectable", "–") or "–"))
        for test in run
    )
    head = columns("test:24", "null-distribution:36", "smallest-effect-this-amount-of")
    return tabled(tell("randomness.what-each-test-assumes-and"), head, rows)

"""The random number generator: construction, known answers, bias, purposes."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.formats import fraction, grouped, tiny
from certify.report.layout import Cell, Fact, Table, columns, judged, mono, note, number
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class Generator:
    """What the cards come from."""

    facts: tuple[Fact, ...]
    needed_bits: str
    state_bits: str
    known_answers: Table | None
    bias_summary: Table | None
    bias: Table | None
    orders: Table | None
    purposes: Table | None
    byte_rule: str


def generator(evidence: Node) -> Generator | None:
    """Returns the chapter, or nothing where no generator was examined."""
    rng = evidence.at("rng")
    if not rng:
        return None
    facts = (
        Fact("Algorithm", Cell(rng.text("algorithm"))),
        Fact("Standard", Cell(rng.text("standard"))),
        Fact("Security strength", Cell(f"{rng.text('security_strength')} bits")),
        Fact(
            "Internal state",
            Cell(
                f"{rng.text('state_bits')} bits; what a round can be dealt needs {rng.text('needed_bits')} bits"
            ),
        ),
        Fact("Seeding", Cell(rng.sentence("seeding", "not stated"))),
        Fact("Reseeding", Cell(rng.sentence("reseeding", "not stated"))),
    )
    return Generator(
        facts,
        rng.text("needed_bits"),
        rng.text("state_bits"),
        _known_answers(rng),
        _bias_summary(rng),
        _bias(rng),
        _orders(rng),
        _purposes(rng),
        rng.sentence("byte_rule", ""),
    )


def _known_answers(rng: Node) -> Table | None:
    rows = tuple(
        (
            Cell(answer.text("file"), "mono", detail=answer.text("sha256")),
            number(f"{grouped(answer.integer('passed'))} of {grouped(answer.integer('tests'))}"),
            judged(
                "satisfied" if answer.integer("passed") == answer.integer("tests") > 0 else "not satisfied"
            ),
        )
        for answer in rng.each("known_answers")
    )
    head = columns("Vector file, and its SHA-256:63", "#Reproduced:18", "Verdict:19")
    return Table("Published known answers", head, rows, dense=True) if rows else None


_METHODS = (
    ("ours", "This generator: multiply and reject"),
    ("modulo_16", "Remainder of a 16-bit word"),
    ("modulo_32", "Remainder of a 32-bit word"),
)


def _bias_summary(rng: Node) -> Table | None:
    """Tabulates the greatest bias of each way to scale, and against what is allowed."""
    entries = rng.each("bias")
    if not entries:
        return None
    limit = rng.at("bias_limit")
    allowed = fraction(limit.text("value")) if limit else None
    rows = []
    for key, name in _METHODS:
        found = [(fraction(entry.text(key, "0")), entry.text("n")) for entry in entries]
        worst, at = max(found, key=lambda pair: pair[0])
        above = sum(bias > allowed for bias, _ in found) if allowed is not None else 0
        rows.append(
            (
                Cell(name, "strong" if key == "ours" else "text"),
                mono(str(worst)),
                number(tiny(worst)),
                number(at if worst else "–"),
                number(f"{sum(bias > 0 for bias, _ in found)} of {len(found)}"),
                number(f"{above} of {len(found)}" if allowed is not None else "–"),
            )
        )
    head = columns(
        "Numbers below n from", "Greatest bias", "#About", "#At n", "#Ranges biased", "#Above what is allowed"
    )
    return Table(
        "Exact bias of scaling, over every range", head, tuple(rows), _allowed(limit), sortable=False
    )


def _allowed(limit: Node) -> str:
    """Says what is allowed, by whom, and how sure the reference is."""
    said = "Bias: the greatest difference between the probability of a value and 1/n, as an exact fraction."
    if not limit:
        return said
    allowed = fraction(limit.text("value"))
    sure = "" if limit.text("certainty") == "V" else " (secondary reference, for comparison only)"
    return f"{said} {limit.text('source')} allows 1 in {grouped(int(1 / allowed))}{sure}."


def _bias(rng: Node) -> Table | None:
    """Tabulates what a remainder would cost at every range, in two groups side by side."""
    entries = rng.each("bias")
    if not entries:
        return None
    half = -(-len(entries) // 2)
    blank = (Cell(""),) * 5
    rows = tuple(
        (
            *_bias_cells(entries[place]),
            *(_bias_cells(entries[half + place]) if half + place < len(entries) else blank),
        )
        for place in range(half)
    )
    group = ("#n:4", "#16 bits:14", "#about:9", "#32 bits:15", "#about:8")
    return Table(
        "What a plain remainder would cost: exact bias, range by range",
        columns(*group, *group),
        rows,
        sortable=False,
        dense=True,
    )


def _bias_cells(entry: Node) -> tuple[Cell, ...]:
    cells = [number(entry.text("n"))]
    for key in ("modulo_16", "modulo_32"):
        value = fraction(entry.text(key, "0"))
        cells += [number(str(value)), number(tiny(value))]
    return tuple(cells)


def _orders(rng: Node) -> Table | None:
    rows = tuple(
        (
            number(entry.text("cards")),
            number(grouped(entry.integer("draws"))),
            judged("satisfied" if entry.flag("equal") else "not satisfied"),
        )
        for entry in rng.each("orders")
    )
    head = columns("#Cards:30", "#Equally likely draws, all counted:44", "Every order equally often:26")
    caption = "The shuffle on small decks, counted exhaustively"
    return Table(caption, head, rows, dense=True) if rows else None


def _purposes(rng: Node) -> Table | None:
    rows = tuple(
        (
            mono(entry.text("purpose")),
            Cell(entry.text("description").replace("`", "")),
            note(entry.text("where", "")),
        )
        for entry in rng.each("purposes")
    )
    return (
        Table("Every use of random numbers", columns("Purpose:24", "What for:56", "Where"), rows)
        if rows
        else None
    )

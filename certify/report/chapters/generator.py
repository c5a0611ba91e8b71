"""The random number generator: construction, known answers, bias, purposes."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.formats import fraction, grouped
from certify.report.layout import Cell, Fact, Table, columns, digest, judged, mono, note, number
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class Generator:
    """What the cards come from."""

    facts: tuple[Fact, ...]
    needed_bits: str
    state_bits: str
    known_answers: Table | None
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
                f"{rng.text('state_bits')} bits; every order of the deck needs {rng.text('needed_bits')} bits"
            ),
        ),
        Fact("Seeding", Cell(rng.text("seeding", "not stated"))),
        Fact("Reseeding", Cell(rng.text("reseeding", "not stated"))),
    )
    return Generator(
        facts,
        rng.text("needed_bits"),
        rng.text("state_bits"),
        _known_answers(rng),
        _bias(rng),
        _orders(rng),
        _purposes(rng),
        rng.text("byte_rule", ""),
    )


def _known_answers(rng: Node) -> Table | None:
    rows = tuple(
        (
            mono(answer.text("file")),
            number(f"{grouped(answer.integer('passed'))} of {grouped(answer.integer('tests'))}"),
            digest(answer.text("sha256")),
            judged(
                "satisfied" if answer.integer("passed") == answer.integer("tests") > 0 else "not satisfied"
            ),
        )
        for answer in rng.each("known_answers")
    )
    head = columns("Vector file", "#Reproduced", "SHA-256", "Verdict")
    return Table("Published known answers", head, rows) if rows else None


def _bias(rng: Node) -> Table | None:
    """Tabulates the bias of every range, in two blocks side by side."""
    entries = rng.each("bias")
    if not entries:
        return None
    half = -(-len(entries) // 2)
    rows = []
    for place in range(half):
        right = _bias_cells(entries[half + place]) if half + place < len(entries) else (Cell(""),) * 4
        rows.append((*_bias_cells(entries[place]), *right))
    remark = (
        "Largest deviation of any value's probability from 1/n, as an exact fraction. Rejection sampling has "
        "none; beside it, what a plain remainder of a 16-bit or 32-bit word would have."
    )
    head = columns("#n", "#Ours", "#16 bits", "#32 bits", "#n", "#Ours", "#16 bits", "#32 bits")
    return Table("Exact bias of the numbers below n", head, tuple(rows), remark, sortable=False)


def _bias_cells(entry: Node) -> tuple[Cell, ...]:
    found = [entry.text(key, "0") for key in ("ours", "modulo_16", "modulo_32")]
    for text in found:
        fraction(text)
    return number(entry.text("n")), *(number(text) for text in found)


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
    return Table("The shuffle on small decks, counted exhaustively", head, rows) if rows else None


def _purposes(rng: Node) -> Table | None:
    rows = tuple(
        (mono(entry.text("purpose")), Cell(entry.text("description")), note(entry.text("where", "")))
        for entry in rng.each("purposes")
    )
    return (
        Table("Every use of random numbers", columns("Purpose", "What for", "Where"), rows) if rows else None
    )

"""The random number generator: construction, known answers, bias, purposes."""

from __future__ import annotations

from dataclasses import dataclass

from certify.messages import tell
from certify.report.formats import fraction, grouped, tiny
from certify.report.layout import Fact, PageCell, PageTable, columns, judged, mono, note, number
from certify.report.node import Node
from certify.report.order import file_of

_BIAS = "data/bias.csv"


@dataclass(frozen=True, slots=True)
class GeneratorView:
    """What the cards come from."""

    facts: tuple[Fact, ...]
    needed_bits: str
    state_bits: str
    known_answers: PageTable | None
    bias_summary: PageTable | None
    bias: PageTable | None
    orders: PageTable | None
    purposes: PageTable | None
    byte_rule: str
    bias_file: str


def generator(evidence: Node) -> GeneratorView | None:
    """Returns the chapter, or nothing where no generator was examined."""
    rng = evidence.at("rng")
    if not rng:
        return None
    facts = (
        Fact(tell("fact.algorithm"), PageCell(rng.sentence("algorithm"))),
        Fact(tell("fact.standard"), PageCell(rng.sentence("standard"))),
        Fact(
            tell("fact.security-strength"),
            PageCell(tell("generator.bits", bits=rng.text("security_strength"))),
        ),
        Fact(
            tell("fact.internal-state"),
            PageCell(
                tell(
                    "generator.bits-every-order-of-the",
                    state_bits=rng.text("state_bits"),
                    needed_bits=rng.text("needed_bits"),
                )
            ),
        ),
        Fact(tell("fact.seeding"), PageCell(rng.sentence("seeding", tell("front.not-stated")))),
        Fact(tell("fact.reseeding"), PageCell(rng.sentence("reseeding", tell("front.not-stated")))),
    )
    return GeneratorView(
        facts,
        rng.text("needed_bits"),
        rng.text("state_bits"),
        _known_answers(rng),
        _bias_summary(rng),
        None if file_of(evidence, _BIAS) else _bias(rng),
        _orders(rng),
        _purposes(rng),
        rng.sentence("byte_rule", ""),
        file_of(evidence, _BIAS),
    )


def _known_answers(rng: Node) -> PageTable | None:
    rows = tuple(
        (
            PageCell(answer.text("file"), "mono", detail=answer.text("sha256")),
            number(
                tell(
                    "number.of",
                    part=grouped(answer.integer("passed")),
                    whole=grouped(answer.integer("tests")),
                )
            ),
            judged(
                "shown on the reference"
                if answer.integer("passed") == answer.integer("tests") > 0
                else "not satisfied"
            ),
        )
        for answer in rng.each("known_answers")
    )
    head = columns("vector-file-and-its-sha:63", "#reproduced:18", "verdict:19")
    return PageTable(tell("generator.published-known-answers"), head, rows, dense=True) if rows else None


_METHODS = ("ours", "modulo_16", "modulo_32")


def _bias_summary(rng: Node) -> PageTable | None:
    """Tabulates the greatest bias of each way to scale, and against what is allowed."""
    entries = rng.each("bias")
    if not entries:
        return None
    limit = rng.at("bias_limit")
    allowed = fraction(limit.text("value")) if limit else None
    rows = []
    for key in _METHODS:
        found = [(fraction(entry.text(key, "0")), entry.text("n")) for entry in entries]
        worst, at = max(found, key=lambda pair: pair[0])
        above = sum(bias > allowed for bias, _ in found) if allowed is not None else 0
        rows.append(
            (
                PageCell(tell(f"scaling.{key}"), "strong" if key == "ours" else "text"),
                mono(str(worst)),
                number(tiny(worst)),
                number(at if worst else "–"),
                number(tell("number.of", part=sum(bias > 0 for bias, _ in found), whole=len(found))),
                number(tell("number.of", part=above, whole=len(found)) if allowed is not None else "–"),
            )
        )
    head = columns(
        "numbers-below-n-from", "greatest-bias", "#about", "#at-n", "#ranges-biased", "#above-what-is-allowed"
    )
    return PageTable(
        tell("generator.exact-bias-of-scaling-over"), head, tuple(rows), _allowed(limit), sortable=False
    )


def _allowed(limit: Node) -> str:
    """Says what is allowed, by whom, and how sure the reference is."""
    said = tell("generator.bias-the-greatest-difference-between")
    if not limit:
        return said
    odds, source = grouped(int(1 / fraction(limit.text("value")))), limit.text("source")
    if limit.text("certainty") == "V":
        return tell("generator.allows-1-in", said=said, source=source, odds=odds)
    return tell("generator.allows-1-in-secondary-reference", said=said, source=source, odds=odds)


_GROUP = ("#n:4", "#bits-16:14", "#about-so-much:9", "#bits-32:15", "#about-so-much:8")


def _bias(rng: Node) -> PageTable | None:
    """Tabulates what a remainder would cost at every range, in two groups side by side."""
    entries = rng.each("bias")
    if not entries:
        return None
    half = -(-len(entries) // 2)
    blank = (PageCell(""),) * 5
    rows = tuple(
        (
            *_bias_cells(entries[place]),
            *(_bias_cells(entries[half + place]) if half + place < len(entries) else blank),
        )
        for place in range(half)
    )
    return PageTable(
        tell("generator.what-a-plain-remainder-would"),
        columns(*_GROUP, *_GROUP),
        rows,
        sortable=False,
        dense=True,
    )


def _bias_cells(entry: Node) -> tuple[PageCell, ...]:
    cells = [number(entry.text("n"))]
    for key in ("modulo_16", "modulo_32"):
        value = fraction(entry.text(key, "0"))
        cells += [number(str(value)), number(tiny(value))]
    return tuple(cells)


def _orders(rng: Node) -> PageTable | None:
    rows = tuple(
        (
            number(entry.text("cards")),
            number(grouped(entry.integer("draws"))),
            judged("shown on the reference" if entry.flag("equal") else "not satisfied"),
        )
        for entry in rng.each("orders")
    )
    head = columns("#cards:30", "#equally-likely-draws-all-counted:44", "every-order-equally-often:26")
    caption = tell("generator.the-shuffle-on-small-decks")
    return PageTable(caption, head, rows, dense=True) if rows else None


def _purposes(rng: Node) -> PageTable | None:
    rows = tuple(
        (
            mono(entry.text("purpose")),
            PageCell(entry.sentence("description").replace("`", "")),
            note(entry.sentence("where", "")),
        )
        for entry in rng.each("purposes")
    )
    return (
        PageTable(
            tell("generator.every-use-of-random-numbers"), columns("purpose:24", "what-for:56", "where"), rows
        )
        if rows
        else None
    )

"""The random number generator: construction, known answers, bias, purposes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.document import Evidence
from certify.evidence.generator import Bias, BiasLimit, StatedGenerator
from certify.messages import tell, translated
from certify.model.clause import Certainty
from certify.report.formats import grouped, tiny
from certify.report.layout import Fact, PageCell, PageTable, columns, fact, judged, mono, note, number, tabled
from certify.report.order import file_of
from certify.report.words import said

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


def generator(evidence: Evidence) -> GeneratorView:
    """Returns the chapter."""
    rng = evidence.rng
    facts = (
        fact("fact.algorithm", translated(rng.algorithm)),
        fact("fact.standard", translated(rng.standard)),
        fact("fact.security-strength", tell("generator.bits", bits=str(rng.security_strength))),
        fact(
            "fact.internal-state",
            tell(
                "generator.bits-every-order-of-the",
                state_bits=str(rng.state_bits),
                needed_bits=rng.needed_bits,
            ),
        ),
        fact("fact.seeding", said(rng, "seeding")),
        fact("fact.reseeding", said(rng, "reseeding")),
    )
    return GeneratorView(
        facts,
        rng.needed_bits,
        str(rng.state_bits),
        _known_answers(rng),
        _bias_summary(rng),
        None if file_of(evidence, _BIAS) else _bias(rng),
        _orders(rng),
        _purposes(rng),
        said(rng, "byte_rule"),
        file_of(evidence, _BIAS),
    )


def _known_answers(rng: StatedGenerator) -> PageTable | None:
    rows = tuple(
        (
            PageCell(answer.file, "mono", detail=answer.sha256),
            number(
                tell(
                    "number.of",
                    part=grouped(answer.passed),
                    whole=grouped(answer.tests),
                )
            ),
            judged("shown on the reference" if answer.passed == answer.tests > 0 else "not satisfied"),
        )
        for answer in rng.known_answers
    )
    head = columns("vector-file-and-its-sha:63", "#reproduced:18", "verdict:19")
    return tabled(tell("generator.published-known-answers"), head, rows, dense=True)


_METHODS = ("ours", "modulo_16", "modulo_32")


def _bias_summary(rng: StatedGenerator) -> PageTable | None:
    """Tabulates the greatest bias of each way to scale, and against what is allowed."""
    entries = rng.uniform
    if not entries:
        return None
    limit = rng.bias_limit
    allowed = limit.value
    rows = []
    for key in _METHODS:
        found = [(_of(entry, key), entry.n) for entry in entries]
        worst, at = max(found, key=lambda pair: pair[0])
        above = sum(bias > allowed for bias, _ in found)
        rows.append(
            (
                PageCell(tell(f"scaling.{key}"), "strong" if key == "ours" else "text"),
                mono(str(worst)),
                number(tiny(worst)),
                number(str(at) if worst else "–"),
                number(tell("number.of", part=sum(bias > 0 for bias, _ in found), whole=len(found))),
                number(tell("number.of", part=above, whole=len(found))),
            )
        )
    head = columns(
        "numbers-below-n-from", "greatest-bias", "#about", "#at-n", "#ranges-biased", "#above-what-is-allowed"
    )
    return PageTable(
        tell("generator.exact-bias-of-scaling-over"), head, tuple(rows), _allowed(limit), sortable=False
    )


def _of(entry: Bias, rule: str) -> Fraction:
    """Returns the bias of one way to scale."""
    return {"ours": entry.ours, "modulo_16": entry.modulo_16, "modulo_32": entry.modulo_32}[rule]


def _allowed(limit: BiasLimit) -> str:
    """Says what is allowed, by whom, and how sure the reference is."""
    said = tell("generator.bias-the-greatest-difference-between")
    odds, source = grouped(int(1 / limit.value)), limit.source
    if limit.certainty == Certainty.VERBATIM:
        return tell("generator.allows-1-in", said=said, source=source, odds=odds)
    return tell("generator.allows-1-in-secondary-reference", said=said, source=source, odds=odds)


_GROUP = ("#n:4", "#bits-16:14", "#about-so-much:9", "#bits-32:15", "#about-so-much:8")


def _bias(rng: StatedGenerator) -> PageTable | None:
    """Tabulates what a remainder would cost at every range, in two groups side by side."""
    entries = rng.uniform
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


def _bias_cells(entry: Bias) -> tuple[PageCell, ...]:
    cells = [number(str(entry.n))]
    for value in (entry.modulo_16, entry.modulo_32):
        cells += [number(str(value)), number(tiny(value))]
    return tuple(cells)


def _orders(rng: StatedGenerator) -> PageTable | None:
    rows = tuple(
        (
            number(str(entry.cards)),
            number(grouped(entry.draws)),
            judged("shown on the reference" if entry.equal else "not satisfied"),
        )
        for entry in rng.orders
    )
    head = columns("#cards:30", "#equally-likely-draws-all-counted:44", "every-order-equally-often:26")
    caption = tell("generator.the-shuffle-on-small-decks")
    return tabled(caption, head, rows, dense=True)


def _purposes(rng: StatedGenerator) -> PageTable | None:
    rows = tuple(
        (
            mono(entry.purpose),
            PageCell(translated(entry.description).replace("`", "")),
            note(translated(entry.where)),
        )
        for entry in rng.purposes
    )
    return tabled(
        tell("generator.every-use-of-random-numbers"), columns("purpose:24", "what-for:56", "where"), rows
    )

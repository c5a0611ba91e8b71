"""The random number generator: construction, known answers, bias, purposes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from certify.evidence.document import Evidence
from certify.evidence.generator import BiasLimit, StatedGenerator
from certify.messages import tell, translated
from certify.model.clause import Certainty
from certify.report.formats import grouped, tiny
from certify.report.layout import Fact, PageCell, PageTable, fact, listed
from certify.report.words import file_of, said

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
        listed(
            tell("generator.published-known-answers"),
            "vector-file-and-its-sha:63=file+sha256!mono #reproduced:18=done verdict:19=all:reference!judged",
            (
                {
                    "file": one.file,
                    "sha256": one.sha256,
                    "done": tell("number.of", part=grouped(one.passed), whole=grouped(one.tests)),
                    "all": one.passed == one.tests > 0,
                }
                for one in rng.known_answers
            ),
            dense=True,
        ),
        _bias_summary(rng),
        None if file_of(evidence, _BIAS) else _bias(rng),
        listed(
            tell("generator.the-shuffle-on-small-decks"),
            "#cards:30 #equally-likely-draws-all-counted:44=draws:grouped "
            "every-order-equally-often:26=equal:reference!judged",
            rng.orders,
            dense=True,
        ),
        listed(
            tell("generator.every-use-of-random-numbers"),
            "purpose:24!mono what-for:56 where:translated!note",
            ((one.purpose, translated(one.description).replace("`", ""), one.where) for one in rng.purposes),
        ),
        said(rng, "byte_rule"),
        file_of(evidence, _BIAS),
    )


_METHODS = ("ours", "modulo_16", "modulo_32")


def _bias_summary(rng: StatedGenerator) -> PageTable | None:
    """Tabulates the greatest bias of each way to scale, and against what is allowed."""
    rows = []
    for key in _METHODS if rng.bias else ():
        found = [(getattr(entry, key), entry.n) for entry in rng.bias]
        worst, at = max(found, key=lambda pair: pair[0])
        biased, above = (sum(bias > least for bias, _ in found) for least in (0, rng.bias_limit.value))
        rows.append(
            (
                PageCell(tell(f"scaling.{key}"), "strong" if key == "ours" else "text"),
                worst,
                tiny(worst),
                at if worst else None,
                tell("number.of", part=biased, whole=len(found)),
                tell("number.of", part=above, whole=len(found)),
            )
        )
    return listed(
        tell("generator.exact-bias-of-scaling-over"),
        "numbers-below-n-from greatest-bias!mono #about #at-n #ranges-biased #above-what-is-allowed",
        rows,
        _allowed(rng.bias_limit),
        sortable=False,
    )


def _allowed(limit: BiasLimit) -> str:
    """Says what is allowed, by whom, and how sure the reference is."""
    said = tell("generator.bias-the-greatest-difference-between")
    odds, source = grouped(int(1 / limit.value)), limit.source
    if limit.certainty == Certainty.VERBATIM:
        return tell("generator.allows-1-in", said=said, source=source, odds=odds)
    return tell("generator.allows-1-in-secondary-reference", said=said, source=source, odds=odds)


def _bias(rng: StatedGenerator) -> PageTable | None:
    """Tabulates what a remainder would cost at every range, in two groups side by side."""
    cells = [
        (one.n, one.modulo_16, tiny(one.modulo_16), one.modulo_32, tiny(one.modulo_32)) for one in rng.bias
    ]
    half = -(-len(cells) // 2)
    blank = (PageCell(""),) * 5
    return listed(
        tell("generator.what-a-plain-remainder-would"),
        " ".join(("#n:4", "#bits-16:14", "#about-so-much:9", "#bits-32:15", "#about-so-much:8") * 2),
        ((*left, *right) for left, right in zip_longest(cells[:half], cells[half:], fillvalue=blank)),
        sortable=False,
        dense=True,
    )

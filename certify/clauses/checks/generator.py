"""Checks of the random number generator itself: by published vectors, by counting and by arithmetic."""

from collections.abc import Iterable
from fractions import Fraction

from certify.clauses.registry import Answer, Results, check, verdict_of
from certify.exact import fraction_text
from certify.mathematics.possible import looked_at
from certify.model import UnderTest, Verdict, ranges_needed

IN_USE = ("CTR_DRBG AES-256 no df", "CTR_DRBG AES-256 df")
"""Mechanisms that deal: the streams of this report, and the live generator."""


@check("rng.known-answers", "The generators give the published answers", UnderTest.REFERENCE_GENERATOR)
def known_answers(results: Results) -> Iterable[Answer]:
    """Every published vector of the DRBGs gives its published output, those of the mechanisms in use among them."""
    facts = results.rng.stated
    tested = {one.algorithm for one in facts.known_answers_by_algorithm if one.tests}
    untested = [name for name in IN_USE if name not in tested]
    if untested and facts.known_answers_passed == facts.known_answer_tests:
        yield Answer(
            Verdict.INCONCLUSIVE,
            f"published vectors for {' and '.join(IN_USE)}",
            f"none for {', '.join(untested)}",
            reason="vectors of other mechanisms say nothing about those in use",
        )
        return
    yield Answer(
        verdict_of(facts.known_answers_passed == facts.known_answer_tests),
        f"{facts.known_answer_tests} of {facts.known_answer_tests} vectors of NIST ACVP and CAVS",
        f"{facts.known_answers_passed} of {facts.known_answer_tests} in {len(facts.known_answers)} files",
        subject=facts.algorithm,
        evidence=("/rng/known_answers",),
        tried=facts.known_answer_tests,
    )


@check(
    "rng.state-size",
    "The state and the seed suffice for everything that can be drawn",
    UnderTest.REFERENCE_GENERATOR,
)
def state_size(results: Results) -> Iterable[Answer]:
    """State and seed hold as many bits as tell apart all that a round can draw: of one that goes on, 256 bits of it."""
    facts = results.rng.stated
    enough = min(facts.state_bits, facts.seed_bits)
    seen = looked_at(results.game, enough)
    small = seen.bits > enough
    verdict = verdict_of(not small and facts.seed_bits >= 256)
    if small and seen.unwalked:
        verdict = Verdict.INCONCLUSIVE
    yield Answer(
        verdict,
        f"at least log2({seen.rows}) = {seen.bits:.2f} bits of state, and at least 256 bits of seed",
        f"{facts.state_bits} bits of state, {facts.seed_bits} bits of seed",
        reason=f"how many draws a round makes could not be counted: {seen.unwalked}" if small else "",
        evidence=("/rng/state_bits",),
        tried=1,
    )


@check("rng.exact-bias", "Numbers below n are exactly unbiased", UnderTest.REFERENCE_GENERATOR)
def exact_bias(results: Results) -> Iterable[Answer]:
    """The greatest bias of a number below n is exactly zero for every n that the equipment needs."""
    rows = results.rng.stated.bias
    needed = ranges_needed(results.game.equipment)
    worst = max((row.ours for row in rows), default=Fraction(1))
    yield Answer(
        verdict_of(worst == 0 and {row.n for row in rows} >= needed),
        f"bias exactly 0 for every n that is drawn, up to {max(needed)}",
        f"greatest bias {fraction_text(worst)} for n from {rows[0].n} to {rows[-1].n}",
        evidence=("/rng/bias",),
        tried=len(rows),
    )


@check(
    "rng.shuffle-equiprobable",
    "Every order of a small deck is equally frequent, by exhaustive counting",
    UnderTest.REFERENCE_GENERATOR,
)
def shuffle_equiprobable(results: Results) -> Iterable[Answer]:
    """Over all equally likely draws each of the n! orders occurs equally often."""
    orders = results.rng.stated.orders
    yield Answer(
        verdict_of(all(one.equal for one in orders)),
        "each of the n! orders equally often, for every deck size counted",
        "; ".join(
            f"n = {one.cards}: {one.draws} draws, {'equal' if one.equal else 'NOT equal'}" for one in orders
        ),
        evidence=("/rng/orders",),
        tried=len(orders),
    )


@check("rng.streams-disjoint", "No two streams share numbers", UnderTest.REFERENCE_GENERATOR)
def streams_disjoint(results: Results) -> Iterable[Answer]:
    """Streams of different purposes and indices share no block."""
    streams = results.rng.stated.streams
    yield Answer(
        verdict_of(streams.compared >= 2 and streams.sharing_a_block == 0),
        "no block in common between any two streams",
        f"{streams.sharing_a_block} in common among {streams.compared} streams",
        evidence=("/rng/streams",),
        tried=streams.compared,
    )


@check(
    "rng.reseeds",
    "The generator takes fresh entropy periodically, and stops where it cannot",
    UnderTest.REFERENCE_GENERATOR,
)
def reseeds(results: Results) -> Iterable[Answer]:
    """Reseeding changes the stream, and the reseed interval is enforced."""
    facts = results.rng
    yield Answer(
        verdict_of(facts.reseed_refused and facts.stated.reseeds_exercised > 0),
        "reseeding renews the stream; past the interval no number without fresh entropy",
        f"{facts.stated.reseeds_exercised} reseeds exercised; refusal past the interval of "
        f"{facts.reseed_interval} requests: {'yes' if facts.reseed_refused else 'NO'}",
        evidence=("/rng/reseeding",),
        tried=facts.stated.reseeds_exercised,
    )


@check("rng.call-sites", "Every use of randomness is registered", UnderTest.REFERENCE_GENERATOR)
def call_sites(results: Results) -> Iterable[Answer]:
    """The inventory of uses is complete by construction: an unregistered purpose is refused."""
    facts = results.rng
    yield Answer(
        verdict_of(facts.unregistered_refused),
        "a register of all uses; any other use is refused",
        f"{len(facts.stated.purposes)} registered uses; an unregistered one was "
        f"{'refused' if facts.unregistered_refused else 'NOT refused'}",
        evidence=("/rng/purposes",),
        tried=len(facts.stated.purposes),
    )

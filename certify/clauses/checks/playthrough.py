"""Checks of play-through against the exact figures."""

from collections.abc import Iterable, Sequence
from typing import Final

from certify.clauses.checks.operator_items import kept, played_outputs
from certify.clauses.registry import Answer, ExactResults, Results, check, exact_check, verdict_of
from certify.model import UnderTest, Verdict
from certify.rounds.conformance.promise import PromiseId

HOLDS: Final = "holds"


@exact_check(
    "printed.tables-hold",
    "Every count and every row of outcomes that the source prints is what counting gives",
)
def tables_hold(results: ExactResults) -> Iterable[Answer]:
    """Printed counts and rows held against exact counting; nothing is skipped, every verdict has its numbers."""
    judged = results.sections.judged_tables
    counts, rows = (judged.counts, judged.rows) if judged else ((), ())
    submitted = results.game.printed_counts, results.game.printed_rows
    if not any(submitted) and not counts and not rows:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "printed counts of hands or rows of outcomes",
            "none",
            reason="the source prints no table of counts or outcomes",
        )
        return
    if judged is None:
        yield Answer(
            Verdict.INCONCLUSIVE,
            "every printed count and row judged",
            "none was judged",
            reason="no exact counting of printed tables exists for this family",
        )
        return
    # A reader must see that nothing was left out: what the submission prints is counted, not what was judged.
    if counts or submitted[0]:
        yield _answer("counts", len(submitted[0]), [one.verdict for one in counts], "/judged_tables/counts")
    if rows or submitted[1]:
        yield _answer(
            "rows of outcomes, read as probabilities",
            len(submitted[1]),
            [one.as_probability for one in rows],
            "/judged_tables/rows",
        )
        yield _answer(
            "rows of outcomes, recomputed as they were",
            len(submitted[1]),
            [one.under_implied_reading for one in rows],
            "/judged_tables/rows",
        )


def _answer(subject: str, submitted: int, verdicts: Sequence[str], where: str) -> Answer:
    """Returns how many of the printed figures hold, and how the others fail."""
    kinds = sorted(set(verdicts) - {HOLDS})
    failing = "; ".join(f"{verdicts.count(kind)} {kind}" for kind in kinds) or "none otherwise"
    return Answer(
        verdict_of(len(verdicts) == submitted and not kinds),
        f"{submitted} of {submitted} printed {subject} hold",
        f"{verdicts.count(HOLDS)} of {len(verdicts)} hold; {failing}",
        subject=subject,
        evidence=(where,),
        tried=len(verdicts),
    )


@check(
    "agreement.three-settlements",
    "Reference implementation, kernel and its readable version settle the same decks in the same way",
    UnderTest.REFERENCE_ROUNDS,
)
def three_settlements(results: Results) -> Iterable[Answer]:
    """Every outcome of every wager is the same for all implementations of the rules."""
    legs = results.agreement
    if legs.decks and len(legs.legs) == 1 and not legs.differences:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "a second implementation of the settlement",
            f"the family has only the {legs.legs[0]}",
            reason="nothing settles rounds a second time: a condition of the report says what that costs",
            evidence=("/agreement",),
        )
        return
    yield Answer(
        verdict_of(len(legs.legs) >= 3 and not legs.differences),
        f"no difference on {legs.decks} decks between {', '.join(legs.legs)}",
        f"{len(legs.differences)} differences"
        + (f", first: {legs.differences[0]}" if legs.differences else ""),
        evidence=("/agreement",),
        tried=legs.decks,
    )
    yield from kept(results, PromiseId.PAID)


@check(
    "agreement.two-texts",
    "A second, independently written implementation settles and pays every round in the same way",
    UnderTest.SUBMISSION,
)
def two_texts(results: Results) -> Iterable[Answer]:
    """Both implementations agree on a deal for every state and class of faces and on rounds really dealt.

    They share no code.
    """
    texts = results.texts
    if texts is None or texts.second is None:
        yield Answer(
            Verdict.NOT_APPLICABLE,
            "a second implementation",
            "the family has none" if texts else "the game is not written in stages",
            evidence=("/texts",),
        )
        return
    # Of a game that is not written in stages no states are known: rounds really dealt are what is compared.
    staged = texts.merging is not None
    yield Answer(
        verdict_of((texts.deals > 0 or not staged) and not texts.differing and not texts.shared),
        "no difference "
        + ("on a deal for every state and class of faces nor " if staged else "")
        + "on rounds really dealt, and no code in common",
        (f"{texts.deals} deals, " if staged else "")
        + f"{texts.dealt} rounds dealt: {texts.differing} settled differently"
        + (f", first: {texts.differences[0]}" if texts.differences else "")
        + (f"; both rest on {', '.join(texts.shared)}" if texts.shared else ""),
        evidence=("/texts",),
        tried=texts.dealt,
    )


@check(
    "simulation.outcomes-agree",
    "Play-through gives the exact probabilities of every outcome, and their mean",
    UnderTest.SUBMISSION,
)
def outcomes_agree(results: Results) -> Iterable[Answer]:
    """Chi-square over outcomes, z of the mean and equivalence within a margin, for each wager and strategy."""
    apart = sum(not play.planned.configuration for play in results.playthroughs)
    for place, play in enumerate(results.playthroughs):
        for agreement in play.agreements:
            chi, mean = agreement.chi_square, agreement.mean
            tested = f"chi-square p = {chi.p_value:.3g}, " if chi else ""
            yield Answer(
                agreement.verdict,
                "outcome frequencies and mean of the exact distribution"
                + (
                    f", equivalent within {float(100 * agreement.equivalence.margin):.2f} points"
                    if agreement.equivalence.asked
                    else ""
                ),
                f"{play.campaign.rounds} rounds: {tested}z = {mean.distance:+.2f}"
                + (", on fresh decks after a borderline first campaign" if play.first else ""),
                subject=f"{play.planned.configuration or agreement.wager}, {play.campaign.strategy}",
                reason="; ".join(agreement.reasons),
                evidence=(
                    f"/simulation/configurations/{place - apart}"
                    if play.planned.configuration
                    else f"/simulation/campaigns/{place}",
                ),
                tried=play.campaign.rounds,
            )
    yield from played_outputs(results)

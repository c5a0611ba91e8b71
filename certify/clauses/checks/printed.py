"""Checks of the tables that a source prints about its hands and outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from certify.clauses.registry import Answer, exact_check, verdict_of
from certify.clauses.results import ExactResults
from certify.model.finding import Verdict

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
    )

"""One verdict on a tested sample, with the rule that was fixed before it was opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from certify.cli.exits import Exit
from certify.errors import InputError

if TYPE_CHECKING:
    from certify.certification.bit_sequences import SuiteOutcome
    from certify.certification.given_output import SubmittedOutput
    from rng.battery.verdict import BatteryVerdict

SECOND_ALPHA = 0.05

Fresh = Callable[[tuple[str, ...], "SuiteOutcome"], tuple["SubmittedOutput", "SuiteOutcome"]]
"""Opens the fresh sample and runs the tests named on it, cut as the first sample was."""


@dataclass(frozen=True, slots=True)
class Concluded:
    """The verdict and what it rests on.

    Args:
        verdict: The collective verdict.
        first: The verdict on the first sample alone, which each of its tests is reported by.
        borderline: Tests of the first sample that a fresh, larger sample decides, ``suite/test``.
        fresh: The fresh sample and its results, if it was needed and given.
    """

    verdict: BatteryVerdict
    first: BatteryVerdict
    borderline: tuple[str, ...] = ()
    fresh: tuple[SubmittedOutput, SuiteOutcome] | None = None

    @property
    def code(self) -> Exit:
        """The exit code: nothing at all that could be run is no verdict."""
        if self.verdict.word == "not satisfied":
            return Exit.FINDINGS
        if self.verdict.word == "satisfied":
            return Exit.SATISFIED
        decided = self.verdict.decisions or any(n.undecided for n in self.verdict.not_run)
        return Exit.INCONCLUSIVE if decided else Exit.NOTHING_CHECKED


def conclude_sample(outcome: SuiteOutcome, alpha: float, fresh: Fresh | None) -> Concluded:
    """Concludes by Holm's procedure; a borderline sample by the fresh one, where there is one.

    Args:
        outcome: What was run on the first sample.
        alpha: Family-wise error of the word.
        fresh: Opens the fresh sample; None if none is given, and the first sample decides alone.
    """
    from rng.battery.two_stage import borderline, conclude_plan, plan_of, suspects
    from rng.battery.verdict import conclude

    second_alpha = max(alpha, SECOND_ALPHA)
    first = conclude(outcome.decided, alpha=alpha, second_alpha=second_alpha)
    if fresh is None:
        return Concluded(first, first, borderline(first))
    if not _hard() < alpha < SECOND_ALPHA:
        raise InputError(
            f"--alpha {alpha:g}: with --fresh, between {_hard():g} and {SECOND_ALPHA:g} expected"
        )
    plan = plan_of(outcome.decided, alpha, second_alpha)
    names_ = suspects(plan, outcome.decided)
    if not names_:
        return Concluded(conclude_plan(plan, outcome.decided), first)
    second = fresh(names_, outcome)
    return Concluded(conclude_plan(plan, outcome.decided, second[1].decided), first, names_, second)


def _hard() -> float:
    """The adjusted p-value below which a first sample is never called borderline."""
    from rng.battery.two_stage import HARD_THRESHOLD

    return HARD_THRESHOLD

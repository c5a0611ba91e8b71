"""What was expected of a round and what was seen, trial by trial, and how a situation ended over all its trials."""

from dataclasses import dataclass

from certify.evidence import Situation
from certify.model import Verdict

NOT_REACHED = "no round on the given decks reached this situation"


@dataclass(frozen=True, slots=True)
class Trial:
    """One comparison: what was expected and what really showed.

    Args:
        expected: What the terms demand, as text.
        observed: What was seen, in the same form.
        story: Everything that was done, in order.
    """

    expected: str
    observed: str
    story: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether what was expected was seen."""
        return self.expected == self.observed


@dataclass(slots=True)
class TrialTally:
    """What was seen of one situation so far: counts, and the trial that is shown for it.

    Args:
        trials: Number of comparisons.
        failures: Number of those that did not hold.
        shown: The shortest trial that failed, else the first.
    """

    trials: int = 0
    failures: int = 0
    shown: Trial | None = None

    def add(self, trial: Trial) -> None:
        """Takes a comparison."""
        self.trials += 1
        if self.shown is None or (
            not trial.holds and (not self.failures or len(trial.story) < len(self.shown.story))
        ):
            self.shown = trial
        self.failures += not trial.holds

    def situation(
        self, situation_id: str, title: str, demand: str, clauses: tuple[str, ...], *, adopted: bool
    ) -> Situation:
        """Returns how the situation ended; one that no trial reached is inconclusive."""
        shown = self.shown
        if shown is None:
            observed, verdict = NOT_REACHED, Verdict.INCONCLUSIVE
        elif self.failures:
            verdict = Verdict.NOT_SATISFIED
            observed = (
                f"{self.failures} of {self.trials} trials differ; the shortest: "
                f"expected {shown.expected}; observed {shown.observed}"
            )
        else:
            observed = f"as expected in all {self.trials} trials, such as: {shown.observed}"
            verdict = Verdict.SATISFIED
        return Situation(
            id=situation_id,
            situation=title,
            expected=demand,
            observed=observed,
            verdict=verdict,
            trials=self.trials,
            failures=self.failures,
            evidence=shown.story if shown else (),
            clauses=clauses,
            adopted_terms=adopted,
        )

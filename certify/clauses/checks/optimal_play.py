"""What is proven of a wager's return under the optimal method of play, and floors and ceilings held against it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.clauses.results import ExactResults
from certify.exact import fraction_text, outward_texts, percent_text
from certify.mathematics import plan_of
from certify.model.figures import Bracket, WagerFigures, optimal_play
from certify.model.finding import Verdict

BETWEEN: Final = "the limit lies between what is proven of the value of the game: neither kept nor broken"
"""Why a limit inside a bracket decides nothing."""

NO_VALUE: Final = "a second party decides too, and of no strategy is it proven what it secures"
"""Why nothing is said where no bracket was proven."""


@dataclass(frozen=True, slots=True)
class OptimalPlay:
    """A wager under the optimal method of play.

    Args:
        strategy: Name of the strategy, or of the pair whose bracket is proven.
        figures: Its figures.
        proven: Whether they are the optimal player's: a second party that decides too has been answered as well.
    """

    strategy: str
    figures: WagerFigures
    proven: bool

    @property
    def returns(self) -> Bracket:
        """What is proven of the return."""
        return self.figures.proven

    @property
    def words(self) -> str:
        """The return in percent, or the interval that holds it, and the strategy."""
        ends = self.returns
        if not ends.width:
            return f"{percent_text(ends.lower)} % under {self.strategy}"
        low, high = outward_texts(100 * ends.lower, 100 * ends.upper, 6)
        return f"between {low} % and {high} %, both sides at their best ({self.strategy})"

    @property
    def exact_words(self) -> str:
        """The same with its exact fractions."""
        ends = self.returns
        if not ends.width:
            exact = fraction_text(ends.lower)
            return f"{percent_text(ends.lower)} % = {exact} under {self.strategy}"
        return f"{self.words}: {fraction_text(ends.lower)} to {fraction_text(ends.upper)}"

    def evidence(self, wager: str) -> str:
        """Returns where the evidence holds it."""
        part = "bracket" if self.figures.bracket is not None else "return"
        return f"/analysis/{self.strategy}/wagers/{wager}/{part}"

    def at_least(self, floor: Fraction) -> tuple[Verdict, str]:
        """Returns whether the return is at least a floor, by the lower end; with why nothing is decided."""
        return self._held(self.returns.lower >= floor, self.returns.upper < floor)

    def at_most(self, ceiling: Fraction) -> tuple[Verdict, str]:
        """Returns whether the return is at most a ceiling, by the upper end; with why nothing is decided."""
        return self._held(self.returns.upper <= ceiling, self.returns.lower > ceiling)

    def _held(self, kept: bool, broken: bool) -> tuple[Verdict, str]:
        if not self.proven:
            return Verdict.INCONCLUSIVE, NO_VALUE
        if kept or broken:
            return (Verdict.SATISFIED if kept else Verdict.NOT_SATISFIED), ""
        return Verdict.INCONCLUSIVE, BETWEEN


def optimal(results: ExactResults, wager: str) -> OptimalPlay:
    """Returns a wager under the optimal method of play, the first of equals.

    Source: GLI-19 v3.0 4.7.1(b).
    """
    name = optimal_play({name: analysis.wager(wager) for name, analysis in results.analyses.items()})
    figures = results.analyses[name].wager(wager)
    return OptimalPlay(name, figures, figures.bracket is not None or not plan_of(results.game).banks)

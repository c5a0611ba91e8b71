"""Exact figures of a family by its graph, and how each return comes about."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final

from certify.analysis.engine.beliefs import seen_texts
from certify.analysis.engine.best import BestDecision, Solution
from certify.analysis.engine.counted import CountedGame, RowsOf, counted_game, own_row
from certify.analysis.engine.distribution import Visits
from certify.analysis.engine.exposure import exposure, witnesses
from certify.analysis.engine.strategies import parse_strategy, plan
from certify.analysis.explanation import Branch, Explanation
from certify.analysis.strategy_file import strategy_text
from certify.by_key import summed
from certify.errors import InputError
from certify.model import (
    FILE,
    JOINTLY_OPTIMAL,
    Analysis,
    Decision,
    Exposure,
    Game,
    Joint,
    Listed,
    ReferenceRound,
    Strategy,
    StrategyPlan,
    unit_stakes,
)
from certify.model.points import Reached

SETTLED: Final = "settled"


def explain(solution: Solution, text: str, listed: Callable[[Hashable], Listed] | None = None) -> Explanation:
    """Returns what each option of a decision leads to, and what it is worth.

    Every branch is a next decision, as the player will see it, with its chance and its value under best play;
    what is settled before another decision is one branch more for each option.

    Args:
        solution: Best play for the stakes in question.
        text: What is seen, as decisions are listed.
        listed: How the family lists decisions; what is seen is spelled out where left out.

    Raises:
        InputError: Nothing is decided on that.
    """
    seen = [one.sees for one in solution.decided]
    texts = seen_texts(seen) if listed is None else {sees: listed(sees).title for sees in seen}
    found = next((one for one in solution.decided if texts[one.sees] == text), None)
    if found is None:
        some = ", ".join(f'"{known}"' for known in list(texts.values())[:5]) or "none: nothing is decided"
        raise InputError(
            f'"{text}": nothing is decided on that, expected one of {len(texts)}, such as {some}'
        )
    return Explanation(
        hand=text,
        total=None,
        cards_left=None,
        standing=(),
        stand=None,
        branches=tuple(_branches(solution, found, {one.sees: one for one in solution.decided}, texts)),
        hit=None,
        best=found.taken,
        values=tuple(zip(found.options, found.values, strict=True)),
    )


def _branches(
    solution: Solution,
    found: BestDecision,
    decided: Mapping[Hashable, BestDecision],
    texts: Mapping[Hashable, str],
) -> Iterator[Branch]:
    belief = solution.graph.beliefs[found.beliefs[0]]
    for option, outlook in zip(found.options, belief.outlooks, strict=True):
        later = Fraction(0)
        for number, chance in outlook.following:
            following = solution.graph.beliefs[number].choice
            later += chance
            taken = decided[following.sees].taken
            yield Branch("", 0, chance, texts[following.sees], None, taken, solution.worth[number], option)
        if later < 1:
            yield Branch("", 0, 1 - later, "", None, SETTLED, outlook.settled / (1 - later), option)


@dataclass(frozen=True, slots=True)
class EngineExact:
    """Exact figures by walking the reference round: what a family gets that brings no counting of its own.

    Exact figures and reference round then share the rules and the settlement; the evidence says so.

    Args:
        reference: Makes the reference round of a game.
        rows_of: The rows of the paytable that an outcome is paid by, that which it is named after first.
        own_names: Strategies of the family by their names.
        listed: How the family lists decisions; what is seen is spelled out where left out.
        cards: Reads a strategy file of the family's own form; the engine's form where left out.
    """

    reference: Callable[[Game], ReferenceRound[Any]]
    rows_of: RowsOf = own_row
    own_names: Callable[[Game, str], Strategy | None] | None = None
    listed: Callable[[Hashable], Listed] | None = None
    cards: Callable[[Game, str, str], Strategy] | None = None

    def counted(self, game: Game) -> CountedGame:
        """Returns the game walked once; kept, so that further figures of it cost little.

        Raises:
            InputError: The round cannot be walked.
        """
        return counted_game(self.reference, self.rows_of, game)

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers under a named strategy.

        Raises:
            InputError: No such strategy, or stakes that do not fit the game.
        """
        counted = self.counted(game)
        played = self._strategy(game, strategy, stakes)
        jointly = strategy == JOINTLY_OPTIMAL
        solution = counted.solution(stakes or unit_stakes(game)) if jointly else counted.solution()
        return self._analysis(counted, played, solution)

    def _strategy(self, game: Game, name: str, stakes: Mapping[str, Fraction] | None) -> Strategy:
        if name.startswith(FILE) and self.cards is not None:
            path = name.removeprefix(FILE)
            return self.cards(game, strategy_text(Path(path)), path)
        own = self.own_names(game, name) if self.own_names is not None else None
        return own if own is not None else self.counted(game).strategy(name, stakes)

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""
        counted = self.counted(game)
        return self._analysis(counted, strategy, counted.solution())

    def _analysis(self, counted: CountedGame, strategy: Strategy, solution: Solution) -> Analysis:
        found = counted.visits(strategy)
        decisions = tuple(_decisions(counted, strategy, solution, found, self.listed))
        return Analysis(counted.game.id, strategy, counted.figures(found), decisions)

    def read_card(self, game: Game, text: str, source: str) -> Strategy:
        """Returns the strategy that a printed card states, in the form of a strategy file."""
        return parse_strategy(text, source, self.counted(game).offered())

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the outcomes of all wagers under a named strategy."""
        return self.counted(game).joint(self._strategy(game, strategy, stakes))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost whoever banks, with a row of draws that produces it."""
        return exposure(game, self.counted(game).graph)

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns the tree behind one decision of best play for the first wager."""
        return explain(self.counted(game).solution(), text, self.listed)

    def plan(self, game: Game) -> StrategyPlan:
        """Returns the named strategies of a game whose family names none."""
        return plan(self.counted(game).graph)

    def witnesses(self, game: Game) -> Mapping[tuple[str, str], Reached]:
        """Returns a round for every row that any play reaches, by wager and row; any other row is unreachable."""
        return witnesses(self.counted(game).graph, partial(self.rows_of, game))


def _decisions(
    counted: CountedGame,
    strategy: Strategy,
    solution: Solution,
    found: Visits,
    listed: Callable[[Hashable], Listed] | None,
) -> Iterator[Decision]:
    """Yields every decision that some play comes to, with what best play makes of each option.

    A family that says how its decisions are listed has those listed that the strategy comes to.
    """
    pairs = zip(counted.graph.choices, found.choices, strict=True)
    reached = summed((choice.sees, expected) for choice, expected in pairs)
    told: list[tuple[BestDecision, Listed]]
    if listed is None:
        texts = seen_texts(one.sees for one in solution.decided)
        told = [(one, Listed(texts[one.sees])) for one in solution.decided]
    else:
        told = [(one, listed(one.sees)) for one in solution.decided if reached[one.sees]]
        told.sort(key=lambda entry: entry[1].place)
    for one, words in told:
        yield Decision(
            hand=words.hand,
            composition=words.composition,
            dealer=words.dealer,
            best=one.taken,
            values=dict(zip(one.options, one.values, strict=True)),
            chosen=strategy.choose(one.sees, one.options),
            probability=reached[one.sees],
            first=words.first,
        )

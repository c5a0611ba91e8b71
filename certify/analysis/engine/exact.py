"""What a graph counts: exact figures of a family, the same with other pays, and how each return comes about."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from certify.analysis.engine import best
from certify.analysis.engine.beliefs import seen_texts
from certify.analysis.engine.best import BestDecision, Solution
from certify.analysis.engine.distribution import (
    CountingOrder,
    Visits,
    counting_order,
    decide_by,
    joint,
    pays_of,
    visits,
)
from certify.analysis.engine.exposure import exposure, witnesses
from certify.analysis.engine.strategies import (
    ALWAYS,
    NOTHING_TO_DECIDE,
    OPTIMAL,
    WORST,
    constant_choice,
    parse_strategy,
    plan,
    read_strategy,
    unknown_strategy,
)
from certify.analysis.engine.walk import RoundGraph, walk
from certify.analysis.explanation import Branch, Explanation
from certify.analysis.strategy_file import strategy_text
from certify.by_key import summed
from certify.errors import InputError
from certify.model import (
    FILE,
    JOINTLY_OPTIMAL,
    MAIN_OPTIMAL,
    Analysis,
    ChoiceTable,
    Decision,
    Exposure,
    Game,
    Joint,
    Listed,
    Outcome,
    Price,
    ReferenceRound,
    Strategy,
    StrategyPlan,
    WagerFigures,
    checked_stakes,
    unit_stakes,
)
from certify.model.points import Reached

Stakes = Mapping[str, Fraction]
Reference = Callable[[Game], ReferenceRound[Any]]
RowsOf = Callable[[Game, str, str], tuple[str, ...]]


def own_row(game: Game, wager: str, outcome: str) -> tuple[str, ...]:
    """Returns the outcome itself: each is a row of its own."""
    return (outcome,)


@dataclass(frozen=True, slots=True)
class CountedGame:
    """A game with the merged states of its round.

    Args:
        game: The submission.
        graph: The merged states.
        order: The order in which they can be counted.
        rows_of: The rows that an outcome is paid by, that which it is named after first.
    """

    game: Game
    graph: RoundGraph
    order: CountingOrder
    rows_of: RowsOf
    _solutions: dict[tuple[object, bool], best.Solution] = field(default_factory=dict, repr=False)

    @property
    def main(self) -> str:
        """Id of the first wager."""
        return self.game.wagers[0].id

    def solution(self, stakes: Stakes | None = None, *, worst: bool = False) -> best.Solution:
        """Returns the best (or worst) play for given stakes, one unit on the first wager where they are left out.

        Raises:
            InputError: Stakes on an unknown wager, or a round that cannot be solved.
        """
        placed = {self.main: Fraction(1)} if stakes is None else dict(stakes)
        key = (tuple(sorted(placed.items())), worst)
        if key not in self._solutions:
            self._solutions[key] = best.solve(self.graph, self.order, placed, worst=worst)
        return self._solutions[key]

    def offered(self) -> Mapping[Hashable, Sequence[str]]:
        """Returns the options of every decision that some play comes to, by what is seen."""
        return {choice.sees: choice.ids for choice in self.graph.choices if len(choice.options) > 1}

    def strategy(self, name: str, stakes: Stakes | None = None) -> Strategy:
        """Returns a strategy by its name.

        Args:
            name: ``optimal`` or ``main-optimal``, ``jointly-optimal``, ``worst``, ``always:OPTION``,
                ``file:PATH``.
            stakes: Units on each wager; only ``jointly-optimal`` depends on them, and takes one unit on each
                wager where they are left out.

        Raises:
            InputError: No such strategy, or stakes that do not fit the game.
        """
        if stakes is not None:
            checked_stakes(self.game, stakes)
        best_play = name in (OPTIMAL, MAIN_OPTIMAL)
        if not self.offered():
            if not best_play:
                raise InputError(
                    f"no strategy {name!r}: expected {MAIN_OPTIMAL}, nothing is decided in this game"
                )
            return ChoiceTable(MAIN_OPTIMAL, NOTHING_TO_DECIDE, frozenset())
        if best_play:
            return self.solution().table(MAIN_OPTIMAL)
        if name == JOINTLY_OPTIMAL:
            return self.solution(stakes or unit_stakes(self.game)).table(JOINTLY_OPTIMAL)
        if name == WORST:
            return self.solution(worst=True).table(WORST)
        if name.startswith(ALWAYS):
            return constant_choice(self.graph, name.removeprefix(ALWAYS))
        if name.startswith(FILE):
            return read_strategy(Path(name.removeprefix(FILE)), self.offered())
        raise unknown_strategy(name, self.graph)

    def visits(self, strategy: Strategy) -> Visits:
        """Returns how often a round so played comes to each end and to each choice."""
        known: dict[Strategy, Visits] = self.graph.counted
        if strategy not in known:
            known[strategy] = visits(self.graph, self.order, decide_by(strategy))
        return known[strategy]

    def joint(self, strategy: Strategy) -> Joint:
        """Returns the joint distribution of the outcomes of the game's wagers."""
        found = joint(self.graph, self.visits(strategy), strategy)
        places = [self._place(wager.id) for wager in self.game.wagers]
        probabilities = summed(
            (tuple(outcomes[place] for place in places), probability)
            for outcomes, probability in found.probabilities.items()
        )
        wagers = tuple(wager.id for wager in self.game.wagers)
        return Joint(found.strategy, found.strategy_class, wagers, probabilities)

    def _place(self, wager: str) -> int:
        if wager not in self.graph.wagers:
            settled = ", ".join(self.graph.wagers)
            raise InputError(
                f"{self.game.path}: the round settles no wager {wager!r}: expected one of {settled}"
            )
        return self.graph.wagers.index(wager)

    def figures(self, found: Visits) -> tuple[WagerFigures, ...]:
        """Returns the exact distribution of every wager of the game, from how often rounds end so."""
        paid = pays_of(self.graph)
        return tuple(self._figures(self._place(wager.id), found, paid) for wager in self.game.wagers)

    def _figures(self, place: int, found: Visits, paid: Mapping[str, Mapping[str, Price]]) -> WagerFigures:
        wager = self.graph.wagers[place]
        pays = paid[wager]
        chances = dict.fromkeys(pays, Fraction(0))
        for results, probability in zip(self.graph.results, found.results, strict=True):
            chances[results[place].outcome] += probability
        outcomes = tuple(self._outcomes(wager, pays, chances))
        if all(outcome.staked == 1 for outcome in outcomes):
            return WagerFigures(wager, outcomes)
        total = sum((outcome.staked * outcome.probability for outcome in outcomes), Fraction(0))
        return WagerFigures(wager, outcomes, total)

    def _outcomes(
        self, wager: str, pays: Mapping[str, Price], chances: Mapping[str, Fraction]
    ) -> Iterator[Outcome]:
        """Yields outcomes in the order of the printed rows, then the others; a row that no play reaches has 0."""
        paytable = self.game.wager(wager).paytable
        rows = {outcome: self.rows_of(self.game, wager, outcome) for outcome in pays}
        paid = {row for own in rows.values() for row in own}
        for row in paytable.ids:
            if row not in paid:
                yield Outcome(row, paytable.pays(row), Fraction(0))
            own = [outcome for outcome in pays if rows[outcome][0] == row]
            for one in sorted(own, key=lambda one: (-pays[one].net, one)):
                yield Outcome(one, pays[one].net, chances[one], pays[one].staked, *_named(rows[one]))
        for one in sorted(one for one in pays if rows[one][0] not in paytable.ids):
            yield Outcome(one, pays[one].net, chances[one], pays[one].staked, *_named(rows[one]))


def _named(rows: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    return rows[0], rows[1:]


@lru_cache(maxsize=32)
def counted_game(reference: Reference, rows_of: RowsOf, game: Game) -> CountedGame:
    """Returns a game walked once, kept for the figures that follow.

    Games in stages that differ in their pays alone share what is walked, and the visits of each strategy.

    Args:
        reference: Makes the reference round of a game.
        rows_of: The rows that an outcome is paid by, that which it is named after first.
        game: The submission.

    Raises:
        InputError: The round cannot be walked.
    """
    graph = walk(reference(game))
    if counting_order not in graph.counted:
        graph.counted[counting_order] = counting_order(graph.offsets, graph.targets)
    return CountedGame(game, graph, graph.counted[counting_order], rows_of)


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
        placed = stakes or unit_stakes(game) if strategy == JOINTLY_OPTIMAL else None
        return self._analysis(self.counted(game), self._strategy(game, strategy, stakes), placed)

    def _strategy(self, game: Game, name: str, stakes: Mapping[str, Fraction] | None) -> Strategy:
        if name.startswith(FILE) and self.cards is not None:
            path = name.removeprefix(FILE)
            return self.cards(game, strategy_text(Path(path)), path)
        own = self.own_names(game, name) if self.own_names is not None else None
        return own if own is not None else self.counted(game).strategy(name, stakes)

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""
        return self._analysis(self.counted(game), strategy)

    def _analysis(self, counted: CountedGame, strategy: Strategy, stakes: Stakes | None = None) -> Analysis:
        found, decisions = counted.visits(strategy), tuple[Decision, ...]()
        if counted.offered():
            decisions = tuple(_decisions(counted, strategy, counted.solution(stakes), found, self.listed))
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
        turns = list(dict.fromkeys(words.turn for _, words in told))
        told.sort(key=lambda entry: (turns.index(entry[1].turn), entry[1].place))
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

"""Strategies of the games with an open dealer's card: complete tables of decisions, found on the walk of the game."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from operator import itemgetter
from typing import Final, cast

from certify.analysis.engine.best import BestDecision, Solution
from certify.analysis.engine.exact import EngineExact
from certify.by_key import gathered, reached, summed
from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.open_card.text import (
    FOLD,
    HIT,
    KINDS,
    STAND,
    STATED,
    Seen,
    listed,
    rules_of,
    text,
    total_of,
)
from certify.families.port import StrategyPlan, rows_of
from certify.families.registry import Staged
from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF, Hand
from certify.families.seven_and_a_half.strategy_files import (
    ALWAYS_SECOND_CARD,
    COMPOSITION,
    FIXED,
    LOWEST_BET,
    MIMIC_DEALER,
    ONE_TOTAL,
    OWN_CARD,
    OWN_FIRST_CARD,
    PRINTED_CARD,
    STAND_ON,
    THRESHOLDS,
    TIME_OUT,
    TOTAL,
    parse_card,
    parse_strategy_name,
)
from certify.model import FILE, MAIN_OPTIMAL, ChoiceTable, Game, WagerFigures

OPEN_CARDS: Final = CLASSES[:KINDS]
"""Cards that the dealer may show, but for the King of diamonds, which ends the round."""

Chooses = Callable[[BestDecision], str]
"""The option that is taken where something is decided."""

_DECIDES_ONCE: Final = 2
"""Cards at most for which the first decision is the only one, so that the best of each is the best of all."""


# --- best play, and what other play is worth ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlayedBest:
    """Best play of a game, and how any other play goes along the same decisions.

    Args:
        solution: Best play for the ante.
    """

    solution: Solution

    @property
    def by_belief(self) -> dict[int, BestDecision]:
        """The decision that each belief comes to; nothing is hidden, so that there is one of each."""
        return {one.beliefs[0]: one for one in self.solution.decided}

    def table(self, name: str, strategy_class: str, chooses: Chooses) -> ChoiceTable:
        """Returns the table of the hands that a way of playing comes to."""
        decided, graph = self.by_belief, self.solution.graph

        def following(number: int) -> Iterator[int]:
            taken = decided[number].options.index(chooses(decided[number]))
            return (after for after, _ in graph.beliefs[number].outlooks[taken].following)

        met = reached((number for number, _ in graph.start.following), following)
        choices = ((decided[number].sees, chooses(decided[number])) for number in met)
        return ChoiceTable(name, strategy_class, frozenset(choices))

    def worth(self, chooses: Chooses) -> list[Fraction]:
        """Returns the expected net result in antes from each belief on, when it is decided so throughout."""
        decided, graph = self.by_belief, self.solution.graph
        worth = [Fraction(0)] * len(graph.beliefs)
        # A hand only grows, so that what follows is worth something before what it follows on.
        for number in sorted(decided, key=lambda one: -sum(seen_of(decided[one])[1])):
            one = decided[number]
            worth[number] = graph.beliefs[number].outlooks[one.options.index(chooses(one))].value(worth)
        return worth

    def value(self, chooses: Chooses) -> Fraction:
        """Returns the expected net result of a round in antes."""
        return self.solution.graph.start.value(self.worth(chooses))

    def firsts(self) -> list[tuple[int, Seen, BestDecision, Fraction]]:
        """Returns every first decision: its belief, what is seen, the decision, and its probability."""
        decided = self.by_belief
        following = self.solution.graph.start.following
        return [(number, seen_of(decided[number]), decided[number], chance) for number, chance in following]


def seen_of(one: BestDecision) -> Seen:
    """Returns what is seen at a decision."""
    return cast(Seen, one.sees)


@lru_cache(maxsize=64)
def played(game: Game) -> PlayedBest:
    """Returns best play of a game."""
    return PlayedBest(ENGINE.counted(game).solution())


def first_of(one: BestDecision, move: str) -> str:
    """Returns a move with the lowest final bet; where it is not allowed, the other one."""
    moves = [option for option in one.options if option != FOLD]
    return next((option for option in moves if option.partition("-")[0] == move), moves[0])


def _on(draws: Callable[[Hand], bool]) -> Chooses:
    return lambda one: first_of(one, HIT if draws(seen_of(one)[1]) else STAND)


def standing_on(total: int) -> Chooses:
    """Returns play that stands on a total and above, with the lowest final bet."""
    return _on(lambda hand: total_of(hand) < total)


# --- named strategies --------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def named(game: Game, name: str) -> ChoiceTable:
    """Returns a named strategy.

    ``main-optimal`` (or ``optimal``) is best for the net result per ante; ``stand-on-by-open-card`` is the best
    that looks at the player's total and the open card alone, with one total to stand on for each open card;
    ``best-by-own-card`` is the best that never looks at the open card, where the first decision is the only one.
    The others place the lowest final bet and never fold, and their class says so; ``time-out`` is what a
    platform decides for a player who is gone: no further bet and no further card.

    Raises:
        InputError: No such strategy for a game with one wager and an open card.
    """
    parsed, rules, play = parse_strategy_name(name), rules_of(game), played(game)
    unchosen = LOWEST_BET if rules.final_bets else ""
    if parsed.kind == MAIN_OPTIMAL:
        return play.table(MAIN_OPTIMAL, COMPOSITION, lambda one: one.taken)
    if parsed.kind == STAND_ON:
        return play.table(name, ONE_TOTAL + unchosen, standing_on(parsed.total))
    if parsed.kind == MIMIC_DEALER:
        # The dealer's rule with its duties. That only its total is copied is `stand-on` with that total.
        return play.table(
            name, ONE_TOTAL + unchosen, _on(lambda hand: rules.dealer_draws(total_of(hand), sum(hand)))
        )
    if parsed.kind == ALWAYS_SECOND_CARD:
        # Where the second card is the last one nothing is left to look at.
        return play.table(
            name,
            (FIXED if decides_once(game) else COMPOSITION) + unchosen,
            lambda one: first_of(one, HIT) if sum(seen_of(one)[1]) == 1 else one.taken,
        )
    if parsed.kind == THRESHOLDS:
        return play.table(THRESHOLDS, TOTAL, _thresholds(play))
    if parsed.kind == OWN_CARD:
        return play.table(name, OWN_FIRST_CARD, _by_own_card(game, play))
    if parsed.kind == TIME_OUT:
        return play.table(name, FIXED, lambda one: one.options[0])
    raise InputError(
        f"no strategy {name!r} for a game with an open card: expected {MAIN_OPTIMAL}, {ALWAYS_SECOND_CARD}, "
        f"{THRESHOLDS}, {OWN_CARD}, {MIMIC_DEALER}, {TIME_OUT}, {STAND_ON}TOTAL or {FILE}PATH.toml"
    )


def _thresholds(play: PlayedBest) -> Chooses:
    """Returns the best total to stand on for each open card, with the best first decision on each card.

    Rounds with different open cards have nothing in common, so that each open card is settled by itself: every
    total is tried, and the lowest of the best is taken. On one card the total is the card.
    """
    firsts = play.firsts()
    best: dict[int, tuple[Fraction, int]] = {}
    moves: dict[tuple[int, Seen], str] = {}
    for total in range(1, SEVEN_AND_A_HALF + 1):
        worth = play.worth(standing_on(total))
        against: dict[int, Fraction] = {}
        for number, seen, one, chance in firsts:
            kept = first_of(one, HIT if total_of(seen[1]) < total else STAND).partition("-")[0]
            allowed = {
                option: outlook.value(worth)
                for option, outlook in zip(
                    one.options, play.solution.graph.beliefs[number].outlooks, strict=True
                )
                if option.partition("-")[0] in (FOLD, kept)
            }
            moves[total, seen] = max(allowed, key=lambda option: allowed[option])
            against[seen[0]] = against.get(seen[0], Fraction(0)) + chance * max(allowed.values())
        for shown, value in against.items():
            if shown not in best or value > best[shown][0]:
                best[shown] = (value, total)

    def chooses(one: BestDecision) -> str:
        shown, hand = seen_of(one)
        total = best[shown][1]
        return moves[total, (shown, hand)] if sum(hand) == 1 else standing_on(total)(one)

    return chooses


def decides_once(game: Game) -> bool:
    """Returns whether the first decision is the only one of a round."""
    return rules_of(game).player_maximum_cards == _DECIDES_ONCE


def _by_own_card(game: Game, play: PlayedBest) -> Chooses:
    """Returns the best decision on each first card, the same whatever is open.

    Raises:
        InputError: Further decisions follow the first one.
    """
    if not decides_once(game):
        raise InputError(
            "the best play by the own card alone is only found where the player may hold two cards"
        )
    worth = summed(
        ((hand, option), chance * value)
        for _, (_, hand), one, chance in play.firsts()
        for option, value in zip(one.options, one.values, strict=True)
    )
    own = gathered((hand, (value, option)) for (hand, option), value in worth.items())
    best = {hand: max(values, key=itemgetter(0))[1] for hand, values in own.items()}
    return lambda one: best[seen_of(one)[1]]


def read_card(game: Game, card: str, source: str) -> ChoiceTable:
    """Returns the strategy that a file or a printed card states.

    Raises:
        InputError: It is not complete and unambiguous.
    """
    offered = {_on_file(one): one.options for one in played(game).solution.decided}
    name, chosen = parse_card(card, source, offered, total_of, OPEN_CARDS)
    return played(game).table(name, PRINTED_CARD, lambda one: chosen[_on_file(one)])


def _on_file(one: BestDecision) -> Seen:
    """Returns what is seen as files name it: hands by class, of which the last is the King of diamonds alone."""
    shown, hand = seen_of(one)
    return shown, (*hand, 0)


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies of a game with an open dealer's card."""
    return StrategyPlan(
        names=(
            MAIN_OPTIMAL,
            ALWAYS_SECOND_CARD,
            THRESHOLDS,
            *_by_own(game),
            MIMIC_DEALER,
            TIME_OUT,
            f"{STAND_ON}TOTAL",
            f"{FILE}PATH.toml",
        ),
        analysed=(MAIN_OPTIMAL, ALWAYS_SECOND_CARD, MIMIC_DEALER),
        played=(MAIN_OPTIMAL, ALWAYS_SECOND_CARD),
        simpler=simpler,
    )


def simpler(game: Game) -> tuple[str, ...]:
    """Returns the simpler strategies, the best of each kind.

    They are one total for each open card; the best by the own card alone, where the first decision is the only one;
    the best single total whatever is open, with the lowest final bet; the dealer's rule; and a time-out.
    """
    play = played(game)
    single = max(range(1, SEVEN_AND_A_HALF), key=lambda total: play.value(standing_on(total)))
    return (
        THRESHOLDS,
        *_by_own(game),
        f"{STAND_ON}{format_half_points(single)}",
        MIMIC_DEALER,
        TIME_OUT,
    )


def _by_own(game: Game) -> tuple[str, ...]:
    return (OWN_CARD,) if decides_once(game) else ()


ENGINE: Final = EngineExact(Staged(text), partial(rows_of, STATED), named, listed, read_card)
"""Exact figures of these games, which are those of the engine."""


@lru_cache(maxsize=256)
def best(game: Game) -> WagerFigures:
    """Returns the figures of the ante under best play."""
    return ENGINE.analyze(game, MAIN_OPTIMAL).wagers[0]

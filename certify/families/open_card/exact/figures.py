"""Exact figures of a game with an open dealer's card under a strategy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from certify.errors import InputError
from certify.families.open_card.exact.optimal import FOLD, HIT, OpenSolution, Pays, best_of, payoff
from certify.families.open_card.exact.strategies import decisions_of, open_strategy
from certify.families.open_card.exact.tree import ANTE, OpenTree, tree_of_open_card
from certify.families.open_card.rules import rules_of
from certify.families.open_card.strategy import OpenCardTable
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASSES, SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import Hand, hand_name, single
from certify.model.figures import Analysis, Decision, Outcome, WagerFigures
from certify.model.game import Game
from certify.model.paytable import Paytable

KING, DEALER_KING = "king-of-diamonds", "dealer-king-of-diamonds"
WIN, PUSH, LOSE, BUST = "win", "push", "lose", "bust"


@dataclass(frozen=True)
class Ended:
    """The ways in which a round can end under a strategy, and the hands that it comes to.

    Args:
        outcomes: Probability by (outcome, final bet).
        reached: Probability by (open card, hand), of hands with a decision.
    """

    outcomes: dict[tuple[str, int], Fraction]
    reached: dict[tuple[int, Hand], Fraction]


def ended(tree: OpenTree, table: OpenCardTable) -> Ended:
    """Returns how rounds end under a strategy, every deal counted."""
    count = _Count(tree, decisions_of(table))
    king = Fraction(tree.deck.kings_of_diamonds, tree.deck.size)
    count.outcomes[KING, 0] += king
    count.outcomes[DEALER_KING, 0] += king
    deals = tree.deck.size * (tree.deck.size - 1)
    for first, open_card, ways in tree.first_deals():
        count.rounds(open_card, single(first), Fraction(ways, deals))
    return Ended(dict(count.outcomes), dict(count.reached))


class _Count:
    """Adds up how rounds end, hands of equal cards together."""

    def __init__(self, tree: OpenTree, chosen: dict[tuple[int, tuple[int, ...]], str]) -> None:
        self.tree = tree
        self.chosen = chosen
        self.outcomes: dict[tuple[str, int], Fraction] = defaultdict(Fraction)
        self.reached: dict[tuple[int, Hand], Fraction] = defaultdict(Fraction)

    def rounds(self, open_card: int, start: Hand, probability: Fraction) -> None:
        """Plays on from a first card and an open card."""
        level: dict[tuple[Hand, int], Fraction] = {(start, 0): probability}
        while level:
            longer: dict[tuple[Hand, int], Fraction] = defaultdict(Fraction)
            for (hand, placed), chance in level.items():
                if not self.tree.may_draw(hand):
                    self._showdown(open_card, hand, placed, chance)
                    continue
                self.reached[open_card, hand] += chance
                move, _, named = self.chosen[open_card, hand[: CLASS_FACE + 1]].partition("-")
                bet = int(named or placed)
                if move == FOLD:
                    self.outcomes[FOLD, 0] += chance
                elif move == HIT:
                    left = self.tree.deck.size - sum(hand) - 1
                    for cards, grown in self.tree.draws(hand, open_card):
                        longer[grown, bet] += chance * Fraction(cards, left)
                else:
                    self._showdown(open_card, hand, bet, chance)
            level = longer

    def _showdown(self, open_card: int, hand: Hand, bet: int, chance: Fraction) -> None:
        if self.tree.total(hand) > SEVEN_AND_A_HALF:
            self.outcomes[BUST, bet] += chance
            return
        made, orders = self.tree.showdown(hand, open_card), self.tree.orders(hand)
        self.outcomes[WIN, bet] += chance * Fraction(made.below + made.bust, orders)
        self.outcomes[PUSH, bet] += chance * Fraction(made.equal, orders)
        self.outcomes[LOSE, bet] += chance * Fraction(made.above, orders)


@lru_cache(maxsize=64)
def open_solution(game: Game) -> OpenSolution:
    """Returns the values of all decisions of a game."""
    _require_ante(game)
    return _solution(tree_of_open_card(game), pays_of(game.wager(ANTE).paytable))


@lru_cache(maxsize=64)
def _solution(tree: OpenTree, pays: Pays) -> OpenSolution:
    """Returns the values of all decisions; what is paid on a first King of diamonds changes none of them."""
    return OpenSolution(tree, pays)


def pays_of(paytable: Paytable) -> Pays:
    """Returns what the bets pay that are played to the end."""
    return Pays(paytable.pays(WIN), paytable.pays(PUSH) if PUSH in paytable.ids else Fraction(0))


def _require_ante(game: Game) -> None:
    ids = tuple(wager.id for wager in game.wagers)
    if ids != (ANTE,):
        raise InputError(f"{game.path}: wagers {', '.join(ids)}: enumeration of this family needs {ANTE}")


@lru_cache(maxsize=128)
def analyze_open_card(game: Game, strategy: str) -> Analysis:
    """Returns the exact figures of a game with an open dealer's card under a named strategy.

    Raises:
        InputError: No such strategy.
    """
    solution = open_solution(game)
    return analyze_open_table(game, open_strategy(solution.tree, solution, strategy))


def analyze_open_table(game: Game, table: OpenCardTable) -> Analysis:
    """Returns the exact figures of a game with an open dealer's card under a strategy given as a table."""
    solution = open_solution(game)
    result = ended(solution.tree, table)
    figures = wager_figures(game, solution.tree, result)
    return Analysis(game.id, table, (figures,), tuple(_decisions(solution, table, result)))


def wager_figures(game: Game, tree: OpenTree, result: Ended) -> WagerFigures:
    """Returns the figures of the ante; net results are in antes, final bets included."""
    paytable = game.wager(ANTE).paytable
    ordered = sorted(result.outcomes, key=lambda end: (_ORDER.index(end[0]), end[1]))
    outcomes = []
    for outcome, bet in ordered:
        terms = payoff(tree, bet, pays_of(paytable))
        net = {
            KING: paytable.pays(KING),
            WIN: terms.win,
            PUSH: terms.tie,
            LOSE: terms.lose,
            BUST: terms.lose,
        }.get(outcome, Fraction(-1))
        name = f"{outcome}-final-{bet}" if bet else outcome
        outcomes.append(Outcome(name, net, result.outcomes[outcome, bet], Fraction(1 + bet)))
    staked = sum(((1 + bet) * chance for (_, bet), chance in result.outcomes.items()), Fraction(0))
    return WagerFigures(ANTE, tuple(outcomes), staked if tree.rules.final_bets else None)


_ORDER = (KING, WIN, PUSH, LOSE, BUST, FOLD, DEALER_KING)


def _decisions(solution: OpenSolution, table: OpenCardTable, result: Ended) -> Iterator[Decision]:
    """Yields the decisions on all hands that the strategy comes to, by number of cards, hand and open card."""
    chosen = decisions_of(table)
    key = lambda entry: (sum(entry[1]), tuple(-held for held in entry[1]), entry[0])  # noqa: E731
    for open_card, hand in sorted(result.reached, key=key):
        values = solution.values(open_card, hand)
        yield Decision(
            hand_name(hand),
            hand,
            CLASSES[open_card],
            best_of(values),
            values,
            chosen[open_card, hand[: CLASS_FACE + 1]],
            result.reached[open_card, hand],
        )


def with_rules(game: Game, **changes: object) -> Game:
    """Returns a game with some of its rules otherwise."""
    return replace(game, rules=replace(rules_of(game), **changes))  # type: ignore[arg-type]

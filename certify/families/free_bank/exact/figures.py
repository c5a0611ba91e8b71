"""Exact figures of the one bet of a game with a free bank, for a pair of strategies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.families.free_bank.charts import SplitChart
from certify.families.free_bank.exact.best_player import PlayerWorth, player_best_response
from certify.families.free_bank.exact.joint import Ends, joint
from certify.families.free_bank.exact.player_hands import FIRST
from certify.families.free_bank.exact.settlement import (
    PAID,
    ROW_BANK,
    ROW_BOTH,
    ROW_BOTH_REALE,
    ROW_BUST,
    ROW_LOSE,
    BankTerms,
    outcome_of,
    terms_of,
)
from certify.families.free_bank.exact.splitting import split_figures
from certify.families.free_bank.rules import BET
from certify.families.free_bank.strategy import HIT, STAND, SWAP, Conduct, Pair, PlayerSees
from certify.families.seven_and_a_half.cards import CLASSES
from certify.families.seven_and_a_half.counting import Hand, single
from certify.model.figures import Analysis, Bracket, Decision, Outcome, WagerFigures
from certify.model.game import Game

ORDER: Final = (*PAID, ROW_LOSE, ROW_BANK, ROW_BOTH, ROW_BOTH_REALE, ROW_BUST)
"""Outcomes of one hand, the best first."""

BY_LOT: Final = "by lot"
"""In place of a decision where the strategy draws lots."""


def outcomes_of(ends: Ends) -> tuple[Outcome, ...]:
    """Returns the outcomes of rounds with one hand, the best first."""
    chances: dict[str, Fraction] = defaultdict(Fraction)
    nets: dict[str, Fraction] = {}
    for (player, bank), chance in ends.chances.items():
        outcome = outcome_of(player, bank)
        chances[outcome] += chance
        nets[outcome] = ends.terms.net(player, bank)
    return tuple(Outcome(row, nets[row], chances[row]) for row in ORDER if row in chances)


@lru_cache(maxsize=64)
def _figures(terms: BankTerms, player: Conduct, bank: Conduct) -> WagerFigures:
    if isinstance(player, SplitChart):
        ends, split = split_figures(terms, player, bank)
        outcomes = (*outcomes_of(ends), *((split,) if split.probability else ()))
        staked = sum((outcome.staked * outcome.probability for outcome in outcomes), Fraction(0))
        return WagerFigures(BET, outcomes, staked)
    return WagerFigures(BET, outcomes_of(joint(terms, player, bank)))


def analyze_pair(game: Game, pair: Pair, bracket: Bracket | None = None) -> Analysis:
    """Returns the exact figures of a game for a pair of strategies.

    Args:
        game: The game.
        pair: How both sides play.
        bracket: What the pair secures, where it is an equilibrium; as returns, one plus the net result.

    Raises:
        InputError: A strategy has no answer to something that it sees.
    """
    terms = terms_of(game)
    found = _figures(terms, pair.player, pair.bank)
    figures = WagerFigures(BET, found.outcomes, found.total_wagered, bracket)
    return Analysis(game.id, pair, (figures,), tuple(_decisions(terms, pair)))


def _decisions(terms: BankTerms, pair: Pair) -> Iterator[Decision]:
    """Yields the decision on each first card, everything after it played best against the bank."""
    found = player_best_response(terms, pair.bank)
    for place, node in enumerate(found.own.nodes):
        if node.before != FIRST:
            continue
        values = values_of(found.worths[place])
        hand: Hand = single(node.cards[0])
        yield Decision(
            CLASSES[node.cards[0]],
            hand,
            None,
            max(values, key=lambda option: values[option]),
            values,
            _chosen(pair, PlayerSees(node.own), tuple(values)),
            found.own.dealt(node),
        )


def values_of(worth: PlayerWorth) -> dict[str, Fraction]:
    """Returns what each decision is worth, by its id."""
    named = ((STAND, worth.stand), (HIT, worth.hit), (SWAP, worth.swap))
    return {option: value for option, value in named if value is not None}


def _chosen(pair: Pair, sees: PlayerSees, options: tuple[str, ...]) -> str:
    chances = pair.chances(sees, options)
    return chances[0][0] if len(chances) == 1 else BY_LOT

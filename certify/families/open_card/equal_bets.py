"""Decisions that are worth the same with either final bet, and what the choice between them moves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.engine.best import BestDecision
from certify.evidence import edge as evidence
from certify.families.open_card.rules import ANTE, FOLD
from certify.families.open_card.strategies import ENGINE, played
from certify.families.open_card.text import listed
from certify.families.seven_and_a_half.strategy_names import COMPOSITION
from certify.messages import say, worded
from certify.model.figures import WagerFigures
from certify.model.game import Game
from certify.model.strategy import MAIN_OPTIMAL


@dataclass(frozen=True, slots=True)
class EqualBetFigures:
    """First decisions with several best final bets, and the two ends of what best play can be.

    Args:
        pairs: The player's first card and the dealer's open card.
        smaller: Figures where the smallest of the best bets is placed, or none: the rule of main-optimal.
        larger: Figures where the largest is placed.
    """

    pairs: tuple[tuple[str, str], ...]
    smaller: WagerFigures
    larger: WagerFigures


def equal_bets(game: Game) -> EqualBetFigures | None:
    """Returns what best play leaves open about the final bet; nothing where it leaves nothing open.

    The return per ante is the same under all of them; what is staked in all, and how far results scatter, is not.
    """

    def largest(one: BestDecision) -> str:
        values = dict(zip(one.options, one.values, strict=True))
        return max(values, key=lambda move: (values[move], _bet(move)))

    best = ENGINE.analyze(game, MAIN_OPTIMAL)
    table = played(game).table(MAIN_OPTIMAL, COMPOSITION, largest)
    placed = {(one.dealer, one.hand): one.chosen for one in best.decisions}
    told = sorted(
        ((listed(seen), move) for seen, move in table.choices),
        key=lambda told: (told[0].composition[::-1], told[0].place[-1]),
    )
    pairs = tuple(
        (one.hand, str(one.dealer))
        for one, move in told
        if _bet(placed.get((one.dealer, one.hand), move)) != _bet(move)
    )
    if not pairs:
        return None
    return EqualBetFigures(pairs, best.wager(ANTE), ENGINE.analyze_table(game, table).wager(ANTE))


def _bet(move: str) -> int:
    """Returns the final bet that a decision places; a fold places less than none."""
    return -1 if move == FOLD else int(move.partition("-")[2] or 0)


def equal_bets_evidence(found: EqualBetFigures) -> evidence.EqualBets:
    """Returns the rule, the decisions it is needed for, and both ends of the interval with one plain sentence."""
    low, high = sorted(_on_all(figures) for figures in (found.smaller, found.larger))
    return evidence.EqualBets(
        pairs=tuple(evidence.EqualBet(hand, dealer) for hand, dealer in found.pairs),
        smaller=_end(found.smaller),
        larger=_end(found.larger),
        interval=(low, high),
        **worded(
            rule=say("edge.equal-bets-rule"),
            sentence=say(
                "edge.equal-bets",
                decisions=len(found.pairs),
                smaller=_on_all(found.smaller),
                larger=_on_all(found.larger),
                smaller_variance=found.smaller.variance,
                larger_variance=found.larger.variance,
            ),
        ),
    )


def _on_all(figures: WagerFigures) -> Fraction:
    return figures.return_on_total_wagered or figures.return_to_player


def _end(figures: WagerFigures) -> evidence.EqualBetsEnd:
    return evidence.EqualBetsEnd(
        return_on_total_wagered=_on_all(figures),
        total_wagered=figures.total_wagered or Fraction(1),
        variance=figures.variance,
        standard_deviation=figures.standard_deviation,
    )

"""Strategies where a board is shared: which situations are played, and decisions in few lines."""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from certify.analysis.engine.strategies import ALWAYS, ConstantChoice
from certify.analysis.hands.strength import RANKS, SHIFT, TITLES
from certify.errors import InputError
from certify.families.one_decision.exact import best_played, counted, played, unit, values
from certify.families.one_decision.hand_vs_dealer import sums
from certify.families.one_decision.shared_board import Board, PlayedSituations
from certify.families.one_decision.text import DecisionTerms, OneDecision
from certify.model import MAIN_OPTIMAL, Decision, Strategy


def names_of(options: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the names of the strategies of a game."""
    fold, play = options
    return MAIN_OPTIMAL, f"{ALWAYS}{play}", f"{ALWAYS}{fold}"


def strategy_of(text: OneDecision, name: str) -> Strategy:
    """Returns a named strategy of a game.

    Raises:
        InputError: No such strategy.
    """
    if name == MAIN_OPTIMAL:
        return best(text.terms)
    if name in names_of(text.options):
        return ConstantChoice(name.removeprefix(ALWAYS))
    raise InputError(f"no strategy {name!r}: expected {', '.join(names_of(text.options))}")


@lru_cache(maxsize=4)
def best(terms: DecisionTerms) -> PlayedSituations:
    """Returns the best strategy for the main wager: every situation is played that loses less than one unit."""
    if not isinstance(terms.told, Board):
        raise InputError("no board is shared in this game")
    return PlayedSituations(
        MAIN_OPTIMAL, "own cards and board", terms.deck, terms.told, best_played(terms).tobytes()
    )


def decisions(terms: DecisionTerms, strategy: Strategy) -> tuple[Decision, ...]:
    """Returns the decisions by what the five seen cards make, and by the highest own card where both are best."""
    found, size = counted(terms), terms.deck.size
    ranks = np.array([rank for rank, _ in terms.deck.cards], dtype=np.int64)
    first, second = np.tril_indices(size, -1)
    highest = np.maximum(ranks[first], ranks[second])
    made = found.strengths >> SHIFT
    decided = best_played(terms).astype(np.int64) * 2 + played(terms, strategy)
    held = np.tile(highest, len(made) // len(highest))
    groups = ((made * len(RANKS) + held) * 4 + decided).astype(np.int32)
    weight, value = (np.zeros(int(groups.max()) + 1, dtype=np.int64) for _ in range(2))
    sums(groups, found.weights, values(terms), weight, value)
    (fold, play), total = terms.options, int(weight.sum())
    lines: dict[tuple[int, int, int], list[int]] = {}
    met = np.flatnonzero(weight).tolist()
    for group in met:
        alike = [one for one in met if one // 4 // len(RANKS) == group // 4 // len(RANKS)]
        whole = len({one % 4 for one in alike}) == 1
        split = len([one for one in alike if one // 4 == group // 4]) > 1
        rank = len(RANKS) if whole else group // 4 % len(RANKS)
        both = lines.setdefault((group // 4 // len(RANKS), rank, group % 4 + 4 * split), [0, 0])
        both[0] += int(weight[group])
        both[1] += int(value[group])
    shown = []
    for (kind, rank, how), (times, worth) in sorted(lines.items(), reverse=True):
        title = TITLES[kind] if rank == len(RANKS) else f"{TITLES[kind]}, {RANKS[rank]} in hand"
        title += f", where {terms.options[how // 2 % 2]} is best" * (how >= 4)
        shown.append(
            Decision(
                hand=title,
                composition=(),
                dealer=None,
                best=terms.options[how // 2 % 2],
                values={fold: Fraction(-1), play: Fraction(worth, times * unit(terms))},
                chosen=terms.options[how % 2],
                probability=Fraction(times, total),
            )
        )
    return tuple(shown)

"""What the gate knows of single families of games, all of it here: each function is one that a family would answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from certify.gate.printed_verdict import PrintedVerdict
from certify.model.figures import Outcome
from certify.model.game import Game
from certify.model.printed import PrintedCount, PrintedRow
from certify.model.rules import OpenCardRules

_POINT_RULES: Final = ("target", "dealer-stands-on")


def rule_counts_points(rule: str) -> bool:
    """Tells whether the value of a rule is a number of points, so that 7½ and 7 1/2 are one value."""
    return rule in _POINT_RULES


def row_of(outcome: Outcome) -> tuple[str, int]:
    """Returns the row of an outcome and the units staked in it: ``win-final-2`` is ``win`` with three antes."""
    row, _, final = outcome.id.partition("-final-")
    return (row, 1 + int(final)) if final.isdecimal() else (outcome.id, 1)


def printed_judges(game: Game) -> Sequence[Callable[[], PrintedVerdict]] | None:
    """Returns what judges each printed count and row of a game, one that cannot be counted hiding no other.

    None where nothing counts what the games of its family print.
    """
    if not isinstance(game.rules, OpenCardRules):
        return None
    from certify.analysis.counting import Deck
    from certify.analysis.open_card.document import JUDGED_UNDER
    from certify.analysis.open_card.figures import open_solution
    from certify.analysis.open_card.printed import count_verdict, row_verdict
    from certify.analysis.open_card.strategies import open_strategy

    solution = open_solution(game)
    tree = solution.tree
    deck = Deck(tree.deck.cards)
    tables = tuple(open_strategy(tree, solution, name) for name in JUDGED_UNDER)

    def judge_count(count: PrintedCount) -> PrintedVerdict:
        found = count_verdict(deck, tree.values.points, count)
        return PrintedVerdict((str(found.verdict),), (), found.detail)

    def judge_row(row: PrintedRow) -> PrintedVerdict:
        found = row_verdict(tree, row, tables)
        return PrintedVerdict(
            (str(found.as_implied), str(found.as_probability)), tuple(found.slips), found.reason
        )

    return [
        *(lambda count=count: judge_count(count) for count in game.printed_counts),
        *(lambda row=row: judge_row(row) for row in game.printed_rows),
    ]

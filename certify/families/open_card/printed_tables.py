"""Tables of hands and outcomes as sources of these games print them, and what judges each figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certify.exact import parse_half_points
from certify.families.open_card.exact.document import JUDGED_UNDER
from certify.families.open_card.exact.figures import open_solution
from certify.families.open_card.exact.printed import count_verdict, row_verdict
from certify.families.open_card.exact.strategies import open_strategy
from certify.families.open_card.submitted import KING_OF_DIAMONDS
from certify.families.port import PrintedVerdict
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASSES
from certify.families.seven_and_a_half.counting import Deck
from certify.model.game import Game
from certify.model.printed import PrintedCount, PrintedRow


class OpenCardPrintedTables:
    """Counts of hands, and rows of outcomes against one hand of the dealer."""

    counted: tuple[str, ...] = ("two-card-hands", "one-card-hands", "all-hands")
    cards: tuple[str, ...] = (*CLASSES[: CLASS_FACE + 1], KING_OF_DIAMONDS)

    def total(self, text: str) -> int:
        """Returns a printed total in half points."""
        return parse_half_points(text)

    def judges(self, game: Game) -> Sequence[Callable[[], PrintedVerdict]]:
        """Returns what judges each count and row by itself: one that cannot be counted hides no other."""
        if not (game.printed_counts or game.printed_rows):
            return []
        solution = open_solution(game)
        tree = solution.tree
        deck = Deck(tree.deck.cards)
        tables = tuple(open_strategy(tree, solution, name) for name in JUDGED_UNDER)

        def judge_count(count: PrintedCount) -> PrintedVerdict:
            found = count_verdict(deck, tree.values.points, count)
            return PrintedVerdict((str(found.verdict),), (), found.detail)

        def judge_row(row: PrintedRow) -> PrintedVerdict:
            found = row_verdict(tree, row, tables)
            worth = (str(found.as_implied), str(found.as_probability))
            return PrintedVerdict(worth, tuple(found.slips), found.reason)

        return [
            *(lambda count=count: judge_count(count) for count in game.printed_counts),
            *(lambda row=row: judge_row(row) for row in game.printed_rows),
        ]

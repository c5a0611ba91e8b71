"""What a submission of a described game states of its rows: the port that its families share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from certify.analysis.hands.strength import SHIFT
from certify.errors import InputError
from certify.families.described.conditions import HandKinds, Measurement, Within, parts_of
from certify.families.described.reading import Described, described_of
from certify.families.described.rules import LOSE, DescribedRules, Group, Ranking, Worth
from certify.families.described.text import Kept, row_of, rows_of
from certify.families.port import RuleReader, TableForm
from certify.model.game import Game

NAMES: Final[Mapping[str, TableForm]] = {
    "face_groups": TableForm(Group, many=True),
    "face_worth": TableForm(Worth, many=True),
    "hand_rankings": TableForm(Ranking, many=True),
}
"""Tables of what conditions speak of, in every described game: faces, what they count, hands."""


class DescribedSubmission:
    """Wagers and rows are the submission's own; what is played stands in tables that a family reads."""

    rule_ids: tuple[str, ...] = ()
    wager_ids: tuple[str, ...] = ()
    bankers: tuple[str, ...] = ("house",)

    def read(self, rules: RuleReader) -> DescribedRules:
        """Returns rules without a turn: what is played stands in tables of its own."""
        return DescribedRules()

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns none: what can be bet on is the submission's own."""
        return ()

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of a wager that something leads to and that the paytable must pay."""
        found = described(game)
        if found is None or wager not in found.wagers:
            return ()
        return tuple(row for row in found.rows_of(wager) if row != LOSE and (wager, row) not in found.returns)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that a condition or an option names, winning ones first, and that of a lost stake."""
        found = described(game)
        if found is None or wager not in found.wagers:
            return ()
        return tuple(dict.fromkeys((*(row for row in found.rows_of(wager) if row != LOSE), LOSE)))

    def row_of(self, outcome: str) -> str:
        """Returns the row that an outcome is named after."""
        return row_of(outcome)

    def rows_of(self, game: Game, wager: str, outcome: str) -> tuple[str, ...]:
        """Returns every row that an outcome is paid by, that which it is named after first."""
        found = described(game)
        return (self.row_of(outcome),) if found is None else rows_of(found, wager, outcome)

    def unnamed_kinds(self, game: Game, wager: str) -> Mapping[str, str]:
        """Returns kinds that no condition of a wager names though it names a lower one, each with the next lower."""
        found = described(game)
        if found is None or wager not in found.wagers:
            return {}
        spans: dict[HandKinds, list[tuple[int, int]]] = {}
        for one in (one for turn in found.turns for one in (*turn.endings, *turn.bonuses)):
            if one.wager == found.wagers.index(wager) and not isinstance(one.when, tuple):
                for part in parts_of(one.when):
                    if (
                        isinstance(part, Within)
                        and isinstance(part.reading, Measurement)
                        and part.reading.order
                    ):
                        span = part.low >> SHIFT, part.high >> SHIFT
                        spans.setdefault(part.reading.order, []).append(span)
        forgotten = {}
        for order, own in spans.items():
            named = [any(low <= kind <= high for low, high in own) for kind in range(len(order.kinds))]
            first = named.index(True) if True in named else len(named)
            for kind in (kind for kind in range(first, len(named)) if not named[kind]):
                forgotten[order.kinds[kind]] = order.kinds[kind - 1]
        return forgotten


def described(game: Game) -> Described | None:
    """Returns a game as it was described; none where a mistake keeps it from being read."""
    if not isinstance(game.rules, DescribedRules):
        return None
    try:
        return _described(Kept(game, game.rules))
    except InputError:
        return None


@lru_cache(maxsize=4)
def _described(kept: Kept) -> Described:
    return described_of(kept.game, kept.rules)

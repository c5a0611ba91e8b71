"""The exact figures of video poker behind the port of the families."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from certify.analysis.engine.exposure import costliest
from certify.analysis.explanation import Explanation
from certify.analysis.hands.held import HAND, HOLD_IDS, HOLD_OF, arranged
from certify.analysis.hands.wagers import faces_named
from certify.families.port import StrategyPlan
from certify.families.video_poker.rules import BET
from certify.families.video_poker.strategy import hold_table
from certify.families.video_poker.text import deck_of, reference
from certify.model.equipment import Row
from certify.model.figures import Analysis, Joint, joint_of_one_wager
from certify.model.game import Game
from certify.model.stages import Price
from certify.model.strategy import MAIN_OPTIMAL, Strategy
from certify.model.witness import Exposure


class VideoPokerExact:
    """Exact figures by complete enumeration of deals and holds."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of the bet under a named strategy; stakes change nothing for one wager."""
        # Loading numba takes a moment that --help need not wait for; so everywhere below.
        from certify.families.video_poker import figures

        return figures.analyze_table(game, figures.table_of(game, strategy))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of the bet under a strategy."""
        from certify.families.video_poker import figures

        return figures.analyze_table(game, hold_table(strategy))

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the distribution of the one wager."""
        return joint_of_one_wager(self.analyze(game, strategy))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost the house, with a deal that shows it."""
        rules = reference(game)
        rows = {row.id: rules.shows(BET, row.id.__eq__) for row in game.wager(BET).paytable.rows}
        pays = game.wager(BET).paytable.pays
        prices = {row: {BET: Price(pays(row), Fraction(1))} for row, found in rows.items() if found}

        def dealt(row: str) -> tuple[Row, tuple[str, ...]]:
            shown, faces = rows[row], game.equipment[0].faces
            hand = [faces.index(name) for name in shown.faces] if shown else []
            rest = (face for face in range(game.equipment[0].size) if face not in hand)
            return (*hand, *rest), (HOLD_IDS[0],)

        return costliest(game, prices, dealt)

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns what every hold of a hand is worth, such as ``A of hearts, K of hearts, ...``.

        Raises:
            InputError: The text does not name five different cards of the deck.
        """
        from certify.families.video_poker import figures

        hand = faces_named(game.equipment[0], text, HAND, "five different cards")
        values = figures.values_of_hand(game, hand)
        best = max(HOLD_IDS, key=lambda hold: values[HOLD_OF[hold]])
        named = tuple((hold, values[HOLD_OF[hold]]) for hold in HOLD_IDS)
        names = (game.equipment[0].faces[face] for face in arranged(deck_of(game), hand))
        return Explanation(", ".join(names), None, None, (), None, (), None, best, named)


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies."""
    return StrategyPlan(
        names=(MAIN_OPTIMAL, "hold-list", "as-dealt", "file:PATH.toml"),
        analysed=(MAIN_OPTIMAL, "hold-list"),
        played=(MAIN_OPTIMAL, "hold-list"),
        simpler=lambda _: ("hold-list", "as-dealt"),
    )


def best_return(game: Game, wager: str) -> Fraction:
    """Returns the return of the one wager under best play."""
    from certify.families.video_poker import figures

    return figures.return_of_best(game)

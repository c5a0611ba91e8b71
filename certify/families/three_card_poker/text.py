"""Three card poker as it is played: three cards, play or fold, the dealer's three."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.hands import kinds
from certify.analysis.hands.kinds import HIGH, SHIFT
from certify.families.one_decision.ends import FOLDED
from certify.families.one_decision.text import LOST, OneDecision, highest
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.rules import rules_of
from certify.model.figures import Outcome
from certify.model.game import Game, Wager
from certify.model.paytable import Paytable


@dataclass(frozen=True)
class ThreeCardPoker(OneDecision):
    """The rules of three card poker."""

    cards = 3
    opened = 0
    shared = 3
    main = ids.ANTE
    options = ids.OPTIONS
    kinds = tuple(range(kinds.MINI_ROYAL + 1))
    adds = Fraction(1)

    @property
    def least(self) -> int:
        """Strength from which the dealer qualifies: a pair or better, or a high enough card."""
        return 1 << rules_of(self.game).lowest

    @property
    def fold_loses_all(self) -> bool:
        """Whether a player who folds loses every other bet too."""
        return rules_of(self.game).fold_loses_all

    def outcome(self, wager: Wager, kind: int, end: int, together: int) -> str:
        """Returns how a wager ends; a bonus on the ante stands before how the ante ended."""
        if wager.id == ids.SIX_CARDS:
            return next((row for row in kinds.ROWS[together] if row in ids.SIX_HANDS), LOST)
        if wager.id == ids.PAIR_PLUS:
            return _row(kind, wager.paytable, ids.HANDS) or LOST
        if end == FOLDED:
            return ids.FOLD
        bonus = _row(kind, wager.paytable, ids.BONUSES)
        return f"{bonus}-{ids.ENDS[end]}" if bonus else ids.ENDS[end]

    def main_net(self, outcome: str) -> Fraction:
        """Returns the net result of an outcome of the ante with the play bet and the bonus, in antes."""
        if outcome == ids.FOLD:
            return Fraction(-1)
        pays = self.game.wager(ids.ANTE).paytable.pays
        bonus, _, end = outcome.rpartition("-")
        played = {ids.TIE: Fraction(0), ids.LOSE: Fraction(-2)}
        net = played[end] if end in played else pays(end) * (2 if end == ids.WIN else 1)
        return net + pays(bonus) if bonus else net

    def rows(self, wager: Wager) -> tuple[Outcome, ...]:
        """Returns every outcome of a wager, without probability."""
        if wager.id != ids.ANTE:
            ranking = ids.HANDS if wager.id == ids.PAIR_PLUS else ids.SIX_HANDS
            named = (*(row for row in ranking if row in wager.paytable.ids), LOST)
            return tuple(Outcome(one, self.net(wager.id, one), Fraction(0)) for one in named)
        bonuses = [row for row in ids.BONUSES if row in wager.paytable.ids]
        ended = [*(f"{bonus}-{end}" for bonus in bonuses for end in ids.ENDS), *ids.ENDS, ids.FOLD]
        return tuple(
            Outcome(one, self.main_net(one), Fraction(0), self.staked(ids.ANTE, one), ids.row_of(one))
            for one in ended
        )

    def called(self, strength: int) -> str:
        """Returns what a hand is called."""
        kind = strength >> SHIFT
        return kinds.THREE_TITLES[kind] if kind != HIGH else f"{highest(strength)} high"


def _row(kind: int, paytable: Paytable, among: tuple[str, ...]) -> str:
    """Returns the first row of some that a kind of hands is paid by and the paytable names, empty if none."""
    return next((row for row in kinds.THREE_ROWS[kind] if row in among and row in paytable.ids), "")


def text_of(game: Game) -> ThreeCardPoker:
    """Returns the rules of a game, which are its reference round."""
    return ThreeCardPoker(game)

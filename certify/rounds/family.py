"""The rules of the families in certify.games, behind the port that rounds need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from certify.errors import InputError
from certify.families.open_card.family import OpenCardFamily
from certify.families.open_card.rulebook import ANTE
from certify.families.open_card.rules import rules_of as open_card_rules
from certify.families.sette_e_mezzo import rulebook
from certify.families.sette_e_mezzo.family import SetteEMezzoFamily
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, rules_of
from certify.model.game import Game
from certify.model.paytable import Paytable
from certify.rounds.open_card import OpenCardPlay
from certify.rounds.play import HIT, STAND, Edition, Play, Position, Result
from certify.rounds.policy import Policy


@dataclass(frozen=True, slots=True)
class SetteEMezzoPlay:
    """7 e Mezzo against the house, one decision at a time.

    Args:
        rules: Rules of play.
        paytables: Paytable of each wager by its id.
    """

    rules: SetteEMezzoRules
    paytables: Mapping[str, Paytable]

    @property
    def decisions(self) -> tuple[str, ...]:
        """Every decision that some round of the game offers."""
        return (HIT, STAND)

    @property
    def final_bets(self) -> tuple[int, ...]:
        """None: every stake of the game is placed before the deal."""
        return ()

    def final_bet(self, decision: str) -> int:
        """Returns zero: no decision of the game places money."""
        return 0

    def witnesses(self) -> tuple[tuple[int, ...], ...]:
        """Returns none: shuffled decks alone reach every point of a round."""
        return ()

    def position(self, deck: Sequence[int], decisions: Sequence[str]) -> Position:
        """Returns how the round stands after the decisions; the dealer's hand once it lies open."""
        player, waiting, drawn = self._player(deck, decisions)
        if waiting:
            return Position(player, (), (HIT, STAND))
        if rulebook.is_bust(player):
            # Where a pair wins whatever happens next, the dealer turns over the first card after a bust too.
            covered = self.rules.pair_condition is PairCondition.DEALER_MUST_UNCOVER
            return Position(player, () if covered else (deck[1],), ())
        return Position(player, self._dealer(deck, player, drawn), ())

    def settle(self, deck: Sequence[int], decisions: Sequence[str]) -> Mapping[str, Result]:
        """Returns the row and the net pay of every wager.

        Raises:
            InputError: The player's hand is not done.
        """
        player, waiting, drawn = self._player(deck, decisions)
        if waiting:
            raise InputError(f"the hand is not done after {len(decisions)} decisions: expected another one")
        bust = rulebook.is_bust(player)
        dealer = (deck[1],) if bust else self._dealer(deck, player, drawn)
        rows = rulebook.settle(player, dealer, self.rules)
        return {wager: Result(row, self._net(wager, row)) for wager, row in rows if wager in self.paytables}

    def _player(self, deck: Sequence[int], decisions: Sequence[str]) -> tuple[tuple[int, ...], bool, int]:
        """Returns the player's cards, whether a decision is open, and how many cards left the deck."""
        hand = [deck[0]]
        drawn = 2
        remaining = iter(decisions)
        while True:
            if not rulebook.player_must_draw(hand, self.rules):
                if not rulebook.player_may_decide(hand, self.rules):
                    break
                decision = next(remaining, None)
                if decision is None:
                    return tuple(hand), True, drawn
                if decision == STAND:
                    break
            hand.append(deck[drawn])
            drawn += 1
        if next(remaining, None) is not None:
            raise InputError(f"{len(decisions)} decisions were recorded, expected fewer: the hand was done")
        return tuple(hand), False, drawn

    def _dealer(self, deck: Sequence[int], player: Sequence[int], drawn: int) -> tuple[int, ...]:
        value = rulebook.hand_value(player)
        hand = [deck[1]]
        while rulebook.dealer_must_draw(hand, value, self.rules):
            hand.append(deck[drawn])
            drawn += 1
        return tuple(hand)

    def _net(self, wager: str, row: str) -> Fraction:
        # A paytable names what it pays; an outcome that no row names loses the stake.
        paytable = self.paytables[wager]
        return paytable.pays(row) if row in paytable.ids else Fraction(-1)


def play_of(game: Game) -> Play:
    """Returns the rules of a game as code.

    Raises:
        InputError: No code here plays rounds of that family.
    """
    if game.family == SetteEMezzoFamily().id:
        return SetteEMezzoPlay(rules_of(game), {wager.id: wager.paytable for wager in game.wagers})
    if game.family == OpenCardFamily().id:
        return OpenCardPlay(open_card_rules(game), game.wager(ANTE).paytable)
    raise InputError(
        f"no rounds of family {game.family!r} can be played: expected sette-e-mezzo or seven-and-a-half-open-card"
    )


def edition_of(game: Game, policy: Policy | None = None, software: str = "") -> Edition:
    """Returns a game with its rules as code and its terms as parameters, ready to be played."""
    return Edition(game, play_of(game), policy or Policy.of(game.terms), software)

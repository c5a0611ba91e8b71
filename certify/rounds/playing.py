"""Dealing, deciding and settling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from certify.errors import InputError, OperationError
from certify.exact import fraction_text
from certify.families.driver import RowExhaustedError
from certify.rounds.betting import Betting, multiplied
from certify.rounds.events import (
    Bets,
    CardsDealt,
    DecisionTaken,
    RoundSettled,
    SettledWager,
    StakeAdded,
    deck_commitment,
)
from certify.rounds.money import Account, returned_on, transfer
from certify.rounds.operations import (
    Step,
    next_round_id,
    open_chips,
    round_of,
    verify_connected,
    verify_phase,
)
from certify.rounds.play import Play, RoundPosition
from certify.rounds.state import Phase, Round, Seat, merged

DEAL: Final = "deal"
REBET_AND_DEAL: Final = "rebet-and-deal"
DOUBLE_AND_DEAL: Final = "double-and-deal"

_REPEATED: Final = {REBET_AND_DEAL: (1, "rebet and deal"), DOUBLE_AND_DEAL: (2, "double and deal")}
"""By how much each button multiplies the bets of the previous round, and what it does in words."""


class Playing(Betting):
    """Operations from the deal to the settlement."""

    __slots__ = ()

    def stakes_to_accept(self, seat: Seat, how: str) -> Bets:
        """Returns the stakes that a deal would accept, verified before a row of draws is taken for it.

        Args:
            seat: Who bets.
            how: The button pressed.

        Raises:
            OperationError: The game is unavailable, no valid bet lies there, or a limit or the balance forbids it.
        """
        if how == DEAL:
            self.verify_betting(seat, "deal")
            stakes = merged(open_chips(seat))
            if not stakes:
                raise OperationError(f"cannot deal: no bets lie on the layout at seat {seat.id}")
            operation = "deal"
        else:
            factor, operation = _REPEATED[how]
            self.verify_repeatable(seat, operation, factor)
            stakes = multiplied(seat.previous, factor)
        self.verify_stakes(seat, operation, stakes)
        return stakes

    def deal(self, seat: Seat, stakes: Bets, deck: Sequence[int], how: str = DEAL) -> Step:
        """Accepts stakes, holds them and deals the first cards.

        Args:
            seat: Who bets.
            stakes: What :meth:`stakes_to_accept` returned for the seat as it is.
            deck: The row of draws of the round.
            how: The button pressed.

        Raises:
            OperationError: The deck is not whole.
        """
        row, round_id, edition = tuple(deck), next_round_id(seat), self.edition
        position = played_to(edition.play, row, (), how)
        dealt = CardsDealt(
            stakes=stakes,
            rules=edition.rules,
            deck=row,
            hands=position.hands,
            options=position.options,
            how=how,
            currency=edition.game.wagers[0].limits.currency,
            deck_sha256=deck_commitment(round_id, row),
        )
        staked = sum([amount for _, amount in stakes])
        return self.happen(seat, round_id, dealt, transfer(staked, Account.PLAYER, Account.HELD))

    def decide(self, seat: Seat, decision: str) -> Step:
        """Takes a decision by its name; what it adds to the stakes is debited with it and held.

        Raises:
            OperationError: It is not offered now, or exceeds the balance.
        """
        operation = decision or "decide"
        current = round_of(seat, operation)
        verify_connected(seat, operation)
        verify_phase(current, operation, Phase.DECISION)
        self.verify_alive(seat, current, operation)
        if decision not in current.options:
            raise OperationError(
                f"cannot {operation}: round {current.id} offers {', '.join(current.options)}"
            )
        play = self.edition_of(current).play
        position = played_to(play, current.deck, (*current.decisions, decision), decision)
        shown = (decision, current.options, position.hands, position.options)
        added = play.added(decision, current.stakes)
        amount = sum([part for _, part in added])
        # GLI-19 4.3.3: a wager never makes a balance negative. The deal demanded cover; other games of a shared wallet
        # may have spent it since.
        if amount > seat.balance:
            raise OperationError(
                f"cannot {operation}: the {amount} that it adds exceed the balance of {seat.balance}"
            )
        body = StakeAdded(current.additions + 1, added, *shown) if added else DecisionTaken(*shown)
        return self.happen(seat, current.id, body, transfer(amount, Account.PLAYER, Account.HELD))

    def settle(self, seat: Seat) -> Step:
        """Pays every wager by the rules in force when it was accepted; the player need not be there (GLI-19 4.16.3(a)).

        Raises:
            OperationError: A decision is open, the round is complete, or the bet is void by its term.
        """
        current = round_of(seat, "settle")
        verify_phase(current, "settle", Phase.RESOLVED)
        self.verify_alive(seat, current, "settle")
        results = self.results(current)
        returned = sum([result.returned for result in results])
        moved = transfer(current.staked, Account.HELD, Account.HOUSE)
        moved += transfer(returned, Account.HOUSE, Account.PLAYER)
        return self.happen(seat, current.id, RoundSettled(results, returned), moved)

    def results(self, current: Round) -> tuple[SettledWager, ...]:
        """Returns how the wagers of a round without open decisions end, by its own edition."""
        edition = self.edition_of(current)
        settled = edition.play.settle(current.deck, current.decisions)
        added, rounding = dict(current.added), edition.policy.rounding
        results = []
        for wager, stake in current.stakes:
            net, more = settled[wager].net, added.get(wager, 0)
            returned = returned_on(stake, net, rounding, more)
            outcome = settled[wager].outcome
            results.append(SettledWager(wager, stake, outcome, fraction_text(net), returned, more))
        return tuple(results)


def played_to(play: Play, row: Sequence[int], decisions: Sequence[str], operation: str) -> RoundPosition:
    """Returns the position of a round after some decisions.

    Raises:
        OperationError: It asks for more draws than its row holds: it cannot be played on.
    """
    try:
        return play.position(row, decisions)
    except RowExhaustedError as error:
        raise OperationError(f"cannot {operation}: {error}") from error
    except InputError as error:
        raise OperationError(f"cannot {operation}: the deck is not whole: {error}") from error

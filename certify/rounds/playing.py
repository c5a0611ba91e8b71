"""Dealing, deciding and settling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from certify.errors import InputError, OperationError
from certify.exact import fraction_text
from certify.families.driver import RowExhaustedError
from certify.model.equipment import split_row
from certify.rounds.betting import Betting, multiplied
from certify.rounds.events import (
    Bets,
    CardsDealt,
    DecisionTaken,
    RoundSettled,
    RulesInForce,
    StakeAdded,
    WagerResult,
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
from certify.rounds.play import Edition, Position
from certify.rounds.state import Phase, Round, Seat, merged

_REPEATED: Final = {1: "rebet and deal", 2: "double and deal"}


class Playing(Betting):
    """Operations from the deal to the settlement."""

    __slots__ = ()

    def verify_deal(self, seat: Seat, deck: Sequence[int]) -> None:
        """Checks that the bets on the layout may be accepted and cards dealt.

        Raises:
            OperationError: The game is unavailable, no valid bet lies there, or the deck is not whole.
        """
        self.verify_accept(seat)
        verify_row(self.edition, deck, "deal")

    def verify_accept(self, seat: Seat) -> None:
        """Checks that the bets on the layout may be accepted.

        Raises:
            OperationError: The game is unavailable, or no valid bet lies there.
        """
        self.verify_betting(seat, "deal")
        if not open_chips(seat):
            raise OperationError(f"cannot deal: no bets lie on the layout at seat {seat.id}")
        self.verify_stakes(seat, "deal", merged(open_chips(seat)))

    def deal(self, seat: Seat, deck: Sequence[int]) -> Step:
        """Accepts the bets, debits them and deals the first cards."""
        self.verify_accept(seat)
        return self._accept(seat, merged(open_chips(seat)), deck, "deal")

    def verify_rebet_and_deal(self, seat: Seat, deck: Sequence[int], factor: int = 1) -> None:
        """Checks that the previous bets, multiplied, may be accepted at once.

        Raises:
            OperationError: As for placing and dealing them; the limits hold for the initial bets.
        """
        self.verify_accept_again(seat, factor)
        verify_row(self.edition, deck, _REPEATED[factor])

    def verify_accept_again(self, seat: Seat, factor: int = 1) -> None:
        """Checks that the previous bets, multiplied, may be accepted.

        Raises:
            OperationError: As for placing them and accepting what lies on the layout.
        """
        self.verify_repeatable(seat, _REPEATED[factor], factor)
        self.verify_stakes(seat, _REPEATED[factor], multiplied(seat.previous, factor))

    def rebet_and_deal(self, seat: Seat, deck: Sequence[int]) -> Step:
        """Bets as in the previous round and deals."""
        self.verify_accept_again(seat)
        return self._accept(seat, seat.previous, deck, "rebet-and-deal")

    def verify_double_and_deal(self, seat: Seat, deck: Sequence[int]) -> None:
        """Checks that twice the previous bets may be accepted at once.

        Raises:
            OperationError: As for placing and dealing them.
        """
        self.verify_rebet_and_deal(seat, deck, factor=2)

    def double_and_deal(self, seat: Seat, deck: Sequence[int]) -> Step:
        """Bets twice as much as in the previous round and deals."""
        self.verify_accept_again(seat, factor=2)
        return self._accept(seat, multiplied(seat.previous, 2), deck, "double-and-deal")

    def verify_decide(self, seat: Seat, decision: str) -> None:
        """Checks that the player may take a decision, and has the money for what it adds.

        Raises:
            OperationError: The round does not offer it, the player is away, the bet is void, or the balance
                does not cover what it adds.
        """
        self._verify_decision(seat, decision or "decide")
        current = round_of(seat, decision)
        amount = sum(added for _, added in self._added(current, decision))
        # GLI-19 4.3.3: a wager never makes a balance negative. The deal demanded cover; other games of a
        # shared wallet may have spent it since.
        if amount > seat.balance:
            raise OperationError(
                f"cannot {decision}: the {amount} that it adds exceed the balance of {seat.balance}"
            )

    def decide(self, seat: Seat, decision: str) -> Step:
        """Takes a decision by its name; what it adds to the stakes is debited with it and held."""
        self.verify_decide(seat, decision)
        current = round_of(seat, decision)
        edition = self.edition_of(current)
        position = played_to(edition, current.deck, (*current.decisions, decision), decision)
        shown = (decision, current.options, position.hands, position.options)
        added = self._added(current, decision)
        if not added:
            return self.happen(seat, current.id, DecisionTaken(*shown))
        body = StakeAdded(current.additions + 1, added, *shown)
        amount = sum(part for _, part in added)
        return self.happen(seat, current.id, body, transfer(amount, Account.PLAYER, Account.HELD))

    def verify_settle(self, seat: Seat) -> None:
        """Checks that the round may be settled; the player need not be connected (GLI-19 4.16.3(a)).

        Raises:
            OperationError: A decision is open, the round is complete, or the bet is void by its term.
        """
        current = round_of(seat, "settle")
        verify_phase(current, "settle", Phase.RESOLVED)
        self.verify_alive(seat, current, "settle")

    def settle(self, seat: Seat) -> Step:
        """Pays every wager by the rules in force when it was accepted."""
        self.verify_settle(seat)
        current = round_of(seat, "settle")
        results = self.results(current)
        returned = sum(result.returned for result in results)
        postings = transfer(current.staked, Account.HELD, Account.HOUSE) + transfer(
            returned, Account.HOUSE, Account.PLAYER
        )
        return self.happen(seat, current.id, RoundSettled(results, returned), postings)

    def results(self, current: Round) -> tuple[WagerResult, ...]:
        """Returns how the wagers of a round without open decisions end, by its own edition."""
        edition = self.edition_of(current)
        settled = edition.play.settle(current.deck, current.decisions)
        added = dict(current.added)
        return tuple(
            WagerResult(
                wager=wager,
                stake=stake,
                outcome=settled[wager].outcome,
                net=fraction_text(settled[wager].net),
                returned=returned_on(stake, settled[wager].net, edition.policy.rounding, added.get(wager, 0)),
                added=added.get(wager, 0),
            )
            for wager, stake in current.stakes
        )

    def verify_alive(self, seat: Seat, current: Round, operation: str) -> None:
        """Refuses an operation on a bet whose term has passed.

        Raises:
            OperationError: The bet is void, whether or not that was recorded yet.
        """
        if current.accepted_at is not None and self.is_void(seat, current):
            policy = self.edition_of(current).policy
            deadline = policy.deadline(current.accepted_at).isoformat()
            raise OperationError(
                f"cannot {operation}: the bets of round {current.id} are void since {deadline}, "
                f"{policy.void_after_days} days after they were accepted"
            )

    def _accept(self, seat: Seat, stakes: Bets, deck: Sequence[int], how: str) -> Step:
        edition = self.edition
        position = played_to(edition, deck, (), how)
        round_id = next_round_id(seat)
        game = edition.game
        body = CardsDealt(
            stakes=stakes,
            rules=RulesInForce(game.id, game.version, game.sha256, edition.software),
            deck=tuple(deck),
            hands=position.hands,
            options=position.options,
            how=how,
            currency=game.wagers[0].limits.currency,
            deck_sha256=deck_commitment(round_id, tuple(deck)),
        )
        total = sum(amount for _, amount in stakes)
        return self.happen(seat, round_id, body, transfer(total, Account.PLAYER, Account.HELD))

    def _verify_decision(self, seat: Seat, decision: str) -> None:
        current = round_of(seat, decision)
        verify_connected(seat, decision)
        verify_phase(current, decision, Phase.DECISION)
        self.verify_alive(seat, current, decision)
        if decision not in current.options:
            offered = ", ".join(current.options)
            raise OperationError(f"cannot {decision}: round {current.id} offers {offered}")

    def _added(self, current: Round, decision: str) -> Bets:
        """Returns what a decision adds to the stakes of a round, in minor units."""
        return self.edition_of(current).play.added(decision, current.stakes)


def played_to(edition: Edition, row: Sequence[int], decisions: Sequence[str], operation: str) -> Position:
    """Returns how a round stands after some decisions.

    Raises:
        OperationError: It asks for more draws than its row holds: it cannot be played on.
    """
    try:
        return edition.play.position(row, decisions)
    except RowExhaustedError as error:
        raise OperationError(f"cannot {operation}: {error}") from error
    except InputError as error:
        raise OperationError(f"cannot {operation}: the deck is not whole: {error}") from error


def verify_row(edition: Edition, row: Sequence[int], operation: str) -> None:
    """Refuses a row of draws that the equipment of the game cannot have given, such as a deck that lacks a card.

    Raises:
        OperationError: A draw is missing, foreign or, where nothing is put back, there twice (GLI-19 4.4.4).
    """
    try:
        split_row(edition.game.equipment, row)
    except InputError as error:
        raise OperationError(f"cannot {operation}: the deck is not whole: {error}") from error

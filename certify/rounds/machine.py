"""Dealing, deciding, settling and voiding: the machine of a round."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from certify.errors import InputError, OperationError
from certify.exact import fraction_text
from certify.families import RowExhaustedError
from certify.rounds.events import (
    Bets,
    BetsExpired,
    CardsDealt,
    DecisionTaken,
    GameRestored,
    GameSuspended,
    MalfunctionDeclared,
    PlayerDisconnected,
    RoundResumed,
    RoundSettled,
    SettledWager,
    StakeAdded,
    deck_commitment,
)
from certify.rounds.money import Account, Posting, returned_on, transfer
from certify.rounds.operations import (
    Betting,
    Step,
    multiplied,
    next_round_id,
    open_chips,
    round_of,
    verify_connected,
    verify_phase,
)
from certify.rounds.play import Play, RoundPosition
from certify.rounds.policy import AfterSettlement, VoidStakes
from certify.rounds.state import OPEN, Phase, Round, Seat, merged

DEAL: Final = "deal"
_REPEATED: Final = {"rebet-and-deal": (1, "rebet and deal"), "double-and-deal": (2, "double and deal")}
"""By how much each button multiplies the bets of the previous round, and what it does in words."""


class Machine(Betting):
    """All operations on a round: each is verified, and is done or raises."""

    __slots__ = ()

    def stakes_to_accept(self, seat: Seat, how: str) -> Bets:
        """Returns the stakes that a deal would accept, verified before a row of draws is taken for it.

        Args:
            seat: Who bets.
            how: The button pressed.

        Raises:
            OperationError: The game is unavailable, no valid bet is there, or a limit or the balance forbids it.
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
        ends = [(wager, stake, settled[wager], added.get(wager, 0)) for wager, stake in current.stakes]
        return tuple(
            [
                SettledWager(
                    wager,
                    stake,
                    end.outcome,
                    fraction_text(end.net),
                    returned_on(stake, end.net, rounding, more),
                    more,
                )
                for wager, stake, end, more in ends
            ]
        )

    def disconnect(self, seat: Seat, cause: str = "connection lost") -> Step:
        """Records that the connection to the player was lost; stakes stay held (GLI-19 4.16.2).

        Raises:
            OperationError: The player is already disconnected.
        """
        if not seat.connected:
            raise OperationError(f"cannot disconnect: the player at seat {seat.id} is already disconnected")
        return self.happen(seat, seat.round.id if seat.round else "", PlayerDisconnected(cause))

    def resume(self, seat: Seat) -> Step:
        """Leads the player back to the same round, as it was before the break (GLI-19 4.16.3(b)).

        Raises:
            OperationError: The player is connected.
        """
        if seat.connected:
            raise OperationError(f"cannot resume: the player at seat {seat.id} is connected")
        return self.happen(seat, seat.round.id if seat.round else "", RoundResumed())

    def malfunction(self, seat: Seat, reason: str, decided_by: str) -> Step:
        """Voids all pays and plays of the latest round and returns every stake once (GLI-19 A.6.4).

        The round may be settled already.

        Raises:
            OperationError: There is no round, it is already void, or the terms do not void.
        """
        current = self._voidable(seat)
        redress = self.redress(current)
        body = MalfunctionDeclared(
            reason, decided_by, current.wagered, redress.refunded, redress.reversed, redress.flagged
        )
        return self.happen(seat, current.id, body, _redress_postings(current, redress))

    def redress(self, current: Round) -> "Redress":
        """Returns what a malfunction does to the money of a round, by its policy."""
        policy = self.edition_of(current).policy.after_settlement
        if current.phase is Phase.SETTLED:
            return _after_settlement(current, policy)
        if current.phase is Phase.RESOLVED and policy is AfterSettlement.BETTER_OF:
            won = sum(result.returned for result in self.results(current))
            return Redress(refunded=max(won, current.staked))
        return Redress(refunded=current.staked)

    def _voidable(self, seat: Seat) -> Round:
        """Returns the round on which a malfunction may be declared."""
        operation = "declare a malfunction"
        current = round_of(seat, operation)
        verify_phase(current, operation, Phase.BETTING, Phase.DECISION, Phase.RESOLVED, Phase.SETTLED)
        if not self.edition_of(current).policy.malfunction_voids_all:
            raise OperationError(f"cannot void round {current.id}: its terms do not void it on a malfunction")
        if current.phase in OPEN:
            self.verify_alive(seat, current, operation)
        return current

    def expire(self, seat: Seat) -> Step:
        """Records that unresolved bets became void, and moves their stakes by the policy.

        Raises:
            OperationError: No bet is unresolved, or its term has not passed.
        """
        current = round_of(seat, "expire")
        verify_phase(current, "expire", *OPEN)
        if self.stands(current):
            raise OperationError(
                f"cannot expire: no decision is left in round {current.id}, its result is final; expected settle"
            )
        if not self.is_void(seat, current):
            accepted = current.accepted_at.isoformat() if current.accepted_at else "never"
            days = self.edition_of(current).policy.void_after_days
            raise OperationError(
                f"cannot expire: the bets of round {current.id} were accepted {accepted}, "
                f"expected {days} days to have passed"
            )
        policy, staked = self.edition_of(current).policy, current.staked
        returns = policy.void_stakes is VoidStakes.RETURN
        deadline = policy.deadline(current.accepted_at) if current.accepted_at else self.now(seat)
        refunded = staked if returns else 0
        body = BetsExpired(current.wagered, deadline, refunded, staked - refunded)
        target = Account.PLAYER if returns else Account.HOUSE
        return self.happen(seat, current.id, body, transfer(staked, Account.HELD, target))

    def suspend(self, seat: Seat, reason: str, decided_by: str) -> Step:
        """Makes the game unavailable for new rounds, as on a failure of the generator (GLI-19 3.3.3).

        Raises:
            OperationError: It is already unavailable.
        """
        if seat.suspended:
            raise OperationError(f"cannot suspend: the game is already unavailable ({seat.suspended})")
        return self.happen(seat, "", GameSuspended(reason, decided_by))

    def restore(self, seat: Seat, reason: str, decided_by: str) -> Step:
        """Makes the game available again once the cause is cleared.

        Raises:
            OperationError: It is available.
        """
        if not seat.suspended:
            raise OperationError("cannot restore: the game is available")
        return self.happen(seat, "", GameRestored(reason, decided_by))


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


@dataclass(frozen=True, slots=True)
class Redress:
    """What a malfunction does to the money of a round, minor units.

    Args:
        refunded: Returned to the player.
        reversed: Taken back of a pay.
        flagged: Paid beyond the stakes and left for a person to decide.
    """

    refunded: int
    reversed: int = 0
    flagged: int = 0


def _after_settlement(current: Round, policy: AfterSettlement) -> Redress:
    if policy is AfterSettlement.REVERSE:
        return Redress(refunded=current.staked, reversed=current.returned)
    shortfall = max(0, current.staked - current.returned)
    excess = max(0, current.returned - current.staked)
    return Redress(refunded=shortfall, flagged=excess if policy is AfterSettlement.FLAG else 0)


def _redress_postings(current: Round, redress: Redress) -> tuple[Posting, ...]:
    if current.phase is Phase.SETTLED:
        return transfer(redress.reversed, Account.PLAYER, Account.HOUSE) + transfer(
            redress.refunded, Account.HOUSE, Account.PLAYER
        )
    beyond = redress.refunded - current.staked if current.staked else 0
    return transfer(current.staked, Account.HELD, Account.PLAYER) + transfer(
        beyond, Account.HOUSE, Account.PLAYER
    )

"""Disconnection, malfunction, the end of the term and unavailability."""

from __future__ import annotations

from dataclasses import dataclass

from certify.errors import OperationError
from certify.rounds.events import (
    BetsExpired,
    GameRestored,
    GameSuspended,
    MalfunctionDeclared,
    PlayerDisconnected,
    RoundResumed,
)
from certify.rounds.money import Account, Posting, transfer
from certify.rounds.operations import Step, round_of, verify_phase
from certify.rounds.playing import Playing
from certify.rounds.policy import AfterSettlement, VoidStakes
from certify.rounds.state import OPEN, Phase, Round, Seat


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


class Machine(Playing):
    """All operations on a round: each is verified, and is done or raises."""

    __slots__ = ()

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

    def redress(self, current: Round) -> Redress:
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
                f"cannot expire: no decision is left in round {current.id}, its result stands; expected settle"
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

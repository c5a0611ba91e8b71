"""Placing bets and taking them back; nothing is debited before the deal."""

from __future__ import annotations

from certify.errors import OperationError
from certify.model.game import Limits
from certify.rounds.events import BetPlaced, Bets, BetsCleared, BetsRepeated, BetUndone
from certify.rounds.operations import (
    Operations,
    Step,
    next_round_id,
    open_chips,
    round_of,
    verify_connected,
    verify_phase,
)
from certify.rounds.state import COMPLETE, Phase, Seat, merged


class Betting(Operations):
    """Operations on the layout before the deal."""

    __slots__ = ()

    def verify_betting(self, seat: Seat, operation: str) -> None:
        """Refuses bets while a round is open, the player is away or the game unavailable.

        Raises:
            OperationError: One of these holds; the earlier round must be complete (GLI-19 4.16.3).
        """
        if seat.suspended:
            raise OperationError(f"cannot {operation}: the game is unavailable ({seat.suspended})")
        verify_connected(seat, operation)
        if seat.round is not None and seat.round.phase not in COMPLETE:
            verify_phase(seat.round, operation, Phase.BETTING)

    def place(self, seat: Seat, wager: str, amount: int) -> Step:
        """Puts chips on a wager, starting a round where none is open.

        Raises:
            OperationError: The wager is unknown, or the amount not positive or above a limit.
        """
        self.verify_betting(seat, "place")
        if type(amount) is not int or amount <= 0:
            raise OperationError(
                f"cannot place {amount} on {wager}: expected a positive number of minor units"
            )
        self._verify_maximum(seat, "place", (*open_chips(seat), (wager, amount)))
        return self.happen(seat, next_round_id(seat), BetPlaced(wager, amount))

    def undo(self, seat: Seat) -> Step:
        """Takes back the last chips put down.

        Raises:
            OperationError: None lie on the layout.
        """
        self._verify_chips(seat, "undo")
        wager, amount = open_chips(seat)[-1]
        return self.happen(seat, next_round_id(seat), BetUndone(wager, amount))

    def clear(self, seat: Seat) -> Step:
        """Takes back all chips.

        Raises:
            OperationError: None lie on the layout.
        """
        self._verify_chips(seat, "clear")
        total = sum(amount for _, amount in open_chips(seat))
        return self.happen(seat, next_round_id(seat), BetsCleared(total))

    def rebet(self, seat: Seat) -> Step:
        """Puts down the bets of the previous round again.

        Raises:
            OperationError: There was none, chips already lie there, or a limit or the balance forbids it.
        """
        self.verify_repeatable(seat, "rebet", 1)
        return self.happen(seat, next_round_id(seat), BetsRepeated(seat.previous))

    def verify_repeatable(self, seat: Seat, operation: str, factor: int) -> None:
        """Checks that the previous bets, multiplied, may be bet on an empty layout.

        Raises:
            OperationError: No earlier round, chips on the layout, or a limit or the balance forbids it.
        """
        self.verify_betting(seat, operation)
        if not seat.previous:
            raise OperationError(f"cannot {operation}: no earlier round at seat {seat.id} had bets")
        if open_chips(seat):
            raise OperationError(f"cannot {operation}: chips already lie on the layout, expected none")
        self._verify_maximum(seat, operation, multiplied(seat.previous, factor))

    def verify_stakes(self, seat: Seat, operation: str, stakes: Bets) -> None:
        """Checks complete bets against minimum, maximum and balance before they are accepted.

        Raises:
            OperationError: No bet lies on the first wager, or a limit or the balance forbids one.
        """
        main = self.edition.game.wagers[0]
        if main.id not in dict(stakes):
            raise OperationError(
                f"cannot {operation}: no bet on {main.id}, expected at least {main.limits.minimum}"
            )
        total = self._verify_maximum(seat, operation, stakes)
        for wager, amount in stakes:
            minimum = self._limits(wager, operation).minimum
            if amount < minimum:
                raise OperationError(
                    f"cannot {operation}: {amount} on {wager} is below its minimum of {minimum}"
                )
        # Nobody is dealt a hand that can only be given up, and every round has the certified return.
        further = self.edition.play.most_added(stakes)
        if total + further > seat.balance:
            raise OperationError(
                f"cannot {operation}: bets of {total} and up to {further} that decisions may add exceed the balance of "
                f"{seat.balance}"
            )

    def _verify_maximum(self, seat: Seat, operation: str, bets: Bets) -> int:
        """Returns the sum of bets, each within its maximum and all of them within the balance."""
        total = 0
        for wager, amount in merged(bets):
            maximum = self._limits(wager, operation).maximum
            if amount > maximum:
                raise OperationError(
                    f"cannot {operation}: {amount} on {wager} is above its maximum of {maximum}"
                )
            total += amount
        # GLI-19 4.3.3: a wager never makes a balance negative.
        if total > seat.balance:
            raise OperationError(f"cannot {operation}: bets of {total} exceed the balance of {seat.balance}")
        return total

    def _verify_chips(self, seat: Seat, operation: str) -> None:
        current = round_of(seat, operation)
        verify_connected(seat, operation)
        verify_phase(current, operation, Phase.BETTING)
        if not current.chips:
            raise OperationError(f"cannot {operation}: no chips lie on the layout of round {current.id}")

    def _limits(self, wager: str, operation: str) -> Limits:
        limits = self.edition.limits
        if wager not in limits:
            raise OperationError(
                f"cannot {operation}: no wager {wager!r} in this game, expected one of {', '.join(limits)}"
            )
        return limits[wager]


def multiplied(bets: Bets, factor: int) -> Bets:
    """Returns bets with every amount multiplied.

    >>> multiplied((("main", 5),), 2)
    (('main', 10),)
    """
    return tuple((wager, amount * factor) for wager, amount in bets)

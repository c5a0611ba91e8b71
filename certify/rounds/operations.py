"""What all operations on a round share: the editions, the clock and the making of events."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from certify.clock import Clock
from certify.errors import OperationError
from certify.model import Limits
from certify.rounds.events import (
    BetPlaced,
    Bets,
    BetsCleared,
    BetsRepeated,
    BetUndone,
    Body,
    Event,
    FundsDeposited,
    SessionOpened,
)
from certify.rounds.money import Account, Posting, transfer
from certify.rounds.play import Edition
from certify.rounds.policy import KnownResults
from certify.rounds.state import COMPLETE, Phase, Round, Seat, apply, merged

Step = tuple[Seat, Event]
"""The state after an operation, and the record of it."""


@dataclass(frozen=True, slots=True)
class Operations:
    """The editions in force and the clock; every operation is a pure function of these and the seat.

    Args:
        editions: Editions by the digest of their submission; a round is settled by the edition that was
            in force when its bets were accepted, so past editions stay here.
        current: Digest of the edition for new rounds.
        clock: Tells the time.
    """

    editions: Mapping[str, Edition]
    current: str
    clock: Clock

    @property
    def edition(self) -> Edition:
        """The edition under which new rounds are accepted."""
        return self.editions[self.current]

    def edition_of(self, current: Round) -> Edition:
        """Returns the edition under which a round was accepted (GLI-19 A.5.1(e)).

        Raises:
            OperationError: The rules of that round are not at hand: it cannot be settled by others.
        """
        if current.rules is None:
            return self.edition
        digest = current.rules.submission_sha256
        if digest not in self.editions:
            raise OperationError(
                f"round {current.id} was accepted under rules {digest[:12]}…, which are not loaded: "
                "expected the edition in force when the bet was taken"
            )
        return self.editions[digest]

    def now(self, seat: Seat) -> datetime:
        """Returns the time for the next event: the clock's, but never before the latest event.

        A clock set back can therefore neither revive a void bet nor put events out of order.
        """
        instant = self.clock.now()
        return instant if seat.last_at is None else max(instant, seat.last_at)

    def open(self, seat: Seat, session: SessionOpened) -> Step:
        """Records who sits down, where and under whose rules.

        Raises:
            OperationError: Something already happened at the seat.
        """
        if seat.events:
            raise OperationError(f"cannot open: seat {seat.id} was opened before")
        return self.happen(seat, "", session)

    def deposit(self, seat: Seat, amount: int) -> Step:
        """Brings money to the table."""
        if type(amount) is not int or amount <= 0:
            raise OperationError(f"cannot deposit {amount}: expected a positive number of minor units")
        return self.happen(
            seat, "", FundsDeposited(amount), transfer(amount, Account.CASHIER, Account.PLAYER)
        )

    def happen(self, seat: Seat, round_id: str, body: Body, postings: tuple[Posting, ...] = ()) -> Step:
        """Makes the record of an operation and applies it."""
        now, latest = self.clock.now(), seat.last_at
        behind = latest is not None and now < latest
        event = Event(
            seat.events + 1,
            round_id,
            latest if latest is not None and behind else now,
            body,
            postings,
            behind,
        )
        return apply(seat, event), event

    def stands(self, current: Round) -> bool:
        """Returns whether the result of a round is known and remains until it is settled (GLI-19 4.16.3(a))."""
        policy = self.edition_of(current).policy
        return current.phase is Phase.RESOLVED and policy.known_results is KnownResults.STAND

    def is_void(self, seat: Seat, current: Round) -> bool:
        """Returns whether a bet is void because its term has passed; one whose result remains is not."""
        return (
            current.accepted_at is not None
            and not self.stands(current)
            and self.edition_of(current).policy.is_void(current.accepted_at, self.now(seat))
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


def round_of(seat: Seat, operation: str) -> Round:
    """Returns the round of a seat.

    Raises:
        OperationError: No round was ever started there.
    """
    if seat.round is None:
        raise OperationError(f"cannot {operation}: no round was started at seat {seat.id}")
    return seat.round


def verify_connected(seat: Seat, operation: str) -> None:
    """Refuses an act of a player who is not connected.

    Raises:
        OperationError: The connection is broken; the round resumes first.
    """
    if not seat.connected:
        raise OperationError(
            f"cannot {operation}: the player at seat {seat.id} is disconnected, expected resume first"
        )


def verify_phase(current: Round, operation: str, *expected: Phase) -> None:
    """Refuses an operation that the phase of the round does not allow.

    Raises:
        OperationError: The round is in another phase.
    """
    if current.phase not in expected:
        names = " or ".join(sorted(expected))
        raise OperationError(f"cannot {operation}: round {current.id} is {current.phase}, expected {names}")


def next_round_id(seat: Seat) -> str:
    """Returns the id of the round to bet on: the open one, or the next after a complete one."""
    return (
        seat.round.id
        if seat.round is not None and seat.round.phase not in COMPLETE
        else f"{seat.id}-{seat.rounds + 1:06d}"
    )


def open_chips(seat: Seat) -> tuple[tuple[str, int], ...]:
    """Returns the chips on the layout; none where no betting is open."""
    return () if seat.round is None or seat.round.phase is not Phase.BETTING else seat.round.chips


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
            OperationError: No bet is on the first wager, or a limit or the balance forbids one.
        """
        main = self.edition.game.wagers[0]
        if main.id not in dict(stakes):
            raise OperationError(
                f"cannot {operation}: no bet on {main.id}, expected at least {main.limits.minimum}"
            )
        total = self._verify_maximum(seat, operation, stakes)
        for wager, amount in stakes:
            limits = self._limits(wager, operation)
            if amount < limits.minimum:
                raise OperationError(
                    f"cannot {operation}: {amount} on {wager} is below its minimum of {limits.minimum}"
                )
            if amount % limits.step:
                raise OperationError(
                    f"cannot {operation}: {amount} on {wager} is no multiple of its step of {limits.step}"
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

"""The reference beside a system under test, following it where the documents leave a choice.

A system may settle by itself once no decision is left, may void by itself once the term has passed, and may refuse
a malfunction where no bet was accepted. None of that is a breach, whenever the system does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import permutations
from typing import Final, TypeVar

from certify.errors import OperationError
from certify.rounds.events import Bets, Hands
from certify.rounds.state import OPEN, Seat
from certify.rounds.system import ReferenceSystem
from certify.rounds.table import DEALS, Command, PastRound, Reply, SeatAction, View

EMPTY: Final = ("betting", "void")
"""Phases in which a layout may lie empty."""


def by_holder(hands: Hands) -> Hands:
    """Returns what lies open by holder: in which order holders are named, or that one has nothing, says nothing.

    >>> by_holder((("player", (3,)), ("dealer", (9,)), ("table", ())))
    (('dealer', (9,)), ('player', (3,)))
    """
    return tuple(sorted((holder, faces) for holder, faces in hands if faces))


def deals(command: Command) -> bool:
    """Tells whether a command accepts bets and deals."""
    return command.action in DEALS


def same(expected: Reply, observed: Reply) -> bool:
    """Tells whether two replies say the same."""
    return expected.done == observed.done and comparable(expected.view) == comparable(observed.view)


def comparable(view: View) -> tuple[object, ...]:
    """Returns a view without ids, and without how an empty layout is named."""
    empty = view.phase in EMPTY and not view.stakes and not view.refunded
    return (
        "none" if empty else view.phase,
        view.balance,
        view.held,
        view.stakes,
        by_holder(view.hands),
        view.options,
        view.returned,
        view.refunded,
        view.connected,
        view.available,
    )


def outcome(done: Iterable[bool]) -> str:
    """Returns which commands were done.

    >>> outcome((True, False))
    'done and refused'
    """
    return " and ".join("done" if one else "refused" for one in done)


def told(reply: Reply) -> str:
    """Returns a reply as a reader compares it."""
    return f"{'done' if reply.done else 'refused'}; {described(reply.view)}"


def described(view: View) -> str:
    """Returns a view as a reader compares it."""
    return (
        f"{view.phase}, balance {view.balance}, held {view.held}, "
        f"refunded {view.refunded}, stakes {amounts(view.stakes)}, hands {faces(view.hands)}, "
        f"options {', '.join(view.options) or 'none'}, returned {amounts(view.returned)}, "
        f"{'connected' if view.connected else 'not connected'}, {'available' if view.available else 'not available'}"
    )


def without_ids(one: PastRound) -> PastRound:
    """Returns a round of a history without its id, and without the order of holders."""
    return replace(one, round="", hands=by_holder(one.hands))


def complete(rounds: Sequence[PastRound]) -> tuple[PastRound, ...]:
    """Returns the rounds that are complete; whether an open one is listed is left to the system."""
    return tuple(one for one in rounds if one.phase not in OPEN)


def listed(rounds: Sequence[PastRound]) -> str:
    """Returns the rounds of a history as a reader compares them."""
    return "; ".join(map(_listed, rounds)) or "no complete round"


def _listed(one: PastRound) -> str:
    return (
        f"{one.phase}, stakes {amounts(one.stakes)}, hands {faces(one.hands)}, returned {amounts(one.returned)}, "
        f"refunded {one.refunded}"
    )


def amounts(bets: Bets) -> str:
    """Returns amounts by what they belong to.

    >>> amounts((("main", 100), ("pair", 5))), amounts(())
    ('main 100, pair 5', 'none')
    """
    return ", ".join(f"{name} {amount}" for name, amount in bets) or "none"


def faces(hands: Hands) -> str:
    """Returns the faces that lie open, by holder.

    >>> faces((("player", (7, 31)), ("dealer", ())))
    'player 7 31, dealer none'
    """
    return ", ".join(f"{holder} {' '.join(map(str, shown)) or 'none'}" for holder, shown in hands) or "none"


T = TypeVar("T")

Courses = Callable[[], Sequence[Callable[[], T | None]]]
"""Gives what else is allowed, each to be tried; it is asked for only where the plain course does not fit."""

_OWN_ACTS: Final = (SeatAction.SETTLE, SeatAction.EXPIRE)
"""What a system may do by itself."""


@dataclass(slots=True)
class FollowedRound:
    """The reference machine, which can go back to try what else would be allowed.

    Args:
        system: The machine.
        latest: Latest instant that the system was told of since the bets were accepted.
    """

    system: ReferenceSystem
    latest: datetime

    def view(self) -> View:
        """Returns what is shown."""
        return self.system.view()

    def set_deck(self, deck: tuple[int, ...]) -> None:
        """Gives the deck of the next deal."""
        self.system.set_deck(deck)

    def set_clock(self, instant: datetime) -> None:
        """Sets the clock, backwards too."""
        self.system.set_clock(instant)
        self.latest = max(self.latest, instant)

    def would_do(self, command: Command) -> bool:
        """Tells whether a command would be done now; nothing is changed by asking."""
        saved = self._save()
        done = self._done(command, "").done
        self._restore(saved)
        return done

    def would_pay(self) -> bool:
        """Tells whether settlement would pay something now; nothing is changed by asking."""
        saved = self._save()
        view = self._done(Command(SeatAction.SETTLE), "").view
        self._restore(saved)
        return any(amount for _, amount in view.returned)

    def answer(self, command: Command, key: str, observed: Reply) -> Reply:
        """Returns the allowed answer that is the observed one, or, where none is, the plain one."""
        if _may_refuse(command, self.view()) and not observed.done:
            refused = self.system.answer("refused")
            if same(refused, observed):
                return refused
        return self._first(
            partial(self._done, command, key),
            lambda reply: same(reply, observed),
            partial(self._around, command, key),
        )

    def shown(self, observed: View) -> View:
        """Returns the allowed view that is the observed one, or, where none is, the plain one."""
        return self._first(
            self.view,
            lambda view: comparable(view) == comparable(observed),
            lambda: [partial(self._seen_after, act) for act in _OWN_ACTS],
        )

    def two_rounds(self, asked: Sequence[tuple[Command, str]]) -> bool:
        """Tells whether two deals would be done one after the other: then one row of draws would not serve both."""
        if not all(deals(command) for command, _ in asked) or asked[0][1] == asked[1][1]:
            return False
        saved = self._save()
        done = [self._done(command, key).done for command, key in asked]
        self._restore(saved)
        return all(done)

    def together(
        self, asked: Sequence[tuple[Command, str]], replies: Sequence[Reply], observed: View
    ) -> tuple[str, ...]:
        """Returns nothing where some order of the commands explains the answers, else what every order gives."""
        told = [reply.done for reply in replies]
        orders: list[str] = []
        for act in (None, *_OWN_ACTS):
            for order in permutations(range(len(asked))):
                saved = self._save()
                if act is None or self._by_itself(act):
                    done = self._in_order(asked, order, told)
                    if done == told and self._shows(observed):
                        return ()
                    if act is None:
                        orders.append(f"{outcome(done)}; {described(self.view())}")
                self._restore(saved)
        return tuple(dict.fromkeys(orders))

    def _in_order(
        self, asked: Sequence[tuple[Command, str]], order: Sequence[int], told: Sequence[bool]
    ) -> list[bool]:
        """Does commands in an order and returns which were done; what may be refused is, where it was."""
        done = [False] * len(asked)
        for index in order:
            command, key = asked[index]
            if not (_may_refuse(command, self.view()) and not told[index]):
                done[index] = self._done(command, key).done
        return done

    def _shows(self, observed: View) -> bool:
        return comparable(self.shown(observed)) == comparable(observed)

    def _around(self, command: Command, key: str) -> list[Callable[[], Reply | None]]:
        """Returns what else may happen: the system acts by itself before the command, or after it."""
        return [
            *(partial(self._preceded, act, command, key) for act in _OWN_ACTS),
            *(partial(self._followed, act, command, key) for act in _OWN_ACTS),
        ]

    def _preceded(self, act: SeatAction, command: Command, key: str) -> Reply | None:
        return self._done(command, key) if self._by_itself(act) else None

    def _followed(self, act: SeatAction, command: Command, key: str) -> Reply | None:
        reply = self._done(command, key)
        return replace(reply, view=self.view()) if self._by_itself(act) else None

    def _seen_after(self, act: SeatAction) -> View | None:
        return self.view() if self._by_itself(act) else None

    def _first(self, plainly: Callable[[], T], fits: Callable[[T], bool], others: Courses[T]) -> T:
        """Returns the first of some allowed courses that fits, and stays on it; the plain one where none does."""
        saved = self._save()
        plain = plainly()
        if fits(plain):
            return plain
        for other in others():
            self._restore(saved)
            found = other()
            if found is not None and fits(found):
                return found
        self._restore(saved)
        return plainly()

    def _done(self, command: Command, key: str) -> Reply:
        return self.system.perform(command, key)

    def _by_itself(self, act: SeatAction) -> bool:
        """Lets the reference act without being asked; returns whether that is allowed now."""
        system = self.system
        if self.view().phase not in OPEN:
            return False
        instant = system.clock.instant
        if act is SeatAction.EXPIRE:
            system.clock.instant = self.latest
        try:
            system.seat, event = system.step(Command(act))
        except OperationError:
            return False
        finally:
            system.clock.instant = instant
        system.events.append(event)
        return True

    def _save(self) -> tuple[Seat, int, dict[str, Command]]:
        return self.system.seat, len(self.system.events), dict(self.system.keys)

    def _restore(self, saved: tuple[Seat, int, dict[str, Command]]) -> None:
        self.system.seat, events, keys = saved
        del self.system.events[events:]
        self.system.keys = dict(keys)


def _may_refuse(command: Command, before: View) -> bool:
    """Tells whether the documents leave it open to refuse a command that the reference does."""
    return command.action is SeatAction.MALFUNCTION and before.phase == "betting"

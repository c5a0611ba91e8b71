"""The reference next to a system under test, following it where the documents leave a choice.

A system may settle by itself once no decision is left, may void by itself once the term has passed, and may refuse
a malfunction where no bet was accepted. None of that is a breach, whenever the system does it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import permutations, product
from typing import Final, TypeVar

from certify.rounds.events import Hands, amounts
from certify.rounds.state import OPEN
from certify.rounds.system import ReferenceSystem
from certify.rounds.table import DEALS, Command, PastRound, Reply, SeatAction, View

EMPTY: Final = ("betting", "void")
"""Phases in which a layout may lie empty."""


def by_holder(hands: Hands) -> Hands:
    """Returns what is open by holder: in which order holders are named, or that one has nothing, says nothing.

    >>> by_holder((("player", (3,)), ("dealer", (9,)), ("table", ())))
    (('dealer', (9,)), ('player', (3,)))
    """
    return tuple(sorted((holder, faces) for holder, faces in hands if faces))


def same(expected: Reply, observed: Reply) -> bool:
    """Returns whether two replies say the same."""
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
    lines = (
        f"{one.phase}, stakes {amounts(one.stakes)}, hands {faces(one.hands)}, returned {amounts(one.returned)}, "
        f"refunded {one.refunded}"
        for one in rounds
    )
    return "; ".join(lines) or "no complete round"


def faces(hands: Hands) -> str:
    """Returns the faces that lie open, by holder.

    >>> faces((("player", (7, 31)), ("dealer", ())))
    'player 7 31, dealer none'
    """
    return ", ".join(f"{holder} {' '.join(map(str, shown)) or 'none'}" for holder, shown in hands) or "none"


T = TypeVar("T")

_OWN_ACTS: Final = (SeatAction.SETTLE, SeatAction.EXPIRE)
"""What a system may do by itself."""


@dataclass(slots=True)
class FollowedRound:
    """The reference machine; what else would be allowed is tried on copies of it.

    Args:
        system: The machine.
        latest: Latest instant that the system received since the bets were accepted.
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
        """Returns whether a command would be done now; nothing is changed by asking."""
        return self._copy().system.perform(command).done

    def would_pay(self) -> bool:
        """Returns whether settlement would pay something now; nothing is changed by asking."""
        settled = self._copy().system.perform(Command(SeatAction.SETTLE)).view
        return any(amount for _, amount in settled.returned)

    def answer(self, command: Command, key: str, observed: Reply) -> Reply:
        """Returns the allowed answer that is the observed one, or, where none is, the plain one."""
        if _may_refuse(command, self.view()) and not observed.done:
            refused = self.system.answer("refused")
            if same(refused, observed):
                return refused

        def plainly(there: "FollowedRound") -> Reply:
            return there.system.perform(command, key)

        def followed(act: SeatAction, there: "FollowedRound") -> Reply | None:
            reply = plainly(there)
            return replace(reply, view=there.view()) if there._by_itself(act) else None

        # The system may act by itself before the command, or after it.
        others = (
            *(partial(_preceded, act, plainly) for act in _OWN_ACTS),
            *(partial(followed, act) for act in _OWN_ACTS),
        )
        return self._first(plainly, lambda reply: same(reply, observed), others)

    def shown(self, observed: View) -> View:
        """Returns the allowed view that is the observed one, or, where none is, the plain one."""
        others = [partial(_preceded, act, FollowedRound.view) for act in _OWN_ACTS]
        return self._first(FollowedRound.view, lambda view: comparable(view) == comparable(observed), others)

    def two_rounds(self, asked: Sequence[tuple[Command, str]]) -> bool:
        """Returns whether two deals would be done one after the other: then one row of draws would not serve both."""
        if not all(command.action in DEALS for command, _ in asked) or asked[0][1] == asked[1][1]:
            return False
        there = self._copy().system
        return all(there.perform(command, key).done for command, key in asked)

    def together(
        self, asked: Sequence[tuple[Command, str]], replies: Sequence[Reply], observed: View
    ) -> tuple[str, ...]:
        """Returns nothing where some order of the commands explains the answers, else what every order gives."""
        told = [reply.done for reply in replies]
        orders: list[str] = []
        for act, order in product((None, *_OWN_ACTS), permutations(range(len(asked)))):
            there = self._copy()
            if act is None or there._by_itself(act):
                done = there._in_order(asked, order, told)
                if done == told and comparable(there.shown(observed)) == comparable(observed):
                    self.system = there.system
                    return ()
                if act is None:
                    orders.append(f"{outcome(done)}; {described(there.view())}")
        return tuple(dict.fromkeys(orders))

    def _in_order(
        self, asked: Sequence[tuple[Command, str]], order: Sequence[int], told: Sequence[bool]
    ) -> list[bool]:
        """Does commands in an order and returns which were done; what may be refused is, where it was."""
        done = [False] * len(asked)
        for index in order:
            command, key = asked[index]
            if not (_may_refuse(command, self.view()) and not told[index]):
                done[index] = self.system.perform(command, key).done
        return done

    def _first(
        self,
        plainly: "Callable[[FollowedRound], T]",
        fits: Callable[[T], bool],
        others: "Iterable[Callable[[FollowedRound], T | None]]",
    ) -> T:
        """Returns the first of some allowed courses that fits, and stays on it; the plain one where none does."""
        before = self._copy()
        plain = plainly(self)
        if fits(plain):
            return plain
        for other in others:
            there = before._copy()
            found = other(there)
            if found is not None and fits(found):
                self.system = there.system
                return found
        return plain

    def _by_itself(self, act: SeatAction) -> bool:
        """Lets the reference act without a command; returns whether that is allowed now."""
        if self.view().phase not in OPEN:
            return False
        clock = self.system.clock
        instant = clock.instant
        clock.instant = self.latest if act is SeatAction.EXPIRE else instant
        done = self.system.perform(Command(act)).done
        clock.instant = instant
        return done

    def _copy(self) -> "FollowedRound":
        """Returns the same round, on which something can be tried."""
        system = self.system
        return FollowedRound(replace(system, events=[*system.events], keys={**system.keys}), self.latest)


def _preceded(act: SeatAction, course: Callable[[FollowedRound], T], there: FollowedRound) -> T | None:
    """Returns what a course gives behind an act of the system's own, where that is allowed."""
    return course(there) if there._by_itself(act) else None


def _may_refuse(command: Command, before: View) -> bool:
    """Returns whether the documents leave it open to refuse a command that the reference does."""
    return command.action is SeatAction.MALFUNCTION and before.phase == "betting"

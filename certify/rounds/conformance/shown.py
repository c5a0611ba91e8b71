"""What is shown of a round, without what every system forms in its own way, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from certify.rounds.events import Bets, Hands
from certify.rounds.state import OPEN
from certify.rounds.table import DEALS, Command, PastRound, Reply, View

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

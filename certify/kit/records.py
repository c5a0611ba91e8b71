"""Records: a round is the list of its draws and decisions, and comes back whole from what was written down of it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Final

from certify.families.driver import play, position
from certify.kit.check import Checked, Found, KitLaw, judged
from certify.kit.subject import Subject, ended, states_of

RECORDS: Final = KitLaw(
    "records",
    "A round that was written down as JSON is replayed to the same hands, decisions, results and sentences",
    "Rounds cannot be recalled: a dispute cannot be settled from the record.",
)
STATES: Final = KitLaw(
    "states",
    "States are equal, hash alike and survive being written down, and a round can be stopped at every decision",
    "Rounds cannot be resumed after a failure, nor played by worker processes.",
)


def records(subject: Subject) -> Iterator[Checked]:
    """Yields whether records come back."""
    yield RECORDS.tried(subject.game.id, lambda: _records(subject))
    yield STATES.tried(subject.game.id, lambda: _states(subject))


def _records(subject: Subject) -> Found:
    found, compared = [], 0
    for name in subject.strategies:
        for row, played in zip(subject.rows, subject.played(name), strict=True):
            compared += 1
            draws, decisions = json.loads(json.dumps([row, played.decisions]))
            again = play(subject.family.reference(subject.game), draws, decisions)
            # Sentences are no part of what two rounds are compared by: they are told of the steps when asked for.
            if (again, again.trace) != (played, played.trace):
                found.append(f"{name}: {ended(played)} was replayed as {ended(again)}")
    return judged(compared, "records", list(dict.fromkeys(found)))


def _states(subject: Subject) -> Found:
    found, compared = [], 0
    for name in subject.strategies:
        for row, played in zip(subject.rows, subject.played(name), strict=True):
            states = states_of(subject.reference, row, played.decisions)
            again = states_of(subject.family.reference(subject.game), row, played.decisions)
            for one, other in zip(states, again, strict=True):
                compared += 1
                # What we have just written ourselves is read back, nothing from outside.
                restored = pickle.loads(pickle.dumps(one))  # noqa: S301
                if not (one == other == restored and hash(one) == hash(other) == hash(restored)):
                    found.append(f"{one} is not equal to itself when it is made again or read back")
            for count in range(len(played.decisions)):
                if position(subject.reference, row, played.decisions[:count]).choice is None:
                    found.append(
                        f"{name}: after {count} decisions nothing is open, and one more was recorded"
                    )
    return judged(compared, "states", list(dict.fromkeys(found)))

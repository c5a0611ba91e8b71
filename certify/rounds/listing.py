"""The rounds of a ledger at a glance, read without its key: no deck is opened."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from certify.errors import TrustError
from certify.rounds.events import CardsDealt, Event
from certify.rounds.journal import decode
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import StoredRecord

_STATUS: Final = {
    "cards-dealt": "open",
    "round-settled": "settled",
    "bets-expired": "expired",
    "malfunction-declared": "void",
}
"""What a round is by the most telling event in it, which comes last; a settled round can turn out void."""

STATUSES: Final = ("betting", *_STATUS.values())


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """One round as a list shows it.

    Args:
        round: Its id.
        seat: Id of the seat.
        status: ``betting``, ``open``, ``settled``, ``expired`` or ``void``.
        began: Time of its first event, UTC.
        latest: Time of its latest event, UTC.
        staked: Stakes accepted at the deal, minor units.
        records: Number of its records.
    """

    round: str
    seat: str
    status: str
    began: str
    latest: str
    staked: int
    records: int


def summaries(store: SqliteStore, *, seat: str | None = None, status: str = "") -> Iterator[RoundSummary]:
    """Yields the rounds of a ledger in the order in which they began at each seat; a seat plays one at a time.

    Args:
        store: The ledger's store.
        seat: Only the rounds of this seat.
        status: Only rounds of this status.

    Raises:
        TrustError: A record is altered.
    """
    # Of each seat its latest round is kept, and of that no more than is listed.
    own: dict[str, RoundSummary] = {}
    for record in store.records(seat=seat):
        if record.digest != record.expected_digest():
            raise TrustError(f"record {record.number} is altered: its contents do not have its digest")
        if not record.round:
            continue
        begun = own.get(record.seat)
        if begun is None or begun.round != record.round:
            if begun is not None and status in ("", begun.status):
                yield begun
            at = _event(record).at.isoformat()
            begun = RoundSummary(record.round, record.seat, STATUSES[0], at, at, 0, 0)
        own[record.seat] = _after(begun, record)
    for begun in own.values():
        if status in ("", begun.status):
            yield begun


def _after(begun: RoundSummary, record: StoredRecord) -> RoundSummary:
    """Returns a round with one more of its records."""
    event = _event(record)
    stakes = event.body.stakes if isinstance(event.body, CardsDealt) else ()
    return replace(
        begun,
        status=max(begun.status, _STATUS.get(record.kind, STATUSES[0]), key=STATUSES.index),
        latest=event.at.isoformat(),
        staked=begun.staked + sum(amount for _, amount in stakes),
        records=begun.records + 1,
    )


def latest(found: Iterator[RoundSummary], most: int) -> tuple[tuple[RoundSummary, ...], int]:
    """Returns the last of some rounds, and how many there are in all."""
    kept: deque[RoundSummary] = deque(maxlen=most)
    total = 0
    for total, summary in enumerate(found, 1):  # noqa: B007 - their number is what is left of it
        kept.append(summary)
    return tuple(kept), total


def _event(record: StoredRecord) -> Event:
    try:
        return decode(record.event)
    except TrustError as error:
        raise TrustError(
            f"a record of round {record.round} holds no event: it was not written by this software"
        ) from error

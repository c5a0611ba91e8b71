"""The rounds of a ledger at a glance, read without its key: no deck is opened."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

from certify.errors import TrustError
from certify.rounds.store import Record, Store

T = TypeVar("T")

_ENDS: Final = (
    ("malfunction-declared", "void"),
    ("bets-expired", "expired"),
    ("round-settled", "settled"),
    ("cards-dealt", "open"),
)
"""What a round is by the most telling event in it; a settled round can turn out void."""

STATUSES: Final = ("betting", *(status for _, status in reversed(_ENDS)))


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


def summaries(store: Store, *, seat: str | None = None, status: str = "") -> Iterator[RoundSummary]:
    """Yields the rounds of a ledger in the order in which they began at each seat; a seat plays one at a time.

    Args:
        store: The ledger's store.
        seat: Only the rounds of this seat.
        status: Only rounds of this status.

    Raises:
        TrustError: A record is altered.
    """
    own: dict[str, list[Record]] = {}
    for record in store.records(seat=seat):
        if record.digest != record.expected_digest():
            raise TrustError(f"record {record.number} is altered: its contents do not have its digest")
        if not record.round:
            continue
        before = own.setdefault(record.seat, [])
        if before and before[0].round != record.round:
            yield from _of(before, status)
            before.clear()
        before.append(record)
    for records in own.values():
        yield from _of(records, status)


def latest(found: Iterator[RoundSummary], most: int) -> tuple[tuple[RoundSummary, ...], int]:
    """Returns the last of some rounds, and how many there are in all."""
    kept: deque[RoundSummary] = deque(maxlen=most)
    total = 0
    for summary in found:
        kept.append(summary)
        total += 1
    return tuple(kept), total


def _of(records: list[Record], status: str) -> Iterator[RoundSummary]:
    kinds = {record.kind for record in records}
    shown = next((name for kind, name in _ENDS if kind in kinds), "betting")
    if status and shown != status:
        return
    stakes = [_staked(record) for record in records if record.kind == "cards-dealt"]
    yield RoundSummary(
        round=records[0].round,
        seat=records[0].seat,
        status=shown,
        began=_at(records[0]),
        latest=_at(records[-1]),
        staked=sum(stakes),
        records=len(records),
    )


def _at(record: Record) -> str:
    return _part(record, lambda event: datetime.fromisoformat(event["at"]).isoformat())


def _staked(record: Record) -> int:
    return _part(record, lambda event: sum(int(amount) for _, amount in event["body"]["stakes"]))


def _part(record: Record, read: Callable[[Any], T]) -> T:
    try:
        return read(json.loads(record.event))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise TrustError(
            f"record {record.number} holds no event: it was not written by this software"
        ) from error

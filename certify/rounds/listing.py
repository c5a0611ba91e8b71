"""The rounds of a ledger at a glance, read without its key: no deck is opened."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from certify.errors import TrustError
from certify.rounds.codec import decode
from certify.rounds.events import CardsDealt, Event
from certify.rounds.store import Store, StoredRecord

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


@dataclass(slots=True)
class _Begun:
    """A round as far as its records were read; of each seat its latest is kept, and of that no more than is listed."""

    round: str
    seat: str
    began: str
    last: str = ""
    status: str = STATUSES[0]
    staked: int = 0
    records: int = 0

    def take(self, record: StoredRecord) -> None:
        self.last = record.event
        self.records += 1
        self.status = max(self.status, _STATUS.get(record.kind, STATUSES[0]), key=STATUSES.index)
        if record.kind == "cards-dealt":
            body = _event(record.event, self.round).body
            self.staked += sum(amount for _, amount in body.stakes) if isinstance(body, CardsDealt) else 0

    def summary(self) -> RoundSummary:
        latest = _event(self.last, self.round).at.isoformat()
        return RoundSummary(self.round, self.seat, self.status, self.began, latest, self.staked, self.records)


def summaries(store: Store, *, seat: str | None = None, status: str = "") -> Iterator[RoundSummary]:
    """Yields the rounds of a ledger in the order in which they began at each seat; a seat plays one at a time.

    Args:
        store: The ledger's store.
        seat: Only the rounds of this seat.
        status: Only rounds of this status.

    Raises:
        TrustError: A record is altered.
    """
    own: dict[str, _Begun] = {}
    for record in store.records(seat=seat):
        if record.digest != record.expected_digest():
            raise TrustError(f"record {record.number} is altered: its contents do not have its digest")
        if not record.round:
            continue
        begun = own.get(record.seat)
        if begun is None or begun.round != record.round:
            if begun is not None and status in ("", begun.status):
                yield begun.summary()
            began = _event(record.event, record.round).at.isoformat()
            begun = own[record.seat] = _Begun(record.round, record.seat, began)
        begun.take(record)
    for begun in own.values():
        if status in ("", begun.status):
            yield begun.summary()


def latest(found: Iterator[RoundSummary], most: int) -> tuple[tuple[RoundSummary, ...], int]:
    """Returns the last of some rounds, and how many there are in all."""
    kept: deque[RoundSummary] = deque(maxlen=most)
    total = 0
    for summary in found:
        kept.append(summary)
        total += 1
    return tuple(kept), total


def _event(text: str, round_id: str) -> Event:
    try:
        return decode(text)
    except TrustError as error:
        raise TrustError(
            f"a record of round {round_id} holds no event: it was not written by this software"
        ) from error

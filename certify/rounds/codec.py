"""Events as JSON and back: one form, read again only where it is the form that would be written."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Final

from msgspec import DecodeError, Meta, Raw, Struct
from msgspec.json import Decoder, Encoder

from certify.errors import TrustError
from certify.rounds.events import BODIES, Body, CardsDealt, Event, kind_of
from certify.rounds.money import Posting


class _Written(Struct, forbid_unknown_fields=True):
    """An event as it is written, its fields in their order."""

    sequence: int
    round: str
    at: Annotated[datetime, Meta(tz=True)]
    kind: str
    body: Any
    postings: tuple[Posting, ...]
    clock_behind: bool


class _Read(_Written):
    """The same as it is read: its kind says what its body is."""

    body: Raw


_write: Final = Encoder().encode
_read: Final = Decoder(_Read).decode
_BODIES: Final[dict[str, Decoder[Body]]] = {kind_of(body): Decoder(body) for body in BODIES}


def encode(event: Event) -> str:
    """Returns an event as JSON without the deck, which is stored apart and encrypted.

    >>> from datetime import UTC
    >>> from certify.rounds.events import RoundResumed
    >>> encode(Event(1, "", datetime(2026, 1, 1, tzinfo=UTC), RoundResumed()))[:70]
    '{"sequence":1,"round":"","at":"2026-01-01T00:00:00Z","kind":"round-res'
    """
    body = event.body
    if isinstance(body, CardsDealt):
        body = replace(body, deck=())
    return _write(
        _Written(event.sequence, event.round, event.at, event.kind, body, event.postings, event.clock_behind)
    ).decode()


def decode(text: str, deck: tuple[int, ...] = ()) -> Event:
    """Returns the event that :func:`encode` wrote.

    Args:
        text: The JSON.
        deck: The deck of the deal, where it is known.

    Raises:
        TrustError: The text is no event, or not as it would be written: what holds it was not written by this
            software, or was altered.
    """
    try:
        raw = _read(text)
        body = _BODIES[raw.kind].decode(raw.body)
        event = Event(raw.sequence, raw.round, raw.at, body, raw.postings, raw.clock_behind)
        if encode(event) != text:
            raise ValueError("another form")
    except (DecodeError, KeyError, ValueError, RecursionError) as error:
        raise TrustError(f"not an event: {text[:120]!r} ({type(error).__name__})") from error
    return replace(event, body=replace(body, deck=deck)) if isinstance(body, CardsDealt) and deck else event

"""Events as canonical JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from functools import cache
from typing import Final

import cattrs

from certify.errors import InputError
from certify.rounds.events import BODIES, Body, CardsDealt, Event, RulesInForce, Sitting, WagerResult, kind_of
from certify.rounds.money import Account, Posting

_BY_KIND: Final = {kind_of(body): body for body in BODIES}


@cache
def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    converter.register_structure_hook(datetime, lambda value, _: datetime.fromisoformat(value))
    return converter


_NAMES: Final[Mapping[type, tuple[str, ...]]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (*BODIES, WagerResult, RulesInForce, Sitting)
}


def _fields(value: object) -> dict[str, object]:
    shown = {name: getattr(value, name) for name in _NAMES[type(value)]}
    if isinstance(value, WagerResult) and not value.added:
        # Where nothing can be added there is no such field.
        del shown["added"]
    return shown


def _plain(value: object) -> object:
    if type(value) in _NAMES:
        return _fields(value)
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"cannot write a {type(value).__name__} into an event: expected plain values")


_ENCODER: Final = json.JSONEncoder(
    default=_plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False
)


def canonical(value: object) -> str:
    """Returns a value of plain parts and records as canonical JSON.

    The parts are strings, whole numbers below 2^53, lists and objects with ASCII keys, for which this is
    the form of RFC 8785.

    >>> canonical({"b": 1, "a": ("½",)})
    '{"a":["½"],"b":1}'
    """
    return _ENCODER.encode(value)


def encode(event: Event) -> str:
    """Returns an event as canonical JSON without the deck, which is stored apart and encrypted."""
    body = event.body
    shown = {**_fields(body), "deck": ()} if isinstance(body, CardsDealt) else body
    return canonical(
        {
            "sequence": event.sequence,
            "round": event.round,
            "at": event.at,
            "kind": kind_of(body),
            "body": shown,
            "postings": [[posting.account, posting.amount] for posting in event.postings],
            "clock_behind": event.clock_behind,
        }
    )


def decode(text: str, deck: tuple[int, ...] = ()) -> Event:
    """Returns the event that :func:`encode` wrote.

    Args:
        text: The canonical JSON.
        deck: The deck of the deal, where it is known.

    Raises:
        InputError: The text is no event.
    """
    try:
        raw = json.loads(text)
        body: Body = _converter().structure(raw["body"], _BY_KIND[raw["kind"]])
        if isinstance(body, CardsDealt) and deck:
            body = replace(body, deck=deck)
        postings = _converter().structure(raw["postings"], list[tuple[str, int]])
        return Event(
            sequence=int(raw["sequence"]),
            round=str(raw["round"]),
            at=datetime.fromisoformat(raw["at"]),
            body=body,
            postings=tuple(Posting(Account(name), amount) for name, amount in postings),
            clock_behind=bool(raw["clock_behind"]),
        )
    except (ValueError, KeyError, TypeError, cattrs.BaseValidationError) as error:
        raise InputError(f"not an event: {text[:120]!r} ({type(error).__name__})") from error

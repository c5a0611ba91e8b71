"""Events as canonical JSON and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from datetime import datetime
from functools import lru_cache
from json.encoder import encode_basestring
from operator import attrgetter
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from certify.errors import TrustError
from certify.rounds.events import (
    BODIES,
    Bets,
    Body,
    CardsDealt,
    Event,
    Hands,
    RulesInForce,
    Sitting,
    WagerResult,
    kind_of,
)
from certify.rounds.money import Account, Posting

Reader = Callable[[Any], Any]
Writer = Callable[[Any], str]

_BY_KIND: Final = {kind_of(body): body for body in BODIES}

_RECORDS: Final = (*BODIES, WagerResult, RulesInForce, Sitting)


def encode(event: Event) -> str:
    """Returns an event as canonical JSON without the deck, which is stored apart and encrypted.

    The parts are strings, whole numbers below 2^53, lists and objects with ASCII keys in their order, for which this
    is the form of RFC 8785.
    """
    postings = ",".join([f'["{posting.account.value}",{posting.amount}]' for posting in event.postings])
    return (
        f'{{"at":"{event.at.isoformat()}","body":{_record(event.body)},'
        f'"clock_behind":{"true" if event.clock_behind else "false"},"kind":"{kind_of(event.body)}",'
        f'"postings":[{postings}],"round":{encode_basestring(event.round)},"sequence":{event.sequence}}}'
    )


def decode(text: str, deck: tuple[int, ...] = ()) -> Event:
    """Returns the event that :func:`encode` wrote.

    Args:
        text: The canonical JSON.
        deck: The deck of the deal, where it is known.

    Raises:
        TrustError: The text is no event: what holds it was not written by this software, or was altered.
    """
    try:
        raw = json.loads(text)
        body: Body = _read_record(_BY_KIND[raw["kind"]], raw["body"])
        if isinstance(body, CardsDealt) and deck:
            body = replace(body, deck=deck)
        return Event(
            sequence=_whole(raw["sequence"]),
            round=_text(raw["round"]),
            at=_instant(raw["at"]),
            body=body,
            postings=tuple([Posting(Account(name), _whole(amount)) for name, amount in raw["postings"]]),
            clock_behind=_truth(raw["clock_behind"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise TrustError(f"not an event: {text[:120]!r} ({type(error).__name__})") from error


# --- writing ------------------------------------------------------------------------------------------------


def _names(names: tuple[str, ...]) -> str:
    return f"[{','.join([encode_basestring(name) for name in names])}]"


def _numbers(numbers: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, numbers))}]"


def _bets(bets: Bets) -> str:
    return f"[{','.join([f'[{encode_basestring(name)},{amount}]' for name, amount in bets])}]"


def _hands(hands: Hands) -> str:
    return f"[{','.join([f'[{encode_basestring(holder)},{_numbers(faces)}]' for holder, faces in hands])}]"


def _results(results: tuple[WagerResult, ...]) -> str:
    return f"[{','.join([_result(one) for one in results])}]"


def _result(result: WagerResult) -> str:
    written = _record(result)
    # Where nothing can be added there is no such field; it is the first of its kind.
    return written if result.added else "{" + written.removeprefix('{"added":0,')


def _record(value: object) -> str:
    writers, values = _WRITERS[type(value)]
    pairs = zip(writers, values(value), strict=True)
    return f"{{{','.join([key + write(one) for (key, write), one in pairs])}}}"


_WRITE: Final[Mapping[Any, Writer]] = {
    str: encode_basestring,
    int: str,
    bool: lambda truth: "true" if truth else "false",
    datetime: lambda instant: f'"{instant.isoformat()}"',
    Bets: _bets,
    Hands: _hands,
    tuple[str, ...]: _names,
    tuple[int, ...]: lambda deck: "[]",
    tuple[WagerResult, ...]: _results,
    # Thousands of rounds have them in common.
    RulesInForce: lru_cache(maxsize=64)(_record),
    Sitting: _record,
}
"""What writes a field by its type; rows of draws are stored apart."""


def _writer(kind: Any) -> tuple[tuple[tuple[str, Writer], ...], Callable[[object], tuple[Any, ...]]]:
    """Returns the keys of a record in their order with what writes each value, and what gives the values."""
    hints = get_type_hints(kind)
    names = sorted(field.name for field in fields(kind))
    writers = tuple((f'"{name}":', _WRITE[hints[name]]) for name in names)
    if len(names) > 1:
        return writers, attrgetter(*names)
    return writers, lambda value: tuple([getattr(value, name) for name in names])


_WRITERS: Final[Mapping[Any, Any]] = {kind: _writer(kind) for kind in _RECORDS}


# --- reading ------------------------------------------------------------------------------------------------


def _text(raw: object) -> str:
    if type(raw) is not str:
        raise TypeError("expected a text")
    return raw


def _whole(raw: object) -> int:
    if type(raw) is not int:
        raise TypeError("expected a whole number")
    return raw


def _instant(raw: object) -> datetime:
    instant = datetime.fromisoformat(_text(raw))
    if instant.tzinfo is None:
        raise ValueError("expected a time with its zone")
    return instant


def _truth(raw: object) -> bool:
    if type(raw) is not bool:
        raise TypeError("expected true or false")
    return raw


def _read_record(kind: Any, raw: Mapping[str, Any]) -> Any:
    readers, optional = _READERS[kind]
    if not raw.keys() <= readers.keys() or not readers.keys() - raw.keys() <= optional:
        raise KeyError(f"{kind.__name__} with other fields")
    return kind(**{name: readers[name](one) for name, one in raw.items()})


def _reader(hint: Any) -> Reader:
    """Returns what reads the JSON of a field of some type."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is tuple:
        return _tuple_reader(get_args(hint))
    if isinstance(hint, UnionType):
        raise TypeError(f"no field of an event is {hint}")
    return lambda raw: _read_record(hint, raw)


def _tuple_reader(parts: tuple[Any, ...]) -> Reader:
    if len(parts) == 2 and parts[1] is Ellipsis:
        read = _reader(parts[0])
        return lambda raw: tuple([read(one) for one in _list(raw)])
    readers = [_reader(part) for part in parts]
    return lambda raw: tuple([read(one) for read, one in zip(readers, _list(raw), strict=True)])


def _list(raw: object) -> list[Any]:
    if type(raw) is not list:
        raise TypeError("expected a list")
    return raw


_PLAIN: Final[Mapping[Any, Reader]] = {
    str: _text,
    int: _whole,
    bool: _truth,
    datetime: _instant,
}


def _readers(kind: Any) -> tuple[Mapping[str, Reader], frozenset[str]]:
    hints = get_type_hints(kind)
    named = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    return named, frozenset(field.name for field in fields(kind) if field.default is not MISSING)


_READERS: Final = {kind: _readers(kind) for kind in _RECORDS}

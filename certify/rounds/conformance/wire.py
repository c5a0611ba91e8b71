"""What is asked and shown as JSON, the same on both sides of the HTTP binding: records as objects of their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeVar, get_type_hints

from certify.errors import InputError
from certify.rounds.events import Bets, Hands
from certify.rounds.table import (
    Command,
    PastRound,
    RecalledRound,
    Reply,
    SeatAction,
    SeatChoice,
    View,
)
from certify.untrusted_input import SizeLimit

ANSWER: Final = SizeLimit("an answer of the interface", 65_536)
"""Bytes of the largest body that either side reads."""


LARGEST: Final = (1 << 53) - 1
"""The largest whole number that every reader of JSON reads alike."""

LONGEST_TEXT: Final = 1_000
LONGEST_LIST: Final = 10_000


@dataclass(frozen=True, slots=True)
class WireForm:
    """How a record is written as an object.

    Args:
        named: What it is called where something else was found.
        fields: Its fields in their order.
        optional: Fields that need not be named; what is shown is whole.
    """

    named: str
    fields: str
    optional: str = ""


_RECALLED: Final = " ".join(one.name for one in fields(RecalledRound))

FORMS: Final[Mapping[type, WireForm]] = {
    Command: WireForm("command", "action wager amount decision", "wager amount decision"),
    View: WireForm(
        "view",
        "round phase balance held stakes hands options returned refunded connected available",
    ),
    Reply: WireForm("reply", "done view refusal", "refusal"),
    PastRound: WireForm("history", "round phase stakes hands returned refunded"),
    RecalledRound: WireForm("recall", _RECALLED),
    SeatChoice: WireForm("choice", "at decision offered"),
}
"""How what is asked and shown is written."""

R = TypeVar("R")


def to_json(record: object) -> dict[str, object]:
    """Returns a record as a JSON object."""
    return {name: _plain(getattr(record, name), name) for name in FORMS[type(record)].fields.split()}


def from_json(kind: type[R], raw: object) -> R:
    """Returns the record of a JSON object; fields that it does not know are passed over.

    Args:
        kind: What is expected.
        raw: The object.

    Raises:
        InputError: The JSON is no such record.
    """
    form = FORMS[kind]
    if not isinstance(raw, Mapping):
        raise InputError(f"not a {form.named}: {shortened(raw)}, expected an object")
    known: Any = kind
    types, optional = _types(known), form.optional.split()
    try:
        found = {
            name: _read(types[name], raw[name])
            for name in form.fields.split()
            if name in raw or name not in optional
        }
    except KeyError as error:
        raise InputError(f"not a {form.named}: {shortened(raw)}, expected {error}") from error
    except ValueError as error:
        raise InputError(f"not a {form.named}: {shortened(raw)} ({error})") from error
    return kind(**found)


def command_to_json(command: Command, key: str) -> dict[str, object]:
    """Returns a command and its key as JSON."""
    told = to_json(command)
    if not command.decision:
        # Only a decision has the field.
        del told["decision"]
    return told | {"key": key}


def command_from_json(raw: Mapping[str, object]) -> tuple[Command, str]:
    """Returns a command and its key.

    Raises:
        InputError: The JSON is no such command.
    """
    command, key = from_json(Command, raw), text_from_json(raw.get("key", ""))
    if command.decision and command.action is not SeatAction.DECIDE:
        raise InputError(
            f"not a command: {command.action} takes no decision, expected it with {SeatAction.DECIDE} alone"
        )
    return command, key


def rounds_to_json(rounds: Sequence[PastRound | RecalledRound]) -> dict[str, object]:
    """Returns a history as JSON."""
    return {"rounds": [to_json(one) for one in rounds]}


def rounds_from_json(kind: type[R], raw: object) -> tuple[R, ...]:
    """Returns the rounds of a history.

    Raises:
        InputError: The JSON is no history.
    """
    rounds = raw.get("rounds") if isinstance(raw, Mapping) else None
    if not isinstance(rounds, list):
        raise InputError(f"not a history: {shortened(raw)}, expected an object with rounds")
    return tuple(from_json(kind, one) for one in rounds)


def instant_from_json(raw: Mapping[str, object]) -> datetime:
    """Returns an instant with its zone.

    Raises:
        InputError: It is none, or has no zone.
    """
    try:
        instant = datetime.fromisoformat(str(raw.get("instant")))
    except ValueError as error:
        raise InputError(f"not an instant: {raw.get('instant')!r}, expected ISO 8601 with a zone") from error
    if instant.tzinfo is None:
        raise InputError(
            f"instant {raw.get('instant')!r} has no zone: expected such as 2026-01-01T00:00:00+00:00"
        )
    return instant


def text_from_json(raw: object) -> str:
    """Returns a text.

    Raises:
        InputError: It is none, or none that can be written down.
    """
    try:
        return _text(raw)
    except ValueError as error:
        raise InputError(str(error)) from error


def shortened(raw: object) -> str:
    """Returns what a system answered, as far as a message needs it."""
    return repr(raw)[:300]


@cache
def _types(kind: Any) -> Mapping[str, Any]:
    """Returns the types of the fields of a record, by name."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _plain(value: Any, name: str = "") -> object:
    if name == "hands":
        return {holder: list(faces) for holder, faces in value}
    if is_dataclass(value):
        return to_json(value)
    if isinstance(value, StrEnum):
        return str(value)
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def _read(form: Any, raw: object) -> object:
    read = _READERS.get(form)
    if read is not None:
        return read(raw)
    return form(_text(raw)) if issubclass(form, StrEnum) else from_json(form, raw)


def _bets(raw: object) -> Bets:
    bets = [tuple(_list(bet)) for bet in _list(raw)]
    if any(len(bet) != 2 for bet in bets):
        raise ValueError(f"{shortened(raw)} holds something else than pairs of name and amount")
    return tuple((_text(name), _whole(amount)) for name, amount in bets)


def _hands(raw: object) -> Hands:
    if not isinstance(raw, Mapping) or len(raw) > LONGEST_LIST:
        raise ValueError(f"{shortened(raw)} is no object of faces by holder")
    return tuple((_text(holder), tuple(map(_whole, _list(faces)))) for holder, faces in raw.items())


def _choices(raw: object) -> tuple[SeatChoice, ...]:
    return tuple(from_json(SeatChoice, one) for one in _list(raw))


def _texts(raw: object) -> tuple[str, ...]:
    return tuple(map(_text, _list(raw)))


def _list(raw: object) -> list[object]:
    if not isinstance(raw, list) or len(raw) > LONGEST_LIST:
        raise ValueError(f"{shortened(raw)} is no list of at most {LONGEST_LIST}")
    return raw


def _whole(raw: object) -> int:
    if type(raw) is not int or abs(raw) > LARGEST:
        raise ValueError(f"{shortened(raw)} is no whole number up to {LARGEST}")
    return raw


def _truth(raw: object) -> bool:
    if not isinstance(raw, bool):
        raise ValueError(f"{shortened(raw)} is neither true nor false")
    return raw


def _text(raw: object) -> str:
    if not isinstance(raw, str) or len(raw) > LONGEST_TEXT:
        raise ValueError(
            f"{shortened(raw)} is no text, expected it as text of at most {LONGEST_TEXT} characters"
        )
    raw.encode()  # a lone surrogate is no text that can be written down
    return raw


_READERS: Final[Mapping[object, Callable[[object], object]]] = {
    str: _text,
    int: _whole,
    bool: _truth,
    Bets: _bets,
    Hands: _hands,
    tuple[str, ...]: _texts,
    tuple[SeatChoice, ...]: _choices,
}

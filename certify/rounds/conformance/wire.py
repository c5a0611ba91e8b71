"""What is requested and shown as JSON, equal on both sides of the HTTP binding: records as objects."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from msgspec import convert, to_builtins

from certify.errors import InputError, Refusing, T
from certify.rounds.table import Command, PastRound, RecalledRound, Reply, SeatAction, View
from certify.untrusted_input import SizeLimit

ANSWER: Final = SizeLimit("an answer of the interface", 1 << 20)
"""Bytes of the largest body that either side reads."""


LARGEST: Final = (1 << 53) - 1
"""The largest whole number that every reader of JSON reads in the same way."""

LONGEST_TEXT: Final = 1_000
LONGEST_LIST: Final = 10_000


NAMED: Final[Mapping[type, str]] = {
    Command: "command",
    View: "view",
    Reply: "reply",
    PastRound: "history",
    RecalledRound: "recall",
}
"""What a record is called where something else was found."""


def to_json(record: object) -> dict[str, Any]:
    """Returns a record as a JSON object of its fields, in which hands are an object of faces by holder."""
    found: dict[str, Any] = to_builtins(record)
    for shown in (found, found.get("view", {})):
        if "hands" in shown:
            shown["hands"] = dict(shown["hands"])
    return found


def from_json(kind: type[T], raw: object) -> T:
    """Returns the record of a JSON object; fields that it does not know are passed over.

    Args:
        kind: What is expected; a field with a default need not be named.
        raw: The object.

    Raises:
        InputError: The JSON is no such record.
    """
    with Refusing(ValueError, InputError, f"not a {NAMED[kind]}: {shortened(raw)}"):
        found = convert(_paired(raw, kind), kind)
        _verify_size(to_builtins(found))
    return found


def _paired(raw: object, kind: type) -> object:
    """Returns an object whose hands, where its kind has such, are pairs of holder and faces, as a record has them."""
    if not isinstance(raw, Mapping):
        return raw
    known = raw.keys() & {field.name for field in fields(kind)}
    changed = {"view": _paired(raw["view"], View)} if "view" in known else {}
    if "hands" in known:
        if not isinstance(raw["hands"], Mapping):
            raise ValueError(f"{shortened(raw['hands'])} is no object of faces by holder")
        changed["hands"] = list(raw["hands"].items())
    return {**raw, **changed}


def _verify_size(shown: object) -> None:
    """Refuses values that some reader of JSON would not read, or that cannot be written down."""
    match shown:
        case str() if len(shown) > LONGEST_TEXT:
            raise ValueError(f"{shortened(shown)}, expected text of at most {LONGEST_TEXT} characters")
        case str():
            shown.encode()  # a lone surrogate is no text that can be written down
        case int() if abs(shown) > LARGEST:
            raise ValueError(f"{shortened(shown)}, expected a whole number up to {LARGEST}")
        case list() | tuple() | dict():
            if len(shown) > LONGEST_LIST:
                raise ValueError(f"{shortened(shown)}, expected at most {LONGEST_LIST} entries")
            for one in shown.values() if isinstance(shown, dict) else shown:
                _verify_size(one)


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


def rounds_from_json(kind: type[T], raw: object) -> tuple[T, ...]:
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
    with Refusing(
        ValueError,
        InputError,
        f"not an instant: {raw.get('instant')!r}, expected ISO 8601 with a zone",
        words=None,
    ):
        instant = datetime.fromisoformat(str(raw.get("instant")))
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
    if not isinstance(raw, str):
        raise InputError(f"{shortened(raw)} is no text, expected it as text")
    with Refusing(ValueError, InputError):
        _verify_size(raw)
    return raw


def shortened(raw: object) -> str:
    """Returns what a system answered, as far as a message needs it."""
    return repr(raw)[:300]

"""Commands and views as JSON, the same on both sides of the HTTP binding."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import cattrs

from certify.errors import InputError
from certify.rounds.events import Bets, Hands
from certify.rounds.system import Action, Command, Reply, View

MAXIMUM_BODY: Final = 65_536
"""Bytes of the largest body that either side reads."""


def command_to_json(command: Command, key: str) -> dict[str, object]:
    """Returns a command as JSON."""
    plain = {"action": str(command.action), "wager": command.wager, "amount": command.amount, "key": key}
    # Only a decision has the field.
    return plain | {"decision": command.decision} if command.decision else plain


def command_from_json(raw: Mapping[str, object]) -> tuple[Command, str]:
    """Returns a command and its key.

    Raises:
        InputError: The JSON is no command.
    """
    try:
        action = Action(str(raw["action"]))
        amount = raw.get("amount", 0)
        wager, key, decision = (_text(raw.get(name, "")) for name in ("wager", "key", "decision"))
    except (KeyError, ValueError) as error:
        raise InputError(
            f"not a command: {dict(raw)!r}, expected an action such as 'deal', and wager, decision and key as text"
        ) from error
    if type(amount) is not int:
        raise InputError(f"not a command: {dict(raw)!r}, expected the amount as a whole number")
    if decision and action is not Action.DECIDE:
        raise InputError(f"not a command: {action} takes no decision, expected it with {Action.DECIDE} alone")
    return Command(action, wager, amount, decision), key


def view_to_json(view: View) -> dict[str, object]:
    """Returns a view as JSON."""
    return {
        "round": view.round,
        "phase": view.phase,
        "balance": view.balance,
        "held": view.held,
        "stakes": [list(bet) for bet in view.stakes],
        "hands": {holder: list(faces) for holder, faces in view.hands},
        "options": list(view.options),
        "returned": [list(bet) for bet in view.returned],
        "refunded": view.refunded,
        "connected": view.connected,
        "available": view.available,
    }


def view_from_json(raw: object) -> View:
    """Returns a view.

    Raises:
        InputError: The JSON is no view.
    """
    if not isinstance(raw, Mapping):
        raise InputError(f"not a view: {raw!r}, expected an object")
    try:
        return View(
            round=_text(raw["round"]),
            phase=_text(raw["phase"]),
            balance=_whole(raw["balance"]),
            held=_whole(raw["held"]),
            stakes=_bets(raw["stakes"]),
            hands=_hands(raw["hands"]),
            options=cattrs.structure(raw["options"], tuple[str, ...]),
            returned=_bets(raw["returned"]),
            refunded=_whole(raw["refunded"]),
            connected=raw["connected"] is True,
            available=raw["available"] is True,
        )
    except (KeyError, TypeError, ValueError, cattrs.BaseValidationError) as error:
        raise InputError(f"not a view: {dict(raw)!r} ({error})") from error


def reply_to_json(reply: Reply) -> dict[str, object]:
    """Returns a reply as JSON."""
    return {"done": reply.done, "refusal": reply.refusal, "view": view_to_json(reply.view)}


def reply_from_json(raw: object) -> Reply:
    """Returns a reply.

    Raises:
        InputError: The JSON is no reply.
    """
    if not isinstance(raw, Mapping) or not isinstance(raw.get("done"), bool):
        raise InputError(f"not a reply: {raw!r}, expected an object with done and view")
    return Reply(raw["done"], view_from_json(raw.get("view")), str(raw.get("refusal", "")))


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


def _bets(raw: object) -> Bets:
    return cattrs.structure(raw, tuple[tuple[str, int], ...])


def _hands(raw: object) -> Hands:
    if not isinstance(raw, Mapping):
        raise ValueError(f"{raw!r} is no object of faces by holder")
    return tuple((_text(holder), cattrs.structure(faces, tuple[int, ...])) for holder, faces in raw.items())


def _whole(raw: object) -> int:
    if type(raw) is not int:
        raise ValueError(f"{raw!r} is not a whole number")
    return raw


def _text(raw: object) -> str:
    if not isinstance(raw, str):
        raise ValueError(f"{raw!r} is not text")
    return raw

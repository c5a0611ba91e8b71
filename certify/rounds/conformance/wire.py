"""Commands and views as JSON, the same on both sides of the HTTP binding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from certify.errors import InputError
from certify.rounds.events import Bets, Hands
from certify.rounds.system import Action, Command, PastRound, Reply, View
from certify.rounds.table import TableAction, TableCommand, TableReply, TableView

MAXIMUM_BODY: Final = 65_536
"""Bytes of the largest body that either side reads."""


LARGEST: Final = (1 << 53) - 1
"""The largest whole number that every reader of JSON reads alike."""

LONGEST_TEXT: Final = 1_000
LONGEST_LIST: Final = 10_000


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
            f"not a command: {shortened(raw)}, expected an action such as 'deal', and wager, decision and key as text"
        ) from error
    if type(amount) is not int or abs(amount) > LARGEST:
        raise InputError(f"not a command: {shortened(raw)}, expected the amount as a whole number")
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
        "hands": _hands_to_json(view.hands),
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
        raise InputError(f"not a view: {shortened(raw)}, expected an object")
    try:
        return View(
            round=_text(raw["round"]),
            phase=_text(raw["phase"]),
            balance=_whole(raw["balance"]),
            held=_whole(raw["held"]),
            stakes=_bets(raw["stakes"]),
            hands=_hands(raw["hands"]),
            options=tuple(_text(option) for option in _list(raw["options"])),
            returned=_bets(raw["returned"]),
            refunded=_whole(raw["refunded"]),
            connected=_truth(raw["connected"]),
            available=_truth(raw["available"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"not a view: {shortened(raw)} ({error})") from error


def table_command_to_json(command: TableCommand, key: str) -> dict[str, object]:
    """Returns a command for a table as JSON."""
    return {
        "action": str(command.action),
        "person": command.person,
        "decision": command.decision,
        "stakes": [list(bet) for bet in command.stakes],
        "key": key,
    }


def table_command_from_json(raw: Mapping[str, object]) -> tuple[TableCommand, str]:
    """Returns a command for a table and its key.

    Raises:
        InputError: The JSON is no such command.
    """
    try:
        action = TableAction(str(raw["action"]))
        person, decision, key = (_text(raw.get(name, "")) for name in ("person", "decision", "key"))
        return TableCommand(action, person, decision, _bets(raw.get("stakes", []))), key
    except (KeyError, ValueError) as error:
        raise InputError(
            f"not a command for a table: {shortened(raw)}, expected an action such as 'deal', person, decision and key "
            "as text, and stakes as pairs"
        ) from error


def table_view_to_json(view: TableView) -> dict[str, object]:
    """Returns what a table shows as JSON."""
    pairs = ("balances", "held", "stakes", "nets")
    return {
        "round": view.round,
        "phase": view.phase,
        "banker": view.banker,
        **{name: [list(bet) for bet in getattr(view, name)] for name in pairs},
        "hands": _hands_to_json(view.hands),
        "turn": view.turn,
        "options": list(view.options),
        "absent": list(view.absent),
    }


def table_view_from_json(raw: object) -> TableView:
    """Returns what a table shows.

    Raises:
        InputError: The JSON is no such view.
    """
    if not isinstance(raw, Mapping):
        raise InputError(f"not a view of a table: {shortened(raw)}, expected an object")
    try:
        return TableView(
            round=_text(raw["round"]),
            phase=_text(raw["phase"]),
            banker=_text(raw["banker"]),
            balances=_bets(raw["balances"]),
            held=_bets(raw["held"]),
            stakes=_bets(raw["stakes"]),
            hands=_hands(raw["hands"]),
            turn=_text(raw["turn"]),
            options=tuple(_text(option) for option in _list(raw["options"])),
            nets=_bets(raw["nets"]),
            absent=tuple(_text(person) for person in _list(raw["absent"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"not a view of a table: {shortened(raw)} ({error})") from error


def table_reply_to_json(reply: TableReply) -> dict[str, object]:
    """Returns a reply of a table as JSON."""
    return {"done": reply.done, "refusal": reply.refusal, "view": table_view_to_json(reply.view)}


def table_reply_from_json(raw: object) -> TableReply:
    """Returns a reply of a table.

    Raises:
        InputError: The JSON is no such reply.
    """
    if not isinstance(raw, Mapping) or not isinstance(raw.get("done"), bool):
        raise InputError(f"not a reply: {shortened(raw)}, expected an object with done and view")
    view = table_view_from_json(raw.get("view"))
    return TableReply(raw["done"], view, text_from_json(raw.get("refusal", "")))


def people_from_json(raw: object) -> Bets:
    """Returns who sits down with what.

    Raises:
        InputError: The JSON names no people.
    """
    try:
        return _bets(raw)
    except ValueError as error:
        raise InputError(f"not people of a table: {error}") from error


def history_to_json(rounds: Sequence[PastRound]) -> dict[str, object]:
    """Returns a history as JSON."""
    return {
        "rounds": [
            {
                "round": one.round,
                "phase": one.phase,
                "stakes": [list(bet) for bet in one.stakes],
                "hands": _hands_to_json(one.hands),
                "returned": [list(bet) for bet in one.returned],
                "refunded": one.refunded,
            }
            for one in rounds
        ]
    }


def history_from_json(raw: object) -> tuple[PastRound, ...]:
    """Returns the rounds of a history.

    Raises:
        InputError: The JSON is no history.
    """
    rounds = raw.get("rounds") if isinstance(raw, Mapping) else None
    if not isinstance(rounds, list) or not all(isinstance(one, Mapping) for one in rounds):
        raise InputError(f"not a history: {shortened(raw)}, expected an object with rounds")
    try:
        return tuple(
            PastRound(
                round=_text(one["round"]),
                phase=_text(one["phase"]),
                stakes=_bets(one["stakes"]),
                hands=_hands(one["hands"]),
                returned=_bets(one["returned"]),
                refunded=_whole(one["refunded"]),
            )
            for one in rounds
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"not a history: {shortened(raw)} ({error})") from error


def reply_to_json(reply: Reply) -> dict[str, object]:
    """Returns a reply as JSON."""
    return {"done": reply.done, "refusal": reply.refusal, "view": view_to_json(reply.view)}


def reply_from_json(raw: object) -> Reply:
    """Returns a reply.

    Raises:
        InputError: The JSON is no reply.
    """
    if not isinstance(raw, Mapping) or not isinstance(raw.get("done"), bool):
        raise InputError(f"not a reply: {shortened(raw)}, expected an object with done and view")
    return Reply(raw["done"], view_from_json(raw.get("view")), text_from_json(raw.get("refusal", "")))


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


def _bets(raw: object) -> Bets:
    bets = [tuple(_list(bet)) for bet in _list(raw)]
    if any(len(bet) != 2 for bet in bets):
        raise ValueError(f"{shortened(raw)} holds something else than pairs of wager and amount")
    return tuple((_text(wager), _whole(amount)) for wager, amount in bets)


def _hands_to_json(hands: Hands) -> dict[str, list[int]]:
    return {holder: list(faces) for holder, faces in hands}


def _hands(raw: object) -> Hands:
    if not isinstance(raw, Mapping) or len(raw) > LONGEST_LIST:
        raise ValueError(f"{shortened(raw)} is no object of faces by holder")
    return tuple((_text(holder), tuple(map(_whole, _list(faces)))) for holder, faces in raw.items())


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
        raise ValueError(f"{shortened(raw)} is no text of at most {LONGEST_TEXT} characters")
    raw.encode()  # a lone surrogate is no text that can be written down
    return raw

"""A system under test that is reached over HTTP."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar
from urllib.parse import quote, urlsplit

from certify.errors import InputError
from certify.rounds.conformance.wire import (
    MAXIMUM_BODY,
    command_to_json,
    reply_from_json,
    view_from_json,
)
from certify.rounds.play import Edition
from certify.rounds.system import Command, Reply, System, SystemFactory, View

TIMEOUT_SECONDS: Final = 30

T = TypeVar("T")


class TargetError(InputError):
    """A system under test does not answer, or answers outside the interface."""


class NoContactError(TargetError):
    """Nothing answers where the system under test should be."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the interface of a system under test is served."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, url: str) -> Target:
        """Returns the target of a URL.

        Raises:
            InputError: The URL is neither http nor https, or names no host.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"target {url!r} is no URL of a system: expected http://HOST[:PORT][/PATH]")
        return cls(
            parts.scheme,
            parts.hostname,
            parts.port or (443 if parts.scheme == "https" else 80),
            parts.path.rstrip("/"),
        )

    def ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Mapping[str, object]:
        """Sends a request and returns the JSON object of its answer.

        Raises:
            TargetError: There is no answer, or it is no JSON object of the expected kind.
        """
        kind = http.client.HTTPSConnection if self.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.host, self.port, timeout=TIMEOUT_SECONDS)
        try:
            text = json.dumps(body) if body is not None else None
            connection.request(method, self.path + path, text, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            raw = answer.read(MAXIMUM_BODY + 1)
        except (OSError, http.client.HTTPException) as error:
            raise TargetError(f"{method} {path} at {self.host}:{self.port}: no answer ({error})") from error
        finally:
            connection.close()
        return _object(method, path, answer.status, raw)


@dataclass(frozen=True, slots=True)
class HttpSystem:
    """One fresh player at a system that is reached over HTTP."""

    target: Target
    player: str

    def set_clock(self, instant: datetime) -> None:
        """Sets the system's clock for this player."""
        self.target.ask("PUT", f"/players/{self.player}/clock", {"instant": instant.isoformat()})

    def set_deck(self, deck: tuple[int, ...]) -> None:
        """Gives the deck that the next deal uses."""
        self.target.ask("PUT", f"/players/{self.player}/deck", {"cards": list(deck)})

    def perform(self, command: Command, key: str = "") -> Reply:
        """Does what a command asks, or refuses it and changes nothing."""
        path = f"/players/{self.player}/commands"
        return _structured(reply_from_json, self.target.ask("POST", path, command_to_json(command, key)))

    def view(self) -> View:
        """Returns what the system shows now."""
        return _structured(view_from_json, self.target.ask("GET", f"/players/{self.player}"))


def http_system(url: str) -> SystemFactory:
    """Returns a factory of fresh players at a system that is reached over HTTP.

    Raises:
        InputError: The URL names no system.
    """
    target = Target.parse(url)

    def make(edition: Edition, balance: int, instant: datetime) -> System:
        opening = {"game": edition.game.id, "balance": balance, "instant": instant.isoformat()}
        player = target.ask("POST", "/players", opening).get("player")
        if not isinstance(player, str) or not player:
            raise TargetError(f"POST /players answered {player!r}, expected the id of a fresh player")
        return HttpSystem(target, quote(player, safe=""))

    return make


def _structured(read: Callable[[object], T], raw: object) -> T:
    try:
        return read(raw)
    except InputError as error:
        raise TargetError(f"an answer outside the interface: {error}") from error


def _object(method: str, path: str, status: int, raw: bytes) -> Mapping[str, object]:
    if len(raw) > MAXIMUM_BODY:
        raise TargetError(f"{method} {path}: an answer above {MAXIMUM_BODY} bytes")
    if status not in (200, 201):
        raise TargetError(f"{method} {path}: status {status}, expected 200 or 201: {raw[:200]!r}")
    try:
        value = json.loads(raw)
    except ValueError as error:
        raise TargetError(f"{method} {path}: no JSON in the answer: {raw[:200]!r}") from error
    if not isinstance(value, dict):
        raise TargetError(f"{method} {path}: {raw[:200]!r}, expected a JSON object")
    return value

"""A system under test: reached over HTTP, or a Python class by its module."""

import http.client
import importlib
import json
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial, wraps
from pathlib import Path
from threading import Timer
from typing import ClassVar, Final, cast
from urllib.parse import quote, urlsplit

from certify.errors import InputError, Refusing, T
from certify.rounds.conformance.setting import Extra
from certify.rounds.conformance.wire import (
    ANSWER,
    LARGEST,
    command_to_json,
    from_json,
    rounds_from_json,
    text_from_json,
)
from certify.rounds.play import Edition
from certify.rounds.table import Command, PastRound, RecalledRound, Reply, System, SystemFactory, View
from certify.untrusted_input import json_of, read_stream

DEADLINE_SECONDS: Final = 10.0
"""Seconds within which a whole answer must have arrived, however it comes in."""

_FORBIDDEN: Final = (401, 403)
"""What a target answers that wants another authorisation."""

_NO_BODY: Final[Mapping[str, object]] = {}


class TargetError(InputError):
    """A system under test does not answer, or answers outside the interface."""


class NoContactError(TargetError):
    """Nothing answers where the system under test should be."""


class LateError(TargetError):
    """A whole answer did not arrive within the deadline."""


class NotOfferedError(TargetError):
    """The system under test does not serve a path."""


@dataclass(frozen=True, slots=True)
class Access:
    """How a target is reached.

    Args:
        authorisation: Value of the header ``Authorization``; none is sent where empty.
        authority: PEM file of the authorities that vouch for the target; those of the machine where none.
        deadline: Seconds within which a whole answer must have arrived.
    """

    authorisation: str = field(default="", repr=False)
    authority: Path | None = None
    deadline: float = DEADLINE_SECONDS

    def context(self) -> ssl.SSLContext:
        """Returns by which authorities a target is checked.

        Raises:
            InputError: The file holds no certificates.
        """
        with Refusing(OSError, InputError, f"{self.authority}: no certificates of an authority in PEM"):
            return ssl.create_default_context(cafile=self.authority)


@dataclass(frozen=True, slots=True)
class Target:
    """Where the interface of a system under test is served."""

    host: str
    port: int
    path: str
    access: Access = Access()
    context: ssl.SSLContext | None = field(default=None, repr=False, compare=False)

    @classmethod
    def parse(cls, url: str, access: Access = Access()) -> "Target":
        """Returns the target of a URL.

        Raises:
            InputError: The URL is neither http nor https, names no host or no port, or a secret would go in clear.
        """
        with Refusing(ValueError, InputError, f"target {url!r} is no URL of a system"):
            parts = urlsplit(url)
            port = parts.port
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            raise InputError(f"target {url!r} is no URL of a system: expected http://HOST[:PORT][/PATH]")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise InputError(
                "the URL of a target names no user, query or fragment: expected http://HOST[:PORT][/PATH], and what "
                "authorises in a file"
            )
        secure = parts.scheme == "https"
        if access.authorisation and not secure and parts.hostname not in ("127.0.0.1", "::1", "localhost"):
            raise InputError(f"target {url!r} would be sent the authorisation in clear: expected https")
        return cls(
            parts.hostname,
            port or (443 if secure else 80),
            parts.path.rstrip("/"),
            access,
            access.context() if secure else None,
        )

    def ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Mapping[str, object]:
        """Sends a request and returns the JSON object of its answer.

        Raises:
            TargetError: There is no whole answer in time, or it is no JSON object of the expected kind.
        """
        return self.send_together(((method, path, body),))[0]

    def send_together(
        self, requests: Sequence[tuple[str, str, Mapping[str, object] | None]]
    ) -> tuple[Mapping[str, object], ...]:
        """Sends requests so that all are on their way before the first is answered.

        Raises:
            TargetError: There is no whole answer to one in time, or it is no JSON object of the expected kind.
        """
        exchanges = [_Exchange(self, method, path) for method, path, _ in requests]
        try:
            for exchange in exchanges:
                exchange.connect()
            for exchange, (_, _, body) in zip(exchanges, requests, strict=True):
                exchange.send(body)
            return tuple(exchange.receive() for exchange in exchanges)
        finally:
            for exchange in exchanges:
                exchange.close()


class _Exchange:
    """One request and its answer, cut off at the deadline whether the target hangs or drips."""

    __slots__ = ("_connection", "_late", "_method", "_path", "_socket", "_target", "_timer")

    def __init__(self, target: Target, method: str, path: str) -> None:
        self._target, self._method, self._path = target, method, path
        self._late = False
        seconds = target.access.deadline
        kind: Callable[..., http.client.HTTPConnection] = http.client.HTTPConnection
        if target.context is not None:
            kind = partial(http.client.HTTPSConnection, context=target.context)
        self._connection = kind(target.host, target.port, timeout=seconds)
        self._timer = Timer(seconds, self._cut)
        self._timer.daemon = True

    def connect(self) -> None:
        with Refusing((OSError, UnicodeError), NoContactError, f"{self._named()}: no answer"):
            self._connection.connect()
        # The connection lets go of it as soon as the answer's head is read; the body can drip for ever.
        self._socket = self._connection.sock
        self._timer.start()

    def send(self, body: Mapping[str, object] | None) -> None:
        headers = {"Content-Type": "application/json"}
        if self._target.access.authorisation:
            headers["Authorization"] = self._target.access.authorisation
        text = json.dumps(body) if body is not None else None
        self._within(
            lambda: self._connection.request(self._method, self._target.path + self._path, text, headers)
        )

    def receive(self) -> Mapping[str, object]:
        answer = self._within(self._connection.getresponse)
        raw = self._within(lambda: read_stream(answer, ANSWER, self._refused))
        if self._late:
            raise self._too_late()
        if answer.length:
            raise TargetError(f"{self._named()}: an answer that ends {answer.length} bytes before its length")
        return _object(self._method, self._path, answer.status, raw)

    def close(self) -> None:
        self._timer.cancel()
        self._connection.close()

    def _within(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except (OSError, http.client.HTTPException, ValueError) as error:
            if self._late or isinstance(error, TimeoutError):
                raise self._too_late() from error
            raise TargetError(f"{self._named()}: no answer ({type(error).__name__}: {error})") from error

    def _refused(self, reason: str) -> TargetError:
        return TargetError(f"{self._method} {self._path}: an answer {reason}")

    def _too_late(self) -> LateError:
        return LateError(f"{self._named()}: no whole answer within {self._target.access.deadline:g} s")

    def _named(self) -> str:
        return f"{self._method} {self._path} at {self._target.host}:{self._target.port}"

    def _cut(self) -> None:
        self._late = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class HttpSystem:
    """A fresh player at a system that is reached over HTTP.

    Args:
        target: Where the system is.
        path: Path of the player.
    """

    target: Target
    path: str

    largest: ClassVar[int] = LARGEST
    """The largest amount that every reader of JSON reads in the same way."""

    def set_clock(self, instant: datetime) -> None:
        """Sets the clock of the player."""
        self.target.ask("PUT", f"{self.path}/clock", {"instant": instant.isoformat()})

    def set_deck(self, deck: tuple[int, ...]) -> None:
        """Gives the row of draws that the next deal uses."""
        self.target.ask("PUT", f"{self.path}/deck", {"cards": list(deck)})

    def restart(self) -> None:
        """Ends the system and starts it again."""
        self.target.ask("POST", "/restart", _NO_BODY)

    def perform(self, command: Command, key: str = "") -> Reply:
        """Does what a command asks, or refuses it and changes nothing."""
        return self.perform_together(((command, key),))[0]

    def perform_together(self, asked: Sequence[tuple[Command, str]]) -> tuple[Reply, ...]:
        """Sends commands so that all are on their way before the first is answered."""
        sent = [("POST", f"{self.path}/commands", command_to_json(*one)) for one in asked]
        return tuple(
            _structured(partial(from_json, Reply), answer) for answer in self.target.send_together(sent)
        )

    def view(self) -> View:
        """Returns what is shown now."""
        return _structured(partial(from_json, View), self.target.ask("GET", self.path))

    def history(self) -> tuple[PastRound, ...]:
        """Returns the rounds whose bets were accepted."""
        return self._rounds(PastRound, "/history")

    def recalled(self) -> tuple[RecalledRound, ...]:
        """Returns the complete rounds of the player as recall shows them."""
        return self._rounds(RecalledRound, "/recalled")

    def configure(self, configuration: str) -> None:
        """Stakes the rounds of the player from now on as a wagering configuration."""
        self.target.ask("PUT", f"{self.path}/configuration", {"configuration": configuration})

    def offered(self) -> frozenset[Extra]:
        """Returns what the system offers: whatever it does not answer as a path it does not serve."""
        asked: tuple[tuple[Extra, Callable[[], object]], ...] = (
            (Extra.HISTORY, self.history),
            (Extra.RECALL, self.recalled),
            (Extra.RESTART, self.restart),
            (Extra.CONFIGURE, partial(self.configure, "")),
        )
        return frozenset({Extra.TOGETHER, *(extra for extra, call in asked if _served(call))})

    def _rounds(self, kind: type[T], part: str) -> tuple[T, ...]:
        return _structured(partial(rounds_from_json, kind), self.target.ask("GET", self.path + part))


def http_system(url: str, access: Access = Access()) -> SystemFactory:
    """Returns a factory of fresh players at a system that is reached over HTTP.

    Raises:
        InputError: The URL names no system.
    """
    target = Target.parse(url, access)

    def make(edition: Edition, balance: int, instant: datetime) -> System:
        opening = {"game": edition.game.id, "balance": balance, "instant": instant.isoformat()}
        name = _structured(text_from_json, target.ask("POST", "/players", opening).get("player"))
        if not name:
            raise TargetError("POST /players answered no id of a fresh player")
        return HttpSystem(target, f"/players/{quote(name, safe='')}")

    return make


def _served(call: Callable[[], object]) -> bool:
    """Returns whether a path is served; one that is answered wrongly is, and the stories will say so."""
    try:
        call()
    except NotOfferedError:
        return False
    except TargetError:
        return True
    return True


def _structured(read: Callable[[object], T], raw: object) -> T:
    with Refusing(InputError, TargetError, "an answer outside the interface"):
        return read(raw)


def _object(method: str, path: str, status: int, raw: bytes) -> Mapping[str, object]:
    if status in _FORBIDDEN:
        raise NoContactError(f"{method} {path}: status {status}: the target wants another authorisation")
    if 400 <= status < 500 or status == 501:
        raise NotOfferedError(f"{method} {path}: status {status}, expected 200 or 201: {raw[:200]!r}")
    if status not in (200, 201):
        raise TargetError(f"{method} {path}: status {status}, expected 200 or 201: {raw[:200]!r}")
    with Refusing(
        ValueError, TargetError, f"{method} {path}: no JSON in the answer: {raw[:200]!r}", words=None
    ):
        value = json_of(raw)
    if not isinstance(value, dict):
        raise TargetError(f"{method} {path}: {raw[:200]!r}, expected a JSON object")
    return value


OFFERED: Final = ("set_clock", "set_deck", "perform", "view")
"""What a system under test must offer; what it may offer beyond is in certify.rounds.conformance.setting."""


def system_factory(target: str, access: Access = Access()) -> SystemFactory:
    """Returns what makes systems with a fresh player.

    Args:
        target: ``http://HOST:PORT`` of the HTTP binding, or ``module:Class`` whose objects are made from
            edition, opening balance and time, and keep the interface of certify.rounds.table.System.
        access: How a URL is reached.

    Raises:
        InputError: The target names no system.

    >>> system_factory("certify.rounds.system:reference_system").__name__
    'reference_system'
    """
    if target.startswith(("http://", "https://")):
        return http_system(target, access)
    module_name, separator, name = target.partition(":")
    if "://" in target or not separator or not module_name or not name:
        raise InputError(f"target {target!r}: expected http://HOST:PORT or module:Class")
    # A module of an operator's can raise anything when it is loaded.
    with Refusing(Exception, InputError, f"target {target!r} cannot be loaded"):
        found = getattr(importlib.import_module(module_name), name)
    if not callable(found):
        raise InputError(f"target {target!r} is not callable: expected a class or a function")
    return _checked(cast(SystemFactory, found), target)


def _checked(factory: SystemFactory, target: str) -> SystemFactory:
    """Returns a factory whose objects are looked at: what is no system is refused by name."""

    @wraps(factory)
    def make(edition: Edition, balance: int, instant: datetime) -> System:
        with Refusing(TypeError, InputError, f"target {target!r} makes no system"):
            system = factory(edition, balance, instant)
        lacking = [name for name in OFFERED if not callable(getattr(system, name, None))]
        if lacking:
            raise InputError(f"target {target!r} makes no system: it lacks {', '.join(lacking)}")
        return system

    return make

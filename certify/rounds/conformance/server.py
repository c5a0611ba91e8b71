"""The reference server: any system behind the HTTP binding, as a WSGI application for tests."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
from itertools import count
from socketserver import ThreadingMixIn
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from certify.errors import CertifyError, InputError, Refusing, strerror
from certify.model import split_row
from certify.rounds.conformance.setting import Extra, Offering, offered_by, offering
from certify.rounds.conformance.wire import (
    ANSWER,
    command_from_json,
    instant_from_json,
    rounds_to_json,
    text_from_json,
    to_json,
)
from certify.rounds.play import Edition, staked_apart
from certify.rounds.table import System, SystemFactory
from certify.untrusted_input import json_of

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

MAXIMUM_PLAYERS: Final = 100_000
"""Players that one server keeps; it is made for tests."""

_ROUTE: Final = re.compile(
    r"^/players/(p\d{1,9})(/clock|/deck|/configuration|/commands|/history|/recalled)?$"
)

Body = Mapping[str, object]


class _UnknownError(CertifyError):
    """The path leads nowhere."""


class _MethodError(CertifyError):
    """The path exists, but not with that method."""


_REFUSED: Final = {_UnknownError: HTTPStatus.NOT_FOUND, _MethodError: HTTPStatus.METHOD_NOT_ALLOWED}


class RoundServer:
    """Serves fresh players of a system, no network beyond what the WSGI server opens.

    Args:
        factory: Makes a system with a fresh player.
        edition: Rules and terms in force.
    """

    __slots__ = ("_edition", "_factory", "_locks", "_numbers", "_opening", "_seats", "_staked")

    def __init__(self, factory: SystemFactory, edition: Edition) -> None:
        self._factory = factory
        self._edition = edition
        self._seats: dict[str, System] = {}
        self._locks: dict[str, Lock] = {}
        self._staked: dict[str, Edition] = {}
        self._opening = Lock()
        self._numbers = count(1)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answers one request."""
        try:
            status, answer = self._answer(environ)
        except CertifyError as error:
            status, answer = _REFUSED.get(type(error), HTTPStatus.BAD_REQUEST), {"error": str(error)}
        raw = json.dumps(answer).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(raw)))]
        start_response(f"{status:d} {HTTPStatus(status).phrase}", headers)
        return [raw]

    def _answer(self, environ: "WSGIEnvironment") -> tuple[int, Body]:
        method, path = str(environ["REQUEST_METHOD"]), str(environ["PATH_INFO"])
        if path == "/players":
            _expect(method, "POST", path)
            return 201, self._open(_body(environ))
        if path == "/restart":
            _expect(method, "POST", path)
            return 200, self._restart()
        match = _ROUTE.match(path)
        if match is None or match[1] not in self._seats:
            raise _UnknownError(f"nothing is served at {path}")
        expected = {"/clock": "PUT", "/deck": "PUT", "/configuration": "PUT", "/commands": "POST"}.get(
            match[2], "GET"
        )
        _expect(method, expected, path)
        body = _body(environ) if expected != "GET" else {}
        with self.turn(match[1]):
            return 200, self._asked(match, body)

    def _asked(self, found: re.Match[str], body: Body) -> Body:
        """Does what a request asks of a player."""
        name, part = found.groups()
        seat = self._seats[name]
        match part:
            case "/clock":
                seat.set_clock(instant_from_json(body))
            case "/deck":
                row = _row(body)
                split_row(self._staked.get(name, self._edition).game.equipment, row)
                seat.set_deck(row)
            case "/configuration":
                named = text_from_json(body.get("configuration"))
                _with(seat, Extra.CONFIGURE, "stakes no configuration by itself").configure(named)
                self._staked[name] = staked_apart(self._edition, named) or self._edition
            case "/commands":
                return to_json(seat.perform(*command_from_json(body)))
            case "/history":
                return rounds_to_json(_with(seat, Extra.HISTORY, "has no history").history())
            case "/recalled":
                return rounds_to_json(_with(seat, Extra.RECALL, "recalls no rounds").recalled())
            case _:
                return to_json(seat.view())
        return {}

    def turn(self, player: str) -> AbstractContextManager[object]:
        """Returns what requests of one player wait in: each is answered whole before the next begins."""
        return self._locks[player]

    def _restart(self) -> Body:
        with self._opening:
            for name, seat in self._seats.items():
                with self.turn(name):
                    _with(seat, Extra.RESTART, "cannot be restarted").restart()
        return {}

    def _open(self, body: Body) -> Body:
        """Keeps a fresh player, and returns its id and view."""
        balance = body.get("balance")
        if body.get("game") != self._edition.game.id:
            raise InputError(f"no game {body.get('game')!r} here: expected {self._edition.game.id}")
        if type(balance) is not int or balance < 1:
            raise InputError(f"balance {balance!r}: expected a positive whole number of minor units")
        seat = self._factory(self._edition, balance, instant_from_json(body))
        with self._opening:
            if len(self._seats) >= MAXIMUM_PLAYERS:
                raise InputError(f"{MAXIMUM_PLAYERS} players are open: expected no more")
            name = f"p{next(self._numbers)}"
            self._seats[name], self._locks[name] = seat, Lock()
        return {"player": name, "view": to_json(seat.view())}


def _row(body: Body) -> tuple[int, ...]:
    row = body.get("cards")
    if not isinstance(row, list) or any(type(item) is not int for item in row):
        raise InputError("the deck is no list of items of the equipment")
    return tuple(row)


def _expect(method: str, expected: str, path: str) -> None:
    if method != expected:
        raise _MethodError(f"{method} {path}: expected {expected}")


def _body(environ: "WSGIEnvironment") -> Body:
    with Refusing(ValueError, InputError, "the length of the body is no number", words=None):
        length = int(environ.get("CONTENT_LENGTH") or 0)
    if not 0 <= length <= ANSWER.size:
        raise InputError(f"a body of {length} bytes: expected at most {ANSWER.size}")
    with Refusing(ValueError, InputError, "the body is no JSON", words=None):
        value = json_of(environ["wsgi.input"].read(length))
    if not isinstance(value, dict):
        raise InputError("the body is no JSON object")
    return value


def _with(system: System, extra: Extra, lacks: str) -> Offering:
    if extra not in offered_by(system):
        raise _UnknownError(f"the system that is served {lacks}")
    return offering(system)


class _Server(ThreadingMixIn, WSGIServer):
    """Answers each request in a thread of its own."""

    daemon_threads = True
    block_on_close = False


class _QuietHandler(WSGIRequestHandler):
    """Answers without writing every request to standard error."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the base class)
        """Writes nothing."""


@contextmanager
def serving(
    factory: SystemFactory, edition: Edition, *, port: int = 0, application: RoundServer | None = None
) -> Iterator[str]:
    """Serves a system on this machine for as long as the context lasts; yields its URL.

    Args:
        factory: Makes the systems.
        edition: Rules and terms in force.
        port: Port on the loopback address; a free one where zero.
        application: Answers requests; a :class:`RoundServer` where left out.

    Raises:
        InputError: The port is in use, or this user may not take it.
    """
    serves = application or RoundServer(factory, edition)
    with Refusing(OSError, InputError, f"port {port} of this machine cannot be served on", words=strerror):
        server = make_server("127.0.0.1", port, serves, server_class=_Server, handler_class=_QuietHandler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

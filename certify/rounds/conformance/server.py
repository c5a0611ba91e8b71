"""The reference server: any system behind the HTTP binding, as a WSGI application for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from itertools import count
from socketserver import ThreadingMixIn
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from certify.errors import CertifyError, InputError
from certify.families.registry import family_of
from certify.model.equipment import split_row
from certify.outside import json_of
from certify.rounds.conformance.extras import Extra, Offering, offered_by, offering
from certify.rounds.conformance.wire import (
    ANSWER,
    asked_from_json,
    instant_from_json,
    people_from_json,
    rounds_to_json,
    to_json,
)
from certify.rounds.play import Edition
from certify.rounds.table import System, SystemFactory

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

MAXIMUM_PLAYERS: Final = 100_000
"""Players that one server keeps; it is made for tests."""

_ROUTE: Final = re.compile(
    r"^/(?:players/(?=p)|tables/(?=t))([pt]\d{1,9})(/clock|/deck|/commands|/history|/recalled)?(?:/(.+))?$"
)
_ANY_TIME: Final = datetime(2026, 1, 1, tzinfo=UTC)
_STATUS: Final = {
    200: "200 OK",
    201: "201 Created",
    400: "400 Bad Request",
    404: "404 Not Found",
    405: "405 Method Not Allowed",
}

Body = Mapping[str, object]


class _UnknownError(CertifyError):
    """The path leads nowhere."""


class _MethodError(CertifyError):
    """The path exists, but not with that method."""


class RoundServer:
    """Serves fresh players of a system, no network beyond what the WSGI server opens.

    Args:
        factory: Makes a system with a fresh player.
        edition: Rules and terms in force.
    """

    __slots__ = ("_edition", "_factory", "_locks", "_numbers", "_opening", "_seats")

    def __init__(self, factory: SystemFactory, edition: Edition) -> None:
        self._factory = factory
        self._edition = edition
        self._seats: dict[str, System] = {}
        self._locks: dict[str, Lock] = {}
        self._opening = Lock()
        self._numbers = {"player": count(1), "table": count(1)}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answers one request."""
        try:
            status, answer = self._answer(environ)
        except _UnknownError as error:
            status, answer = 404, {"error": str(error)}
        except _MethodError as error:
            status, answer = 405, {"error": str(error)}
        except CertifyError as error:
            status, answer = 400, {"error": str(error)}
        raw = json.dumps(answer).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(raw)))]
        start_response(_STATUS[status], headers)
        return [raw]

    def _answer(self, environ: WSGIEnvironment) -> tuple[int, Body]:
        method, path = str(environ["REQUEST_METHOD"]), str(environ["PATH_INFO"])
        if path == "/players":
            _expect(method, "POST", path)
            return 201, self._open(_body(environ))
        if path == "/restart":
            _expect(method, "POST", path)
            return 200, self._restart()
        if path == "/tables":
            self._verify_tables()
            if method == "GET":
                return 200, {"tables": sum(name.startswith("t") for name in self._seats)}
            _expect(method, "POST", path)
            return 201, self._gather(_body(environ))
        match = _ROUTE.match(path)
        # A table has a history of each person, a player one of their own.
        served = (
            match is not None
            and match[1] in self._seats
            and (match[3] is None) is not (match[1].startswith("t") and match[2] == "/history")
            and not (match[1].startswith("t") and match[2] == "/recalled")
        )
        if match is None or not served:
            raise _UnknownError(f"nothing is served at {path}")
        expected = {"/clock": "PUT", "/deck": "PUT", "/commands": "POST"}.get(match[2], "GET")
        _expect(method, expected, path)
        body = _body(environ) if expected != "GET" else {}
        with self.turn(match[1]):
            return 200, self._asked(match, body)

    def _asked(self, found: re.Match[str], body: Body) -> Body:
        """Does what a request asks of a player or a table."""
        name, part, person = found.groups()
        seat, at_table = self._seats[name], name.startswith("t")
        match part:
            case "/clock":
                seat.set_clock(instant_from_json(body))
            case "/deck":
                row = _row(body)
                if not at_table:
                    split_row(self._edition.game.equipment, row)
                seat.set_deck(row)
            case "/commands":
                return to_json(seat.perform(*asked_from_json(body, several=at_table)))
            case "/history":
                # PEP 3333: the bytes of a path come as characters of Latin-1.
                whose = (
                    ()
                    if person is None
                    else (person.encode("latin-1", "replace").decode("utf-8", "replace"),)
                )
                return rounds_to_json(_with(seat, Extra.HISTORY, "has no history").history(*whose))
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
                    if name.startswith("p") and Extra.RESTART not in offered_by(seat):
                        raise _UnknownError("the system that is served cannot be restarted")
                    restart = getattr(seat, "restart", None)
                    if callable(restart):
                        restart()
        return {}

    def _open(self, body: Body) -> Body:
        self._verify_game(body)
        balance = body.get("balance")
        if type(balance) is not int or balance < 1:
            raise InputError(f"balance {balance!r}: expected a positive whole number of minor units")
        return self._seated("player", self._factory(self._edition, balance, instant_from_json(body)))

    def _verify_game(self, body: Body) -> None:
        if body.get("game") != self._edition.game.id:
            raise InputError(f"no game {body.get('game')!r} here: expected {self._edition.game.id}")

    def _verify_tables(self) -> None:
        """Refuses what is asked of tables where the system knows one player only, or the game is not played so."""
        system = self._factory(self._edition, 1, _ANY_TIME)
        if Extra.TABLE not in offered_by(system) or family_of(self._edition.game).player_banked is None:
            raise _UnknownError("the system that is served has no table of several people")

    def _gather(self, body: Body) -> Body:
        self._verify_game(body)
        people, banker = people_from_json(body.get("people")), str(body.get("banker"))
        player = self._factory(self._edition, 1, instant_from_json(body))
        return self._seated("table", offering(player).gather(people, banker))

    def _seated(self, kind: str, seat: System) -> Body:
        """Keeps a fresh player or table, and returns its id and view."""
        with self._opening:
            if len(self._seats) >= MAXIMUM_PLAYERS:
                raise InputError(f"{MAXIMUM_PLAYERS} players and tables are open: expected no more")
            name = f"{kind[0]}{next(self._numbers[kind])}"
            self._seats[name], self._locks[name] = seat, Lock()
        return {kind: name, "view": to_json(seat.view())}


def _row(body: Body) -> tuple[int, ...]:
    row = body.get("cards")
    if not isinstance(row, list) or any(type(item) is not int for item in row):
        raise InputError("the deck is no list of items of the equipment")
    return tuple(row)


def _expect(method: str, expected: str, path: str) -> None:
    if method != expected:
        raise _MethodError(f"{method} {path}: expected {expected}")


def _body(environ: WSGIEnvironment) -> Body:
    try:
        length = int(environ.get("CONTENT_LENGTH") or 0)
    except ValueError as error:
        raise InputError("the length of the body is no number") from error
    if not 0 <= length <= ANSWER.size:
        raise InputError(f"a body of {length} bytes: expected at most {ANSWER.size}")
    try:
        value = json_of(environ["wsgi.input"].read(length))
    except ValueError as error:
        raise InputError("the body is no JSON") from error
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
    try:
        server = make_server("127.0.0.1", port, serves, server_class=_Server, handler_class=_QuietHandler)
    except OSError as error:
        raise InputError(f"port {port} of this machine cannot be served on: {error.strerror}") from error
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""The pages of a watch on this machine: read, never written, and shown to nobody else.

The standard library's server is enough: a handful of pages by fixed names, no form, no session and no upload. It
listens on 127.0.0.1 alone, and answers nobody who names another host, as a page of a stranger could be made to.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any, Final

from certify.databases import Place
from certify.errors import CertifyError
from certify.live.pages import LivePages
from certify.live.state import WatchState, state_in_memory, version_of

HOST: Final = "127.0.0.1"

_SECONDS: Final = 10
"""How long a request may take to be read."""

_AT_ONCE: Final = 16
"""Requests that are answered at once; a slow one delays no other until there are so many."""


@dataclass(slots=True)
class CurrentPages:
    """The pages of a state as it is now; it is read and never written.

    Args:
        place: Where the state is.
        made: Makes pages of a state.
    """

    place: Place
    made: Callable[[WatchState], LivePages]
    _of: object = None
    _pages: LivePages | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> LivePages:
        """Returns the pages, made again where the state changed.

        Raises:
            CertifyError: It cannot be read as a state.
            OSError: Its file is gone.
        """
        with self._lock:
            found = version_of(self.place)
            if self._pages is None or self._of != found:
                with state_in_memory(self.place) as state:
                    self._pages = self.made(state)
                self._of = found
            return self._pages


class PageServer(ThreadingHTTPServer):
    """Answers each request on a thread, up to so many at once; a further one is answered before others are accepted."""

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answers a request."""
        busy = threading.active_count() > _AT_ONCE
        (HTTPServer if busy else ThreadingHTTPServer).process_request(self, request, client_address)


def page_server(port: int, pages: Callable[[], LivePages]) -> PageServer:
    """Returns a server of the pages of a watch, which answers from when it is run.

    Args:
        port: Where it listens; any that is free where 0.
        pages: Makes the pages as the state is now.
    """

    class Page(BaseHTTPRequestHandler):
        timeout = _SECONDS
        server_version = "certify"
        sys_version = ""

        def do_GET(self) -> None:
            self._answer(with_text=True)

        def do_HEAD(self) -> None:
            self._answer(with_text=False)

        def _answer(self, *, with_text: bool) -> None:
            own = {f"{name}:{server.server_port}" for name in (HOST, "localhost")}
            if self.headers.get("Host") not in own:
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            try:
                made = pages().names.get(self.path.removeprefix("/") or "index.html")
            except (CertifyError, OSError):
                self.send_error(HTTPStatus.SERVICE_UNAVAILABLE)
                return
            if made is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            text = made().encode()
            self.send_response(HTTPStatus.OK)
            for name, value in (
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", str(len(text))),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
                ("X-Frame-Options", "DENY"),
                ("Referrer-Policy", "no-referrer"),
            ):
                self.send_header(name, value)
            self.end_headers()
            if with_text:
                self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the library
            """Says nothing: a line on the terminal for each page helps nobody."""

    server = PageServer((HOST, port), Page)
    return server

"""A time-stamp authority for tests: in this process, or over HTTP on the loopback interface."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from asn1crypto import keys, tsp, x509
from cryptography.hazmat.primitives import serialization
from seal_support import NOW

from certify.seal.certificates import der


def authority(infrastructure: Any, moment: datetime = NOW) -> Any:
    """A time-stamp authority in this process, its clock standing at a moment."""
    from pyhanko.sign.timestamps.dummy_client import DummyTimeStamper
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    identity = infrastructure.time_stamper
    key = identity.key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    store = SimpleCertificateStore()
    store.register(x509.Certificate.load(der(infrastructure.root.certificate)))
    return DummyTimeStamper(
        x509.Certificate.load(der(identity.certificate)),
        keys.PrivateKeyInfo.load(key),
        certs_to_embed=store,
        fixed_dt=moment,
    )


@contextmanager
def serving(answer: Any, kind: str = "application/timestamp-reply") -> Iterator[str]:
    """A server on the loopback interface that answers requests for time stamps."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = tsp.TimeStampReq.load(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(answer(request))

        def log_message(self, *arguments: object) -> None:
            """Keeps the test's output quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""Time stamps of an authority: got over HTTP, part of the signature, and trusted only to a trusted root."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from asn1crypto import keys, tsp, x509
from cryptography.hazmat.primitives import serialization
from seal_support import NOW, draws, lay, pack, pki

from certify.errors import InputError
from certify.seal import layout
from certify.seal.certificates import der, pem
from certify.seal.time_stamp import http_time_stamper
from certify.seal.verify import Outcome, VerificationReport, verify


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


def outcome(result: VerificationReport) -> tuple[Outcome, str]:
    return next((step.outcome, step.detail) for step in result.steps if step.id == "time-stamp")


@pytest.fixture(scope="module")
def stamped() -> dict[str, bytes]:
    return pack(timestamper=authority(pki()))


@pytest.fixture
def root_file(tmp_path: Path) -> Path:
    (tmp_path / "root.pem").write_bytes(pem([pki().root.certificate]))
    return tmp_path / "root.pem"


def test_a_time_stamp_of_a_trusted_authority_dates_the_signature(
    stamped: dict[str, bytes], root_file: Path, tmp_path: Path
) -> None:
    result = verify(lay(tmp_path / "pack", stamped), root_file, NOW)
    result.require()
    found, detail = outcome(result)
    assert found is Outcome.HOLDS
    assert "2026-11-21T02:00:00Z, says 'Test Laboratory Time'" in detail
    assert not any("signing time is true" in text for text in result.not_established)
    assert "a time-stamp authority dated it" in stamped[layout.GUIDE].decode()


def test_a_time_stamp_of_a_stranger_dates_nothing(root_file: Path, tmp_path: Path) -> None:
    files = pack(timestamper=authority(pki().impostor()))
    result = verify(lay(tmp_path / "pack", files), root_file, NOW)
    assert result.holds
    assert outcome(result)[0] is Outcome.NOT_CHECKED
    assert "whose root is not among those given" in outcome(result)[1]
    assert any("signing time is true" in text for text in result.not_established)


def test_a_signing_time_after_its_time_stamp_is_refused(root_file: Path, tmp_path: Path) -> None:
    files = pack(timestamper=authority(pki(), NOW - timedelta(hours=1)))
    result = verify(lay(tmp_path / "pack", files), root_file, NOW)
    assert [step.id for step in result.failures] == ["time-stamp"]


def test_a_changed_byte_in_a_stamped_report_is_found_by_the_attestation(
    stamped: dict[str, bytes], tmp_path: Path
) -> None:
    # The token is in the part of the container that the signature does not cover.
    directory, content = lay(tmp_path / "pack", stamped), stamped[layout.REPORT]
    for offset in draws("stamped", len(content), 60):
        altered = content[:offset] + bytes([content[offset] ^ 1]) + content[offset + 1 :]
        (directory / layout.REPORT).write_bytes(altered)
        assert not verify(directory, None, NOW).holds


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


def test_a_time_stamp_comes_over_http(root_file: Path, tmp_path: Path) -> None:
    source = authority(pki())

    def answer(request: tsp.TimeStampReq) -> bytes:
        return asyncio.run(source.async_request_tsa_response(request)).dump()

    with serving(answer) as url:
        files = pack(timestamper=http_time_stamper(url))
    result = verify(lay(tmp_path / "pack", files), root_file, NOW)
    assert outcome(result)[0] is Outcome.HOLDS


def test_an_authority_that_does_not_do_its_part_is_named() -> None:
    # RFC 3161, section 2.4.2: a refusal has a status (2, rejection) and no token.
    refusal = bytes.fromhex("30053003020102")
    with serving(lambda request: refusal) as url, pytest.raises(InputError, match="refused to date"):
        pack(timestamper=http_time_stamper(url))
    with serving(lambda request: b"busy", "text/html") as url, pytest.raises(InputError, match="instead of"):
        pack(timestamper=http_time_stamper(url))
    with pytest.raises(InputError, match="does not answer"):
        pack(timestamper=http_time_stamper(url, timeout=2))
    with pytest.raises(InputError, match="is no address"):
        http_time_stamper("file:///etc/passwd")


def test_a_token_for_another_digest_is_not_taken() -> None:
    source = authority(pki())

    def answer(request: tsp.TimeStampReq) -> bytes:
        request["message_imprint"]["hashed_message"] = bytes(32)
        return asyncio.run(source.async_request_tsa_response(request)).dump()

    with serving(answer) as url, pytest.raises(InputError, match="dated something else"):
        pack(timestamper=http_time_stamper(url))

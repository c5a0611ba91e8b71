"""Time stamps of an authority: got over HTTP, part of the signature, and trusted only to a trusted root."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from asn1crypto import tsp
from seal_authority import authority, serving
from seal_support import NOW, draws, lay, pack, pki

from certify.errors import InputError
from certify.seal import layout
from certify.seal.certificates import pem
from certify.seal.stamp import http_time_stamper
from certify.seal.verify import StepOutcome, VerificationReport, verify


def outcome(result: VerificationReport) -> tuple[StepOutcome, str]:
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
    result = verify(lay(tmp_path / "pack", stamped), root_file, NOW, trust_tsa=root_file)
    result.require()
    found, detail = outcome(result)
    assert found is StepOutcome.HOLDS
    assert "dated 2026-11-21T02:00:00Z by 'Test Laboratory Time'" in detail
    assert not any("signing time is true" in text for text in result.not_established)
    assert "a time-stamp authority dated it" in stamped[layout.GUIDE].decode()


def test_a_time_stamp_of_a_stranger_dates_nothing(root_file: Path, tmp_path: Path) -> None:
    files = pack(timestamper=authority(pki().impostor()))
    result = verify(lay(tmp_path / "pack", files), root_file, NOW, trust_tsa=root_file)
    assert outcome(result)[0] is StepOutcome.FAILS
    assert "no root given for stamps" in outcome(result)[1]
    # Roots of signers are not those of authorities.
    unnamed = verify(tmp_path / "pack", root_file, NOW)
    assert unnamed.holds
    assert outcome(unnamed)[0] is StepOutcome.NOT_CHECKED
    assert "--trust-tsa" in outcome(unnamed)[1]
    assert any("signing time is true" in text for text in unnamed.not_established)


def test_a_signing_time_after_its_time_stamp_is_refused(root_file: Path, tmp_path: Path) -> None:
    files = pack(timestamper=authority(pki(), NOW - timedelta(hours=1)))
    result = verify(lay(tmp_path / "pack", files), root_file, NOW, trust_tsa=root_file)
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


def test_a_time_stamp_comes_over_http(root_file: Path, tmp_path: Path) -> None:
    source = authority(pki())

    def answer(request: tsp.TimeStampReq) -> bytes:
        return asyncio.run(source.async_request_tsa_response(request)).dump()

    with serving(answer) as url:
        files = pack(timestamper=http_time_stamper(url))
    result = verify(lay(tmp_path / "pack", files), root_file, NOW, trust_tsa=root_file)
    assert outcome(result)[0] is StepOutcome.HOLDS


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

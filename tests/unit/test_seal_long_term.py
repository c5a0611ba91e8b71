"""Signatures for the long term: chains and revocation lists in the one revision that the signature covers."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pikepdf
import pytest
from cryptography import x509
from representatives import firsts
from seal_authority import authority
from seal_support import NOW, lay, pack, pki, report, signer

from certify.errors import InputError, TrustError
from certify.seal import layout
from certify.seal.certificates import der, pem
from certify.seal.pdf_signature import sign_pdf
from certify.seal.signed_again import read_security_store, signed_again
from certify.seal.signer import Signer
from certify.seal.verify import verify


@pytest.fixture(scope="module")
def stamped() -> dict[str, bytes]:
    who = signer(revocations=tuple(pki().revocations()))
    return pack(who, timestamper=authority(pki()), stamp_roots=[pki().root.certificate])


def test_chains_and_lists_are_in_the_revision_of_the_signature(stamped: dict[str, bytes]) -> None:
    content = stamped[layout.REPORT]
    # The report as rendered and its signature: no third revision.
    assert content.count(b"startxref") == 2
    with pikepdf.open(io.BytesIO(content)) as document:
        store = document.Root["/DSS"]
        assert "/VRI" not in store
        lists = {bytes(entry.read_bytes()) for entry in store["/CRLs"]}
        certificates = {bytes(entry.read_bytes()) for entry in store["/Certs"]}
    assert len(lists) == 2
    assert {der(pki().signer.certificate), der(pki().issuer.certificate)} <= certificates


def test_it_verifies_here_and_elsewhere_with_nothing_but_the_root(
    stamped: dict[str, bytes], tmp_path: Path
) -> None:
    directory = lay(tmp_path / "pack", stamped)
    (tmp_path / "root.pem").write_bytes(pem([pki().root.certificate]))
    for path in (directory, directory / layout.REPORT):
        result = verify(path, tmp_path / "root.pem", NOW)
        result.require()
        assert result.identity_established
    root = tmp_path / "root.pem"
    steps = {step.id: step.outcome.value for step in verify(directory, root, NOW, trust_tsa=root).steps}
    assert (steps["time-stamp"], steps["revocation"]) == ("holds", "holds")
    if shutil.which("pdfsig"):
        said = subprocess.run(
            ["pdfsig", directory / layout.REPORT], capture_output=True, text=True, check=False
        )
        assert "Signature is Valid" in said.stdout
        assert "Total document signed" in said.stdout


def test_it_is_the_same_form_of_signature_without_lists_or_roots() -> None:
    plain = pack(timestamper=authority(pki()), stamp_roots=[pki().root.certificate])
    assert b"/DSS" not in plain[layout.REPORT]


def test_a_missing_or_outdated_list_or_a_revoked_signer_is_not_signed_for_the_long_term() -> None:
    infrastructure, root = pki(), [pki().root.certificate]
    for lists in (
        infrastructure.revocations()[:1],
        infrastructure.revocations(infrastructure.signer.certificate, on=NOW - timedelta(days=1)),
    ):
        with pytest.raises(InputError, match="long term"):
            pack(signer(revocations=tuple(lists)), timestamper=authority(pki()), stamp_roots=root)


def test_an_authority_that_the_roots_do_not_reach_is_refused() -> None:
    who = signer(revocations=tuple(pki().revocations()))
    with pytest.raises(InputError, match="long term"):
        pack(who, timestamper=authority(pki().impostor()), stamp_roots=[pki().root.certificate])


def dated(who: Signer, roots: Sequence[x509.Certificate]) -> bytes:
    """A report that an authority dated."""
    return sign_pdf(
        unsigned(),
        who,
        signing_time=NOW,
        reason="R",
        location="",
        timestamper=authority(pki()),
        stamp_roots=roots,
    )


def unsigned() -> bytes:
    return report({"evidence.json": b"{}"})


@pytest.mark.parametrize("lasting", [False, True], ids=["dated", "for the long term"])
@pytest.mark.parametrize("identity", firsts(["signer", "elliptic"]))
def test_a_dated_report_is_made_again_byte_for_byte_and_its_store_object_by_object(
    lasting: bool, identity: str
) -> None:
    lists = tuple(pki().revocations()) if lasting else ()
    content = dated(
        signer(getattr(pki(), identity), revocations=lists), [pki().root.certificate] if lasting else []
    )
    assert signed_again(unsigned(), content, reason="R", signing_time=NOW) == content
    store = read_security_store(content)
    assert (store is not None) == lasting
    if store is not None:
        listed = store.listed()
        assert len(listed) == len(store.certificates) + 2
        assert sum(entry.startswith("revocation list of ") for entry in listed) == 2


@pytest.mark.parametrize("junk", [b"RETURN 105 %", b"\x30\x03\x02\x01\x05"])
def test_what_is_neither_certificate_nor_list_is_no_part_of_a_store(
    junk: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = dated(signer(revocations=tuple(pki().revocations())), [pki().root.certificate])
    monkeypatch.setattr("certify.seal.signed_again._stored", lambda entry: junk)
    with pytest.raises(TrustError, match="long term"):
        signed_again(unsigned(), content, reason="R", signing_time=NOW)

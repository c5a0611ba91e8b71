"""Keys from files, archives, hardware modules and services: the key may be anywhere, the checks are the same."""

import io
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pikepdf
import pytest
from cli_support import refuses
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import pkcs12
from representatives import firsts
from seal_support import NOW, authority, lay, make_pki, pack, pki, report, signer

from certify.errors import InputError, MissingPartError, TrustError
from certify.seal import command_signer, der, layout, load_pkcs12_signer, load_signer, passphrase_file, pem
from certify.seal.pdf_signature import sign_pdf
from certify.seal.pdf_validation import read_security_store, signed_again
from certify.seal.verify import verify


@pytest.fixture(scope="module")
def stamped():
    who = signer(revocations=tuple(pki().revocations()))
    return pack(who, timestamper=authority(pki()), stamp_roots=[pki().root.certificate])


def test_chains_and_lists_are_in_the_revision_of_the_signature(stamped):
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


def test_it_verifies_here_and_elsewhere_with_nothing_but_the_root(stamped, tmp_path):
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


def test_it_is_the_same_form_of_signature_without_lists_or_roots():
    plain = pack(timestamper=authority(pki()), stamp_roots=[pki().root.certificate])
    assert b"/DSS" not in plain[layout.REPORT]


def test_a_missing_or_outdated_list_or_a_revoked_signer_is_not_signed_for_the_long_term():
    infrastructure, root = pki(), [pki().root.certificate]
    for lists in (
        infrastructure.revocations()[:1],
        infrastructure.revocations(infrastructure.signer.certificate, on=NOW - timedelta(days=1)),
    ):
        with pytest.raises(InputError, match="long term"):
            pack(signer(revocations=tuple(lists)), timestamper=authority(pki()), stamp_roots=root)


def test_an_authority_that_the_roots_do_not_reach_is_refused():
    who = signer(revocations=tuple(pki().revocations()))
    with pytest.raises(InputError, match="long term"):
        pack(who, timestamper=authority(pki().impostor()), stamp_roots=[pki().root.certificate])


def dated(who, roots):
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


def unsigned():
    return report({"evidence.json": b"{}"})


@pytest.mark.parametrize("lasting", [False, True], ids=["dated", "for the long term"])
@pytest.mark.parametrize("identity", firsts(["signer", "elliptic"]))
def test_a_dated_report_is_made_again_byte_for_byte_and_its_store_object_by_object(lasting, identity):
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
def test_what_is_neither_certificate_nor_list_is_no_part_of_a_store(junk, monkeypatch):
    content = dated(signer(revocations=tuple(pki().revocations())), [pki().root.certificate])
    monkeypatch.setattr("certify.seal.pdf_validation._stored", lambda entry: junk)
    with pytest.raises(TrustError, match="long term"):
        signed_again(unsigned(), content, reason="R", signing_time=NOW)


needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl: apt-get install openssl"
)


def issuers():
    return [pki().issuer.certificate, pki().root.certificate]


@pytest.fixture
def files(tmp_path):
    for name in ("signer", "elliptic"):
        make_pki.write_identity(tmp_path, name, getattr(pki(), name))
    (tmp_path / "chain.pem").write_bytes(pem(issuers()))
    return tmp_path


@needs_openssl
@pytest.mark.parametrize("name", ["signer", "elliptic"])
def test_a_key_behind_a_command_signs_a_pack(name, files, tmp_path):
    command = [
        "openssl",
        "pkeyutl",
        "-sign",
        "-inkey",
        str(files / f"{name}.key.pem"),
        "-pkeyopt",
        "digest:sha256",
    ]
    who = command_signer(command, files / f"{name}.pem", [files / "chain.pem"])
    (tmp_path / "root.pem").write_bytes(pem([pki().root.certificate]))
    result = verify(lay(tmp_path / "pack", pack(who)), tmp_path / "root.pem", NOW)
    result.require()
    assert result.identity_established


MODULE = Path("/usr/lib/softhsm/libsofthsm2.so")
needs_module = pytest.mark.skipif(
    not MODULE.exists() or shutil.which("pkcs11-tool") is None,
    reason="needs a PKCS #11 module: apt-get install softhsm2 opensc",
)


@needs_module
def test_a_key_in_a_hardware_module_signs_a_pack(files, tmp_path, monkeypatch):
    (tmp_path / "tokens").mkdir()
    (tmp_path / "softhsm.conf").write_text(f"directories.tokendir = {tmp_path / 'tokens'}\n")
    monkeypatch.setenv("SOFTHSM2_CONF", str(tmp_path / "softhsm.conf"))
    monkeypatch.setenv("MODULE_PIN", "1234")
    key = str(files / "elliptic.key.pem")
    for command in (
        ["--init-token", "--free", "--label", "laboratory", "--pin", "1234", "--so-pin", "1234"],
        ["--import", key, "--token", "laboratory", "--label", "report", "--id", "01", "--pin", "1234"],
    ):
        subprocess.run(["softhsm2-util", *command], check=True, capture_output=True, timeout=60)
    (files / "elliptic.key.pem").unlink()
    token = ["--module", str(MODULE), "--token-label", "laboratory", "--login", "--pin", "env:MODULE_PIN"]
    signing = ["--id", "01", "--sign", "--mechanism", "ECDSA", "--signature-format", "openssl"]
    who = command_signer(["pkcs11-tool", *token, *signing], files / "elliptic.pem", [files / "chain.pem"])
    verify(lay(tmp_path / "pack", pack(who)), None, NOW).require()


@needs_openssl
def test_a_command_with_the_wrong_key_is_found_out(files):
    command = ["openssl", "pkeyutl", "-sign", "-inkey", str(files / "elliptic.key.pem")]
    with pytest.raises(InputError, match="expected to be a signature by the key of the certificate"):
        command_signer(command, files / "signer.pem", [files / "chain.pem"])


def test_a_command_that_does_not_sign_is_named_before_anything_is_computed(files):
    def signer_by(code, timeout=30):
        command = [sys.executable, "-c", code]
        return command_signer(command, files / "signer.pem", [files / "chain.pem"], timeout=timeout).key

    refuses(
        InputError,
        (
            "exit 3: no such slot",
            lambda: signer_by("import sys; print('no such slot', file=sys.stderr); sys.exit(3)"),
        ),
        ("did not sign within", lambda: signer_by("import time; time.sleep(60)", timeout=0.2)),
        (r"\(0 bytes\)", lambda: signer_by("pass")),
    )
    with pytest.raises(MissingPartError, match="/absent/signer"):
        command_signer(["/absent/signer"], files / "signer.pem", [files / "chain.pem"])


def test_a_pkcs12_archive_brings_key_certificate_and_issuers(tmp_path):
    protection = serialization.BestAvailableEncryption(b"a passphrase")
    identity = pki().elliptic
    archive = make_pki.write_private(
        tmp_path / "signer.p12",
        pkcs12.serialize_key_and_certificates(
            b"signer", identity.key, identity.certificate, issuers(), protection
        ),
    )
    (tmp_path / "passphrase").write_bytes(b"a passphrase\r\nanother line\n")
    loaded = load_pkcs12_signer(archive, passphrase_file(tmp_path / "passphrase"))
    assert (loaded.certificate, loaded.root) == (identity.certificate, pki().root.certificate)
    with pytest.raises(InputError, match="does not open"):
        load_pkcs12_signer(archive, lambda: b"wrong")
    archive.write_bytes(pkcs12.serialize_key_and_certificates(None, identity.key, None, None, protection))
    with pytest.raises(InputError, match="expected to hold a certificate"):
        load_pkcs12_signer(archive, lambda: b"a passphrase")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_key_that_others_may_read_is_refused_wherever_it_is_read(files, mode):
    key = files / "signer.key.pem"
    assert key.stat().st_mode & 0o777 == 0o600, "what makes throwaway keys keeps them private"
    key.chmod(mode)
    for load in (
        lambda: load_signer(key, files / "signer.pem", [files / "chain.pem"]),
        lambda: load_pkcs12_signer(key, lambda: b""),
    ):
        with pytest.raises(InputError, match=f"mode 0{mode:o}.*chmod 600"):
            load()


def test_keys_that_not_every_verifier_knows_are_refused(files):
    key = ed25519.Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    make_pki.write_private(files / "ed25519.pem", key)
    with pytest.raises(InputError, match="RSA or ECDSA P-256"):
        load_signer(files / "ed25519.pem", files / "signer.pem", [files / "chain.pem"])


def test_issuers_may_follow_the_certificate_in_its_file(files):
    together = files / "together.pem"
    together.write_bytes((files / "elliptic.pem").read_bytes() + (files / "chain.pem").read_bytes())
    assert load_signer(files / "elliptic.key.pem", together).root == pki().root.certificate
    with pytest.raises(InputError, match="does not chain to a root"):
        load_signer(files / "elliptic.key.pem", files / "elliptic.pem")

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
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import pkcs12
from pkcs11 import Attribute, KeyType, Mechanism
from pkcs11.exceptions import AttributeSensitive, AttributeTypeInvalid, PinLocked, TokenWriteProtected
from representatives import firsts
from seal_support import NOW, authority, lay, make_pki, pack, pki, report, signer
from seal_token import LABEL, MODULE, PIN, Bench, furnish, issued, needs_softhsm, place

from certify.errors import InputError, MissingPartError, TrustError
from certify.seal import (
    command_signer,
    der,
    layout,
    load_pkcs12_signer,
    load_signer,
    passphrase_file,
    pem,
    pkcs11_signer,
    pkcs11_token,
    read_byte_range,
    read_container,
)
from certify.seal.pdf_signature import sign_pdf
from certify.seal.pdf_validation import read_security_store, signed_again
from certify.seal.pkcs11_token import _login, _to_sign, _wants_pin_again, session_on
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


pytestmark = needs_softhsm


def pin():
    return PIN.encode()


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """The laboratory's token, which the tests that only read it share."""
    made = Bench(tmp_path_factory.mktemp("hsm"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTHSM2_CONF", str(made.configuration))
        furnish(made)
        yield made


@pytest.fixture
def spare(tmp_path, bench, monkeypatch):
    """A token of its own, empty."""
    made = Bench(tmp_path / "hsm")
    monkeypatch.setenv("SOFTHSM2_CONF", str(made.configuration))
    made.token()
    return made


@pytest.fixture
def chain(tmp_path):
    (tmp_path / "chain.pem").write_bytes(pem([pki().issuer.certificate, pki().root.certificate]))
    return [tmp_path / "chain.pem"]


@pytest.mark.parametrize("name", ["rsa", "elliptic"])
def test_a_key_in_a_token_signs_report_and_attestation(name, bench, tmp_path):
    who = pkcs11_signer(place(name), pin)
    files = pack(who)
    (tmp_path / "root.pem").write_bytes(pem([pki().root.certificate]))
    result = verify(lay(tmp_path / "pack", files), tmp_path / "root.pem", NOW)
    result.require()
    assert result.identity_established
    # One key: the certificate in the PDF's signature is the one that verified the attestation.
    assert x509.load_pem_x509_certificate(files[layout.SIGNER_CERTIFICATE]) == who.certificate
    report = files[layout.REPORT]
    gap = read_byte_range(report)
    contents = report[gap.first_length + 1 : gap.second_start - 1]
    assert read_container(bytes.fromhex(contents.decode())).signer == who.certificate


def test_neither_key_nor_pin_can_be_had_from_the_signer(bench):
    who = pkcs11_signer(place("elliptic"), pin)
    assert PIN not in repr(who)
    with bench.session() as session:
        from certify.seal.pkcs11_token import find_key

        with pytest.raises(AttributeSensitive):
            find_key(session, place("elliptic"))[Attribute.VALUE]


def test_the_certificate_may_be_in_a_file(spare, tmp_path, chain):
    with spare.session() as session:
        certificate = issued(spare.elliptic(session, "report", b"\x07"))
    with pytest.raises(InputError, match="no certificate in the token belongs to the private key"):
        pkcs11_signer(place("report"), pin, None, chain)
    (tmp_path / "signer.pem").write_bytes(pem([certificate]))
    who = pkcs11_signer(place("report"), pin, tmp_path / "signer.pem", chain)
    verify(lay(tmp_path / "pack", pack(who)), None, NOW).require()


def test_a_certificate_without_its_issuers_says_whose_is_missing(spare):
    with spare.session() as session:
        spare.certificate(session, issued(spare.elliptic(session, "report", b"\x07")), "report", b"\x07")
    with pytest.raises(InputError, match=rf"token '{LABEL}'.* does not chain to a root"):
        pkcs11_signer(place("report"), pin)


def test_two_keys_of_one_label_are_told_apart_by_their_ids(spare, chain):
    with spare.session() as session:
        wanted = [issued(spare.elliptic(session, "report", bytes([number]))) for number in (7, 8)]
        for number, certificate in zip((7, 8), wanted, strict=True):
            spare.certificate(session, certificate, "report", bytes([number]))
    with pytest.raises(InputError, match=r"2 keys answer to the .*: expected one; their ids are 07, 08"):
        pkcs11_signer(place("report"), pin, None, chain)
    assert pkcs11_signer(place("report", identifier=b"\x08"), pin, None, chain).certificate == wanted[1]
    assert pkcs11_signer(place(None, identifier=b"\x07"), pin, None, chain).certificate == wanted[0]


def test_a_key_without_an_id_has_the_certificate_of_its_label(spare, chain):
    with spare.session() as session:
        certificate = issued(spare.elliptic(session, "report", b""))
        spare.certificate(session, certificate, "report", b"")
        spare.certificate(session, pki().elliptic.certificate, "another", b"")
    assert pkcs11_signer(place("report"), pin, None, chain).certificate == certificate


def test_two_certificates_of_one_key_need_a_choice(spare, tmp_path, chain):
    with spare.session() as session:
        key = spare.elliptic(session, "report", b"\x07")
        both = [issued(key), issued(key)]
        for certificate in both:
            spare.certificate(session, certificate, "report", b"\x07")
    with pytest.raises(InputError, match=r"2 certificates belong to the .* or the one to use by --cert"):
        pkcs11_signer(place("report"), pin, None, chain)
    (tmp_path / "signer.pem").write_bytes(pem(both[1:]))
    assert pkcs11_signer(place("report"), pin, tmp_path / "signer.pem", chain).certificate == both[1]


def test_a_key_that_wants_its_pin_for_each_signature_gets_it(spare, chain):
    with spare.session() as session:
        key = spare.elliptic(session, "report", b"\x07", ALWAYS_AUTHENTICATE=True)
        spare.certificate(session, issued(key), "report", b"\x07")
    who = pkcs11_signer(place("report"), pin, None, chain)
    assert who.key.sign(b"one") != who.key.sign(b"two")


def test_a_token_that_hashes_by_itself_is_given_the_message():
    from hashlib import sha256

    digest = sha256(b"message").digest()
    hashing = {Mechanism.SHA256_RSA_PKCS, Mechanism.ECDSA_SHA256, Mechanism.RSA_PKCS, Mechanism.ECDSA}
    assert _to_sign(KeyType.RSA, hashing, b"message") == (Mechanism.SHA256_RSA_PKCS, b"message")
    assert _to_sign(KeyType.EC, hashing, b"message") == (Mechanism.ECDSA_SHA256, b"message")
    assert _to_sign(KeyType.EC, {Mechanism.ECDSA}, b"message") == (Mechanism.ECDSA, digest)
    mechanism, wrapped = _to_sign(KeyType.RSA, {Mechanism.RSA_PKCS}, b"message")
    assert (mechanism, wrapped[-32:]) == (Mechanism.RSA_PKCS, digest)
    with pytest.raises(ValueError, match="RSA or ECDSA"):
        _to_sign(KeyType.DSA, hashing, b"message")


def test_a_token_that_signs_rsa_over_digests_only_gives_the_same_signature(bench, monkeypatch):
    # RSA PKCS #1 v1.5 is deterministic: SoftHSM offers both ways, and both must lead to one signature.
    who = pkcs11_signer(place(), pin)
    whole, to_sign = who.key.sign(b"message"), pkcs11_token._to_sign
    monkeypatch.setattr(
        pkcs11_token, "_to_sign", lambda kind, offered, message: to_sign(kind, set(), message)
    )
    assert who.key.sign(b"message") == whole


def test_an_older_token_is_not_asked_for_what_it_does_not_know():
    class Older:
        def __getitem__(self, attribute):
            raise AttributeTypeInvalid

    assert not _wants_pin_again(Older())


def test_a_certificate_of_another_key_is_found_before_anything_is_computed(bench, tmp_path, chain):
    make_pki.write_identity(tmp_path, "signer", pki().signer)
    make_pki.write_identity(tmp_path, "elliptic", pki().elliptic)
    for key in ("rsa", "elliptic"):
        for certificate in ("signer", "elliptic"):
            with pytest.raises(InputError, match="does not belong to the certificate"):
                pkcs11_signer(place(key), pin, tmp_path / f"{certificate}.pem", chain)


def test_a_certificate_that_may_not_sign_documents_is_refused(spare, chain):
    with spare.session() as session:
        weak = spare.elliptic(session, "weak", b"\x07", curve="secp384r1")
        spare.certificate(session, issued(weak), "weak", b"\x07")
        other = issued(spare.elliptic(session, "other", b"\x09"), signs=False)
        spare.certificate(session, other, "other", b"\x09")
    refuses(
        InputError,
        ("ECDSA on P-256", lambda: pkcs11_signer(place("weak"), pin, None, chain)),
        ("may not sign", lambda: pkcs11_signer(place("other"), pin, None, chain)),
    )


def test_a_wrong_pin_is_tried_once_and_an_empty_one_never(bench):
    asked = []

    def wrong():
        asked.append(1)
        return b"4321-pin"

    with pytest.raises(InputError, match="the PIN does not open token 'laboratory'; it was tried once"):
        pkcs11_signer(place(), wrong)
    assert len(asked) == 1
    refuses(
        InputError,
        ("is empty: it was not tried", lambda: pkcs11_signer(place(), lambda: b"")),
        ("expected to be UTF-8", lambda: pkcs11_signer(place(), lambda: b"\xff\xfe")),
    )


def test_a_locked_token_is_told_from_a_wrong_pin():
    # SoftHSM never locks; this token answers as hardware does after too many wrong PINs.
    class Locked:
        label = "laboratory"
        error: Exception = PinLocked()

        def open(self, user_pin):
            raise self.error

    token = Locked()
    with pytest.raises(InputError, match="has locked its PIN"):
        _login(token, PIN)  # type: ignore[arg-type]
    token.error = TokenWriteProtected()
    with pytest.raises(InputError, match="does not let its user in: TokenWriteProtected"):
        _login(token, PIN)  # type: ignore[arg-type]


def test_an_absent_token_is_named_with_those_that_are_there(spare):
    with pytest.raises(InputError, match=r"no token is labelled 'vault'; .* shows: 'laboratory'"):
        pkcs11_signer(place("rsa", "vault"), pin)
    spare.token()
    with pytest.raises(InputError, match="2 tokens are labelled 'laboratory': expected one"):
        pkcs11_signer(place(), pin)


def test_an_absent_key_is_named_with_those_that_are_there(bench, spare):
    with pytest.raises(InputError, match=r"no private key labelled 'seal' .*: it holds no private keys"):
        pkcs11_signer(place("seal"), pin)
    with spare.session() as session:
        spare.elliptic(session, "report", b"\x07")
    with pytest.raises(
        InputError, match="no private key with id 09 in token 'laboratory': it holds 'report'"
    ):
        pkcs11_signer(place(None, identifier=b"\x09"), pin)


def test_a_key_that_is_not_for_signing_is_refused(spare):
    with spare.session() as session:
        spare.elliptic(session, "agreement", b"\x07", SIGN=False)
    with pytest.raises(InputError, match="not made for signing"):
        pkcs11_signer(place("agreement"), pin)


def test_a_missing_or_broken_module_is_a_missing_part(tmp_path, monkeypatch):
    absent = tmp_path / "libtoken.so"
    with pytest.raises(MissingPartError, match=r"libtoken\.so is not there"):
        pkcs11_signer(place(module=absent), pin)
    absent.write_text("no library")
    with pytest.raises(MissingPartError, match=r"libtoken\.so does not start"):
        pkcs11_signer(place(module=absent), pin)
    other = next(Path("/").glob("lib*/*/libc.so.6"), None) or next(Path("/usr/lib").rglob("libc.so.6"))
    with pytest.raises(MissingPartError, match=r"does not start: .*C_GetFunctionList"):
        pkcs11_signer(place(module=other), pin)
    monkeypatch.setenv("SOFTHSM2_CONF", str(tmp_path / "absent.conf"))
    with pytest.raises(MissingPartError, match="does not start: GeneralError"):
        pkcs11_signer(place(), pin)


def test_a_token_taken_out_during_a_run_is_noticed(spare, chain):
    who = ready(spare, chain)
    shutil.rmtree(spare.folder / "tokens")
    (spare.folder / "tokens").mkdir()
    with pytest.raises(InputError, match="no token is labelled 'laboratory'"):
        pack(who)


def test_a_key_exchanged_during_a_run_does_not_get_to_sign(spare, chain):
    who = ready(spare, chain)
    with spare.session() as session:
        for each in session.get_objects({Attribute.LABEL: "report"}):
            each.destroy()
        spare.elliptic(session, "report", b"\x07")
    with pytest.raises(InputError, match="does not belong to the certificate"):
        pack(who)


def ready(bench, chain):
    """A signer whose key was there when the run began."""
    with bench.session() as session:
        bench.certificate(session, issued(bench.elliptic(session, "report", b"\x07")), "report", b"\x07")
    return pkcs11_signer(place("report"), pin, None, chain)


def test_nothing_stays_logged_in(bench):
    import pkcs11

    pkcs11_signer(place("elliptic"), pin).key.sign(b"message")
    assert not pkcs11._loaded[str(MODULE.resolve())].initialized
    with pytest.raises(InputError, match="does not open"), session_on(place(), "wrong-pin"):
        pass
    assert not pkcs11._loaded[str(MODULE.resolve())].initialized

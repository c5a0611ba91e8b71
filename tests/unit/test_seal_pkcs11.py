"""Keys that never leave a PKCS #11 token: they sign whole packs, and every failure says what is wrong."""

import shutil
from pathlib import Path

import pytest
from cli_support import refuses
from cryptography import x509
from pkcs11 import Attribute, KeyType, Mechanism
from pkcs11.exceptions import AttributeSensitive, AttributeTypeInvalid, PinLocked, TokenWriteProtected
from seal_support import NOW, lay, make_pki, pack, pki
from seal_token import LABEL, MODULE, PIN, Bench, furnish, issued, needs_softhsm, place

from certify.errors import InputError, MissingPartError
from certify.seal import layout, pem, pkcs11_signer, pkcs11_token, read_byte_range, read_container
from certify.seal.pkcs11_token import _login, _to_sign, _wants_pin_again, session_on
from certify.seal.verify import verify

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

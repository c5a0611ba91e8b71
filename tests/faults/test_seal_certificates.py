"""Certificates that may not sign a report, and signers who lost the right to."""

from dataclasses import replace
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from gate_support import approval
from seal_support import NOW, careless_signer, lay, make_pki, pack, pki, reasons, signer

from certify.errors import InputError, TrustError
from certify.gate.approvals import sign_approval, trust_judge
from certify.gate.effective_policy import RootFile
from certify.seal.certificates import pem, require_path
from certify.seal.keys import load_signer, signer_of
from certify.seal.revocation import revocations_pem
from certify.seal.signer import LocalKey, Signer
from certify.seal.verify import StepOutcome, verify


def failures(directory, **options):
    return reasons(verify(directory, None, NOW, **options))


def test_a_certificate_expired_at_the_signing_time_is_refused(tmp_path):
    failures(lay(tmp_path, pack(careless_signer(pki().expired)))).among(
        "validity", "was expected to lie within"
    )


def under(issuer):
    """A signer of an issuer who should issue no more; nobody checked before signing."""
    key = make_pki.elliptic_key()
    purposes = make_pki.SIGNING_PURPOSES
    certificate = pki().certificate(key, "Reports", issuer, ca=False, purposes=purposes)
    return Signer(LocalKey(key), certificate, (issuer.certificate, pki().root.certificate))


def test_an_issuer_that_had_expired_is_refused(tmp_path):
    key = make_pki.elliptic_key()
    ended = pki().certificate(key, "Old issuer", pki().root, ca=True, end=NOW - timedelta(days=1))
    failures(lay(tmp_path, pack(under(make_pki.Identity(key, ended))))).among(
        "validity", "'Old issuer' is valid from"
    )


def test_an_issuer_that_was_revoked_takes_its_signers_along(tmp_path):
    directory = lay(tmp_path / "pack", pack(under(pki().issuer)))
    lists = pki().revocations_of(pki().root, pki().issuer.certificate)
    (tmp_path / "lists.pem").write_bytes(revocations_pem([lists]))
    failures(directory, revocations=[tmp_path / "lists.pem"]).only(
        "revocation", repr(make_pki.ISSUER_NAME), "was revoked by its issuer"
    )


def test_a_certificate_that_expired_since_is_remarked_upon(tmp_path):
    directory = lay(tmp_path, pack())
    result = verify(directory, None, NOW + timedelta(days=4000))
    assert result.holds
    assert "expired since" in next(step.detail for step in result.steps if step.id == "validity")


def test_a_signature_from_the_future_is_refused(tmp_path):
    result = verify(lay(tmp_path, pack()), None, NOW - timedelta(hours=1))
    assert [step.id for step in result.failures] == ["validity"]


@pytest.mark.parametrize(
    ("identity", "reason"), [("web_server", "another purpose"), ("encipherer", "may not sign")]
)
def test_a_certificate_for_another_purpose_is_refused(identity, reason, tmp_path):
    failures(lay(tmp_path, pack(careless_signer(getattr(pki(), identity))))).among("purpose", reason)


@pytest.mark.parametrize("identity", ["web_server", "encipherer"])
def test_a_certificate_for_another_purpose_does_not_get_to_sign(identity):
    with pytest.raises(InputError, match=r"another purpose|may not sign"):
        signer(getattr(pki(), identity))


def test_a_signer_that_is_no_authority_cannot_issue_signers(tmp_path):
    # The laboratory's own signer issues a certificate to a friend: every signature holds.
    key = make_pki.elliptic_key()
    certificate = pki().certificate(
        key, "A friend", pki().elliptic, ca=False, purposes=make_pki.SIGNING_PURPOSES
    )
    issuers = [pki().elliptic.certificate, pki().issuer.certificate, pki().root.certificate]
    with pytest.raises(InputError, match="not a certification authority"):
        signer_of(key, certificate, issuers)


def test_revocation_is_found_in_the_pack_and_in_newer_lists(tmp_path):
    revoked = pki().revocations(pki().signer.certificate, on=NOW + timedelta(days=1))
    directory = lay(tmp_path / "carried", pack(signer(revocations=tuple(revoked))))
    assert "was revoked by its issuer on 2026-11-22" in failures(directory)["revocation"]
    directory = lay(tmp_path / "newer", pack(signer(revocations=tuple(pki().revocations()))))
    result = verify(directory, None, NOW)
    assert next(step.outcome for step in result.steps if step.id == "revocation") is StepOutcome.HOLDS
    (tmp_path / "newer.pem").write_bytes(revocations_pem(revoked))
    failures(directory, revocations=[tmp_path / "newer.pem"]).only("revocation")


def test_a_revocation_list_that_nobody_in_the_chain_signed_is_passed_over(tmp_path):
    strangers = pki().impostor().revocations(pki().signer.certificate)
    directory = lay(tmp_path, pack(signer(revocations=tuple(strangers))))
    result = verify(directory, None, NOW)
    assert result.holds
    assert next(step.outcome for step in result.steps if step.id == "revocation") is StepOutcome.NOT_CHECKED


def test_a_chain_that_does_not_reach_its_root_does_not_get_to_sign():
    identity = pki().elliptic
    with pytest.raises(InputError, match="does not chain to a root"):
        signer_of(identity.key, identity.certificate, [pki().issuer.certificate])
    with pytest.raises(InputError, match="does not chain to a root"):
        signer_of(identity.key, identity.certificate, [pki().impostor().issuer.certificate])


def test_keys_and_certificates_come_from_files(tmp_path):
    make_pki.write_identity(tmp_path, "signer", pki().elliptic, b"a passphrase")
    make_pki.write_identity(tmp_path, "issuer", pki().issuer)
    make_pki.write_identity(tmp_path, "root", pki().root)
    make_pki.write_identity(tmp_path, "other", pki().expired)
    key, certificate = tmp_path / "signer.key.pem", tmp_path / "signer.pem"
    chain = [tmp_path / "root.pem", tmp_path / "issuer.pem"]
    loaded = load_signer(key, certificate, chain, lambda: b"a passphrase")
    assert loaded.root == pki().root.certificate
    with pytest.raises(InputError, match="no passphrase was given"):
        load_signer(key, certificate, chain)
    with pytest.raises(InputError, match="does not open the private key"):
        load_signer(key, certificate, chain, lambda: b"another")
    with pytest.raises(InputError, match="does not belong to the private key"):
        load_signer(tmp_path / "other.key.pem", certificate, chain)
    with pytest.raises(InputError, match="cannot be read"):
        load_signer(tmp_path / "absent.pem", certificate, chain)
    with pytest.raises(InputError, match="no readable PEM certificate"):
        load_signer(tmp_path / "other.key.pem", tmp_path / "other.key.pem", chain)
    with pytest.raises(InputError, match="no readable PEM private key"):
        load_signer(certificate, certificate, chain)


def test_a_self_issued_certificate_signs_and_is_its_own_root(tmp_path):
    own = pki().self_issued
    directory = lay(tmp_path / "pack", pack(signer_of(own.key, own.certificate, [])))
    (tmp_path / "root.pem").write_bytes((directory / "certs" / "root.pem").read_bytes())
    result = verify(directory, tmp_path / "root.pem", NOW)
    result.require()
    assert result.identity_established


def test_the_first_failure_is_raised(tmp_path):
    result = verify(lay(tmp_path, pack(careless_signer(pki().web_server))), None, NOW)
    with pytest.raises(TrustError, match="issued for signing documents"):
        result.require()


def _name(organization):
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization)])


def _only(organization):
    return x509.NameConstraints([x509.DirectoryName(_name(organization))], None)


UNKNOWN = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00")
WEAK = rsa.generate_private_key(65537, 1024)  # noqa: S505 - that it is weak is the point


@pytest.mark.parametrize(
    ("of_root", "of_issuer", "of_signer", "key", "said"),
    [
        ((), (_only("Test Laboratory"),), (), None, ""),
        ((_only("Test Laboratory"),), (), (), None, ""),
        ((), (_only("Studio"),), (), None, "permitted namespace"),
        ((_only("Studio"),), (), (), None, "permitted namespace"),
        ((), (UNKNOWN,), (), None, "unsupported critical extension"),
        ((), (), (UNKNOWN,), None, "unsupported critical extension"),
        ((), (), (), WEAK, "Key size 1024"),
    ],
)
def test_a_path_that_the_standard_does_not_allow_vouches_for_nobody(of_root, of_issuer, of_signer, key, said):
    root = make_pki.Identity(make_pki.elliptic_key(), None)
    root = replace(root, certificate=pki().certificate(root.key, "Root", None, ca=True, more=of_root))
    issuer = make_pki.Identity(key or make_pki.elliptic_key(), None)
    issuer = replace(
        issuer, certificate=pki().certificate(issuer.key, "Issuer", root, ca=True, more=of_issuer)
    )
    key, purposes = make_pki.elliptic_key(), make_pki.SIGNING_PURPOSES
    leaf = pki().certificate(key, "Compliance", issuer, ca=False, purposes=purposes, more=of_signer)
    path = (leaf, issuer.certificate, root.certificate)
    who = Signer(LocalKey(key), leaf, path[1:])
    trusted = RootFile("root.pem", pem([root.certificate]))
    judge = trust_judge([trusted], NOW, signed_only=True, needed=True)
    if not said:
        require_path(path)
        assert judge(sign_approval(approval(), who)) == ""
        return
    with pytest.raises(TrustError, match=said):
        require_path(path)
    # Nor is an approval of the gate worth anything that such a signer gave.
    assert said in judge(sign_approval(approval(), who))

"""Time stamps that RFC 3161 does not allow: each is refused, with the true reason, and the sound one is not."""

from datetime import timedelta

import pytest
from asn1crypto import cms, tsp
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID
from seal_authority import authority
from seal_support import NOW, lay, make_pki, pack, pki

from certify.errors import TrustError
from certify.seal import layout
from certify.seal.certificates import pem
from certify.seal.cms_container import read_container
from certify.seal.pdf_bounds import read_byte_range
from certify.seal.time_stamp_token import read_token, require_authority
from certify.seal.verify import StepOutcome, verify

TIME = (ExtendedKeyUsageOID.TIME_STAMPING,)


class Elsewhere:
    """An infrastructure whose time stamper is another one."""

    def __init__(self, issuer, identity):
        self.root, self.time_stamper = issuer, identity


def stamper(issuer, purposes=TIME, critical=True, end=None):
    key = rsa.generate_private_key(65537, 2048)
    made = pki().certificate(
        key, "Authority", issuer, ca=False, purposes=purposes, critical=critical, end=end
    )
    return Elsewhere(issuer, make_pki.Identity(key, made))


@pytest.fixture(scope="module")
def stamped():
    """A sound token, and the signature that it dates."""
    return parts(pack(timestamper=authority(pki()))[layout.REPORT])


def parts(report):
    container = read_container(read_byte_range(report).signature_container(report))
    return container.token, container.signature


def resigned(token, change):
    """A token that its authority signed after a change of what it says."""
    info = cms.ContentInfo.load(token)
    data = info["content"]
    told = tsp.TSTInfo.load(data["encap_content_info"]["content"].contents)
    change(told, data)
    content = told.dump(force=True)
    data["encap_content_info"]["content"] = cms.ParsableOctetString(content)
    signer = data["signer_infos"][0]
    for attribute in signer["signed_attrs"]:
        if attribute["type"].native == "message_digest":
            digest = hashes.Hash(hashes.SHA256())
            digest.update(content)
            attribute["values"] = [digest.finalize()]
    message = signer["signed_attrs"].untag().dump(force=True)
    signer["signature"] = pki().time_stamper.key.sign(message, padding.PKCS1v15(), hashes.SHA256())
    return bytes(info.dump(force=True))


def imprint(told, algorithm):
    told["message_imprint"] = {"hash_algorithm": {"algorithm": algorithm}, "hashed_message": bytes(16)}


LIES = {
    "imprint is by md5": lambda told, data: imprint(told, "md5"),
    "imprint is by sha1": lambda told, data: imprint(told, "sha1"),
    "not over this signature": lambda told, data: imprint(told, "sha256"),
    "may be wrong by": lambda told, data: told.__setitem__("accuracy", {"seconds": 10 * 365 * 86_400}),
    "more than a time stamp of version 1": lambda told, data: told.__setitem__(
        "extensions", [{"extn_id": "2.5.29.17", "critical": False, "extn_value": b"\x30\x00"}]
    ),
    "attributes that nobody signed": lambda told, data: data["signer_infos"][0].__setitem__(
        "unsigned_attrs", [{"type": "1.2.3.4", "values": []}]
    ),
}


def test_a_sound_token_is_read_and_altered_bytes_of_it_are_not(stamped):
    token, signature = stamped
    assert read_token(token, signature).moment == NOW
    assert read_token(resigned(token, lambda told, data: None), signature).moment == NOW
    for place in range(40, len(token), len(token) // 40):
        altered = bytearray(token)
        altered[place] ^= 1
        try:
            found = read_token(bytes(altered), signature)
        except TrustError:
            continue
        # What is left to alter are certificates, which are judged by their chain.
        with pytest.raises(TrustError):
            require_authority(found, [pki().root.certificate], [], ())
    with pytest.raises(TrustError, match="followed by more bytes"):
        read_token(token + b"\0", signature)


@pytest.mark.parametrize("reason", LIES)
def test_a_defective_token_fails_with_the_true_reason(reason, stamped):
    token, signature = stamped
    with pytest.raises(TrustError, match=reason):
        read_token(resigned(token, LIES[reason]), signature)


@pytest.mark.parametrize(
    ("purposes", "critical"),
    [(TIME, False), ((*TIME, ExtendedKeyUsageOID.EMAIL_PROTECTION), True), (make_pki.SIGNING_PURPOSES, True)],
)
def test_a_certificate_that_is_not_for_time_stamps_alone_dates_nothing(purposes, critical):
    report = pack(timestamper=authority(stamper(pki().root, purposes, critical)))[layout.REPORT]
    with pytest.raises(TrustError, match="not for time stamps alone"):
        read_token(*parts(report))


def test_an_authority_of_the_signers_issuer_or_expired_at_its_own_time_dates_nothing():
    roots, path = [pki().root.certificate], [pki().signer.certificate, pki().issuer.certificate]
    own = stamper(pki().issuer)
    own.root = pki().issuer
    token = read_token(*parts(pack(timestamper=authority(own))[layout.REPORT]))
    with pytest.raises(TrustError, match="of his issuer's making"):
        require_authority(token, roots, [*path, *roots], ())
    expired = stamper(pki().root, end=NOW - timedelta(days=1))
    token = read_token(*parts(pack(timestamper=authority(expired))[layout.REPORT]))
    with pytest.raises(TrustError, match="is valid from"):
        require_authority(token, roots, path, ())


def test_a_revoked_authority_dates_nothing_unless_it_only_ceased_afterwards(stamped, tmp_path):
    token = read_token(*stamped)
    roots, later = [pki().root.certificate], NOW + timedelta(days=1)
    ceased = x509.CRLReason(x509.ReasonFlags.cessation_of_operation)
    for on, reason, holds in (
        (NOW - timedelta(days=1), ceased, False),
        (later, None, False),
        (later, ceased, True),
    ):
        lists = [revocation(on, reason)]
        if holds:
            assert require_authority(token, roots, [], lists) == "Test Laboratory Root"
        else:
            with pytest.raises(TrustError, match="its stamps date nothing"):
                require_authority(token, roots, [], lists)
    files = pack(timestamper=authority(pki()))
    (tmp_path / "root.pem").write_bytes(pem(roots))
    (tmp_path / "lists.pem").write_bytes(
        revocation(later, None).public_bytes(make_pki.serialization.Encoding.PEM)
    )
    result = verify(
        lay(tmp_path / "pack", files),
        tmp_path / "root.pem",
        NOW,
        trust_tsa=tmp_path / "root.pem",
        revocations=[tmp_path / "lists.pem"],
    )
    assert {step.id: step.outcome for step in result.steps}["time-stamp"] is StepOutcome.FAILS


def revocation(on, reason):
    entry = x509.RevokedCertificateBuilder().serial_number(pki().time_stamper.certificate.serial_number)
    entry = entry.revocation_date(on)
    entry = entry.add_extension(reason, critical=False) if reason else entry
    builder = x509.CertificateRevocationListBuilder().issuer_name(pki().root.certificate.subject)
    builder = builder.last_update(NOW).next_update(NOW + timedelta(days=30))
    return builder.add_revoked_certificate(entry.build()).sign(pki().root.key, hashes.SHA256())

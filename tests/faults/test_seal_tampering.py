"""Lies told to the verification of a pack: each must be refused, and for the right reason."""

import base64
import json
from datetime import timedelta
from io import BytesIO

import pytest
from cli_support import written
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from seal_support import NOW, TABLE, draws, evidence, lay, pack, pki, reasons, report, signer, sound_pack

from certify.seal import (
    build_statement,
    canonical_bytes,
    envelope_bytes,
    guide_bytes,
    layout,
    pre_authentication_encoding,
    read_byte_range,
    sign_statement,
)
from certify.seal.layout import sums_bytes
from certify.seal.pdf_signature import _cms_signer, sign_pdf
from certify.seal.verify import StepOutcome, verify

NAMES = (
    *("SHA256SUMS", "VERIFY.md", "attestation.dsse.json", "check.py", "evidence.json"),
    *("certificate.pdf", "report.html", "report.pdf"),
    *("certs/intermediates.pem", "certs/root.pem", "certs/signer.pem", "data/main.csv"),
)
FLIPS = 4
MANY_FLIPS = 400
OF_THE_SIGNATURE = {"signed-bytes", "report-form", "chain", "report-signature"}


def reason_of(proof):
    """The reason that a signature of a report states."""
    return f"Report {proof['report']['number']}"


def resealed(files, **changes):
    """Files after a change, with a list of digests to fit, as any attacker can write."""
    changed = {**files, **changes}
    return {**changed, layout.SUMS: sums_bytes(changed)}


def struck(content, offset, mask):
    return content[:offset] + bytes([content[offset] ^ mask]) + content[offset + 1 :]


def test_every_file_of_a_pack_is_struck():
    assert sorted(NAMES) == sorted(sound_pack())


def found_by(name, list_made_to_fit):
    """The step that finds a change of a file; others may find it too."""
    if not list_made_to_fit:
        return "sums"
    if name.startswith("certs/"):
        return "chain"
    return {layout.ATTESTATION: "attestation", layout.EVIDENCE: "attachments"}.get(name, "attested")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("list_made_to_fit", [False, True])
@pytest.mark.parametrize("flips", [FLIPS, pytest.param(MANY_FLIPS, marks=pytest.mark.slow)])
def test_a_changed_byte_anywhere_is_found(name, list_made_to_fit, flips, tmp_path):
    if list_made_to_fit and name == layout.SUMS:
        # The list is what was struck; made to fit, it would be the list again.
        assert resealed(sound_pack())[layout.SUMS] == sound_pack()[layout.SUMS]
        return
    directory = lay(tmp_path / "pack", sound_pack())
    content = sound_pack()[name]
    offsets = [*draws(f"offset {name}", len(content), flips), 0, len(content) - 1]
    for offset, mask in zip(offsets, draws(f"mask {name}", 255, flips + 2), strict=True):
        altered = struck(content, offset, mask + 1)
        (directory / name).write_bytes(altered)
        if list_made_to_fit:
            lay(directory, {layout.SUMS: resealed(sound_pack(), **{name: altered})[layout.SUMS]})
        result = verify(directory, None, NOW)
        assert found_by(name, list_made_to_fit) in reasons(result), f"byte {offset} of {name} xor {mask + 1}"


def test_a_changed_byte_anywhere_in_a_report_alone_is_found(root_file, tmp_path):
    content, path = sound_pack()[layout.REPORT], tmp_path / "report.pdf"
    for offset in draws("report alone", len(content), 60):
        path.write_bytes(struck(content, offset, 1 << offset % 8))
        assert reasons(verify(path, root_file, NOW)).keys() & OF_THE_SIGNATURE, f"byte {offset}"


def test_a_changed_digit_anywhere_in_the_signature_container_is_found(root_file, tmp_path):
    content, path = sound_pack()[layout.REPORT], tmp_path / "report.pdf"
    gap = read_byte_range(content)
    for position in draws("container", gap.second_start - gap.first_length - 2, 80):
        offset = gap.first_length + 1 + position
        digit = b"0123456789ABCDEF"[(int(content[offset : offset + 1], 16) + 1 + position % 15) % 16]
        path.write_bytes(content[:offset] + bytes([digit]) + content[offset + 1 :])
        assert reasons(verify(path, root_file, NOW)).keys() & OF_THE_SIGNATURE, f"digit {offset}"


def updated(kind):
    """The signed report with an incremental update, as anyone can append one."""
    from pyhanko.pdf_utils import generic

    writer = IncrementalPdfFileWriter(BytesIO(sound_pack()[layout.REPORT]))
    page = writer.root["/Pages"]["/Kids"][0]
    if kind == "page":
        stream = generic.StreamObject(stream_data=b"1 0 0 rg 0 0 300 300 re f")
        page["/Contents"] = writer.add_object(stream)
        writer.update_container(page)
    elif kind == "annotation":
        note = generic.DictionaryObject(
            {
                generic.pdf_name("/Type"): generic.pdf_name("/Annot"),
                generic.pdf_name("/Subtype"): generic.pdf_name("/FreeText"),
            }
        )
        page["/Annots"].append(writer.add_object(note))
        writer.update_container(page["/Annots"])
    elif kind == "attachment":
        specification = writer.root["/Names"]["/EmbeddedFiles"]["/Names"][1]
        specification["/EF"]["/F"] = writer.add_object(generic.StreamObject(stream_data=b"{}"))
        writer.update_container(specification["/EF"])
    elif kind == "font":
        font = next(iter(page["/Resources"]["/Font"].values())).get_object()
        font["/BaseFont"] = generic.pdf_name("/Helvetica")
        writer.update_container(font)
    else:
        writer.add_object(generic.pdf_string("an object that nothing uses"))
    output = BytesIO()
    writer.write(output)
    return output.getvalue()


def in_lower_case(content):
    gap = read_byte_range(content)
    container = slice(gap.first_length, gap.second_start)
    return content[: container.start] + content[container].lower() + content[container.stop :]


NOT_COVERED = "does not cover the whole file"
REPORTS = {
    "the signature in small letters": (in_lower_case, "gap in the signed bytes"),
    "cut back to its unsigned revision": (
        lambda content: content[: content.index(b"%%EOF") + 6],
        "the report carries no signature",
    ),
    "a second signature": (
        lambda content: content + b"% /ByteRange [0 1 2 3]\n",
        "the report carries more than one signature",
    ),
    **{
        f"cut at {keep}": (lambda content, keep=keep: content[:keep], "")
        for keep in (0, 1, 100, 5_000, 20_000, -1, -10)
    },
    **{
        f"followed by {tail[:9]}": (lambda content, tail=tail: content + tail, NOT_COVERED)
        for tail in (b"\n", b" ", b"\0" * 1024, b"% a remark\n%%EOF\n")
    },
    **{
        f"an update of: {kind}": (lambda _, kind=kind: updated(kind), NOT_COVERED)
        for kind in ("page", "annotation", "attachment", "font", "unused object")
    },
}
"""What is done to the bytes of a signed report, and the reason for which they are refused."""


@pytest.mark.parametrize(("change", "reason"), REPORTS.values(), ids=REPORTS)
def test_bytes_of_a_report_that_are_not_those_signed_are_refused(change, reason, root_file, tmp_path):
    path = written(tmp_path / "report.pdf", change(sound_pack()[layout.REPORT]))
    reasons(verify(path, root_file, NOW)).among("signed-bytes", reason)


def beside(**files):
    return lambda: {**sound_pack(), **files}


def lacking(*names):
    return {name: content for name, content in sound_pack().items() if name not in names}


FOLDERS = {
    "a file added, digests made to fit": (
        lambda: resealed(sound_pack(), **{"data/extra.csv": b"1"}), ("attested", "listed"), "",
    ),
    "a file of no pack": (beside(**{"note.txt": b"1"}), ("files",), "'note.txt' is no file of a pack"),
    "data that are not listed": (
        beside(**{"data/note.txt": b"1"}), ("sums",), "note.txt is there and not listed",
    ),
    "an odd name": (beside(**{"re port.html": b"1"}), ("files",), "'re port.html'"),
    "a file removed, digests made to fit": (lambda: resealed(lacking("report.html")), ("files",), "report.html"),
    "nothing": (dict, ("files",), "missing"),
    # Without VERIFY.md the confined reader ended by itself, which was told as a lack of memory.
    **{
        f"no {name}": (lambda name=name: lacking(name), ("files",), f"missing: {name}")
        for name in sorted(layout.REQUIRED)
    },
}  # fmt: skip
"""What a folder holds instead of the files of a pack, the steps that fail, and what each says."""


@pytest.mark.parametrize(("files", "steps", "reason"), FOLDERS.values(), ids=FOLDERS)
def test_a_folder_of_other_files_is_no_pack(files, steps, reason, tmp_path):
    found = reasons(verify(lay(tmp_path, files()), None, NOW))
    for step in steps:
        found.among(step, reason)


def test_links_and_empty_folders_are_found(tmp_path):
    linked = lay(tmp_path / "linked", lacking("report.html"))
    (linked / "report.html").symlink_to("/etc/hostname")
    reasons(verify(linked, None, NOW)).among("files", "link")
    named = lay(tmp_path / "named", sound_pack())
    (named / "data" / "APPROVED").mkdir()
    reasons(verify(named, None, NOW)).among("files", "'data/APPROVED' is an empty folder")


def signed_otherwise(**metadata):
    """The report signed by the right key in the wrong way."""
    from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner
    from pyhanko.stamp.static import StaticStampStyle

    unsigned = report({"evidence.json": canonical_bytes(evidence())})
    details = PdfSignatureMetadata(field_name="Issuer", md_algorithm="sha256", **metadata)
    pdf_signer = PdfSigner(details, _cms_signer(signer()), stamp_style=StaticStampStyle())
    return pdf_signer.sign_pdf(IncrementalPdfFileWriter(BytesIO(unsigned))).getvalue()


def test_a_signature_of_a_weaker_kind_is_refused(tmp_path):
    from pyhanko.sign.fields import MDPPerm, SigSeedSubFilter

    pades, adobe = SigSeedSubFilter.PADES, SigSeedSubFilter.ADOBE_PKCS7_DETACHED
    weaker = {
        "DocMDP P=1": {"certify": True, "subfilter": pades, "docmdp_permissions": MDPPerm.FILL_FORMS},
        "no change is allowed": {"certify": False, "subfilter": pades},
        # Adobe's older form signs the time as an attribute, which PAdES forbids.
        "signed attributes": {"certify": True, "subfilter": adobe, "docmdp_permissions": MDPPerm.NO_CHANGES},
    }
    for reason, metadata in weaker.items():
        (tmp_path / "report.pdf").write_bytes(signed_otherwise(**metadata))
        found = reasons(verify(tmp_path / "report.pdf", None, NOW))
        assert reason in found.get("report-form", found.get("signed-bytes", ""))


def test_evidence_of_another_game_with_a_valid_signature_is_refused(root_file, tmp_path):
    other = pack(proof=evidence("another-game"))
    for taken in ([layout.REPORT], [layout.EVIDENCE], [layout.EVIDENCE, layout.ATTESTATION]):
        mixed = resealed(sound_pack(), **{name: other[name] for name in taken})
        result = verify(lay(tmp_path / "-".join(taken), mixed), root_file, NOW)
        assert "attachments" in reasons(result)
        # What is attested belongs to the other pack, or what is there was never attested.
        assert "attested" in reasons(result) or taken == [layout.REPORT]
        assert not result.holds


def test_an_attachment_exchanged_before_signing_is_refused(root_file, tmp_path):
    # The right key signs a report with another table in it than beside it.
    attached = {"evidence.json": canonical_bytes(evidence()), "main.csv": TABLE.replace(b"1/2", b"1/3")}
    wrong = sign_pdf(report(attached), signer(), signing_time=NOW, reason=reason_of(evidence()), location="")
    files = {**sound_pack(), layout.REPORT: wrong}
    files[layout.ATTESTATION] = sign_statement(build_statement(evidence(), files), signer())
    result = verify(lay(tmp_path, resealed(files)), root_file, NOW)
    assert list(reasons(result)) == ["attachments"]
    assert reasons(result)["attachments"].endswith("main.csv")


@pytest.mark.parametrize(
    ("who", "attached", "told", "words"),
    [
        (signer, {}, {"reason": "Certificate GM-20200101-00000000"}, "was expected to be made for"),
        (
            signer,
            {},
            {"signing_time": NOW - timedelta(hours=1)},
            "the signer and the signing time of the report",
        ),
        (lambda: signer(pki().elliptic), {}, {}, "the signer and the signing time of the report"),
        (signer, {"main.csv": TABLE}, {}, "was expected to carry nothing, not main.csv"),
    ],
)
def test_a_certificate_that_is_not_that_of_the_report_is_refused(
    who, attached, told, words, root_file, tmp_path
):
    number = evidence()["report"]["number"]
    how = {"signing_time": NOW, "reason": f"Certificate {number}", "location": "", **told}
    files = {**sound_pack(), layout.CERTIFICATE: sign_pdf(report(attached), who(), **how)}
    files[layout.GUIDE] = guide_of(files)
    files[layout.ATTESTATION] = sign_statement(build_statement(evidence(), files), signer())
    reasons(verify(lay(tmp_path, resealed(files)), root_file, NOW)).only("certificate", words)


def test_an_impostor_of_the_same_name_is_refused(root_file, tmp_path):
    impostor = pki().impostor()
    forged = pack(signer(infrastructure=impostor))
    assert impostor.root.certificate.subject == pki().root.certificate.subject
    directory = lay(tmp_path, forged)
    trusting = verify(directory, root_file, NOW)
    assert list(reasons(trusting)) == ["identity"]
    assert "is not the trusted root" in reasons(trusting)["identity"]
    # Without a root to trust the pack is consistent, and says that nobody vouches for it.
    unasked = verify(directory, None, NOW)
    assert unasked.holds
    assert not unasked.identity_established
    assert "IDENTITY NOT ESTABLISHED" in unasked.sentence


def test_certificates_of_the_right_laboratory_do_not_cover_for_an_impostor(root_file, tmp_path):
    forged = pack(signer(infrastructure=pki().impostor()))
    real = {name: content for name, content in sound_pack().items() if name.startswith("certs/")}
    directory = lay(tmp_path, resealed(forged, **real))
    assert {"attestation", "chain"} <= reasons(verify(directory, None, NOW)).keys()
    # Where a root is trusted, nothing that its signer did not vouch for is parsed at all.
    trusting = {step.id: step.outcome for step in verify(directory, root_file, NOW).steps}
    assert trusting["chain"] is StepOutcome.FAILS
    assert trusting["attestation"] is trusting["evidence"] is StepOutcome.NOT_CHECKED


def test_an_attestation_by_another_key_is_refused(root_file, tmp_path):
    other = signer(infrastructure=pki().impostor())
    files = dict(sound_pack())
    files[layout.ATTESTATION] = sign_statement(build_statement(evidence(), files), other)
    result = verify(lay(tmp_path, resealed(files)), root_file, NOW)
    assert "attestation" in reasons(result)


def test_a_repeated_key_in_the_evidence_is_refused(root_file, tmp_path):
    sound = canonical_bytes(evidence())
    repeated = sound.replace(b'"revision":1', b'"revision":1,"revision":2')
    assert json.loads(repeated)["report"]["revision"] == 2
    result = verify(lay(tmp_path, signed_around(repeated)), root_file, NOW)
    assert list(reasons(result)) == ["evidence"]
    assert "'revision' is repeated" in reasons(result)["evidence"]


def test_a_repeated_key_in_the_attestation_is_refused(root_file, tmp_path):
    # Two readers of one statement must not see two results: the right key signs an ambiguous one.
    who = signer()
    sound = canonical_bytes(build_statement(evidence(), sound_pack()))
    repeated = sound.replace(b'"result":"PASSED"', b'"result":"FAILED","result":"PASSED"')
    assert json.loads(repeated) == json.loads(sound)
    signature = who.key.sign(pre_authentication_encoding(repeated))
    inside = envelope_bytes(repeated, signature, who.certificate)
    envelope = sound_pack()[layout.ATTESTATION]
    beside = envelope.replace(b'"payloadType"', b'"payloadType":"text/plain","payloadType"')
    assert json.loads(beside) == json.loads(envelope)
    wrong = ((inside, "'result' is repeated"), (beside, "not a DSSE envelope with one signature"))
    for place, (attestation, said) in enumerate(wrong):
        files = resealed(sound_pack(), **{layout.ATTESTATION: attestation})
        reasons(verify(lay(tmp_path / str(place), files), root_file, NOW)).only("attestation", said)


def test_evidence_out_of_its_canonical_form_is_refused(root_file, tmp_path):
    spaced = json.dumps(evidence()).encode()
    result = verify(lay(tmp_path, signed_around(spaced)), root_file, NOW)
    assert "not in canonical form" in reasons(result)["evidence"]


def signed_around(content):
    """A pack that the right key signed although its evidence is not what evidence should be."""
    unsigned = report({"evidence.json": content, "main.csv": TABLE})
    files = dict(sound_pack())
    files[layout.EVIDENCE] = content
    files[layout.REPORT] = sign_pdf(
        unsigned, signer(), signing_time=NOW, reason=reason_of(evidence()), location=""
    )
    files[layout.GUIDE] = guide_of(files)
    files[layout.ATTESTATION] = sign_statement(build_statement(evidence(), files), signer())
    return resealed(files)


def guide_of(files):
    """The guide that follows from a pack's report."""
    who = signer()
    return guide_bytes(
        (who.certificate, *who.chain),
        signed={name: files[name] for name in layout.SIGNED},
        signing_time=NOW,
        attachments={"evidence.json": "evidence.json", "main.csv": "data/main.csv"},
        time_stamped=False,
    )


def observed(verdict):
    """One observation, whole."""
    return dict.fromkeys(("title", "expected", "observed", "reason", "subject"), "") | {
        "check": "exact-return",
        "verdict": verdict,
        "item": "submission",
        "evidence": [],
    }


def clause(number, status, certainty):
    """One clause, whole."""
    return dict.fromkeys(("standard", "edition", "id", "paraphrase", "note"), "") | {
        "method": "operator",
        "applies": "every game",
        "number": number,
        "status": status,
        "certainty": certainty,
        "checks": [],
        "rests_on": [],
        "shown_on": [],
    }


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": "certify-evidence/99"}, "no release that this software knows"),
        ({"item": evidence()["item"] | {"files": []}}, "names no submitted file"),
        ({"run": {}}, "/run/seed: is missing"),
        ({"observations": [observed("fine")]}, "/observations/0/verdict: expected one of satisfied"),
        ({"observations": [observed("not satisfied")]}, "although a check is not"),
        (
            {"analysis": {"s": {"wagers": {"main": {"return": 0.99}}}}},
            "/analysis/s/wagers/main/return: expected a fraction",
        ),
        (
            {"clauses": [clause("7B", "satisfied", "S")]},
            "clause 7B is called satisfied without having been read",
        ),
        ({"clauses": [clause("9", "operator", "U")]}, "clause 9 is unverified"),
        ({"clauses": [{"number": "9", "status": "operator"}]}, "/clauses/0/certainty: is missing"),
    ],
)
def test_evidence_against_its_schema_is_refused(change, reason, tmp_path):
    content = canonical_bytes({**evidence(), **change})
    result = verify(lay(tmp_path, signed_around(content)), None, NOW)
    assert reason in reasons(result)["evidence"]


def test_an_embedded_submission_with_another_digest_is_refused(tmp_path):
    altered = evidence()
    altered["item"]["files"][0]["base64"] = base64.b64encode(b'id = "kinder"\n').decode()
    result = verify(lay(tmp_path, signed_around(canonical_bytes(altered))), None, NOW)
    assert "do not have their digest" in reasons(result)["evidence"]


def test_a_result_better_than_the_evidence_is_refused(tmp_path):
    failed = evidence(verdict="not satisfied")
    files = dict(pack(proof=failed))
    statement = build_statement(failed, files)
    assert statement["predicate"]["result"] == "FAILED"
    statement["predicate"]["result"] = "PASSED"
    files[layout.ATTESTATION] = sign_statement(statement, signer())
    result = verify(lay(tmp_path, resealed(files)), None, NOW)
    assert reasons(result) == {"result": "the attested result is not the result in the evidence"}


def test_differing_figures_fail_the_rerun(tmp_path):
    directory = lay(tmp_path, sound_pack())
    same = verify(directory, None, NOW, rerun=lambda *_: [])
    assert {step.id: step.outcome for step in same.steps}["rerun"] is StepOutcome.HOLDS
    differing = verify(directory, None, NOW, rerun=lambda *_: ["main: 1/2, computed again 1/3"])
    assert reasons(differing) == {"rerun": "main: 1/2, computed again 1/3"}


RAN = {
    "executor": "processes:2",
    "workers": 2,
    "chunks": 40,
    "computedTwice": 3,
}


def attested_as_run_on(execution):
    """A sound pack whose attestation says besides where the work ran."""
    statement = build_statement(evidence(), sound_pack(), RAN)
    statement["predicate"]["certifyReport"]["execution"] = execution
    return resealed(sound_pack(), **{layout.ATTESTATION: sign_statement(statement, signer())})


def test_where_the_work_ran_is_attested_and_told(root_file, tmp_path):
    result = verify(lay(tmp_path, attested_as_run_on(RAN)), root_file, NOW)
    result.require()
    assert any("computed on processes:2, 3 chunks computed twice" in step.detail for step in result.steps)


@pytest.mark.parametrize(
    "lie",
    [
        {"executor": "threads:1; and the auditor was there"},
        {"computedTwice": 41},
        {"computedTwice": -1},
        {"chunks": "40"},
        {"found": {"automaton": "a notary's"}},
        {"found": ["ab" * 32]},
        {"witness": "a notary"},
    ],
)
def test_nothing_else_can_be_said_there(lie, root_file, tmp_path):
    result = verify(lay(tmp_path, attested_as_run_on({**RAN, **lie})), root_file, NOW)
    assert not result.holds
    assert "cannot be compared" in next(iter(reasons(result).values()))

"""Lone reports whose issuer put something into them, and files that would make a reader expand them without end."""

import tracemalloc
import zlib
from functools import cache
from io import BytesIO

import pytest
from seal_support import NOW, TABLE, evidence, pack, pki, reasons, report, signer, sound_pack

from certify.errors import TrustError
from certify.seal import layout
from certify.seal.canonical import canonical_bytes
from certify.seal.certificates import pem
from certify.seal.pdf_objects import require_objects
from certify.seal.pdf_signature import sign_pdf
from certify.seal.verify import verify

REASON = f"Report {evidence()['report']['number']}"


@pytest.fixture(scope="module")
def root_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("trust") / "root.pem"
    path.write_bytes(pem([pki().root.certificate]))
    return path


@cache
def unsigned():
    return report({"evidence.json": canonical_bytes(evidence()), "main.csv": TABLE})


def changed(change):
    """A report that its issuer altered before signing it, written as reports are."""
    import pikepdf

    document = pikepdf.open(BytesIO(unsigned()))
    change(document)
    packed = BytesIO()
    document.save(packed, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    return sign_pdf(packed.getvalue(), signer(), signing_time=NOW, reason=REASON, location="")


def _note(document, subtype, **entries):
    import pikepdf

    kind = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name(subtype), Rect=[0, 0, 9, 9], **entries
    )
    document.pages[0].obj.Annots.append(document.make_indirect(kind))


def _action(kind, **entries):
    import pikepdf

    return pikepdf.Dictionary(S=pikepdf.Name(kind), **entries)


def _file(document):
    import pikepdf

    held = pikepdf.Stream(document, b"{}", Type=pikepdf.Name.EmbeddedFile)
    return document.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.Filespec, F="evidence.json", UF="evidence.json", EF={"/F": held})
    )


def _layers(document):
    import pikepdf

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
    from certify.seal.pdf_bounds import require_bounded

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
    from certify.seal import pdf_bounds

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
    import pikepdf

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

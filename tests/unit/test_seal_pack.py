"""Packs are written completely or not at all, and never over anything else; the certificate of two pages."""

import asyncio
import hashlib
import io
import json
import lzma
import subprocess
import sys
import unicodedata
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pikepdf
import pytest
from cli_support import refuses
from seal_support import (
    NOW,
    TABLE,
    authority,
    careless_signer,
    draws,
    evidence,
    lay,
    pack,
    pki,
    reasons,
    report,
    serving,
    signer,
    sound_pack,
)

from certify.certification.submitted import critical_files
from certify.errors import InputError, RenderError, TrustError
from certify.evidence import NOTHING_STATED, Brought, CriticalFile, plain, schedule_digest
from certify.evidence.read import evidence_of
from certify.issue.verification import operator_item_differences
from certify.report.certificate import certificate, render_certificate
from certify.seal import canonical_bytes, demonstration_signer, layout, pem, sha256_hex
from certify.seal.layout import read_pack
from certify.seal.pack import write_pack
from certify.seal.pdf_signature import sign_pdf
from certify.seal.stamp import StampText, http_time_stamper, language_of, render_stamp
from certify.seal.verify import StepOutcome, verify
from certify.submission import parse_game

FILES = {"data/main.csv": TABLE, "report.html": b"<!doctype html><title>A report</title>\n"}


def unsigned():
    return report({"evidence.json": canonical_bytes(evidence()), "main.csv": TABLE})


def write(out, **changes):
    arguments = {
        "files": FILES,
        "unsigned_pdf": unsigned(),
        "evidence": evidence(),
        "signer": signer(),
        "signing_time": NOW,
        "certificate": report({}),
        "location": "Rome",
    }
    return write_pack(out, **{**arguments, **changes})


def test_a_pack_is_written_and_verifies(tmp_path):
    out = tmp_path / "build" / "pack"
    digests = write(out)
    written = read_pack(out)
    assert digests == {name: sha256_hex(content) for name, content in written.items()}
    assert set(written) >= layout.REQUIRED
    assert (out / layout.EVIDENCE).read_bytes() == canonical_bytes(evidence())
    verify(out, None, NOW).require()
    assert [path.name for path in out.parent.iterdir()] == ["pack"]


def test_the_same_inputs_key_and_time_give_the_same_pack():
    # RSA with PKCS #1 v1.5 is deterministic; nothing else in a pack is drawn or timed.
    assert pack() == sound_pack()


def test_all_but_the_signed_files_are_the_same_under_another_key():
    other = pack(signer(pki().elliptic))
    differing = {name for name in other if other[name] != sound_pack()[name]}
    assert differing == {
        *layout.SIGNED,
        layout.ATTESTATION,
        layout.SUMS,
        layout.GUIDE,
        layout.SIGNER_CERTIFICATE,
    }
    assert other[layout.REPORT].startswith(unsigned())


def test_an_earlier_pack_is_replaced_and_nothing_else_is(tmp_path):
    out = tmp_path / "pack"
    write(out)
    write(out, signer=signer(pki().elliptic))
    verify(out, None, NOW).require()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="are kept: nothing was written"):
        write(out)
    assert (out / "notes.txt").read_text() == "mine"


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    refuses(
        InputError,
        ("not those of a pack", lambda: write(tmp_path)),
        ("is not a folder", lambda: write(tmp_path / "thesis.tex")),
    )
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        write(tmp_path / "link")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "thesis.tex"]


def test_a_pack_that_would_not_verify_is_not_put_in_place(tmp_path):
    out = tmp_path / "pack"
    digests = write(out)
    for changes in (
        {"signer": careless_signer(pki().expired)},
        {"files": {**FILES, "data/unnamed.csv": b"1"}},
    ):
        with pytest.raises(TrustError):
            write(out, **changes)
        assert {name: sha256_hex(content) for name, content in read_pack(out).items()} == digests
        assert [path.name for path in tmp_path.iterdir()] == ["pack"]


@pytest.mark.parametrize(
    "name",
    [
        "report.pdf",
        "certificate.pdf",
        "certs/own.pem",
        "../out.csv",
        "/etc/x",
        "data/.hidden",
        "a b",
        "REPORT.html",
        "data//x",
        "",
    ],
)
def test_names_that_a_pack_cannot_have_are_refused(name, tmp_path):
    with pytest.raises(InputError, match="names"):
        write(tmp_path / "pack", files={**FILES, name: b"1"})
    assert not (tmp_path / "pack").exists()


def test_a_report_that_is_not_as_agreed_is_not_signed(tmp_path):
    attached = {"evidence.json": canonical_bytes(evidence()), "main.csv": TABLE}
    refuses(
        RenderError,
        (
            "signature field 'Issuer'",
            lambda: write(tmp_path / "pack", unsigned_pdf=report(attached, field=False)),
        ),
        ("found: Issuer", lambda: write(tmp_path / "pack", unsigned_pdf=sound_pack()[layout.REPORT])),
        (
            r"not files of the pack: evidence\.json",
            lambda: write(tmp_path / "pack", evidence=evidence("another-game")),
        ),
        (
            r"expected evidence\.json",
            lambda: write(tmp_path / "pack", unsigned_pdf=report({"main.csv": TABLE})),
        ),
        ("cannot be read", lambda: write(tmp_path / "pack", unsigned_pdf=b"no PDF")),
        (
            "not a PDF that can be signed",
            lambda: sign_pdf(b"no PDF", signer(), signing_time=NOW, reason="", location=""),
        ),
    )


def test_the_demonstration_signer_says_what_it_is(tmp_path):
    who = demonstration_signer(NOW)
    for one in (who.certificate, who.root):
        assert "not trusted" in one.subject.rfc4514_string()
    assert who.certificate.serial_number != demonstration_signer(NOW).certificate.serial_number
    out, told = tmp_path / "pack", evidence()
    told["report"]["demonstration_key"] = True
    attached = report({"evidence.json": canonical_bytes(told), "main.csv": TABLE})
    write(out, signer=who, evidence=told, unsigned_pdf=attached)
    assert "Demonstration key" in (out / layout.GUIDE).read_text()
    result = verify(out, None, NOW)
    assert result.holds
    assert not result.identity_established
    assert verify(out, out / "certs" / "root.pem", NOW).identity_established


def test_the_stamp_takes_hostile_text_as_text():
    reason = '<script>alert(1)</script><img src="file:///etc/passwd">{{ 7*7 }} & "quotes" ½'
    signed = sign_pdf(unsigned(), signer(), signing_time=NOW, reason=reason, location="Rome")
    assert b"root:" not in signed
    assert signed.startswith(unsigned())


def test_the_stamp_refuses_letters_that_its_font_lacks_and_fields_too_small():
    text = StampText("日本ゲーム検査", NOW, "", "00" * 32)
    refuses(
        RenderError,
        ("visible signature", lambda: render_stamp(text, 240, 60)),
        ("too small", lambda: render_stamp(replace(text, name="A laboratory"), 40, 10)),
    )
    assert render_stamp(replace(text, name="Εργαστήριο ½ <b>"), 240, 60).startswith(b"%PDF")


def test_the_stamp_speaks_the_language_of_its_report():
    lines = StampText("Un laboratorio", NOW, "", "0" * 64, "it").lines
    assert lines[0].startswith("Firmato digitalmente 20")
    assert lines[1:3] == ("secondo l’orologio del firmatario", "SHA-256 del certificato:")
    assert render_stamp(StampText("Un laboratorio", NOW, "", "0" * 64, "it"), 240, 60).startswith(b"%PDF")
    tagged = io.BytesIO()
    with pikepdf.new() as document:
        document.Root.Lang = pikepdf.String("it-IT")
        document.save(tagged)
    assert language_of(tagged.getvalue()) == "it"
    assert language_of(unsigned()) == "en"


def test_an_earlier_pack_comes_back_where_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    out = tmp_path / "pack"
    digests = write(out)
    rename = Path.rename

    def failing(path, target):
        if path.name == "new":
            raise OSError("the disk is full")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="disk is full"):
        write(out, signer=signer(pki().elliptic))
    assert {name: sha256_hex(content) for name, content in read_pack(out).items()} == digests


def test_a_container_read_first_in_a_process_leaves_every_attribute_known():
    # Verification reads a container before it makes the signed file again; making reports loads both at once.
    program = (
        "from certify.errors import TrustError\n"
        "from certify.seal.cms_container import read_container\n"
        "try:\n    read_container(bytes.fromhex('3000'))\nexcept TrustError:\n    pass\n"
        "from asn1crypto import cms\n"
        "try:\n    cms.CMSAttributeType('data')\nexcept ValueError:\n    pass\n"
        "import asn1crypto.tsp\n"
        "print(cms.CMSAttributeType('signing_certificate_v2').dotted)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert told.stdout.strip() == "1.2.840.113549.1.9.16.2.47", told.stderr


def outcome(result):
    return next((step.outcome, step.detail) for step in result.steps if step.id == "time-stamp")


@pytest.fixture(scope="module")
def stamped():
    return pack(timestamper=authority(pki()))


@pytest.fixture
def root_file(tmp_path):
    (tmp_path / "root.pem").write_bytes(pem([pki().root.certificate]))
    return tmp_path / "root.pem"


def test_a_time_stamp_of_a_trusted_authority_dates_the_signature(stamped, root_file, tmp_path):
    result = verify(lay(tmp_path / "pack", stamped), root_file, NOW, trust_tsa=root_file)
    result.require()
    found, detail = outcome(result)
    assert found is StepOutcome.HOLDS
    assert "dated 2026-11-21T02:00:00Z by 'Test Laboratory Time'" in detail
    assert not any("signing time is true" in text for text in result.not_established)
    assert "a time-stamp authority dated it" in stamped[layout.GUIDE].decode()


def test_a_time_stamp_of_a_stranger_dates_nothing(root_file, tmp_path):
    files = pack(timestamper=authority(pki().impostor()))
    result = verify(lay(tmp_path / "pack", files), root_file, NOW, trust_tsa=root_file)
    assert outcome(result)[0] is StepOutcome.FAILS
    assert "no root given for stamps" in outcome(result)[1]
    # Roots of signers are not those of authorities.
    unnamed = verify(tmp_path / "pack", root_file, NOW)
    assert unnamed.holds
    assert outcome(unnamed)[0] is StepOutcome.NOT_CHECKED
    assert "--trust-tsa" in outcome(unnamed)[1]
    assert any("signing time is true" in text for text in unnamed.not_established)


@pytest.mark.parametrize(
    ("first", "second", "step", "words"),
    [
        (-60, -60, "time-stamp", "later than its time stamp"),
        (0, -6, "certificate", "expected to be dated within five minutes of the report"),
        (0, 6, "certificate", "expected to be dated within five minutes of the report"),
        (4, 8, "certificate", "before the time of verification"),
    ],
)
def test_report_and_certificate_are_dated_when_they_are_signed(
    first, second, step, words, root_file, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        "certify.seal.pack.sign_pdf",
        lambda *what, **how: sign_pdf(
            *what,
            **how
            | {
                "timestamper": authority(
                    pki(), NOW + timedelta(minutes=first if how["reason"].startswith("Report") else second)
                )
            },
        ),
    )
    reasons(
        verify(
            lay(tmp_path / "pack", pack(timestamper=authority(pki()))), root_file, NOW, trust_tsa=root_file
        )
    ).only(step, words)


@pytest.mark.parametrize(("last", "fails"), [("2026-11-21", []), ("2026-11-20", ["term"])])
def test_a_certificate_that_has_ended_does_not_verify(last, fails, tmp_path):
    told = evidence()["report"] | {"engagement": plain(replace(NOTHING_STATED, valid_until=last))}
    assert [*reasons(verify(lay(tmp_path, pack(proof=evidence(report=told))), None, NOW))] == fails


def test_a_changed_byte_in_a_stamped_report_is_found_by_the_attestation(stamped, tmp_path):
    # The token is in the part of the container that the signature does not cover.
    directory, content = lay(tmp_path / "pack", stamped), stamped[layout.REPORT]
    for offset in draws("stamped", len(content), 60):
        altered = content[:offset] + bytes([content[offset] ^ 1]) + content[offset + 1 :]
        (directory / layout.REPORT).write_bytes(altered)
        assert not verify(directory, None, NOW).holds


def test_an_authority_that_does_not_do_its_part_is_named():
    # RFC 3161, section 2.4.2: a refusal has a status (2, rejection) and no token.
    refusal = bytes.fromhex("30053003020102")
    with serving(lambda request: refusal) as url, pytest.raises(InputError, match="refused to date"):
        pack(timestamper=http_time_stamper(url))
    with serving(lambda request: b"busy", "text/html") as url, pytest.raises(InputError, match="instead of"):
        pack(timestamper=http_time_stamper(url))
    refuses(
        InputError,
        ("does not answer", lambda: pack(timestamper=http_time_stamper(url, timeout=2))),
        ("is no address", lambda: http_time_stamper("file:///etc/passwd")),
    )


def test_a_token_for_another_digest_is_not_taken():
    source = authority(pki())

    def answer(request):
        request["message_imprint"]["hashed_message"] = bytes(32)
        return asyncio.run(source.async_request_tsa_response(request)).dump()

    with serving(answer) as url, pytest.raises(InputError, match="dated something else"):
        pack(timestamper=http_time_stamper(url))


REPORTS = Path(__file__).parents[2] / "fixtures/reports"


def kept_evidence(game, **brought):
    """Evidence that lies among the fixtures, of a product with files."""
    made = json.loads(lzma.decompress((REPORTS / f"{game}.json.xz").read_bytes()))
    made["brought"] |= brought
    return made


SCHEDULE = [{"path": f"lib/{place:02}.js", "bytes": place, "sha256": f"{place:064x}"} for place in range(30)]


@pytest.mark.parametrize("game", ["slot-lines", "caribbean-stud"])
def test_two_pages_tell_items_configurations_and_jurisdictions_in_the_same_bytes(game):
    told = kept_evidence(game, files=SCHEDULE)
    pages = render_certificate(told, issued=NOW)
    assert pages == render_certificate(told, issued=NOW)
    with pikepdf.open(io.BytesIO(pages)) as pdf:
        assert len(pdf.pages) == 2
    view = certificate(evidence_of(told), "ab" * 32)
    assert view.configurations is not None
    assert view.files is not None
    # A row for each configuration, and the statement for each jurisdiction in the last one.
    assert len(view.configurations.rows) == len(told["configurations"]) + 1
    last, places = view.configurations.rows[-1], told["report"]["statement"]["jurisdictions"]
    assert [cell.verdict.word for cell in last[5:]] == list(places.values())
    assert [row[0].text for row in view.files.rows] == [file["path"] for file in SCHEDULE[:8]]
    assert "30 files" in view.files.remark


def test_what_was_not_tried_of_a_configuration_says_so():
    stated = kept_evidence("slot-lines")
    for further, rounds in (
        (stated["simulation"]["configurations"], "1\u202f000\u202f000"),
        ([], "not tried"),
    ):
        stated["simulation"]["configurations"] = further
        view = certificate(evidence_of(stated), "ab" * 32)
        assert view.configurations is not None
        main, *variants, _ = view.configurations.rows
        assert (main[4].text, main[4].detail) == ("6\u202f085\u202f208", "")
        assert {row[4].text for row in variants} == {rounds}


def test_a_schedule_is_what_sha256sum_says_of_a_folder(tmp_path, monkeypatch):
    (tmp_path / "lib").mkdir()
    for name in ("lib/b.js", "a.wasm"):
        (tmp_path / name).write_bytes(name.encode())
    found = critical_files(tmp_path)
    assert [(one.path, one.bytes_) for one in found] == [("a.wasm", 6), ("lib/b.js", 8)]
    lines = "".join(f"{hashlib.sha256(one.path.encode()).hexdigest()}  {one.path}\n" for one in found)
    assert schedule_digest(found) == hashlib.sha256(lines.encode()).hexdigest()
    (tmp_path / "link").symlink_to("a.wasm")
    (tmp_path / "empty").mkdir()
    for name in ("café", unicodedata.normalize("NFD", "café")):
        (tmp_path / "alike" / name).mkdir(parents=True)
        (tmp_path / "alike" / name / "a").touch()
    closed = Mock(side_effect=PermissionError(13, "Permission denied", "lib/closed"))
    refuses(
        InputError,
        ("'link' is a link or a special file", lambda: critical_files(tmp_path)),
        (r"cafe\\u0301/a and caf\\xe9/a look the same", lambda: critical_files(tmp_path / "alike")),
        ("holds no file", lambda: critical_files(tmp_path / "empty")),
        (
            "more than 0",
            lambda: (
                monkeypatch.setattr("certify.certification.submitted.MOST_FILES", 0)
                or critical_files(tmp_path / "lib")
            ),
        ),
        (
            "denied: 'lib/closed'",
            lambda: monkeypatch.setattr("os.scandir", closed) or critical_files(tmp_path),
        ),
    )


@pytest.mark.parametrize("paths", [[], ["b", "a"], ["a", "a"], ["../a"], ["/a"], ["a//b"]])
def test_a_schedule_that_no_folder_has_does_not_pass(paths):
    game = parse_game((REPORTS.parent / "games/roulette-single-zero/game.toml").read_bytes(), "game.toml")
    files = tuple(CriticalFile(path, 1, "ab" * 32) for path in paths)
    (found,) = operator_item_differences(game, Brought(files=files))
    assert found == "/brought/files: not the files of a folder, each once, sorted by their paths"
    assert not list(operator_item_differences(game, Brought(files=(CriticalFile("lib/a.js", 0, "ab" * 32),))))

"""The certificate: two pages from the evidence of the report, and the schedule of the product's files."""

import hashlib
import io
import json
import lzma
from pathlib import Path
from unittest.mock import Mock

import pikepdf
import pytest
from cli_support import refuses
from seal_support import NOW

from certify.certification.submitted import critical_files
from certify.errors import InputError
from certify.evidence import Brought, CriticalFile, schedule_digest
from certify.evidence.read import evidence_of
from certify.issue.verification import operator_item_differences
from certify.report.certificate import certificate, render_certificate
from certify.submission import parse_game

REPORTS = Path(__file__).parents[2] / "fixtures/reports"


def evidence(game, **brought):
    """Evidence that lies among the fixtures, of a product with files."""
    made = json.loads(lzma.decompress((REPORTS / f"{game}.json.xz").read_bytes()))
    made["brought"] |= brought
    return made


FILES = [{"path": f"lib/{place:02}.js", "bytes": place, "sha256": f"{place:064x}"} for place in range(30)]


@pytest.mark.parametrize("game", ["slot-lines", "caribbean-stud"])
def test_two_pages_tell_items_configurations_and_jurisdictions_in_the_same_bytes(game):
    told = evidence(game, files=FILES)
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
    assert [row[0].text for row in view.files.rows] == [file["path"] for file in FILES[:8]]
    assert "30 files" in view.files.remark


def test_what_was_not_tried_of_a_configuration_says_so():
    stated = evidence("slot-lines")
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
    closed = Mock(side_effect=PermissionError(13, "Permission denied", "lib/closed"))
    refuses(
        InputError,
        ("'link' is a link or a special file", lambda: critical_files(tmp_path)),
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

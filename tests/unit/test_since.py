"""What changed since an earlier certified pack: every kind of change is found, told, and held to both evidences."""

import csv
import io
import re
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from cli_support import refuses
from report_evidence import REPORTS, stored
from representatives import only
from seal_support import NOW, evidence, lay, pack, pki, signer, sound_pack

from certify.certification.evidence import item_evidence
from certify.certification.exact import exact_evidence, exact_results
from certify.clauses import regime_of
from certify.errors import InputError
from certify.evidence import SourceText, plain
from certify.evidence.read import evidence_of
from certify.gate import fact_changes, facts
from certify.issue.delta import EARLIER, TABLE, read_earlier, since_differences, since_of, with_earlier
from certify.issue.make import earlier_pack
from certify.issue.recorded import submission_of
from certify.messages import LANGUAGES, catalogue, speaking
from certify.report.chapters import closing
from certify.report.layout import Annex
from certify.report.view import build_view, read_evidence
from certify.seal import canonical_bytes
from certify.seal.verify import verify
from certify.submission import parse_game

ROULETTE = "roulette-single-zero"
OTHER = "0" * 64
BOUGHT = REPORTS.parent / "cases/slot-bought-below-floor"


@cache
def earlier():
    content = canonical_bytes(stored(REPORTS / "roulette-single-zero.json.xz"))
    return read_earlier(content, "A laboratory", established=True)


def changed(*edits):
    """The evidence of the game with its submission edited, everything exact counted."""
    told = earlier().evidence
    return counted(told, submission_of(told), *edits)


def counted(told, submission, *edits):
    """Evidence of another submission, edited, everything exact counted."""
    text = submission.decode()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    submission = text.encode()
    submitted = parse_game(submission, "game.toml")
    exact = exact_evidence(exact_results(submitted, regime_of(()), thorough=False), sensitivity=False)
    parts = {each.name: getattr(exact, each.name) for each in fields(exact)}
    return replace(told, **parts, item=item_evidence(submitted, submission))


def delta(now):
    return since_of(earlier(), now)[0]


def test_a_pay_that_changed_moves_the_return_by_the_exact_difference():
    told = delta(changed(('pays = "5 to 1"', 'pays = "11 to 2"')))
    (change,) = told.changes
    assert (change.kind, change.subject) == ("paytable-row-changed", "six-line/win")
    assert (change.before, change.after) == ("5 to 1", "11 to 2")
    moved = {figure.at: figure for figure in told.figures}
    place = ("analysis", "main-optimal", "wagers", "six-line", "return")
    assert moved[place].difference == Fraction(6, 37) * Fraction(1, 2)
    assert moved[place].before == Fraction(36, 37)
    assert not any("dozen" in at for at in moved if at[0] == "analysis")
    assert "the submission (1 place)" in told.text
    assert "each difference is the effect of what was changed in the submission" in told.text
    assert {one.name for one in told.digests if one.of == "basis" and not one.same} == {"wagers"}


@pytest.mark.slow
def test_a_purchase_that_pays_otherwise_is_named_with_its_return_before_and_now():
    slot, path = evidence_of(stored(REPORTS / "slot-lines.json.xz")), BOUGHT / "game.toml"
    before = counted(slot, path.read_bytes())
    now = counted(slot, path.read_bytes(), ('price = "500"', 'price = "250"'))
    known = read_earlier(canonical_bytes(plain(before)), "A laboratory", established=True)
    chapter = closing.since(replace(now, since=since_of(known, now)[0]), Annex())
    (row,) = [[cell.text for cell in row[1:]] for row in chapter.others.rows]
    assert row == ["buy", "return", "18.544316\u202f%", "37.088632\u202f%", "+18.544316"]


def test_what_either_pack_has_between_bounds_is_told_so_and_its_return_is_not():
    same = earlier().evidence
    played = same.analysis["main-optimal"]
    one = played.wagers["six-line"]
    off = {"variance": Fraction(1, 1000)}
    near = replace(one, near=True, off=off, variance=one.variance + 1, return_=one.return_ + 1)
    analysis = {"main-optimal": replace(played, wagers={**played.wagers, "six-line": near})}
    now = replace(same, analysis={**same.analysis, **analysis})
    told, table = since_of(earlier(), now)
    moved = {figure.at[-1]: figure for figure in told.figures if figure.at[-2:-1] == ("six-line",)}
    assert moved["variance"].near
    assert moved["variance"].off == (0, Fraction(1, 1000), Fraction(1, 1000))
    assert moved["return"].near is None
    rows = {row["subject"]: row for row in csv.DictReader(io.StringIO(table.decode("utf-8-sig")))}
    variance = rows["main-optimal/wagers/six-line/variance"]
    assert variance["before"] == str(one.variance)
    low, high = map(Fraction, variance["after"].split(" to "))
    assert low <= one.variance + 1 - off["variance"] < one.variance + 1 + off["variance"] <= high
    assert variance["difference"] == "0.9990 to 1.0010"
    assert rows["main-optimal/wagers/six-line/return"]["after"] == str(one.return_ + 1)
    assert rows["main-optimal/wagers/dozen/variance"]["after"] == str(played.wagers["dozen"].variance)


def test_a_version_and_a_limit_that_changed_are_told_and_leave_the_returns():
    told = delta(
        changed(('version = "1.0.0"', 'version = "1.0.1"'), ('maximum = "500.00"', 'maximum = "600.00"'))
    )
    assert [change.kind for change in told.changes] == ["version-changed", "limit-changed"]
    assert {figure.at[0] for figure in told.figures} == {"exposure"}


def test_code_of_the_family_software_clauses_and_what_was_asked_are_told_each_by_its_kind():
    same = earlier().evidence
    catalogues = tuple(replace(one, sha256=OTHER) for one in same.regime.catalogues)
    now = replace(
        same,
        family=replace(same.family, reference=SourceText(same.family.reference.module, OTHER)),
        tool=replace(
            same.tool, version="0.2.0", source_sha256=OTHER, packages={**same.tool.packages, "numpy": "9"}
        ),
        regime=replace(same.regime, catalogues=catalogues),
        run=replace(same.run, plan=same.run.plan[1:], seed="11" * 33),
    )
    told = delta(now)
    found = {(change.kind, change.subject) for change in told.changes}
    assert found == {
        ("family-code-changed", f"{same.family.family}/reference"),
        ("software-changed", "version"),
        ("software-changed", "source_sha256"),
        ("software-changed", "packages/numpy"),
        *(("catalogue-changed", one.id) for one in catalogues),
        ("check-changed", same.run.plan[0].check),
        ("run-changed", "seed"),
    }
    assert told.moved == 0
    assert "All" in told.text
    assert "exact figures are the same" in told.text


def test_figures_that_moved_are_put_down_to_the_software_or_to_nothing_that_is_known():
    same = earlier().evidence
    wrong = replace(same, counted={"main-optimal": {"red": Fraction(1, 2)}})
    assert "one of the two packs is wrong" in delta(wrong).text
    by_software = replace(wrong, tool=replace(same.tool, source_sha256=OTHER))
    assert "the effect of the code or of the software" in delta(by_software).text
    both = changed(('pays = "5 to 1"', 'pays = "11 to 2"'))
    both = replace(both, tool=replace(same.tool, source_sha256=OTHER))
    assert "is not separated here" in delta(both).text


def test_of_the_same_submission_nothing_changed_and_what_is_the_same_is_told_by_digest():
    told = delta(earlier().evidence)
    assert told.changes == told.statuses == told.figures == ()
    assert told.text.startswith(f"Nothing changed since report {told.earlier.number}")
    assert told.compared > 500
    assert {one.of for one in told.digests} == {"basis", "evidence", "file"}
    assert all(one.same and one.before for one in told.digests)


def test_a_clause_that_ended_otherwise_is_told():
    same = earlier().evidence
    (first, *others) = same.clauses
    now = replace(same, clauses=(replace(first, status="inconclusive"), *others))
    (change,) = delta(now).statuses
    assert (change.kind, change.before, change.after) == ("clause", first.status, "inconclusive")


def sealed(now):
    made, files = with_earlier(now, earlier())
    return made, {name: content for name, (content, _) in files.items()} | {"report.pdf": b""}


@pytest.fixture(scope="module")
def compared():
    return sealed(changed(('pays = "5 to 1"', 'pays = "11 to 2"')))


def test_the_chapter_comes_out_again_from_the_evidence_of_both_packs(compared):
    now, files = compared
    assert {EARLIER, TABLE} <= {one.name for one in now.files}
    assert evidence_of(plain(now)) == now
    assert list(since_differences(now, files)) == []


@pytest.mark.parametrize(
    ("lie", "found"),
    [
        (lambda told: replace(told, moved=0), "/since/moved"),
        (lambda told: replace(told, changes=()), "/since/changes"),
        (lambda told: replace(told, text="Nothing changed."), "/since/text"),
        (lambda told: replace(told, figures=told.figures[1:]), "/since/figures"),
        (lambda told: replace(told, digests=told.digests[1:]), "/since/digests"),
        (
            lambda told: replace(told, earlier=replace(told.earlier, version="9.9.9")),
            "/since/earlier/version",
        ),
    ],
)
def test_a_lie_about_what_changed_is_found(compared, lie, found):
    now, files = compared
    differences = list(since_differences(replace(now, since=lie(now.since)), files))
    assert any(line.startswith(found) for line in differences), differences


def test_other_evidence_than_the_report_names_and_another_table_are_found(compared):
    now, files = compared
    (one,) = since_differences(now, files | {EARLIER: files[EARLIER].replace(b"97.30", b"97.31")})
    assert "whose digest the report names" in one
    (one,) = since_differences(now, {name: content for name, content in files.items() if name != EARLIER})
    assert "whose digest the report names" in one
    (one,) = since_differences(now, files | {TABLE: files[TABLE] + b"\r\n"})
    assert one.startswith(TABLE)


def test_a_report_alone_rests_on_the_digest_of_the_earlier_evidence(compared):
    now, _ = compared
    assert list(since_differences(now, {"report.pdf": b""})) == []


@pytest.mark.parametrize("language", only(LANGUAGES, "it"))
def test_the_chapter_says_in_each_language_what_changed_and_what_that_did(compared, language):
    now, _ = compared
    missed = set()
    with speaking(language, "single-draw", missed):
        chapter = build_view(*read_evidence(plain(now))).since
    assert [cell.text for cell in chapter.changes.rows[0]][1:] == ["six-line/win", "5 to 1", "11 to 2"]
    assert chapter.returns.rows[0][-1].text == "3/37"
    assert not missed & {chapter.text}
    with speaking(language, "single-draw"):
        assert build_view(*read_evidence(plain(earlier().evidence))).since is None


def test_every_kind_of_change_has_its_words():
    source = "".join(Path(str(one.__file__)).read_text("utf-8") for one in (fact_changes, facts))
    named = set(re.findall(r'"([a-z-]+-(?:changed|added|removed|stale|precise))"', source))
    assert len(named) > 20
    said = catalogue().sentences
    assert {kind for kind in named if f"since.kind-{kind}" not in said} == set()


def test_a_pack_of_another_game_one_that_was_altered_and_what_is_no_pack_are_refused(tmp_path, monkeypatch):
    roulette = parse_game(submission_of(earlier().evidence), "game.toml")
    sound = lay(tmp_path / "sound", sound_pack())
    altered = lay(tmp_path / "altered", sound_pack() | {"data/main.csv": b"outcome\n"})
    with pytest.raises(InputError, match="does not verify"):
        earlier_pack(altered, None, NOW, roulette)
    # A command reads packs in a process of their own, as it just did.
    monkeypatch.setattr("certify.issue.make.confined_verification", verify)
    refuses(
        InputError,
        (
            "certifies playtech-7-e-mezzo, and roulette-single-zero is submitted",
            lambda: earlier_pack(sound, None, NOW, roulette),
        ),
        ("expected the folder of a pack", lambda: earlier_pack(sound / "report.pdf", None, NOW, roulette)),
    )


def test_the_signer_of_the_earlier_pack_is_established_by_a_trusted_root_alone(tmp_path, monkeypatch):
    from certify.seal import pem

    # That a command reads packs in a process of their own is seen by the test before this one.
    monkeypatch.setattr("certify.issue.make.confined_verification", verify)
    proof = evidence(ROULETTE)
    folder = lay(tmp_path / "pack", pack(signer(), proof))
    roulette = parse_game(submission_of(earlier().evidence), "game.toml")
    root = tmp_path / "root.pem"
    root.write_bytes(pem([pki().root.certificate]))
    assert not earlier_pack(folder, None, NOW, roulette).report.established
    assert earlier_pack(folder, root, NOW, roulette).report.established
    root.write_bytes(pem([pki().issuer.certificate]))
    with pytest.raises(InputError, match="does not verify"):
        earlier_pack(folder, root, NOW, roulette)

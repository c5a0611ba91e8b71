"""Packs outlive software: one of each earlier schema is kept, and goes on verifying."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_support import Called
from jsonschema import Draft202012Validator
from seal_support import lay

from certify.evidence.kept import kept_form_problems
from certify.seal import layout
from certify.seal.evidence_schema import SCHEMA, SCHEMAS
from certify.seal.sums import sums_bytes
from certify.seal.verification_report import Level, Outcome
from certify.seal.verify import verify

Certify = Callable[..., Called]
PACKS = Path(__file__).parents[2] / "fixtures" / "packs"
ROOT = PACKS / "us5632489-home.root.pem"
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def unpacked(name: str) -> dict[str, bytes]:
    """The files of a kept pack."""
    content = (PACKS / name).read_bytes()
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:xz") as archive:
        opened = {entry.name.partition("/")[2]: archive.extractfile(entry) for entry in archive}
        return {name: stream.read() for name, stream in opened.items() if stream is not None}


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay(tmp_path_factory.mktemp("kept") / "pack", unpacked("us5632489-home.evidence-1.tar.xz"))


def test_a_pack_of_the_first_schema_verifies_and_says_what_it_left_open(pack: Path) -> None:
    result = verify(pack, ROOT, NOW)
    result.require()
    assert result.identity_established
    assert result.level is Level.INTEGRITY
    steps = {step.id: step for step in result.steps}
    assert "certify-evidence/1" in steps["evidence"].detail
    # Its attestation has the higher s, which nobody forbade when it was signed.
    assert steps["one-form"].outcome is Outcome.NOT_CHECKED
    assert "attestation.dsse.json" in steps["one-form"].detail
    assert any("for each there is one other value" in text for text in result.not_established)


def test_the_report_of_a_pack_of_the_first_schema_verifies_alone(pack: Path) -> None:
    assert verify(pack / layout.REPORT, ROOT, NOW).identity_established


def test_what_this_software_cannot_compute_again_is_named_with_the_version_that_can(pack: Path) -> None:
    def never(*_: object) -> list[str]:
        raise AssertionError("nothing may be computed from evidence of another schema")

    result = verify(pack, ROOT, NOW, rerun=never, render=never, replay=never)
    assert not result.holds
    assert not result.failures
    assert "rerun" in {step.id for step in result.undecided}
    detail = next(step.detail for step in result.undecided if step.id == "rerun")
    assert "certify 0.1.0 (SHA-256 of its sources 94c4ea659fd0344f" in detail
    assert result.sentence.startswith("NOT DECIDED")


def test_asking_in_vain_is_inconclusive_and_never_a_pass(pack: Path, certify: Certify) -> None:
    called = certify("verify", pack, "--trust", ROOT, "--rerun", "--format", "json")
    assert called.code == 4
    found = json.loads(called.out)
    assert (found["verified"], found["level"]) == (False, None)
    assert certify("verify", pack, "--trust", ROOT).code == 0


def test_a_byte_altered_in_a_kept_pack_is_found(pack: Path, tmp_path: Path) -> None:
    files = unpacked("us5632489-home.evidence-1.tar.xz")
    files["data/outcomes.csv"] = files["data/outcomes.csv"].replace(b"push", b"lose", 1)
    files[layout.SUMS] = sums_bytes(files)
    found = {step.id for step in verify(lay(tmp_path, files), ROOT, NOW).failures}
    assert {"attested", "listed"} <= found


def test_a_pack_of_the_second_schema_verifies_by_the_form_that_was_kept_of_it(tmp_path: Path) -> None:
    files = unpacked("us5632489-home.evidence-2.tar.xz")
    root = PACKS / "us5632489-home.evidence-2.root.pem"
    result = verify(lay(tmp_path / "pack", files), root, NOW)
    result.require()
    assert result.identity_established
    steps = {step.id: step for step in result.steps}
    assert "certify-evidence/2" in steps["evidence"].detail
    assert steps["one-form"].outcome is Outcome.HOLDS


@pytest.mark.slow
def test_the_kept_form_refuses_what_the_nouns_of_its_time_refused() -> None:
    evidence = json.loads(unpacked("us5632489-home.evidence-2.tar.xz")[layout.EVIDENCE])
    assert kept_form_problems("certify-evidence/2", evidence) == []
    published = json.loads((PACKS.parents[1] / "docs/evidence/certify-evidence-2.schema.json").read_text())
    lies: list[tuple[list[str | int], Any]] = [
        (["analysis", "main-optimal", "wagers", "ante", "return"], "1.1"),
        (["observations", 0, "verdict"], "shown on the reference"),
        (["exposure", "amount"], True),
        (["item", "files", 0, "sha256"], "ab"),
        (["items"], []),
    ]
    for path, value in lies:
        lying = json.loads(json.dumps(evidence))
        place = lying
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = value
        found = kept_form_problems("certify-evidence/2", lying)
        where = "/" + "/".join(map(str, path))
        assert any(problem.startswith(where) for problem in found), where
        # Somebody else's reader of the published schema sees the same.
        assert not Draft202012Validator(published).is_valid(lying)


def test_every_schema_but_the_present_one_has_a_kept_pack() -> None:
    kept = {json.loads(unpacked(path.name)[layout.EVIDENCE])["schema"] for path in PACKS.glob("*.tar.xz")}
    assert kept == set(SCHEMAS) - {SCHEMA}

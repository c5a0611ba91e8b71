"""One conclusion: no evidence says one thing in one place and another elsewhere, whatever game and catalogues."""

import copy
from dataclasses import replace
from functools import cache
from itertools import cycle, product

import pytest
from report_evidence import GAMES, REPORTS, stored
from representatives import only

from certify.certification.conclude import checks_for, conclude
from certify.certification.conditions import of_operator_items
from certify.certification.evidence import plan_evidence, regime_evidence
from certify.certification.exact import exact_results
from certify.clauses import applicabilities, jurisdictions, on_item, planned, regime_of
from certify.cli.run import exit_code
from certify.evidence import BrokenPromise, Brought, RoundSystem
from certify.evidence.read import evidence_of
from certify.model import Observation, Overall, UnderTest, Verdict
from certify.seal.evidence_schema import contradictions
from certify.submission import read_game

KEPT = sorted(path.name.partition(".")[0] for path in REPORTS.glob("*.json.xz"))
QUICK = ("craps", "roulette-single-zero")

TOGETHER = [[name] for name in jurisdictions()] + [
    ["new-jersey", "pennsylvania", "italy"],
    [name for name in jurisdictions() if name != "ontario"],
]
CODES = {
    Overall.SATISFIED: {0},
    Overall.MATHEMATICS: {0},
    Overall.ON_CONDITIONS: {1},
    Overall.NOT_SATISFIED: {1},
    Overall.INCONCLUSIVE: {1, 4},
}


def evidence_kept(game):
    return stored(REPORTS / f"{game}.json.xz")


@cache
def exact(game):
    return exact_results(read_game(GAMES / game / "game.toml"), regime_of(), thorough=False)


@cache
def observed_once(game):
    return evidence_of(evidence_kept(game))


def concluded(game, names, planted):
    """What is concluded of kept observations under some jurisdictions, some checks made to end otherwise."""
    kept = observed_once(game)
    seen = {}
    for one in kept.observations:
        seen.setdefault(one.check, []).append(one)
    results = replace(exact(game), regime=regime_of(names))
    observed = []
    for check in checks_for(results).values():
        found = seen.get(check.id, [])
        if check.id in planted or not found:
            verdict = on_item(planted.get(check.id, Verdict.SATISFIED), check.item)
            found = [
                Observation(
                    verdict, "as it should be", "as it is", check=check.id, title=check.title, item=check.item
                )
            ]
        observed += found
    conclusion = conclude(results, observed, "game.toml", demonstration=True)
    return conclusion, told(kept, conclusion)


def told(kept, conclusion):
    """Evidence that tells a conclusion."""
    return replace(
        kept,
        report=replace(kept.report, statement=conclusion.statement),
        run=replace(kept.run, plan=plan_evidence(conclusion.checks, kept.simulation).plan),
        regime=regime_evidence(
            regime_of(tuple(conclusion.statement.jurisdictions)), exact(kept.item.game).game
        ),
        observations=conclusion.observations,
        clauses=conclusion.clauses,
        findings=conclusion.findings,
    )


@pytest.mark.parametrize("game", KEPT)
def test_no_evidence_that_is_kept_contradicts_itself(game):
    assert list(contradictions(evidence_of(evidence_kept(game)))) == []


@pytest.mark.parametrize(
    ("game", "names"),
    # In a quick run every choice of jurisdictions once.
    only(product(KEPT, TOGETHER), *zip(cycle(QUICK), TOGETHER)),
    ids=lambda one: one if isinstance(one, str) else "+".join(one),
)
def test_under_every_catalogue_one_conclusion_is_told(game, names):
    conclusion, evidence = concluded(game, names, {})
    assert list(contradictions(evidence)) == []
    assert int(exit_code(conclusion, "major")) in CODES[conclusion.statement.verdict]


@pytest.mark.parametrize(
    ("names", "verdict"),
    only(
        product((["gli"], TOGETHER[-2]), (Verdict.NOT_SATISFIED, Verdict.INCONCLUSIVE, Verdict.FITTED)),
        (TOGETHER[-2], Verdict.NOT_SATISFIED),
        (["gli"], Verdict.INCONCLUSIVE),
        (["gli"], Verdict.FITTED),
    ),
    ids=lambda one: one if isinstance(one, str) else "+".join(one),
)
def test_whichever_check_ends_otherwise_everything_follows_it(names, verdict):
    for check in checks_for(replace(exact("craps"), regime=regime_of(names))):
        conclusion, evidence = concluded("craps", names, {check: verdict})
        assert list(contradictions(evidence)) == [], check
        assert int(exit_code(conclusion, "major")) in CODES[conclusion.statement.verdict], check
        if verdict is Verdict.NOT_SATISFIED:
            assert conclusion.statement.verdict is Overall.NOT_SATISFIED, check
        if verdict is Verdict.INCONCLUSIVE:
            assert conclusion.statement.verdict is Overall.INCONCLUSIVE, check


def test_what_one_jurisdiction_alone_asks_for_counts_against_no_other():
    names = ["great-britain", "pennsylvania"]
    further = {"randomness.further-confidence": Verdict.INCONCLUSIVE}
    sound, _ = concluded("roulette-single-zero", names, {})
    undecided, evidence = concluded("roulette-single-zero", names, further)
    assert undecided.statement.verdict is Overall.INCONCLUSIVE
    assert sound.statement.jurisdictions["great-britain"] is not Overall.INCONCLUSIVE
    assert undecided.statement.jurisdictions == {
        "great-britain": sound.statement.jurisdictions["great-britain"],
        "pennsylvania": Overall.INCONCLUSIVE,
    }
    better = replace(evidence.report.statement, jurisdictions=dict.fromkeys(names, Overall.MATHEMATICS))
    (found,) = contradictions(replace(evidence, report=replace(evidence.report, statement=better)))
    assert "a jurisdiction" in found


@pytest.mark.slow
def test_what_a_broken_promise_leaves_undecided_is_told_by_its_finding():
    seen = [
        Observation(
            Verdict.NOT_SATISFIED,
            "",
            "",
            check="rounds.ninety-days",
            title="",
            item=UnderTest.OPERATOR_ROUNDS,
        ),
        Observation(
            Verdict.INCONCLUSIVE, "", "", check="rounds.resume", title="", item=UnderTest.OPERATOR_ROUNDS
        ),
    ]
    broken = BrokenPromise("a bet is void at its term", "void", "open", ("1. deal",))
    system = RoundSystem("m:f", "", None, None, 1, 1, 0, 0, 0, 0, (), (), broken, (), Verdict.NOT_SATISFIED)
    (finding,) = of_operator_items(exact("craps"), seen, Brought(system=system))
    undecided = {
        clause.id
        for catalogue in exact("craps").regime.catalogues
        for clause in catalogue.clauses
        if "rounds.resume" in clause.checks and clause.number.startswith("4.16")
    }
    assert undecided
    assert undecided <= set(finding.clauses)


def test_a_rule_for_slot_machines_is_not_asked_of_baccarat_and_is_of_video_poker():
    catalogues = regime_of(["new-jersey"]).catalogues
    asked = {
        name: "returns.stake-ladder"
        in planned(catalogues, applicabilities(read_game(GAMES / name / "game.toml")))
        for name in ("baccarat-punto-banco", "jacks-or-better-9-6")
    }
    assert asked == {"baccarat-punto-banco": False, "jacks-or-better-9-6": True}


def _clause(evidence, status):
    return next(one for one in evidence["clauses"] if one["status"] == status)


def _finding(evidence, status):
    return next(one for one in evidence["findings"] if one["status"] == status and one["clauses"])


def _statement(evidence):
    return evidence["report"]["statement"]


CONDITION = "on a condition that no finding names"
PLANTED = {
    "green under a finding": (
        lambda e: _finding(e, "open")["clauses"].append(_clause(e, "satisfied")["id"]),
        "is about clause",
    ),
    "green on the reference": (
        lambda e: _clause(e, "shown on the reference").update(status="satisfied"),
        "which does not satisfy it",
    ),
    "green although it failed": (
        lambda e: _clause(e, "not satisfied").update(status="satisfied"),
        "which is not what its checks saw",
    ),
    "failed although it held": (
        lambda e: _clause(e, "satisfied").update(status="not satisfied"),
        "which is not what its checks saw",
    ),
    "check of no chosen catalogue": (
        lambda e: (
            e["observations"].append({**e["observations"][0], "check": "returns.stake-ladder"}),
            e["run"]["plan"].append({"check": "returns.stake-ladder", "title": "t", "own": ""}),
        ),
        "neither a clause requires it",
    ),
    "check that was not planned": (lambda e: e["run"]["plan"].pop(0), "was not planned"),
    "clause of no chosen catalogue": (
        lambda e: _finding(e, "open")["clauses"].append("nj-13-69@read-2026-11/13:69E-1.28A(d)"),
        "no clause of the chosen catalogues",
    ),
    "clause left out": (
        lambda e: next(one for one in e["findings"] if one["check"] and one["clauses"]).update(clauses=[]),
        "leaves out clauses that its check",
    ),
    "condition without a finding": (
        lambda e: _clause(e, "examine").update(status="condition"),
        CONDITION,
    ),
    "condition hidden": (
        lambda e: e.update(findings=[one for one in e["findings"] if one["status"] != "condition"]),
        CONDITION,
    ),
    "other counts": (
        lambda e: _statement(e)["clauses"].update(satisfied=_statement(e)["clauses"]["satisfied"] + 1),
        "counts other clauses than there are",
    ),
    "green statement": (
        lambda e: _statement(e).update(verdict="satisfied"),
        "although a check is not satisfied",
    ),
    "product not shown": (
        lambda e: _statement(e).update(verdict="mathematics satisfied, product not shown"),
        "although conditions must be confirmed",
    ),
}
"""What is changed in sound evidence, and what is then said of it."""


@pytest.mark.parametrize(("plant", "said"), PLANTED.values(), ids=PLANTED)
def test_a_planted_contradiction_is_found(plant, said):
    evidence = copy.deepcopy(evidence_kept("us5632489-casino"))
    plant(evidence)
    assert any(said in found for found in contradictions(evidence_of(evidence)))


def test_a_statement_without_a_product_is_never_plainly_satisfied():
    evidence = evidence_kept("craps")
    evidence["report"]["statement"]["verdict"] = "satisfied"
    assert any("tested on the reference alone" in found for found in contradictions(evidence_of(evidence)))

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
from certify.clauses.jurisdiction import jurisdictions, regime_of
from certify.clauses.registry import on_item, planned
from certify.cli.run import exit_code
from certify.evidence.operator import BrokenPromise, Brought, RoundSystem
from certify.evidence.read import evidence_of
from certify.model.finding import Observation, Overall, UnderTest, Verdict
from certify.seal.evidence_schema import contradictions
from certify.submission import read_game

KEPT = sorted(path.name.partition(".")[0] for path in REPORTS.glob("*.json.xz"))
CHEAP = ("baccarat-punto-banco", "craps", "roulette-single-zero", "three-card-poker", "us5632489-casino")
"""Games whose exact figures cost little."""
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
                Observation(check.id, check.title, verdict, "as it should be", "as it is", item=check.item)
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
    only(product(CHEAP, TOGETHER), *zip(cycle(QUICK), TOGETHER)),
    ids=lambda one: one if isinstance(one, str) else "+".join(one),
)
def test_under_every_catalogue_one_conclusion_is_told(game, names):
    conclusion, evidence = concluded(game, names, {})
    assert list(contradictions(evidence)) == []
    assert int(exit_code(conclusion, "major")) in CODES[conclusion.statement.verdict]


@pytest.mark.slow
@pytest.mark.parametrize("names", TOGETHER, ids="+".join)
@pytest.mark.parametrize("game", sorted(set(KEPT) - set(CHEAP)))
def test_under_every_catalogue_one_conclusion_is_told_of_costly_games(game, names):
    test_under_every_catalogue_one_conclusion_is_told(game, names)


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
        Observation("rounds.ninety-days", "", Verdict.NOT_SATISFIED, "", "", item=UnderTest.OPERATOR_ROUNDS),
        Observation("rounds.resume", "", Verdict.INCONCLUSIVE, "", "", item=UnderTest.OPERATOR_ROUNDS),
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
    from certify.clauses.status import applicabilities

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


def _green_under_a_finding(evidence):
    _finding(evidence, "open")["clauses"].append(_clause(evidence, "satisfied")["id"])


def _green_on_the_reference(evidence):
    _clause(evidence, "shown on the reference")["status"] = "satisfied"


def _green_although_it_failed(evidence):
    _clause(evidence, "not satisfied")["status"] = "satisfied"


def _failed_although_it_held(evidence):
    _clause(evidence, "satisfied")["status"] = "not satisfied"


def _check_of_no_chosen_catalogue(evidence):
    planted = {**evidence["observations"][0], "check": "returns.stake-ladder"}
    evidence["observations"].append(planted)
    evidence["run"]["plan"].append({"check": "returns.stake-ladder", "title": "t", "own": ""})


def _check_that_was_not_planned(evidence):
    evidence["run"]["plan"] = evidence["run"]["plan"][1:]


def _clause_of_no_chosen_catalogue(evidence):
    _finding(evidence, "open")["clauses"].append("nj-13-69@read-2026-11/13:69E-1.28A(d)")


def _clause_left_out(evidence):
    next(one for one in evidence["findings"] if one["check"] and one["clauses"])["clauses"] = []


def _condition_without_a_finding(evidence):
    _clause(evidence, "examine")["status"] = "condition"


def _condition_hidden(evidence):
    evidence["findings"] = [one for one in evidence["findings"] if one["status"] != "condition"]


def _other_counts(evidence):
    evidence["report"]["statement"]["clauses"]["satisfied"] += 1


def _green_statement(evidence):
    evidence["report"]["statement"]["verdict"] = "satisfied"


def _product_not_shown(evidence):
    evidence["report"]["statement"]["verdict"] = "mathematics satisfied, product not shown"


PLANTED = {
    _green_under_a_finding: "is about clause",
    _green_on_the_reference: "which does not satisfy it",
    _green_although_it_failed: "which is not what its checks saw",
    _failed_although_it_held: "which is not what its checks saw",
    _check_of_no_chosen_catalogue: "neither a clause asks for it",
    _check_that_was_not_planned: "was not planned",
    _clause_of_no_chosen_catalogue: "no clause of the chosen catalogues",
    _clause_left_out: "leaves out clauses that its check",
    _condition_without_a_finding: "on a condition that no finding names",
    _condition_hidden: "on a condition that no finding names",
    _other_counts: "counts other clauses than there are",
    _green_statement: "although a check is not satisfied",
    _product_not_shown: "although conditions must be confirmed",
}


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__.strip("_"))
def test_a_planted_contradiction_is_found(plant):
    evidence = copy.deepcopy(evidence_kept("us5632489-casino"))
    plant(evidence)
    assert any(PLANTED[plant] in found for found in contradictions(evidence_of(evidence)))


def test_a_statement_without_a_product_is_never_plainly_satisfied():
    evidence = evidence_kept("craps")
    evidence["report"]["statement"]["verdict"] = "satisfied"
    assert any("shown on the reference alone" in found for found in contradictions(evidence_of(evidence)))

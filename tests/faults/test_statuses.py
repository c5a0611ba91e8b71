"""What a status may say: planted observations, each of which would once have passed for more than it showed."""

import runpy
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from checker_packs import TEMPLATE
from cli_support import GAME
from evidence_filled import smallest_evidence
from report_evidence import REPORTS, stored

from certify.analysis.par_sheet import claim_status
from certify.certification.conclude import state
from certify.certification.conditions import of_operator_items
from certify.certification.findings import owed_by_operator
from certify.clauses import Answer, Check, clause_statuses, on_item, regime_of
from certify.clauses.checks.dealt import as_handed_in
from certify.clauses.checks.operator_items import (
    collective_of,
    counted,
    final_outputs,
    kept,
    of_output,
    whole_decks,
)
from certify.clauses.checks.terms import interface
from certify.cli.operator_items import round_system
from certify.errors import TrustError
from certify.evidence import Brought, ClauseStatus, Output, Sampling, TestOfSample
from certify.exact import parse_percent
from certify.issue.recorded import compare
from certify.messages import english, told as told_again
from certify.model import (
    Catalogue,
    Certainty,
    Claim,
    Clause,
    Finding,
    Matter,
    Method,
    Observation,
    Overall,
    Severity,
    Status,
    UnderTest,
    Verdict,
    answer_of,
    keywords,
)
from certify.report.layout import overall_mark
from certify.rounds.conformance.conform import ConformanceReport
from certify.rounds.conformance.promise import Breach, PromiseId
from certify.rounds.conformance.setting import Extra
from certify.seal.evidence_schema import require_schema
from certify.submission import read_game

SUBMISSION, GENERATOR = UnderTest.SUBMISSION, UnderTest.REFERENCE_GENERATOR
OPERATOR = UnderTest.OPERATOR_OUTPUT


def seen(verdict, item=SUBMISSION, check="one"):
    return Observation(verdict, "as it should be", "as it is", check=check, title="A check", item=item)


def status(*observations, checks=("one",)):
    clause = Clause("1", "Asked", Method.TEST, tuple(checks), Certainty.VERBATIM, id="s/1")
    return clause_statuses([Catalogue("s", "S", "1", (clause,))], observations)[0].status


def shown_on(*items):
    """A clause that is satisfied on each of some items."""
    clause = keywords(Clause("1", "Asked", Method.TEST, ("one",), Certainty.VERBATIM, id="s/1"))
    concluded = clause | {"standard": "S", "edition": "1", "status": Status.SATISFIED}
    return [ClauseStatus(**concluded, shown_on=(item,)) for item in items]


def condition():
    return Finding("F-01", Severity.MAJOR, "Pays are adopted", "Detail.", status="condition")


def test_what_holds_on_a_reference_item_is_never_satisfied():
    check = Check("one", "A check", lambda _: [Answer(Verdict.SATISFIED, "a", "a", tried=1)], item=GENERATOR)
    results = None
    (observation,) = check.observe(results)
    assert (observation.verdict, observation.item) == (Verdict.REFERENCE, GENERATOR)
    assert on_item(Verdict.NOT_SATISFIED, GENERATOR) is Verdict.NOT_SATISFIED
    assert on_item(Verdict.SATISFIED, OPERATOR) is Verdict.SATISFIED


def test_a_clause_answered_on_a_reference_item_alone_is_shown_on_the_reference():
    assert status(seen(Verdict.REFERENCE, GENERATOR)) == "shown on the reference"
    # One such check is enough to keep the clause from being satisfied by the others.
    others = seen(Verdict.REFERENCE, GENERATOR), seen(Verdict.SATISFIED, check="two")
    assert status(*others, checks=("one", "two")) == "shown on the reference"


def test_what_the_operator_brought_satisfies_a_clause_and_can_fail_it():
    reference = seen(Verdict.REFERENCE, GENERATOR)
    assert status(reference, seen(Verdict.SATISFIED, OPERATOR)) == "satisfied"
    assert status(reference, seen(Verdict.NOT_SATISFIED, OPERATOR)) == "not satisfied"
    assert status(reference, seen(Verdict.INCONCLUSIVE, OPERATOR)) == "inconclusive"
    # A reference that fails is never covered by an operator's item that holds.
    assert (
        status(seen(Verdict.NOT_SATISFIED, GENERATOR), seen(Verdict.SATISFIED, OPERATOR)) == "not satisfied"
    )
    assert answer_of(()) is Verdict.INCONCLUSIVE


def test_a_clause_with_a_fitted_figure_is_fitted():
    assert (
        status(seen(Verdict.FITTED), seen(Verdict.SATISFIED, check="two"), checks=("one", "two")) == "fitted"
    )


def test_a_figure_is_not_confirmed_by_the_pays_recovered_from_it():
    game = read_game(GAME)
    wager = game.wager("mano-di-poker")
    claim = Claim(wager.id, "return-to-player", "96.32 %", parse_percent("96.32 %"), "screen")
    assert claim_status(claim, wager, Fraction(183, 190)) is Verdict.FITTED
    assert claim_status(claim, wager, Fraction(9, 10)) is Verdict.NOT_SATISFIED


PRODUCT = shown_on(UnderTest.OPERATOR_OUTPUT, UnderTest.OPERATOR_ROUNDS)


def stated(seen, *findings, clauses=PRODUCT):
    return state(seen, findings, list(clauses), "the game", {})


def test_a_condition_makes_the_statement_one_on_conditions():
    fine = [seen(Verdict.SATISFIED), seen(Verdict.FITTED)]
    assert stated(fine).verdict is Overall.SATISFIED
    found = stated(fine, condition())
    assert found.verdict is Overall.ON_CONDITIONS
    assert "One condition needs confirmation." in found.sentence
    assert found.checks["fitted"] == 1
    # A condition hides nothing that is worse.
    assert stated([*fine, seen(Verdict.NOT_SATISFIED)], condition()).verdict is Overall.NOT_SATISFIED
    assert stated([*fine, seen(Verdict.INCONCLUSIVE)], condition()).verdict is Overall.INCONCLUSIVE
    assert stated([]).verdict is Overall.INCONCLUSIVE


@pytest.mark.parametrize(
    "brought", [(), (UnderTest.SUBMISSION,), (UnderTest.OPERATOR_OUTPUT,), (UnderTest.OPERATOR_ROUNDS,)]
)
def test_without_both_of_the_operators_items_the_product_is_not_shown(brought):
    found = stated([seen(Verdict.SATISFIED)], clauses=shown_on(*brought))
    assert found.verdict is Overall.MATHEMATICS
    assert "nothing of the live product was tested" in found.sentence
    in_part = stated([seen(Verdict.SATISFIED, OPERATOR)], clauses=shown_on(*brought))
    assert in_part.verdict is Overall.MATHEMATICS
    labels = [overall_mark(one, one.verdict).label.partition("product ")[2] for one in (found, in_part)]
    assert labels == ["not tested", "tested in part"]


def test_the_statement_counts_the_clauses_by_status():
    found = stated([seen(Verdict.SATISFIED)])
    assert {status: count for status, count in found.clauses.items() if count} == {"satisfied": 2}
    assert found.counted == "Of 2 clauses: 2 satisfied by what was submitted."
    assert set(found.clauses) == {str(status) for status in Status}


@pytest.mark.parametrize(
    ("method", "certainty", "resting", "told"),
    [
        (Method.TEST, Certainty.VERBATIM, Status.CONDITION, "condition"),
        (Method.TEST, Certainty.VERBATIM, Status.FITTED, "fitted"),
        (Method.TEST, Certainty.SECONDARY, Status.CONDITION, "condition"),
        (Method.EXAMINE, Certainty.VERBATIM, Status.CONDITION, "condition"),
        (Method.EXAMINE, Certainty.VERBATIM, Status.FITTED, "fitted"),
        (Method.TEST, Certainty.VERBATIM, Status.EXAMINE, "examine"),
    ],
)
def test_a_clause_that_rests_on_what_is_adopted_recovered_or_disputed_is_never_satisfied(
    method, certainty, resting, told
):
    checks = ("one",) if method is Method.TEST else ()
    clause = Clause("1", "Asked", method, checks, certainty, rests_on=(Matter.PAYS,), id="s/1")
    catalogue = [Catalogue("s", "S", "1", (clause,))]
    for holds in (seen(Verdict.SATISFIED), seen(Verdict.REFERENCE, GENERATOR)):
        (found,) = clause_statuses(catalogue, [holds], resting={Matter.PAYS: resting})
        if (method, resting, holds.verdict) == (Method.TEST, Status.EXAMINE, Verdict.REFERENCE):
            assert found.status == "shown on the reference"
        else:
            assert found.status == told
    # A failure is worse than any condition, and what rests on something else stays as it was seen.
    if method is Method.TEST:
        (found,) = clause_statuses(
            catalogue, [seen(Verdict.NOT_SATISFIED)], resting={Matter.PAYS: Status.CONDITION}
        )
        assert found.status == "not satisfied"
    (found,) = clause_statuses(catalogue, [seen(Verdict.SATISFIED)], resting={Matter.LIMITS: resting})
    assert found.status in ("satisfied", "secondary reference", "examine")


def plain_observation(verdict, item):
    told = {
        "check": "rng.reseeds",
        "title": "t",
        "expected": "",
        "observed": "",
        "reason": "",
        "evidence": [],
    }
    return {**told, "subject": "", "verdict": verdict, "item": item}


def plain_clause(status):
    told = {"standard": "S", "edition": "1", "id": "s/1", "number": "1", "paraphrase": "p", "method": "test"}
    rest = {"certainty": "V", "applies": "every game", "note": "", "shown_on": [], "checks": ["rng.reseeds"]}
    rest["rests_on"] = []
    return {**told, **rest, "status": status}


@pytest.mark.parametrize(
    ("observation", "clause", "told"),
    [
        (
            ("satisfied", "reference-generator"),
            "shown on the reference",
            "looked at an item of this software",
        ),
        (("shown on the reference", "reference-generator"), "satisfied", "which does not satisfy it"),
        (("fitted", "submission"), "satisfied", "which does not satisfy it"),
    ],
)
def test_evidence_that_calls_more_satisfied_than_was_shown_is_refused(observation, clause, told):
    lying = smallest_evidence(observations=[plain_observation(*observation)], clauses=[plain_clause(clause)])
    with pytest.raises(TrustError, match=told):
        require_schema(lying)


def test_evidence_that_hides_a_condition_or_invents_one_is_refused():
    finding = {
        "id": "F-01",
        "severity": "major",
        "title": "t",
        "detail": "d",
        "clauses": [],
        "reproduce": "",
        "status": "condition",
        "required_action": "a",
        "who": "supplier",
        "check": "",
        "messages": {},
    }
    with pytest.raises(TrustError, match="although conditions must be confirmed"):
        require_schema(smallest_evidence(findings=[finding]))
    lying = smallest_evidence()
    lying["report"]["statement"]["verdict"] = "satisfied on conditions"
    with pytest.raises(TrustError, match="names conditions, and there is none"):
        require_schema(lying)


def system(breach=None, not_tested=()):
    script = ("settle",) if breach else ()
    tally = dict.fromkeys(PromiseId, 1)
    report = ConformanceReport(400, 2_000, breach, script, not_tested=not_tested, tally=tally)
    return round_system(report, "http://one", planned=400, version="7", sha256=None)


class Held:
    """Results with nothing but a system in them."""

    def __init__(self, brought):
        self.brought = brought


def answers(found, *promises):
    results = Held(Brought((), found))
    held = results
    return [answer.verdict for answer in kept(held, *promises)]


def test_a_system_that_was_not_brought_or_could_not_be_tried_answers_nothing():
    assert answers(None, PromiseId.TERM) == []
    assert answers(system(not_tested=("expire: declared unsupported",)), PromiseId.TERM) == []
    assert answers(system(not_tested=("history: the system offers none",)), PromiseId.HISTORY) == []
    assert answers(system(not_tested=(f"{Extra.RECALL}: the system offers none",)), PromiseId.RECALLED) == []
    for extra, promise in ((Extra.RESTART, PromiseId.RESTART), (Extra.TOGETHER, PromiseId.TOGETHER)):
        assert answers(system(not_tested=(f"{extra}: the system offers none",)), promise) == []
    assert answers(system(not_tested=("pays of main win: no deck reaches it",)), PromiseId.PAID) == []
    assert answers(system(), PromiseId.TERM) == [Verdict.SATISFIED]


def test_after_the_first_broken_promise_the_others_are_inconclusive():
    found = system(Breach(PromiseId.SETTLED_ONCE, 1, "once", "twice"))
    assert answers(found, PromiseId.SETTLED_ONCE) == [Verdict.NOT_SATISFIED]
    assert answers(found, PromiseId.TERM) == [Verdict.INCONCLUSIVE]


def test_a_breach_that_no_clause_asks_about_fails_a_check_of_its_own():
    found = system(Breach(PromiseId.ANSWERED, 1, "an answer", "KeyError"))
    (answer,) = interface(Held(Brought((), found)))  # type: ignore[arg-type]
    assert (answer.verdict, answer.item) == (Verdict.NOT_SATISFIED, UnderTest.OPERATOR_ROUNDS)
    (answer,) = interface(Held(Brought()))  # type: ignore[arg-type]
    assert answer.verdict is Verdict.NOT_APPLICABLE


def test_a_history_without_recall_answers_neither_reconstruction_nor_recall():
    without = system(not_tested=(f"{Extra.RECALL}: the system offers none",))
    assert answers(without, PromiseId.RECALLED) == []
    assert answers(without, PromiseId.HISTORY) == [Verdict.SATISFIED]
    assert answers(system(), PromiseId.RECALLED) == [Verdict.SATISFIED]


SAMPLING = Sampling(
    "decks.bin", "a" * 64, "Shuffler 7.1", None, "A. T.", "2026-11-20", "", "by its tool", "C. H."
)


def output(**changes):
    numbers = ((0.5,), (), "satisfied", 0.5, 0.01, 10**6, None, None)
    test = TestOfSample("cards", "card-position", *numbers, "", "", {}, discrete=False)
    told = Output(
        name="decks.bin",
        kind="decks",
        count=10**6,
        sha256="a" * 64,
        asked=10**6,
        practice="decks",
        sampling=SAMPLING,
        alpha=0.01,
        family_size=1,
        rejected=0,
        rule="Holm",
        reasons=("none is rejected",),
        tests=(test,),
        verdict=Verdict.SATISFIED,
    )
    return replace(told, **changes)


def answered_by(found):
    """What one file answers: of clauses on decks, and as supplied."""
    results = Held(Brought((found,)))
    linked = counted((one, collective_of(one)) for one in final_outputs(results))
    return {
        "clauses": [answer.verdict for answer in linked],
        "cards": [answer.verdict for answer in of_output(found, "card-position")],
        "whole": [answer.verdict for answer in whole_decks(results)],
        "as supplied": [answer.verdict for answer in as_handed_in(results)],
    }


def test_attested_output_of_sufficient_volume_answers_clauses():
    found = answered_by(output())
    assert found == {
        "clauses": [Verdict.SATISFIED],
        "cards": [Verdict.SATISFIED],
        "whole": [Verdict.SATISFIED],
        "as supplied": [Verdict.NOT_APPLICABLE],
    }


@pytest.mark.parametrize(
    "changes", [{"sampling": None}, {"count": 999_999}], ids=["nobody attests it", "a deck too few"]
)
def test_output_that_is_no_evidence_satisfies_no_clause_and_can_fail_every_one(
    changes,
):
    held = answered_by(output(**changes))
    assert held == {"clauses": [], "cards": [], "whole": [], "as supplied": [Verdict.SATISFIED]}
    refused = output(**changes, verdict=Verdict.NOT_SATISFIED)
    refused = replace(refused, tests=(replace(refused.run[0], verdict="not satisfied"),))
    assert answered_by(refused) == {
        "clauses": [Verdict.NOT_SATISFIED],
        "cards": [Verdict.NOT_SATISFIED],
        "whole": [],
        "as supplied": [Verdict.NOT_SATISFIED],
    }


def test_a_small_p_value_is_compared_by_its_own_size():
    # Both lie within 1e-9 of each other; one of them would have been rejected and the other not.
    assert list(compare({"p_value": 1e-12}, {"p_value": 1e-40}, ""))
    assert list(compare({"p_values": [1e-12]}, {"p_values": [1e-40]}, ""))
    assert not list(compare({"p_value": 0.25}, {"p_value": 0.25 * (1 + 1e-12)}, ""))
    assert not list(compare({"z": 1e-17}, {"z": 2e-17}, ""))


def test_what_many_checks_saw_of_one_item_is_one_finding_with_the_worst_and_the_files():
    refused = output(
        verdict=Verdict.NOT_SATISFIED, reasons=("cards drift: p = 1e-30", "in all 900 of 1000 p-values")
    )
    broken = system(Breach(PromiseId.TERM, 1, "refused; main 300", "done; main 300"))
    observed = [
        replace(seen_on(OPERATOR), check=check, subject="decks.bin, drift")
        for check in ("randomness.collective", "deck.whole")
    ]
    observed += [
        replace(seen_on(UnderTest.OPERATOR_ROUNDS), check="rounds.ninety-days"),
        replace(seen_on(UnderTest.OPERATOR_ROUNDS), check="rounds.recall", verdict=Verdict.INCONCLUSIVE),
    ]
    basis = SimpleNamespace(game=read_game(GAME), regime=regime_of(()))
    first, second = of_operator_items(basis, observed, Brought((refused,), broken))
    assert {"gli-19@3.0/3.2.2", "gli-19@3.0/4.4.4(b)"} <= set(first.clauses)
    told = " ".join(english(message) for message in first.detail)
    assert "in all 900 of 1000 p-values" in told
    assert "data/operator-p-values.csv" in told
    assert "A. T." in told
    assert str(PromiseId.TERM) in english(second.title)
    assert "1 check could not be decided" in " ".join(english(message) for message in second.detail)
    assert not list(of_operator_items(basis, [], Brought((output(),), system())))


@pytest.mark.parametrize(
    ("brought", "options"),
    [
        (Brought(), ["--system TARGET", "--rng-output FILE"]),
        (Brought((output(sampling=None),), system()), ["--rng-output FILE"]),
        (Brought((output(),), system()), []),
    ],
)
def test_what_to_run_again_names_no_item_that_was_submitted(brought, options):
    owed = [replace(one, status=Status.REFERENCE) for one in shown_on(GENERATOR)]
    (told,) = owed_by_operator(owed, [seen(Verdict.REFERENCE, GENERATOR)], brought)
    assert told.reproduce == " ".join(["{run}", *options])
    assert ("Run again with" in english(*told_again(told.action))) == bool(options)


def seen_on(item):
    return seen(Verdict.NOT_SATISFIED, item)


def test_one_finding_says_all_that_an_operators_file_fails_and_none_is_noticed():
    checker = runpy.run_path(str(TEMPLATE), run_name="check")
    evidence = stored(REPORTS / "roulette-single-zero.json.xz")
    first = evidence["observations"][0] | {"item": "operator-generator-output", "verdict": "not satisfied"}
    failed = [first | {"check": name} for name in ("randomness.collective", "randomness.as-handed-in")]
    silent = "randomness.as-handed-in fails, no finding says so"
    for told, noticed in (("randomness.collective", False), ("", True)):
        finding = evidence["findings"][0] | {"check": told, "status": "open"}
        checker["wrong"].clear()
        checker["check_statement"](evidence | {"observations": failed, "findings": [finding]})
        assert any(silent in one for one in checker["wrong"]) is noticed

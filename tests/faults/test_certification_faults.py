"""The harness is lied to: each planted fault must be found, by the name of the check that finds it."""

import copy
import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import statuses_walk
from computing_again import PUBLISHED, TINY, Silent, published_game, published_run, small_runs
from jsonschema import Draft202012Validator
from representatives import only

from certify.analysis.par_sheet import par_sheet_evidence
from certify.certification import generator
from certify.certification.conclude import checks_for, conclude, observe
from certify.certification.exact import exact_results
from certify.certification.findings import drafts_of
from certify.certification.play_through import FRESH_DECKS, borderline, broken_rows
from certify.certification.randomness import draw_plan, first_sample, run_tests, summarise
from certify.certification.request import RunRequest
from certify.certification.run import run_certification
from certify.clauses import ExactResults, Regime, regime_of
from certify.clauses.registry import checks
from certify.clauses.status import applicabilities, clause_statuses
from certify.cli.main import run
from certify.errors import NothingCheckedError
from certify.evidence import Brought, Evidence, plain
from certify.evidence.read import evidence_of as evidence_read, json_schema, read
from certify.families.sette_e_mezzo.rules import Tie, rules_of, with_push
from certify.gate.figure_inputs import basis_of
from certify.gate.lint import unfound
from certify.issue.make import concluded, make_pack
from certify.issue.parties import Parties, issue_of
from certify.mathematics import analyze, staked_of
from certify.model import CONDITION, Applicability, Certainty, Limit, Overall, Paytable, Verdict
from certify.simulation import compare
from certify.submission import parse_game, read_game
from rng.battery import conclude_plan
from rng.entropy import RecordedEntropy

SEED = bytes(range(32))


@pytest.fixture(scope="module")
def game():
    return published_game()


@pytest.fixture(scope="module")
def outcome():
    return published_run()


def verdicts(results, check):
    """What one check says; what follows from the others is nothing to it."""
    return {str(o.verdict) for o in observe({check: checks()[check]}, results)}


def fails(check, results):
    return "not satisfied" in verdicts(results, check)


def with_pay(game, wager_id, row_id, pays):
    wagers = tuple(
        replace(
            wager,
            paytable=Paytable(
                tuple(replace(row, pays=pays) if row.id == row_id else row for row in wager.paytable.rows)
            ),
        )
        if wager.id == wager_id
        else wager
        for wager in game.wagers
    )
    return replace(game, wagers=wagers)


def test_the_honest_run_has_no_failed_check(outcome):
    observed = observe(checks(), outcome.results)
    assert {o.check for o in observed if o.verdict is Verdict.NOT_SATISFIED} == set()
    assert {record.status for record in outcome.results.recalled} == {"complete", "void"}


def test_the_gate_counts_the_strategies_that_a_run_analyses(game, outcome):
    assert basis_of(game).strategies == tuple(outcome.results.analyses)


@pytest.fixture(scope="module")
def swapped(game):
    return with_push(replace(game, rules=replace(rules_of(game), tie=Tie.PUSH)))


def played_apart(outcome, other):
    """What the rounds that the run played by the submitted rules say of figures counted by others."""
    (campaign,) = (p.campaign for p in outcome.results.playthroughs if p.campaign.strategy == "main-optimal")
    return compare(campaign, analyze(other, "main-optimal"), other, Fraction(1, 100))


def test_a_swapped_tie_rule_is_found_by_claim_and_by_play_through(swapped, outcome):
    analyses = {name: analyze(swapped, name) for name in outcome.results.analyses}
    assert fails("returns.claim-holds", replace(outcome.results, analyses=analyses))
    main = played_apart(outcome, swapped)[0]
    assert (main.wager, main.verdict) == ("main", Verdict.NOT_SATISFIED)


def test_a_biased_shuffle_is_found_by_the_collective_verdict(game, outcome):
    honest = first_sample(game, SEED, 3_000, 1, 1_000_000)
    decks = honest.rows.copy()
    # The last two cards always lie in ascending order, as if the last exchange were left out.
    decks[:, -2:] = np.sort(decks[:, -2:], axis=1)
    biased = replace(honest, rows=decks)
    plan = draw_plan(game.equipment, 3_000, 1, 1_000_000)
    tested = run_tests(biased)
    verdict = conclude_plan(plan, tested)
    randomness = summarise(3_000, 1_000_000, verdict, tested, outcome.results.randomness.planted)
    results = replace(outcome.results, randomness=randomness)
    assert fails("randomness.collective", results)
    (draws,) = (test for test in randomness.tests if test.test == "fisher-yates-draws")
    assert draws.verdict == "not satisfied"


def test_a_deck_with_a_doubled_card_is_found(game, outcome):
    decks = outcome.decks[:100].copy()
    decks[7, 3] = decks[7, 4]
    assert broken_rows(decks, game.equipment) == 1
    assert broken_rows(outcome.decks, game.equipment) == 0


def test_a_witness_that_lies_is_found(outcome):
    first = outcome.results.witnesses[0]
    lying = replace(first, deck=tuple(reversed(first.deck)))
    assert fails(
        "awards.reachable", replace(outcome.results, witnesses=(lying, *outcome.results.witnesses[1:]))
    )


def test_a_failed_check_is_a_major_finding_and_fails_its_clauses(game, outcome):
    results = replace(outcome.results, witnesses=())
    observations = observe(checks_for(results), results)
    concluded = conclude(results, observations, "game.toml", demonstration=False)
    (told,) = [f for f in concluded.findings if f.check == "awards.reachable"]
    # The fault, not the requirement that it breaks, and of what.
    named = ", ".join(wager.title for wager in game.wagers)
    assert told.title == f"No round produces a row of the paytable: {named}"
    assert told.severity.name == "MAJOR"
    assert [told.detail.count(f"{wager.title}. Found: ") for wager in game.wagers] == [1, 1, 1]
    statuses = {s.number: s.status for s in concluded.clauses}
    assert statuses["4.4.1(f)"] == "not satisfied"
    assert concluded.statement.verdict is Overall.NOT_SATISFIED


def test_an_empty_plan_is_refused(outcome):
    with pytest.raises(NothingCheckedError):
        observe({}, outcome.results)


@pytest.fixture(scope="module")
def honest(game, outcome):
    return evidence_of(game, outcome)


@pytest.fixture
def evidence(honest):
    return copy.deepcopy(honest[0])


def evidence_of(game, outcome):
    """The evidence of a run, and the tables beside it."""
    from certify.certification.evidence import build_evidence, with_files
    from certify.certification.tables import data_files

    moment = datetime(2026, 11, 21, tzinfo=UTC)
    request = RunRequest(game, TINY, SEED, moment)
    issue = issue_of(request, Parties("issuer", "", "client", ""), moment, demonstration=True)
    conclusions = concluded(outcome, issue)
    submission = PUBLISHED.read_bytes()
    made = build_evidence(request, outcome, conclusions, issue, submission)
    files = data_files(outcome, made, submission)
    evidence = plain(with_files(made, files))
    document = json.loads(json.dumps(evidence))
    return document, {name: content for name, (content, _) in files.items()}


@pytest.mark.slow
def test_the_evidence_of_a_run_is_what_the_published_schema_says(evidence):
    """What is wrong with three lies in it is these three, so that nothing is wrong with the rest."""
    lying = copy.deepcopy(evidence)
    lying["analysis"]["main-optimal"]["wagers"]["main"]["return"] = "0.9954"
    del lying["simulation"]["campaigns"][0]["wagers"][1]["verdict"]
    lying["observations"][0]["verdict"] = "passed"
    found = {problem.pointer for problem in read(Evidence, lying)}
    assert found == {
        "/analysis/main-optimal/wagers/main/return",
        "/simulation/campaigns/0/wagers/1/verdict",
        "/observations/0/verdict",
    }
    assert len(list(Draft202012Validator(json_schema()).iter_errors(lying))) == len(found)


def test_the_same_fact_has_the_same_status_in_evidence_report_tables_and_command_line(
    honest,
    evidence,
    capsys,
):
    from certify.cli.run import _tell
    from certify.report.pdf import render_html

    _, tables = honest
    told = statuses_walk.walked(evidence, render_html(evidence).decode(), tables)
    assert told["claim/main"] == {"fitted"}
    figures = evidence["analysis"]["main-optimal"]["wagers"]["main"]["claims"][0]
    assert {figures["status"]} == told["claim/main"]
    # The claim is fitted; the clause rests on pays that the supplier must still confirm.
    assert told["clause/gli-19@3.0/4.7.2(b)"] == {"condition"}
    assert told["clause/gli-19@3.0/3.3.1"] == {"shown on the reference"}
    _tell(Path("pack"), evidence_read(evidence), "text")
    said = capsys.readouterr().out
    statement = evidence["report"]["statement"]
    assert said.startswith(
        f"{statement['verdict'].upper()}: {statement['sentence']}\n{statement['counted']}\n"
    )
    assert (
        f"{statement['clauses']['shown on the reference']} tested on the reference implementation only"
        in said
    )
    # The walk is no formality: one status told otherwise is seen.
    evidence["claims"][0]["status"] = "satisfied"
    assert statuses_walk.of_evidence(evidence)["claim/main"] == {"fitted", "satisfied"}


def test_every_finding_says_what_is_to_be_done_by_whom_and_which_clauses_it_is_about(game, outcome):
    silent = replace(game, terms=replace(game.terms, printed={}))
    results = replace(outcome.results, game=silent, witnesses=())
    observations = observe(checks_for(results), results)
    findings = conclude(results, observations, "game.toml", demonstration=True).findings
    assert [one.id for one in findings if not (one.required_action and one.who)] == []
    assert {one.title for one in findings if not one.clauses} == {"Signed with a demonstration key"}
    titles = {one.title: one for one in findings}
    missing = titles["The rules do not say what happens on a malfunction"]
    assert "gli-19@3.0/A.5.2(c)" in missing.clauses
    conditions = [one for one in findings if one.status == "condition"]
    assert {one.severity.name for one in conditions} == {"MAJOR"}
    assert {one.who for one in conditions} == {"supplier", "operator"}


def test_findings_are_true_and_carry_their_numbers(evidence):
    findings = {finding["title"]: finding for finding in evidence["findings"]}
    together = next(
        f
        for title, f in findings.items()
        if "no single way of playing gives all three printed returns" in title
    )
    for figure in ("99.5385 %", "70.0810 %", "79.6631 %", "96.3158 %"):
        assert figure in together["detail"]
    assert any("177 of 62,875,500 candidates fit" in title for title in findings)
    assert any("demonstration key" in title for title in findings)


def test_every_figure_of_the_evidence_is_marked_with_its_provenance(evidence):
    rows = [row for wager in evidence["wagers"] for row in wager["paytable"]]
    assert {row["provenance"] for row in rows} == {"recovered", "adopted"}
    assert all(claim["by_construction"] for claim in evidence["claims"])


@pytest.mark.slow
def test_a_borderline_campaign_is_decided_by_one_fresh_larger_one(game):
    # With this seed the first campaign's pairs are 3.33 standard deviations off: chance, as fresh decks show.
    seed = bytes.fromhex("925d085ea9a11ef75edb1432fb6b39c76732bc18fa69479544d268ba62fdd4b5")
    request = RunRequest(game, TINY, seed, datetime(2026, 11, 21, tzinfo=UTC))
    with small_runs():
        played = run_certification(request, Silent()).results.playthroughs
    decided = next(play for play in played if play.first is not None)
    assert {a.verdict for a in decided.first.agreements} >= {Verdict.NOT_SATISFIED}
    assert (decided.campaign.purpose, decided.campaign.rounds) == (FRESH_DECKS, 4 * TINY.rounds)
    # Only how close the means are is open, which so few rounds cannot show.
    undecided = [a for a in decided.agreements if a.verdict is not Verdict.SATISFIED]
    assert {a.verdict for a in undecided} <= {Verdict.INCONCLUSIVE}
    assert all("is not shown" in reason for a in undecided for reason in a.reasons)


def test_a_real_fault_is_not_excused_as_borderline(swapped, outcome):
    assert not borderline(played_apart(outcome, swapped), TINY.rounds)


@pytest.mark.parametrize(
    ("word", "smallest", "expected"),
    [
        ("satisfied", 0.2, "shown on the reference"),
        ("satisfied", 0.03, "inconclusive"),
        ("not satisfied", 1e-9, "not satisfied"),
    ],
)
def test_pennsylvania_looks_at_95_percent_too(outcome, word, smallest, expected):
    randomness = replace(outcome.results.randomness, verdict=word, smallest_adjusted_p=smallest)
    results = replace(outcome.results, randomness=randomness)
    assert verdicts(results, "randomness.further-confidence") == {"not applicable"}
    there = replace(results, regime=regime_of(["pennsylvania"]))
    assert verdicts(there, "randomness.further-confidence") == {expected}


def test_limits_of_a_jurisdiction_are_kept_to(outcome):
    italy = replace(outcome.results, regime=regime_of(["italy", "new-jersey"]))
    assert verdicts(italy, "returns.local-floor") == {"satisfied"}
    # Odds and floor of New Jersey are set for slot machines.
    assert verdicts(italy, "awards.local-odds") == {"not applicable"}
    strict = replace(
        italy.regime.jurisdictions[0],
        least_return=Limit(Fraction(97, 100), "a stricter law", Certainty.VERBATIM),
        rarest_award=Limit(Fraction(1, 1000), "a stricter law", Certainty.VERBATIM),
    )
    stricter = replace(outcome.results, regime=Regime((strict,)))
    assert verdicts(stricter, "returns.local-floor") == {"satisfied", "not satisfied"}
    assert verdicts(stricter, "awards.local-odds") == {"satisfied", "not satisfied"}
    # A limit that nobody read in its text fails nothing, and passes nothing that breaks it.
    rumour = replace(
        strict,
        least_return=Limit(Fraction(97, 100), "hearsay", Certainty.SECONDARY),
        rarest_award=Limit(Fraction(1, 1000), "hearsay", Certainty.PARTIAL),
    )
    unsure = replace(outcome.results, regime=Regime((rumour,)))
    assert verdicts(unsure, "returns.local-floor") == {"satisfied", "inconclusive"}
    assert verdicts(unsure, "awards.local-odds") == {"satisfied", "inconclusive"}


def test_rounding_that_eats_the_return_of_small_stakes_is_found(game, outcome):
    halves = with_pay(game, "main", "win", Fraction(1, 2))
    small = replace(
        halves,
        wagers=tuple(replace(w, limits=replace(w.limits, minimum=1, maximum=40)) for w in halves.wagers),
    )
    analyses = {name: analyze(small, name) for name in outcome.results.analyses}
    results = replace(outcome.results, game=small, analyses=analyses)
    asked = ("returns.at-every-stake", "returns.stake-ladder")
    observed = observe({check: checks()[check] for check in asked}, results)
    found = {o.subject: o for o in observed if o.check == "returns.at-every-stake"}
    # A win of 1/2 on one cent pays nothing.
    assert found["main"].verdict is Verdict.NOT_SATISFIED
    assert "at 0.01 EUR" in found["main"].observed
    ladder = {o.subject: o.verdict for o in observed if o.check == "returns.stake-ladder"}
    assert ladder == {
        "main": Verdict.NOT_SATISFIED,
        "partita-perfetta": Verdict.SATISFIED,
        "mano-di-poker": Verdict.SATISFIED,
    }


def test_reseeds_that_bring_nothing_new_are_found(game, outcome, monkeypatch):
    assert outcome.results.rng.stated.reseeds_exercised == 6
    monkeypatch.setattr(generator, "RecordedEntropy", lambda inputs: RecordedEntropy(inputs[:1] * 8))
    results = replace(outcome.results, rng=generator.establish(game, SEED))
    assert results.rng.reseed_refused
    assert fails("rng.reseeds", results)


HOSTILE = {
    'title = "7 e Mezzo"': "<script>alert(1)</script>{{ 7*7 }}{% raw %}",
    'supplier = "Playtech"': "<img src=http://example.org/x onerror=alert(2)>",
    'title = "Partita Perfetta"': "=cmd|' /c calc'!A0",
    'title = "Mano di Poker"': "../../etc/passwd</title><style>*{display:none}",
}


def hostile_submission():
    text = PUBLISHED.read_text("utf-8")
    for old, name in HOSTILE.items():
        assert text.count(old) >= 1, old
        text = text.replace(old, f"{old.split(' = ')[0]} = '''{name}'''", 1)
    return text.encode()


class Elements(HTMLParser):
    """Collects elements, attributes and text of a document as a browser would."""

    def __init__(self):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.slow
def test_hostile_names_are_text_in_every_file_of_the_pack(outcome, tmp_path):
    from certify.cli.options import Progress
    from certify.seal import Identity, demonstration_signer
    from certify.seal.verify import verify

    submission, moment = hostile_submission(), datetime(2026, 11, 21, tzinfo=UTC)
    named = tmp_path / "{0.__class__}<b onclick=alert(3)>.toml"
    hostile = parse_game(submission, str(named))
    assert {hostile.title, hostile.supplier} < set(HOSTILE.values())
    lying = replace(outcome, results=replace(outcome.results, game=hostile))
    request = RunRequest(hostile, TINY, SEED, moment)
    names = Parties(
        "<b>{{ issuer }}</b>", "/../../", "{% include '/etc/passwd' %}", '"><svg onload=alert(4)>'
    )
    issue = issue_of(request, names, moment, demonstration=True)
    conclusions = concluded(lying, issue)
    identity = Identity(demonstration_signer(moment), None, ())
    out = tmp_path / "pack"
    evidence = make_pack(out, request, lying, conclusions, issue, submission, identity, Progress(quiet=True))

    verify(out, None, moment).require()
    assert [path.name for path in tmp_path.iterdir()] == ["pack"]
    assert evidence.item.title == HOSTILE['title = "7 e Mezzo"']

    page = Elements()
    page.feed((out / "report.html").read_text("utf-8"))
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        for name in ("src", "href", "action", "data"):
            target = attributes.get(name) or ""
            assert target.startswith(("#", "data:")) or not target, (tag, target)
    text = "".join(page.text)
    assert all(name in text for name in HOSTILE.values())
    assert sum(tag == "script" for tag, _ in page.elements) == 1
    assert ("{{ 7*7 }}" in text, "root:" in text) == (True, False)

    for path in (out / "data").glob("*.csv"):
        rows = csv.reader(io.StringIO(path.read_text("utf-8"), newline=""))
        assert not any(cell[:1] in ("=", "@", "+") for row in rows for cell in row), path.name


CASES = Path(__file__).parents[2] / "fixtures/cases"
BELOW, EVERYTHING, LOST = "slot-bought-below-floor", "slot-everything", "roulette-lost-pays"
REFUSED = {
    BELOW: {("returns.floor", "buy"), ("returns.floor", "one-line")},
    EVERYTHING: {
        ("returns.claim-holds", "main"),
        ("returns.not-above-total", "buy"),
        ("returns.not-above-total", "grand"),
    },
    LOST: set(),
}
"""What the exact figures of each case refuse."""


@cache
def told(case):
    """The submission, its exact results, and what the checks see of them."""
    game = read_game(CASES / case / "game.toml")
    results = exact_results(game, regime_of(), thorough=False)
    exact = [one for one in checks().values() if one.function.__annotations__["results"] is ExactResults]
    return game, results, [seen for one in exact for seen in one.observe(results)]


def test_every_case_has_its_row():
    assert {path.name for path in CASES.iterdir()} == set(REFUSED)


@pytest.mark.parametrize("case", only(REFUSED, EVERYTHING, LOST))
def test_what_is_wrong_in_a_case_is_refused_by_name_and_no_sentence_is_quoted_from_nowhere(case):
    game, _, observed = told(case)
    assert {(one.check, one.subject) for one in observed if one.verdict is Verdict.NOT_SATISFIED} == REFUSED[
        case
    ]
    assert len(unfound(game, str(CASES / case / "game.toml"))) == 8


def test_lost_pays_are_a_condition_even_where_one_number_alone_fits():
    _, results, observed = told(LOST)
    found = drafts_of(results, observed, {one.check for one in observed}, Brought())
    assert [one.status for one in found] == [CONDITION, CONDITION]


def test_of_a_game_that_never_waits_nothing_is_said_of_wagers_left_undecided():
    game, _, _ = told(LOST)
    decided = clause_statuses(regime_of().catalogues, (), applicabilities(game))
    assert {one.status for one in decided if one.number in ("4.16.3(b)", "A.5.2(e)")} == {"not applicable"}


def test_the_figures_of_the_slot_that_has_everything():
    game, results, _ = told(EVERYTHING)
    (figures,) = results.analyses["main-optimal"].wagers
    assert figures.return_to_player == Fraction(1297, 2408)
    sheet = par_sheet_evidence(figures, "main-optimal", staked=staked_of(game))
    assert [one.longest for one in sheet.losing_runs if one.rounds == 1000] == [66]
    assert results.sections.edge.side == "player"
    assert {Applicability.JACKPOTS, Applicability.GAMBLES, Applicability.WAITING} <= applicabilities(game)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "code"), [(BELOW, 1), (EVERYTHING, 1), (LOST, 1)])
def test_a_run_over_a_case_ends_in_its_exit_code(case, code, tmp_path, capsys):
    assert (
        run(["run", str(CASES / case / "game.toml"), "--profile", "quick", "--out", str(tmp_path / "pack")])
        == code
    )

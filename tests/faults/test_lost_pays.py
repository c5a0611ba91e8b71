"""Printed returns and rows that lie: strategies named, pays lost, rows never reached, clauses of others."""

import hashlib
import re
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from gate_support import change, compared, edited, ids, published
from representatives import firsts, only

from certify.certification.exact import exact_evidence, exact_results
from certify.certification.request import strategy_of
from certify.certification.submitted import claims_evidence
from certify.clauses import Results, clause_statuses, load_catalogue, regime_of
from certify.clauses.registry import checks
from certify.cli.main import run
from certify.errors import InputError, NothingCheckedError, SubmissionError
from certify.evidence import Brought, plain
from certify.exact import fraction_text, parse_percent
from certify.families.sette_e_mezzo.exact.best_play import solve
from certify.families.sette_e_mezzo.rules import Tie
from certify.families.seven_and_a_half.cards import FULL_DECK, ClassDeck, rank_of
from certify.gate.figure_inputs import basis_of
from certify.mathematics import analysed_strategies, analyze, identify, plan_of
from certify.mathematics.figures_evidence import analysis_evidence
from certify.model import CONDITION, Observation, Outcome, Provenance, Verdict, WagerFigures
from certify.submission import parse_game, read_game

ROOT = Path(__file__).parents[2]
SEVEN = (ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml").read_text("utf-8")
ROULETTE = (ROOT / "fixtures/games/roulette-single-zero/game.toml").read_text("utf-8")
BACCARAT = (ROOT / "fixtures/games/baccarat-punto-banco/game.toml").read_text("utf-8")
_PAGE = (ROOT / "docs/single-draw.md").read_text("utf-8")
THREE_DICE = _PAGE[_PAGE.index('schema = "certify-game/1"') : _PAGE.index("```", _PAGE.index('schema = "'))]


def read(text):
    return parse_game(text.encode(), "game.toml")


def without_pays(text):
    """The submission without the pays that its source lost."""
    return re.sub(r'pays = "[^"]*"\nprovenance = "recovered"\nby = "[^"]*"\n(unique = false\n)?', "", text)


def test_the_lost_pays_of_the_published_game_are_filled_in_from_its_printed_returns():
    text = without_pays(SEVEN)
    # The readings of two rules were recovered besides.
    assert (SEVEN.count('provenance = "recovered"'), text.count('provenance = "recovered"')) == (11, 2)
    game = read(text)
    king = game.wager("main").paytable.rows[0]
    # The only one of 28 candidates that fits, as the fixture found it.
    assert (king.pays, king.origin.unique) == (Fraction(2), True)
    assert king.origin.by == "main/99.54 %: the only one of 28 candidates that fits"
    for wager in game.wagers[1:]:
        assert all(row.origin.provenance is Provenance.RECOVERED for row in wager.paytable.rows)
        assert not any(row.origin.unique for row in wager.paytable.rows)
        assert "whole-number paytables that fit" in wager.paytable.rows[0].origin.by
    # Of what fits, pays are taken under which no better way of playing returns more than is printed.
    analyses = [analyze(game, name) for name in ("main-optimal", "always-second-card")]
    assert max(one.wager("mano-di-poker").return_to_player for one in analyses) == Fraction(183, 190)


def test_a_pay_is_recovered_from_a_house_edge_too():
    game = read(THREE_DICE.replace('pays = "3 to 1"\n', ""))
    row = game.wager("six").paytable.rows[0]
    assert (row.pays, row.origin.by) == (
        Fraction(3),
        "six/a house edge of 7.87 %: the only one of 500 candidates that fits",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("printed", "unique", "found"),
    [
        ("98.9421 %", True, "the only one of 524 candidates that fits"),
        # A commission of six per cent is no odds that a layout prints: the nearest is taken, and said to be no answer.
        ("98.4836 %", False, "none of 524 candidates fits; the nearest is used"),
    ],
)
def test_a_lost_pay_that_is_no_whole_number_is_looked_for_among_the_odds_that_layouts_print(
    printed, unique, found
):
    game = read(BACCARAT.replace('pays = "19 to 20"\n', "", 1).replace("98.9421 %", printed))
    win, push = game.wager("banker").paytable.rows
    assert (win.pays, win.origin.unique, push.pays) == (Fraction(19, 20), unique, 0)
    assert win.origin.by == f"banker/{printed}: {found}"


def test_a_pay_left_out_where_nothing_is_printed_is_a_mistake_with_its_line():
    text = THREE_DICE.replace('pays = "3 to 1"\n', "").replace(
        'metric = "house-edge"', 'metric = "hit-frequency"'
    )
    line = text.splitlines().index('id = "three"') + 1
    with pytest.raises(
        SubmissionError, match=rf'game.toml:{line}:\d+: the row "three" has no pays, and no return'
    ):
        read(text)


def test_a_pay_that_is_left_out_states_no_provenance():
    text = THREE_DICE.replace('pays = "3 to 1"\n', 'provenance = "adopted"\nby = "guess"\n')
    with pytest.raises(SubmissionError, match="provenance of a pay that is left out"):
        read(text)


def findings(text):
    results = exact_results(read(text), regime_of([]), thorough=False)
    from certify.certification.conclude import checks_for, conclude, observe

    exact = {name: one for name, one in checks_for(results).items() if name.startswith("returns.claim")}
    found = conclude(results, observe(exact, results), "game.toml", demonstration=False).findings  # type: ignore[arg-type]
    return {one.title: (one.severity.name, one.status) for one in found}


def test_a_false_claim_behind_a_lost_pay_is_recovered_by_the_nearest_and_does_not_hold():
    text = THREE_DICE.replace('pays = "3 to 1"\n', "").replace("7.87 %", "90.00 %")
    row = read(text).wager("six").paytable.rows[0]
    assert row.origin.by.endswith("none of 524 candidates fits; the nearest is used")
    said = findings(text)
    assert said[
        "The source omits the pays of Six, and none of 524 candidates returns the printed figure"
    ] == (
        "MAJOR",
        CONDITION,
    )
    assert any(title.startswith("A printed figure is not the exact one") for title in said)


def test_a_source_that_prints_no_return_and_one_without_text_are_findings():
    left_out = re.sub(r"\[\[claims\]\]\n(?:.+\n)+", "", THREE_DICE)
    empty_list = left_out.replace("rules = []", "rules = []\nclaims = []")
    assert read(left_out).claims == read(empty_list).claims == ()
    said = findings(left_out)
    assert said["No return and no house edge is printed for 1 of 1 wager"][0] == "NOTE"
    assert not any("is empty" in title for title in findings(THREE_DICE))
    empty = re.sub(r'sha256 = "\w+"', f'sha256 = "{hashlib.sha256(b"").hexdigest()}"', THREE_DICE)
    assert (
        findings(empty)["The source “Chuck-a-luck as printed” on which the submission rests is empty"][0]
        == "MAJOR"
    )


def test_lint_refuses_a_text_without_a_byte_and_a_sentence_that_no_source_holds(tmp_path, capsys):
    path = tmp_path / "game.toml"
    path.write_text(re.sub(r'sha256 = "\w+"', f'sha256 = "{hashlib.sha256(b"").hexdigest()}"', THREE_DICE))
    assert run(["lint", str(path)]) == 2
    assert ': the file of the source "rules" is empty' in capsys.readouterr().out
    game = shutil.copytree(ROOT / "fixtures/games/red-dog", tmp_path / "red-dog") / "game.toml"
    assert run(["lint", str(game)]) == 0
    line = game.read_text("utf-8").splitlines().index("[terms.printed]") + 2
    game.write_text(game.read_text("utf-8").replace("A malfunction voids", "No malfunction voids"), "utf-8")
    assert run(["lint", str(game)]) == 2
    assert f"{game}:{line}:1: is in none of the sources: “No malfunction voids" in capsys.readouterr().out


def test_a_lost_pay_of_a_game_whose_best_play_is_found_anew_is_filled_in():
    text = (ROOT / "fixtures/games/red-dog/game.toml").read_text("utf-8")
    lost = text.replace(', title = "One rank between", pays = "5 to 1" }', ', title = "One rank between" }')
    assert lost != text
    (row,) = (row for row in read(lost).wager("bet").paytable.rows if row.id == "spread-1")
    assert (row.pays, row.origin.provenance) == (5, Provenance.RECOVERED)


def test_a_pay_that_only_one_candidate_fits_is_a_condition_too():
    """GLI-19 v3.0 4.4.1(d): the rules state what each winning outcome pays, and these do not."""
    said = findings(re.sub(r'pays = "(8|35) to 1"\n', "", ROULETTE))
    unique = {title: word for title, word in said.items() if "one of 500 candidates fits, unique" in title}
    assert len(unique) == 3, said
    assert set(unique.values()) == {("MAJOR", CONDITION)}


SIC_BO = (Path(__file__).parents[2] / "fixtures/games/sic-bo/game.toml").read_text("utf-8")
ROW = '[[wagers.paytable]]\nid = "four-alike"\ntitle = "Four alike"\npays = "500 to 1"\n\n'
CLAIM = (
    '[[claims]]\nwager = "any-triple"\nmetric = "odds-of-row"\nprinted = "1 in 1,296"\nsource = "figures"\n'
    'row = "four-alike"\n\n'
)
SETTLED = '\n[[settled_by]]\nwager = "any-triple"\nwhen = "sum of dice is 24"\nrow = "four-alike"\n'


def spoilt(folder, settled=""):
    path = folder / "game.toml"
    before, after = SIC_BO.split('id = "any-triple"', 1)
    after = after.replace("[[wagers.paytable]]", f"{ROW}[[wagers.paytable]]", 1)
    path.write_text(
        f'{before}id = "any-triple"{after}'.replace("[terms]", f"{CLAIM}[terms]", 1) + settled, "utf-8"
    )
    return path


def failed(results, check):
    return [
        (answer.subject, answer.observed)
        for answer in checks()[check].observe(results)
        if answer.verdict.value == "not satisfied"
    ]


@pytest.mark.parametrize("settled", firsts(["", SETTLED]))
def test_the_row_and_its_claim_are_findings_and_nothing_else_of_the_game_is_lost(tmp_path, capsys, settled):
    path = spoilt(tmp_path, settled)
    results = exact_results(read_game(path), regime_of([]), thorough=False)
    assert failed(results, "awards.reachable") == [("any-triple", "missing: four-alike")]
    assert failed(results, "submission.complete") == [
        ("any-triple", "rows: 2; uncovered: none; without a hand: four-alike")
    ]
    assert failed(results, "returns.claim-holds") == [
        ("any-triple", "never under main-optimal; impossible: no round reaches the row")
    ]
    (odds,) = (
        claim for claim in plain(exact_evidence(results, sensitivity=False))["claims"] if claim.get("row")
    )
    assert (odds["holds"], odds["impossible"], odds["exact"]) == (False, True, "0")
    assert run(["analyze", str(path)]) == 0
    said = capsys.readouterr().out
    assert "printed 1 in 1,296 (odds-of-row four-alike): WRONG: no round reaches the row" in said


def test_lint_remarks_on_the_row_at_its_line(tmp_path, capsys):
    path = spoilt(tmp_path)
    shutil.copy(ROOT / "fixtures/games/sic-bo/sources.md", tmp_path)
    line = path.read_text("utf-8").splitlines().index('id = "four-alike"') + 1
    assert run(["lint", str(path)]) == 0
    assert run(["lint", "--strict", str(path)]) == 1
    said = f'{path}:{line}:6: remark: no round reaches the printed row "four-alike" of "any-triple"'
    assert said in capsys.readouterr().out


def test_a_round_that_no_row_covers_still_refuses_the_file(tmp_path):
    path = spoilt(tmp_path)
    path.write_text(path.read_text("utf-8").replace('id = "three"', 'id = "thrice"'), "utf-8")
    with pytest.raises(SubmissionError, match='the row "three" is not in the paytable of single'):
        read_game(path)


MIMICKED = Fraction(23850049708843, 26397882693000)
"""Return of the main wager to a player who mimics the dealer."""

PRINTED = '[[claims]]\nwager = "main"\nmetric = "return-to-player"\nprinted = "99.54 %"\n'
NAMED = PRINTED + 'strategy = "mimic-dealer"\n'
TRUE = NAMED.replace("99.54", "90.35")
BOTH = f'{TRUE}source = "rules-screen"\n\n{PRINTED}strategy = "main-optimal"\n'


def stated(claim):
    return edited((PRINTED, claim))


def read_claims(claim):
    return parse_game(stated(claim).encode(), "game.toml")


def judged(game):
    """What the check says of the claims on the main wager, and what the evidence says of them."""
    analyses = {name: analyze(game, name) for name in analysed_strategies(game)}
    best = strategy_of(game, analyses)
    results = cast("Results", SimpleNamespace(game=game, analyses=analyses, strategy_of=best))
    answers = list(checks()["returns.claim-holds"].observe(results))
    evidence = claims_evidence(game, analyses, best, {})
    return [
        (claim.printed, claim.strategy, answer.verdict, fraction_text(claim.exact))
        for claim, answer in zip(evidence, answers, strict=True)
        if claim.wager == "main"
        and answer.observed.endswith(f"= {fraction_text(claim.exact)} under {claim.strategy}")
    ]


def test_the_strategy_that_a_claim_names_is_analysed_besides_those_of_the_plan():
    game = read_claims(NAMED)
    assert game.claims[0].strategy == "mimic-dealer"
    assert analysed_strategies(game) == (*plan_of(game).analysed, "mimic-dealer")
    assert basis_of(game).strategies == analysed_strategies(game)
    assert basis_of(read_claims(PRINTED)).strategies == plan_of(game).analysed


def test_a_printed_return_is_judged_under_the_strategy_that_it_names():
    exact = fraction_text(MIMICKED)
    assert judged(read_claims(NAMED)) == [("99.54 %", "mimic-dealer", Verdict.NOT_SATISFIED, exact)]
    # A pay of the main wager was recovered from the figure for best play: what agrees is fitted, and confirms nothing.
    assert judged(read_claims(TRUE)) == [("90.35 %", "mimic-dealer", Verdict.FITTED, exact)]


def test_two_printed_returns_of_one_wager_are_each_judged_under_their_own_strategy():
    found = judged(read_claims(BOTH))
    assert [(printed, strategy) for printed, strategy, _, _ in found] == [
        ("90.35 %", "mimic-dealer"),
        ("99.54 %", "main-optimal"),
    ]
    assert {verdict for _, _, verdict, _ in found} == {Verdict.FITTED}


def test_the_gate_judges_a_printed_return_under_the_strategy_that_it_names():
    said = change(compared(published(), stated(NAMED)), "claim-stale")
    assert "99.54 % is printed for main, which returns 90.348343 % under mimic-dealer" in said.message
    assert not {"claim-stale", "claim-false-before"} & set(ids(compared(published(), stated(TRUE)).changes))


@pytest.mark.parametrize("name", ["file:/etc/passwd", "file:strategy.toml"])
def test_a_claim_that_names_a_file_as_its_strategy_is_refused_with_its_line(name):
    text = stated(NAMED).replace("mimic-dealer", name)
    line = text.splitlines().index(f'strategy = "{name}"') + 1
    with pytest.raises(SubmissionError) as caught:
        parse_game(text.encode(), "game.toml")
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"game.toml:{line}:")
    assert "expected a strategy by its name, not a file" in str(problem)


def test_two_printed_figures_of_one_kind_are_two_changes_for_those_who_approve():
    """They bore one fingerprint: who approved one had approved both."""
    wrong = (
        PRINTED.replace("99.54", "99.11") + 'source = "rules-screen"\n\n' + PRINTED.replace("99.54", "99.12")
    )
    odds = '[[claims]]\nwager = "mano-di-poker"\nmetric = "odds-of-row"\nprinted = "1 in 7"\nsource = "rules-screen"\n'
    rows = "".join(f'{odds}row = "{row}"\n\n' for row in ("royal-flush", "flush"))
    changes = compared(published(), stated(rows + wrong)).changes
    stale = [one.fingerprint for one in changes if one.kind.id == "claim-stale"]
    assert len(stale) == len(set(stale)) == 4


PUBLISHED = read_game(ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml")
TERMS = {
    "A.5.2(c)": ("terms.malfunction-printed", "malfunction_voids_all"),
    "A.5.2(d)": ("terms.disconnection-printed", "resume_after_disconnection"),
    "A.5.2(e)": ("terms.undecided-printed", "unresolved_void_after_days"),
}


def verdicts(check, **results):
    return {one.verdict for one in checks()[check].observe(cast(Results, SimpleNamespace(**results)))}


@pytest.mark.parametrize("silent", TERMS)
def test_a_sentence_that_is_missing_fails_its_own_clause_alone(silent):
    kept = {name: said for name, said in PUBLISHED.terms.printed.items() if name != TERMS[silent][1]}
    quiet = replace(PUBLISHED, terms=replace(PUBLISHED.terms, printed=kept))
    observations = [Observation(Verdict.SATISFIED, "", "", check=check, title="") for check in checks()]
    observations += [one for check, _ in TERMS.values() for one in checks()[check].observe(_of(quiet))]
    found = {s.number: s.status for s in clause_statuses([load_catalogue("gli-19")], observations)}
    for number in TERMS:
        assert found[number] == ("not satisfied" if number == silent else "satisfied")


def _of(game):
    return cast(Results, SimpleNamespace(game=game, brought=Brought()))


def facts(*algorithms, passed=10):
    stated = SimpleNamespace(
        known_answer_tests=10,
        known_answers_passed=passed,
        known_answers=(),
        known_answers_by_algorithm=tuple(
            SimpleNamespace(algorithm=name, tests=5, passed=5) for name in algorithms
        ),
        algorithm="CTR_DRBG",
    )
    return SimpleNamespace(stated=stated)


def test_vectors_of_other_mechanisms_say_nothing_about_those_in_use():
    in_use = ("CTR_DRBG AES-256 no df", "CTR_DRBG AES-256 df")
    assert verdicts("rng.known-answers", rng=facts(*in_use)) == {Verdict.REFERENCE}
    for one in (in_use[0], in_use[1], "HMAC_DRBG SHA-256"):
        assert verdicts("rng.known-answers", rng=facts(one)) == {Verdict.INCONCLUSIVE}
    assert verdicts("rng.known-answers", rng=facts(*in_use, passed=9)) == {Verdict.NOT_SATISFIED}
    assert verdicts("rng.known-answers", rng=facts("HMAC_DRBG SHA-256", passed=9)) == {Verdict.NOT_SATISFIED}


FAULTS = {
    "swapped tie": {"tie": Tie.PUSH},
    "king loses to 7½": {"king_wins_against_dealer_seven_and_a_half": False},
    "dealer stands half a point early": {"dealer_stands_on": 5},
    "dealer stands half a point late": {"dealer_stands_on": 7},
    "dealer does not chase 7½": {"dealer_chases_seven_and_a_half": False},
}


def holds(game, wager, strategy="main-optimal"):
    (claim,) = plain(analysis_evidence(analyze(game, strategy), game))["wagers"][wager]["claims"]
    return claim["holds"]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_wrong_rule_breaks_the_printed_return_of_main(fault):
    assert holds(PUBLISHED, "main")
    assert not holds(replace(PUBLISHED, rules=replace(PUBLISHED.rules, **fault)), "main")


@pytest.mark.parametrize(
    "wager", ["main", "partita-perfetta", pytest.param("mano-di-poker", marks=pytest.mark.slow)]
)
def test_a_wrong_pay_on_any_row_breaks_the_printed_return(wager):
    strategy = "always-second-card" if wager == "mano-di-poker" else "main-optimal"
    assert holds(PUBLISHED, wager, strategy)
    for position, row in enumerate(PUBLISHED.wager(wager).paytable.rows):
        wrong = list(PUBLISHED.wager(wager).paytable.rows)
        wrong[position] = replace(row, pays=row.pays + 1)
        wagers = tuple(
            replace(entry, paytable=replace(entry.paytable, rows=tuple(wrong)))
            if entry.id == wager
            else entry
            for entry in PUBLISHED.wagers
        )
        assert not holds(replace(PUBLISHED, wagers=wagers), wager, strategy), row.id


@pytest.mark.parametrize("missing", only([0, 6, 7], 6))
def test_missing_cards_of_a_rank_change_the_return(missing):
    short = ClassDeck(tuple(card for card in FULL_DECK.cards if rank_of(card) != missing))
    assert solve(PUBLISHED, deck=short).wager_expectation("main") != solve(PUBLISHED).wager_expectation(
        "main"
    )


def test_an_impossible_figure_is_called_impossible_with_its_nearest_miss():
    claims = tuple(
        replace(claim, text="98.00 %", printed=parse_percent("98.00 %")) for claim in PUBLISHED.claims
    )
    game = replace(PUBLISHED, claims=claims)
    found = identify(game, "main")
    assert found.fits_count == 0
    assert found.readings[0].nearest_miss is not None
    assert found.conclusion.startswith("Impossible")
    side = identify(game, "partita-perfetta", by_row={"pair-of-sevens": [40]}, maximum=1)
    assert side.fits_count == 0
    assert all(search.nearest_miss is not None for search in side.readings)
    assert side.conclusion.startswith("Impossible")


def test_a_figure_cut_off_instead_of_rounded_is_another_claim():
    truncated = parse_percent("99.54 %", truncated=True)
    claims = tuple(
        replace(claim, printed=truncated) if claim.wager == "main" else claim for claim in PUBLISHED.claims
    )
    assert identify(replace(PUBLISHED, claims=claims), "main").fits_count == 0


def test_probabilities_that_do_not_sum_to_one_are_refused():
    with pytest.raises(ValueError, match="sum to 9/10"):
        WagerFigures("main", (Outcome("win", Fraction(1), Fraction(9, 10)),))


def test_values_that_the_enumeration_cannot_hold_are_refused():
    values = tuple((rank, 2 if rank == "Q" else points) for rank, points in PUBLISHED.values)
    with pytest.raises(InputError, match="different values"):
        analyze(replace(PUBLISHED, values=values))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "upward"}, "order 'upward'"),
        ({"by_row": {"full-house": [3]}}, "no row full-house"),
        ({"minimum": 5, "maximum": 4}, "no range"),
    ],
)
def test_searches_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        identify(PUBLISHED, "mano-di-poker", **options)


def test_a_wager_without_a_printed_return_cannot_be_identified():
    with pytest.raises(NothingCheckedError, match="prints no return for main"):
        identify(replace(PUBLISHED, claims=()), "main")

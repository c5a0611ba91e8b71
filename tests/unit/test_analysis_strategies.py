"""Strategies by name and by file, and what a deviation costs; the PAR sheet as CSV and workbook, bytes reproducible."""

import csv
import io
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from cli_support import refuses
from computing_again import value_of
from hypothesis import given, strategies as st
from openpyxl import load_workbook
from representatives import firsts

from certify.analysis.mean_bands import HOUSE, PLAYER, lundberg_base, ruin_in_the_long_run, steps_of
from certify.analysis.par_cells import Formula
from certify.analysis.par_sheet import par_sheet_evidence, ruin, top_award_evidence
from certify.certification.par_files import par_csv, par_xlsx
from certify.certification.request import strategy_of
from certify.characters import not_a_formula
from certify.errors import InputError
from certify.evidence import Head, Issuer, plain
from certify.families.sette_e_mezzo.exact.figures import named_strategy, read_card
from certify.families.sette_e_mezzo.rules import PairCondition
from certify.mathematics import (
    analyze,
    explain,
    explanation_text,
    exposure,
    joint_figures,
    strategy_classes,
)
from certify.mathematics.par_tables import par_tables, par_title
from certify.model import Outcome, WagerFigures
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")
SEVEN = read_game(GAMES / "playtech-7-e-mezzo/game.toml")


def wager(*ends):
    return WagerFigures(
        "toy",
        tuple(Outcome(f"o{i}", Fraction(pays), Fraction(chance)) for i, (pays, chance) in enumerate(ends)),
    )


GENEROUS = wager((1, "3/5"), (-1, "2/5"))
RAISED = wager((3, "2/5"), (0, "1/10"), (-1, "1/10"), (-2, "2/5"))


def test_against_the_gamblers_ruin_of_the_textbook():
    """W. Feller, An Introduction to Probability Theory and Its Applications, vol. 1, XIV.2: (q/p)^b."""
    found = ruin_in_the_long_run(GENEROUS, 5)
    assert found.at_least <= (2 / 3) ** 5 <= found.at_most
    assert found.at_most - found.at_least < 1e-9
    assert ruin_in_the_long_run(GENEROUS, 1_000, HOUSE).at_least == 1.0


@pytest.mark.parametrize("figures", [GENEROUS, RAISED, wager(("1/2", "2/3"), (-1, "1/3"))])
def test_many_rounds_come_as_near_as_the_bounds_allow(figures):
    if figures.expectation <= 0:
        assert ruin_in_the_long_run(figures, 10).at_least == 1.0
        return
    for bankroll in (3, 8):
        found = ruin_in_the_long_run(figures, bankroll)
        long = ruin(figures, bankroll, 3_000)
        assert found.at_least - 1e-9 <= long <= found.at_most + 1e-9


@given(
    st.lists(
        st.tuples(st.integers(-3, 4), st.integers(1, 9)), min_size=2, max_size=5, unique_by=lambda e: e[0]
    )
)
def test_the_base_is_bracketed_exactly(ends):
    whole = sum(weight for _, weight in ends)
    figures = wager(*((net, Fraction(weight, whole)) for net, weight in ends))
    steps = steps_of(figures, PLAYER)
    if steps.mean <= 0 or min(net for net, _ in ends) >= 0:
        return
    low, high = lundberg_base(steps)
    assert 0 < high - low <= Fraction(1, 2**40)
    assert sum(chance * high**step for step, chance in steps.results) <= 1
    assert low == 0 or sum(chance * low**step for step, chance in steps.results) > 1


def ruin_by_looping(figures, bankroll, rounds, sign):
    asked = max(1, *(-sign * end.pays for end in figures.outcomes))
    ruined = Fraction(0)
    for played in product(figures.outcomes, repeat=rounds):
        held, probability, broke = Fraction(bankroll), Fraction(1), bankroll < asked
        for end in played:
            probability *= end.probability
            if not broke:
                held += sign * end.pays
                broke = held < asked
        ruined += probability if broke else 0
    return float(ruined)


@pytest.mark.parametrize("holder", [PLAYER, HOUSE])
@pytest.mark.parametrize(("bankroll", "rounds"), [(2, 3), (3, 5), (4, 6), (9, 5)])
def test_ruin_of_either_side_equals_every_sequence_of_rounds(holder, bankroll, rounds):
    sign = 1 if holder == PLAYER else -1
    expected = ruin_by_looping(RAISED, bankroll, rounds, sign)
    assert ruin(RAISED, bankroll, rounds, holder) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("game", [CASINO, HOME], ids=["casino", "home"])
def test_where_the_player_has_the_edge_it_is_the_house_that_is_ruined(game):
    sheet = plain(par_sheet_evidence(analyze(game).wager("ante"), "main-optimal"))
    assert sheet["long_run"]["sentence"].startswith("The player has the edge: it is the bank that is ruined")
    assert {entry["at_least"] for entry in sheet["long_run"]["house"]} == {1.0}
    for entry in sheet["long_run"]["player"]:
        assert 0 < entry["at_least"] <= entry["at_most"] < 0.05
        within = [one["probability"] for one in sheet["ruin"] if one["bankroll"] == entry["bankroll"]]
        assert within == sorted(within)
        assert within[-1] <= entry["at_most"]
    chances = [entry["probability"] for entry in sheet["house_ruin"] if entry["rounds"] == 1000]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.7


def test_where_the_house_has_the_edge_it_is_the_player():
    sheet = plain(par_sheet_evidence(analyze(SEVEN).wager("main"), "main-optimal"))
    assert sheet["long_run"]["sentence"].startswith("The bank has the edge")
    assert {entry["at_least"] for entry in sheet["long_run"]["player"]} == {1.0}
    assert sheet["long_run"]["house"][-1]["at_most"] < 1e-30


def test_a_fair_game_ruins_whoever_can_be():
    fair = wager((1, "1/2"), (-1, "1/2"))
    assert plain(par_sheet_evidence(fair, "fair"))["long_run"]["sentence"].startswith("Nobody has an edge")
    assert all(ruin_in_the_long_run(fair, 50, holder).at_least == 1.0 for holder in (PLAYER, HOUSE))
    gift = wager((1, "1/2"), (0, "1/2"))
    assert ruin_in_the_long_run(gift, 1).at_most == 0.0


def test_who_holds_what_must_be_said():
    refuses(
        InputError,
        ("expected player or house", lambda: ruin(GENEROUS, 10, 10, "bank")),
        ("at least one unit", lambda: ruin_in_the_long_run(GENEROUS, 0)),
        ("at least one unit", lambda: ruin(GENEROUS, 0, 10)),
    )


def test_the_top_award_is_what_pays_most_for_what_is_staked():
    assert plain(top_award_evidence(analyze(CASINO).wager("ante"))) == {
        "outcome": "king-of-diamonds",
        "outcomes": ["king-of-diamonds"],
        "pays": "3 to 1",
        "probability": "1/40",
        "one_in": "40",
    }
    ante = analyze(CASINO).wager("ante")
    lost = next(one for one in ante.outcomes if one.pays == -1)
    never = replace(ante, outcomes=(replace(lost, probability=Fraction(1)),))
    assert [top_award_evidence(figures).lost for figures in (ante, never)] == [False, True]
    royal = plain(top_award_evidence(analyze(SEVEN, "always-second-card").wager("mano-di-poker")))
    assert (royal["outcome"], royal["one_in"]) == ("royal-flush", "2470")


GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")
NAMES = ("main-optimal", "always-second-card", "mimic-dealer", "time-out", "stand-on:4.5", "stand-on:7½")

CARD = """
schema = "certify-strategy/1"
name = "house card"
[totals]
hit = ["1", "1½", "2", "2½", "3", "3½", "4"]
stand = ["4½", "5", "5½", "6", "6½", "7"]
"""


def returns(analysis):
    return {figures.wager: figures.return_to_player for figures in analysis.wagers}


@pytest.mark.parametrize("name", NAMES)
def test_no_strategy_beats_the_optimal_one_on_main(name):
    best = returns(analyze(GAME))["main"]
    assert returns(analyze(GAME, name))["main"] <= best


@pytest.mark.parametrize("name", NAMES)
def test_no_strategy_beats_the_jointly_optimal_one_on_the_whole_stake(name):
    stakes = {"main": Fraction(1), "partita-perfetta": Fraction(1, 3), "mano-di-poker": Fraction(2)}
    best = joint_figures(GAME, "jointly-optimal", stakes)
    assert joint_figures(GAME, name, stakes).total_return <= best.total_return


def test_jointly_optimal_play_may_look_at_the_first_card():
    bound = replace(GAME, rules=replace(GAME.rules, pair_condition=PairCondition.DEALER_MUST_UNCOVER))
    analysis = analyze(bound, "jointly-optimal")
    assert analysis.strategy.looks_at_first_card
    assert analysis.strategy.strategy_class == "composition-dependent with first card"
    assert not analyze(GAME, "jointly-optimal").strategy.looks_at_first_card
    by_hand = {}
    for decision in analysis.decisions:
        by_hand.setdefault(decision.composition, set()).add(decision.chosen)
    assert any(len(chosen) > 1 for chosen in by_hand.values())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("best", "no strategy 'best'"),
        ("stand-on:x", "not a number of points"),
        ("stand-on:8", "no hand stands above 7½"),
        ("file:/none.toml", "cannot be read"),
    ],
)
def test_unknown_strategies_are_refused(name, message):
    with pytest.raises(InputError, match=message):
        analyze(GAME, name)


@pytest.mark.parametrize(
    ("stakes", "message"),
    [
        ({"mano-di-poker": Fraction(1)}, "nothing is staked on main"),
        ({"main": Fraction(1), "mano-di-poker": Fraction(-1)}, "negative"),
        ({"main": Fraction(1), "ante": Fraction(1)}, "no wager ante"),
    ],
)
def test_stakes_that_do_not_fit_are_refused(stakes, message):
    with pytest.raises(InputError, match=message):
        analyze(GAME, "jointly-optimal", stakes)


def test_a_printed_card_plays_as_its_totals(tmp_path):
    path = tmp_path / "card.toml"
    path.write_text(CARD, encoding="utf-8")
    table = named_strategy(GAME, f"file:{path}")
    assert (table.name, table.strategy_class) == ("house card", "printed card")
    assert table.draws == analyze(GAME).strategy.draws


def test_a_hand_of_a_printed_card_overrides_its_total():
    table = read_card(GAME, CARD + '[hands]\n"face+4" = "hit"\n', "card")
    assert (0, 0, 0, 1, 0, 0, 0, 1, 0) in table.draws


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("certify-strategy/1", "other"), "schema is"),
        (('"4½", ', ""), "nothing is decided on the total 4½"),
        (('"4½", ', '"4½", "4", '), "the total 4 is decided twice"),
        (('["1", ', '["1/2", "1", '), "no hand with a decision totals ½"),
        (("[totals]", "colour = 1\n[totals]"), "unknown keys colour"),
        (('name = "house card"', ""), "no name"),
        (("[totals]", '[hands]\n"face" = "hit"\n[totals]'), "leaves the player no decision"),
        (("[totals]", '[hands]\n"8" = "hit"\n[totals]'), "no card '8'"),
        (("[totals]", '[hands]\n"A+3" = "fold"\n[totals]'), "expected stand, hit"),
        (("[totals]", "[totals"), "not TOML"),
    ],
)
def test_incomplete_or_ambiguous_cards_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        read_card(GAME, CARD.replace(*change), "card")


def test_every_decision_has_its_values_and_the_best_is_the_higher():
    analysis = analyze(GAME, "always-second-card")
    for decision in analysis.decisions:
        if decision.best == "draw":
            assert set(decision.values) == {"draw"}
            continue
        other = "stand" if decision.best == "hit" else "hit"
        assert decision.values[decision.best] >= decision.values[other]
        assert decision.cost_of_deviation == decision.values[decision.best] - decision.values[other]
    deviations = {decision.hand for decision in analysis.decisions if decision.best != decision.chosen}
    assert deviations == {"5", "6", "7"}


def test_cost_of_deviations_adds_up_to_the_loss_of_return():
    # Each deviation is valued as if play were best afterwards, as it is here: at most one hand deviates a round.
    best, played = analyze(GAME), analyze(GAME, "always-second-card")
    lost = sum(d.probability * d.cost_of_deviation for d in played.decisions if d.best != d.chosen)
    assert returns(best)["main"] - returns(played)["main"] == lost


@given(st.sampled_from(["A", "4", "face+3", "A+matta", "face", "matta", "2+2"]))
def test_explanations_add_up(hand):
    found = explain(GAME, hand)
    assert sum(branch.chance for branch in found.branches) == 1
    assert sum(branch.chance * branch.value for branch in found.branches) == found.hit
    assert found.best == "draw" or found.stand is not None
    assert explanation_text(found).splitlines()[-1] == f"best: {found.best}"


def test_hands_without_a_draw_cannot_be_explained():
    with pytest.raises(InputError, match="nothing to explain"):
        explain(GAME, "7+face")


def test_the_best_total_to_stand_on_costs_nothing_and_simpler_play_does():
    best, threshold, mimic, time_out = strategy_classes(GAME)
    assert (threshold.strategy, threshold.strategy_class) == ("stand-on:4½", "total-dependent")
    assert (best.cost, threshold.cost) == (0, 0)
    assert 0 < mimic.cost < time_out.cost


SHEETS = ("playtech-7-e-mezzo", "us5632489-casino")
HEAD = Head(
    number="GM-20261121-0123ABCD",
    revision=1,
    issued="2026-11-21T12:30:00Z",
    tested_from="2026-11-21T12:00:00Z",
    tested_to="2026-11-21T12:30:00Z",
    profile="quick",
    classification="",
    demonstration_key=True,
    issuer=Issuer("Laboratorio & figli", ""),
    client="",
    messages={},
)
ATTACKS = (
    "=HYPERLINK(1)",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "+1+1",
    "\t=1+1",
    " =1+1",
    "-A1",
    "＝1+1",
    "-1-",
)


def workbook(content, *, values=False):
    return load_workbook(io.BytesIO(content), data_only=values)


@cache
def game_of(name):
    return read_game(GAMES / name / "game.toml")


@cache
def analysed(name, strategy="main-optimal"):
    return analyze(game_of(name), strategy)


@cache
def tables_of(name, strategy="main-optimal", head=True):
    return par_tables(game_of(name), [analysed(name, strategy)], HEAD if head else None)


def written(game, head=HEAD):
    return par_xlsx(tables_of(game.id, head=head is not None), par_title(game), head)


EXACT = ("header", "pays", "rules", "returns", "own best", "claims", "combinations", "exposure", "methods")
"""Sheets of which every cell is exact, its nearest float or text."""


@pytest.mark.parametrize("name", SHEETS)
def test_exact_sheets_are_those_that_are_kept(name, kept):
    game = game_of(name)
    analyses = {one: analysed(name, one) for one in ("main-optimal", "always-second-card")}
    for head in (HEAD, None):
        tables = par_tables(game, list(analyses.values()), head, strategy_of=strategy_of(game, analyses))
        assert all(len(row) == len(table.header) for table in tables for row in table.rows)
        exact = [table for table in tables if table.name in (EXACT if head else ("header",))]
        text = ", ".join(table.name for table in tables) + "\n"
        text += par_csv(exact).decode("utf-8").replace("\r\n", "\n")
        kept(f"par_sheet_{name}{'' if head else '_of_no_report'}.csv", text)


@pytest.mark.parametrize("name", SHEETS)
def test_formulas_of_contributions_and_totals_give_the_exact_figures(name):
    game = game_of(name)
    tables = tables_of(game.id)
    content = written(game)
    live, shown = workbook(content), workbook(content, values=True)
    seen = 0
    for table in tables:
        for at, row in enumerate(table.rows, start=2):
            for column, cell in enumerate(row, start=1):
                if isinstance(cell, Formula):
                    computed = value_of(live, table.name, live[table.name].cell(at, column).value)
                    assert computed == pytest.approx(float(cell.value), rel=1e-12, abs=1e-13)
                    assert shown[table.name].cell(at, column).value == pytest.approx(
                        float(cell.value), rel=1e-16
                    )
                    seen += 1
    assert seen > 20


def test_dates_are_those_of_the_report_or_none():
    game = game_of(SHEETS[1])
    content = written(game)
    assert workbook(content).properties.created == datetime(2026, 11, 21, 12, 30, tzinfo=UTC).replace(
        tzinfo=None
    )
    assert workbook(content).properties.creator == HEAD.issuer.name
    entries = zipfile.ZipFile(io.BytesIO(content)).infolist()
    assert {entry.date_time for entry in entries} == {(2026, 11, 21, 12, 30, 0)}
    assert b"dcterms" not in re.sub(
        rb'xmlns:dcterms="[^"]*"',
        b"",
        zipfile.ZipFile(io.BytesIO(written(game, None))).read("docProps/core.xml"),
    )


def test_every_sheet_prints_with_its_heading_and_page_number():
    for sheet in workbook(written(game_of(SHEETS[0]))):
        assert (sheet.page_setup.orientation, sheet.page_setup.fitToWidth) == ("landscape", 1)
        assert sheet.print_title_rows == "$1:$1"
        assert HEAD.number in sheet.oddHeader.left.text
        assert "&P" in sheet.oddFooter.right.text


def test_no_sentence_is_repeated_and_percentages_are_formatted_as_such():
    book = workbook(written(game_of(SHEETS[0])))
    told = [row[1] for row in book["methods"].iter_rows(min_row=2, values_only=True)]
    assert len(told) == len(set(told))
    assert {cell.number_format for cell in book["returns"]["C"][1:]} == {"0.000000%"}


def test_equal_figures_are_equal_bytes_and_another_figure_is_not():
    game = game_of(SHEETS[1])
    first = written(game)
    assert first == written(game)
    assert first != par_xlsx(tables_of(game.id, "time-out"), par_title(game), HEAD)


def test_csv_says_the_same_as_the_workbook():
    game = game_of(SHEETS[1])
    tables = tables_of(game.id)
    read = list(csv.reader(io.StringIO(par_csv(tables).decode("utf-8"), newline="")))
    assert [row[0] for row in read if len(row) == 1] == [table.name for table in tables]
    assert sum(bool(row) for row in read) == sum(len(table.rows) + 2 for table in tables)
    heads = {table.name: table.header for table in tables}
    book = workbook(par_xlsx(tables, "title", HEAD), values=True)
    lines = iter(row for row in read if len(row) > 1)
    for sheet in book:
        # Programs read names of columns, people headings.
        assert tuple(next(lines)) == heads[sheet.title]
        for row in sheet.iter_rows(min_row=2, values_only=True):
            line = next(lines)
            for there, here in zip(row, line, strict=True):
                number = isinstance(there, int | float)
                # The library of the workbook writes sixteen digits.
                same = pytest.approx(there, rel=1e-15) == float(here) if number else here == (there or "")
                assert same, (sheet.title, here, there)


def hostile(attack):
    """A game that carries an attack wherever a submission has a text."""
    game = game_of(SHEETS[0])
    wager = game.wagers[0]
    row = replace(
        wager.paytable.rows[0], title=attack, origin=replace(wager.paytable.rows[0].origin, by=attack)
    )
    paytable = replace(wager.paytable, rows=(row, *wager.paytable.rows[1:]))
    return replace(
        game,
        title=attack,
        version=attack,
        supplier=attack,
        rule_values=tuple(replace(rule, value=attack, title=attack) for rule in game.rule_values),
        wagers=(replace(wager, title=attack, paytable=paytable), *game.wagers[1:]),
    )


@pytest.fixture(scope="module")
def figures():
    return analysed(SHEETS[0])


@pytest.fixture(scope="module")
def highest():
    return exposure(game_of(SHEETS[0]))


@pytest.mark.parametrize("attack", firsts(ATTACKS, 4))
def test_text_that_looks_like_a_formula_is_never_one(attack, figures, highest):
    game = hostile(attack)
    tables = par_tables(game, [figures], replace(HEAD, issuer=Issuer(attack, "")), highest)
    ours = {cell.text for table in tables for row in table.rows for cell in row if isinstance(cell, Formula)}
    landed = 0
    for sheet in workbook(par_xlsx(tables, "title")):
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value == attack:
                    assert (cell.data_type, cell.quotePrefix) == ("s", True)
                    landed += 1
                elif cell.data_type == "f":
                    assert cell.value in ours
    assert landed > 10
    for line in csv.reader(io.StringIO(par_csv(tables).decode("utf-8"), newline="")):
        for text in line:
            assert text.lstrip()[:1] not in tuple("=+-@＝") or re.fullmatch(r"-?[0-9./e-]+", text), text


@pytest.mark.parametrize(("currency", "form"), [("JPY", "#,##0"), ("EUR", "#,##0.00#")])
def test_amounts_have_the_places_of_their_currency(currency, form, figures, highest):
    tables = par_tables(game_of(SHEETS[0]), [figures], HEAD, replace(highest, currency=currency))
    sheet = workbook(par_xlsx(tables, "title"))["exposure"]
    assert {row[1].number_format for row in sheet.iter_rows(min_row=2) if row[1].value} == {form}


SIGNS = ("=", "+", "-", "@", "\r", "\n", "＝", "－", "＋", "＠", "−")
"""With what a cell begins that a spreadsheet would compute."""


@given(st.text(st.sampled_from("=+-@ \t\r\n\u00a0＝－0123456789./|A!'(")))
def test_only_a_full_match_of_a_number_may_begin_with_a_sign(text):
    told = not_a_formula(text)
    assert told.replace("'", "") == text.replace("'", "")
    # Spreadsheets also part cells at semicolons, tabs and bars.
    begun = [part for part in re.split(r"[;|\t]", told) if part.strip(" \u00a0")[:1] in SIGNS]
    assert all(Fraction(part) <= 0 for part in begun)
    if not any(part.strip(" \u00a0")[:1] in SIGNS for part in re.split(r"[;|\t]", text)):
        assert told == text


def test_ruin_counts_a_round_that_can_lose_more_than_its_ante():
    """By hand: from 4 units, rounds that win or lose 3 with equal chance; a round asks for 3."""
    half = Fraction(1, 2)
    figures = WagerFigures("ante", (Outcome("win", Fraction(3), half), Outcome("lose", Fraction(-3), half)))
    assert ruin(figures, 2, 1) == 1.0
    assert ruin(figures, 4, 1) == 0.5
    # From 4: lose (1 left, ruined) 1/2; win to 7, lose to 4, lose to 1: 1/8 more within three rounds.
    assert ruin(figures, 4, 3) == 0.5 + 0.125
    assert ruin(figures, 12, 3) == 0.0

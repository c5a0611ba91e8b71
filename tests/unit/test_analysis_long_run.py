"""Ruin of player and house, also where the player has the edge: closed forms, loops, and the bounds around them."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.analysis.long_run import HOUSE, PLAYER, lundberg_base, ruin_in_the_long_run, steps_of
from certify.analysis.par_sheet import par_sheet_evidence, ruin, top_award_evidence
from certify.errors import InputError
from certify.evidence.plain import plain
from certify.mathematics import analyze
from certify.mathematics.par_tables import par_tables
from certify.model.figures import Outcome, WagerFigures
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
    with pytest.raises(InputError, match="expected player or house"):
        ruin(GENEROUS, 10, 10, "bank")
    with pytest.raises(InputError, match="at least one unit"):
        ruin_in_the_long_run(GENEROUS, 0)


def test_the_top_award_is_what_pays_most_for_what_is_staked():
    assert plain(top_award_evidence(analyze(CASINO).wager("ante"))) == {
        "outcome": "king-of-diamonds",
        "outcomes": ["king-of-diamonds"],
        "pays": "3 to 1",
        "probability": "1/40",
        "one_in": "40",
    }
    royal = plain(top_award_evidence(analyze(SEVEN, "always-second-card").wager("mano-di-poker")))
    assert (royal["outcome"], royal["one_in"]) == ("royal-flush", "2470")


@pytest.mark.parametrize("game", [CASINO, HOME, SEVEN], ids=["casino", "home", "7-e-mezzo"])
def test_the_par_sheet_names_every_item(game):
    tables = {table.name: table for table in par_tables(game, [analyze(game)])}
    assert all(len(name) <= 31 for name in tables)
    assert all(len(row) == len(table.header) for table in tables.values() for row in table.rows)
    items = {row[0]: row[1] for row in tables["header"].rows}
    assert items["shoe deck"].startswith("40 cards")
    assert items["submitted file, SHA-256"] == game.sha256
    exposed = {row[0]: row for row in tables["exposure"].rows}
    assert exposed["highest net win of one round"][1] > 0
    assert exposed["draws of that round, in order"][3]
    assert {row[2] for row in tables["ruin in the long run"].rows} == {PLAYER, HOUSE}
    assert len(tables["bands"].rows) == 5 * 3 * len(game.wagers)
    assert {"bands", "losing runs", "ruin", "ruin in the long run"} <= {
        row[0] for row in tables["methods"].rows
    }

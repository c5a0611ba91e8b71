"""Published games that a new user would write in the language: their figures, both readings, and what is refused."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import Called

from certify.certification.exact import exact_results
from certify.certification.texts import texts_of
from certify.clauses.checks.awards import reachable, top_odds
from certify.clauses.checks.returns import complete
from certify.clauses.jurisdiction import regime_of
from certify.errors import InputError, SubmissionError
from certify.families.witnesses import reachable_rows, witnesses
from certify.mathematics import analyze
from certify.model.finding import Verdict
from certify.model.stages import paid_by
from certify.submission import read_game

Certify = Callable[..., Called]
HERE = Path(__file__).parent / "strangers"
GAMES = Path(__file__).parents[3] / "fixtures/games"
SEED = bytes(range(32))


@pytest.mark.parametrize(
    ("name", "wager", "returned"),
    [
        # www.dueforawin.com, 17 January 2024: the pass line without losing throws is won 47.31 % of the time.
        ("crapless-craps", "pass", Fraction(6557, 6930)),
        # beatingbonuses.com/war.htm: one deck 2.42 %, with 3 to 1 where the war is tied 1.71 %.
        ("one-deck-war", "bet", Fraction(20_322, 20_825)),
        ("battle-royal", "bet", Fraction(172, 175)),
        # wizardofodds.com, Teen Patti 20-20: 450,528 of 407,170,400 tie, 2.50 %; its pair plus and six cards by hand.
        pytest.param(
            *("teen-patti-20-20", "a"),
            1 - Fraction(407_170_400 - 450_528, 2 * 407_170_400) * Fraction(1, 20),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *("teen-patti-20-20", "tie", Fraction(801 * 450_528, 407_170_400)), marks=pytest.mark.slow
        ),
        pytest.param(
            *("teen-patti-20-20", "pair-b"),
            Fraction(51 * 4 + 41 * 48 + 31 * 48 + 7 * 720 + 4 * 1_096 + 2 * 3_744, 22_100),
            marks=pytest.mark.slow,
        ),
        # wizardofodds.com, three card poker: Prime, 4 to 1 on six cards and 3 to 1 on three of one colour, 3.62 %.
        pytest.param("three-card-prime", "prime", Fraction(10_781, 11_186), marks=pytest.mark.slow),
        # wizardofodds.com, Pick'em Poker: 99.95 %, a royal flush of 0.000003.
        pytest.param("pickem-poker", "bet", Fraction(508_727, 508_963), marks=pytest.mark.slow),
        # sonofdave.com, Double Down Stud, jacks or better: -0.021033 to the unit.
        pytest.param("double-down-stud", "bet", Fraction(318037, 324870), marks=pytest.mark.slow),
    ],
)
def test_the_return_is_the_published_one(name, wager, returned):
    game = read_game(HERE / f"{name}.toml")
    analysis = analyze(game)
    assert analysis.wager(wager).return_to_player == returned
    found = texts_of(game, SEED, analysis.strategy, 100)
    assert found is not None
    assert (found.differing, found.shared) == (0, ())


def test_bets_beside_a_tableau_have_their_published_edges():
    analysis = analyze(read_game(HERE / "punto-banco.toml"))
    edges = {
        wager: round(float(100 * analysis.wager(wager).house_edge), 3)
        for wager in ("big", "both-high", "three-giving-eight", "tiger")
    }
    # vegasfreedom.com: big 4.35 %; advancedadvantageplay.com, baccarat side bets: 7.372 %, 8.682 % and 15.253 %.
    assert edges == {"big": 4.346, "both-high": 7.372, "three-giving-eight": 8.682, "tiger": 15.253}
    # Small is all that big is not; the page prints 5.27 % for it, which is 5.28 % at 3 to 2.
    four = 1 - (1 - analysis.wager("big").house_edge) / Fraction(154, 100)
    assert analysis.wager("small").return_to_player == Fraction(5, 2) * four


def test_cards_without_end_come_near_the_published_figures_of_trente_et_quarante():
    analysis = analyze(read_game(HERE / "trente-et-quarante.toml"))
    # gamblinginamerica.name: both rows count 31 in 2.19 % of rounds, and half of all bets is lost then: 1.1 %.
    refait = next(one for one in analysis.wager("noir").outcomes if one.id == "refait").probability
    assert (round(float(refait), 4), round(float(analysis.wager("noir").house_edge), 3)) == (0.0219, 0.011)


@pytest.mark.slow
def test_two_hands_without_a_decision_win_as_often_as_each_other():
    analysis = analyze(read_game(HERE / "two-hands.toml"))
    tie = Fraction(450_528, 407_170_400)
    assert analysis.wager("player").return_to_player == Fraction(19, 10) * (1 - tie) / 2
    assert analysis.wager("tie").return_to_player == 865 * tie


@pytest.mark.parametrize(
    ("deals", "player", "dealer", "told"),
    [
        ("7 to player", "hand of player", "hand of dealer", "the best 5 of 7 cards, 20,358,520 deals"),
        ("5 to player", "hand of player by four-card", "hand of dealer by four-card", "10 cards lie there"),
        ("5 to player", "hand of player", "hand of dealer", "10 cards lie there"),
    ],
    ids=["best five of seven", "best four of five", "five against five"],
)
def test_hands_too_many_to_be_walked_are_refused_with_their_cards_and_the_form_that_is_counted(
    tmp_path, deals, player, dealer, told
):
    words = (HERE / "two-hands.toml").read_text("utf-8")
    words = words.replace("3 to player", deals).replace("3 to dealer", deals.replace("player", "dealer"))
    words = words.replace("hand of player by three-card", player).replace(
        "hand of dealer by three-card", dealer
    )
    file = tmp_path / "game.toml"
    file.write_text(words, "utf-8")
    with pytest.raises(SubmissionError, match=f"{told}.*or whole hands that meet: expected one whole deck"):
        read_game(file)


def test_fewer_draws_than_a_whole_round_needs_are_refused_before_it_is_played(tmp_path):
    stated = (HERE / "crapless-craps.toml").read_text("utf-8")
    (needed,) = (piece.supply for piece in read_game(HERE / "crapless-craps.toml").equipment)
    file = tmp_path / "game.toml"
    file.write_text(stated.replace("sides = 6\n", f"sides = 6\ndraws = {needed}\n"), "utf-8")
    assert read_game(file).equipment[0].supply == needed
    file.write_text(stated.replace("sides = 6\n", "sides = 6\ndraws = 2\n"), "utf-8")
    with pytest.raises(
        SubmissionError, match=r"2 draws of die are stated: a whole round may need [0-9]+; expected"
    ):
        read_game(file)


@pytest.mark.parametrize("reading", ["most alike", "different"])
def test_more_faces_than_are_kept_are_refused_before_they_are_thrown(tmp_path, reading):
    """Faces of dice are kept as they came: of 99 in C(104, 6) ways before the last one."""
    words = (HERE / "crapless-craps.toml").read_text("utf-8")
    file = tmp_path / "game.toml"
    words = words.replace("sum of point is 7", f"{reading} in point is 2").replace(
        "2 to point", "99 to point"
    )
    file.write_text(words, "utf-8")
    with pytest.raises(SubmissionError, match=r"game.toml:11: .*in 1,517,381,580 ways .* at most 3,000,000"):
        read_game(file)


def _with_a_row_for_the_war_bet():
    text = (GAMES / "casino-war/game.toml").read_text("utf-8")
    own = '{ id = "war-won", title = "Won in the war: the first bet", pays = "0 to 1" },'
    assert text.count("war as win") == 2
    assert own in text
    row = '{ id = "war-pays", title = "The war bet", pays = "1 to 1" },'
    return text.replace("war as win", "war as war-pays").replace(own, f"{own}\n  {row}")


def test_a_row_that_a_further_stake_is_paid_by_is_reached_shown_and_counted(certify, tmp_path):
    file = tmp_path / "game.toml"
    file.write_text(_with_a_row_for_the_war_bet(), "utf-8")
    game, whole = read_game(file), read_game(GAMES / "casino-war/game.toml")
    figures, sound = analyze(game).wager("bet"), analyze(whole).wager("bet")
    assert figures.net == sound.net
    assert [one.id for one in figures.outcomes] == [one.id for one in sound.outcomes]
    assert figures.odds_of("war-pays") == figures.odds_of("war-won") + figures.odds_of("tied-again")
    assert {one.row for one in witnesses(game, reachable_rows(game))} >= set(game.wager("bet").paytable.ids)
    assert "no round reaches" not in certify("lint", file).out
    results = exact_results(game, regime_of([]), thorough=False)
    assert {one.verdict for check in (reachable, complete, top_odds) for one in check(results)} == {
        Verdict.SATISFIED
    }


def test_an_outcome_that_no_row_names_is_no_lost_stake():
    with pytest.raises(InputError, match='"push", which no row'):
        paid_by(read_game(GAMES / "casino-war/game.toml").wagers)("tie", "push")


def test_lint_names_the_kind_of_hands_that_no_row_names(certify, tmp_path):
    text = (GAMES / "three-card-bonuses/game.toml").read_text("utf-8")
    changed = text.replace(
        'is at least straight-flush", row = "straight-flush", at =',
        'is straight-flush", row = "straight-flush", at =',
    )
    assert changed != text
    said = 'no condition of "pair-plus" names the kind "mini-royal"'
    for stated, told in ((text, False), (changed, True)):
        (tmp_path / "game.toml").write_text(stated, "utf-8")
        assert (said in certify("lint", tmp_path / "game.toml").out) is told

"""Conditions mean the same to everybody who reads them, and every mistake in them is told with its line."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import perm
from pathlib import Path

import numpy as np
import pytest
from evidence_filled import smallest
from hypothesis import given, settings, settings as examples, strategies as st
from one_draw import DICE, FRAME, dice, parsed, settled, wager

from certify.certification.cross_checks import agreement, texts_of
from certify.certification.exact import exact_results
from certify.certification.submitted import layout_evidence, wagers_evidence
from certify.clauses import regime_of
from certify.clauses.checks.awards import exposure_stated
from certify.errors import SubmissionError
from certify.families.described.second import settle
from certify.families.single_draw.rules import rules_of, table_of, text as played
from certify.mathematics import analyze, plan_of
from certify.messages import speaking
from certify.model import ChoiceTable, ReadAs, Verdict, pays_of
from certify.report.chapters.scope import of_bets, of_table
from certify.report.figures.pieces import MOST, LayoutSpot, layout_of_table
from certify.submission import read_game

NOTHING = ChoiceTable("main-optimal", "no decisions", frozenset())

TESTS = st.one_of(
    st.builds("sum of dice is {} to {}".format, st.integers(0, 10), st.integers(10, 20)),
    st.builds("sum of dice is at least {}".format, st.integers(0, 20)),
    st.builds(
        "count of {{{}}} in dice is {}".format, st.sampled_from(["1", "2, 5", "4 to 6"]), st.integers(0, 3)
    ),
    st.builds("most alike in dice is at least {}".format, st.integers(1, 3)),
    st.builds("different in dice is {}".format, st.integers(1, 3)),
    st.builds("dice draw {} shows {{{}}}".format, st.integers(1, 3), st.integers(1, 6)),
)
CONDITIONS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("not {}".format, inner),
    ),
    max_leaves=5,
)


@pytest.mark.parametrize(("balls", "drawn"), [(80, 20), (6, 4)])
def test_of_balls_in_order_those_count_whose_place_is_named(balls: int, drawn: int) -> None:
    piece = f'[[equipment]]\nid = "balls"\nkind = "balls"\nballs = {balls}\ndraws = {drawn}\n'
    when = "balls draw 1 shows {2} and not balls last shows {1, 2}"
    game = parsed(
        piece,
        f'\n[[each_draw]]\npiece = "balls"\ncount = {drawn}\n',
        wager("bet", "win"),
        settled(wager="bet", when=when, row="win"),
    )
    (bet,) = analyze(game).wagers
    assert bet.outcomes[0].probability == Fraction(1, balls) * Fraction(balls - 2, balls - 1)
    assert table_of(played(game)).total == perm(balls, drawn)


def test_a_die_of_thousands_of_sides_is_one_draw_of_as_many_ways():
    sides = DICE.replace("sides = 6\ndraws = 3", "sides = 2000").replace("count = 3", "count = 1")
    under = settled(wager="bet", when="sum of dice is at most 990", row="win")
    assert analyze(parsed(sides, wager("bet", "win"), under)).wagers[0].return_to_player == 3 * Fraction(
        99, 200
    )


@settings(max_examples=max(4, settings.default.max_examples // 10))
@given(CONDITIONS)
def test_both_texts_the_lint_and_the_play_through_say_the_same_of_any_condition(when):
    game = dice(f"sum of dice is 3 or dice draw 1 shows {{6}} and ({when})")
    throws = np.array(list(product(range(6), repeat=3)), dtype=np.uint8)
    assert not agreement(game, NOTHING, throws).differences
    names, pays = game.equipment[0].faces, pays_of(game.wagers)
    ends = [settle(rules_of(game), pays, [names[face] for face in throw], ()) for throw in throws.tolist()]
    won = sum(ended["bet"][0] == "win" for ended in ends)
    exact = {outcome.id: outcome.probability for outcome in analyze(game).wagers[0].outcomes}
    told = table_of(played(game))
    assert won
    assert {name: chance for name, chance in exact.items() if chance} == {
        name: Fraction(count, 216) for name, count in (("win", won), ("lose", 216 - won)) if count
    }
    assert sum(one.weight for one in told.decided if one.ends == (0,)) == won


def problems(*parts):
    with pytest.raises(SubmissionError) as caught:
        parsed(*parts)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("sum of wheel is 3", "a piece that is drawn from (dice)"),
        ("sum of dice is", "expected a whole number up to 1,000,000"),
        (
            "sum of dice is 12345678",
            '"12345678" after "of dice is": expected a whole number up to 1,000,000',
        ),
        ("sum of dice is 9 to 3", "the lower number first"),
        ("dice shows {1}", 'expected "draw" and a number from 1 to 3'),
        ("dice draw 4 shows {1}", "draw 4: expected 1 to 3"),
        ("count of {7} in dice is 1", '"7" is no face of dice'),
        ("count of evens in dice is 1", "a group of dice (none is stated)"),
        ("different ranks in dice is 1", "ranks of dice: expected a shoe"),
        ("sum of dice is 3 and", "the end after"),
        ("sum of dice is 3 )", 'expected "and", "or" or the end'),
        ("__import__('os').system('true')", "a piece that is drawn from"),
        ("(" * 30 + "sum of dice is 3" + ")" * 30, "nested more than 20 deep"),
        ("not " * 30 + "sum of dice is 3", "nested more than 20 deep"),
        ("sum of dice is 3 or " * 99 + "sum of dice is 3", "expected at most 300"),
        ("x" * 3000, "a condition of 3,000 characters"),
        ("", "the end: expected"),
    ],
)
def test_a_condition_that_cannot_be_read_is_refused_in_its_line_with_what_was_expected(when, expected):
    condition = settled(wager="bet", when=when, row="win")
    ((line, message),) = problems(DICE, wager("bet", "win"), condition)
    assert expected in message
    text = FRAME + DICE + wager("bet", "win") + condition
    assert line == line_of(text, 'when = "')


def test_what_is_missing_or_of_the_wrong_form_is_told_alone_not_what_would_follow_from_it():
    bet = settled(wager="bet", when="sum of dice is 3", row="win")
    draw = DICE[DICE.index("[[each_draw]]") :]
    for whole, stated, said in (
        (draw, "", 'the table "each_draw" is missing'),
        ("count = 3", 'count = "3"', "each_draw[1].count: expected a whole number, got '3'"),
        ("sides = 6", 'labels = ["a", "a"]', "the label 'a' is stated twice"),
        (
            'kind = "dice"\nsides = 6',
            'kind = "wheel"\nstops = ["a", "a"]',
            "'a' is stated twice: expected once, with its copies",
        ),
    ):
        assert whole in DICE
        ((_, message),) = problems(DICE.replace(whole, stated), wager("bet", "win"), bet)
        assert said in message


def test_a_stage_misspelt_where_it_is_led_to_has_one_message():
    led = settled(wager="bet", when="sum of dice is 3", then="agian")
    waits = settled(wager="bet", after="again", when="sum of dice is 4", row="win")
    ((_, message),) = problems(DICE, wager("bet", "win"), led, waits)
    assert 'the stage "agian" settles nothing' in message


def test_every_mistake_of_a_submission_is_told_at_once():
    found = problems(
        DICE.replace("count = 3", "count = 4"),
        wager("bet", "win"),
        wager("idle", "win"),
        '\n[[face_groups]]\nid = "or"\npiece = "dice"\nfaces = ["9"]\n',
        '\n[[face_worth]]\npiece = "cup"\nfaces = ["1"]\ncounts = "many"\n',
        settled(wager="bet", when="sum of dice is three", row="win"),
        settled(wager="nobody", when="sum of dice is 3", row="win"),
        settled(wager="bet", when="sum of dice is 3", row="half"),
        settled(wager="bet", when="sum of dice is 4", row="win", returns="1/2"),
        settled(wager="bet", when="sum of dice is 5", row="win", then="again"),
        settled(wager="bet", when="sum of dice is 6", row="back", returns="3/2"),
    )
    said = "\n".join(message for _, message in found)
    for part in (
        "4 draws from dice in a turn: expected 1 to 3",
        '"or": expected an id',
        '"9" is no face of dice',
        '"many": expected a whole number',
        "expected a whole number",
        'no wager "nobody"',
        'the row "half" is not in the paytable of bet',
        'the row "win" is paid by the paytable',
        "either a row in which the wager ends or a stage",
        '"3/2": expected a part of the stake',
        'nothing settles "idle"',
    ):
        assert part in said
    assert all(line > 0 for line, _ in found)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (
            (
                settled(wager="bet", when="sum of dice is 3 to 5", row="win"),
                settled(wager="bet", when="count of {1} in dice is 3", row="more"),
            ),
            ": dice 1, 1, 1",
        ),
        (
            (settled(wager="bet", when="sum of dice is 19", row="back", returns="1"),),
            "no draw fulfils this condition",
        ),
        (
            (
                settled(wager="bet", when="sum of dice is 3", row="win"),
                settled(wager="bet", when="sum of dice is 19", row="win"),
            ),
            "no draw fulfils this condition",
        ),
        (
            (settled(wager="bet", when="sum of dice is 3", then="wait"),),
            'the stage "wait" settles nothing',
        ),
        (
            (
                settled(wager="bet", when="sum of dice is 3", row="win"),
                settled(wager="bet", after="wait", when="sum of dice is 4", row="more"),
            ),
            'nothing leads bet to "wait"',
        ),
        (
            (
                settled(wager="bet", when="sum of dice is 3", then="a"),
                settled(wager="bet", after="a", when="sum of dice is 3", then="b"),
                settled(wager="bet", after="b", when="sum of dice is 3", then="a"),
            ),
            "leads back",
        ),
        (
            (
                settled(wager="bet", when="sum of dice is 3", then="a"),
                settled(wager="bet", after="a", when="sum of dice is at least 3", then="a"),
            ),
            "never settled from here",
        ),
        ((wager("bet", "win"), settled(wager="bet", when="sum of dice is 3", row="win")), "is stated twice"),
    ],
)
def test_conditions_that_make_no_sense_together_are_refused(entries, expected):
    found = problems(DICE, wager("bet", "win", "more"), *entries)
    assert any(expected in message for _, message in found), found


def test_a_turn_with_more_ways_than_are_counted_is_refused_before_it_is_counted():
    many = (
        DICE.replace("sides = 6", "sides = 4000")
        .replace("draws = 3", "draws = 4000")
        .replace("= 3\n", "= 4000\n")
    )
    found = problems(
        many, wager("bet", "win"), settled(wager="bet", when="different in dice is 1", row="win")
    )
    assert "ways of a turn: expected at most 50,000" in found[0][1]
    # Two balls of twenty that are compared: 6,400 rows, each kept through eighteen other draws, take minutes.
    balls = '[[equipment]]\nid = "balls"\nkind = "balls"\nballs = 80\ndraws = 20\n'
    found = problems(
        balls + '\n[[each_draw]]\npiece = "balls"\ncount = 20\n',
        wager("bet", "win"),
        settled(wager="bet", when="draw 5 of balls is above draw 4 of balls", row="win"),
    )
    assert "121,600 ways of a turn: expected at most 50,000" in found[0][1]


def test_many_wagers_that_can_end_in_few_ways_together_are_taken(monkeypatch):
    parts = [wager(f"bet-{n}", "win") for n in range(17)]
    parts += [settled(wager=f"bet-{n}", when="sum of dice is 9", row="win") for n in range(17)]
    assert len(parsed(DICE, *parts).wagers) == 17
    monkeypatch.setattr("certify.families.single_draw.family.MOST_JOINT", 1)
    assert any("more than 1 joint outcomes" in message for _, message in problems(DICE, *parts))


PRISON = """
[[equipment]]
id = "wheel"
kind = "wheel"
stops = ["0", "1", "2", "3", "4"]
draws = 60

[[each_draw]]
piece = "wheel"
count = 1
"""


def test_a_stake_that_stays_in_prison_is_solved_for_any_number_of_turns():
    game = parsed(
        PRISON,
        wager("even", "win"),
        settled(wager="even", when="wheel shows {2, 4}", row="win"),
        settled(wager="even", when="wheel shows {0}", then="prison"),
        settled(wager="even", after="prison", when="wheel shows {2, 4}", row="free", returns="1"),
        settled(wager="even", after="prison", when="wheel shows {0}", then="prison"),
    )
    exact = {outcome.id: outcome.probability for outcome in analyze(game).wagers[0].outcomes}
    # From prison 2/5 leave free, 2/5 lose and 1/5 stay: halves, whatever the number of turns.
    assert exact == {"win": Fraction(2, 5), "free": Fraction(1, 10), "lose": Fraction(1, 2)}
    rows = np.array([[0] * 59 + [4], [0, 0, 1, *[0] * 57], [2] * 60], dtype=np.uint8)
    assert not agreement(game, NOTHING, rows).differences
    checked = texts_of(game, bytes(32), NOTHING, 200)
    assert checked.differing == 0


def test_fewer_draws_than_a_wait_may_need_are_refused_and_none_stated_are_counted():
    terms = (
        wager("even", "win"),
        settled(wager="even", when="wheel shows {0}", then="prison"),
        settled(wager="even", after="prison", when="wheel shows {0}", then="prison"),
        settled(wager="even", after="prison", when="wheel shows {2}", row="win"),
    )
    # A wait of 1 in 5: to the 13th power it is below 1 in 10^9, to the 22nd below 1 in 10^15.
    assert parsed(PRISON.replace("draws = 60", "draws = 13"), *terms).equipment[0].supply == 13
    assert parsed(PRISON.replace("draws = 60\n", ""), *terms).equipment[0].supply == 22
    (few,) = problems(PRISON.replace("draws = 60", "draws = 12"), *terms)
    assert "12 draws of wheel are stated: a whole round may need 13" in few[1]
    frozen = PRISON.replace("draws = 60\n", "").replace("stops = [", "stops = [" + "".join(
        f'"a{n}", ' for n in range(80)
    ))  # fmt: skip
    always = settled(wager="even", after="prison", when="not wheel shows {2}", then="prison")
    found = problems(frozen, terms[0], terms[1], always, terms[3])
    assert any("more than 2,000 turns" in message for _, message in found), found


CARDS = """
[[equipment]]
id = "shoe"
kind = "shoe"
decks = 2
ranks = ["A", "K", "Q"]
suits = ["hearts", "spades"]

[[each_draw]]
piece = "shoe"
count = 2

[[face_worth]]
piece = "shoe"
faces = ["A"]
counts = "11"

[[face_worth]]
piece = "shoe"
faces = ["K", "Q"]
counts = "10"
"""


def test_first_cards_of_a_shoe_are_counted_without_putting_any_back():
    game = parsed(
        CARDS,
        wager("pair", "perfect", "suited", "mixed"),
        settled(wager="pair", when="different in shoe is 1", row="perfect"),
        settled(wager="pair", when="different ranks in shoe is 1 and different in shoe is 2", row="mixed"),
        settled(wager="pair", when="sum of shoe is 21 and different suits in shoe is 1", row="suited"),
    )
    exact = {outcome.id: outcome.probability for outcome in analyze(game).wagers[0].outcomes}
    # 12 cards: the second is the same with 1 of 11, of the same rank and the other suit with 2 of 11.
    assert (exact["perfect"], exact["mixed"]) == (Fraction(1, 11), Fraction(2, 11))
    assert exact["suited"] == Fraction(4 * 8 * 2, 2 * 12 * 11)


def test_conditions_in_another_order_and_a_wager_taken_away_change_no_figure():
    wagers = (DICE, wager("one", "win", "more"), wager("two", "win"))
    conditions = (
        settled(wager="one", when="sum of dice is 3", row="win"),
        settled(wager="one", when="sum of dice is 4", row="more"),
        settled(wager="two", when="dice draw 2 shows {6}", row="win"),
    )
    both, turned = parsed(*wagers, *conditions), parsed(*wagers, *reversed(conditions))
    alone = replace(both, wagers=both.wagers[1:])
    assert analyze(turned).wagers == analyze(both).wagers
    assert analyze(alone).wagers == analyze(both).wagers[1:]
    assert table_of(played(alone)).total == 216


def test_a_hand_of_first_cards_is_read_as_games_of_several_draws_read_it():
    game = parsed(
        CARDS.replace("count = 2", "count = 3"),
        wager("three", "trips", "pair"),
        settled(wager="three", when="hand of shoe by three-card is three-of-a-kind", row="trips"),
        settled(wager="three", when="hand of shoe by three-card is pair", row="pair"),
    )
    exact = {outcome.id: outcome.probability for outcome in analyze(game).wagers[0].outcomes}
    # Of 220 hands 12 are of one rank; 64 of three ranks are straights, 24 pairs of one suit are flushes.
    assert (exact["trips"], exact["lose"]) == (Fraction(12, 220), Fraction(88, 220))


def test_the_costliest_round_is_replayed_with_broken_units_of_each_wager_rounded_up():
    parts = [wager(f"bet-{n}", "win").replace("2 to 1", "7 to 6") for n in range(3)]
    parts += [settled(wager=f"bet-{n}", when="sum of dice is 9", row="win") for n in range(3)]
    results = exact_results(parsed(DICE, *parts), regime_of([]), thorough=False)
    # Three times 583 1/3 minor units: 584 each, not 1,750 together.
    assert results.exposure.amount == 3 * 584
    assert [answer.verdict for answer in exposure_stated(results)] == [Verdict.SATISFIED]
    less = replace(results, exposure=replace(results.exposure, amount=1750))
    assert [answer.verdict for answer in exposure_stated(less)] == [Verdict.NOT_SATISFIED]


# The layout of the bets: which draws win each wager, as the settlement says, and drawn for a reader.


GAMES = Path(__file__).parents[3] / "fixtures/games"
WHEEL = "roulette-double-zero"
"""A wheel with a wager of every size."""


def game(name):
    return read_game(GAMES / name / "game.toml")


def return_of(coverage, wager):
    """The return that a layout tells, of a wager that no further draw decides."""
    (covered,) = (one for one in coverage.wagers if one.wager == wager)
    return sum(
        (covered.chances[spot.column] * spot.share * (1 + (spot.net or 0)) for spot in covered.spots),
        Fraction(0),
    )


@pytest.mark.parametrize(
    "name",
    [
        "sic-bo",
        "big-six",
        "deal-em",
        *(pytest.param(name, marks=pytest.mark.slow) for name in (WHEEL, "keno")),
    ],
)
def test_the_layout_alone_gives_the_exact_return_of_every_wager(name):
    submitted = game(name)
    exact = analyze(submitted, plan_of(submitted).analysed[0])
    coverage = layout_evidence(submitted).coverage
    told = {one.wager: return_of(panel, one.wager) for panel in coverage for one in panel.wagers}
    assert told == {one.wager: one.return_to_player for one in exact.wagers}
    assert all(sum(one.chances) == 1 for panel in coverage for one in panel.wagers)


def test_a_wheel_is_laid_out_face_by_face_in_the_order_of_its_numbers():
    (panel,) = layout_evidence(game(WHEEL)).coverage
    assert (panel.reading, panel.drawn, panel.columns[:4]) == (ReadAs.FACE, 1, ("0", "00", "1", "2"))
    straight = next(one for one in panel.wagers if one.wager == "straight-up")
    assert [(panel.columns[spot.column], spot.net) for spot in straight.spots] == [("17", 35)]


def test_a_wager_that_waits_for_another_draw_is_shown_as_waiting():
    (panel,) = layout_evidence(game("roulette-en-prison")).coverage
    red = next(one for one in panel.wagers if one.wager == "red")
    assert (panel.columns[red.spots[0].column], red.spots[0].net) == ("0", None)


@examples(max_examples=15)
@given(low=st.integers(3, 18), width=st.integers(0, 6))
def test_any_range_of_totals_is_laid_out_where_it_wins(low, width):
    high = min(low + width, 18)
    when = f"sum of dice is {low} to {high}"
    (panel,) = layout_evidence(
        parsed(DICE, wager("range", "win"), settled(wager="range", when=when, row="win"))
    ).coverage
    assert [panel.columns[spot.column] for spot in panel.wagers[0].spots] == [
        str(total) for total in range(low, high + 1)
    ]


def evidence_of(submitted):
    return replace(smallest(), layout=layout_evidence(submitted), wagers=wagers_evidence(submitted))


@pytest.mark.parametrize("name", [WHEEL, "sic-bo", "keno", "craps", "three-card-poker", "deal-em"])
@pytest.mark.parametrize("language", ["en", "it"])
def test_every_game_has_a_drawing_within_its_edges_that_names_every_wager(name, language):
    submitted = game(name)
    with speaking(language):
        table = of_table(evidence_of(submitted))
        bets = of_bets(evidence_of(submitted))
    assert all(bet.title in table.alternative for bet in submitted.wagers)
    for figure in (table, *bets):
        width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', figure.drawing)[0])
        xs = [float(x) for x in re.findall(r' x[12]?="(-?[\d.]+)"', figure.drawing)]
        ys = [float(y) for y in re.findall(r' y[12]?="(-?[\d.]+)"', figure.drawing)]
        assert 0 <= min(xs) <= max(xs) <= width
        assert 0 <= min(ys) <= max(ys) <= height


def test_more_wagers_than_can_be_drawn_are_counted_in_the_caption():
    places = [LayoutSpot(f"Wager {number}", "1 to 1", "1 to 5") for number in range(MOST + 3)]
    figure = layout_of_table("house", places)
    assert f"first {MOST} of {MOST + 3} wagers" in figure.caption
    assert layout_of_table("house", []) is None

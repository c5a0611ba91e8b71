"""Games of one draw: layouts as tables offer them, played as the twin plays them, and known figures."""

import hashlib
import json
import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from pathlib import Path

import pytest
from cli_support import ROOT
from many_bets import craps, keno, layout, sic_bo, sic_bo_bets
from representatives import firsts, only

from certify.certification.cross_checks import texts_of
from certify.errors import SubmissionError
from certify.exact import parse_percent
from certify.families import family
from certify.families.single_draw import family as of_one_draw, rules
from certify.mathematics import analyze, joint_figures
from certify.submission import parse_game, read_game

GAMES = {
    path.parent.name: path
    for path in sorted(Path("fixtures").glob("[gt]a*es/*/game.toml"))
    if '\nfamily = "single-draw"\n' in path.read_text("utf-8")
}

WIDE = {"craps-layout", "keno-card", "roulette-layout", "keno"}
"""Layouts whose joint figures take half of the time of all; their packs hold every printed return against them."""

# (game, wager): return by hand.
RETURNS = {
    ("roulette-single-zero", "red"): Fraction(73, 74),
    ("roulette-single-zero", "straight-up"): Fraction(36, 37),
    ("roulette-single-zero", "first-four"): Fraction(36, 37),
    ("roulette-en-prison", "red"): 1 - Fraction(19, 37 * 37),
    ("roulette-double-zero", "basket"): Fraction(35, 38),
    ("roulette-double-zero", "split"): Fraction(36, 38),
    ("roulette-triple-zero", "red"): Fraction(36, 39),
    ("roulette-layout", "voisins"): Fraction(36, 37),
    ("roulette-layout", "orphelins"): Fraction(36, 37),
    ("roulette-layout", "neighbours-0"): Fraction(36, 37),
    ("craps-layout", "pass-line"): 1 - Fraction(7, 495),
    ("craps-layout", "dont-pass"): 1 - Fraction(3, 220),
    ("craps-layout", "place-6"): 1 - Fraction(1, 66),
    ("craps-layout", "buy-4"): 1 - Fraction(1, 21),
    ("craps-layout", "lay-5"): 1 - Fraction(1, 31),
    ("craps-layout", "hard-8"): 1 - Fraction(1, 11),
    ("craps-layout", "whirl"): 1 - Fraction(2, 15),
    ("craps-layout", "hop-12"): 1 - Fraction(1, 9),
    ("sic-bo", "small"): Fraction(35, 36),
    ("sic-bo", "single"): 1 - Fraction(17, 216),
    ("sic-bo", "two-faces"): Fraction(30 * 6, 216),
    ("sic-bo", "double"): Fraction(16 * 11, 216),
    ("sic-bo", "triple"): Fraction(181, 216),
    ("sic-bo", "any-triple"): Fraction(6 * 31, 216),
    ("sic-bo", "total-9"): Fraction(25 * 8, 216),
    ("big-six", "one"): Fraction(48, 54),
    ("big-six", "joker"): Fraction(41, 54),
    ("keno", "pick-1"): Fraction(3, 4),
    ("deal-em", "ticket"): Fraction(335 * 2, 1050),
}


@cache
def submission_of(name):
    """A game, read once it is asked for."""
    return read_game(GAMES[name])


@cache
def analysed(name):
    """The exact figures of a game, counted once for all that is printed of it."""
    return analyze(submission_of(name))


@cache
def of_named_bets(name):
    """The exact figures of the bets that are counted by hand alone: each pair of a wide layout would be counted too."""
    game = submission_of(name)
    return analyze(replace(game, wagers=tuple(bet for bet in game.wagers if (name, bet.id) in RETURNS)))


@pytest.mark.parametrize(
    ("name", "wager"), only(RETURNS, *(bet for bet in RETURNS if bet[0] not in ("craps-layout", "keno")))
)
def test_returns_are_those_counted_by_hand(name, wager):
    assert of_named_bets(name).wager(wager).return_to_player == RETURNS[name, wager]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in WIDE)) for name in GAMES]
)
def test_every_printed_return_holds_and_the_file_that_names_its_sources_is_the_one_submitted(
    name,
):
    game, analysis = submission_of(name), analysed(name)
    for claim in game.claims:
        assert claim.printed.stands_for(analysis.wager(claim.wager).return_to_player), claim
    (source,) = game.sources
    printed = Path(game.path).parent / source.file
    assert hashlib.sha256(printed.read_bytes()).hexdigest() == source.sha256
    assert "http" in printed.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("pick", range(1, 11))
def test_every_catch_of_keno_has_its_hypergeometric_chance(pick):
    figures = analysed("keno-card").wager(f"pick-{pick}")
    for outcome in figures.outcomes:
        if outcome.id != "lose":
            caught = int(outcome.id.removeprefix("catch-"))
            ways = comb(20, caught) * comb(60, pick - caught)
            assert outcome.probability == Fraction(ways, comb(80, pick))


def test_a_box_of_tickets_pays_its_printed_prizes_exactly():
    (box,) = submission_of("deal-em").equipment
    counts = {
        outcome.id: outcome.probability * box.size for outcome in analysed("deal-em").wagers[0].outcomes
    }
    assert {name: counts[name] for name in ("prize-75-00", "prize-1-00", "prize-0-50", "lose")} == {
        "prize-75-00": 1,
        "prize-1-00": 20,
        "prize-0-50": 200,
        "lose": 824,
    }
    assert not box.replaced


def test_figures_that_pages_print_wrongly_do_not_hold():
    # The page gives la partage's figure for en prison, and small's for two numbers; see sources.md of both games.
    for name, wager, printed in (
        ("roulette-en-prison", "red", "98.65 %"),
        ("sic-bo", "two-faces", "97.22 %"),
    ):
        assert not parse_percent(printed).stands_for(analysed(name).wager(wager).return_to_player)


def test_every_game_names_its_family_and_is_settled_without_code():
    assert len(GAMES) == 13
    for name, path in GAMES.items():
        assert tomllib.loads(path.read_text("utf-8"))["rules"] == []
        # A ball of Plinko returns half of its stake or more.
        assert name in WIDE or all_can_be_lost(submission_of(name)) is (name != "plinko")


def all_can_be_lost(game):
    """Tells whether every wager can be lost."""
    reachable = family("single-draw").rules.reachable_rows
    return all(reachable(game, wager.id)[-1] == "lose" for wager in game.wagers)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WIDE))
def test_a_bet_of_a_wide_layout_can_be_lost(name):
    assert all_can_be_lost(submission_of(name))


def read(text):
    return parse_game(text.encode(), "game.toml")


def returns(game):
    return {one.wager: one.return_to_player for one in analyze(game).wagers}


def throws():
    """A bet on each of the 56 different throws, besides the layout."""
    found = []
    for faces in combinations_with_replacement(range(1, 7), 3):
        parts = (f"count of {{{face}}} in dice is {faces.count(face)}" for face in sorted(set(faces)))
        found.append(
            (f"throw-{'-'.join(map(str, faces))}", "30 to 1", (("", " and ".join(parts), "win", ""),))
        )
    return found


def test_more_than_120_conditions_are_taken_for_what_they_cost_counts(
    monkeypatch,
):
    others = [(f"as-{bet}", pays, conditions) for bet, pays, conditions in sic_bo_bets()]
    text = layout(
        "many", "dice", 'kind = "dice"\nsides = 6\ndraws = 3', 3, [*sic_bo_bets(), *others, *throws()]
    )
    game = read(text)
    assert len(game.wagers) == 156
    assert returns(game)["throw-1-2-3"] == Fraction(6 * 31, 216)
    monkeypatch.setattr(rules, "MOST_READ", 8_000)
    rules.table_of.cache_clear()
    with pytest.raises(
        SubmissionError, match="156 conditions are read on 56 ways of a turn: expected at most 8,000"
    ):
        read(text)


@pytest.mark.parametrize("tickets", firsts([2, 4, 9]))
def test_keno_tickets_are_counted_together(tickets):
    exact = returns(read(keno([range(1, size + 1) for size in range(1, tickets + 1)])))
    # One number of twenty drawn out of eighty; two of them.
    assert exact["ticket-1"] == Fraction(11, 4)
    assert exact["ticket-2"] == 11 * Fraction(20 * 19, 80 * 79)


def test_tickets_that_share_no_number_are_refused_before_they_are_counted_with_what_to_do():
    with pytest.raises(SubmissionError, match=r"ways of a turn.*put some wagers into a submission"):
        read(keno([range(8 * place + 1, 8 * place + 9) for place in range(9)]))


def test_a_wager_of_more_rows_than_are_taken_is_refused(monkeypatch):
    monkeypatch.setattr(of_one_draw, "MOST_ROWS", 0)
    with pytest.raises(SubmissionError, match="1 rows: expected at most 0 of one wager"):
        read(keno([range(1, 3)]))


def test_sixteen_craps_bets_are_read():
    assert len(read(craps()).wagers) == 16


def test_a_round_has_the_draws_before_it_that_its_stages_need():
    # Nothing is said of the draws of the dice: three a turn.
    (dice,) = read(sic_bo().replace("draws = 3\n", "")).equipment
    assert dice.supply == 3
    # A bet on a hard four waits with 27 throws of 36: once in 10^15 rounds for longer than 121 throws.
    (dice,) = read(craps()).equipment
    waits = Fraction(27, 36)
    assert dice.supply % 2 == 0
    turns = dice.supply // 2
    assert 2 * waits**turns < Fraction(1, 10**15) < 7 * waits ** (turns - 1)


def test_draws_that_are_stated_are_kept_where_they_suffice():
    (dice,) = read(sic_bo().replace("draws = 3\n", "draws = 9\n")).equipment
    assert dice.supply == 9
    with pytest.raises(SubmissionError, match="3 draws from dice in a turn: expected 1 to 2"):
        read(sic_bo().replace("draws = 3\n", "draws = 2\n"))


FIXTURES = Path(__file__).parents[3] / "fixtures"
CRAPS = read_game(FIXTURES / "games/craps-layout/game.toml")


@pytest.mark.slow
def test_bets_that_stand_against_each_other_vary_against_each_other():
    bets = {"pass-line", "dont-pass", "place-6", "big-6"}
    craps = joint_figures(replace(CRAPS, wagers=tuple(bet for bet in CRAPS.wagers if bet.id in bets)))
    assert craps.of_pair("pass-line", "dont-pass").correlation < -0.9
    assert craps.of_pair("place-6", "big-6").covariance > 0
    spread = sum((1 if len({*pair.wagers}) == 1 else 2) * pair.covariance for pair in craps.covariance)
    assert spread == craps.variance


# Games of one draw at the desk and from strangers: the gate, the life of rounds, packs.


PRISON = ROOT / "fixtures/games/roulette-en-prison/game.toml"
BIG_SIX = ROOT / "fixtures/games/big-six/game.toml"


def test_the_whole_submission_of_the_documentation_is_one(certify, tmp_path):
    text = (ROOT / "docs/single-draw.md").read_text("utf-8")
    (whole,) = re.findall(r"^```toml\n(schema = .*?)^```$", text, re.S | re.M)
    printed = b"Three dice are thrown. Six pays 1, 2 or 3 to 1 for as many sixes. House edge 7.87 %.\n"
    assert hashlib.sha256(printed).hexdigest() in whole
    (tmp_path / "rules.txt").write_bytes(printed)
    game = tmp_path / "game.toml"
    game.write_text(whole, "utf-8")
    assert certify("lint", game).code == 0
    said = certify("analyze", game).out
    assert "exactly 199/216" in said
    assert "printed 7.87 % (house-edge): holds" in said
    game.write_text(whole.replace("sides = 6", "side = 6"), "utf-8")
    mistakes = certify("lint", game).out + certify("lint", game).err
    assert 'unknown key "side": did you mean "sides"?' in mistakes
    assert "is drawn from" not in mistakes  # What follows from the mistake is none by itself.


def test_rounds_of_several_spins_are_exercised(certify):
    called = certify("rounds", "exercise", PRISON, "--decks", "1", "--seed", "5a" * 32, "--format", "json")
    assert (called.code, json.loads(called.out)["verdict"]) == (0, "satisfied")


def test_copies_of_stops_and_tickets_are_read_within_bounds(certify, tmp_path):
    text = BIG_SIX.read_text("utf-8")
    spoilt = tmp_path / "game.toml"
    for old, new, expected in (
        (
            "copies = [24, 15, 7, 4, 2, 1, 1]",
            "copies = [24, 15, 7, 4, 2, 1]",
            "6 numbers of copies for 7 names",
        ),
        ("copies = [24,", "copies = [0,", "no copies: expected 1 to 16777216"),
        ("copies = [24,", "copies = [16777216,", "16777246 items: expected 2 to 16777216"),
        ('"joker", "logo"]', '"joker", "joker"]', "stated twice"),
        (
            'kind = "wheel"\nstops = ["1", "2", "5", "10", "20", "joker", "logo"]\ncopies = [24,',
            'kind = "balls"\ndraws = 2\nlabels = ["1", "2", "5", "10", "20", "joker", "logo"]\ncopies = [65600,',
            "65630 items: expected 2 to 65536, as tickets that leave are numbered in two bytes; one ticket a round",
        ),
    ):
        assert old in text
        spoilt.write_text(text.replace(old, new, 1), "utf-8")
        refused = certify("lint", spoilt)
        assert refused.code != 0
        assert expected in refused.out + refused.err
    # A pool of six million tickets, of which each round has one: nothing lists them.
    spoilt.write_text(text.replace("copies = [24,", "copies = [5_999_970,", 1), "utf-8")
    wheel = read_game(spoilt).equipment[0]
    assert (wheel.size, wheel.name_of(5_999_969), wheel.name_of(5_999_999)) == (6_000_000, "1", "logo")
    assert analyze(read_game(spoilt)).wager("one").return_to_player == 2 * Fraction(5_999_970, 6_000_000)


HERE = Path(__file__).parent / "strangers"
EDGES = {
    # photoeditorx.com/games/two-up: 31 of 64, 29,791 of 262,144 at 7.5 to 1; 3.125 % and 3.40 %.
    "two-up": {"heads": Fraction(1, 32), "spinner": 1 - Fraction(29_791, 262_144) * Fraction(17, 2)},
    # macauodds.blogspot.com: 3.75 %, 2.50 % and 1.25 %.
    "fan-tan": {
        "fan": Fraction(375, 10_000),
        "nim": Fraction(25, 1_000),
        "kwok": Fraction(25, 1_000),
        "nga-tan": Fraction(125, 10_000),
        "sheh-sam-hong": Fraction(125, 10_000),
    },
    # wizardofodds.com/games/crown-and-anchor: 125 of 216 lose, 75, 15 and 1 win; 7.87 %.
    "crown-and-anchor": {"crown": Fraction(125 - 75 - 2 * 15 - 3, 216)},
    # internetradiomercedes.com/games/boule: 11.11 % on every bet.
    "boule": {"low": Fraction(1, 9), "even": Fraction(1, 9), "number": Fraction(1, 9)},
    # wizardofodds.com, Bonus Craps: each of two to six before a seven at 34 to 1, 7.76 %.
    "all-small": {"all-small": Fraction(1_687, 21_736)},
    # wizardofodds.com and lasvegasadvisor.com, Double Ball Roulette: 5.33 % on a number; both balls for the others.
    "double-ball-roulette": {
        "both-odd": 1 - 4 * Fraction(18, 38) ** 2,
        "seventeen": 1 - Fraction(18 * 2 * 37 + 35, 38**2),
        "jackpot": 1 - Fraction(1201, 38**2),
    },
    # jndiario.com/games/blackjack/side-bets/21plus3, version 1: 485,096 of 5,013,320 win at 9 to 1, 3.24 %.
    "twenty-one-and-three": {"bet": 1 - 10 * Fraction(485_096, 5_013_320)},
    # coverselectorshop.com, on under and over seven: 15 of 36 at 1 to 1, 6 of 36 at 4 to 1.
    "under-over-7": {"under": Fraction(6, 36), "over": Fraction(6, 36), "seven": Fraction(6, 36)},
}


@pytest.mark.parametrize("name", only(EDGES, *(EDGES.keys() - {"twenty-one-and-three"})))
def test_a_game_of_one_draw_has_the_published_edges(name):
    game = read_game(HERE / f"{name}.toml")
    analysis = analyze(game)
    assert {wager: analysis.wager(wager).house_edge for wager in EDGES[name]} == EDGES[name]
    found = texts_of(game, bytes(range(32)), analysis.strategy, 200)
    assert (found.differing, found.shared) == (0, ())

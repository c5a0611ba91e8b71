"""Several printed returns for one and the same player, against brute force over every candidate."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from certify.analysis.whole_pays import Order
from certify.cli.main import run
from certify.errors import InputError, NothingCheckedError
from certify.exact import parse_percent
from certify.families.sette_e_mezzo.exact.identify import PayBounds
from certify.families.sette_e_mezzo.exact.joint_identification import (
    identify_together,
    together_json,
    with_pays,
)
from certify.families.sette_e_mezzo.rules import PairCondition, Tie, rules_of
from certify.mathematics import analyze
from certify.model.game import Claim
from certify.submission import read_game

PATH = Path(__file__).parents[3] / "fixtures/games/playtech-7-e-mezzo/game.toml"
GAME = read_game(PATH)
KING = "king-of-denari-seven-and-a-half"
STAKES = {"main": Fraction(1), "mano-di-poker": Fraction(1)}


def printing(**texts):
    claims = tuple(
        Claim(wager.replace("_", "-"), "return-to-player", text, parse_percent(text), "rules-screen")
        for wager, text in texts.items()
    )
    return replace(GAME, claims=claims)


@cache
def every_return(strategy, lists, stakes, conditions):
    """Every reading with every combination of pays: each a game that is analysed by itself."""
    found = {}
    rows = [row for row, _ in lists]
    for tie, king_wins, condition in product((Tie.LOSE, Tie.PUSH), (False, True), conditions):
        rules = replace(
            rules_of(GAME),
            tie=tie,
            king_wins_against_dealer_seven_and_a_half=king_wins,
            pair_condition=condition,
        )
        for pays in product(*(tried for _, tried in lists)):
            chosen = dict(zip(rows, pays, strict=True))
            changed = with_pays(
                replace(GAME, rules=rules), {row: Fraction(pay) for row, pay in chosen.items()}
            )
            analysis = analyze(changed, strategy, dict(stakes) if stakes else None)
            key = (tie.value, king_wins, condition.value, tuple(chosen.items()))
            found[key] = {figures.wager: figures.return_to_player for figures in analysis.wagers}
    return found


def brute_force(game, strategy, lists, stakes=None):
    """The candidates that give every printed return, the whole list looked through."""
    own = (rules_of(GAME).pair_condition,)
    conditions = tuple(PairCondition) if game.claims_on("partita-perfetta") else own
    tried = tuple((row, tuple(pays)) for row, pays in lists.items())
    returns = every_return(strategy, tried, tuple(stakes.items()) if stakes else None, conditions)
    return {
        key
        for key, entry in returns.items()
        if all(claim.printed.stands_for(entry[claim.wager]) for claim in game.claims)
    }


def flat(search):
    found = set()
    for fit in search.fits:
        reading = dict(fit.reading)
        pays = tuple((row, int(pay)) for _, rows in fit.pays for row, pay in rows)
        king_wins = reading["king-wins-against-dealer-seven-and-a-half"] == "yes"
        found.add((reading["tie"], king_wins, reading["pair-condition"], pays))
    assert len(found) == search.fits_count
    return found


def bounds_of(lists):
    return PayBounds(by_row=lists, order=Order.ANY, limit=1_000)


POKER = {
    KING: [2],
    "royal-flush": [400],
    "straight-flush": [75],
    "three-of-a-kind": [25, 30],
    "flush": [6, 8],
    "straight": [5],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "kings"),
    [
        (("99 %", "80 %"), [2]),
        *(
            (texts, [2, 3])
            for texts in (("99.0 %", "96 %"), ("98 %", "90 %"), ("99.54 %", "70 %"), ("100 %", "96 %"))
        ),
    ],
)
def test_no_candidate_is_missed_under_any_way_to_play(texts, kings):
    lists = POKER | {KING: kings}
    game = printing(main=texts[0], mano_di_poker=texts[1])
    found = identify_together(game, stakes=STAKES, bounds=bounds_of(lists))
    assert [search.strategy for search in found.searches] == [
        "main-optimal",
        "always-second-card",
        "jointly-optimal",
    ]
    for search in found.searches:
        stakes = STAKES if search.strategy == "jointly-optimal" else None
        assert flat(search) == brute_force(game, search.strategy, lists, stakes)
        assert search.candidates_tried == 4 * len(kings) * 4


@pytest.mark.slow
def test_the_pair_that_a_bust_forfeits_is_read_both_ways():
    lists = {KING: [2], "pair-of-sevens": [40, 82], "pair-of-faces": [7, 15], "pair-ace-to-six": [4, 5]}
    game = printing(main="99.54 %", partita_perfetta="96.15 %")
    found = identify_together(game, bounds=bounds_of(lists))
    assert flat(found.searches[0]) == brute_force(game, "main-optimal", lists)
    assert {entry[2] for entry in flat(found.searches[0])} == {"unconditional", "dealer-must-uncover"}


@pytest.mark.slow
def test_what_cannot_be_decided_is_refused():
    with pytest.raises(NothingCheckedError, match="prints no return for partita-perfetta, mano-di-poker"):
        identify_together(printing(main="99.54 %"))
    stakes = {"main": Fraction(1), "partita-perfetta": Fraction(1)}
    two = printing(main="99.54 %", mano_di_poker="96.32 %")
    with pytest.raises(InputError, match="partita-perfetta, of which no return is printed"):
        identify_together(two, stakes=stakes, bounds=bounds_of(POKER))
    wide = {
        **POKER,
        KING: [2],
        "royal-flush": range(100, 1_000),
        "flush": range(5, 25),
        "straight": range(3, 10),
    }
    with pytest.raises(InputError, match="narrow the pays"):
        identify_together(printing(main="90 %", mano_di_poker="96 %"), stakes=STAKES, bounds=bounds_of(wide))


@pytest.mark.slow
def test_the_command_line_takes_figures_together(tmp_path, capsys):
    options = [f"--pays={row}={','.join(map(str, pays))}" for row, pays in POKER.items()]
    pairs = ["--pays=pair-of-sevens=40", "--pays=pair-of-faces=15", "--pays=pair-ace-to-six=5"]
    call = ["identify", str(PATH), "--together", "--order", "any", *options, *pairs]
    assert run(call) == 1
    assert "Impossible within the bounds: no one player has main 99.54 %" in capsys.readouterr().out
    assert run([*call, "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document == together_json(
        identify_together(
            GAME,
            bounds=PayBounds(
                by_row={**POKER, "pair-of-sevens": [40], "pair-of-faces": [15], "pair-ace-to-six": [5]},
                order=Order.ANY,
            ),
        )
    )
    assert run(["identify", str(PATH), "--together", "--wager", "main"]) == 2
    assert run(["identify", str(PATH), "--stakes", "main=1"]) == 2

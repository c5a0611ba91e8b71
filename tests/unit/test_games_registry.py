"""Every row that a family calls reachable is proved by a round; every other row is refused."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import cast

import pytest
from representatives import firsts

from certify.errors import InputError
from certify.families.driver import play
from certify.families.registry import families, family
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie
from certify.families.witnesses import reachable_rows, witness, witnesses
from certify.model.game import Game
from certify.submission import read_game

GAME = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))
FAMILY = family("sette-e-mezzo")
VALUES = [
    list(Tie),
    [False, True],
    [12, 2, 5, 6, 7, 15],
    [False, True],
    [False, True],
    [False, True],
    list(PairCondition),
]
EVERY_RULE = [SetteEMezzoRules(*values) for values in product(*VALUES)]
# The published game, of which other tests of a run keep the walk, and each value of each rule once beside the first
# ones of the others; a walk with its proof takes ten seconds.
EACH_RULE = list(
    dict.fromkeys(
        [
            cast(SetteEMezzoRules, GAME.rules),
            *(
                SetteEMezzoRules(
                    *(value if place == changed else first for place, (first, *_) in enumerate(VALUES))
                )
                for changed, values in enumerate(VALUES)
                for value in values
            ),
        ]
    )
)


def under(rules: SetteEMezzoRules) -> Game:
    return replace(GAME, rules=rules)


@pytest.mark.parametrize("rules", firsts(EACH_RULE))
def test_every_reachable_row_has_a_witness_under_each_rule(rules: SetteEMezzoRules) -> None:
    wanted = {(w.id, row) for w in GAME.wagers for row in FAMILY.rules.reachable_rows(under(rules), w.id)}
    shown = witnesses(under(rules), reachable_rows(under(rules)))
    assert {(found.wager, found.row) for found in shown} == wanted
    for found in shown:
        played = play(FAMILY.reference(under(rules)), found.deck, found.decisions)
        assert played.outcome(found.wager) == found.row
        assert played.decisions == found.decisions


def test_a_tie_that_is_pushed_and_a_pair_that_may_bust_reach_the_rows_that_others_do_not() -> None:
    """Fifteen rows under every rule, and two more under half of them."""
    rows = [
        sum(len(FAMILY.rules.reachable_rows(under(rules), w.id)) for w in GAME.wagers) for rules in EVERY_RULE
    ]
    assert sum(rows) == len(EVERY_RULE) * (4 + 4 + 7) + len(EVERY_RULE) // 2 * 2


def test_rows_to_cover_are_the_reachable_rows_that_return_something() -> None:
    rules = FAMILY.rules
    plain = under(SetteEMezzoRules())
    assert rules.paid_rows(plain, "main") == ("king-of-denari-seven-and-a-half", "win")
    assert rules.paid_rows(under(SetteEMezzoRules(tie=Tie.PUSH)), "main") == (
        "king-of-denari-seven-and-a-half",
        "win",
        "push",
    )
    assert rules.paid_rows(plain, "partita-perfetta") == (
        "pair-of-sevens",
        "pair-of-faces",
        "pair-ace-to-six",
    )
    assert len(rules.paid_rows(plain, "mano-di-poker")) == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wager", "row"), [("main", "push"), ("main", "pair-of-sevens"), ("main", "royal-flush")]
)
def test_a_row_that_no_hand_reaches_has_no_witness(wager: str, row: str) -> None:
    plain = under(SetteEMezzoRules())
    assert row not in FAMILY.rules.reachable_rows(plain, wager)
    with pytest.raises(InputError, match=row):
        witness(plain, wager, row)


def test_unknown_wagers_and_families_are_named() -> None:
    with pytest.raises(InputError, match="ante"):
        FAMILY.rules.reachable_rows(under(SetteEMezzoRules()), "ante")
    with pytest.raises(InputError, match="pachisi"):
        family("pachisi")
    assert {"sette-e-mezzo", "seven-and-a-half-open-card"} <= set(families())

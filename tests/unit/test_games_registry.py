"""Every row that a family calls reachable is proved by a round; every other row is refused."""

from itertools import product

import pytest
from certify.families.sette_e_mezzo.round import play_round, replay

from certify.errors import InputError
from certify.families.registry import family
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie

FAMILY = family("sette-e-mezzo")
EVERY_RULE = [
    SetteEMezzoRules(tie, king, stands_on, player_face, dealer_face, chases, pair)
    for tie, king, stands_on, player_face, dealer_face, chases, pair in product(
        Tie, (False, True), (2, 5, 6, 7, 12, 15), (False, True), (False, True), (False, True), PairCondition
    )
]


def test_every_reachable_row_has_a_witness_under_every_rule() -> None:
    proved = 0
    for rules in EVERY_RULE:
        for wager in FAMILY.wager_ids:
            for row in FAMILY.reachable_rows(wager, rules):
                witness = FAMILY.witness(wager, row, rules)
                played = play_round(witness.deck, rules, {}, replay(witness.decisions))
                assert played.outcome(wager) == row
                assert played.decisions == witness.decisions
                proved += 1
    assert proved == len(EVERY_RULE) * (4 + 4 + 7) + len(EVERY_RULE) // 2 * 2


def test_rows_to_cover_are_the_reachable_rows_that_return_something() -> None:
    rules = SetteEMezzoRules()
    assert FAMILY.row_ids("main", rules) == ("king-of-denari-seven-and-a-half", "win")
    assert FAMILY.row_ids("main", SetteEMezzoRules(tie=Tie.PUSH)) == (
        "king-of-denari-seven-and-a-half",
        "win",
        "push",
    )
    assert FAMILY.row_ids("partita-perfetta", rules) == ("pair-of-sevens", "pair-of-faces", "pair-ace-to-six")
    assert len(FAMILY.row_ids("mano-di-poker", rules)) == 5


@pytest.mark.parametrize(
    ("wager", "row"), [("main", "push"), ("main", "pair-of-sevens"), ("main", "royal-flush")]
)
def test_a_row_that_no_hand_reaches_has_no_witness(wager: str, row: str) -> None:
    assert row not in FAMILY.reachable_rows(wager, SetteEMezzoRules())
    with pytest.raises(InputError, match=row):
        FAMILY.witness(wager, row, SetteEMezzoRules())


def test_unknown_wagers_and_families_are_named() -> None:
    with pytest.raises(InputError, match="ante"):
        FAMILY.reachable_rows("ante", SetteEMezzoRules())
    with pytest.raises(InputError, match="blackjack"):
        family("blackjack")

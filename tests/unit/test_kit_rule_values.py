"""The conformance kit: rules that ask for rows, and rules that live in another game."""

from dataclasses import replace
from pathlib import Path

from certify.families.registry import family_of
from certify.kit.check import EVERY_LEG, KitReport, Planted
from certify.kit.faults import RULE, WHATEVER, alive_elsewhere
from certify.kit.rule_values import altered_rules
from certify.submission import read_game

SIETE = Path(__file__).parents[2] / "fixtures/games/siete-y-media/game.toml"


def test_a_rule_altered_so_that_it_pays_a_row_of_its_own_has_that_row():
    game = read_game(SIETE)
    family = family_of(game)
    altered = {words: other for _, words, other in altered_rules(family, game)}["rule reale is yes"]
    (bet,) = altered.wagers
    assert "reale" not in game.wagers[0].paytable.ids
    assert set(family.rules.paid_rows(altered, bet.id)) <= set(bet.paytable.ids)
    assert bet.paytable.pays("reale") > max(row.pays for row in game.wagers[0].paytable.rows)


def test_a_game_with_a_rule_altered_states_what_it_was_altered_to():
    game = read_game(SIETE)
    before = {rule.id: rule.value for rule in game.rule_values}
    altered = list(altered_rules(family_of(game), game))
    assert before.keys() & {name for name, _, _ in altered}
    for name, words, other in altered:
        after = {rule.id: rule.value for rule in other.rule_values}
        assert {key for key in before if after[key] != before[key]} == before.keys() & {name}
        assert name not in before or words == f"rule {name} is {after[name]}"


def report(planted):
    return KitReport("small", "1", "small", ("one", "two"), (), (), (), planted)


DEAD = Planted("one", EVERY_LEG, f"{RULE}swap{WHATEVER}", noticed=False, dead=True)
SEEN = Planted("two", "exact", f"{RULE}swap is yes", noticed=True)


def test_a_rule_that_no_round_depends_on_is_inconclusive_and_never_a_pass():
    judged = report(tuple(alive_elsewhere((DEAD,))))
    assert (judged.verdict.value, judged.unnoticed, judged.dead) == ("inconclusive", (), (DEAD,))


def test_a_rule_that_counts_in_another_game_of_the_run_is_idle_in_this_one():
    judged = report(tuple(alive_elsewhere((DEAD, SEEN))))
    assert (judged.verdict.value, judged.dead) == ("satisfied", ())
    assert judged.idle == (replace(DEAD, idle=True, dead=False),)


def test_another_rule_that_counts_revives_nothing():
    other = replace(SEEN, alteration=f"{RULE}swap-twice is yes")
    assert report(tuple(alive_elsewhere((DEAD, other)))).dead == (DEAD,)

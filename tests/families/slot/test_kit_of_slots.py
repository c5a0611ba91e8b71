"""The kit and slots: rules that state the pays, outcomes that are classes of rounds, rows that are awards."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from small_slots import LINES, small

from certify.analysis.engine.walk import RoundGraph
from certify.families.port import added_rows_of
from certify.families.registry import family_of
from certify.families.slot.rules import SlotRules, rules_of
from certify.families.slot.second import settle
from certify.kit.agreement import agreement
from certify.kit.faults import planted
from certify.kit.laws import laws, reach
from certify.kit.rule_values import raised_in_rules
from certify.kit.subject import Subject
from certify.model.finding import Verdict
from certify.model.stages import Pays

WITHOUT_FEATURES = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222"]

[[strips]]
id = "base"
reels = ["a b c a", "a b b c", "b a c c"]

[[line_pays]]
symbol = "a"
pays = [0, 3, 20]

[[line_pays]]
symbol = "b"
pays = [1, 2, 9]
"""


def subject(**changed: object) -> Subject:
    game = small(LINES)
    found = Subject(replace(family_of(game), **changed), game, bytes(range(32)), 20)
    # Free games are walked for a minute until there are too many states.
    found.__dict__["whole"] = None
    return found


def test_every_pay_that_the_rules_state_is_raised_once() -> None:
    game = small(LINES)
    sound = rules_of(game)
    raised = [rules_of(one) for _, one in raised_in_rules(game)]
    stated = sum(coins > 0 for row in (*sound.line_pays, *sound.scatter_pays) for coins in row.pays)
    assert len(set(raised)) == len(raised) == stated > 4
    assert sound not in raised


@pytest.mark.slow
def test_every_leg_of_a_slot_notices_a_pay_raised_in_the_rules_and_a_round_settled_otherwise() -> None:
    found = list(planted(subject()))
    assert {one.leg for one in found} == {"reference", "exact", "second", "volume", "settlement"}
    assert all(one.noticed for one in found)


def test_a_second_text_that_pays_by_other_rules_than_it_is_given_is_found() -> None:
    sound = rules_of(small(LINES))

    def deaf(_: SlotRules, pays: Pays, draws: tuple[str, ...], decisions: tuple[str, ...]) -> object:
        return settle(sound, pays, draws, decisions)

    two_pays = list(islice(planted(subject(second=deaf)), 8))
    assert [one.leg for one in two_pays if not one.noticed] == ["second", "second"]


def test_rows_that_are_awards_are_shown_by_rounds_that_win_them() -> None:
    verdicts = {one.law: one.verdict for one in reach(subject())}
    assert verdicts["paid-rows"] is Verdict.SATISFIED
    assert verdicts["rows"] is not Verdict.NOT_SATISFIED


def test_a_slot_that_is_walked_on_every_path_comes_to_its_own_figures_class_by_class() -> None:
    game = small(WITHOUT_FEATURES)
    walked = Subject(family_of(game), game, bytes(range(32)), 20)
    assert walked.whole is not None
    assert _own_counting(walked) is Verdict.SATISFIED
    assert [one.verdict for one in reach(walked)] == [Verdict.SATISFIED] * 2
    planted_fault = Subject(family_of(game), game, bytes(range(32)), 20)
    planted_fault.__dict__["whole"] = replace(walked.whole, graph=_paying_one_more(walked.whole.graph))
    assert _own_counting(planted_fault) is Verdict.NOT_SATISFIED


def test_only_rules_that_add_awards_have_rows_that_no_table_names() -> None:
    assert not added_rows_of(family_of(small(WITHOUT_FEATURES)).rules, small(WITHOUT_FEATURES))


def _own_counting(tried: Subject) -> Verdict:
    return next(one.verdict for one in agreement(tried) if one.law == "own-counting")


def _paying_one_more(graph: RoundGraph) -> RoundGraph:
    """A walk whose best round of a class comes to one unit more."""
    (best,) = max(graph.results, key=lambda results: results[0].net)
    raised = {best: (replace(best, net=best.net + 1),)}
    return replace(graph, results=tuple(raised.get(one[0], one) for one in graph.results))


def test_a_round_that_wins_what_no_row_pays_is_found() -> None:
    rules = family_of(small(LINES)).rules
    fewer = type("Fewer", (type(rules),), {"paid_rows": lambda self, game, wager: ()})()
    verdicts = {one.law: one.verdict for one in reach(subject(rules=fewer))}
    assert verdicts["paid-rows"] is Verdict.NOT_SATISFIED


def test_pays_that_the_rules_state_are_not_doubled_in_a_paytable_that_nothing_reads() -> None:
    found = {one.title: one.verdict for one in laws(subject())}
    doubled = next(title for title in found if title.startswith("Paying double"))
    assert found[doubled] is Verdict.NOT_APPLICABLE

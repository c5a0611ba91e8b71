"""A slot at the gate: figures kept read back whole, and a changed pay moves what it must."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import Called
from small_slots import HEAD, LINES, small

from certify.clauses import jurisdictions
from certify.clauses.checks.returns import above_floor, claims_of_variants, taken_where
from certify.families.certified import ConfigurationKind
from certify.families.slot.rules import SlotRules, rules_of
from certify.gate.compare import _compare
from certify.gate.facts import read_submission
from certify.gate.figure_changes import compare_figures, top_award
from certify.gate.figure_inputs import basis_of
from certify.gate.figures import Cache, count_figures, figures_document, figures_from
from certify.gate.impact_on_figures import figure_impacts
from certify.gate.impact_on_returns import contributions_moved
from certify.gate.policy import GatePolicy
from certify.gate.states import GamePair
from certify.mathematics import analyze, configurations, further, of_game, offered
from certify.model import Verdict
from certify.submission import read_game

GAME = small(LINES)
BASIS = basis_of(GAME)
FIGURES = count_figures(BASIS)
ENDING = LINES.replace("games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6")


def test_figures_that_were_kept_are_those_that_were_counted() -> None:
    """Classes of rounds, awards and single results included."""
    assert figures_from(figures_document(FIGURES), BASIS).wagers == FIGURES.wagers


def test_a_changed_pay_moves_return_variance_and_top_award() -> None:
    """The last pay of the first row, doubled."""
    rules: SlotRules = rules_of(GAME)
    first = rules.line_pays[0]
    raised = replace(
        first, pays=(*first.pays[:-1], 40 * max(pay for row in rules.line_pays for pay in row.pays))
    )
    changed = replace(GAME, rules=replace(rules, line_pays=(raised, *rules.line_pays[1:])))
    after = count_figures(basis_of(changed))
    (delta,) = compare_figures(FIGURES, after).wagers
    assert delta.before is not None
    assert delta.after is not None
    assert delta.delta is not None
    assert delta.delta > 0
    assert delta.after.variance > delta.before.variance
    assert delta.after.hit_frequency == delta.before.hit_frequency
    assert top_award(delta.after).pays > top_award(delta.before).pays


VARIANTS = (
    LINES
    + """
[[variants]]
id = "other"
title = "On the strips of free games"
strips = { base = "free" }
printed = "20.00 %"
"""
)


def compared(before: str, after: str) -> dict[str, list[str]]:
    """Returns the messages of a comparison by kind."""
    old, new = (
        read_submission((HEAD + tables).encode(), "game.toml", "game.toml") for tables in (before, after)
    )
    found = _compare(GamePair("small-slot", old, new), GatePolicy(), Cache(None), {})
    kinds: dict[str, list[str]] = {}
    for change in found.changes:
        kinds.setdefault(change.kind.id, []).append(change.message)
    return kinds


SWITCHED = VARIANTS.replace("[[wilds]]", '[[stages]]\nid = "base"\nstrips = "free"\n\n[[wilds]]', 1)


def test_a_switch_to_a_certified_variant_is_told_as_one_and_as_nothing_else() -> None:
    kinds = compared(VARIANTS, SWITCHED)
    assert set(kinds) == {"variant-switched", "version-not-bumped", "above-100-before"}, kinds
    (said,) = kinds["variant-switched"]
    assert said.startswith("switched to On the strips of free games, certified before: return of main: ")


def test_other_strips_that_nobody_certified_are_a_change_told_part_by_part() -> None:
    planted = SWITCHED.replace('reels = ["a b star wild"', 'reels = ["a c star wild"')
    kinds = compared(VARIANTS, planted)
    assert "variant-switched" not in kinds
    assert "return-changed" in kinds
    assert any(said.startswith("base/") for said in kinds["contribution-changed"])


def test_contributions_that_moved_make_the_change_of_the_return() -> None:
    changed = LINES.replace("pays = [0, 3, 20]", "pays = [0, 3, 25]")
    before, after = (count_figures(basis_of(small(tables))) for tables in (LINES, changed))
    (delta,) = compare_figures(before, after).wagers
    assert delta.before is not None
    assert delta.after is not None
    told = list(contributions_moved("main", delta.before, delta.after, ("wagers", 0)))
    assert [one.subject for one in told] == ["main/free/a-3", "main/base/a-3"]
    moved = sum(Fraction(one.after or "0") - Fraction(one.before or "0") for one in told)
    assert moved == delta.delta
    kinds = compared(ENDING, ENDING.replace("pays = [0, 3, 20]", "pays = [0, 3, 25]"))
    (said,) = kinds["highest-win-changed"]
    assert "667.67 stakes, 1 in 2359296000000.00 → 787.67 stakes, 1 in" in said


def test_a_false_return_of_a_variant_is_found_and_floors_are_told() -> None:
    game = small(VARIANTS)
    (answer,) = claims_of_variants(game, "main-optimal")
    assert answer.verdict is Verdict.NOT_SATISFIED
    assert (answer.subject, answer.expected[:16]) == ("other", "20.00 %, that is")
    own, other = taken_where(game, {"main-optimal": analyze(game)}, jurisdictions().values())
    assert (own.configuration.id, other.configuration.id) == ("main", "other")
    assert "Italy, 90 %" in own.taken
    floors = list(above_floor(game, other.configuration.returned + 1, "a floor"))
    assert [one.verdict for one in floors] == [Verdict.NOT_SATISFIED]


def test_what_has_no_end_is_within_no_limit_on_exposure() -> None:
    """The round that is played longest stood for the dearest one, and any limit above it was kept."""
    limit = GatePolicy(max_exposure={"EUR": 10**15})
    ends, endless = (
        read_submission((HEAD + text).encode(), "game.toml", "game.toml") for text in (ENDING, LINES)
    )
    for before, after, expected in ((ends, endless, True), (endless, ends, False), (endless, endless, False)):
        figures = [count_figures(basis_of(one.game)) for one in (before, after)]
        found = figure_impacts(before, after, compare_figures(*figures), limit)
        assert ("exposure-above-limit" in {one.kind for one in found}) is expected


def test_the_gate_says_beside_an_exposure_that_a_round_has_no_end(
    certify: Callable[..., Called], tmp_path: Path
) -> None:
    before, after = tmp_path / "before.toml", tmp_path / "after.toml"
    before.write_text(HEAD + LINES)
    after.write_text((HEAD + LINES).replace('version = "1.0.0"', 'version = "1.0.1"'))
    told = next(line for line in certify("gate", before, after).out.splitlines() if "exposure" in line)
    assert told.endswith("unchanged, in rounds as long as are played here: there is no end of it")


def test_a_configuration_without_an_end_of_its_win_keeps_no_limit_on_exposure() -> None:
    """Before, its exposure counted as nothing, and a limit held for the round as submitted alone."""
    ends = count_figures(basis_of(small(ENDING)))
    (first, *_) = offered(small(ENDING))
    bought = replace(first, id="buy", kind=ConfigurationKind.PURCHASE, most=None, endless=True)
    endless = replace(ends, offered=(*ends.offered, bought))
    assert (ends.endless, endless.endless) == (False, True)
    game = small(ENDING)
    assert figures_from(figures_document(endless), basis_of(game)).endless
    submission = read_submission((HEAD + ENDING).encode(), "game.toml", "game.toml")
    changes = compare_figures(ends, endless)
    assert changes.endless == (False, True)
    policy = GatePolicy(max_exposure={"EUR": 10**12})
    found = {one.subject for one in figure_impacts(submission, submission, changes, policy)}
    assert "exposure/endless" in found


def test_variants_of_a_family_that_lists_no_configurations_are_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = read_game(Path("fixtures/games/slot-lines/game.toml"))
    listed = {one.id: one.returned for one in further(game)}
    family = of_game.family_of(game)
    alone = replace(family, alternatives=replace(family.alternatives, configurations=None))
    monkeypatch.setattr(of_game, "family_of", lambda game: alone)
    offered.cache_clear()
    try:
        assert {one.id: one.returned for one in further(game)} == listed
        named = [one.kind for one in configurations(game, {"main-optimal": analyze(game)})]
        answers = list(above_floor(game, Fraction(95, 100), ""))
    finally:
        offered.cache_clear()
    assert named == [ConfigurationKind.WAGER, *[ConfigurationKind.VARIANT] * 2]
    assert {one.subject for one in answers if one.verdict is Verdict.NOT_SATISFIED} == {"strips-93"}

"""Rounds of slots, lived game by game: broken off, resumed, void; the highest win; and a slot at the gate."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cli_support import Called
from representatives import firsts
from rounds_faulty import (
    DealsBesideAnOpenRound,
    DecidesAfterTerm,
    NeverRefunds,
    after,
    faulty,
    short_by,
    with_days,
)
from small_slots import HEAD, LINES, WAYS, small
from test_exact_figures_of_slots import HOLD

from certify.certification.randomness import RowSample, dealt, planned_tests, run_tests, suite_of
from certify.certification.round_narratives import narrated_rounds
from certify.certification.submitted import all_witnesses
from certify.clauses import Answer, jurisdictions
from certify.clauses.checks.awards import exposure_stated
from certify.clauses.checks.returns import above_floor, claims_of_variants, taken_where
from certify.families import Chance, Choice, ConfigurationKind, play, rows_won, standing
from certify.families.slot.rules import SlotRules, rules_of
from certify.gate.compare import _compare
from certify.gate.facts import read_submission
from certify.gate.figure_changes import compare_figures, top_award
from certify.gate.figure_inputs import basis_of
from certify.gate.figures import count_figures, figures_document, figures_from
from certify.gate.impact_on_figures import figure_impacts
from certify.gate.impact_on_returns import contributions_moved
from certify.gate.policy import GatePolicy
from certify.gate.states import GamePair
from certify.mathematics import analyze, configurations, exposure, further, offered
from certify.model import Game, Limits, Verdict, WagerFigures
from certify.rounds import (
    Play,
    Round,
    Rounding,
    Seat,
    SeatAction,
    edition_of,
    reference_system,
    within_a_coin,
)
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.promise import PromiseId
from certify.rounds.conformance.setting import rows_of
from certify.rounds.exercise import exercise
from certify.simulation import StreamDecks
from certify.submission import read_game

FREE = small(LINES.replace("games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6"))
GAMBLED = small(f'{LINES}\n[gamble]\nchance = "1/3"\nmultiplies = "2"\nsteps = 3\n')
LIMITED = small(
    LINES.replace("[slot]", '[slot]\nmost = "12"').replace(
        "games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6"
    )
)
START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def rows(game: Game, many: int, seed: int = 1) -> list[tuple[int, ...]]:
    """Returns rows of draws of a game."""
    draw = random.Random(seed)  # noqa: S311 - a test repeats its rounds
    equipment = game.port.reference(game).equipment
    return [
        tuple(draw.randrange(piece.size) for piece in equipment for _ in range(piece.supply))
        for _ in range(many)
    ]


def series(game: Game) -> tuple[int, ...]:
    """Returns a row whose round plays free games and wins in the first two steps."""
    lived = edition_of(game).play
    return next(row for row in rows(game, 500) if won_early(lived, row))


def won_early(lived: Play, row: tuple[int, ...]) -> bool:
    before, after = lived.position(row, ()), None
    if before.options == ("go-on",):
        after = lived.position(row, ("go-on",))
    return (
        after is not None
        and after.options == ("go-on",)
        and 0 != dict(before.hands).get("coins won", ()) != dict(after.hands).get("coins won", ())
    )


@pytest.mark.parametrize(
    "game", firsts([GAMBLED, LIMITED, FREE, HOLD], 2), ids=["gamble", "limit", "free games", "hold and win"]
)
def test_a_round_that_is_lived_ends_as_the_round_that_is_counted(game: Game) -> None:
    lived, reference = edition_of(game).play, game.port.reference(game)
    paused = 0
    for row in rows(game, 200):
        # The least committing line collects what was won.
        line = next(lived.lines(row))
        (ended,) = play(reference, row, ()).results
        assert lived.settle(row, line)["main"] == ended
        paused += line.count("go-on")
    assert paused > 40


def test_between_two_games_the_window_the_win_and_the_games_left_are_in_sight() -> None:
    lived, row = edition_of(FREE).play, series(FREE)
    position = lived.position(row, ())
    assert [holder for holder, _ in position.hands] == [
        "reel 1",
        "reel 2",
        "reel 3",
        "coins won",
        "games left",
    ]
    (left,) = dict(position.hands)["games left"]
    assert dict(lived.position(row, ("go-on",)).hands)["games left"][0] >= left - 1
    window = [lived.names(dict(position.hands)[f"reel {reel}"], f"reel {reel}") for reel in (1, 2, 3)]
    told = play(FREE.port.reference(FREE), row, ()).trace[0]
    for names in window:
        for name in names:
            assert name.split()[0] in told or name.split()[0] in {"a", "b", "c", "star", "wild"}


def test_a_win_that_is_staked_again_is_multiplied_or_lost_and_can_be_left_open() -> None:
    lived = edition_of(GAMBLED).play
    ends: set[Fraction] = set()
    for row in rows(GAMBLED, 60):
        base = next(lived.lines(row))
        if not base or base[-1] != "collect":
            continue
        kept = 1 + lived.settle(row, base)["main"].net
        for line in lived.lines(row, base[:-1]):
            result = lived.settle(row, line)["main"]
            assert sum(award.contribution for award in result.awards) == 1 + result.net
            ends.add((1 + result.net) / kept)
    assert ends == {Fraction(0), Fraction(1), Fraction(2), Fraction(4), Fraction(8)}


def test_a_limit_that_is_reached_within_a_series_is_never_passed_in_sight() -> None:
    lived, reached = edition_of(LIMITED).play, 0
    most = 12 * 3  # total bets of three lines at a coin each
    for row in rows(LIMITED, 150):
        line = next(lived.lines(row))
        seen = [
            dict(lived.position(row, line[:place]).hands)["coins won"][0] for place in range(len(line) + 1)
        ]
        assert max(seen) <= most
        reached += bool(line) and max(seen) == most
        assert lived.settle(row, line)["main"].net == Fraction(seen[-1], 3) - 1
    assert reached


def within(current: Round) -> bool:
    """Tells whether a round is within a series."""
    return bool(current.options)


def nothing_won(seat: Seat) -> dict[str, object]:
    hands = ((holder, (0,) if holder == "coins won" else faces) for holder, faces in seat.round.hands)
    return {"round": replace(seat.round, hands=tuple(hands))}


def a_game_ago(seat: Seat) -> dict[str, object]:
    decisions = seat.round.decisions[:-1]
    before = edition_of(FREE).play.position(seat.round.deck, decisions)
    return {"round": replace(seat.round, decisions=decisions, hands=before.hands, options=before.options)}


def won_so_far(current: Round | None) -> int:
    return dict(current.hands)["coins won"][0] if current and within(current) else 0


FAULTS = {
    "forgets what was won": (faulty(after(SeatAction.RESUME, nothing_won, within)), "resume"),
    "plays a game again": (
        faulty(after(SeatAction.RESUME, a_game_ago, lambda one: within(one) and bool(one.decisions))),
        "resume",
    ),
    "pays the series so far": (
        faulty(short_by(SeatAction.MALFUNCTION, lambda _, before: -won_so_far(before.round))),
        "malfunction-awaiting-decision",
    ),
    "never refunds": (faulty(NeverRefunds), "malfunction-awaiting-decision"),
    "plays on after the term": (faulty(DecidesAfterTerm), "settle-after-term"),
    "keeps the feature 91 days": (with_days(91), "unresolved-at-term"),
    "spins beside an open series": (faulty(DealsBesideAnOpenRound), "one-round-at-a-time"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_system_that_breaks_a_series_is_found(name: str) -> None:
    system, situation = FAULTS[name]
    found = exercise(FREE, [series(FREE)], START, system=system)
    blamed = {one.id for one in found.situations if one.verdict is Verdict.NOT_SATISFIED}
    assert situation in blamed, blamed


@pytest.mark.parametrize("game", [FREE, GAMBLED, HOLD], ids=["free games", "gamble", "hold and win"])
def test_the_reference_keeps_every_promise_within_a_series(game: Game) -> None:
    found = exercise(game, [series(FREE)] if game is FREE else rows(game, 3), START)
    assert {one.verdict for one in found.situations} == {Verdict.SATISFIED}, [
        (one.id, one.observed) for one in found.situations if one.verdict is not Verdict.SATISFIED
    ]


STORIES = {
    "forgets what was won": PromiseId.CARDS,
    "pays the series so far": PromiseId.RETURNED_ONCE,
}


@pytest.mark.parametrize("name", firsts(STORIES))
def test_stories_find_it_too(name: str) -> None:
    decks = list(islice((row for row in rows(FREE, 500) if won_early(edition_of(FREE).play, row)), 4))
    found = conform(FAULTS[name][0], edition_of(FREE), decks, START, count=400)
    assert found.breach is not None
    assert found.breach.promise is STORIES[name]


@pytest.mark.parametrize("game", firsts([FREE, HOLD]), ids=["free games", "hold and win"])
def test_the_reference_keeps_every_promise_of_the_stories(game: Game) -> None:
    found = conform(reference_system, edition_of(game), rows(game, 4), START, count=20)
    assert found.verdict is Verdict.SATISFIED


def test_the_round_that_is_told_breaks_off_within_a_series() -> None:
    quiet = next(row for row in rows(FREE, 50) if not edition_of(FREE).play.position(row, ()).options)
    voided, expired = narrated_rounds(edition_of(FREE), quiet, START)
    assert [step.decision for step in voided.steps if step.action == "decide"] == ["go-on"]
    for told in (voided, expired):
        assert any(one.startswith("reel 1: ") for one in told.steps[-1].hands)
        assert any(one.startswith("games left: ") for one in told.steps[-1].hands)


def test_a_game_without_features_is_never_left_open() -> None:
    rules = replace(FREE.rules, free_games=())  # type: ignore[type-var]
    game = replace(FREE, rules=rules, id="without-features")
    lived = edition_of(game).play
    assert lived.decisions == ()
    assert not any(isinstance(standing(lived.reference, row, ()).node, Choice) for row in rows(game, 50))
    # A known result stands: no round void by its term is told of it.
    assert [told.ending for told in narrated_rounds(edition_of(game), rows(game, 1)[0], START)] == ["voided"]


# Systems of slots are tried on rounds that win every row of the paytable.


SLOT = read_game(Path("fixtures/games/slot-lines/game.toml"))


def test_the_fixed_part_wins_every_row_of_a_slot() -> None:
    rows = rows_of(edition_of(SLOT).play)
    assert rows.missed == ()
    assert {("main", row) for row in SLOT.wagers[0].paytable.ids} <= set(rows.reached)


# Every row of a slot is shown by a round that is played; its highest win is counted in two ways.


LINED, WAYED = small(LINES), small(WAYS)

BONUS = f"""{LINES}
[[bonuses]]
id = "boxes"
draws = "pick until"
symbol = "c"
starts = [0, 0, 1]
prizes = ["5 x2", "20", "0 x2 ends"]
"""


@pytest.mark.parametrize("game", [LINED, WAYED], ids=["lines", "ways"])
def test_every_row_that_is_ever_won_is_won_by_a_round_that_is_played(game: Game) -> None:
    shown = {one.row: one for one in all_witnesses(game)}
    assert set(shown) == {award.row for award in analyze(game).wager("main").awards}
    family = game.port
    for row, one in shown.items():
        assert row in rows_won(game, play(family.reference(game), one.deck, ()), one.wager)


def test_a_row_that_no_stop_shows_has_no_round() -> None:
    rules = rules_of(LINED)
    never = replace(rules.line_pays[0], id="never", symbols=("nowhere",))
    game = replace(LINED, rules=replace(rules, line_pays=(*rules.line_pays, never)))
    assert game.port.reference(game).showing("never-3") is None  # type: ignore[attr-defined]


@pytest.mark.parametrize("game", firsts([LINED, WAYED, small(BONUS)], 2), ids=["lines", "ways", "bonus"])
def test_no_step_draws_more_than_its_event_says(game: Game) -> None:
    reference = game.port.reference(game)
    events = [{piece.id: piece.supply for piece in event} for event in reference.events]  # type: ignore[attr-defined]
    faces = {piece.id: len(piece.faces) for piece in reference.equipment}
    draw, steps = random.Random(7), 0  # noqa: S311 - a test repeats its rounds
    for _ in range(300):
        state, drawn = reference.start(), Counter[str]()
        while isinstance(node := reference.node(state), Chance):
            drawn[node.equipment] += 1
            state = reference.drawn(state, draw.randrange(faces[node.equipment]))
            if not state.faces:
                assert any(
                    all(many <= event.get(one, 0) for one, many in drawn.items()) for event in events
                ), drawn
                drawn, steps = Counter(), steps + 1
    assert steps >= 300


def test_the_last_box_that_is_left_shows_one_thing_and_is_not_tested_for_chance() -> None:
    game = small(BONUS)
    last = game.equipment[-1]
    rows = dealt(StreamDecks.of(game, bytes(32), "simulation-decks"), 200)
    tested = {one.suite for one in run_tests(RowSample(rows, game.equipment, ()))}
    assert (last.size, planned_tests(last, game.equipment, 200)) == (1, ())
    assert tested == {suite_of(one, game.equipment) for one in game.equipment[:-1]}


WAYS_FREE = f"""{WAYS}
[[stages]]
id = "free"
strips = "base"
multiplier = 2

[[free_games]]
id = "free-games"
stage = "free"
symbol = "star"
games = [0, 2, 4]
most_games = 9
"""


def judged(game: Game, amount: int = 0) -> Answer:
    """Returns what is found about the exposure of a game, or about another amount."""
    stated = exposure(game)
    results: Any = SimpleNamespace(
        game=game,
        exposure=replace(stated, amount=amount or stated.amount),
        analyses={"main-optimal": analyze(game)},
        witnesses=tuple(all_witnesses(game)),
    )
    (answer,) = exposure_stated(results)
    return answer


@pytest.mark.parametrize(
    "text", [WAYS, WAYS_FREE, BONUS.replace("games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6")]
)
def test_two_countings_agree_on_the_highest_win(text: str) -> None:
    game = small(text)
    found = judged(game)
    assert (found.verdict, found.reason) == (Verdict.SATISFIED, "")
    assert " counted: about 1 round in " in found.observed
    # Planted: more than the count of the highest result says, and less than a round that wins a row costs.
    assert judged(game, exposure(game).amount + 1).verdict is Verdict.INCONCLUSIVE
    assert judged(game, 1).verdict is Verdict.NOT_SATISFIED


@pytest.mark.parametrize("text", [LINES, WAYS_FREE.replace("most_games = 9\n", "")])
def test_no_win_of_a_series_without_end_is_called_the_highest(text: str) -> None:
    """The longest round that is played was, and satisfied the check."""
    found = judged(small(text))
    assert (found.verdict, bool(found.reason)) == (Verdict.NOT_APPLICABLE, True)
    assert judged(small(text), 1).verdict is Verdict.NOT_SATISFIED


@pytest.mark.parametrize("rule", list(Rounding))
def test_no_rounding_takes_a_return_out_of_its_bounds(rule: Rounding) -> None:
    rules = rules_of(LINED)
    game = replace(LINED, rules=replace(rules, free_games=()))
    figures: WagerFigures = analyze(game).wager("main")
    distribution = figures.distribution
    assert distribution is not None
    assert distribution.complete
    ends: dict[Rounding, Callable[[Fraction], int]] = {
        Rounding.DOWN: lambda amount: amount.numerator // amount.denominator,
        Rounding.UP: lambda amount: -(-amount.numerator // amount.denominator),
        Rounding.HALF_EVEN: round,
    }
    for stake in (1, 3, 10, 77):
        low, high = within_a_coin(figures, Limits(stake, 100, "EUR"), rule)
        paid = sum(
            (ends[rule]((1 + net) * stake) * chance for net, chance in distribution.listed), Fraction(0)
        )
        assert low <= paid / stake <= high


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
    found = _compare(GamePair("small-slot", old, new), GatePolicy(), {})
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
    for base, head, expected in ((ends, endless, True), (endless, ends, False), (endless, endless, False)):
        figures = [count_figures(basis_of(one.game)) for one in (base, head)]
        found = figure_impacts(base, head, compare_figures(*figures), limit)
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


def test_variants_of_a_family_that_lists_no_configurations_are_judged() -> None:
    game = read_game(Path("fixtures/games/slot-lines/game.toml"))
    listed = {one.id: one.returned for one in further(game)}
    unlisted = replace(game.port.alternatives, configurations=None)
    game = replace(game, port=replace(game.port, alternatives=unlisted))
    assert {one.id: one.returned for one in further(game)} == listed
    named = [one.kind for one in configurations(game, {"main-optimal": analyze(game)})]
    answers = list(above_floor(game, Fraction(95, 100), ""))
    assert named == [ConfigurationKind.WAGER, *[ConfigurationKind.VARIANT] * 2]
    assert {one.subject for one in answers if one.verdict is Verdict.NOT_SATISFIED} == {"strips-93"}

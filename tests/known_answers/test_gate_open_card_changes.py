"""Differences of the games with an open dealer's card against figures that can be had without the gate."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from gate_open_card import CASINO, FIXTURES, HOME, document, source, with_value, written
from gate_support import change, compared, edited, ids, published
from representatives import firsts

from certify.exact import decimal_text
from certify.families.open_card.document import open_card_json
from certify.gate.compare import GameComparison
from certify.gate.figure_changes import WagerChange, edge, on_total, top_award
from certify.gate.figure_inputs import basis_of
from certify.gate.figures import count_figures, figures_document, figures_from
from certify.gate.impact_on_returns import above_stake, returns_moved
from certify.gate.policy import GatePolicy
from certify.mathematics import analyze, exposure
from certify.model.figures import Outcome, WagerFigures
from certify.model.finding import Severity
from certify.submission import parse_game, read_game

KING = ('pays = "3 to 1"', 'pays = "2 to 1"')


def casino(*changes: tuple[str, str]) -> str:
    return edited(*changes, text=source(CASINO))


def with_rule(text: str, rule: str, value: str) -> str:
    """A submission with one rule otherwise."""
    before, after = text.split(f'id = "{rule}"\nvalue = ', 1)
    return f'{before}id = "{rule}"\nvalue = {value}\n{after.split(chr(10), 1)[1]}'


def ante(found: GameComparison) -> WagerChange:
    assert found.figure_changes is not None
    (delta,) = (delta for delta in found.figure_changes.wagers if delta.wager == "ante")
    return delta


def kinds(found: GameComparison, least: Severity = Severity.NOTE) -> set[str]:
    return {change.kind.id for change in found.changes if change.severity >= least}


def test_the_king_paid_two_to_one_costs_one_ante_in_forty_rounds() -> None:
    # The player's first card is the King of diamonds once in 40 deals, and no play depends on its pay.
    delta = ante(compared(source(CASINO), casino(KING)))
    assert delta.delta == Fraction(-1, 40)
    # 1763/780 antes are staked in the mean round (final bets included), before and after.
    assert delta.delta_on_total == Fraction(-1, 40) / Fraction(1763, 780)
    assert delta.before is not None
    assert delta.before.return_to_player == Fraction(201034, 137085)
    assert on_total(delta.before) == Fraction(1495185, 1239389)


@pytest.mark.slow
def test_home_king_paid_one_to_one_costs_the_same() -> None:
    text = edited(('pays = "2 to 1"', 'pays = "1 to 1"'), text=source(HOME))
    delta = ante(compared(source(HOME), text))
    assert (delta.delta, delta.adds_to_stake) == (Fraction(-1, 40), False)
    assert "return-on-total-changed" not in ids(compared(source(HOME), text).changes)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("tie", '"lose"'),
        ("tie", '"ante-returned"'),
        ("final-bet", '"2 antes"'),
        ("final-bet", '"none"'),
        ("dealer-stands-on", '"7"'),
        pytest.param("dealer-maximum-cards", '"any number"', marks=pytest.mark.slow),
        ("player-may-stand-on-first-card", "false"),
    ],
)
def test_a_changed_rule_is_counted_as_two_analyses_count_it(rule: str, value: str) -> None:
    text = with_rule(source(CASINO), rule, value)
    if rule == "tie":
        # A row is a pay of the whole stake or more: where a tie costs a bet it is none.
        text = text.replace(push_row(text), "")
    found = compared(source(CASINO), text)
    before, after = (parse_game(state.encode(), "game.toml") for state in (source(CASINO), text))
    was, now = (analyze(game).wager("ante") for game in (before, after))
    delta = ante(found)
    assert delta.delta == now.return_to_player - was.return_to_player
    assert delta.delta_on_total == on_total(now) - on_total(was)
    assert change(found, "rule-changed", f"rules/{rule}").line > 1
    assert {"return-changed", "return-on-total-changed"} <= kinds(found, Severity.MAJOR)
    old, new = (exposure(game).amount for game in (before, after))
    assert found.figure_changes is not None
    assert found.figure_changes.exposure == (old, new)
    assert (old != new) is ("max-exposure-changed" in kinds(found))
    # Every cell of the strategy that both come to and that is played otherwise.
    cells = [{(d.hand, d.dealer): d.best for d in analyze(game).decisions} for game in (before, after)]
    flipped = {
        f"{hand} against {dealer}"
        for (hand, dealer), best in cells[1].items()
        if cells[0].get((hand, dealer), best) != best
    }
    assert {flip.hand for flip in found.figure_changes.flips} == flipped


def push_row(text: str) -> str:
    start = text.index('[[wagers.paytable]]\nid = "push"')
    return text[start : text.index("[[", start + 2)]


def test_a_rule_that_changes_no_figure_is_still_a_changed_rule() -> None:
    # No first card is worth 5½, so a dealer with two cards at most stands on the same hands at 5½ and at 6.
    found = compared(source(CASINO), with_rule(source(CASINO), "dealer-stands-on", '"5½"'))
    assert ante(found).delta == 0
    assert kinds(found, Severity.MAJOR) == {"rule-changed", "version-not-bumped"}


@pytest.mark.slow
def test_the_two_returns_can_move_in_opposite_directions() -> None:
    # Without a final bet, but with any number of cards, an ante returns less and what is wagered more.
    text = with_rule(with_rule(source(CASINO), "final-bet", '"none"'), "player-maximum-cards", '"any number"')
    delta = ante(compared(source(CASINO), text))
    assert delta.delta is not None
    assert delta.delta_on_total is not None
    assert delta.delta < 0 < delta.delta_on_total


def test_thresholds_hold_for_both_returns() -> None:
    # Two antes always: 1.24 points less on the ante, 2.91 points less on everything wagered.
    text = with_rule(source(CASINO), "final-bet", '"2 antes"')
    judged = ("return-changed", "return-on-total-changed")
    for allowed, severity in (("0.02", Severity.MAJOR), ("0.03", Severity.MINOR)):
        found = compared(source(CASINO), text, GatePolicy(max_return_decrease=Fraction(allowed)))
        assert {change(found, kind).severity for kind in judged} == {severity}


def test_a_return_that_falls_below_the_stake_changes_the_side_of_the_edge_and_crosses_the_floor() -> None:
    # Claim 1(d) of US 5,632,489: the player draws or folds. The ante then returns 73.63 %, below 75 %.
    text = with_rule(source(CASINO), "player-may-stand-on-first-card", "false")
    found = compared(source(CASINO), text)
    side = change(found, "edge-changed-side")
    assert (side.before, side.after, side.severity) == ("the player", "the bank", Severity.MAJOR)
    assert "20.638879 % of everything wagered" in side.message
    assert change(found, "floor-crossed").severity is Severity.CRITICAL
    assert "return-above-100" not in kinds(found)
    back = compared(text, source(CASINO))
    above = change(back, "return-above-100")
    assert above.severity is Severity.CRITICAL
    assert "146.649159 % of the initial stake, 120.638879 % of everything wagered" in above.message
    assert change(back, "edge-changed-side").after == "the player"
    # No threshold and no approval of a return is meant to hide it.
    loose = GatePolicy(max_return_decrease=Fraction(9), max_return_increase=Fraction(9))
    assert {"return-above-100", "edge-changed-side"} <= kinds(
        compared(text, source(CASINO), loose), Severity.MAJOR
    )


def test_what_was_above_the_stake_before_is_a_note() -> None:
    assert change(compared(source(CASINO), casino(KING)), "above-100-before").severity is Severity.NOTE


@pytest.mark.parametrize("game", firsts([CASINO, HOME]))
def test_a_new_game_is_judged_as_it_stands(game: str) -> None:
    found = compared(None, source(game))
    assert found.status == "added"
    assert change(found, "return-above-100").severity is Severity.CRITICAL
    said = open_card_json(
        read_game(FIXTURES / game / "game.toml"), analyze(read_game(FIXTURES / game / "game.toml"))
    )
    wrong = [
        entry
        for entry in said["printed"]["rows"]
        if (entry["under_implied_reading"], entry["as_probability"]) != ("holds", "holds")
    ]
    assert ids(found.changes).count("printed-figure-wrong") == len(wrong)
    assert compared(source(game), None).changes[0].kind.id == "game-removed"


def test_every_verdict_is_that_of_the_analysis() -> None:
    path = Path(FIXTURES / CASINO / "game.toml")
    game = read_game(path)
    said: dict[str, Any] = open_card_json(game, analyze(game))["printed"]
    figure_changes = compared(None, source(CASINO)).figure_changes
    assert figure_changes is not None
    for entry in said["counts"]:
        verdict = figure_changes.printed["printed_counts", entry["id"]][1]
        assert verdict is not None
        assert (verdict.worth, verdict.reason) == ((entry["verdict"],), entry["detail"])
    for entry in said["rows"]:
        verdict = figure_changes.printed["printed_rows", entry["label"]][1]
        assert verdict is not None
        assert verdict.worth == (entry["under_implied_reading"], entry["as_probability"])
        assert (list(verdict.slips), verdict.reason) == (entry["slips"], entry["reason"])


@pytest.mark.parametrize(
    ("old", "new", "kind", "words"),
    [
        # 16 ways to thirteen in two cards: A to 7 give 6 + 7 alone, 4 · 4.
        ('id = "two-card-13"\nof = "two-card-hands"\ntotals = ["13"]\nways = "16"',
         'id = "two-card-13"\nof = "two-card-hands"\ntotals = ["13"]\nways = "17"',
         "printed-figure-wrong", "printed 17, exact 16"),
        ('share = "27.69% (216/780)"', 'share = "27.70% (216/780)"', "printed-figure-wrong", "exact 27.69"),
        # The misprinted denominator of US 5,632,489 set right: the slip is gone, the denominator is still wrong.
        ("6.22 (51/821)", "6.22 (51/820)", "printed-figure-mended", "now wrong denominator"),
        ('tie = "0.61 (5/820)"', 'tie = "0.61 (6/820)"', "printed-figure-wrong", "counted 5/820"),
        ('dealer_wins = "100"', 'dealer_wins = "99"', "printed-figure-wrong", "printed 99, exact 100"),
    ],
)  # fmt: skip
def test_a_changed_cell_is_a_changed_claim_with_a_verdict(old: str, new: str, kind: str, words: str) -> None:
    found = compared(source(CASINO), casino((old, new)))
    changed = change(found, "printed-figure-changed")
    assert "; counted: " in changed.message
    assert new.splitlines()[-1] in casino((old, new)).splitlines()[changed.line - 1]
    judged = change(found, kind)
    assert words in judged.message
    assert changed.subject.startswith(judged.subject)
    if kind == "printed-figure-wrong":
        assert judged.severity is Severity.MAJOR
    back = compared(casino((old, new)), source(CASINO))
    if kind == "printed-figure-mended":
        assert "printed-figure-wrong" in ids(back.changes)


def test_a_cell_taken_from_another_source_is_no_other_claim() -> None:
    found = document(CASINO)
    other = {**found["sources"][0], "id": "reprint"}
    both = {**found, "sources": [*found["sources"], other]}
    (place,) = (n for n, row in enumerate(found["printed_rows"]) if row["label"] == "TWO ACES")
    moved = with_value(both, ("printed_rows", place, "source"), "reprint")
    comparison = compared(written(both), written(moved))
    assert kinds(comparison) == {"provenance-changed", "printed-figure-wrong-before", "above-100-before"}


def test_a_fair_wager_is_nobody_s_and_not_above_what_is_staked() -> None:
    half = Fraction(1, 2)
    fair = WagerFigures("ante", (Outcome("win", Fraction(1), half), Outcome("lose", Fraction(-1), half)))
    more = WagerFigures("ante", (Outcome("win", Fraction(2), half), Outcome("lose", Fraction(-1), half)))
    less = WagerFigures("ante", (Outcome("win", half, half), Outcome("lose", Fraction(-1), half)))
    assert [edge(each) for each in (less, fair, more)] == ["the bank", "nobody", "the player"]
    for before, after, above, side in (
        (less, fair, [], ["nobody"]),
        (fair, less, [], ["the bank"]),
        (fair, more, ["return-above-100"], ["the player"]),
        (more, more, ["above-100-before"], []),
        (None, more, ["return-above-100"], []),
    ):
        delta = WagerChange("ante", "main-optimal", before, after, {}, {})
        assert [found.kind for found in above_stake(delta, after, ())] == above
        moved = returns_moved(delta, before, after, (), GatePolicy()) if before else ()
        assert [found.after for found in moved if found.kind == "edge-changed-side"] == side


def test_a_removed_row_is_told_with_its_cells() -> None:
    found = document(CASINO)
    rows = [row for row in found["printed_rows"] if row["label"] != "TWO ACES"]
    gone = change(
        compared(source(CASINO), written({**found, "printed_rows": rows})), "printed-figure-removed"
    )
    assert gone.subject == "printed_rows/TWO ACES"
    assert gone.message.endswith("was removed: 38.91 (92/820) + (pb %) | 0.61 (5/820) | 60.48")


def test_zeros_that_change_how_a_cell_reads_are_a_change() -> None:
    # Four digits before the point are no percentage: the cell then prints 0, not 0.61.
    found = compared(source(CASINO), casino(('tie = "0.61 (5/820)"', 'tie = "0000.61 (5/820)"')))
    assert "tie: printed 0 %" in change(found, "printed-figure-wrong").message
    same = casino(('tie = "0.61 (5/820)"', 'tie = "00.61  (0005/820)"'))
    assert compared(source(CASINO), same).status == "unchanged"


def test_two_rows_of_one_label_have_a_verdict_each() -> None:
    """The second of two rows under one label cannot hide behind the first."""
    found = document(CASINO)
    (aces,) = (row for row in found["printed_rows"] if row["label"] == "TWO ACES")
    wrong = {**aces, "tie": "0.61 (6/820)"}
    twice = written({**found, "printed_rows": [*found["printed_rows"], aces]})
    other = written({**found, "printed_rows": [*found["printed_rows"], wrong]})
    subject = "printed_rows/TWO ACES/#2"
    assert change(compared(source(CASINO), other), "printed-figure-wrong").subject == subject
    assert change(compared(twice, other), "printed-figure-changed").subject == f"{subject}/tie"
    assert "tie: printed 6/820" in change(compared(twice, other), "printed-figure-wrong").message
    assert compared(source(CASINO), twice).changes


def test_one_slip_mended_and_another_made_is_wrong() -> None:
    # The denominator of the ties is set right, and the losses no longer add up to 100 % with the rest.
    text = casino(("6.22 (51/821)", "6.22 (51/820)"), ('player_wins = "6.09"', 'player_wins = "6.19"'))
    assert change(compared(source(CASINO), text), "printed-figure-wrong").subject == "printed_rows/SEVEN"


def test_a_row_that_was_true_and_is_no_longer_is_found_though_nobody_touched_it() -> None:
    # Two aces with the shares that they really have under best play, as the analysis counts them.
    game = read_game(FIXTURES / CASINO / "game.toml")
    rows = open_card_json(game, analyze(game))["printed"]["rows"]
    (aces,) = (row["conditional"]["main-optimal"] for row in rows if row["label"] == "TWO ACES")
    found = document(CASINO)
    (place,) = (n for n, row in enumerate(found["printed_rows"]) if row["label"] == "TWO ACES")
    dealer, tie = (Fraction(aces[end]["probability"]) for end in ("dealer_wins", "tie"))
    cells = {
        "dealer_wins": decimal_text(100 * dealer, 2),
        "tie": decimal_text(100 * tie, 2),
        "player_wins": decimal_text(100 * (1 - dealer - tie), 2),
    }
    row = {**found["printed_rows"][place], **cells}
    true = written(with_value(found, ("printed_rows", place), row))
    new = compared(source(CASINO), true)
    assert new.figure_changes is not None
    verdict = new.figure_changes.printed["printed_rows", "TWO ACES"][1]
    assert verdict is not None
    assert verdict.worth[1] == "holds"
    # Who must draw or fold ends on other hands; the printed shares are those of nobody any more.
    changed = compared(true, with_rule(true, "player-may-stand-on-first-card", "false"))
    wrong = change(changed, "printed-figure-wrong", "printed_rows/TWO ACES")
    assert (wrong.before, wrong.after) == ("arithmetic slip", "wrong denominator and arithmetic slip")
    back = compared(with_rule(true, "player-may-stand-on-first-card", "false"), true)
    assert change(back, "printed-figure-mended", "printed_rows/TWO ACES").after == "arithmetic slip"


def test_a_true_cell_in_another_spelling_of_its_precision_holds() -> None:
    found = compared(source(CASINO), casino(('share = "27.69% (216/780)"', 'share = "27.7% (216/780)"')))
    # Fewer digits hold as well, and say less: that is told, and as nothing else.
    assert change(found, "claim-less-precise").subject
    assert not {"printed-figure-wrong", "printed-figure-mended", "printed-figure-changed"} & kinds(found)


def test_a_rule_can_leave_printed_rows_without_a_hand_and_each_is_named() -> None:
    # A dealer who stands on three never ends on two threes, nor on three and four.
    found = compared(source(CASINO), with_rule(source(CASINO), "dealer-stands-on", '"3"'))
    wrong = {c.subject: c.message for c in found.changes if c.kind.id == "printed-figure-wrong"}
    assert {name for name, said in wrong.items() if "no deal produces this hand" in said} == {
        "printed_rows/THREE-THREE",
        "printed_rows/THREE-FOUR",
    }
    # What can be counted is counted all the same.
    assert ante(found).delta


def test_printed_tables_of_a_family_that_nothing_counts_do_not_pass() -> None:
    """Printed counts under 7 e Mezzo: read, listed, and wrong until something counts them."""
    count = '\n[[printed_counts]]\nid = "all"\nof = "all-hands"\ntotals = []\nways = "820"\nsource = "rules-screen"\n'
    found = compared(published(), published() + count)
    assert "cannot be counted" in change(found, "printed-figure-wrong").message


def test_a_printed_return_is_judged_per_ante() -> None:
    claim = {"wager": "ante", "metric": "return-to-player", "printed": "146.65 %", "source": "patent"}
    said = written(with_value(document(CASINO), ("claims",), [claim]))
    assert "claim-stale" not in kinds(compared(source(CASINO), said))
    # On everything wagered the return is 120.64 %: printed as the return, it is not that of the ante.
    total = said.replace("146.65", "120.64")
    assert change(compared(source(CASINO), total), "claim-stale").severity is Severity.CRITICAL
    assert "claim-stale" in kinds(compared(said, said.replace('"3 to 1"', '"2 to 1"')))


def test_one_id_under_another_family_is_another_game() -> None:
    other = published().replace('id = "playtech-7-e-mezzo"', f'id = "{CASINO}"')
    for before, after in ((source(CASINO), other), (other, source(CASINO))):
        found = compared(before, after)
        assert change(found, "identity-changed", "game/family").severity is Severity.MAJOR
        assert {"wager-added", "wager-removed", "rule-changed"} <= kinds(found, Severity.MAJOR)
        assert found.figure_changes is not None
        assert (found.figure_changes.flips, found.figure_changes.cells) == ((), (0, 0))
        assert all(delta.delta is None for delta in found.figure_changes.wagers)
    assert "return-above-100" in kinds(compared(other, source(CASINO)))


def test_the_top_award_is_the_best_pay_for_what_is_staked() -> None:
    # A win with two antes of final bet nets three antes, but on three staked: 1 to 1, as its row says.
    figures = analyze(read_game(FIXTURES / CASINO / "game.toml")).wager("ante")
    award = top_award(figures)
    assert (award.id, award.pays, award.probability) == ("king-of-diamonds", 3, Fraction(1, 40))
    others = tuple(outcome for outcome in figures.outcomes if outcome.id != "king-of-diamonds")
    rest = replace(figures.outcomes[-1], probability=figures.outcomes[-1].probability + Fraction(1, 40))
    won = top_award(replace(figures, outcomes=(*others[:-1], rest)))
    wins = sum(outcome.probability for outcome in others if outcome.id.startswith("win"))
    assert (won.id, won.pays, won.probability) == ("win", 1, wins)


def test_limits_move_the_exposure_with_the_final_bet() -> None:
    # 25 dollars of ante and 50 of final bet at 1 to 1; the King of diamonds wins as much with 3 to 1.
    found = compared(source(CASINO), casino(('maximum = "25.00"', 'maximum = "30.00"')))
    assert change(found, "max-exposure-changed").after == "90.00 USD"
    assert "max-exposure-changed" not in kinds(compared(source(CASINO), casino(KING)))
    limit = GatePolicy(max_exposure={"USD": 8000})
    more = compared(source(CASINO), casino(('maximum = "25.00"', 'maximum = "30.00"')), limit)
    assert change(more, "exposure-above-limit").severity is Severity.CRITICAL


def test_figures_survive_their_document() -> None:
    for name in (CASINO, HOME):
        game = read_game(FIXTURES / name / "game.toml")
        counted = count_figures(basis_of(game))
        kept = json.loads(json.dumps(figures_document(counted, game)))
        assert figures_from(kept, basis_of(game)) == counted

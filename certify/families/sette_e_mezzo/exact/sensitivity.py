"""What an auditor asks first: how much each return moves when a pay or a rule is otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from certify.exact import format_half_points, fraction_text, percent_text
from certify.families.open_card.exact.passages import Option
from certify.families.open_card.exact.sensitivity import other_rules, raised_pays
from certify.families.open_card.rules import OpenCardRules
from certify.families.sette_e_mezzo.exact.analyze import analyze, analyze_table
from certify.families.sette_e_mezzo.exact.strategies import MAIN_OPTIMAL
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie, rules_of
from certify.model.figures import Analysis
from certify.model.game import Game, Wager


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The exact change of one return when one thing is otherwise and the player adapts.

    Args:
        wager: Wager whose return changes.
        subject: Row id or rule that is otherwise.
        change: What is otherwise, in words.
        before: Return as submitted.
        after: Return with the change, the strategy found anew.
        replayed: Return with the change when the player goes on as before; none for rules.
    """

    wager: str
    subject: str
    change: str
    before: Fraction
    after: Fraction
    replayed: Fraction | None = None

    @property
    def delta(self) -> Fraction:
        """Change of the return."""
        return self.after - self.before


def pay_sensitivities(game: Game, strategy: str = MAIN_OPTIMAL) -> tuple[Sensitivity, ...]:
    """Returns the change of each wager's return when one of its pays rises by one unit to 1."""
    base = analyze(game, strategy)
    if isinstance(game.rules, OpenCardRules):
        return tuple(_against_open_card(base, option, strategy) for option in raised_pays(game))
    return tuple(
        _pay_sensitivity(game, base, strategy, wager, position)
        for wager in game.wagers
        for position in range(len(wager.paytable.rows))
    )


def _against_open_card(base: Analysis, option: Option, strategy: str, *, pays: bool = True) -> Sensitivity:
    """Returns what one changed pay or rule does to the ante."""
    before, after = base.wagers[0], analyze(option.game, strategy).wagers[0]
    replayed = analyze_table(option.game, base.strategy).wagers[0].return_to_player if pays else None
    return Sensitivity(
        before.wager,
        option.subject,
        option.words,
        before.return_to_player,
        after.return_to_player,
        replayed,
    )


def _pay_sensitivity(game: Game, base: Analysis, strategy: str, wager: Wager, position: int) -> Sensitivity:
    rows = wager.paytable.rows
    row = rows[position]
    raised = (*rows[:position], replace(row, pays=row.pays + 1), *rows[position + 1 :])
    changed = replace(
        game,
        wagers=tuple(
            replace(entry, paytable=replace(entry.paytable, rows=raised)) if entry.id == wager.id else entry
            for entry in game.wagers
        ),
    )
    before = base.wager(wager.id)
    probability = sum((end.probability for end in before.outcomes if end.id == row.id), Fraction(0))
    after = analyze(changed, strategy).wager(wager.id).return_to_player
    return Sensitivity(
        wager.id,
        row.id,
        "pays one unit more",
        before.return_to_player,
        after,
        before.return_to_player + probability,
    )


def rule_sensitivities(game: Game, strategy: str = MAIN_OPTIMAL) -> tuple[Sensitivity, ...]:
    """Returns the change of every return when one rule of play is otherwise and the player adapts."""
    base = analyze(game, strategy)
    if isinstance(game.rules, OpenCardRules):
        changed_games = other_rules(game)
        return tuple(_against_open_card(base, option, strategy, pays=False) for option in changed_games)
    found = []
    for subject, change, rules in _other_rules(rules_of(game)):
        changed = analyze(replace(game, rules=rules), strategy)
        found += [
            Sensitivity(
                figures.wager,
                subject,
                change,
                figures.return_to_player,
                changed.wager(figures.wager).return_to_player,
            )
            for figures in base.wagers
        ]
    return tuple(found)


def _other_rules(rules: SetteEMezzoRules) -> Iterator[tuple[str, str, SetteEMezzoRules]]:
    tie = Tie.PUSH if rules.tie is Tie.LOSE else Tie.LOSE
    yield "tie", f"a tie is a {tie.value}", replace(rules, tie=tie)
    king = not rules.king_wins_against_dealer_seven_and_a_half
    player, dealer = not rules.player_draws_on_first_face, not rules.dealer_draws_on_first_face
    chases = not rules.dealer_chases_seven_and_a_half
    yield (
        "king-wins-against-dealer-seven-and-a-half",
        _yes_no(king),
        replace(rules, king_wins_against_dealer_seven_and_a_half=king),
    )
    yield "player-draws-on-first-face", _yes_no(player), replace(rules, player_draws_on_first_face=player)
    yield "dealer-draws-on-first-face", _yes_no(dealer), replace(rules, dealer_draws_on_first_face=dealer)
    yield (
        "dealer-chases-seven-and-a-half",
        _yes_no(chases),
        replace(rules, dealer_chases_seven_and_a_half=chases),
    )
    for total in (rules.dealer_stands_on - 1, rules.dealer_stands_on + 1):
        words = f"the dealer stands on {format_half_points(total)}"
        yield "dealer-stands-on", words, replace(rules, dealer_stands_on=total)
    free = rules.pair_condition is PairCondition.UNCONDITIONAL
    condition = PairCondition.DEALER_MUST_UNCOVER if free else PairCondition.UNCONDITIONAL
    yield "pair-condition", condition.value, replace(rules, pair_condition=condition)


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


def sensitivity_json(found: tuple[Sensitivity, ...]) -> list[dict[str, Any]]:
    """Returns sensitivities as a JSON list."""
    return [
        {
            "wager": entry.wager,
            "subject": entry.subject,
            "change": entry.change,
            "before": fraction_text(entry.before),
            "after": fraction_text(entry.after),
            "delta": fraction_text(entry.delta),
            "delta_percent": percent_text(entry.delta),
            "same_strategy": None if entry.replayed is None else fraction_text(entry.replayed),
        }
        for entry in found
    ]

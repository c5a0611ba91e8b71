"""7 e Mezzo with one rule of play otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from certify.exact import format_half_points
from certify.families.port import Variant
from certify.families.sette_e_mezzo.rules import PUSH, PairCondition, SetteEMezzoRules, Tie, rules_of
from certify.model.game import Game, Paytable


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with each of its rules otherwise, one at a time."""
    for subject, words, rules in _other_rules(rules_of(game)):
        yield Variant(subject, words, with_push(replace(game, rules=rules)))


def with_push(game: Game) -> Game:
    """Returns a game whose paytable names the tie that returns the stake, where the rules have one."""
    main, *others = game.wagers
    if rules_of(game).tie is Tie.LOSE or PUSH in main.paytable.ids:
        return game
    returned = replace(main.paytable.rows[0], id=PUSH, title="Tie", pays=Fraction(0))
    rows = Paytable((*main.paytable.rows, returned))
    return replace(game, wagers=(replace(main, paytable=rows), *others))


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

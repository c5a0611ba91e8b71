"""Games against an open dealer's card in which one rule or one reading is otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.exact import format_half_points
from certify.families.open_card.exact.figures import with_rules
from certify.families.open_card.exact.passages import DEALER, Option
from certify.families.open_card.exact.readings import other_readings
from certify.families.open_card.rules import ANY_NUMBER, rules_of
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.model.game import Game, Wager

RAISED: Final = "pays one unit more"


def raised_pays(game: Game) -> Iterator[Option]:
    """Yields the game with each pay of the ante raised by one unit to 1; a win pays the final bet alike."""
    (wager,) = game.wagers
    bets = " on ante and final bet" if rules_of(game).final_bets else ""
    for position, row in enumerate(wager.paytable.rows):
        also = bets if row.id in ("win", "push") else ""
        yield Option(row.id, RAISED + also, _raised(game, wager, position))


def _raised(game: Game, wager: Wager, position: int) -> Game:
    rows = list(wager.paytable.rows)
    rows[position] = replace(rows[position], pays=rows[position].pays + Fraction(1))
    return replace(game, wagers=(replace(wager, paytable=replace(wager.paytable, rows=tuple(rows))),))


def other_rules(game: Game) -> Iterator[Option]:
    """Yields the game with each passage read otherwise, and with each rule of the dealer that is no reading."""
    readings = other_readings(game)
    yield from readings
    rules = rules_of(game)
    if all(option.subject != DEALER for option in readings):
        words = "may stand on the first card" if rules.dealer_always_draws else "always takes a second card"
        yield Option(
            "dealer-always-draws",
            f"the dealer {words}",
            with_rules(game, dealer_always_draws=not rules.dealer_always_draws),
        )
    known = {option.game for option in readings}
    for total in (rules.dealer_stands_on - 1, rules.dealer_stands_on + 1):
        changed = with_rules(game, dealer_stands_on=total)
        if total <= SEVEN_AND_A_HALF and changed not in known:
            words = f"the dealer stands on {format_half_points(total)} or more"
            yield Option("dealer-stands-on", words, changed)
    if rules.dealer_maximum_cards != ANY_NUMBER:
        cards = rules.dealer_maximum_cards + 1
        changed = with_rules(game, dealer_maximum_cards=cards)
        yield Option("dealer-maximum-cards", f"the dealer may hold {cards} cards", changed)

"""Games against an open dealer's card in which one rule or one reading is otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from certify.analysis.sensitivity import with_raised_pay
from certify.exact import format_half_points
from certify.families.open_card.exact.ambiguous_rules import DEALER
from certify.families.open_card.exact.figures import with_rules
from certify.families.open_card.exact.readings import other_readings
from certify.families.open_card.rules import ANY_NUMBER, rules_of
from certify.families.port import Variant
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.model.game import Game

RAISED: Final = "pays one unit more"


def raised_pays(game: Game, wager_id: str) -> Iterator[Variant]:
    """Yields the game with each pay of the ante raised by one unit to 1; a win pays the final bet alike."""
    wager = game.wager(wager_id)
    bets = " on ante and final bet" if rules_of(game).final_bets else ""
    for position, row in enumerate(wager.paytable.rows):
        also = bets if row.id in ("win", "push") else ""
        yield Variant(row.id, RAISED + also, with_raised_pay(game, wager.id, position))


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with each passage read otherwise, and with each rule of the dealer that is no reading."""
    readings = other_readings(game)
    yield from (Variant(option.subject, option.words, option.game) for option in readings)
    rules = rules_of(game)
    if all(option.subject != DEALER for option in readings):
        words = "may stand on the first card" if rules.dealer_always_draws else "always takes a second card"
        yield Variant(
            "dealer-always-draws",
            f"the dealer {words}",
            with_rules(game, dealer_always_draws=not rules.dealer_always_draws),
        )
    known = {option.game for option in readings}
    for total in (rules.dealer_stands_on - 1, rules.dealer_stands_on + 1):
        changed = with_rules(game, dealer_stands_on=total)
        if total <= SEVEN_AND_A_HALF and changed not in known:
            words = f"the dealer stands on {format_half_points(total)} or more"
            yield Variant("dealer-stands-on", words, changed)
    if rules.dealer_maximum_cards != ANY_NUMBER:
        cards = rules.dealer_maximum_cards + 1
        changed = with_rules(game, dealer_maximum_cards=cards)
        yield Variant("dealer-maximum-cards", f"the dealer may hold {cards} cards", changed)

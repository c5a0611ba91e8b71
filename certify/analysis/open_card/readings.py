"""Every reading of the rules evaluated: what the game returns when a contradictory sentence is read otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from certify.analysis.open_card.figures import KING, analyze_open_card
from certify.analysis.open_card.tree import ANTE
from certify.analysis.strategies import MAIN_OPTIMAL
from certify.exact import format_half_points, format_odds
from certify.model.figures import WagerFigures
from certify.model.game import Game
from certify.model.rules import ANY_NUMBER, OpenCardRules, OpenCardTie


@dataclass(frozen=True, slots=True)
class EvaluatedReading:
    """One reading of the rules with its figures under optimal play.

    Args:
        reading: The reading in words.
        adopted: Whether it is the one of the submission.
        figures: Exact figures of the ante.
    """

    reading: str
    adopted: bool
    figures: WagerFigures


def evaluated_readings(game: Game) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of the adopted reading and of every other one, the strategy found anew for each."""
    readings = [("as adopted", game), *_others(game)]
    return tuple(
        EvaluatedReading(words, changed is game, analyze_open_card(changed, MAIN_OPTIMAL).wager(ANTE))
        for words, changed in readings
    )


def _others(game: Game) -> Iterator[tuple[str, Game]]:
    rules = game.open_card
    yield from ((words, replace(game, rules=changed)) for words, changed in _other_rules(rules))
    paid = game.wager(ANTE).paytable.pays(KING)
    if paid > 1:
        # "Triple the bet" may or may not count the stake that is given back.
        yield f"the King of diamonds pays {format_odds(paid - 1)}, the stake being part of it", _king(game)


def _king(game: Game) -> Game:
    wager = game.wager(ANTE)
    rows = tuple(replace(row, pays=row.pays - 1) if row.id == KING else row for row in wager.paytable.rows)
    return replace(game, wagers=(replace(wager, paytable=replace(wager.paytable, rows=rows)),))


def _other_rules(rules: OpenCardRules) -> Iterator[tuple[str, OpenCardRules]]:
    if rules.dealer_maximum_cards == ANY_NUMBER:
        for stands_on in (12, 13):
            for always in (False, True):
                changed = replace(rules, dealer_stands_on=stands_on, dealer_always_draws=always)
                if changed != rules:
                    yield _dealer_words(changed), changed
    if rules.final_bets:
        stands = not rules.player_may_stand_on_first_card
        words = "the player may stand on the first card" if stands else "the player must draw or fold"
        yield words, replace(rules, player_may_stand_on_first_card=stands)
        for bet in rules.final_bets if len(rules.final_bets) > 1 else ():
            antes = "one ante" if bet == 1 else f"{bet} antes"
            yield f"the final bet is always {antes}", replace(rules, final_bets=(bet,))
    ties = {
        OpenCardTie.PUSH: "a tie returns all bets",
        OpenCardTie.ANTE_RETURNED: "a tie returns the ante only, the final bet is lost",
        OpenCardTie.LOSE: "a tie loses all bets",
    }
    for tie, words in ties.items():
        if tie is not rules.tie and (rules.final_bets or tie is not OpenCardTie.ANTE_RETURNED):
            yield words, replace(rules, tie=tie)


def _dealer_words(rules: OpenCardRules) -> str:
    first = "always takes a second card" if rules.dealer_always_draws else "may stand on the first card"
    return f"the dealer stands on {format_half_points(rules.dealer_stands_on)} or more and {first}"

"""Every reading of the rules evaluated: what the game returns when a contradictory sentence is read otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from certify.analysis.open_card.figures import KING, analyze_open_card, with_rules
from certify.analysis.open_card.tree import ANTE
from certify.analysis.strategies import MAIN_OPTIMAL
from certify.exact import format_half_points, format_odds
from certify.model.figures import WagerFigures
from certify.model.game import Game
from certify.model.rules import ANY_NUMBER, OpenCardRules, OpenCardTie

AS_ADOPTED: Final = "as adopted"
DEALER: Final = "dealer"

_TIES: Final = {
    OpenCardTie.PUSH: "a tie returns all bets",
    OpenCardTie.ANTE_RETURNED: "a tie returns the ante only, the final bet is lost",
    OpenCardTie.LOSE: "a tie loses all bets",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One way to read one passage.

    Args:
        subject: Rule or row that the passage is about.
        words: The reading in words.
        game: The game so read, all else as adopted.
    """

    subject: str
    words: str
    game: Game


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
    readings = [(AS_ADOPTED, game), *((option.words, option.game) for option in other_readings(game))]
    return tuple(_evaluated(words, changed, changed is game) for words, changed in readings)


def evaluated_combinations(game: Game) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of every combination of readings, the adopted one first.

    Passages may work on each other: where a tie loses, a final bet is worth less, and another dealer's rule
    makes more ties. So no sum of single changes stands for a combination; each is a game of its own.
    """
    return tuple(
        _evaluated(words or AS_ADOPTED, changed, not words) for words, changed in combined_readings(game)
    )


def combined_readings(game: Game, without: frozenset[str] = frozenset()) -> Iterator[tuple[str, Game]]:
    """Yields every combination of readings: its words, none for the adopted one, and the game so read.

    Args:
        game: The submission.
        without: Subjects that are left as adopted.
    """
    passages = [options for options in _passages(game) if options[0].subject not in without]
    for options in product(*passages):
        changed = game
        for option in options:
            changed = _also(changed, game, option.game)
        yield "; ".join(option.words for option in options if option.game != game), changed


def other_readings(game: Game) -> tuple[Option, ...]:
    """Returns the readings that are not adopted, one passage read otherwise at a time."""
    return tuple(option for options in _passages(game) for option in options if option.game != game)


def _evaluated(words: str, game: Game, adopted: bool) -> EvaluatedReading:
    return EvaluatedReading(words, adopted, analyze_open_card(game, MAIN_OPTIMAL).wager(ANTE))


def _also(game: Game, adopted: Game, read: Game) -> Game:
    """Returns a game with all that one more reading changes against the adopted one."""
    rules, before, after = game.open_card, adopted.open_card, read.open_card
    changes = {
        name: getattr(after, name)
        for name in OpenCardRules.__dataclass_fields__
        if getattr(after, name) != getattr(before, name)
    }
    wagers = game.wagers if read.wagers == adopted.wagers else read.wagers
    return replace(game, rules=replace(rules, **changes), wagers=wagers)


def _passages(game: Game) -> Iterator[tuple[Option, ...]]:
    """Yields the readings of each passage, the adopted one first."""
    for options in (_dealer(game), _standing(game), _final_bets(game), _ties(game), _king(game)):
        others = tuple(option for option in options if option.game != game)
        if others:
            yield (Option(others[0].subject, AS_ADOPTED, game), *others)


def _dealer(game: Game) -> Iterator[Option]:
    if game.open_card.dealer_maximum_cards == ANY_NUMBER:
        for stands_on, always in product((12, 13), (False, True)):
            changed = with_rules(game, dealer_stands_on=stands_on, dealer_always_draws=always)
            yield Option(DEALER, _dealer_words(changed.open_card), changed)


def _dealer_words(rules: OpenCardRules) -> str:
    first = "always takes a second card" if rules.dealer_always_draws else "may stand on the first card"
    return f"the dealer stands on {format_half_points(rules.dealer_stands_on)} or more and {first}"


def _standing(game: Game) -> Iterator[Option]:
    if game.open_card.final_bets:
        stands = not game.open_card.player_may_stand_on_first_card
        words = "the player may stand on the first card" if stands else "the player must draw or fold"
        changed = with_rules(game, player_may_stand_on_first_card=stands)
        yield Option("player-may-stand-on-first-card", words, changed)


def _final_bets(game: Game) -> Iterator[Option]:
    bets = game.open_card.final_bets
    for bet in bets if len(bets) > 1 else ():
        antes = "one ante" if bet == 1 else f"{bet} antes"
        yield Option("final-bet", f"the final bet is always {antes}", with_rules(game, final_bets=(bet,)))


def _ties(game: Game) -> Iterator[Option]:
    for tie, words in _TIES.items():
        if game.open_card.final_bets or tie is not OpenCardTie.ANTE_RETURNED:
            yield Option("tie", words, with_rules(game, tie=tie))


def _king(game: Game) -> Iterator[Option]:
    wager = game.wager(ANTE)
    paid = wager.paytable.pays(KING)
    if paid > 1:
        # "Triple the bet" may or may not count the stake that is given back.
        rows = tuple(
            replace(row, pays=row.pays - 1) if row.id == KING else row for row in wager.paytable.rows
        )
        changed = replace(game, wagers=(replace(wager, paytable=replace(wager.paytable, rows=rows)),))
        words = f"the King of diamonds pays {format_odds(paid - 1)}, the stake being part of it"
        yield Option(KING, words, changed)

"""Every reading of the rules evaluated: what the game returns when a contradictory sentence is read otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product

from certify.families.open_card.exact.figures import analyze_open_card
from certify.families.open_card.exact.passages import AS_ADOPTED, Option, passages, what_ifs
from certify.families.open_card.exact.tree import ANTE, ReadRules, read_rules
from certify.families.open_card.rules import OpenCardRules, rules_of
from certify.families.sette_e_mezzo.exact.strategies import MAIN_OPTIMAL
from certify.model.figures import WagerFigures
from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class EvaluatedReading:
    """One reading of the rules with its figures under optimal play.

    Args:
        reading: The reading in words.
        adopted: Whether it is the one of the submission.
        figures: Exact figures of the ante.
        what_if: Whether no passage says so: shown for comparison, counted nowhere.
    """

    reading: str
    adopted: bool
    figures: WagerFigures
    what_if: bool = False


def evaluated_readings(game: Game) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of the adopted reading and of every other one, the strategy found anew for each.

    What no passage says stands last, marked as such.
    """
    others = (_evaluated(o.words, o.game, False, what_if=o.what_if) for o in other_readings(game))
    return (_evaluated(AS_ADOPTED, game, True), *others)


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
    read = [options for options in passages(game) if options[0].subject not in without]
    for options in product(*read):
        changed = game
        for option in options:
            changed = _also(changed, game, option.game)
        yield "; ".join(option.words for option in options if option.game != game), changed


def other_readings(game: Game) -> tuple[Option, ...]:
    """Returns the readings that are not adopted, one passage read otherwise at a time; what-ifs last."""
    others = (option for options in passages(game) for option in options if option.game != game)
    return (*others, *what_ifs(game))


def _evaluated(words: str, game: Game, adopted: bool, *, what_if: bool = False) -> EvaluatedReading:
    return EvaluatedReading(words, adopted, analyze_open_card(game, MAIN_OPTIMAL).wager(ANTE), what_if)


def _also(game: Game, adopted: Game, read: Game) -> Game:
    """Returns a game with all that one more reading changes against the adopted one."""
    rules, before, after = rules_of(game), rules_of(adopted), rules_of(read)
    changes = {
        field.name: getattr(after, field.name)
        for field in fields(OpenCardRules)
        if getattr(after, field.name) != getattr(before, field.name)
    }
    changed = replace(rules, **changes)
    if isinstance(after, ReadRules):
        changed = read_rules(changed, after.drawn_seven)
    wagers = game.wagers if read.wagers == adopted.wagers else read.wagers
    return replace(game, rules=changed, wagers=wagers)

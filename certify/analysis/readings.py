"""Every reading of the rules evaluated: what a game returns when a passage is read otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from operator import attrgetter
from typing import Final

from certify.evidence.judged import EvaluatedReading, ReadingCombinations
from certify.messages import say, worded
from certify.model.figures import WagerFigures
from certify.model.game import Game

AS_ADOPTED: Final = "as adopted"


@dataclass(frozen=True, slots=True)
class ReadingOption:
    """One way to read one passage.

    Args:
        subject: Rule or row that the passage is about.
        words: The reading in words.
        game: The game so read, all else as adopted.
        what_if: Whether no passage says so: shown for comparison, and no reading of the text.
    """

    subject: str
    words: str
    game: Game
    what_if: bool = False


Passage = tuple[ReadingOption, ...]
"""The readings of one passage, the adopted one first."""

Best = Callable[[Game], WagerFigures]
"""Returns the figures of the first wager of a game under best play."""

Also = Callable[[Game, Game, Game], Game]
"""Returns a game with all that one more reading changes: (the game so far, as adopted, as read)."""


def other_readings(game: Game, passages: tuple[Passage, ...], what_ifs: Passage = ()) -> Passage:
    """Returns the readings that are not adopted, one passage read otherwise at a time; what-ifs last."""
    others = (option for options in passages for option in options if option.game != game)
    return (*others, *what_ifs)


def evaluated_readings(
    game: Game, passages: tuple[Passage, ...], best: Best, what_ifs: Passage = ()
) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of the adopted reading and of every other one, the strategy found anew for each.

    What no passage says stands last, marked as such.
    """
    others = other_readings(game, passages, what_ifs)
    return (
        _evaluated(AS_ADOPTED, best(game), True),
        *(_evaluated(option.words, best(option.game), False, what_if=option.what_if) for option in others),
    )


def combined_readings(
    game: Game, passages: tuple[Passage, ...], also: Also, without: frozenset[str] = frozenset()
) -> Iterator[tuple[str, Game]]:
    """Yields every combination of readings: its words, none for the adopted one, and the game so read.

    Args:
        game: The submission.
        passages: The passages of its rules.
        also: Adds one more reading to a game.
        without: Subjects that are left as adopted.
    """
    read = [options for options in passages if options[0].subject not in without]
    for options in product(*read):
        changed = game
        for option in options:
            changed = also(changed, game, option.game)
        yield "; ".join(option.words for option in options if option.game != game), changed


def evaluated_combinations(
    game: Game, passages: tuple[Passage, ...], also: Also, best: Best
) -> tuple[EvaluatedReading, ...]:
    """Returns the figures of every combination of readings, the adopted one first.

    Passages may work on each other, so no sum of single changes stands for a combination: each is a game of its own.
    """
    return tuple(
        _evaluated(words or AS_ADOPTED, best(changed), not words)
        for words, changed in combined_readings(game, passages, also)
    )


def _evaluated(
    words: str, figures: WagerFigures, adopted: bool, *, what_if: bool = False
) -> EvaluatedReading:
    on_all = figures.return_on_total_wagered
    return EvaluatedReading(words, adopted, what_if, figures.return_to_player, on_all)


def combinations_evidence(found: tuple[EvaluatedReading, ...]) -> ReadingCombinations:
    """Returns every combination of readings, with the lowest and the highest and one plain sentence."""
    lowest, highest = min(found, key=attrgetter("return_")), max(found, key=attrgetter("return_"))
    above = sum(entry.return_ > 1 for entry in found)
    many = {0: "none", 1: "one", len(found): "all"}.get(above, "some")
    counted = {"above": above} if many == "some" else {}
    sentence = say(
        f"readings.combinations-{many}",
        count=len(found),
        lowest=lowest.return_,
        lowest_reading=lowest.reading,
        highest=highest.return_,
        highest_reading=highest.reading,
        **counted,
    )
    return ReadingCombinations(
        count=len(found),
        above_100_percent=above,
        lowest=lowest,
        highest=highest,
        **worded(sentence=sentence),
        all_=found,
    )

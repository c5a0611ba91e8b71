"""Printed tables of a submission: what each count and row is worth, as exact counting judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from certify.errors import InputError
from certify.families.open_card.rules import OpenCardRules
from certify.gate.meaning import PRINTED, Subject
from certify.model.game import Game
from certify.model.printed import PrintedCount, PrintedRow

HOLDS: Final = "holds"
NOT_COUNTED: Final = "cannot be counted"
WORTH: Final = (HOLDS, "arithmetic slip", "wrong denominator", "not a probability", NOT_COUNTED)
"""What a printed figure can be worth, best first."""


@dataclass(frozen=True, slots=True)
class PrintedVerdict:
    """What one printed count or row is worth.

    Args:
        worth: Of a count, whether it holds; of a row, whether it follows from its own fractions and then what
            it is worth as a probability.
        slips: Where it departs from what it says itself, with the numbers.
        reason: Why, with the numbers.
    """

    worth: tuple[str, ...]
    slips: tuple[str, ...]
    reason: str

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong with it."""
        return all(word == HOLDS for word in self.worth)

    @property
    def words(self) -> str:
        """What it is worth in a few words, worst first.

        >>> PrintedVerdict(("holds", "not a probability"), (), "").words
        'not a probability'
        """
        found = dict.fromkeys(sorted(self.worth, key=lambda word: -WORTH.index(word)))
        return " and ".join(word for word in found if word != HOLDS) or HOLDS

    @property
    def detail(self) -> str:
        """Everything that is wrong, or why it holds."""
        return "; ".join(part for part in (*self.slips, self.reason) if part)

    def is_better_than(self, other: PrintedVerdict) -> bool:
        """Tells whether something was mended against an earlier verdict and nothing spoilt."""
        if len(self.worth) != len(other.worth):
            return False
        ranks = [
            (WORTH.index(mine), WORTH.index(theirs))
            for mine, theirs in zip(self.worth, other.worth, strict=True)
        ]
        no_worse = all(mine <= theirs for mine, theirs in ranks) and set(self.slips) <= set(other.slips)
        return no_worse and (self.worth, set(self.slips)) != (other.worth, set(other.slips))

    def is_worse_than(self, other: PrintedVerdict) -> bool:
        """Tells whether it is worth less than before in any respect."""
        if len(self.worth) != len(other.worth):
            return True
        return any(
            WORTH.index(mine) > WORTH.index(theirs)
            for mine, theirs in zip(self.worth, other.worth, strict=True)
        )


Verdicts = Mapping[Subject, PrintedVerdict]
"""Verdicts by what they are about: ``("printed_counts", "two-card-14")``, ``("printed_rows", "TWO ACES")``."""


def printed_subjects(game: Game) -> tuple[Subject, ...]:
    """Returns the subject of each printed count and row of a game, one after the other.

    They are those under which the facts of the submission stand, so that each fact finds its verdict.
    """
    counts, rows = PRINTED
    listed = [(counts, count.id) for count in game.printed_counts]
    listed += [(rows, row.label) for row in game.printed_rows]
    seen: dict[tuple[str, str], int] = {}
    subjects: list[Subject] = []
    for entry in listed:
        seen[entry] = seen.get(entry, 0) + 1
        subjects.append((*entry, f"#{seen[entry]}") if seen[entry] > 1 else entry)
    return tuple(subjects)


def judge_printed(game: Game) -> Verdicts:
    """Returns the verdict on every printed count and row of a game.

    A figure that nothing counts is not one that holds: its verdict says that it cannot be counted, and why.
    """
    if not isinstance(game.rules, OpenCardRules):
        missing = PrintedVerdict((NOT_COUNTED,), (), f"nothing counts printed tables of {game.family}")
        return dict.fromkeys(printed_subjects(game), missing)
    judges = _open_card_judges(game)
    return {about: _judged(judge) for about, judge in zip(printed_subjects(game), judges, strict=True)}


def _judged(judge: Callable[[], PrintedVerdict]) -> PrintedVerdict:
    try:
        return judge()
    except InputError as error:
        return PrintedVerdict((NOT_COUNTED,), (), str(error))


def _open_card_judges(game: Game) -> list[Callable[[], PrintedVerdict]]:
    """Returns what judges each count and row by itself: one that cannot be counted hides no other."""
    from certify.families.open_card.exact.document import JUDGED_UNDER
    from certify.families.open_card.exact.figures import open_solution
    from certify.families.open_card.exact.printed import count_verdict, row_verdict
    from certify.families.open_card.exact.strategies import open_strategy
    from certify.families.seven_and_a_half.counting import Deck

    if not (game.printed_counts or game.printed_rows):
        return []
    solution = open_solution(game)
    tree = solution.tree
    deck = Deck(tree.deck.cards)
    tables = tuple(open_strategy(tree, solution, name) for name in JUDGED_UNDER)

    def judge_count(count: PrintedCount) -> PrintedVerdict:
        found = count_verdict(deck, tree.values.points, count)
        return PrintedVerdict((str(found.verdict),), (), found.detail)

    def judge_row(row: PrintedRow) -> PrintedVerdict:
        found = row_verdict(tree, row, tables)
        return PrintedVerdict(
            (str(found.as_implied), str(found.as_probability)), tuple(found.slips), found.reason
        )

    return [
        *(lambda count=count: judge_count(count) for count in game.printed_counts),
        *(lambda row=row: judge_row(row) for row in game.printed_rows),
    ]


def verdicts_document(verdicts: Verdicts) -> list[Any]:
    """Returns verdicts as JSON."""
    return [
        [list(about), list(verdict.worth), list(verdict.slips), verdict.reason]
        for about, verdict in verdicts.items()
    ]


def verdicts_from(document: list[Any], game: Game) -> Verdicts:
    """Returns the verdicts that :func:`verdicts_document` wrote.

    Raises:
        InputError: They are not those of the game's own printed tables, or a word in them is not known.
    """
    kept = {
        tuple(about): PrintedVerdict(tuple(worth), tuple(slips), str(reason))
        for about, worth, slips, reason in document
    }
    subjects = printed_subjects(game)
    if set(kept) != {*subjects} or len(document) != len(subjects):
        raise InputError("verdicts on other printed figures than expected")
    for verdict in kept.values():
        if not verdict.worth or not set(verdict.worth) <= set(WORTH):
            raise InputError(f"no verdict {verdict.worth}: expected some of {', '.join(WORTH)}")
    # Order in the file says nothing: the entry may stem from another order of the same figures.
    return {about: kept[about] for about in subjects}

"""Printed tables of a submission: what each count and row is worth, as exact counting judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from certify.errors import InputError
from certify.families.registry import family_of
from certify.gate.facts import PRINTED, Subject
from certify.model.game import Game
from certify.model.printed import NOT_COUNTED, WORTH, PrintedVerdict

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
    subjects = printed_subjects(game)
    counts = family_of(game).sources.printed
    if counts is None:
        missing = PrintedVerdict((NOT_COUNTED,), (), f"nothing counts printed tables of {game.family}")
        return dict.fromkeys(subjects, missing)
    judges = counts.judges(game) if subjects else ()
    return {about: _judged(judge) for about, judge in zip(subjects, judges, strict=True)}


def _judged(judge: Callable[[], PrintedVerdict]) -> PrintedVerdict:
    try:
        return judge()
    except InputError as error:
        return PrintedVerdict((NOT_COUNTED,), (), str(error))


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

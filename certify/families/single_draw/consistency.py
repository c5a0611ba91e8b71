"""Whether the conditions of a submission make sense together: none in vain, no two at once, every stage left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from certify.families.described.reading import Key, Refuse
from certify.families.single_draw.combinations import Way, drawn_in, joint_points, table_of
from certify.families.single_draw.rules import FIRST, WagerTerms, terms_of, text
from certify.model.game import Game
from certify.model.stages import RoundText

MOST_JOINT: Final = 50_000
"""Joint outcomes of all wagers that rounds can have, and points that rounds wait at, together at most."""


def check_consistency(game: Game, refuse: Refuse, line: Callable[[Key], int]) -> None:
    """Records conditions that overlap or never hold, stages that nothing leads to or leaves, and too many outcomes.

    Args:
        game: The submission with its rules, in which nothing else was found wrong.
        refuse: Takes the mistakes.
        line: Tells the line of a key.

    Raises:
        InputError: The conditions tell more ways of a turn apart than are counted.
    """
    played = text(game)
    wagers = terms_of(played.table)
    for terms in wagers:
        _check_stages(terms, refuse)
    table = table_of(played)
    if joint_points(table, MOST_JOINT) > MOST_JOINT:
        refuse(
            ("wagers",),
            f"rounds come to more than {MOST_JOINT:,} joint outcomes and points of {len(wagers)} wagers: "
            "expected at most so many, as are counted together; put some wagers into a submission of their own",
        )
    for _, stage, (one, other), way in table.overlaps:
        numbers = [ending.number for ending in stage.endings]
        refuse(
            ("settled_by", numbers[other], "when"),
            f"holds at once with the condition on line {line(('settled_by', numbers[one], 'when'))}: "
            f"{_shown(played, way)}",
        )
    overlapped = {(wager, stage.id, other) for wager, stage, (_, other), _ in table.overlaps}
    held = [{decided.ends[column] for decided in table.decided} for column in range(len(table.stages))]
    reached = {
        (wager, stage.endings[number].row)
        for (wager, stage), holding in zip(table.stages, held, strict=True)
        for number in holding
    }
    for (wager, stage), holding in zip(table.stages, held, strict=True):
        printed = game.wager(wagers[wager].wager).paytable.ids
        for number, ending in enumerate(stage.endings):
            # A printed row that no draw comes to is a finding about the source, not a mistake of the file.
            finding = ending.row in printed and (wager, ending.row) not in reached
            if number not in holding and not finding and (wager, stage.id, number) not in overlapped:
                refuse(("settled_by", ending.number, "when"), "no draw fulfils this condition")
        for number, ending in enumerate(stage.endings):
            if ending.then and ending.then == stage.id and holding == {number}:
                refuse(("settled_by", ending.number, "then"), "the wager is never settled from here")


def _check_stages(terms: WagerTerms, refuse: Refuse) -> None:
    """Records stages that nothing leads to, that do not exist, or that lead back."""
    known = {stage.id for stage in terms.stages}
    order = _order(terms)
    for stage in terms.stages:
        if stage.id != FIRST and stage.id not in order:
            refuse(
                ("settled_by", stage.endings[0].number, "after"),
                f'nothing leads {terms.wager} to "{stage.id}"',
            )
        for ending in stage.endings:
            if ending.then and ending.then not in known:
                refuse(
                    ("settled_by", ending.number, "then"),
                    f'the stage "{ending.then}" settles nothing: expected a condition with after = "{ending.then}"',
                )
            elif ending.then and ending.then != stage.id and stage.id in _after(terms, ending.then):
                refuse(
                    ("settled_by", ending.number, "then"),
                    f'"{ending.then}" leads back: a wager may stay in a stage, but not return to an earlier one',
                )


def _order(terms: WagerTerms) -> tuple[str, ...]:
    return (FIRST, *_after(terms, FIRST))


def _after(terms: WagerTerms, stage_id: str) -> tuple[str, ...]:
    """Returns every stage that can follow one."""
    found: list[str] = []
    queue = [stage_id]
    while queue:
        current = queue.pop()
        for stage in terms.stages:
            if stage.id == current:
                for ending in stage.endings:
                    if ending.then and ending.then not in found:
                        found.append(ending.then)
                        queue.append(ending.then)
    return tuple(found)


def _shown(played: RoundText, way: Way) -> str:
    """Returns a way in the words of the submission, such as ``dice 1, 1, 4``."""
    return "; ".join(
        f"{piece.id} " + ", ".join(piece.faces[face] for face in faces)
        for (piece, _), faces in zip(drawn_in(played), way.faces(), strict=True)
    )

"""Whether the conditions of a submission make sense together: none in vain, no two at once, every stage left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from certify.errors import InputError
from certify.families.port import Problems
from certify.families.single_draw.rules import FIRST, SingleDrawRules, WagerTerms, rules_of
from certify.families.single_draw.ways import Table, Way, joint_points, table_of
from certify.model.game import Game

MOST_JOINT: Final = 50_000
"""Joint outcomes of all wagers that rounds can have, and points that rounds wait at, together at most."""


class Settling(Protocol):
    """One condition as submitted."""

    @property
    def wager(self) -> str:
        """The wager."""
        ...

    @property
    def after(self) -> str:
        """The stage in which it is asked."""
        ...


def check_sense(game: Game, settled: Sequence[Settling], problems: Problems) -> None:
    """Records conditions that overlap or never hold, stages that nothing leads to or leaves, and too many outcomes.

    Args:
        game: The submission with its rules, in which nothing else was found wrong.
        settled: The conditions as submitted.
        problems: Takes the mistakes.
    """
    rules = rules_of(game)
    for terms in rules.wagers:
        _check_stages(terms, settled, problems)
    try:
        table = table_of(rules, game.equipment)
    except InputError as error:
        problems.add(("settled_by",), str(error))
        return
    if joint_points(rules, table, MOST_JOINT) > MOST_JOINT:
        problems.add(
            ("wagers",),
            f"rounds come to more than {MOST_JOINT:,} joint outcomes and points of {len(rules.wagers)} wagers: "
            "expected at most so many, as are counted together; put some wagers into a submission of their own",
        )
    _check_table(game, rules, table, settled, problems)


def _check_table(
    game: Game, rules: SingleDrawRules, table: Table, settled: Sequence[Settling], problems: Problems
) -> None:
    places = [_places(terms.wager, stage.id, settled) for terms in rules.wagers for stage in terms.stages]
    for wager, stage, (one, other), way in table.overlaps:
        entries = _places(rules.wagers[wager].wager, stage.id, settled)
        problems.add(
            ("settled_by", entries[other], "when"),
            f"holds at once with the condition on line {problems.line(('settled_by', entries[one], 'when'))}: "
            f"{_shown(game, rules, way)}",
        )
    overlapped = {(wager, stage.id, other) for wager, stage, (_, other), _ in table.overlaps}
    for column, (wager, stage) in enumerate(table.stages):
        holding = {decided.ends[column] for decided in table.decided}
        for number, ending in enumerate(stage.endings):
            # A printed row that no draw comes to is a finding about the source, not a mistake of the file.
            printed = ending.row in game.wager(rules.wagers[wager].wager).paytable.ids
            if number not in holding and not printed and (wager, stage.id, number) not in overlapped:
                problems.add(("settled_by", places[column][number], "when"), "no draw fulfils this condition")
        for number, ending in enumerate(stage.endings):
            if ending.then and ending.then == stage.id and holding == {number}:
                problems.add(
                    ("settled_by", places[column][number], "then"), "the wager is never settled from here"
                )


def _check_stages(terms: WagerTerms, settled: Sequence[Settling], problems: Problems) -> None:
    """Records stages that nothing leads to, that do not exist, or that lead back."""
    known = {stage.id for stage in terms.stages}
    order = _order(terms)
    for stage in terms.stages:
        places = _places(terms.wager, stage.id, settled)
        if stage.id != FIRST and stage.id not in order:
            problems.add(("settled_by", places[0], "after"), f'nothing leads {terms.wager} to "{stage.id}"')
        for number, ending in enumerate(stage.endings):
            if ending.then and ending.then not in known:
                problems.add(
                    ("settled_by", places[number], "then"),
                    f'the stage "{ending.then}" settles nothing: expected a condition with after = "{ending.then}"',
                )
            elif ending.then and ending.then != stage.id and stage.id in _after(terms, ending.then):
                problems.add(
                    ("settled_by", places[number], "then"),
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


def _places(wager: str, stage: str, settled: Sequence[Settling]) -> list[int]:
    return [number for number, one in enumerate(settled) if (one.wager, one.after) == (wager, stage)]


def _shown(game: Game, rules: SingleDrawRules, way: Way) -> str:
    """Returns a way in the words of the submission, such as ``dice 1, 1, 4``."""
    parts = []
    for (piece, _), faces in zip(rules.draws, way.faces(), strict=True):
        equipment = game.equipment[piece]
        parts.append(f"{equipment.id} " + ", ".join(equipment.faces[face] for face in faces))
    return "; ".join(parts)

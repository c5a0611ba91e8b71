"""The least automaton of a game as tables of the pack, from which a stranger counts everything again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.beliefs import seen_texts
from certify.analysis.engine.stage_points import SHIFT, TARGET
from certify.characters import csv_bytes
from certify.errors import InputError
from certify.exact import fraction_text
from certify.families.registry import family_of
from certify.families.stage_machine import StagedRound
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.model.stages import Choose, NextDraw
from certify.model.strategy import ByLot, Strategy

MOST_ARROWS: Final = 250_000
"""Lines of the table, at most: beyond them a pack would grow by more than ten megabytes."""

ARROWS: Final = "data/automaton.csv"
DECISIONS: Final = "data/automaton-decisions.csv"
PIECES: Final = "data/automaton-pieces.csv"
PAYS: Final = "data/automaton-pays.csv"

START: Final = "start"
"""Where a round begins: what is settled before the first draw is settled on the one arrow from here."""

Lines = list[tuple[str, ...]]


def automaton_files(game: Game, analyses: Mapping[str, Analysis]) -> dict[str, tuple[bytes, str]]:
    """Returns the table of a game with its descriptions, by name; nothing of a game that is not written in stages.

    Nothing is returned either where the table would be larger than ``MOST_ARROWS``.

    Args:
        game: The submission.
        analyses: The analysed strategies, by name.
    """
    reference = family_of(game).reference(game)
    if not isinstance(reference, StagedRound):
        return {}
    automaton = reference.proven.automaton
    decisions, of_state = _decisions(automaton)
    arrows = _arrows(automaton, of_state)
    if len(arrows) > MOST_ARROWS:
        return {}
    # The automaton may be that of an equal text at other pays, which price otherwise.
    text = reference.text
    settled = dict.fromkeys(won for label in automaton.walked.labels for won in label.won)
    prices = [(wager, outcome, text.price(wager, outcome)) for wager, outcome in sorted(settled)]
    seen = seen_texts(one.sees for one in decisions)
    return {
        ARROWS: (
            csv_bytes(("state", "waits", "moves", "next", "settled"), arrows),
            "The least automaton of the game: where each face of a piece, or each option, leads",
        ),
        DECISIONS: (
            csv_bytes(
                ("decision", "seat", "sees", *analyses),
                [
                    (
                        f"decision-{number}",
                        one.seat,
                        seen[one.sees],
                        *(_taken(analysis.strategy, one) for analysis in analyses.values()),
                    )
                    for number, one in enumerate(decisions)
                ],
            ),
            "What each strategy does at the decisions of the automaton",
        ),
        PIECES: (
            csv_bytes(
                ("piece", "face", "shows", "items", "put_back"),
                [
                    (piece.id, str(face), name, str(items), "yes" if piece.replaced else "no")
                    for piece in text.equipment
                    for face, (name, items) in enumerate(zip(piece.faces, piece.copies, strict=True))
                ],
            ),
            "The faces of the pieces that the automaton draws from, and how many items show each",
        ),
        PAYS: (
            csv_bytes(
                ("wager", "outcome", "net", "staked"),
                [(w, o, fraction_text(one.net), fraction_text(one.staked)) for w, o, one in prices],
            ),
            "What each outcome that the automaton settles comes to",
        ),
    }


def _decisions(automaton: Automaton) -> tuple[list[Choose], dict[int, str]]:
    """Returns what looks alike once, and for each state that waits for a decision which it is."""
    numbers: dict[object, int] = {}
    decisions: list[Choose] = []
    of_state = {}
    for state, waiting in enumerate(automaton.waiting):
        if isinstance(waiting, Choose):
            number = numbers.setdefault((waiting.seat, waiting.sees, waiting.options), len(numbers))
            decisions += [waiting] if number == len(decisions) else []
            of_state[state] = f"decision-{number}"
    return decisions, of_state


def _arrows(automaton: Automaton, decisions: Mapping[int, str]) -> Lines:
    """Returns a line for every state and everything that leads from it to one state, settling the same."""
    lines: Lines = [(START, "", "begin", "0", _settled(automaton, automaton.walked.begun))]
    for state, row in enumerate(automaton.rows):
        waiting = automaton.waiting[state]
        moves: dict[int, list[str]] = {}
        names = (
            [one.id for one in waiting.options] if isinstance(waiting, Choose) else map(str, range(len(row)))
        )
        for name, arrow in zip(names, row, strict=True):
            if arrow >= 0:
                moves.setdefault(arrow, []).append(name)
        waits = waiting_for(automaton, state, decisions)
        lines += [
            (str(state), waits, " ".join(some), str(arrow & TARGET), _settled(automaton, arrow >> SHIFT))
            for arrow, some in moves.items()
        ]
    return lines


def waiting_for(automaton: Automaton, state: int, decisions: Mapping[int, str]) -> str:
    """Returns what a state waits for: a piece that is drawn from, or a decision."""
    waiting = automaton.waiting[state]
    if isinstance(waiting, NextDraw):
        return automaton.text.equipment[automaton.text.piece_of(waiting)].id
    return decisions.get(state, "")


def _settled(automaton: Automaton, label: int) -> str:
    return " ".join(f"{wager}={outcome}" for wager, outcome in automaton.walked.labels[label].won)


def _taken(strategy: Strategy, decision: Choose) -> str:
    """Returns the option that a strategy takes; nothing where it decides by lot, or says nothing of the decision."""
    ids = [one.id for one in decision.options]
    if len(ids) == 1 or isinstance(strategy, ByLot):
        return ids[0] if len(ids) == 1 else ""
    try:
        return strategy.choose(decision.sees, ids)
    except InputError:
        return ""

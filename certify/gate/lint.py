"""Reading without counting: every mistake of form and content that a reader alone can find."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from certify.errors import InputError, Problem, SubmissionError
from certify.gate.approvals import SCHEMA as APPROVALS
from certify.gate.approvals import parse_approvals
from certify.gate.meaning import Submission, read_submission
from certify.gate.policy import has_policy, parse_policy
from certify.gate.states import read_state, submission_paths

_APPROVALS: Final = re.compile(rf"^[\"']?schema[\"']?[ \t]*=[ \t]*[\"']{APPROVALS}".encode(), re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Linted:
    """What was read and what is wrong with it.

    Args:
        read: Files that are submissions, policies or approvals.
        mistakes: Every mistake in them, by file and line.
    """

    read: tuple[str, ...]
    mistakes: tuple[Problem, ...]


def lint_paths(paths: Sequence[Path]) -> Linted:
    """Returns what is wrong with the submissions, policies and approvals among files and below folders."""
    read: dict[str, None] = {}
    mistakes: list[Problem] = []
    for path in paths:
        for name, data, is_submission in _files(path):
            if name in read:
                continue
            complaints = _mistakes(name, data, is_submission)
            if complaints is not None:
                read[name] = None
                mistakes += complaints
    return Linted(tuple(read), tuple(sorted(mistakes)))


def _files(path: Path) -> Iterator[tuple[str, bytes, bool]]:
    """Yields the TOML files at a path: name, bytes, and whether it says that it is a submission."""
    if path.is_file() and path.suffix != ".toml":
        return
    state = read_state(str(path), path if path.is_dir() else path.parent)
    # A single file is judged as one of a folder: here nobody said that it is a submission.
    folder = state if not state.single else type(state)(state.label, state.files, folder=state.folder)
    submissions = submission_paths(folder, (), ())
    for name, data in state.files.items():
        yield state.shown(name), data, name in submissions


def _mistakes(name: str, data: bytes, is_submission: bool) -> list[Problem] | None:
    """Returns the mistakes of one file, none at all where it is not one of ours."""
    try:
        if is_submission:
            return list(_remarks(read_submission(data, name, name)))
        if _APPROVALS.search(data):
            parse_approvals(data, name)
            return []
        base = Path(name).name
        if base in ("certify.toml", "pyproject.toml") and has_policy(base, data):
            parse_policy(data, name)
            return []
    except SubmissionError as error:
        return list(error.problems)
    except InputError as error:
        return [Problem(name, 1, str(error))]
    return None


def _remarks(submission: Submission) -> Iterator[Problem]:
    """Yields what a valid submission still lacks: figures for every wager, and sentences that say its terms."""
    game, lines = submission.game, submission.lines
    for position, wager in enumerate(game.wagers):
        if not game.claims_on(wager.id):
            # GLI-19 v3.0 4.7.2: the return of every wager is told to the player.
            yield Problem(
                submission.shown, lines.line(("wagers", position)), f'no printed return for "{wager.id}"'
            )
    sentence = dict(game.terms.printed).get("unresolved_void_after_days")
    days = game.terms.unresolved_void_after_days
    if sentence is not None and not re.search(rf"(?<!\d){days}(?!\d)", sentence):
        yield Problem(
            submission.shown,
            lines.line(("terms", "printed", "unresolved_void_after_days")),
            f"the printed sentence does not name the {days} days of the term: “{sentence}”",
        )

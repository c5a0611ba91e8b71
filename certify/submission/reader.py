"""Reads a submission: its file, its form, that its texts are visible, and that its family speaks of the same game."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from certify.characters import is_unseen, texts_in
from certify.errors import KeyPath, Problem, Problems, SubmissionError, nearest, one_of
from certify.families import Family, as_played, families, family, instead_of, known_families
from certify.families.declared_rules import Stated
from certify.model import Game, Wager
from certify.model.form_reader import structure
from certify.submission.build import build_game
from certify.submission.locate import LineIndex, located_toml
from certify.submission.recover import with_lost_pays
from certify.submission.schema import Submitted, form_with
from certify.untrusted_input import MAXIMUM_BYTES, SUBMISSION, read_bounded

__all__ = ["MAXIMUM_BYTES", "parse_game", "parse_submission", "read_game"]


def row_never_reached(game: Game, wager: Wager, row: str) -> str:
    """Returns what to say of a printed row that no round reaches, nothing where some round does."""
    rules = game.port.rules
    reachable = rules.reachable_rows(game, wager.id)
    if row in reachable:
        return ""
    lost = set(reachable) - set(rules.paid_rows(game, wager.id))
    paid = [name for name in reachable if name not in lost]
    optional = rules.optional_rows(game, wager.id) if isinstance(rules, Stated) else ()
    near = ", ".join(name for name in optional if not {*row.split("-")}.isdisjoint(name.split("-")))
    return (
        f'no round reaches the printed row "{row}" of "{wager.id}": rows that are reached are {", ".join(paid)}'
        f"{near and f'; rows of nearly this name are {near}'}"
    )


PUSH: Final = "push"
"""Id of a row that returns the stake alone, in every family that has one."""


def check_required_tables(raw: Submitted, family: Family, problems: Problems) -> None:
    """Records tables of the family that a submission leaves out."""
    for name, table in family.rules.tables.items():
        problems.refuse_where(
            table.required and not getattr(raw, name),
            (name,),
            f'the table "{name}" is missing: this family is submitted with it',
        )


def check_against_family(game: Game, raw: Submitted, problems: Problems) -> Game:
    """Returns the game with what its family adds; records what no round of it can do, or what is left unpaid.

    A round that no row covers is a mistake of the submission, which could not be played. A row that no round can
    reach is a finding about what the source prints (GLI-19 v3.0 4.4.1(d), (f)): `row_never_reached` says it.
    """
    rules = game.port.rules
    tables = {name: getattr(raw, name) or None for name in rules.tables}
    values = {"values": raw.deck.values if raw.deck else {}}
    # What a family reads must have its form: of a stand-in it would say what nobody wrote.
    sound = problems.tables.isdisjoint({"deck", "equipment", *rules.tables})
    known = len(problems.found)
    if sound:
        stated = game.equipment
        game = rules.check(game, tables | values, problems)
        if game.equipment is stated and len(problems.found) == known:
            game = _with_draws(game, problems)
    _check_currencies(game, problems)
    # Which rows can be reached follows from rules and equipment: where these are wrong, rows are not judged.
    _check_wagers(game, problems, rows=sound and len(problems.found) == known)
    return game


def _with_draws(game: Game, problems: Problems) -> Game:
    """Returns the game with the draws that its rounds need of what is put back; records fewer stated ones."""
    if game.port.text is None or not any(piece.replaced for piece in game.equipment):
        return game
    # Loaded here: families that deal cards alone need not wait for the engine.
    from certify.families.stage_machine import with_draws

    text = game.port.text(game)
    key = ("equipment", 0, "draws")
    return replace(game, equipment=problems.attempt(key, lambda: with_draws(text), game.equipment))


def _check_wagers(game: Game, problems: Problems, *, rows: bool) -> None:
    """Compares the submitted wagers and rows with what the family can deal."""
    ids = game.port.rules.wager_ids
    stated = [wager.id for wager in game.wagers]
    for position, wager in enumerate(game.wagers):
        if ids and wager.id not in ids:
            problems.add(
                ("wagers", position, "id"),
                f'unknown wager "{wager.id}": {one_of(wager.id, ids)}',
            )
        elif rows and wager.id not in stated[:position]:
            _check_rows(game, wager, position, problems)
    required = game.port.rules.required_wagers(game)
    missing = [name for name in required if name not in {wager.id for wager in game.wagers}]
    for name in missing:
        problems.add(("wagers",), f'the wager "{name}" is missing: this family is played with it')
    if not game.wagers:
        problems.add(("wagers",), "no wager is stated: expected at least one")
    elif ids and ids[0] not in missing and game.wagers[0].id != ids[0]:
        problems.add(("wagers", 0, "id"), f'the main wager comes first: expected "{ids[0]}"')


def _check_currencies(game: Game, problems: Problems) -> None:
    """Finds wagers that are bet in another currency than the first one: a round has one."""
    stated = [wager.limits.currency for wager in game.wagers]
    for position, currency in enumerate(stated):
        # A currency of the wrong form is a mistake by itself and compared with none.
        if currency != stated[0] and {len(currency), len(stated[0])} == {3}:
            problems.add(
                ("wagers", position, "limits", "currency"),
                f'limits in "{currency}": expected one currency for all wagers, "{stated[0]}"',
            )
            return


def _check_rows(game: Game, wager: Wager, position: int, problems: Problems) -> None:
    """Finds rows that lose the stake and rounds that no row covers."""
    reachable = game.port.rules.reachable_rows(game, wager.id)
    paid = game.port.rules.paid_rows(game, wager.id)
    for number, row in enumerate(wager.paytable.rows):
        key = ("wagers", position, "paytable", number, "id")
        problems.refuse_where(
            row.id in reachable and row.id not in paid,
            key,
            f'row "{row.id}" of "{wager.id}" loses the stake: expected rows that return it',
        )
        problems.refuse_where(
            row.id == PUSH and row.pays,
            (*key[:-1], "pays"),
            'a push returns the stake alone: expected "0 to 1"',
        )
    for row_id in paid:
        problems.refuse_where(
            row_id not in wager.paytable.ids,
            ("wagers", position, "paytable"),
            f'no row of "{wager.id}" covers the hand "{row_id}"',
        )


_PROSE: Final = frozenset(
    {
        "adopted",
        "because",
        "description",
        "file",
        "question",
        "supplier",
        "title",
    }
)
"""Keys of free text; the form of all others is checked where they are read."""


def check_texts(raw: Submitted, problems: Problems) -> None:
    """Records texts that are empty, and characters that a reader of the report cannot see."""
    for key, text in texts_in(raw):
        problems.refuse_where(
            key[-1] in _PROSE and not text.strip(), key, f'"{key[-1]}" is empty: expected text'
        )
        if text.isascii() and text.isprintable():
            continue
        # With a character that is invisible or turns the direction of writing a pay reads otherwise than it is.
        hidden = sorted({f"U+{ord(one):04X}" for one in text if one != "\n" and is_unseen(one)})
        problems.refuse_where(hidden, key, f"characters that cannot be seen: {', '.join(hidden)}")


def read_game(path: Path) -> Game:
    """Returns the game described by a submission file.

    Args:
        path: File in the form of ``certify-game/1``.

    Raises:
        SubmissionError: The file cannot be read or contains mistakes; all are listed with their lines.
    """
    return parse_game(submission_bytes(path), str(path))


def submission_bytes(path: Path) -> bytes:
    """Returns the bytes of a submission file.

    Raises:
        SubmissionError: The file cannot be read, or is larger than a submission.
    """
    return read_bounded(path, SUBMISSION, lambda reason: SubmissionError([Problem(str(path), 0, reason)]))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A submission as it was read.

    Args:
        game: The game that it describes.
        submitted: What it states, in the form of its family.
        lines: Where each key is in the file.
    """

    game: Game
    submitted: Submitted
    lines: LineIndex


def parse_game(data: bytes, path: str) -> Game:
    """Returns the game described by the bytes of a submission.

    Args:
        data: The file as submitted.
        path: Name to use in messages.

    Raises:
        SubmissionError: The bytes contain mistakes; all are listed with their lines.
    """
    return parse_submission(data, path).game


def parse_submission(data: bytes, path: str) -> Parsed:
    """Returns the game described by the bytes of a submission, with what they state and where.

    Args:
        data: The file as submitted.
        path: Name to use in messages.

    Raises:
        SubmissionError: The bytes contain mistakes; all are listed with their lines.
    """
    document, lines = located_toml(data, path)
    if not document:
        raise SubmissionError(
            [Problem(path, 1, "the file is empty: expected a game, such as certify new-game writes")]
        )
    problems = Problems(path, lines.line, lines.text)
    family = _family(document, problems)
    submitted, mistakes = structure(
        document,
        form_with(family.rules.tables, family.sources.printed.columns if family.sources.printed else ()),
    )
    for mistake in mistakes:
        problems.add_form(mistake.key, _as_printed(mistake.key, mistake.message))
    if submitted is None:
        raise SubmissionError(problems.found)
    check_texts(submitted, problems)
    check_required_tables(submitted, family, problems)
    game = build_game(submitted, family, problems, sha256=hashlib.sha256(data).hexdigest())
    game = check_against_family(game, submitted, problems)
    if not problems.found:
        game = with_lost_pays(as_played(game), submitted, problems)
    if problems.found:
        raise SubmissionError(problems.found)
    return Parsed(as_played(game), submitted, lines)


_EXAMPLES: Final = {"minimum": "1.00", "maximum": "500.00", "pays": "2 to 1", "printed": "97.30 %"}
"""What is written for a number that needs more than quotes around it, by the last part of its key."""


def _as_printed(key: KeyPath, message: str) -> str:
    """Returns a mistake of form with an example of what its key takes, where the number in quotes is not it."""
    said, mark, _ = message.partition(": write ")
    return f'{said}: write such as "{_EXAMPLES[key[-1]]}"' if mark and key[-1] in _EXAMPLES else message


def _family(document: dict[str, object], problems: Problems) -> Family:
    """Returns the family that a document names.

    Whatever else a file states is read by the form of its family: where the family is not known, this one mistake is
    all that can be reported; where none is named, the mistakes of form that any family would find.
    """
    item = document.get("game")
    named = item.get("family") if isinstance(item, dict) else None
    if isinstance(named, str):
        if named in known_families():
            return family(named)
        known = ", ".join(sorted(known_families()))
        near = nearest(named, known_families())
        meant = f' (did you mean "{near}"?)' if near else ""
        problems.add(
            ("game", "family"),
            f'family "{named}" is not known{meant}: expected one of {known}, '
            f"or a package of your own that is installed (pip install -e FOLDER){instead_of(named)}",
        )
    else:
        of_families = {name for one in families().values() for name in one.rules.tables}
        stated = {name: value for name, value in document.items() if name not in of_families}
        _, mistakes = structure(stated, Submitted)
        for mistake in mistakes:
            problems.add(mistake.key, mistake.message)
    raise SubmissionError(problems.found)

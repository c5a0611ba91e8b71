"""Equipment as a submission states it: ``[deck]``, or ``[[equipment]]`` of any kind."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from certify.errors import InputError, KeyPath, Problem, Problems, SubmissionError
from certify.model import Equipment, Kind, cage, in_copies, shoe, strip
from certify.model.form_reader import structure
from certify.submission.locate import located_toml
from certify.submission.schema import Submitted, SubmittedDeck, SubmittedEquipment
from certify.untrusted_input import SUBMISSION, read_bounded

DECK: Final = "deck"
"""Id of the shoe that ``[deck]`` states."""

SHUFFLED: Final = "before every round"
"""The one way of shuffling that rounds here are dealt by."""

MOST_DECKS: Final = 64
MOST_ITEMS: Final = 4096
MOST_DRAWS: Final = 4096
MOST_TICKETS: Final = 65_536
"""Tickets of one pool, sides of a die: what is not put back is numbered in two bytes (the rule of byte consumption)."""
MOST_STOPS: Final = 16_777_216
"""Stops of a wheel or a reel with their copies, so many tickets of which each round has one included."""


@dataclass(frozen=True, slots=True)
class SubmittedPieces:
    """The tables of a file that say what chance is drawn from, without the rest."""

    deck: SubmittedDeck | None = None
    equipment: list[SubmittedEquipment] = field(default_factory=list)


def parse_equipment(data: bytes, path: str) -> tuple[Equipment, ...]:
    """Returns the equipment that a submission states; whatever else is in the file is not looked at.

    Args:
        data: A ``game.toml``, or its tables ``[deck]`` and ``[[equipment]]`` alone.
        path: Name to use in messages.

    Raises:
        SubmissionError: These tables contain mistakes; all are listed with their lines.
    """
    document, lines = located_toml(data, path)
    problems = Problems(path, lines.line, lines.text)
    stated: dict[str, object] = {name: document[name] for name in ("deck", "equipment") if name in document}
    raw, mistakes = structure(stated, SubmittedPieces)
    for mistake in mistakes:
        problems.add_form(mistake.key, mistake.message)
    pieces = () if raw is None else read_equipment(raw, problems)
    if problems.found:
        raise SubmissionError(problems.found)
    return pieces


def equipment_named(text: str, option: str) -> tuple[Equipment, ...]:
    """Returns the equipment that a command line names: a file, or the tables themselves.

    Args:
        text: Path of a ``game.toml``, or TOML such as ``equipment = [{id = "cage", kind = "balls", balls = 49, …}]``.
        option: Name to use in messages.

    Raises:
        SubmissionError: There is no such file, or its tables contain mistakes.
    """
    if "=" in text and ("\n" in text or not os.path.exists(text)):
        return parse_equipment(text.encode("utf-8", "surrogateescape"), option)
    data = read_bounded(
        Path(text), SUBMISSION, lambda reason: SubmissionError([Problem(f"{option} {text}", 0, reason)])
    )
    return parse_equipment(data, text)


def read_equipment(
    raw: Submitted | SubmittedPieces, problems: Problems, *, derived: bool = False
) -> tuple[Equipment, ...]:
    """Returns what chance is drawn from, in submitted order; mistakes are recorded in ``problems``.

    Args:
        raw: The tables.
        problems: Takes the mistakes.
        derived: Whether the family makes it from tables of its own, so that none need be stated.
    """
    pieces: list[Equipment] = []
    if raw.deck is not None:
        stated = raw.deck
        problems.refuse_where(
            stated.shuffled != SHUFFLED,
            (DECK, "shuffled"),
            f'a deck shuffled "{stated.shuffled}" is not supported: every round is dealt from a whole deck, '
            f'expected "{SHUFFLED}"',
        )
        pieces += _attempted((DECK,), problems, lambda: _of_shoe(stated))
    for place, piece in enumerate(raw.equipment):
        key: KeyPath = ("equipment", place)
        if piece.id in [made.id for made in pieces]:
            problems.add((*key, "id"), f'"{piece.id}" is stated twice')
            continue
        pieces += _attempted(key, problems, lambda piece=piece: _piece(piece))  # type: ignore[misc]
    problems.refuse_where(
        not raw.deck and not raw.equipment and not derived,
        (),
        "nothing to draw from: expected a table [deck] or [[equipment]]",
    )
    return tuple(pieces)


def _attempted(key: KeyPath, problems: Problems, make: Callable[[], Equipment]) -> list[Equipment]:
    return problems.attempt(key, lambda: [make()], list[Equipment]())


def _piece(piece: SubmittedEquipment) -> Equipment:
    if piece.kind not in _KINDS:
        raise InputError(f'equipment of the kind "{piece.kind}": expected one of {", ".join(_KINDS)}')
    made, own = _KINDS[piece.kind]
    every = dict.fromkeys(key for _, keys in _KINDS.values() for key in keys)
    strange = [key for key in every if getattr(piece, key) and key not in own]
    if strange:
        raise InputError(f"{', '.join(strange)}: not stated for a {piece.kind}, expected {', '.join(own)}")
    return made(piece)


def _of_shoe(stated: SubmittedDeck | SubmittedEquipment) -> Equipment:
    """Returns a shoe: a piece of that kind, or the deck of a game that has no other."""
    _within("decks", stated.decks, 1, MOST_DECKS)
    cards = [*(f"{rank} of {suit}" for rank in stated.ranks for suit in stated.suits), *stated.jokers]
    _within("cards in a deck", len(cards), 1, MOST_ITEMS // stated.decks)
    _different("card", cards)
    return shoe(
        stated.id if isinstance(stated, SubmittedEquipment) else DECK,
        stated.ranks,
        stated.suits,
        decks=stated.decks,
        jokers=stated.jokers,
        removed=stated.removed,
    )


def _of_stops(piece: SubmittedEquipment) -> Equipment:
    _within("stops", len(piece.stops), 2, MOST_ITEMS)
    if piece.kind == Kind.WHEEL or piece.copies:
        _different("stop", piece.stops, ": expected once, with its copies")
    if piece.copies:
        _check_copies(piece.stops, piece.copies, MOST_STOPS)
        return in_copies(piece.id, Kind(piece.kind), piece.stops, piece.copies, _draws(piece))
    return strip(piece.id, Kind(piece.kind), piece.stops, _draws(piece))


def _check_copies(names: list[str], copies: list[int], most: int) -> None:
    """Refuses numbers of copies that are not one for each name, or too many together."""
    if len(copies) != len(names):
        raise InputError(
            f"{len(copies) or 'no'} numbers of copies for {len(names)} names: expected one for each"
        )
    for number in copies:
        _within("copies", number, 1, max(most, number))
    if not 2 <= sum(copies) <= most:
        wheel = (
            ", as tickets that leave are numbered in two bytes; one ticket a round is a stop of a wheel, kind = "
            f'"wheel", of up to {MOST_STOPS:,}'
        )
        raise InputError(f"{sum(copies)} items: expected 2 to {most}{wheel if most < MOST_STOPS else ''}")


def _of_die(piece: SubmittedEquipment) -> Equipment:
    if piece.labels:
        if piece.sides:
            raise InputError("sides and labels: expected a number of sides, or what each of them shows")
        _different("label", piece.labels)
    # Before any is named: names of too many take memory.
    _within("sides", piece.sides or len(piece.labels), 2, MOST_TICKETS)
    return strip(
        piece.id, Kind.DICE, piece.labels or [str(side + 1) for side in range(piece.sides)], _draws(piece)
    )


def _of_balls(piece: SubmittedEquipment) -> Equipment:
    if piece.labels:
        if piece.balls:
            raise InputError("balls and labels: expected a number of balls, or labels with their copies")
        _different("label", piece.labels)
        _check_copies(piece.labels, piece.copies, MOST_TICKETS)
        _within("draws", piece.draws, 1, sum(piece.copies))
        return in_copies(piece.id, Kind.BALLS, piece.labels, piece.copies, piece.draws)
    _within("balls", piece.balls, 2, MOST_ITEMS)
    _within("draws", piece.draws, 1, piece.balls)
    return cage(piece.id, [str(ball + 1) for ball in range(piece.balls)], piece.draws)


_KINDS: Final[Mapping[str, tuple[Callable[[SubmittedEquipment], Equipment], tuple[str, ...]]]] = {
    Kind.SHOE: (_of_shoe, ("decks", "ranks", "suits", "jokers", "removed")),
    Kind.WHEEL: (_of_stops, ("stops", "copies", "draws")),
    Kind.REEL: (_of_stops, ("stops", "copies", "draws")),
    Kind.DICE: (_of_die, ("sides", "labels", "draws")),
    Kind.BALLS: (_of_balls, ("balls", "labels", "copies", "draws")),
}
"""What makes a piece of each kind, and the keys that it states next to its id."""


def _draws(piece: SubmittedEquipment) -> int:
    """Returns the most draws of a round: as stated, one where nothing is stated."""
    if piece.draws:
        _within("draws", piece.draws, 1, MOST_DRAWS)
    return piece.draws or 1


def _within(what: str, number: int, low: int, high: int) -> None:
    if not low <= number <= high:
        raise InputError(f"{number or 'no'} {what}: expected {low} to {high}")


def _different(what: str, names: list[str], expected: str = "") -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"the {what} {twice[0]!r} is stated twice{expected}")
    if any(not name.strip() for name in names):
        raise InputError(f"a {what} without a name")

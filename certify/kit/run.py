"""The conformance kit: everything that a family must keep, tried on its games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Final

from certify.errors import NothingCheckedError
from certify.families.port import Family
from certify.kit.agreement import agreement
from certify.kit.check import Checked, Found, KitLaw, KitReport, Planted
from certify.kit.code import code
from certify.kit.faults import alive_elsewhere, planted
from certify.kit.laws import laws
from certify.kit.missing import missing
from certify.kit.reach import reach
from certify.kit.records import records
from certify.kit.subject import ROWS, Subject
from certify.model.finding import Verdict
from certify.model.game import Game

_NAMED: Final = frozenset({"id", "version", "title", "package"})

Announce = Callable[[str], None]
"""Says what is begun."""


def brought(family: Family) -> tuple[str, ...]:
    """Returns the parts of the port that a family brings itself, in the order of the port."""
    return tuple(one.name for one in fields(Family) if one.name not in _NAMED and getattr(family, one.name))


def check_family(
    family: Family,
    games: Sequence[Game],
    seed: bytes,
    *,
    unread: Sequence[Checked] = (),
    rounds: int = ROWS,
    announce: Announce = lambda text: None,
) -> KitReport:
    """Returns what the kit found of a family.

    Args:
        family: The family.
        games: Submissions of it.
        seed: Master seed of the random draws, at least 32 bytes.
        unread: Submissions at which the code of the family broke off while they were read.
        rounds: Random draws of each game.
        announce: Says what is begun.

    Raises:
        NothingCheckedError: No game was given.
    """
    if not games and not unread:
        raise NothingCheckedError(
            f"no submission of the family {family.id!r} was found: expected a game.toml beside its code, or --game FILE"
        )
    checked: list[Checked] = list(unread)
    faults: list[Planted] = []
    for place, game in enumerate(games):
        played = family if family.played_by is None else family.played_by(family, game)
        subject = Subject(played, game, seed, rounds)
        checked += _of_game(subject, announce)
        announce(f"{game.id}: planting faults in pays, rules and settlement")
        faults += _planted(subject, checked)
        if place == 0:
            announce(f"{game.id}: reading the code, and the same in another process")
            checked += code(family, subject)
    return KitReport(
        family.id,
        family.version,
        family.package,
        tuple(game.id for game in games),
        brought(family),
        tuple(missing(family)),
        tuple(checked),
        tuple(alive_elsewhere(faults)),
    )


PLANTED: Final = KitLaw(
    "planted-faults",
    "Every fault that is planted in pays, rules and settlement can be tried",
    "Faults that nothing was tried on may go unnoticed.",
)


def _planted(subject: Subject, checked: list[Checked]) -> tuple[Planted, ...]:
    """Returns the planted faults of a game; code that breaks off while they are tried is what was found of it."""
    found: list[Planted] = []

    def tried() -> Found:
        found.extend(planted(subject))
        # Nothing planted is nothing noticed: an empty plan is no pass.
        return Verdict.SATISFIED if found else Verdict.INCONCLUSIVE, f"{len(found)} alterations tried"

    outcome = PLANTED.tried(subject.game.id, tried)
    if outcome.verdict is not Verdict.SATISFIED:
        checked.append(outcome)
    return tuple(found)


def _of_game(subject: Subject, announce: Announce) -> Iterator[Checked]:
    for words, part in (
        ("legs against each other", agreement),
        ("rows and rounds that show them", reach),
        ("metamorphic laws", laws),
        ("records", records),
    ):
        announce(f"{subject.game.id}: {words}")
        yield from part(subject)

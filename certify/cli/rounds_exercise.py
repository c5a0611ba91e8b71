"""``certify rounds exercise``: every promise about a round, at every point of it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from certify.cli.failures import exit_by
from certify.cli.options import (
    GAME,
    FiniteRange,
    Progress,
    format_option,
    handed_over,
    option,
    print_result,
    seed_option,
)
from certify.errors import InputError, MissingPartError, Refusing
from certify.evidence import plain
from certify.model import Game, Terms, Verdict
from certify.rounds import DayCount, Deck, KnownResults, Policy, SystemFactory, reference_system
from certify.rounds.conformance.client import Access, system_factory
from certify.rounds.exercise import exercise as run
from certify.submission import read_game
from certify.untrusted_input import SECRET, read_bounded

START: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When every exercised round begins; the clock is the exercise's own."""


def shuffled(game: Game, seed: bytes, count: int, first: int = 0) -> tuple[Deck, ...]:
    """Returns rows of draws of the purpose of exercised rounds."""
    from certify.simulation import StreamDecks

    rows = StreamDecks.of(game, seed, "round-exercise").deal(first, count)
    return tuple(tuple(row) for row in rows.tolist())


@dataclass(frozen=True, slots=True)
class TargetAccess:
    """How a target over HTTP is reached."""

    authorization: Path | None = option(
        "File with the value of the header Authorization for a target.", type=GAME
    )
    ca: Path | None = option("PEM file of the authorities that vouch for a target over https.", type=GAME)
    deadline: float = option(
        "Seconds within which a target must have answered completely.",
        default=10.0,
        type=FiniteRange(0.1, 600),
        shown=True,
    )


access_options = handed_over(TargetAccess, "access")
"""Adds how a target over HTTP is reached, handed over together as ``access``."""


@dataclass(frozen=True, slots=True)
class TermReading:
    """How the terms of a submission are read."""

    jurisdiction: str = option(
        "Whose rules decide about pays after a malfunction: market, ontario.",
        default="market",
        metavar="NAME",
        shown=True,
    )
    known: str = option(
        "Whether a result that is known and not settled at the term remains (GLI-19 4.16.3(a)) or is void "
        "with it (the other reading, GLI-19 A.5.2(e)).",
        name="--known-results",
        default="stand",
        type=click.Choice(["stand", "void"]),
        shown=True,
    )
    days: str = option(
        "Whether the term counts days of 24 hours or calendar days.",
        default="elapsed",
        type=click.Choice(["elapsed", "calendar"]),
        shown=True,
    )
    zone: str = option(
        "Zone of calendar days, such as Europe/Rome.", default="UTC", metavar="NAME", shown=True
    )


term_options = handed_over(TermReading, "reading")
"""Adds how the terms of a submission are read, handed over together as ``reading``."""


def policy_of(terms: Terms, reading: TermReading) -> Policy:
    """Returns the terms as parameters.

    Raises:
        InputError: The jurisdiction or the zone is unknown.
    """
    policy = replace(
        Policy.of(terms, reading.jurisdiction),
        day_count=DayCount(reading.days),
        zone=reading.zone,
        known_results=KnownResults(reading.known),
    )
    with Refusing(
        (MissingPartError, ValueError, OSError),
        InputError,
        f"--zone {reading.zone!r}: no such zone on this machine",
    ):
        policy.deadline(START)
    return policy


def target_of(target: str | None, access: TargetAccess = TargetAccess()) -> SystemFactory:
    """Returns the system that a command names, ours where it names none.

    Raises:
        InputError: The target names no system, or what it needs cannot be read.
    """
    if target is None:
        return reference_system
    secret = _header(access.authorization) if access.authorization else ""
    return system_factory(target, Access(secret, access.ca, access.deadline))


def _header(path: Path) -> str:
    try:
        text = read_bounded(path, SECRET).decode("ascii").strip()
    except (InputError, UnicodeDecodeError):
        text = ""
    if not text or not text.isprintable():
        # The text is never printed: it is a secret.
        raise InputError(f"{path}: expected one line of ASCII, such as Bearer …")
    return text


@click.command(
    short_help="exercise the terms at every point of a round",
    epilog="Example: certify rounds exercise fixtures/games/playtech-7-e-mezzo/game.toml --decks 50",
)
@click.argument("game", type=GAME)
@click.option(
    "--decks", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Decks to play."
)
@click.option("--target", metavar="URL|MODULE:CLASS", help="The system to exercise; ours if left out.")
@access_options
@term_options
@seed_option
@format_option
def exercise(
    game: Path,
    decks: int,
    target: str | None,
    access: TargetAccess,
    reading: TermReading,
    seed: bytes,
    output: str,
) -> int:
    """Exercise malfunction, term, interruption and settlement of GAME.toml at every point of a round."""
    submission = read_game(game)
    progress = Progress(quiet=output == "json")
    progress.step(f"exercising the terms of {submission.title} on {decks} decks")
    report = run(
        submission,
        shuffled(submission, seed, decks),
        START,
        policy=policy_of(submission.terms, reading),
        system=target_of(target, access),
        progress=lambda done, total: progress.at(done, total, "decks"),
    )
    lines = []
    for result in report.situations:
        lines.append(f"{result.verdict:<15} {result.situation}")
        if result.verdict is not Verdict.SATISFIED:
            lines += [f"    expected: {result.expected}", f"    observed: {result.observed}"]
            lines += [f"        {line}" for line in result.evidence]
    counted = f"{report.rounds:,} rounds, {report.points:,} points, {report.decks:,} decks"
    document = plain(report) | {"verdict": str(report.verdict)}
    print_result(output, document, [*lines, f"{counted}: {report.verdict}"])
    return exit_by([report.verdict])

"""``certify rounds exercise``: every promise about a round, at every point of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from certify.cli.exits import Exit
from certify.cli.options import GAME, Progress, format_option, print_json, seed_option
from certify.model.finding import Verdict
from certify.model.game import Game

if TYPE_CHECKING:
    from certify.rounds.probe import Deck
    from certify.rounds.system import SystemFactory

EXIT_OF: Final = {
    Verdict.SATISFIED: Exit.SATISFIED,
    Verdict.NOT_SATISFIED: Exit.FINDINGS,
    Verdict.INCONCLUSIVE: Exit.INCONCLUSIVE,
    Verdict.NOT_APPLICABLE: Exit.NOTHING_CHECKED,
}

START: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When every exercised round begins; the clock is the exercise's own."""


Command = TypeVar("Command", bound=Callable[..., Any])


def jurisdiction_option(command: Command) -> Command:
    """Adds ``--jurisdiction NAME``."""
    option = click.option(
        "--jurisdiction",
        default="market",
        show_default=True,
        metavar="NAME",
        help="Whose rules decide about pays after a malfunction: market, ontario.",
    )
    return option(command)


def shuffled(game: Game, seed: bytes, count: int, first: int = 0) -> tuple[Deck, ...]:
    """Returns rows of draws of the purpose of exercised rounds."""
    from certify.simulation import StreamDecks

    rows = StreamDecks.of(game, seed, "round-exercise").deal(first, count)
    return tuple(tuple(row) for row in rows.tolist())


def target_of(target: str | None) -> SystemFactory:
    """Returns the system that a command names, ours where it names none."""
    from certify.rounds.conformance.target import system_factory
    from certify.rounds.system import reference_system

    return system_factory(target) if target else reference_system


@click.command(
    epilog="Example: certify rounds exercise fixtures/games/playtech-7-e-mezzo/game.toml --decks 50"
)
@click.argument("game", type=GAME)
@click.option(
    "--decks", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Decks to play."
)
@click.option("--target", metavar="URL|MODULE:CLASS", help="The system to exercise; ours if left out.")
@jurisdiction_option
@seed_option
@format_option
def exercise(game: Path, decks: int, target: str | None, jurisdiction: str, seed: bytes, output: str) -> int:
    """Exercise malfunction, term, interruption and settlement of GAME.toml at every point of a round."""
    from certify.rounds.exercise import exercise as run
    from certify.rounds.policy import Policy
    from certify.submission import read_game

    submission = read_game(game)
    progress = Progress(quiet=output == "json")
    progress.step(f"exercising the terms of {submission.title} on {decks} decks")
    report = run(
        submission,
        shuffled(submission, seed, decks),
        START,
        policy=Policy.of(submission.terms, jurisdiction),
        system=target_of(target),
        progress=lambda done, total: progress.at(done, total, "decks"),
    )
    if output == "json":
        print_json(report.to_evidence() | {"verdict": str(report.verdict)})
        return EXIT_OF[report.verdict]
    for result in report.situations:
        click.echo(f"{result.verdict:<15} {result.situation}")
        if result.verdict is Verdict.SATISFIED:
            continue
        click.echo(f"    expected: {result.expected}\n    observed: {result.observed}")
        for line in result.evidence:
            click.echo(f"        {line}")
    click.echo(
        f"{report.rounds:,} rounds, {report.points:,} points, {report.decks:,} decks: {report.verdict}"
    )
    return EXIT_OF[report.verdict]

"""``certify rounds conform`` and ``serve``: an operator's system against the reference."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from certify.cli.options import GAME, Progress, format_option, print_json, seed_option
from certify.cli.rounds_exercise import (
    EXIT_OF,
    START,
    TargetAccess,
    TermReading,
    access_options,
    policy_of,
    shuffled,
    target_of,
    term_options,
)

if TYPE_CHECKING:
    from certify.rounds.conformance.conform import ConformanceReport


@click.command(
    epilog="Example: certify rounds conform fixtures/games/playtech-7-e-mezzo/game.toml "
    "--target http://127.0.0.1:8080"
)
@click.argument("game", type=GAME)
@click.option("--target", required=True, metavar="URL|MODULE:CLASS", help="The system under test.")
@click.option("--stories", type=click.IntRange(1), default=400, show_default=True, help="Stories to tell.")
@click.option("--decks", type=click.IntRange(1, 1000), default=20, show_default=True, help="Decks to deal.")
@click.option(
    "--without",
    multiple=True,
    metavar="ACTION",
    help="An operation that the system does not support, such as undo; may be repeated, and the report says so.",
)
@access_options
@term_options
@seed_option
@format_option
def conform(
    game: Path,
    target: str,
    stories: int,
    decks: int,
    without: tuple[str, ...],
    access: TargetAccess,
    reading: TermReading,
    seed: bytes,
    output: str,
) -> int:
    """Try every action in every phase of a round on a system, tell it random stories, and print what breaks shortest.

    What the system does not offer (a history, restarts) or support is named: a verdict says nothing about it.
    """
    from certify.rounds.conformance.conform import conform as run
    from certify.rounds.conformance.fixed import unsupported_of
    from certify.rounds.play import edition_of
    from certify.submission import read_game

    unsupported = unsupported_of(without)
    submission = read_game(game)
    edition = edition_of(submission, policy_of(submission.terms, reading))
    factory = target_of(target, access)
    progress = Progress(quiet=output == "json")
    progress.step(f"trying every action in every phase on {target}, then telling {stories} stories")
    report = run(
        factory,
        edition,
        shuffled(submission, seed, decks),
        START,
        count=stories,
        seed=int.from_bytes(seed, "big"),
        unsupported=unsupported,
        progress=lambda done, total: progress.at(done, total, "stories of the fixed part"),
    )
    if output == "json":
        print_json(report.to_evidence())
    else:
        click.echo("\n".join(_lines(report)))
    return EXIT_OF[report.verdict]


def _lines(report: ConformanceReport) -> list[str]:
    """Returns the report as lines."""
    fixed = report.fixed
    matters = "; ".join(f"{what}: {stories}" for what, stories in fixed.matters)
    lines = [
        (
            f"fixed part: {report.fixed_told:,} of {len(fixed.stories):,} stories told; {len(fixed.actions)} actions "
            f"in {len(fixed.phases)} phases, each {' and '.join(fixed.ways[:2])}: {fixed.cells:,} combinations"
        )
    ]
    if matters:
        lines.append(f"stories of what matters: {matters}")
    told = f"{report.stories:,} random stories, {report.steps:,} steps"
    if report.breach is None:
        lines.append(f"{told}: every promise was kept")
    else:
        where = f"after {report.stories:,} random stories" if report.stories else "in the fixed part"
        lines.append(f"broken {where}: {report.breach.promise}")
        lines += [f"    {line}" for line in report.script]
        if not report.repeats:
            lines.append(
                "it did not show when the story was told again: the answer depends on what came before"
            )
        lines += [f"expected: {report.breach.expected}", f"observed: {report.breach.observed}"]
    return lines + [f"not tested: {what}" for what in report.not_tested]


@click.command(epilog="Example: certify rounds serve fixtures/games/playtech-7-e-mezzo/game.toml --port 8080")
@click.argument("game", type=GAME)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port on this machine; a free one if 0."
)
@click.option("--target", metavar="MODULE:CLASS", help="The system to serve; ours if left out.")
@term_options
def serve(game: Path, port: int, target: str | None, reading: TermReading) -> int:
    """Serve a system on this machine over the HTTP binding, for tests, until interrupted."""
    from certify.rounds.conformance.server import serving
    from certify.rounds.play import edition_of
    from certify.submission import read_game

    submission = read_game(game)
    edition = edition_of(submission, policy_of(submission.terms, reading))
    with serving(target_of(target), edition, port=port) as url:
        click.echo(url)
        Event().wait()
    return 0

"""``certify rounds conform`` and ``serve``: an operator's system against the reference."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import click

from certify.cli.options import GAME, Progress, format_option, print_json, seed_option
from certify.cli.rounds_exercise import EXIT_OF, START, jurisdiction_option, shuffled, target_of


@click.command(
    epilog="Example: certify rounds conform fixtures/games/playtech-7-e-mezzo/game.toml "
    "--target http://127.0.0.1:8080"
)
@click.argument("game", type=GAME)
@click.option("--target", required=True, metavar="URL|MODULE:CLASS", help="The system under test.")
@click.option("--stories", type=click.IntRange(1), default=400, show_default=True, help="Stories to tell.")
@click.option("--decks", type=click.IntRange(1, 1000), default=20, show_default=True, help="Decks to deal.")
@jurisdiction_option
@seed_option
@format_option
def conform(
    game: Path, target: str, stories: int, decks: int, jurisdiction: str, seed: bytes, output: str
) -> int:
    """Tell random stories of rounds to a system and print the shortest that shows a broken promise."""
    from certify.rounds.conformance.conform import conform as run
    from certify.rounds.play import edition_of
    from certify.rounds.policy import Policy
    from certify.submission import read_game

    submission = read_game(game)
    edition = edition_of(submission, Policy.of(submission.terms, jurisdiction))
    progress = Progress(quiet=output == "json")
    progress.step(f"telling {stories} stories to {target}")
    report = run(
        target_of(target),
        edition,
        shuffled(submission, seed, decks),
        START,
        count=stories,
        seed=int.from_bytes(seed, "big"),
    )
    if output == "json":
        print_json(report.to_evidence())
    elif report.breach is None:
        click.echo(f"{report.stories:,} stories, {report.steps:,} steps: every promise was kept")
    else:
        click.echo(f"broken after {report.stories:,} stories: {report.breach.promise}")
        click.echo("\n".join(f"    {line}" for line in report.script))
        click.echo(f"expected: {report.breach.expected}\nobserved: {report.breach.observed}")
    return EXIT_OF[report.verdict]


@click.command(epilog="Example: certify rounds serve fixtures/games/playtech-7-e-mezzo/game.toml --port 8080")
@click.argument("game", type=GAME)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port on this machine; a free one if 0."
)
@click.option("--target", metavar="MODULE:CLASS", help="The system to serve; ours if left out.")
@jurisdiction_option
def serve(game: Path, port: int, target: str | None, jurisdiction: str) -> int:
    """Serve a system on this machine over the HTTP binding, for tests, until interrupted."""
    from certify.rounds.conformance.server import serving
    from certify.rounds.play import edition_of
    from certify.rounds.policy import Policy
    from certify.submission import read_game

    submission = read_game(game)
    edition = edition_of(submission, Policy.of(submission.terms, jurisdiction))
    with serving(target_of(target), edition, port=port) as url:
        click.echo(url)
        try:
            Event().wait()
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
    return 0

"""``certify simulate``: play-through of a game."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from certify.cli.exits import Exit
from certify.cli.options import GAME, Progress, format_option, print_json, seed_option
from certify.model.strategy import MAIN_OPTIMAL


@click.command(
    epilog="Example: certify simulate fixtures/games/playtech-7-e-mezzo/game.toml --rounds 10000000 --workers 2"
)
@click.argument("game", type=GAME)
@click.option("--rounds", type=click.IntRange(1), required=True, help="Rounds to play.")
@click.option(
    "--strategy", default=MAIN_OPTIMAL, show_default=True, metavar="NAME", help="How the player plays."
)
@click.option(
    "--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Threads to play on."
)
@click.option(
    "--resume",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to keep results in and go on from.",
)
@seed_option
@format_option
def simulate(
    game: Path, rounds: int, strategy: str, workers: int, resume: Path | None, seed: bytes, output: str
) -> int:
    """Play rounds of GAME.toml on shuffled decks and compare them with the exact figures."""
    from certify.analysis import analyze
    from certify.evidence.plain import plain
    from certify.simulation import StreamDecks, campaign_evidence, compare, run_campaign
    from certify.submission import read_game

    submission = read_game(game)
    analysis = analyze(submission, strategy)
    progress = Progress(quiet=output == "json")
    progress.step(f"playing {rounds:,} rounds of {submission.title}, {strategy}")
    campaign = run_campaign(
        submission,
        analysis.strategy,
        rounds,
        deal=StreamDecks.of(submission, seed),
        workers=workers,
        progress=lambda done, total: progress.at(done, total, "rounds"),
        resume=resume,
    )
    agreements = compare(campaign, analysis, submission, Fraction(1, 100))
    document = plain(campaign_evidence(campaign, agreements, submission, analysis))
    if output == "json":
        print_json(document)
    else:
        _print(document)
    verdicts = {str(agreement.verdict) for agreement in agreements}
    if "not satisfied" in verdicts:
        return int(Exit.FINDINGS)
    return int(Exit.INCONCLUSIVE if "inconclusive" in verdicts else Exit.SATISFIED)


def _print(document: dict[str, Any]) -> None:
    """Prints what was counted beside what was expected."""
    click.echo(f"{document['rounds']:,} rounds, {document['strategy']}, seed {document['seed']}")
    for wager in document["wagers"]:
        mean = wager["mean"]
        click.echo(
            f"\n{wager['wager']}: return {100 * mean['return']:.4f} %, z = {mean['z']:+.2f}, {wager['verdict']}"
        )
        for outcome in wager["outcomes"]:
            click.echo(
                f"    {outcome['outcome']:34} {int(outcome['count']):>14,}   expected {outcome['expected']:>16,.1f}"
                f"   residual {outcome['residual']:+.2f}"
            )

"""``certify simulate``: play-through of a game."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from certify.cli.failures import Exit
from certify.cli.options import (
    BANK,
    GAME,
    STRATEGY,
    Progress,
    executor_option,
    format_option,
    keeps_results,
    print_json,
    seed_option,
    strategy_name,
)
from certify.errors import InputError

if TYPE_CHECKING:
    from certify.evidence.simulation import StatedCampaign
    from certify.executors.spec import ExecutorSpec
    from certify.simulation.campaign import PlayChunk


@click.command(
    epilog="Example: certify simulate fixtures/games/playtech-7-e-mezzo/game.toml --rounds 10000000 --workers 2"
)
@click.argument("game", type=GAME)
@click.option("--rounds", type=click.IntRange(1), required=True, help="Rounds to play.")
@STRATEGY
@BANK
@click.option(
    "--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Threads to play on."
)
@click.option(
    "--resume",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to keep results in and go on from.",
)
@executor_option
@click.option(
    "--chunk", type=click.IntRange(0), metavar="INDEX", help="Play one chunk of the campaign and no other."
)
@seed_option
@format_option
@keeps_results
def simulate(
    game: Path,
    rounds: int,
    strategy: str | None,
    bank: str | None,
    workers: int,
    resume: Path | None,
    executor: ExecutorSpec | None,
    chunk: int | None,
    seed: bytes,
    output: str,
) -> int:
    """Play rounds of GAME.toml on shuffled decks and compare them with the exact figures."""
    from certify.evidence.encode import plain
    from certify.executors.spec import ExecutorSpec, execution_words, open_executor
    from certify.mathematics import analyze
    from certify.simulation import StreamDecks, campaign_evidence, compare, run_campaign
    from certify.simulation.campaign import chunks_of
    from certify.submission import read_game

    submission = read_game(game)
    name = strategy_name(submission, strategy, bank)
    analysis = analyze(submission, name)
    progress = Progress(quiet=output == "json")
    deal = StreamDecks.of(submission, seed)
    if chunk is not None:
        return _one_chunk(chunks_of(submission, analysis.strategy, rounds, deal=deal), chunk, output)
    progress.step(f"playing {rounds:,} rounds of {submission.title}, {name}")
    with open_executor(executor or ExecutorSpec("threads", workers)) as running:
        campaign = run_campaign(
            submission,
            analysis.strategy,
            rounds,
            deal=deal,
            progress=lambda done, total: progress.at(done, total, "rounds"),
            resume=resume,
            executor=running,
        )
        progress.step(execution_words(running.execution()))
    agreements = compare(campaign, analysis, submission, Fraction(1, 100))
    found = campaign_evidence(campaign, agreements, submission, analysis)
    if output == "json":
        print_json(plain(found))
    else:
        _print(found)
    verdicts = {str(agreement.verdict) for agreement in agreements}
    if "not satisfied" in verdicts:
        return int(Exit.FINDINGS)
    return int(Exit.INCONCLUSIVE if "inconclusive" in verdicts else Exit.SATISFIED)


def _one_chunk(play: PlayChunk, index: int, output: str) -> int:
    """Plays one chunk of a campaign and prints its counts, as whoever played it must have counted."""
    if index >= play.number:
        raise InputError(
            f"--chunk {index}: the campaign has {play.number} chunks, expected 0 to {play.number - 1}"
        )
    result = play(index)
    wagers = result.joint.marginals()
    document = {
        "configuration": play.digest,
        "chunk": index,
        "of": play.number,
        "rounds": result.rounds,
        "sha256": result.digest,
        "wagers": wagers,
    }
    if output == "json":
        print_json(document)
        return int(Exit.SATISFIED)
    click.echo(
        f"chunk {index} of {play.number}: {result.rounds:,} rounds, SHA-256 of its counts {result.digest}"
    )
    for wager, counts in wagers.items():
        click.echo(f"\n{wager}")
        for outcome, count in counts.items():
            click.echo(f"    {outcome:34} {count:>14,}")
    return int(Exit.SATISFIED)


def _print(found: StatedCampaign) -> None:
    """Prints what was counted beside what was expected."""
    click.echo(f"{found.rounds:,} rounds, {found.strategy}, seed {found.seed}")
    for wager in found.wagers:
        mean = wager.mean
        click.echo(f"\n{wager.wager}: return {100 * mean.return_:.4f} %, z = {mean.z:+.2f}, {wager.verdict}")
        for outcome in wager.outcomes:
            click.echo(
                f"    {outcome.outcome:34} {int(outcome.count):>14,}   expected {outcome.expected:>16,.1f}"
                f"   residual {outcome.residual:+.2f}"
            )

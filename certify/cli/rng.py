"""``certify rng``: known answers, tests and export of random output, and the self-test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from certify.cli.failures import Exit
from certify.cli.options import Progress, executor_option, format_option, print_json
from certify.cli.rng_battery import test
from certify.cli.rng_generate import generate
from certify.cli.rng_noise import noise
from certify.cli.rng_replay import replay
from certify.untrusted_input import JsonObject

if TYPE_CHECKING:
    from certify.executors.spec import ExecutorSpec
    from rng.battery.calibration import SelftestReport
    from rng.kat import KatReport


@click.command(epilog="Example: certify rng selftest --budget quick")
@click.option(
    "--budget",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="quick: about a minute; full: some minutes, more streams and three samples of each fault.",
)
@executor_option
@format_option
def selftest(budget: Literal["quick", "full"], executor: ExecutorSpec | None, output: str) -> int:
    """Test the battery itself: every planted fault must be caught, good generators must pass uniformly.

    The seeds are fixed, so that the result is the same on every machine.

    Exit codes: 0 the battery holds, 1 a fault was missed or a test is out of calibration.
    """
    from certify.executors.spec import ExecutorSpec, open_executor
    from rng.battery.calibration import selftest as run_selftest

    progress = Progress(quiet=output == "json")
    with open_executor(executor or ExecutorSpec("threads", 1)) as running:
        report = run_selftest(budget, progress=progress.step, mapped=running.map)
    if output == "json":
        print_json(selftest_json(report))
    else:
        _print_selftest(report)
    if report.word == "inconclusive":
        return int(Exit.NOTHING_CHECKED)
    return int(Exit.SATISFIED if report.word == "satisfied" else Exit.FINDINGS)


def selftest_json(report: SelftestReport) -> JsonObject:
    """Returns everything the self-test found, as one JSON object."""
    from certify.evidence.encode import plain

    return {
        "budget": report.budget,
        "verdict": report.word,
        "generators": list(report.generators),
        "missed": [finding.fault for finding in report.missed],
        "faults": plain(report.faults),
        "calibrations": [
            {
                "suite": item.suite,
                "test": item.test,
                "on": item.on,
                "streams": len(item.p_values),
                "discrete": item.discrete,
                "distance": item.distance,
                "p_value": item.p_value,
                "holds": item.holds,
            }
            for item in report.calibrations
        ],
        "false_alarms": plain(report.false_alarms),
        "counted": [
            {
                "bits": item.bits,
                "worst_relative_bias": str(item.worst),
                "noncentrality_per_deck": str(item.noncentrality),
                "decks_needed": item.decks,
            }
            for item in report.counted
        ],
    }


def _print_selftest(report: SelftestReport) -> None:
    """Prints faults, calibration, false alarms and what only counting can show."""
    click.echo("planted faults")
    for finding in report.faults:
        word = "caught" if finding.caught else "MISSED"
        click.echo(
            f"  {word}  {finding.fault:28} {finding.caught_by:34} sample {finding.sample:>9,}"
            f"  p <= {max(finding.p_values):.1e}"
        )
    click.echo(f"calibration on {', '.join(report.generators)}")
    for item in report.calibrations:
        word = "holds " if item.holds else "BROKEN"
        click.echo(
            f"  {word}  {item.suite} {item.test:28} {item.on:30} {len(item.p_values):>4} streams"
            f"  p = {item.p_value:.4f}"
        )
    for alarm in report.false_alarms:
        click.echo(
            f"false alarms on {alarm.on}: {alarm.alarms} of {alarm.streams} streams, p = {alarm.p_value:.4f}"
        )
    click.echo("what sampling cannot show, counted: a shuffle by word modulo the range")
    for item_ in report.counted:
        click.echo(
            f"  words of {item_.bits} bits: relative bias up to {float(item_.worst):.3g}, "
            f"seen from {item_.decks:.3g} decks on"
        )
    caught = len(report.faults) - len(report.missed)
    click.echo(f"{caught} of {len(report.faults)} planted faults caught; verdict: {report.word}")


@click.group(epilog="Example: certify rng test --bits sample.bin --format json")
def rng() -> None:
    """Known answers of the generators, tests of random output and raw noise, export, replay, self-test."""


@click.command(epilog="Example: certify rng kat fixtures/vectors/acvp/*")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@format_option
def kat(files: tuple[Path, ...], output: str) -> int:
    """Run ACVP and CAVP vector FILEs against our DRBGs.

    Taken are ACVP JSON files (internal projections, or prompts together with their expected results)
    and CAVP .rsp or .txt files, in any mixture.

    Exit codes: 0 all passed, 1 some failed, 2 a file is malformed, 5 none was run.
    """
    from rng.kat import run_kat_files

    report = run_kat_files(files)
    if output == "json":
        print_json(report.to_json())
    else:
        _print(report)
    if report.failed:
        return int(Exit.FINDINGS)
    return int(Exit.SATISFIED if report.tests else Exit.NOTHING_CHECKED)


def _print(report: KatReport) -> None:
    """Prints the tallies, every failure, and what was not run."""
    for tally in report.algorithms:
        click.echo(f"{tally.algorithm:32} {tally.passed:>6} of {tally.tests} passed")
    for failure in report.failed:
        click.echo(f"FAILED {failure.file}, {failure.group}, {failure.test}: {failure.reason}")
    for skipped in report.not_run:
        click.echo(f"not run: {skipped.file}, {skipped.group}, {skipped.tests} tests: {skipped.reason}")
    for file in report.files:
        click.echo(f"{file.sha256}  {file.name} ({file.format})")
    click.echo(f"{report.groups} groups, {report.tests} tests, {report.passed} passed")
    if not report.tests:
        click.echo("nothing was checked")


for command in (kat, test, generate, replay, selftest, noise):
    rng.add_command(command)

"""``certify rng``: known answers, tests and export of random output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from certify.cli.failures import Exit
from certify.cli.options import format_option, print_json
from certify.cli.rng_battery import test
from certify.cli.rng_generate import generate
from certify.cli.rng_noise import noise
from certify.cli.rng_replay import replay
from certify.cli.rng_selftest import selftest

if TYPE_CHECKING:
    from rng.kat import KatReport


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

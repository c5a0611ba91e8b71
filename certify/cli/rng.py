"""``certify rng``: known answers, tests and export of random output."""

from __future__ import annotations

import click

from certify.cli.rng_battery import test
from certify.cli.rng_generate import generate
from certify.cli.rng_kat import kat
from certify.cli.rng_noise import noise
from certify.cli.rng_replay import replay
from certify.cli.rng_selftest import selftest


@click.group(epilog="Example: certify rng test --bits sample.bin --format json")
def rng() -> None:
    """Known answers of the generators, tests of random output and raw noise, export, replay, self-test."""


for command in (kat, test, generate, replay, selftest, noise):
    rng.add_command(command)

"""``certify rounds``: the life of a round."""

from __future__ import annotations

import click

from certify.cli.rounds_conform import conform, serve
from certify.cli.rounds_exercise import exercise
from certify.cli.rounds_ledger import expire, play, show


@click.group(epilog="Example: certify rounds exercise fixtures/games/playtech-7-e-mezzo/game.toml --decks 50")
def rounds() -> None:
    """Terms exercised, rounds recalled, an operator's system tested."""


for command in (exercise, show, conform, serve, play, expire):
    rounds.add_command(command)

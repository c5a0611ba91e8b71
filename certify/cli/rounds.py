"""``certify rounds``: the life of a round."""

from __future__ import annotations

import click

from certify.cli.rounds_conform import conform, serve
from certify.cli.rounds_exercise import exercise
from certify.cli.rounds_ledger import expire, play
from certify.cli.rounds_read import list_rounds, show, verify


@click.group(epilog="Example: certify rounds exercise fixtures/games/playtech-7-e-mezzo/game.toml --decks 50")
def rounds() -> None:
    """Terms exercised, rounds recalled, ledgers verified, an operator's system tested."""


for command in (exercise, show, list_rounds, verify, conform, serve, play, expire):
    rounds.add_command(command)

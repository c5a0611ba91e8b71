"""Strategies of an equilibrium as files of a pack, and back: verification proves them and searches for nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Final

from certify.exact import decimal_text, fraction_text
from certify.families.free_bank.chart_files import bank_text, parse_chart, player_text
from certify.families.free_bank.charts import BankChart, PlayerChart
from certify.families.free_bank.exact.asked import COLUMNS, asked
from certify.families.free_bank.exact.equilibrium import offer
from certify.families.free_bank.exact.names import solved
from certify.families.free_bank.exact.settlement import terms_of
from certify.families.free_bank.exact.simple import simple_charts
from certify.families.free_bank.strategy import BANK, PLAYER
from certify.model.game import Game

PLAYER_FILE: Final = "data/equilibrium-player.toml"
BANK_FILE: Final = "data/equilibrium-bank.toml"
DECIMALS: Final = 9


SIMPLE_PLAYER_FILE: Final = "data/simple-chart-player.toml"
SIMPLE_BANK_FILE: Final = "data/simple-chart-bank.toml"
ASKED_FILE: Final = "data/what-players-ask.csv"


def _table(game: Game) -> bytes:
    """Returns the answers as CSV (RFC 4180, UTF-8)."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for question, of, figure in asked(game):
        writer.writerow((question, of, fraction_text(figure), decimal_text(figure, DECIMALS)))
    return text.getvalue().encode()


class FreeBankCertificate:
    """The strategies of an equilibrium in a pack."""

    def files(self, game: Game) -> Mapping[str, tuple[bytes, str]]:
        """Returns the charts of both sides as strategy files."""
        found = solved(game)
        simple = simple_charts(terms_of(game), found.player, found.bank)
        return {
            SIMPLE_PLAYER_FILE: (
                player_text(simple.player, f"{game.id}: simple chart of a player").encode(),
                "A player's chart that can be kept in mind, as --strategy file: reads it",
            ),
            SIMPLE_BANK_FILE: (
                bank_text(simple.bank, f"{game.id}: simple chart of the bank").encode(),
                "A bank's chart that can be kept in mind, as --bank file: reads it",
            ),
            ASKED_FILE: (
                _table(game),
                "What players ask: the bank, first cards, habits, simple charts, splitting",
            ),
            PLAYER_FILE: (
                player_text(found.player, f"{game.id}: player").encode(),
                "The player's strategy of the equilibrium, as --strategy file: reads it",
            ),
            BANK_FILE: (
                bank_text(found.bank, f"{game.id}: bank").encode(),
                "The bank's strategy of the equilibrium, as --bank file: reads it",
            ),
        }

    def offer(self, game: Game, files: Mapping[str, bytes]) -> None:
        """Takes the charts of a pack in place of a search; a report without its pack has none, and is solved again.

        Raises:
            InputError: A file is no chart for the game.
        """
        if PLAYER_FILE not in files or BANK_FILE not in files:
            return
        terms = terms_of(game)
        player = parse_chart(files[PLAYER_FILE].decode("utf-8", "replace"), PLAYER_FILE, PLAYER, terms.rules)
        bank = parse_chart(files[BANK_FILE].decode("utf-8", "replace"), BANK_FILE, BANK, terms.rules)
        if isinstance(player, PlayerChart) and isinstance(bank, BankChart):
            offer(terms, player, bank)

"""Strategies of an equilibrium as files of a pack, and back: verification proves them and searches for nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.free_bank.chart_files import bank_text, parse_chart, player_text
from certify.families.free_bank.charts import BankChart, PlayerChart
from certify.families.free_bank.exact.equilibrium import equilibrium, offer
from certify.families.free_bank.exact.names import WIDTH, solved
from certify.families.free_bank.exact.rule_values import without_rules
from certify.families.free_bank.exact.settlement import BankTerms, terms_of
from certify.families.free_bank.exact.simple import simple_charts
from certify.families.free_bank.strategy import BANK, PLAYER
from certify.model.game import Game

PLAYER_FILE: Final = "data/equilibrium-player.toml"
BANK_FILE: Final = "data/equilibrium-bank.toml"

SIMPLE_PLAYER_FILE: Final = "data/simple-chart-player.toml"
SIMPLE_BANK_FILE: Final = "data/simple-chart-bank.toml"


class FreeBankCertificate:
    """The strategies of an equilibrium in a pack."""

    def files(self, game: Game, *, thorough: bool) -> Mapping[str, tuple[bytes, str]]:
        """Returns the charts of both sides as strategy files; thorough, those of the game without each rule too."""
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
            PLAYER_FILE: (
                player_text(found.player, f"{game.id}: player").encode(),
                "The player's strategy of the equilibrium, as --strategy file: reads it",
            ),
            BANK_FILE: (
                bank_text(found.bank, f"{game.id}: bank").encode(),
                "The bank's strategy of the equilibrium, as --bank file: reads it",
            ),
            **(_without_rules(game) if thorough else {}),
        }

    def offer(self, game: Game, files: Mapping[str, bytes]) -> None:
        """Takes the charts of a pack in place of a search; a report without its pack has none, and is solved again.

        Raises:
            InputError: A file is no chart for the game.
        """
        terms = terms_of(game)
        _offer(terms, files, PLAYER_FILE, BANK_FILE)
        for rule, changed in without_rules(terms).items():
            _offer(changed, files, *_files_without(rule))


def _files_without(rule: str) -> tuple[str, str]:
    return tuple(name.replace(".toml", f"-without-{rule}.toml") for name in (PLAYER_FILE, BANK_FILE))  # type: ignore[return-value]


def _without_rules(game: Game) -> dict[str, tuple[bytes, str]]:
    """Returns the strategies of the game without each of its rules, from which the worth of the rule is proven."""
    found = {}
    for rule, terms in without_rules(terms_of(game)).items():
        pair = equilibrium(terms, WIDTH)
        player, bank = _files_without(rule)
        title = f"{game.id} without {rule}"
        found[player] = (
            player_text(pair.player, f"{title}: player").encode(),
            f"The same of a player without {rule}",
        )
        found[bank] = bank_text(pair.bank, f"{title}: bank").encode(), f"The same of the bank without {rule}"
    return found


def _offer(terms: BankTerms, files: Mapping[str, bytes], player_file: str, bank_file: str) -> None:
    if player_file not in files or bank_file not in files:
        return
    player = parse_chart(files[player_file].decode("utf-8", "replace"), player_file, PLAYER, terms.rules)
    bank = parse_chart(files[bank_file].decode("utf-8", "replace"), bank_file, BANK, terms.rules)
    if isinstance(player, PlayerChart) and isinstance(bank, BankChart):
        offer(terms, player, bank)

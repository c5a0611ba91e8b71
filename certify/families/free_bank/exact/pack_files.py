"""Strategies of an equilibrium as files of a pack, and back: verification proves them and searches for nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.free_bank.chart_files import bank_text, parse_chart, player_text
from certify.families.free_bank.charts import BankChart, PlayerChart
from certify.families.free_bank.exact.equilibrium import ProvenPair, offer
from certify.families.free_bank.exact.names import solved
from certify.families.free_bank.exact.sensitivity import variants
from certify.families.free_bank.exact.settlement import BankTerms, terms_of
from certify.families.free_bank.strategy import BANK, PLAYER
from certify.model.game import Game

PLAYER_FILE: Final = "data/equilibrium-player.toml"
BANK_FILE: Final = "data/equilibrium-bank.toml"


class FreeBankCertificate:
    """The strategies of an equilibrium in a pack."""

    def files(self, game: Game, *, thorough: bool) -> Mapping[str, tuple[bytes, str]]:
        """Returns the charts of both sides as strategy files; thorough, those of the game without each rule too."""
        reads = "as --strategy file: reads it", "as --bank file: reads it"
        strategy = "strategy of the equilibrium"
        about = f"The player's {strategy}, {reads[0]}", f"The bank's {strategy}, {reads[1]}"
        files = _both(solved(game), (PLAYER_FILE, BANK_FILE), game.id, about)
        for variant in variants(game) if thorough else ():
            rule = variant.subject
            about = f"The same of a player without {rule}", f"The same of the bank without {rule}"
            files |= _both(solved(variant.game), _files_without(rule), f"{game.id} without {rule}", about)
        return {path: (text.encode(), what) for path, (text, what) in files.items()}

    def offer(self, game: Game, files: Mapping[str, bytes]) -> None:
        """Takes the charts of a pack in place of a search; a report without its pack has none, and is solved again.

        Raises:
            InputError: A file is no chart for the game.
        """
        _offer(terms_of(game), files, PLAYER_FILE, BANK_FILE)
        for variant in variants(game):
            _offer(terms_of(variant.game), files, *_files_without(variant.subject))


def _files_without(rule: str) -> tuple[str, str]:
    player, bank = (name.replace(".toml", f"-without-{rule}.toml") for name in (PLAYER_FILE, BANK_FILE))
    return player, bank


def _both(
    pair: ProvenPair, paths: tuple[str, str], title: str, about: tuple[str, str]
) -> dict[str, tuple[str, str]]:
    """Returns the charts of both sides as texts, with what each is."""
    texts = player_text(pair.player, f"{title}: player"), bank_text(pair.bank, f"{title}: bank")
    return {path: (text, what) for path, text, what in zip(paths, texts, about, strict=True)}


def _offer(terms: BankTerms, files: Mapping[str, bytes], player_file: str, bank_file: str) -> None:
    if player_file not in files or bank_file not in files:
        return
    player = parse_chart(files[player_file].decode("utf-8", "replace"), player_file, PLAYER, terms.rules)
    bank = parse_chart(files[bank_file].decode("utf-8", "replace"), bank_file, BANK, terms.rules)
    if isinstance(player, PlayerChart) and isinstance(bank, BankChart):
        offer(terms, player, bank)

"""Strategies of an equilibrium as files of a pack, and back: verification proves them and searches for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from certify.families.free_bank.chart_files import bank_text, parse_chart, player_text
from certify.families.free_bank.charts import BankChart, PlayerChart
from certify.families.free_bank.exact.best_player import player_best_response
from certify.families.free_bank.exact.equilibrium import ProvenPair, offer
from certify.families.free_bank.exact.figures import values_of
from certify.families.free_bank.exact.names import solved
from certify.families.free_bank.exact.player_hands import FIRST
from certify.families.free_bank.exact.settlement import BankTerms, terms_of
from certify.families.free_bank.rules import rules_of
from certify.families.free_bank.strategy import BANK, PLAYER, Conduct
from certify.families.port import Variant
from certify.model.game import Game

_WITHOUT: Final = (
    ("swap", "swap", False, "no first card may be swapped"),
    ("matta", "matta", False, "the King of Denari is a face like others"),
    ("reale", "reale", False, "a reale is a 7½ like others"),
    (
        "bank_collects",
        "bank-seven-and-a-half-collects",
        1,
        "the bank's 7½ collects one stake from a hand of less",
    ),
    (
        "bank_collects_from_seven_and_a_half",
        "bank-seven-and-a-half-collects-from-seven-and-a-half",
        1,
        "the bank's 7½ collects one stake from a hand of 7½",
    ),
)


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with one thing less that its rules know: the swap, the matta, the reale, the double 7½."""
    for field, subject, less, words in _WITHOUT:
        if getattr(rules_of(game), field) > less:
            yield Variant(subject, words, with_rules(game, **{field: less}))


def with_rules(game: Game, **changes: object) -> Game:
    """Returns a game with some of its rules otherwise."""
    return replace(game, rules=replace(rules_of(game), **changes))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class FirstCard:
    """What a first card is worth against a bank, everything after it played best.

    Args:
        card: Its class.
        chance: How often it comes.
        values: Exact expected net result of each decision, in stakes.
    """

    card: int
    chance: Fraction
    values: Mapping[str, Fraction]

    @property
    def best(self) -> str:
        """The best decision; standing where it is no worse."""
        return max(self.values, key=lambda option: self.values[option])

    @property
    def value(self) -> Fraction:
        """What the card is worth."""
        return self.values[self.best]


def first_cards(terms: BankTerms, bank: Conduct) -> tuple[FirstCard, ...]:
    """Returns what each first card is worth against a bank; a player never splits here."""
    found = player_best_response(terms, bank)
    return tuple(
        FirstCard(node.cards[0], found.own.dealt(node), values_of(worth))
        for node, worth in zip(found.own.nodes, found.worths, strict=True)
        if node.before == FIRST
    )


def gain_of_choosing_stakes(terms: BankTerms, bank: Conduct, most: int) -> Fraction:
    """Returns what a player gains per round by staking up to ``most`` units after the first card.

    The bank goes on as it did before. A bank that draws its conclusions from the stake gives less.
    """
    return sum(
        ((most - 1) * card.chance * max(card.value, Fraction(0)) for card in first_cards(terms, bank)),
        Fraction(0),
    )


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

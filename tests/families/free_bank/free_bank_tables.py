"""Games with a free bank and rounds of them, laid out as one would on a table."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

from certify.families import PlayedRound, play
from certify.families.declared_rules import with_rules
from certify.families.free_bank.exact.hands import BankTerms
from certify.families.free_bank.reference import FreeBankRound, reference
from certify.families.free_bank.rules import FreeBankRules
from certify.families.free_bank.strategy import Pair, StandOn
from certify.model import Game
from certify.submission import read_game

ROOT = Path(__file__).parents[3]
GAMES = ("siete-y-media", "sept-et-demi", "sette-e-mezzo")


def path_of(name: str) -> Path:
    """Returns the submission of a game."""
    return ROOT / "fixtures" / "games" / name / "game.toml"


@cache
def game_of(name: str) -> Game:
    """Returns a game as submitted."""
    return read_game(path_of(name))


def seated(name: str, seats: int, decks: int = 3) -> Game:
    """Returns a game of several seats, with further decks that give the order of cards shuffled again."""
    game = with_rules(game_of(name), seats=seats)
    (deck,) = game.equipment
    return replace(game, equipment=(deck, *(replace(deck, id=f"deck-{n}") for n in range(2, decks + 1))))


def stand_on(player: int, bank: int, swaps: bool = False) -> Pair:
    """Returns a pair of one total each, in half points."""
    return Pair(StandOn("player", player, swaps), StandOn("bank", bank))


def row_of(cards: str, decks: int = 1) -> tuple[int, ...]:
    """Returns a row that begins with cards named by rank: the matta is M, a suit is the first that is left."""
    ranks = ["A", "2", "3", "4", "5", "6", "7", "J", "Q", "K"]
    used: list[int] = []
    for name in cards.split():
        card = 36 if name == "M" else next(c for c in _of(ranks.index(name)) if c not in used and c != 36)
        used.append(card)
    rest = [card for card in range(40) if card not in used]
    return (*used, *rest, *(card for _ in range(decks - 1) for card in range(40)))


def _of(rank: int) -> range:
    return range(4 * rank, 4 * rank + 4)


def table_of(name: str) -> FreeBankRound:
    """Returns the reference round of a game."""
    return reference(game_of(name))


def played(name: str, cards: str, *decisions: str) -> PlayedRound:
    """Plays a round of one seat on cards laid out."""
    return play(table_of(name), row_of(cards), decisions)


# Small decks, on which everything is counted.


def deck(**held: int) -> tuple[int, ...]:
    """Returns a deck of so many cards of each class."""
    names = ("a", "two", "three", "four", "five", "six", "seven", "face", "matta")
    return tuple(held.get(name, 0) for name in names)


SEPT = BankTerms(FreeBankRules(), deck=deck(a=1, three=2, five=2, seven=1, face=3))
SIETE = BankTerms(
    FreeBankRules(bank_collects=2, bank_collects_from_seven_and_a_half=4),
    seven_and_a_half=Fraction(2),
    deck=deck(two=2, four=2, six=1, seven=2, face=2),
)
SETTE_RULES = FreeBankRules(matta=True, swap=True, reale=True, bank_collects=2)
SETTE = BankTerms(SETTE_RULES, reale=Fraction(2), deck=deck(three=2, four=1, six=1, seven=1, face=2, matta=1))

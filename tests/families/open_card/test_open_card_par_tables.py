"""PAR tables of games with French suits name their cards as players of those games call them."""

from pathlib import Path

import pytest

from certify.mathematics import analyze
from certify.mathematics.par_tables import par_tables
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"


@pytest.mark.parametrize("name", ["us5632489-casino", "us5632489-home"])
def test_the_king_of_diamonds_is_printed_as_such(name: str) -> None:
    game = read_game(GAMES / name / "game.toml")
    tables = {table.name: table for table in par_tables(game, [analyze(game)])}
    printed = {row[0]: row[-1] for row in tables["exposure"].rows}
    cards = str(printed["draws of that round, in order"]).split(", ")
    assert cards[0] == "K of diamonds"
    assert {card.partition(" of ")[2] for card in cards} <= {"diamonds", "hearts", "spades", "clubs"}
    told = "\n".join(str(cell) for table in tables.values() for row in table.rows for cell in row)
    assert not any(suit in told for suit in ("Denari", "Coppe", "Spade", "Bastoni"))

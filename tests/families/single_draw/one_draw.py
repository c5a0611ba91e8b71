"""Small games of one draw, written as their submitter writes them."""

from certify.model import Game
from certify.submission import parse_game

FRAME = """schema = "certify-game/1"
rules = []
claims = []
readings = []

[game]
id = "small"
title = "Small"
version = "1.0.0"
family = "single-draw"
supplier = "Nobody"
banked_by = "house"

[terms]
malfunction_voids_all = true
unresolved_void_after_days = 90
resume_after_disconnection = true
previous_wins_paid = true
history_available = true

[terms.printed]
malfunction_voids_all = "A malfunction voids all pays and plays."

[[sources]]
id = "own"
title = "Made for the tests"
file = "none"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""

DICE = """
[[equipment]]
id = "dice"
kind = "dice"
sides = 6
draws = 3

[[each_draw]]
piece = "dice"
count = 3
"""


def wager(name: str, *rows: str) -> str:
    """Returns a wager whose rows pay 2, 3, 4, … to 1."""
    head = (
        f'\n[[wagers]]\nid = "{name}"\ntitle = "{name}"\ndescription = "A bet"\n'
        'limits = { minimum = "1.00", maximum = "5.00", currency = "EUR" }\n'
    )
    return head + "".join(
        f'\n[[wagers.paytable]]\nid = "{row}"\ntitle = "{row}"\npays = "{2 + place} to 1"\n'
        for place, row in enumerate(rows)
    )


def settled(**keys: str) -> str:
    """Returns one condition."""
    return "\n[[settled_by]]\n" + "".join(f'{key} = "{text}"\n' for key, text in keys.items())


def parsed(*parts: str) -> Game:
    """Returns the game that the parts make up."""
    return parse_game((FRAME + "".join(parts)).encode(), "small.toml")


def dice(when: str) -> Game:
    """Returns a game of three dice with one condition."""
    return parsed(DICE, wager("bet", "win"), settled(wager="bet", when=when, row="win"))

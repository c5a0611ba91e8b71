"""Games of several draws and decisions, described in the submission alone."""

from typing import Final

_LIKE: Final = (
    '. Games of "{0}" are described in the submission now: write family = "several-draws", as '
    "fixtures/games/{1}/game.toml does (certify new-game --like {1} --out DIR)"
)
_MISSING: Final = '. Games of "{0}" are not counted: missing is {1}'

INSTEAD: Final = {
    "baccarat": (_LIKE, "baccarat-punto-banco"),
    "crash": (_LIKE, "mines"),
    "craps": (_LIKE, "craps"),
    "mines": (_LIKE, "mines"),
    "three-card-poker": (_LIKE, "three-card-poker"),
    **dict.fromkeys(
        ("crazy-4", "crazy-4-poker", "four-card-poker"),
        (_MISSING, "the best four of more cards against the dealer's"),
    ),
    **dict.fromkeys(
        ("hilo", "hi-lo"),
        (_MISSING, "a win that is multiplied by what was guessed; at fixed pays each card has a turn"),
    ),
    **dict.fromkeys(("pai-gow", "pai-gow-poker"), (_MISSING, "which of seven cards go into which hand")),
}
"""What to write in place of a family that is a game's name, or what is missing: a sentence, and what it names."""

"""How a family finds its own rules in a game, and refuses a game of another one."""

from collections.abc import Callable
from typing import TypeVar

from certify.errors import InputError
from certify.model import Game, Rules

R = TypeVar("R", bound=Rules)


def own_rules(kind: type[R], family: str) -> Callable[[Game], R]:
    """Returns what gives the rules of a game of one family.

    Args:
        kind: Its rules.
        family: Its id.

    Raises (what is returned):
        InputError: The game is of another family.
    """

    def rules_of(game: Game) -> R:
        if isinstance(game.rules, kind):
            return game.rules
        raise InputError(f"{game.id} is of the family {game.family!r}: this part works for {family!r} only")

    return rules_of

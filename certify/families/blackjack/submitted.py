"""What a submission of blackjack states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from certify.errors import InputError
from certify.families.blackjack import rules as ids
from certify.families.blackjack import side_bets
from certify.families.blackjack.cards import value_of
from certify.families.blackjack.rules import rules_of
from certify.families.port import Problems
from certify.families.stated import Stated, french_shoe
from certify.model.equipment import Equipment, Kind
from certify.model.game import Game

_LEAST, _MOST = 24, 8 * 52
"""Cards of the smallest and the largest shoe that is dealt from."""

_OPTIONAL = (ids.SUITED_NATURAL, ids.SUITED_SEVENS, ids.SEVENS)


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that a paytable must name; what is paid besides a win, a natural and a push may be left out."""
    if wager != ids.MAIN:
        return side_bets.paid_rows(game, wager)
    named = {row for one in game.wagers if one.id == ids.MAIN for row in one.paytable.ids}
    never = set() if rules_of(game).charlie else {ids.CHARLIE}
    return tuple(row for row in ids.ROWS if row not in never and (row in named or row not in _OPTIONAL))


def _unreachable(game: Game, wager: str) -> tuple[str, ...]:
    return side_bets.out_of_reach(game.equipment[0], wager) if wager in side_bets.ROWS else ()


def _complaint(game: Game) -> str:
    """Returns what is wrong with the cards of a game; empty where they serve."""
    if [piece.kind for piece in game.equipment] != [Kind.WHEEL]:
        complaint = french_shoe(game, _LEAST)
        (size, *_) = (piece.size for piece in game.equipment) if game.equipment else (0,)
        return complaint or (f"a shoe of {size} cards: expected at most {_MOST}" if size > _MOST else "")
    (piece,) = game.equipment
    return _endless(piece)


def _endless(piece: Equipment) -> str:
    """Returns what is wrong with an endless deck, whose cards come as stops of a wheel do."""
    try:
        for face in piece.faces:
            value_of(face)
    except InputError as error:
        return f"an endless deck: {error}"
    return (
        ""
        if piece.supply >= _LEAST
        else f"an endless deck of {piece.supply} draws: expected at least {_LEAST}"
    )


def _checked(game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
    """Returns the game; records rows that need suits where cards have none, and pays that are not played."""
    suited = (ids.SUITED_NATURAL, ids.SUITED_SEVENS)
    plain = any(" of " not in face for piece in game.equipment for face in piece.faces)
    for place, wager in enumerate(game.wagers):
        for position, row in enumerate(wager.paytable.rows):
            key = ("wagers", place, "paytable", position, "id")
            if plain and (row.id in suited or wager.id in side_bets.ROWS):
                problems.add(key, f'row "{row.id}" looks at suits: expected cards such as "K of hearts"')
            if row.id == ids.SUITED_SEVENS and ids.SEVENS not in wager.paytable.ids:
                problems.add(
                    key, f'row "{row.id}" is counted beside a row "{ids.SEVENS}" alone: expected both'
                )
            if wager.id == ids.MAIN and row.id == ids.PUSH and row.pays:
                problems.add(key, "a push gives the stake back: expected a pay of 0")
    return game


SUBMITTED = Stated(
    family=ids.FAMILY_ID,
    rule_ids=ids.RULE_IDS,
    wager_ids=ids.WAGER_IDS,
    rules=ids.read_rules,
    rows=_rows,
    complaint=_complaint,
    unreachable=_unreachable,
    required=(ids.MAIN,),
    row=ids.row_of,
    checked=_checked,
)
"""Rules, wagers, rows and cards of blackjack."""

"""Baccarat (punto banco): player, banker and tie, pairs, dragon and panda bets.

Two cards each, then the third cards that the tableau asks for. ``second`` is the text that checks this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from certify.families.baccarat.second import settle
from certify.families.own_rules import own_rules
from certify.families.port import Family, RuleReader, Variant
from certify.families.stated import LOSE, Stated, french_shoe
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.stages import Card, Moment, Plain, RoundText, Won, by_name, draw, ended, paid_by, settled

FAMILY_ID: Final = "baccarat"

WIN, PUSH = "win", "push"
PLAYER, BANKER, TIE = "player", "banker", "tie"
PAIRS: Final = ("player-pair", "banker-pair", "either-pair", "perfect-pair")
ONE_PERFECT, TWO_PERFECT = "one-perfect-pair", "two-perfect-pairs"
MARGINS: Final = ((9, "nine"), (8, "eight"), (7, "seven"), (6, "six"), (5, "five"), (4, "four"))
"""Points between the hands on which the dragon bonus pays, with the last word of their rows."""
MOST_CARDS: Final = 6
DECKS: Final = (1, 2, 4, 6, 8)
"""Shoes whose figures are counted for comparison."""


class BankerWinApart(StrEnum):
    """Which winning hands of the banker have a pay of their own."""

    NONE = "none"
    """All win alike, mostly less a commission."""
    SIX = "total of six"
    """A win on a total of six, which no-commission games pay at half."""
    THREE_CARD_SEVEN = "three-card seven"
    """A win on a total of seven with three cards, which EZ baccarat pushes."""


_APART: Final = {
    BankerWinApart.SIX: "win-on-six",
    BankerWinApart.THREE_CARD_SEVEN: "win-on-three-card-seven",
}


@dataclass(frozen=True, slots=True)
class BaccaratRules:
    """Rules of punto banco; the tableau by which the third cards are drawn is the same everywhere.

    Args:
        banker_win_apart: Which winning hands of the banker have a row of their own.
    """

    banker_win_apart: BankerWinApart = BankerWinApart.NONE


rules_of: Final = own_rules(BaccaratRules, FAMILY_ID)


def _read(read: RuleReader) -> BaccaratRules:
    read.choice("tableau", "punto banco", ("punto banco",))
    apart = read.choice("banker-win-apart", BankerWinApart.NONE, tuple(BankerWinApart))
    return BaccaratRules(BankerWinApart(apart))


_BONUS_ROWS: Final = ("natural-win", "natural-tie", *(f"win-by-{words}" for _, words in MARGINS))
_ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    PLAYER: (WIN, PUSH),
    BANKER: (WIN, PUSH),
    TIE: (WIN,),
    "player-pair": (WIN,),
    "banker-pair": (WIN,),
    "either-pair": (WIN,),
    "perfect-pair": (TWO_PERFECT, ONE_PERFECT),
    "dragon-7": (WIN,),
    "panda-8": (WIN,),
    "player-dragon-bonus": _BONUS_ROWS,
    "banker-dragon-bonus": _BONUS_ROWS,
}


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    apart = _APART.get(rules_of(game).banker_win_apart)
    return (WIN, apart, PUSH) if wager == BANKER and apart else _ROWS[wager]


def _unreachable(game: Game, wager: str) -> tuple[str, ...]:
    # A shoe of one deck holds each card once: nothing pairs perfectly.
    single = wager == "perfect-pair" and max(game.equipment[0].copies) == 1
    return _ROWS[wager] if single else ()


# --- the round ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """What the stages look at.

    Args:
        wagers: Wagers of the game.
        apart: Which winning hands of the banker have a row of their own.
        pairs: What of a first card makes pairs: its ``name`` where perfect pairs are bet on, its ``rank``, or nothing.
        either: Whether a bet needs the pairs of both hands.
    """

    wagers: tuple[str, ...]
    apart: BankerWinApart
    pairs: str
    either: bool


def _face(piece: Equipment, face: int) -> Mapping[str, Plain]:
    """Returns the attributes of a card: an ace counts one, tens and court cards nothing."""
    card = by_name(piece, face)
    rank = str(card["rank"])
    return {**card, "points": 1 if rank == "A" else int(rank) % 10 if rank.isdigit() else 0}


def start(table: Table) -> Moment:
    """Deals the player's first card."""
    return draw(PLAYER, player_one)


def player_one(table: Table, card: Card) -> Moment:
    """The player has one card."""
    return draw(BANKER, banker_one, card.points, _mark(table, card))


def banker_one(table: Table, player: int, mark: Plain, card: Card) -> Moment:
    """Both have one card."""
    return draw(PLAYER, player_two, player, mark, card.points, _mark(table, card))


def player_two(table: Table, player: int, mark: Plain, banker: int, other: Plain, card: Card) -> Moment:
    """The player has two cards: a pair is settled."""
    pair = _pair(table, mark, card)
    after = draw(BANKER, banker_two, (player + card.points) % 10, banker, other, pair if table.either else "")
    return settled(after, *_won(table, "player-pair", pair))


def banker_two(table: Table, player: int, banker: int, mark: Plain, first: str, card: Card) -> Moment:
    """Both have two cards: pairs are settled."""
    pair = _pair(table, mark, card)
    perfect = (LOSE, ONE_PERFECT, TWO_PERFECT)[(first == "perfect") + (pair == "perfect")]
    pairs = [*_won(table, "banker-pair", pair), *_won(table, "either-pair", first or pair)]
    if "perfect-pair" in table.wagers:
        pairs.append(("perfect-pair", perfect))
    return settled(_after_four(table, player, (banker + card.points) % 10), *pairs)


def _after_four(table: Table, player: int, banker: int) -> Moment:
    if max(player, banker) >= 8:
        return _settled(table, player, banker, natural=True)
    if player <= 5:
        return draw(PLAYER, player_three, player, banker, how="draws")
    return _banker_turn(table, player, banker, None)


def player_three(table: Table, player: int, banker: int, card: Card) -> Moment:
    """The player has three cards."""
    return _banker_turn(table, (player + card.points) % 10, banker, card.points)


def _banker_turn(table: Table, player: int, banker: int, third: int | None) -> Moment:
    if banker_draws(banker, third):
        return draw(BANKER, banker_three, player, banker, third is not None, how="draws")
    return _settled(table, player, banker, player_drew=third is not None)


def banker_draws(banker: int, third: int | None) -> bool:
    """Tells whether the banker takes a third card, no hand being a natural.

    Args:
        banker: The banker's total of two cards.
        third: What the player's third card counts; none where the player stood.

    Source: Nevada and New Jersey rules of baccarat as every table prints them; N.J.A.C. 13:69F-3.7.

    >>> [third for third in range(10) if banker_draws(3, third)]
    [0, 1, 2, 3, 4, 5, 6, 7, 9]
    """
    if third is None or banker <= 2:
        return banker <= 5
    first, last = {3: (0, 9), 4: (2, 7), 5: (4, 7), 6: (6, 7), 7: (1, 0)}[banker]
    return first <= third <= last and (banker, third) != (3, 8)


def banker_three(table: Table, player: int, banker: int, player_drew: bool, card: Card) -> Moment:
    """The banker has three cards."""
    total = (banker + card.points) % 10
    return _settled(table, player, total, player_drew=player_drew, banker_drew=True)


def _settled(
    table: Table,
    player: int,
    banker: int,
    *,
    natural: bool = False,
    player_drew: bool = False,
    banker_drew: bool = False,
) -> Moment:
    """Settles everything but the pairs."""
    three_card_seven = banker == 7 and banker_drew
    special = table.apart is BankerWinApart.SIX and banker == 6
    special = special or (table.apart is BankerWinApart.THREE_CARD_SEVEN and three_card_seven)
    ahead = player - banker
    outcomes = {
        PLAYER: PUSH if not ahead else _wins(ahead > 0),
        BANKER: PUSH if not ahead else LOSE if ahead > 0 else _APART[table.apart] if special else WIN,
        TIE: _wins(not ahead),
        "dragon-7": _wins(three_card_seven and ahead < 0),
        "panda-8": _wins(player == 8 and player_drew and ahead > 0),
        "player-dragon-bonus": _bonus(ahead, natural),
        "banker-dragon-bonus": _bonus(-ahead, natural),
    }
    return ended(*((wager, outcomes[wager]) for wager in table.wagers if wager in outcomes))


def _wins(won: bool) -> str:
    return WIN if won else LOSE


def _bonus(ahead: int, natural: bool) -> str:
    if natural:
        return "natural-tie" if not ahead else "natural-win" if ahead > 0 else LOSE
    return next((f"win-by-{words}" for margin, words in MARGINS if margin == ahead), LOSE)


def _mark(table: Table, card: Card) -> Plain:
    """Returns what of a first card makes a pair, as far as some wager looks at it."""
    return (card.rank, card.name if table.pairs == "name" else "") if table.pairs else None


def _pair(table: Table, mark: Plain, card: Card) -> str:
    """Returns whether a second card pairs with the first, as far as some wager looks at it."""
    if not isinstance(mark, tuple) or mark[0] != card.rank:
        return ""
    return "perfect" if table.pairs == "name" and mark[1] == card.name else "pair"


def _won(table: Table, wager: str, pair: str) -> tuple[Won, ...]:
    return ((wager, _wins(bool(pair))),) if wager in table.wagers else ()


def text(game: Game) -> RoundText:
    """Returns the text that plays a game."""
    wagers = tuple(wager.id for wager in game.wagers)
    looks_at = "name" if "perfect-pair" in wagers else "rank" if set(wagers) & set(PAIRS) else ""
    either = bool(set(wagers) & {"either-pair", "perfect-pair"})
    table = Table(wagers, rules_of(game).banker_win_apart, looks_at, either)
    return RoundText(table, start, game.equipment, wagers, paid_by(game.wagers), _face, _total)


def _total(table: Table, holder: str, cards: tuple[Card, ...]) -> str:
    return str(sum(card.points for card in cards) % 10)


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game dealt from shoes of other numbers of decks."""
    (shoe,) = game.equipment
    deck = shoe.shows[: shoe.size // shoe.decks]
    for decks in DECKS:
        if decks != shoe.decks:
            shows = deck * decks
            other = replace(shoe, shows=shows, supply=len(shows), decks=decks)
            words = "one deck" if decks == 1 else f"{decks} decks"
            yield Variant("decks", words, replace(game, equipment=(other,)))


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="Baccarat (punto banco): player, banker and tie, pairs, dragon and panda bets",
    rules=Stated(
        family=FAMILY_ID,
        rule_ids=("tableau", "banker-win-apart"),
        wager_ids=tuple(_ROWS),
        rules=_read,
        rows=_rows,
        complaint=lambda game: french_shoe(game, MOST_CARDS),
        unreachable=_unreachable,
    ),
    text=text,
    second=settle,
    variants=variants,
)

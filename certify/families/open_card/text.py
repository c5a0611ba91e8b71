"""The rules of a Seven and a Half game with an open dealer's card, and the implementation that plays it.

The player's first card, the dealer's open card, the player's decisions and draws, the dealer's draws. Totals are in
half points.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any, Final, cast

from certify.exact import format_half_points
from certify.families.declared_rules import Stated, own_rules
from certify.families.port import Listed, Problems, RuleReader
from certify.families.seven_and_a_half.cards import (
    CLASSES,
    FRENCH_SUITS,
    MATTA,
    MATTA_TABLE,
    SEVEN_AND_A_HALF,
    Hand,
    SubmittedMatta,
    card_name,
    plus,
    require_target,
    with_cards,
)
from certify.model import (
    Card,
    Equipment,
    Game,
    Moment,
    Option,
    Paytable,
    Plain,
    Price,
    RoundText,
    by_name,
    choose,
    draw,
    ended,
    net_of,
)

FAMILY_ID: Final = "seven-and-a-half-open-card"
"""Id of the family, as submissions name it."""

ANTE: Final = "ante"
KING, DEALER_KING = "king-of-diamonds", "dealer-king-of-diamonds"
WIN, PUSH, LOSE, BUST, FOLD = "win", "push", "lose", "bust", "fold"
HIT, STAND = "hit", "stand"
FINAL: Final = "-final-"
"""The sign in an outcome before the antes of its final bet."""

ANY_NUMBER: Final = 40
"""As a number of cards: as many as the deck holds."""

KING_OF_DIAMONDS: Final = card_name(MATTA, FRENCH_SUITS)


class OpenCardTie(StrEnum):
    """What happens when player and dealer end on the same total in a game with an open dealer's card."""

    PUSH = "push"
    ANTE_RETURNED = "ante-returned"
    LOSE = "lose"


class DrawnSeven(StrEnum):
    """What a player's hand of two or more cards with a total of exactly 7½ is worth."""

    BEST = "the best hand"
    BEATS_NOTHING = "beats no total"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class OpenCardRules:
    """Rules of the Seven and a Half games in which the dealer's first card is open; totals in half points.

    Args:
        final_bets: Multiples of the ante of which the player may choose one as a final bet before going on;
            empty where the ante is the only bet, and then nobody can fold.
        player_maximum_cards: Most cards in the player's hand, ANY_NUMBER for no limit.
        player_may_stand_on_first_card: Whether the player may do without a second card.
        dealer_stands_on: Total on which the dealer stands (12 is six points).
        dealer_maximum_cards: Most cards in the dealer's hand, ANY_NUMBER for no limit.
        dealer_always_draws: Whether the dealer's first card is never the last.
        tie: What a tie does: all bets returned, only the ante returned, or all lost.
        drawn_seven: What a drawn 7½ is worth; no submission states it, readings of the text are evaluated by it.
    """

    final_bets: tuple[int, ...] = (1, 2)
    player_maximum_cards: int = 2
    player_may_stand_on_first_card: bool = True
    dealer_stands_on: int = 12
    dealer_maximum_cards: int = 2
    dealer_always_draws: bool = False
    tie: OpenCardTie = OpenCardTie.PUSH
    drawn_seven: DrawnSeven = DrawnSeven.BEST

    def dealer_draws(self, total: int, cards: int) -> bool:
        """Returns whether the dealer takes another card; it does not depend on the player's hand.

        >>> OpenCardRules().dealer_draws(11, 1), OpenCardRules().dealer_draws(12, 1)
        (True, False)
        """
        if cards >= self.dealer_maximum_cards or total > SEVEN_AND_A_HALF:
            return False
        return total < self.dealer_stands_on or (self.dealer_always_draws and cards == 1)


rules_of: Final = own_rules(OpenCardRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""

_FINAL_BETS: Final[Mapping[str, tuple[int, ...]]] = {
    "none": (),
    "1 ante": (1,),
    "2 antes": (2,),
    "1 or 2 antes": (1, 2),
}
_CARDS: Final[Mapping[str, int]] = {"2": 2, "any number": ANY_NUMBER}


def _read(read: RuleReader) -> OpenCardRules:
    require_target(read)
    stands_on = read.points("dealer-stands-on", 12)
    read.refuse_where(
        not 1 <= stands_on <= SEVEN_AND_A_HALF,
        "dealer-stands-on",
        "the dealer's stand must be between ½ and 7½",
    )
    final_bets = _FINAL_BETS[read.choice("final-bet", "none", tuple(_FINAL_BETS))]
    maximum = _CARDS[read.choice("player-maximum-cards", "2", tuple(_CARDS))]
    read.refuse_where(
        final_bets and maximum != 2,
        "player-maximum-cards",
        'a final bet is placed once, before the last card: expected "2" cards with it',
    )
    return OpenCardRules(
        final_bets=final_bets,
        player_maximum_cards=maximum,
        player_may_stand_on_first_card=read.flag("player-may-stand-on-first-card", True),
        dealer_stands_on=stands_on,
        dealer_maximum_cards=_CARDS[read.choice("dealer-maximum-cards", "2", tuple(_CARDS))],
        dealer_always_draws=read.flag("dealer-always-draws", False),
        tie=OpenCardTie(read.choice("tie", OpenCardTie.PUSH, tuple(OpenCardTie))),
    )


KING_AS_PLAYED: Final = SubmittedMatta(
    KING_OF_DIAMONDS,
    "7½ as the first card, ½ otherwise",
    "by its place: it is 7½ only as the first card of a hand",
)


def _checked(game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
    return with_cards(game, FRENCH_SUITS, KING_AS_PLAYED, tables, problems)


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    return (KING, WIN, *((PUSH,) if rules_of(game).tie is OpenCardTie.PUSH else ()))


def _other_rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that return nothing, or not all: a tie is one of them where it is no push."""
    rules = rules_of(game)
    push = () if rules.tie is OpenCardTie.PUSH else (PUSH,)
    return (*push, LOSE, BUST, *((FOLD,) if rules.final_bets else ()), DEALER_KING)


def row_of(outcome: str) -> str:
    """Returns the row of an outcome, its final bet left out.

    >>> row_of("win-final-2"), row_of("fold")
    ('win', 'fold')
    """
    return outcome.partition(FINAL)[0]


STATED: Final = Stated(
    family=FAMILY_ID,
    rule_ids=(
        "target",
        "final-bet",
        "player-maximum-cards",
        "player-may-stand-on-first-card",
        "dealer-stands-on",
        "dealer-maximum-cards",
        "dealer-always-draws",
        "tie",
    ),
    wager_ids=(ANTE,),
    rules=_read,
    rows=_rows,
    losing=_other_rows,
    required=(ANTE,),
    row=row_of,
    bankers=("house", "player"),
    tables=MATTA_TABLE,
    checked=_checked,
)
"""Rules, the one wager, rows and tables of the games with an open dealer's card."""


PLAYER, DEALER = "player", "dealer"

POINTS: Final = (2, 4, 6, 8, 10, 12, 14, 1)
"""Half points of the classes of cards, ace to 7 and a face."""

KINDS: Final = len(POINTS)
"""Classes of cards; the King of diamonds is one of the faces once the first cards are dealt."""

Seen = tuple[int, Hand]
"""What a player may use: the class of the dealer's open card, and the own hand by class."""

EMPTY: Final[Hand] = (0,) * KINDS


def total_of(hand: Hand) -> int:
    """Returns the total of a hand of which no King of diamonds was the first card.

    >>> total_of((1, 0, 0, 0, 0, 0, 0, 2))
    4
    """
    return sum(map(int.__mul__, hand, POINTS))


def _face(piece: Equipment, face: int) -> Mapping[str, Plain]:
    card = by_name(piece, face)
    rank = str(card["rank"])
    kind = CLASSES.index(rank) if rank in CLASSES else KINDS - 1
    return {**card, "kind": kind, "king": card["name"] == KING_OF_DIAMONDS}


def start(rules: OpenCardRules) -> Moment:
    """Deals the player's first card."""
    return draw(PLAYER, player_one)


def player_one(rules: OpenCardRules, card: Card) -> Moment:
    """The player has one card, and the dealer is dealt one that is open."""
    kind = None if card.king else card.kind
    return draw(DEALER, dealer_one, kind, how="is dealt, face up,")


def dealer_one(rules: OpenCardRules, kind: int | None, card: Card) -> Moment:
    """Both have one card: the King of diamonds ends the round, the player's before the dealer's."""
    if kind is None:
        return ended((ANTE, KING))
    if card.king:
        return ended((ANTE, DEALER_KING))
    return _player_turn(rules, card.kind, plus(EMPTY, kind), POINTS[kind], 0)


def _player_turn(rules: OpenCardRules, shown: int, hand: Hand, total: int, bet: int) -> Moment:
    cards = sum(hand)
    if total >= SEVEN_AND_A_HALF or cards >= rules.player_maximum_cards:
        return _dealer_turn(rules, total, POINTS[shown], 1, bet)
    return choose(PLAYER, options(rules, cards), (shown, hand), decided, shown, hand, total, bet)


@cache
def options(rules: OpenCardRules, cards: int) -> tuple[Option, ...]:
    """Returns what the player may decide on a hand of so many cards; the first decision names the final bet.

    >>> [option.id for option in options(OpenCardRules(), 1)]
    ['fold', 'stand-1', 'hit-1', 'stand-2', 'hit-2']
    """
    moves = (STAND, HIT) if cards > 1 or rules.player_may_stand_on_first_card else (HIT,)
    if cards > 1 or not rules.final_bets:
        return tuple(map(Option, moves))
    placed = [(bet, move) for bet in rules.final_bets for move in moves]
    return (
        Option(FOLD, gives_up=True),
        *(Option(f"{move}-{bet}", ((ANTE, Fraction(bet)),)) for bet, move in placed),
    )


def decided(rules: OpenCardRules, shown: int, hand: Hand, total: int, bet: int, option: str) -> Moment:
    """The player has folded, or goes on with or without a final bet."""
    if option == FOLD:
        return ended((ANTE, FOLD))
    move, _, placed = option.partition("-")
    bet += int(placed or 0)
    if move == HIT:
        return draw(PLAYER, player_drew, shown, hand, total, bet, how="draws")
    return _dealer_turn(rules, total, POINTS[shown], 1, bet)


def player_drew(rules: OpenCardRules, shown: int, hand: Hand, total: int, bet: int, card: Card) -> Moment:
    """The player has one card more."""
    kind = card.kind
    total += POINTS[kind]
    if total > SEVEN_AND_A_HALF:
        return _ended(BUST, bet)
    return _player_turn(rules, shown, plus(hand, kind), total, bet)


def _dealer_turn(rules: OpenCardRules, player: int, total: int, cards: int, bet: int) -> Moment:
    if rules.dealer_draws(total, cards):
        return draw(DEALER, dealer_drew, player, total, cards, bet, how="draws")
    return _ended(end_of(player, total, rules.drawn_seven), bet)


def dealer_drew(rules: OpenCardRules, player: int, total: int, cards: int, bet: int, card: Card) -> Moment:
    """The dealer has one card more."""
    return _dealer_turn(rules, player, total + POINTS[card.kind], cards + 1, bet)


def end_of(player: int, dealer: int, drawn: DrawnSeven = DrawnSeven.BEST) -> str:
    """Returns how a round ends between two totals, of which the player's is not above 7½.

    >>> end_of(14, 16), end_of(14, 14), end_of(15, 14, DrawnSeven.BEATS_NOTHING)
    ('win', 'push', 'lose')
    """
    worth = player
    if player == SEVEN_AND_A_HALF and drawn is not DrawnSeven.BEST:
        if drawn is DrawnSeven.LOST:
            return LOSE
        worth = player if dealer >= player else 0
    if dealer > SEVEN_AND_A_HALF or worth > dealer:
        return WIN
    return PUSH if worth == dealer else LOSE


def _ended(end: str, bet: int) -> Moment:
    return ended((ANTE, f"{end}{FINAL}{bet}" if bet else end))


@dataclass(frozen=True, slots=True)
class OpenCardPrice:
    """Prices in antes: everything staked is at risk, and is paid at the same rate.

    Args:
        paytables: What the ante pays, by wager.
        tie: What a tie does.
    """

    paytables: Mapping[str, Paytable]
    tie: OpenCardTie

    def __call__(self, wager: str, outcome: str) -> Price:
        """Returns what an outcome comes to.

        Raises:
            InputError: No row of the paytable names it, and it is none that loses.
        """
        end, bet = row_of(outcome), int(outcome.partition(FINAL)[2] or 0)
        staked = Fraction(1 + bet)
        if end == PUSH and self.tie is OpenCardTie.ANTE_RETURNED:
            return Price(Fraction(-bet), staked)
        if end == PUSH and (self.tie is OpenCardTie.LOSE or PUSH not in self.paytables[wager].ids):
            return Price(-staked if self.tie is OpenCardTie.LOSE else Fraction(0), staked)
        return Price(staked * net_of(self.paytables, wager, end, (LOSE, BUST, FOLD, DEALER_KING)), staked)


def _total(rules: OpenCardRules, holder: str, cards: tuple[Card, ...]) -> str:
    total = SEVEN_AND_A_HALF if cards[0].king else sum(POINTS[card.kind] for card in cards)
    return format_half_points(total) + (", bust" if total > SEVEN_AND_A_HALF else "")


def text(game: Game) -> RoundText:
    """Returns the implementation that plays a game."""
    rules, paytables = rules_of(game), {wager.id: wager.paytable for wager in game.wagers}
    price = OpenCardPrice(paytables, rules.tie)
    # What a tie does is a matter of prices: no stage looks at it.
    return RoundText(
        replace(rules, tie=OpenCardTie.PUSH), start, game.equipment, tuple(paytables), price, _face, _total
    )


def listed(sees: Hashable) -> Listed:
    """Returns how a decision is listed: the hand, and the card that the dealer shows.

    >>> listed((3, (0, 0, 1, 0, 0, 0, 0, 0))).title
    '3 against 4'
    """
    shown, hand = cast(Seen, sees)
    name = "+".join(CLASSES[kind] for kind, held in enumerate(hand) for _ in range(held))
    place = (sum(hand), *(-held for held in hand), shown)
    return Listed(name, (*hand, 0), CLASSES[shown], place=place)

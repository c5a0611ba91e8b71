"""The implementation that plays a Seven and a Half game with an open dealer's card; totals in half points.

The player's first card, the dealer's open card, the player's decisions and draws, the dealer's draws.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Final, cast

from certify.exact import format_half_points
from certify.families.open_card.rules import (
    ANTE,
    BUST,
    DEALER_KING,
    FINAL,
    FOLD,
    HIT,
    KING,
    KING_OF_DIAMONDS,
    LOSE,
    PUSH,
    STAND,
    WIN,
    DrawnSeven,
    OpenCardRules,
    OpenCardTie,
    row_of,
    rules_of,
)
from certify.families.port import Listed
from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF
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

PLAYER, DEALER = "player", "dealer"

POINTS: Final = (2, 4, 6, 8, 10, 12, 14, 1)
"""Half points of the classes of cards, ace to 7 and a face."""

KINDS: Final = len(POINTS)
"""Classes of cards; the King of diamonds is one of the faces once the first cards are dealt."""

Hand = tuple[int, ...]
"""Cards of a hand, counted by class."""

Seen = tuple[int, Hand]
"""What a player may use: the class of the dealer's open card, and the own hand by class."""

EMPTY: Final[Hand] = (0,) * KINDS


def plus(hand: Hand, kind: int) -> Hand:
    """Returns a hand with one more card of a class."""
    return (*hand[:kind], hand[kind] + 1, *hand[kind + 1 :])


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

"""The implementation that plays 7 e Mezzo against the house; totals in half points.

The player's first card, the dealer's, face down, the player's decisions and draws, the dealer's draws. Partita
Perfetta is settled with the first cards, or where a bust forfeits it once the player is done; Mano di Poker with the
player's second card.
"""

from collections.abc import Mapping
from typing import Final

from certify.exact import format_half_points
from certify.families.sette_e_mezzo.rules import (
    BUST,
    FLUSH,
    HIT,
    KING_SEVEN_AND_A_HALF,
    LOSE,
    LOSING,
    MAIN,
    MANO_DI_POKER,
    NO_SECOND_CARD,
    NOT_UNCOVERED,
    PAIR_ACE_TO_SIX,
    PAIR_OF_FACES,
    PAIR_OF_SEVENS,
    PARTITA_PERFETTA,
    PUSH,
    ROYAL_FLUSH,
    STAND,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE_OF_A_KIND,
    WIN,
    PairCondition,
    SetteEMezzoRules,
    Tie,
    rules_of,
)
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    MATTA,
    NO_CARDS,
    RANK_FIRST_FACE,
    RANK_SEVEN,
    RANK_VALUES,
    RANKS,
    SEVEN_AND_A_HALF,
    Hand,
    card_name,
    plus,
)
from certify.model import (
    Card,
    Equipment,
    Game,
    Moment,
    Option,
    Plain,
    RoundText,
    Won,
    by_name,
    choose,
    draw,
    ended,
    paid_by,
    settled,
    shown,
)

PLAYER, DEALER = "player", "dealer"

OPTIONS: Final = (Option(STAND), Option(HIT))

POINTS: Final = (*(value for _, value in RANK_VALUES[:CLASS_FACE]), 1, 0)
"""Half points of the classes of cards; the matta counts what is best for its holder."""

MATTA_COUNTS: Final[tuple[int, ...]] = (1, *range(2, 15, 2))
"""What the King of Denari may count: the value of any other card, ½ or 1 to 7."""

KING_OF_DENARI: Final = card_name(MATTA)


def best_total(plain: int, matta: bool) -> int:
    """Returns a total, the matta read for the best one not above 7½, or for the least where all are above.

    Args:
        plain: Half points of the cards next to the matta.
        matta: Whether the hand holds it.

    >>> best_total(14, True), best_total(2, True), best_total(16, True)
    (15, 14, 17)
    """
    if not matta:
        return plain
    readings = [plain + counts for counts in MATTA_COUNTS]
    fitting = [made for made in readings if made <= SEVEN_AND_A_HALF]
    return max(fitting) if fitting else min(readings)


def _face(piece: Equipment, face: int) -> Mapping[str, Plain]:
    card = by_name(piece, face)
    rank = RANKS.index(str(card["rank"]))
    kind = CLASS_MATTA if card["name"] == KING_OF_DENARI else min(rank, CLASS_FACE)
    return {**card, "number": rank, "kind": kind}


def start(rules: SetteEMezzoRules) -> Moment:
    """Deals the player's first card."""
    return draw(PLAYER, player_one)


def player_one(rules: SetteEMezzoRules, card: Card) -> Moment:
    """The player has one card, and the dealer is dealt one face down."""
    kept = (card.kind, card.number, card.suit)
    return draw(DEALER, dealer_one, *kept, how="is dealt, face down,", hidden_from=(PLAYER,))


def dealer_one(rules: SetteEMezzoRules, kind: int, rank: int, suit: str, card: Card) -> Moment:
    """Both have one card: a lone face card draws another by rule, on every other card the player decides."""
    pair = card.number == rank
    alike = suit if card.suit == suit else ""
    kept = (rank, alike, plus(NO_CARDS, kind), POINTS[kind], card.number, card.kind)
    won: tuple[Won, ...] = ()
    if not pair:
        won = ((PARTITA_PERFETTA, LOSE),)
    elif rules.pair_condition is PairCondition.UNCONDITIONAL:
        won = ((PARTITA_PERFETTA, pair_row(rank)),)
    if rules.player_draws_on_first_face and rank >= RANK_FIRST_FACE:
        return settled(draw(PLAYER, player_two, *kept, how="draws by rule"), *won)
    return settled(choose(PLAYER, OPTIONS, (rank, 0, plus(NO_CARDS, kind)), decided_one, *kept), *won)


def pair_row(rank: int) -> str:
    """Returns the row of Partita Perfetta that a pair of a rank falls in.

    >>> pair_row(6), pair_row(9), pair_row(0)
    ('pair-of-sevens', 'pair-of-faces', 'pair-ace-to-six')
    """
    if rank == RANK_SEVEN:
        return PAIR_OF_SEVENS
    return PAIR_OF_FACES if rank >= RANK_FIRST_FACE else PAIR_ACE_TO_SIX


def decided_one(
    rules: SetteEMezzoRules,
    rank: int,
    alike: str,
    hand: Hand,
    plain: int,
    theirs: int,
    dealer: int,
    option: str,
) -> Moment:
    """The player has decided on the first card."""
    if option == HIT:
        return draw(PLAYER, player_two, rank, alike, hand, plain, theirs, dealer, how="draws")
    pair = rank if theirs == rank else -1
    total = best_total(plain, hand[CLASS_MATTA] > 0)
    return settled(_player_done(rules, total, False, pair, dealer), (MANO_DI_POKER, NO_SECOND_CARD))


def player_two(
    rules: SetteEMezzoRules,
    rank: int,
    alike: str,
    hand: Hand,
    plain: int,
    theirs: int,
    dealer: int,
    card: Card,
) -> Moment:
    """The player has two cards, which with the dealer's settle Mano di Poker."""
    row = combination((rank, theirs, card.number), bool(alike) and card.suit == alike)
    pair = rank if theirs == rank else -1
    further = int(card.number == rank)
    moment = _player_turn(rules, rank, further, hand, plain, pair, dealer, card)
    return settled(moment, (MANO_DI_POKER, row))


def combination(ranks: tuple[int, ...], suited: bool) -> str:
    """Returns the row of Mano di Poker of three cards; runs are A-2-3 to 5-6-7 and J-Q-K.

    >>> combination((7, 8, 9), True), combination((9, 0, 1), True), combination((6, 7, 8), False)
    ('royal-flush', 'flush', 'lose')
    """
    low, middle, high = sorted(ranks)
    run = (middle, high) == (low + 1, low + 2) and (high <= RANK_SEVEN or low == RANK_FIRST_FACE)
    if suited and run:
        return ROYAL_FLUSH if low == RANK_FIRST_FACE else STRAIGHT_FLUSH
    if low == high:
        return THREE_OF_A_KIND
    if suited:
        return FLUSH
    return STRAIGHT if run else LOSE


def _player_turn(
    rules: SetteEMezzoRules,
    rank: int,
    further: int,
    held: Hand,
    before: int,
    pair: int,
    dealer: int,
    card: Card,
) -> Moment:
    kind = card.kind
    hand, plain = plus(held, kind), before + POINTS[kind]
    total = best_total(plain, hand[CLASS_MATTA] > 0)
    if total < SEVEN_AND_A_HALF:
        sees = (rank, further, hand)
        return choose(PLAYER, OPTIONS, sees, decided, rank, further, hand, plain, pair, dealer)
    king = total == SEVEN_AND_A_HALF and sum(hand) == 2 and bool(hand[CLASS_MATTA])
    return _player_done(rules, total, king, pair, dealer)


def decided(
    rules: SetteEMezzoRules,
    rank: int,
    further: int,
    hand: Hand,
    plain: int,
    pair: int,
    dealer: int,
    option: str,
) -> Moment:
    """The player has decided on two cards or more."""
    if option == HIT:
        return draw(PLAYER, player_drew, rank, further, hand, plain, pair, dealer, how="draws")
    return _player_done(rules, best_total(plain, hand[CLASS_MATTA] > 0), False, pair, dealer)


def player_drew(
    rules: SetteEMezzoRules,
    rank: int,
    further: int,
    hand: Hand,
    plain: int,
    pair: int,
    dealer: int,
    card: Card,
) -> Moment:
    """The player has one card more."""
    return _player_turn(rules, rank, further + (card.number == rank), hand, plain, pair, dealer, card)


def _player_done(rules: SetteEMezzoRules, total: int, king: bool, pair: int, dealer: int) -> Moment:
    """The player is done: a pair of first cards that waited is settled, and the dealer's first card turned over."""
    bust, waited = total > SEVEN_AND_A_HALF, rules.pair_condition is PairCondition.DEALER_MUST_UNCOVER
    won: tuple[Won, ...] = ()
    if waited and pair >= 0:
        won = ((PARTITA_PERFETTA, NOT_UNCOVERED if bust else pair_row(pair)),)
    if bust:
        # Where a pair wins whatever happens next, the first card is turned over after a bust too.
        over = ended((MAIN, BUST), *won)
        return over if waited else shown(over, DEALER)
    matta = dealer == CLASS_MATTA
    first_face = dealer in (CLASS_FACE, CLASS_MATTA)
    return settled(shown(_dealer_turn(rules, total, king, POINTS[dealer], matta, first_face), DEALER), *won)


def _dealer_turn(
    rules: SetteEMezzoRules, player: int, king: bool, plain: int, matta: bool, first_face: bool
) -> Moment:
    total = best_total(plain, matta)
    chased = player == SEVEN_AND_A_HALF and rules.dealer_chases_seven_and_a_half
    stands_on = SEVEN_AND_A_HALF if chased else rules.dealer_stands_on
    if (first_face and rules.dealer_draws_on_first_face) or total < stands_on:
        return draw(DEALER, dealer_drew, player, king, plain, matta, how="draws")
    return ended((MAIN, main_row(rules, player, king, total)))


def dealer_drew(
    rules: SetteEMezzoRules, player: int, king: bool, plain: int, matta: bool, card: Card
) -> Moment:
    """The dealer has one card more."""
    kind = card.kind
    return _dealer_turn(rules, player, king, plain + POINTS[kind], matta or kind == CLASS_MATTA, False)


def main_row(rules: SetteEMezzoRules, player: int, king: bool, dealer: int) -> str:
    """Returns the row of the main wager for two totals, of which the player's is not above 7½.

    Args:
        rules: Rules of play.
        player: The player's total.
        king: Whether that is 7½ in two cards, one of them the King of Denari.
        dealer: The dealer's total.
    """
    if king and (dealer != SEVEN_AND_A_HALF or rules.king_wins_against_dealer_seven_and_a_half):
        return KING_SEVEN_AND_A_HALF
    if dealer > SEVEN_AND_A_HALF or player > dealer:
        return WIN
    return PUSH if player == dealer and rules.tie is Tie.PUSH else LOSE


def _total(rules: SetteEMezzoRules, holder: str, cards: tuple[Card, ...]) -> str:
    kinds = [card.kind for card in cards]
    total = best_total(sum([POINTS[kind] for kind in kinds]), CLASS_MATTA in kinds)
    return format_half_points(total) + (", bust" if total > SEVEN_AND_A_HALF else "")


def text(game: Game) -> RoundText:
    """Returns the implementation that plays a game."""
    wagers = tuple(wager.id for wager in game.wagers)
    return RoundText(
        rules_of(game), start, game.equipment, wagers, paid_by(game.wagers, LOSING), _face, _total
    )

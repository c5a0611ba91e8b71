"""Every hand of 7 e Mezzo that a player can come to, and how it ends, counted in orders of the cards that are left.

A second card makes Mano di Poker live; a bust forfeits Partita Perfetta where the dealer must uncover. So the
state carries the hand by class, the rank of the first card, and how many more of that rank the player holds: nothing
more can change what any wager is worth.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, permutations
from math import perm

from certify.by_key import summed
from certify.errors import InputError
from certify.families.sette_e_mezzo.rules import (
    BUST,
    FLUSH,
    KING_SEVEN_AND_A_HALF,
    LOSE,
    NO_SECOND_CARD,
    NOT_UNCOVERED,
    PAIR_ACE_TO_SIX,
    PAIR_OF_FACES,
    PAIR_OF_SEVENS,
    PUSH,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE_OF_A_KIND,
    WIN,
    PairCondition,
    Seen,
    SetteEMezzoRules,
    Tie,
    rules_of,
)
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    CLASSES,
    FULL_DECK,
    ORDERS,
    RANK_FIRST_FACE,
    RANK_SEVEN,
    RANK_VALUES,
    RANKS,
    SEVEN_AND_A_HALF,
    TYPE_KING,
    TYPE_MATTA,
    ClassDeck,
    Hand,
    is_first_face,
    rank_of,
    single,
    suit_of,
    total,
    type_of,
)
from certify.model import Game


@dataclass(frozen=True, slots=True)
class DealerRule:
    """When the dealer draws; totals are in half points. Final hands are counted once for each rule."""

    stands_on: int
    draws_on_first_face: bool
    chases_seven_and_a_half: bool

    def draws(self, hand: Hand, made: int, player: int) -> bool:
        """Returns whether the dealer draws on a hand with a total against a player's total."""
        if self.draws_on_first_face and is_first_face(hand):
            return True
        chasing = self.chases_seven_and_a_half and player == SEVEN_AND_A_HALF
        return made < (SEVEN_AND_A_HALF if chasing else self.stands_on)


Terminal = tuple[int, int, tuple[tuple[int, int], ...]]
"""Ways to order the classes of a final hand, its number of cards, and its (class, count) pairs."""


Finals = dict[int, tuple[Terminal, ...]]
"""Final hands of the dealer not above 7½, by total."""


@lru_cache(maxsize=32)
def dealer_hands(deck: ClassDeck, rule: DealerRule, player: int) -> tuple[Finals, ...]:
    """Returns all final hands of the dealer against a player's total (7½ or below), by class of the first card."""
    return tuple(_finals(deck, rule, player, first) for first in range(len(CLASSES)))


def _finals(deck: ClassDeck, rule: DealerRule, player: int, first: int) -> Finals:
    level: dict[Hand, int] = {single(first): 1} if deck.class_counts[first] else {}
    finals: dict[int, list[Terminal]] = defaultdict(list)
    while level:
        longer: dict[Hand, int] = defaultdict(int)
        for hand, ways in level.items():
            made = total(hand)
            if rule.draws(hand, made, player):
                for _, _, drawn in deck.draws(hand):
                    longer[drawn] += ways
            elif made <= SEVEN_AND_A_HALF:
                pairs = tuple((card_class, held) for card_class, held in enumerate(hand) if held)
                finals[made].append((ways, sum(hand), pairs))
        level = longer
    return {made: tuple(terminals) for made, terminals in finals.items()}


@dataclass(frozen=True, slots=True)
class DealerShowdown:
    """Orders of the remaining deck by what the dealer makes against a standing player's hand.

    Args:
        below: The dealer ends on a lower total.
        equal: The dealer ends on the same total.
        above: The dealer ends on a higher total, not above 7½.
        bust: The dealer ends above 7½.
    """

    below: int
    equal: int
    above: int
    bust: int


class Dealer:
    """Counts the orders of the remaining deck in which the dealer ends below, on or above a player's hand."""

    def __init__(self, deck: ClassDeck, rule: DealerRule) -> None:
        self.deck = deck
        self.rule = rule
        self.showdown = cache(self._count)

    def _count(self, hand: Hand) -> DealerShowdown:
        """Returns the orders of the remaining deck over all first cards of the dealer."""
        player, cards = total(hand), self.deck.size - sum(hand)
        ways = tuple(
            tuple(perm(count, dealt) for dealt in range(most + 1))
            for count, most in zip(self.deck.left(hand), self.deck.class_counts, strict=True)
        )
        counted = summed(
            ((made > player) - (made < player), _weigh(terminals, ways, cards))
            for finals in dealer_hands(self.deck, self.rule, player)
            for made, terminals in finals.items()
        )
        below, equal, above = (counted.get(sign, 0) for sign in (-1, 0, 1))
        return DealerShowdown(below, equal, above, self.deck.orders_left(hand) - sum(counted.values()))


def _weigh(terminals: tuple[Terminal, ...], ways: tuple[tuple[int, ...], ...], cards: int) -> int:
    """Returns the orders of ``cards`` cards that begin with one of the final hands."""
    orders = 0
    for arrangements, length, pairs in terminals:
        product = arrangements
        for card_class, held in pairs:
            product *= ways[card_class][held]
        if product:
            orders += product * ORDERS[cards - length]
    return orders


Orders = Mapping[str, int]
"""Orders of the cards that are left, by outcome of a wager."""


@dataclass(frozen=True, slots=True, eq=False)
class HandTree:
    """All that decides how a round goes on, whatever is paid.

    Args:
        deck: The cards that are dealt from.
        dealer: Counter of the dealer's hands.
        totals: Total of each hand in half points, hands with fewer cards first.
        forced: Hands on which the rules draw for the player.
        drawn: For each state in which the hand may go on, the cards left of each kind and the states after.
        states: Every state that any play can come to, shorter hands first.
    """

    deck: ClassDeck
    dealer: Dealer
    totals: Mapping[Hand, int]
    forced: frozenset[Hand]
    drawn: Mapping[Seen, tuple[tuple[int, Seen], ...]]
    states: tuple[Seen, ...]

    @property
    def decisions(self) -> Iterator[Hand]:
        """Hands on which the player may choose between a card and standing."""
        return (
            hand for hand, made in self.totals.items() if made < SEVEN_AND_A_HALF and hand not in self.forced
        )

    @property
    def firsts(self) -> Iterator[tuple[int, Seen]]:
        """The cards of each kind that may come first, and the states after."""
        counts = enumerate(self.deck.type_counts)
        return ((count, first_state(card_type)) for card_type, count in counts if count)


def first_state(card_type: int) -> Seen:
    """Returns the state after a first card of a type."""
    if card_type == TYPE_MATTA:
        return TYPE_KING, 0, single(CLASS_MATTA)
    return card_type, 0, single(min(card_type, CLASS_FACE))


def tree_of(game: Game, deck: ClassDeck = FULL_DECK) -> HandTree:
    """Returns every hand of a game, dealt from the whole deck or a smaller one.

    Raises:
        InputError: Cards count otherwise than in this family.
    """
    if dict(game.values) != dict(RANK_VALUES):
        raise InputError(
            f"{game.path}: cards of different values than the family's: enumeration expects these"
        )
    rules = rules_of(game)
    rule = DealerRule(
        rules.dealer_stands_on, rules.dealer_draws_on_first_face, rules.dealer_chases_seven_and_a_half
    )
    return _tree(deck, rule, rules.player_draws_on_first_face)


@lru_cache(maxsize=8)
def _tree(deck: ClassDeck, rule: DealerRule, draws_on_first_face: bool) -> HandTree:
    level = [first_state(card_type) for card_type, count in enumerate(deck.type_counts) if count]
    forced = frozenset(hand for _, _, hand in level if draws_on_first_face and is_first_face(hand))
    totals: dict[Hand, int] = {}
    drawn: dict[Seen, tuple[tuple[int, Seen], ...]] = {}
    states: list[Seen] = []
    while level:
        states += level
        totals.update((hand, total(hand)) for hand in sorted({hand for _, _, hand in level}))
        open_hands = [state for state in level if totals[state[2]] < SEVEN_AND_A_HALF]
        drawn.update((state, tuple(_children(deck, state))) for state in open_hands)
        level = list(dict.fromkeys(after for state in open_hands for _, after in drawn[state]))
    return HandTree(deck, Dealer(deck, rule), totals, forced, drawn, tuple(states))


def _children(deck: ClassDeck, state: Seen) -> Iterator[tuple[int, Seen]]:
    """Yields how many cards of each kind are left, and the state after one of them."""
    rank, same, hand = state
    same_left = deck.rank_count(rank) - 1 - same
    # The class that alone holds cards of the first one's rank: its own below the faces, the matta next to Kings.
    same_class = rank if rank < RANK_FIRST_FACE else CLASS_MATTA if rank == TYPE_KING else None
    for card_class, cards, longer in deck.draws(hand):
        if card_class == CLASS_FACE and rank >= RANK_FIRST_FACE:
            same_faces = same_left - (
                rank == TYPE_KING and deck.class_counts[CLASS_MATTA] > hand[CLASS_MATTA]
            )
            if cards > same_faces:
                yield cards - same_faces, (rank, same, longer)
            if same_faces:
                yield same_faces, (rank, same + 1, longer)
        else:
            yield cards, (rank, same + (card_class == same_class), longer)


# --- how hands end -----------------------------------------------------------------------------------------


def main_ends(tree: HandTree, rules: SetteEMezzoRules, hand: Hand) -> Orders:
    """Returns how the main wager ends on a hand that gets no more cards."""
    made = tree.totals[hand]
    if made > SEVEN_AND_A_HALF:
        return {BUST: tree.deck.orders_left(hand)}
    showdown = tree.dealer.showdown(hand)
    king = made == SEVEN_AND_A_HALF and hand[CLASS_MATTA] == 1 and sum(hand) == 2
    orders = Counter({LOSE: showdown.above})
    orders[KING_SEVEN_AND_A_HALF if king else WIN] += showdown.below + showdown.bust
    wins_ties = king and rules.king_wins_against_dealer_seven_and_a_half
    tied = PUSH if rules.tie is Tie.PUSH else LOSE
    orders[KING_SEVEN_AND_A_HALF if wins_ties else tied] += showdown.equal
    return +orders


def pair_ends(tree: HandTree, condition: PairCondition, state: Seen) -> Orders:
    """Returns how Partita Perfetta ends with a hand that gets no more cards."""
    rank, same, hand = state
    # Cards of the first card's rank that the player holds cannot be the dealer's.
    pairs = (tree.deck.rank_count(rank) - 1 - same) * tree.deck.orders_left(hand, 1)
    bust = tree.totals[hand] > SEVEN_AND_A_HALF
    forfeits = bust and condition is PairCondition.DEALER_MUST_UNCOVER
    row = PAIR_OF_FACES if rank >= RANK_FIRST_FACE else PAIR_ACE_TO_SIX
    row = PAIR_OF_SEVENS if rank == RANK_SEVEN else row
    orders = {NOT_UNCOVERED if forfeits else row: pairs, LOSE: tree.deck.orders_left(hand) - pairs}
    return {outcome: count for outcome, count in orders.items() if count}


def poker_ends(tree: HandTree, state: Seen, *, draws: bool) -> Orders:
    """Returns how Mano di Poker ends with a decision on the first card; no later one can change it."""
    rank, _, hand = state
    deck = tree.deck
    if not draws:
        return {NO_SECOND_CARD: deck.orders_left(hand)}
    first = TYPE_MATTA if hand[CLASS_MATTA] else rank
    # Deals count every card of the first card's type; each of them has an equal share.
    share = ORDERS[deck.size - 3]
    return {row: deals * share // deck.type_counts[first] for row, deals in _poker_deals(deck)[first].items()}


@lru_cache(maxsize=4)
def _poker_deals(deck: ClassDeck) -> Mapping[int, Orders]:
    """Returns, for each first card by type, the ordered deals of the first three cards by row."""
    deals: dict[int, Counter[str]] = {}
    for cards in combinations(deck.cards, 3):
        row = poker_row(cards)
        for first, _, _ in permutations(map(type_of, cards)):
            deals.setdefault(first, Counter())[row] += 1
    return deals


def poker_row(cards: tuple[int, int, int]) -> str:
    """Returns the highest row that three cards make in Mano di Poker, or ``lose``.

    Rows are tried in printed order. Runs are A-2-3 to 5-6-7 and J-Q-K; none runs past a King or from 7 to J.

    >>> poker_row((28, 32, 36)), poker_row((20, 24, 28)), poker_row((0, 5, 10))
    ('royal-flush', 'flush', 'straight')
    """
    low, middle, high = sorted(rank_of(card) for card in cards)
    suited = len({suit_of(card) for card in cards}) == 1
    faces_or_none = (low >= RANK_FIRST_FACE) == (high >= RANK_FIRST_FACE)
    run = middle == low + 1 and high == middle + 1 and faces_or_none
    if suited and run:
        return ROYAL_FLUSH if low == RANK_FIRST_FACE else STRAIGHT_FLUSH
    if low == high:
        return THREE_OF_A_KIND
    if suited:
        return FLUSH
    return STRAIGHT if run else LOSE


def state_name(state: Seen) -> str:
    """Returns a state as text: the first card, then the others; ``face`` is a face of another rank.

    >>> state_name((7, 1, (1, 0, 0, 0, 0, 0, 0, 3, 0)))
    'J first, A+J+face'
    """
    rank, same, hand = state
    # Where a hand holds the matta and another King, either may have come first: it is named after the other one.
    matta_first = rank == TYPE_KING and hand[CLASS_MATTA] == 1 and not same
    later_matta = hand[CLASS_MATTA] - matta_first
    is_face = rank >= RANK_FIRST_FACE
    same_faces = same - later_matta * (rank == TYPE_KING) if is_face else 0
    other_faces = hand[CLASS_FACE] - (is_face and not matta_first) - same_faces
    names = [RANKS[low] for low in range(RANK_FIRST_FACE) for _ in range(hand[low] - (low == rank))]
    names += [RANKS[rank]] * same_faces + ["face"] * other_faces + ["matta"] * later_matta
    first = "matta" if matta_first else RANKS[rank]
    return f"{first} first, {'+'.join(names)}" if names else first
